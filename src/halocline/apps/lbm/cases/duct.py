"""Flow in a rectangular duct, periodic along x, driven by a force.

Its length is the shorter side, along y; its speed the mean velocity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

from halocline.apps.comparison import Comparison
from halocline.apps.lbm.cases.flow_pictures import FlowFigure, Plane
from halocline.apps.lbm.cases.steady_case import SteadyCase
from halocline.apps.lbm.setup.sides import Wall
from halocline.io.plots import Curve, Plot
from halocline.language.numbers import Range

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.apps.lbm.cases.flow_case import FlowResult
    from halocline.apps.lbm.setup.setup import Setup
    from halocline.apps.sampled import Values

# Terms of the series: the last is below 1e-7 of the first.
_TERMS = 200
_LENGTH = 4


@dataclass(frozen=True)
class Duct(SteadyCase):
    """Parameters of flow in a duct.

    Attributes:
        aspect: The longer side, along z, over the shorter.
    """

    name: ClassVar[str] = "duct"
    axes: ClassVar[int] = 3
    # In a square duct; less in others.
    peak_speed: ClassVar[float] = 2.1

    aspect: Annotated[float, Range(least=1.0)] = 1.0

    @property
    def extent(self) -> tuple[int, int, int]:
        """Cells along each axis."""
        cells = self.scaling.cells
        return (_LENGTH, cells, round(self.aspect * cells))

    def setup(self) -> Setup:
        """Return what the flow is."""
        scaling = self.scaling
        gradient = scaling.viscosity * scaling.speed / (scaling.cells**2 * self._mean)
        sides = {side: Wall() for side in ("y-", "y+", "z-", "z+")}
        return self.lattice_setup(self.extent, sides=sides, force=(gradient, 0.0, 0.0))

    @property
    def _mean(self) -> float:
        """Mean velocity in units of G h² / mu, h the shorter side."""
        n = np.arange(1, 2 * _TERMS, 2)
        # With half sides a = 1/2 and b = aspect/2.
        series = np.tanh(0.5 * np.pi * n * self.aspect) / n**5
        return float((1.0 - 192.0 / (np.pi**5 * self.aspect) * series.sum()) / 12.0)

    def exact(self, y: NDArray[np.float64], z: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the velocity over the mean.

        Args:
            y: Distance from the middle over the shorter side.
            z: The same along the longer side.

        Source: White, Viscous Fluid Flow, chapter 3.
        """
        total = np.zeros(np.broadcast_shapes(y.shape, z.shape))
        half = 0.5 * self.aspect
        for number in range(_TERMS):
            n = 2 * number + 1
            # cosh(n pi z) / cosh(n pi b), which does not overflow.
            rise = np.exp(n * np.pi * (np.abs(z) - half))
            ratio = rise * (1.0 + np.exp(-2.0 * n * np.pi * np.abs(z)))
            ratio = ratio / (1.0 + np.exp(-2.0 * n * np.pi * half))
            total += (-1.0) ** number * (1.0 - ratio) * np.cos(n * np.pi * y) / n**3
        return np.asarray(4.0 / np.pi**3 * total / self._mean)

    def _section(self, values: Values) -> NDArray[np.float64]:
        return np.asarray(values["u"][0] / (self.scaling.speed * self.units.velocity))

    def _centres(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        _, ny, nz = self.extent
        y = (np.arange(ny) + 0.5) / ny - 0.5
        z = ((np.arange(nz) + 0.5) / nz - 0.5) * self.aspect
        return y, z

    def compare(self, result: FlowResult, values: Values) -> Sequence[Comparison]:
        """Return velocities beside those of the series."""
        y, z = self._centres()
        section, exact = self._section(values), self.exact(y[:, None], z)
        error = np.abs(section - exact).max() / self.exact(np.zeros(1), np.zeros(1))[0]
        return (
            Comparison("mean velocity over the speed", float(section.mean()), 1.0, "series"),
            Comparison(
                "greatest difference from the series, over its greatest velocity", float(error)
            ),
        )

    def picture(self, result: FlowResult, values: Values) -> FlowFigure:
        """Return the velocity in the section, and its profile beside the series."""
        y, z = self._centres()
        section, units = self._section(values), self.units
        middle = len(z) // 2
        fine = np.linspace(-0.5, 0.5, 101)
        profile = Plot(
            "half way along z" if len(z) % 2 else "half a cell from half way along z",
            ("$u / U$", "$y / h$"),
            Curve("this run", section[:, middle], y),
            (Curve("series", self.exact(fine, z[middle : middle + 1]), fine),),
        )
        # The section lies across the flow: its speed is u.
        u = values["u"][0].T
        size = (self.extent[2] * units.cell, self.extent[1] * units.cell)
        labels = ("z [m]", "y [m]") if units.is_physical else ("$z / h$", "$y / h$")
        unit = "m/s" if units.is_physical else "U"
        solid = np.zeros(u.shape, bool)
        plane = Plane(u, 0.0 * u, solid, size, labels, unit, has_streamlines=False)
        return FlowFigure(f"duct {self.aspect:g} : 1", plane, (profile,))
