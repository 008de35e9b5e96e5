"""Flow between two walls, y = 0 and y = H, driven by a force that goes to and fro (Womersley).

Its length is the distance H of the walls, its speed the greatest velocity half way between them.
"""

from __future__ import annotations

import cmath
from collections.abc import Sequence
from dataclasses import dataclass
from math import pi
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

import halocline as hc
from halocline.apps.case import ENDS
from halocline.apps.comparison import Comparison
from halocline.apps.lbm.cases.flow_case import FlowCase
from halocline.apps.lbm.cases.flow_pictures import FlowFigure
from halocline.apps.lbm.setup.sides import Wall
from halocline.errors import CaseError
from halocline.io.plots import Curve, Plot
from halocline.language.numbers import Range

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.apps.lbm.cases.flow_case import FlowResult
    from halocline.apps.lbm.flow.flow import Flow
    from halocline.apps.lbm.setup.setup import Setup
    from halocline.apps.sampled import Values

# Beyond, the exact solution has no numbers.
_LARGEST = 1000
# The fewest in which a lattice goes to and fro.
_STEPS = 6


@dataclass(frozen=True)
class OscillatingChannel(FlowCase):
    """Parameters of an oscillating flow in a channel that is periodic along x.

    Attributes:
        womersley: Half the height times the root of (angular frequency / viscosity).
        periods: How many the run lasts; it begins with the exact flow.
    """

    name: ClassVar[str] = "oscillating-channel"
    axes: ClassVar[int] = 2

    womersley: Annotated[float, Range(above=0.0, most=_LARGEST)] = 4.0
    periods: Annotated[int, Range(least=1), ENDS] = 1

    @property
    def period(self) -> float:
        """Length of a period in units of height over speed."""
        return 0.5 * pi * self.scaling.reynolds / self.womersley**2

    @property
    def duration(self) -> float:
        """Where the run ends."""
        return self.periods * self.period

    @property
    def samples(self) -> float:
        """Sixteen in a period."""
        return 16.0 / self.period

    def check(self) -> None:
        """Raise a CaseError for what cannot be computed."""
        super().check()
        steps = 2.0 * pi / self._frequency
        if steps < _STEPS:
            raise CaseError(
                f"The Womersley number {self.womersley:g} makes a period of {steps:.2g} lattice "
                f"steps; expected at least {_STEPS}.",
                hint="Use more cells, a lower speed or a smaller Womersley number.",
            )

    @property
    def _frequency(self) -> float:
        """Angular frequency [1 / step]."""
        scaling = self.scaling
        return scaling.viscosity * (2.0 * self.womersley / scaling.cells) ** 2

    @property
    def _response(self) -> complex:
        """Velocity in the middle over the acceleration [steps]."""
        root = cmath.exp(0.25j * pi) * self.womersley
        return complex((1.0 - 1.0 / cmath.cosh(root)) / (1j * self._frequency))

    @property
    def _acceleration(self) -> float:
        return self.scaling.speed / abs(self._response)

    def exact(self, y: NDArray[np.float64], time: float) -> NDArray[np.float64]:
        """Return the velocity over the speed.

        Args:
            y: Heights over H.
            time: In lattice steps; the force is greatest at 0.

        Source: Womersley, J. Physiol. 127 (1955) 553, for two walls.
        """
        root = cmath.exp(0.25j * pi) * self.womersley
        shape = 1.0 - np.cosh(root * (2.0 * y - 1.0)) / cmath.cosh(root)
        moving: NDArray[np.complex128] = shape * (
            cmath.exp(1j * self._frequency * time) / (1j * self._frequency)
        )
        return np.asarray(np.real(moving) / abs(self._response), dtype=np.float64)

    def setup(self) -> Setup:
        """Return what the flow is."""
        frequency, acceleration = self._frequency / self.units.step, self._acceleration

        def force(t: Any) -> tuple[Any, float]:
            return (acceleration * hc.cos(frequency * t), 0.0)

        sides = {"y-": Wall(), "y+": Wall()}
        return self.lattice_setup((4, self.scaling.cells), sides=sides, force=force)

    def start(self, flow: Flow) -> None:
        """Begin with the exact flow of the time of the collision before the first."""
        cells, speed = self.scaling.cells, self.scaling.speed
        # What is kept between steps has felt the whole force of a step, the velocity half of it.
        felt = 0.5 * self._acceleration * np.cos(self._frequency)

        def u(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
            height = y / (cells * self.units.cell)
            return np.asarray(speed * self.exact(height, -1.0) + felt + 0.0 * x)

        flow.start(1.0, (u, 0.0))

    def profile(self, values: Values) -> NDArray[np.float64]:
        """Return u over the speed."""
        return np.asarray(values["u"][0] / (self.scaling.speed * self.units.velocity))

    def steps_done(self, result: FlowResult) -> float:
        """Return the time of the last collision [lattice steps], when 'u' was what it is."""
        return float(np.rint(result.series("time")[-1] / self.units.step)) - 1.0

    def compare(self, result: FlowResult, values: Values) -> Sequence[Comparison]:
        """Return how far profile and mean velocity are from Womersley's."""
        y = (np.arange(self.scaling.cells) + 0.5) / self.scaling.cells
        exact_profile = self.exact(y, self.steps_done(result))
        return (
            Comparison(
                "greatest difference of the last profile from Womersley's, over the speed",
                float(np.abs(self.profile(values) - exact_profile).max()),
            ),
            Comparison(
                "the same of the mean velocity at any time, over the speed",
                float(np.abs(self._means(result)[0] - self._means(result)[1]).max()),
            ),
        )

    def _means(self, result: FlowResult) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the mean velocity at each sample, found and exact, over the speed."""
        y = (np.arange(self.scaling.cells) + 0.5) / self.scaling.cells
        steps = np.rint(result.series("time") / self.units.step) - 1.0
        means = result.series("mean_u") / (self.scaling.speed * self.units.velocity)
        return means, np.array([self.exact(y, step).mean() for step in steps])

    def picture(self, result: FlowResult, values: Values) -> FlowFigure:
        """Return the last profile and the mean velocity over the time, beside Womersley's."""
        cells, units = self.scaling.cells, self.units
        y = (np.arange(cells) + 0.5) / cells
        fine = np.linspace(0.0, 1.0, 101)
        means, exact_means = self._means(result)
        turns = result.series("time") / (units.step * 2.0 * pi / self._frequency)
        exact = Curve("Womersley", self.exact(fine, self.steps_done(result)), fine)
        panels = (
            Plot(
                "at the end",
                ("$u / U$", "$y / H$"),
                Curve("this run", self.profile(values), y),
                (exact,),
            ),
            Plot(
                "mean velocity",
                ("periods", "$u / U$"),
                Curve("this run", turns, means),
                (Curve("Womersley", turns, exact_means),),
            ),
        )
        plane = result.middle_plane(values, has_streamlines=False)
        title = f"oscillating channel, Womersley number {self.womersley:g}"
        return FlowFigure(title, plane, panels)
