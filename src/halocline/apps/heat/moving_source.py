"""A source of heat that goes around on an insulated plate, and small cells that go with it.

The unit square; the source passes a circle once in a unit of time, and gives in that time what
warms the plate by 1 K. Heat only moves, so the mean temperature tells all that it gave.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil, pi
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

import halocline as hc
from halocline.apps.case import ENDS, Case, Problem, run_remaining
from halocline.apps.comparison import Comparison
from halocline.apps.heat.kernels import conduct, gain, level_for
from halocline.apps.levels import Levels, coarsest_cells
from halocline.errors import CaseError
from halocline.frozen import Frozen
from halocline.io.forest_plane import blocks_in_plane
from halocline.io.plots import PlanePicture, draw_plane
from halocline.io.quantity import Integral, Quantity
from halocline.io.variable import Variable
from halocline.language.grids.forest import Forest
from halocline.language.numbers import Range

Array = NDArray[np.float64]
Positive = Annotated[float, Range(above=0.0)]

_BLOCK = 16
# Of the circle, and the distance from its middle at which a source is weaker by e [sides].
_RADIUS, _WIDTH = 0.3, 0.03
# In so many widths around it a source gives all but e^-9 of its heat.
_WARMED = 3.0
# With the source seen so often in a round, its way is smooth for the exact solution.
_LOOKS = 4000


class PlateProblem(Problem, kw_only=True):
    """Forest and steps of a plate.

    Attributes:
        forest: Its cells.
    """

    forest: Forest


@dataclass(frozen=True)
class MovingHeatSource(Case):
    """Parameters of a source of heat that goes around on a plate.

    Attributes:
        cells: Of the finest level, along each side.
        levels: How often cells are halved.
        change: Cells are halved where the temperature changes by more than twice this over two of
            them [K]; around the source in any case.
        refine_every: Steps after which blocks are split and merged.
        diffusivity: D [sides² a round].
        diffusion_number: D dt / h² on the finest level; stable up to 1/4.
        rounds: How many the source does.
    """

    name: ClassVar[str] = "moving-heat-source"

    cells: Annotated[int, Range(least=16)] = 256
    levels: Levels = 2
    change: Positive = 1.0
    refine_every: Annotated[int, Range(least=1)] = 10
    diffusivity: Positive = 2.5e-3
    diffusion_number: Positive = 0.2
    rounds: Annotated[float, Range(above=0.0), ENDS] = 1.0

    def check(self) -> None:
        """Raise a CaseError for what cannot be computed."""
        super().check()
        coarsest_cells(self.cells, self.levels, _BLOCK)
        if self.diffusion_number > 0.25:  # noqa: PLR2004 (1 / (2 dimensions))
            raise CaseError(
                f"The diffusion number {self.diffusion_number:g} makes the explicit step unstable; "
                "expected at most 0.25."
            )

    @property
    def dt(self) -> float:
        """A step of the coarsest level [rounds]."""
        finest = self.diffusion_number / self.cells**2 / self.diffusivity
        return float(finest * 2**self.levels)

    @property
    def steps(self) -> int:
        """How many steps of the coarsest level there are."""
        return ceil(self.rounds / self.dt * (1.0 - 1e-12))

    def describe(self) -> str:
        """Return the parameters and what follows from them, as text."""
        return (
            f"heat from a moving source, {self.cells} x {self.cells} cells of the finest level, "
            f"halved up to {self.levels} times\n"
            f"diffusion number D dt / h² = {self.diffusion_number:g} there, {self.steps} steps of "
            f"{self.dt:.4g} rounds on the coarsest level"
        )

    def bytes_stored(self) -> int:
        """Return about how much the stored fields will take, before compression [bytes]."""
        return 8 * self.cells**2

    def source(self, time: Any) -> tuple[Any, Any]:
        """Return where the source is, of numbers, arrays or formulas."""
        angle = 2.0 * pi * time
        return 0.5 + _RADIUS * hc.cos(angle), 0.5 + _RADIUS * hc.sin(angle)

    def problem(self) -> PlateProblem:
        """Return the plate with small cells around the source, and steps."""
        coarsest = coarsest_cells(self.cells, self.levels, _BLOCK)
        plate = Forest(
            (coarsest, coarsest),
            block=_BLOCK,
            finest=self.levels,
            refine=self._near_source,
            spacing=1.0 / coarsest,
        )
        T = plate.field("T", unit="K", description="temperature")  # noqa: N806
        given = plate.field("given", coupling="constant")
        Fx, Fy = (plate.field(f"F{a}", location=f"{a}_face", coupling="flux") for a in "xy")  # noqa: N806
        wanted = plate.field("wanted", dtype="float32", coupling="none")
        T.boundary(plate.sides, hc.Neumann(0.0))
        Fx.boundary(("x-", "x+"), hc.Dirichlet(0.0))
        Fy.boundary(("y-", "y+"), hc.Dirichlet(0.0))
        steps: list[Any] = [
            conduct(T, Fx, Fy, number=hc.PerLevel(self._number)),
            gain(T, Fx, Fy, given, source=self._source_on(plate)),
        ]
        if self.levels:
            steps.append(hc.every(self.refine_every, level_for(T, wanted, **self._criterion())))
        cell = 1.0 / coarsest**2
        return PlateProblem(
            plate.grid,
            tuple(steps),
            forest=plate,
            quantities=(Quantity("T", T, unit=T.level(0).unit, description="temperature"),),
            integrals=(
                Integral("mean_T", hc.sum(T), cell, "K", "mean temperature"),
                Integral("given", hc.sum(given), cell, "K", "mean temperature, by the source"),
            ),
            dt=self.dt,
            time_unit="rounds",
            refine=hc.Refine(wanted, self.refine_every) if self.levels else None,
        )

    def _number(self, level: int) -> float:
        return float(self.diffusion_number * 2.0 ** (level - self.levels))

    def _source_on(self, plate: Forest) -> hc.PerLevel:
        """Return what the source gives in a sub-step, and where in its middle, for a kernel."""

        def source(level: int) -> tuple[Any, ...]:
            most = self.dt * 0.5**level / (pi * _WIDTH**2)
            middle = hc.step + plate.begin_of(level) + 0.5 ** (level + 1)
            return most, self.source(middle * self.dt), _WIDTH

        return hc.PerLevel(source)

    def _criterion(self) -> dict[str, Any]:
        """Return what says which level is wanted until blocks change again, for a kernel."""
        place = self.source((hc.step + 1.0 + 0.5 * self.refine_every) * self.dt)
        return {
            "allowed": hc.PerLevel(lambda level: self.change * 0.5**level),
            "near": (place, self._reach, float(self.levels)),
        }

    @property
    def _reach(self) -> float:
        """How far around where it is half-way a source warms while blocks stay as they are."""
        return _WARMED * _WIDTH + pi * _RADIUS * self.refine_every * self.dt

    def _near_source(self, x: Array, y: Array) -> Array:
        """Return the level that is wanted at first."""
        x0, y0 = self.source(0.5 * self.refine_every * self.dt)
        return np.where(np.hypot(x - x0, y - y0) < self._reach, self.levels, 0)

    def exact(self, time: float) -> Array:
        """Return the exact temperature in the middle of the finest cells (cells, cells) [K].

        A source is mirrored at the sides; what it gave at each moment has spread since then.

        Source: Carslaw & Jaeger, Conduction of Heat in Solids, 2nd ed., 1959, chapter 10.
        """
        count = max(1, ceil(_LOOKS * time))
        moments = (np.arange(count) + 0.5) / count * time
        spread = _WIDTH**2 + 4.0 * self.diffusivity * (time - moments)
        at = ((np.arange(self.cells) + 0.5) / self.cells)[:, None]

        def along(source: Array) -> Array:
            places = (source, -source, 2.0 - source)
            waves = sum(np.exp(-((at - place) ** 2) / spread) for place in places)
            return np.asarray(waves / np.sqrt(pi * spread))

        x, y = map(along, self.source(moments))
        return np.asarray(x @ y.T * (time / count))

    def run(self, simulation: Any, problem: Problem, watch: Callable[[str], None]) -> PlateResult:
        """Make all steps, or those that remain."""
        assert isinstance(problem, PlateProblem)
        steps, seconds = run_remaining(simulation, self.steps, watch)
        simulation.execute(*(integral.reduction for integral in problem.integrals))
        return PlateResult(self, problem, steps, seconds, simulation.time)


class PlateResult(Frozen):
    """What a run with a moving source has found.

    Attributes:
        case: The parameters.
        problem: Its forest and fields.
        steps: How many were done, by this run.
        seconds: Wall-clock time they took [s].
        time: When it ended [rounds].
    """

    case: MovingHeatSource
    problem: PlateProblem
    steps: int
    seconds: float
    time: float

    def summary(self) -> str:
        """Return how long the steps took, and of how many cells."""
        forest, finest = self.problem.forest, self.case.cells**2
        return (
            f"{self.steps} steps in {self.seconds:.3f} s\n"
            f"{forest.cells} cells in {forest.leaves.count} blocks at the end, "
            f"{100 * forest.cells / finest:.1f} % of those of a uniform grid"
        )

    def variables(self) -> tuple[Variable, ...]:
        """Return the temperature on the cells of the finest level; collective."""
        return tuple(quantity.gather("linear") for quantity in self.problem.quantities)

    def comparisons(self, variables: Sequence[Variable]) -> tuple[Comparison, ...]:
        """Return how heat was kept, and how far the temperature is from the exact one (rank 0)."""
        mean, given = (integral.value for integral in self.problem.integrals)
        values, exact = variables[0].values, self.case.exact(self.time)
        assert values is not None
        ratio = len(exact) // len(values)
        error = np.max(np.abs(values.repeat(ratio, 0).repeat(ratio, 1) - exact)) / np.max(exact)
        return (
            Comparison("mean temperature [K]", mean, given, "by the heat of the source"),
            Comparison("heat of the source [K]", given, self.time, "exact"),
            Comparison("greatest difference from the exact temperature over its maximum", error),
        )

    def findings(self, variables: Sequence[Variable]) -> str:
        """Return the comparisons as text (rank 0)."""
        return "\n".join(map(str, self.comparisons(variables)))

    def pictures(self, variables: Sequence[Variable]) -> Mapping[str, Callable[[Path], None]]:
        """Return the picture of the temperature with the borders of blocks (rank 0)."""
        values = variables[0].values
        assert values is not None
        blocks = blocks_in_plane(self.problem.forest)
        title = f"temperature, rounds: {self.time:.3g}"
        picture = PlanePicture(title, values, (0.0, 1.0, 0.0, 1.0), "T [K]", blocks)
        return {"temperature.png": partial(draw_plane, picture)}
