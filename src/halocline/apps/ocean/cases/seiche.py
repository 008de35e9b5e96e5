"""A seiche: water that swings to and fro in a closed channel, without friction or rotation.

Its first mode has the period 2 L / sqrt(g H), and keeps its energy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import cos, pi, sqrt
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

import halocline as hc
from halocline.apps.case import ENDS
from halocline.apps.comparison import Comparison
from halocline.apps.ocean.cases.ocean_case import OceanCase
from halocline.apps.ocean.diagnostics.pictures import draw_surface
from halocline.apps.ocean.physics.constants import GRAVITY
from halocline.apps.ocean.physics.drag import LinearDrag
from halocline.apps.ocean.setup.domain import Domain
from halocline.apps.ocean.setup.setup import Setup
from halocline.errors import CaseError
from halocline.io.plots import Curve, Plot
from halocline.io.quantity import Integral
from halocline.language.numbers import Range

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.apps.ocean.cases.ocean_case import Draw, OceanResult
    from halocline.apps.ocean.model import Model
    from halocline.apps.sampled import Values
    from halocline.language.steps.steps import Step

# Cells across the channel.
_ACROSS = 3


@dataclass(frozen=True)
class Seiche(OceanCase):
    """Parameters of the first mode in a closed channel.

    Attributes:
        cells: Along the channel.
        length: Of the channel [m].
        water_depth: Below the mean level [m].
        amplitude: At the ends, at the beginning [m].
        periods: How many the run lasts.
    """

    name: ClassVar[str] = "seiche"
    share_of_longest: ClassVar[float] = 0.445

    micro_steps: Annotated[int, Range(least=1)] = 1
    cells: Annotated[int, Range(least=4)] = 100
    length: Annotated[float, Range(above=0.0)] = 100e3
    water_depth: Annotated[float, Range(above=0.0)] = 10.0
    amplitude: Annotated[float, Range(above=0.0)] = 0.01
    periods: Annotated[int, Range(least=2), ENDS] = 10

    @property
    def period(self) -> float:
        """Exact [s]."""
        return 2.0 * self.length / sqrt(GRAVITY * self.water_depth)

    @property
    def duration(self) -> float:
        """A crossing more than whole periods [s]."""
        return (self.periods + 0.3) * self.period

    @property
    def interval(self) -> int:
        """Each step is a sample: crossings of the mean level are to be found well."""
        return 1

    def check(self) -> None:
        """Raise a CaseError for what cannot be computed."""
        super().check()
        if self.amplitude > 0.1 * self.water_depth:
            raise CaseError(
                f"'amplitude' was given {self.amplitude:g} m in {self.water_depth:g} m of water; "
                "the exact period is that of small waves.",
                hint="Take a tenth of the depth at most.",
            )

    @property
    def x(self) -> NDArray[np.float64]:
        """Middles of the cells [m]."""
        return np.asarray((np.arange(self.cells) + 0.5) * (self.length / self.cells))

    @cached_property
    def setup(self) -> Setup:
        """A closed channel with a raised end."""
        width = self.length / self.cells
        mode = self.amplitude * np.cos(pi / self.length * self.x)
        return self.step_of(
            lambda step: Setup(
                Domain(np.full((self.cells, _ACROSS), self.water_depth), (width, width)),
                step,
                self.micro_steps,
                drag=LinearDrag(0.0),
                advection="none",
                drying_limiter=False,
                zeta=np.repeat(mode[:, np.newaxis], _ACROSS, axis=1),
                dtype=self.dtype,
            )
        )

    def diagnostics(self, model: Model) -> tuple[tuple[Step, ...], tuple[Integral, ...]]:
        """Return the amplitude of the mode."""
        shape = model.grid.field("mode", axes="xy", dtype=self.dtype)
        shape.set(np.repeat(np.cos(pi / self.length * self.x)[:, np.newaxis], _ACROSS, axis=1))
        share = 2.0 / (self.cells * _ACROSS)
        mode = Integral("mode", hc.sum(model.zeta * shape), share, "m", "amplitude of the mode")
        return (), (mode,)

    def found_period(self, result: OceanResult) -> float:
        """Return the mean time between upward crossings of the mean level [s]; NaN for none."""
        time, mode = result.series("time"), result.series("mode")
        rising = np.nonzero((mode[:-1] < 0.0) & (mode[1:] >= 0.0))[0]
        crossings = time[rising] + np.diff(time)[0] * mode[rising] / (
            mode[rising] - mode[rising + 1]
        )
        return float(np.diff(crossings).mean()) if len(crossings) > 1 else float("nan")

    def compare(self, result: OceanResult, values: Values) -> Sequence[Comparison]:
        """Return period, energy and volume."""
        # At a crest all the energy is potential.
        last = result.series("time") > result.series("time")[-1] - 0.5 * self.period
        crest = np.abs(result.series("mode")[last]).max() / self.amplitude
        return (
            Comparison("period [s]", self.found_period(result), self.period, "2 L / sqrt(g H)"),
            Comparison("energy at the last crest over the first", float(crest**2), 1.0, "exact"),
            Comparison("greatest change of the volume, relative", result.drift("volume")),
        )

    def figures(self, result: OceanResult, values: Values) -> Mapping[str, Draw]:
        """Return the surface at the end, and the amplitude in the course of time."""
        time, mode = result.series("time"), result.series("mode")
        exact = self.amplitude * np.cos(2.0 * pi * time / self.period)
        end = self.amplitude * cos(2.0 * pi * time[-1] / self.period)
        curves = (
            Plot(
                "amplitude of the mode",
                ("periods", "[m]"),
                Curve("this run", time / self.period, mode),
                (Curve("exact", time / self.period, exact),),
            ),
            Plot(
                "surface at the end",
                ("x [km]", "elevation [m]"),
                Curve("this run", self.x / 1e3, values["zeta"][:, 1]),
                (Curve("exact", self.x / 1e3, end * np.cos(pi * self.x / self.length)),),
            ),
        )
        title = f"seiche, {self.cells} cells, after {time[-1] / self.period:.3g} periods"
        surface = result.surface(title, values)
        return {"seiche.png": partial(draw_surface, surface, curves)}
