"""Decay of one mode of the heat equation, whose discrete solution is known exactly.

The unit square or cube; a product of sines or cosines decays by the same factor in every step, so
that any mistake of a stencil, a boundary or a halo shows at the level of rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import pi, sin
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

import halocline as hc
from halocline.apps.case import ENDS, Case, Problem, run_remaining
from halocline.apps.heat.kernels import diffuse
from halocline.errors import CaseError
from halocline.frozen import Frozen
from halocline.io.plots import PlanePicture, draw_plane
from halocline.io.quantity import Integral, Quantity
from halocline.io.variable import Variable
from halocline.language.numbers import Range

Count = Annotated[int, Range(least=1)]


@dataclass(frozen=True)
class HeatConduction(Case):
    """Parameters of the decay of a mode.

    Attributes:
        cells: Along each side of the unit square or cube.
        dimensions: 2 for a square, 3 for a cube.
        sides: Whether it is periodic, or has 'dirichlet' (zero temperature) or 'neumann' (no flux)
            sides.
        diffusion_number: D dt / h²; stable up to 1 / (2 dimensions).
        steps: How many time steps.
        dtype: Of the temperature.
    """

    name: ClassVar[str] = "heat"

    cells: Count = 128
    dimensions: Literal[2, 3] = 3
    sides: Literal["periodic", "dirichlet", "neumann"] = "dirichlet"
    diffusion_number: Annotated[float, Range(above=0.0)] = 0.15
    steps: Annotated[Count, ENDS] = 1000
    dtype: Literal["float64", "float32"] = "float64"

    def check(self) -> None:
        """Raise a CaseError for what cannot be computed."""
        super().check()
        limit = 0.5 / self.dimensions
        if self.diffusion_number > limit:
            raise CaseError(
                f"The diffusion number {self.diffusion_number:g} makes the explicit step unstable; "
                f"expected at most {limit:.4g} in {self.dimensions} dimensions."
            )

    def describe(self) -> str:
        """Return the parameters and what follows from them, as text."""
        extent = " x ".join([str(self.cells)] * self.dimensions)
        return (
            f"heat conduction, {extent} cells, {self.sides} sides, {self.dtype}\n"
            f"diffusion number D dt / h² = {self.diffusion_number:g}, {self.steps} steps"
        )

    def bytes_stored(self) -> int:
        """Return about how much the stored fields will take, before compression [bytes]."""
        return int(np.dtype(self.dtype).itemsize * self.cells**self.dimensions)

    def mode(self, *coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mode of amplitude 1 at the coordinates, one array an axis."""
        wave = np.cos if self.sides == "neumann" else np.sin
        parts = [wave(self._wavenumber * x) for x in coordinates]
        return np.asarray(np.prod(np.broadcast_arrays(*parts), axis=0))

    @property
    def _wavenumber(self) -> float:
        return 2.0 * pi if self.sides == "periodic" else pi

    @property
    def amplitude(self) -> float:
        """Exact amplitude of the discrete solution after the last step.

        Each axis adds 4 sin²(k h / 2) / h² to what one step takes away.
        """
        sine = sin(0.5 * self._wavenumber / self.cells)
        factor = 1.0 - 4.0 * self.diffusion_number * self.dimensions * sine**2
        return float(factor**self.steps)

    def problem(self) -> Problem:
        """Return grid, boundaries, first values and steps."""
        grid = hc.Grid(
            (self.cells,) * self.dimensions,
            periodic=self.sides == "periodic",
            spacing=1.0 / self.cells,
        )
        T = grid.field("T", dtype=self.dtype, unit="K", description="temperature")  # noqa: N806
        T_new = grid.field("T_new", dtype=self.dtype)  # noqa: N806
        condition = hc.Dirichlet(0.0) if self.sides == "dirichlet" else hc.Neumann(0.0)
        for side in ("x-", "x+", "y-", "y+", "z-", "z+")[: 2 * self.dimensions]:
            if self.sides != "periodic":
                T.boundary(side, condition)
        T.set(self.mode)
        diffusivity_dt = self.diffusion_number / self.cells**2
        volume = self.cells**-self.dimensions
        return Problem(
            grid,
            (diffuse(T, T_new, diffusivity_dt=diffusivity_dt), hc.swap(T, T_new)),
            quantities=(Quantity("T", T, unit=T.unit, description=T.description),),
            integrals=(
                Integral("mean_T", hc.sum(T), volume, "K", "mean temperature"),
                Integral("mean_T2", hc.sum(T * T), volume, "K2", "mean square of the temperature"),
            ),
            dt=diffusivity_dt,
            time_unit="L²/D",
        )

    def run(self, simulation: Any, problem: Problem, watch: Callable[[str], None]) -> HeatResult:
        """Make all steps, or those that remain."""
        steps, seconds = run_remaining(simulation, self.steps, watch)
        return HeatResult(self, problem, steps, seconds)


class HeatResult(Frozen):
    """What a run of heat conduction has found.

    Attributes:
        case: The parameters.
        problem: Its fields.
        steps: How many were done, by this run.
        seconds: Wall-clock time they took [s].
    """

    case: HeatConduction
    problem: Problem
    steps: int
    seconds: float

    def summary(self) -> str:
        """Return how fast the steps were."""
        updates = self.steps * self.case.cells**self.case.dimensions
        size = np.dtype(self.case.dtype).itemsize
        return (
            f"{self.steps} steps in {self.seconds:.3f} s, "
            f"{updates / self.seconds / 1e6:.1f} million cells/s, "
            f"{2 * size * updates / self.seconds / 1e9:.1f} GB/s (one read, one write a cell)"
        )

    def variables(self) -> tuple[Variable, ...]:
        """Return the temperature; collective."""
        return tuple(quantity.gather() for quantity in self.problem.quantities)

    def error(self, variables: Sequence[Variable]) -> float:
        """Return the greatest difference from the exact discrete solution over its amplitude."""
        values, grid = variables[0].values, self.problem.grid
        assert values is not None
        exact = self.case.mode(*grid.coordinates("center", grid.domain)) * self.case.amplitude
        return float(np.max(np.abs(values - exact)) / abs(self.case.amplitude))

    def findings(self, variables: Sequence[Variable]) -> str:
        """Return the comparison with the exact discrete solution as text (rank 0)."""
        return (
            f"greatest difference from the exact discrete solution: {self.error(variables):.2e} "
            f"of its amplitude {self.case.amplitude:.6e}"
        )

    def pictures(self, variables: Sequence[Variable]) -> Mapping[str, Callable[[Path], None]]:
        """Return the picture of the temperature in a plane through the greatest values (rank 0)."""
        values = variables[0].values
        assert values is not None
        if values.ndim > len("xy"):
            values = values[:, :, np.abs(values).max(axis=(0, 1)).argmax()]
        title = f"temperature after {self.case.steps} steps"
        picture = PlanePicture(title, values, (0.0, 1.0, 0.0, 1.0), "T [K]")
        return {"temperature.png": partial(draw_plane, picture)}
