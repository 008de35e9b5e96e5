"""The tidal box of Büchmann & Baasch-Larsen 2011: a Kelvin wave comes in, turns, and leaves.

A square of constant depth, closed but in the north, where the last row of cells is given an
elevation that oscillates. The wave goes along the west coast, turns at the south coast and leaves
along the east coast; in the middle an amphidrome forms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import hypot, pi, sqrt
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np

from halocline.apps.arguments import Needs
from halocline.apps.case import ENDS
from halocline.apps.comparison import Comparison
from halocline.apps.ocean.cases.layered_case import MaybeLayeredCase
from halocline.apps.ocean.cases.ocean_case import wave_of
from halocline.apps.ocean.diagnostics.harmonics import Window, amphidromes, phase
from halocline.apps.ocean.diagnostics.pictures import (
    Chart,
    draw_chart,
    draw_surface,
    map_of,
)
from halocline.apps.ocean.numerics.limiters import MomentumScheme
from halocline.apps.ocean.physics.constants import GRAVITY
from halocline.apps.ocean.physics.drag import LinearDrag, LogarithmicDrag
from halocline.apps.ocean.physics.tides import HOUR, Wave
from halocline.apps.ocean.setup.domain import Domain, OpenBoundary
from halocline.apps.ocean.setup.setup import Setup
from halocline.apps.ocean.setup.sigma import Sigma
from halocline.errors import CaseError
from halocline.io.plots import Curve, Plot
from halocline.language.numbers import Range

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.apps.ocean.cases.ocean_case import Draw, OceanResult
    from halocline.apps.sampled import Values

# Where elevations are told, over the length: corners, middles of the coasts, and the centre.
_POINTS: Mapping[str, tuple[float, float]] = {
    "south-west": (0.0, 0.0),
    "south": (0.5, 0.0),
    "south-east": (1.0, 0.0),
    "west": (0.0, 0.5),
    "centre": (0.5, 0.5),
    "east": (1.0, 0.5),
    "north-west": (0.0, 5.0 / 6.0),
    "north-east": (1.0, 5.0 / 6.0),
}


@dataclass(frozen=True)
class KelvinWave(MaybeLayeredCase):
    """Parameters of the tide in a box.

    Attributes:
        cells: Along each side.
        length: Of a side [m].
        water_depth: Below the mean level [m].
        f: Coriolis parameter, by default of 55.4 degrees north [1/s].
        amplitude: Of the elevation in the north [m].
        period_hours: Of the elevation in the north [h].
        periods: How many the run lasts.
        analysed: Of these the last so many are looked at by the harmonic analysis.
        ramp: In how many periods the elevation in the north grows from nothing.
        drag: Of the bed: 'logarithmic', or 'linear'.
        roughness: Length z0 of logarithmic drag [m].
        drag_rate: Stress over velocity of linear drag [m/s].
        advection: Of momentum.
        boundary: How the north takes what is given.
    """

    name: ClassVar[str] = "kelvin-wave"
    needs: ClassVar[Needs] = (
        ("logarithmic drag", lambda case: case.drag == "logarithmic", ("roughness",)),
        ("linear drag", lambda case: case.drag == "linear", ("drag_rate",)),
    )

    cells: Annotated[int, Range(least=8)] = 240
    length: Annotated[float, Range(above=0.0)] = 480e3
    water_depth: Annotated[float, Range(above=0.0)] = 60.0
    f: float = 1.2e-4
    amplitude: Annotated[float, Range(above=0.0)] = 0.5
    period_hours: Annotated[float, Range(above=0.0)] = 12.0
    periods: Annotated[int, Range(least=1), ENDS] = 20
    analysed: Annotated[int, Range(least=1)] = 1
    ramp: Annotated[float, Range(least=0.0)] = 1.0
    drag: Literal["logarithmic", "linear"] = "logarithmic"
    roughness: Annotated[float, Range(above=0.0)] = 1e-3
    drag_rate: Annotated[float, Range(least=0.0)] = 1e-3
    advection: MomentumScheme = "UPSTREAM"
    boundary: Literal["clamped", "flather"] = "clamped"

    @property
    def period(self) -> float:
        """Of the elevation in the north [s]."""
        return self.period_hours * HOUR

    @property
    def duration(self) -> float:
        """How long the run lasts [s]."""
        return self.periods * self.period

    @property
    def frequency(self) -> float:
        """Of the elevation in the north [rad/s]."""
        return 2.0 * pi / self.period

    @property
    def speed(self) -> float:
        """Of long waves [m/s]."""
        return sqrt(GRAVITY * self.water_depth)

    def check(self) -> None:
        """Raise a CaseError for what cannot be computed."""
        super().check()
        if self.amplitude > 0.5 * self.water_depth:
            raise CaseError(
                f"'amplitude' was given {self.amplitude:g} m in {self.water_depth:g} m of water.",
                hint="Take half of the depth at most: here nothing falls dry.",
            )
        if self.periods < self.analysed:
            raise CaseError(
                f"The last {self.analysed} periods are to be analysed, but the run lasts "
                f"{self.periods}.",
                hint="Raise 'periods', or lower 'analysed'.",
            )

    def describe(self) -> str:
        """Return the parameters and what follows from them, as text."""
        text = (
            f"{super().describe()}\n"
            f"long waves {self.speed:.4g} m/s, {self.speed * self.period / 1e3:.4g} km long"
        )
        if not self.f:
            return text
        cutoff = 2.0 * pi / hypot(self.f, self.speed * pi / self.length) / HOUR
        return (
            f"{text}; Rossby radius {self.speed / abs(self.f) / 1e3:.4g} km; waves other than "
            f"Kelvin's need periods below {cutoff:.3g} hours"
        )

    @property
    def domain(self) -> Domain:
        """The box, with its open row of cells in the north."""
        n = self.cells
        return Domain(
            np.full((n, n), self.water_depth),
            (self.length / n,) * 2,
            f=self.f,
            open=(OpenBoundary("north", n - 1, 0, n - 1),),
        )

    @cached_property
    def setup(self) -> Setup:
        """The box and its tide."""
        drag = {
            "logarithmic": LogarithmicDrag(self.roughness),
            "linear": LinearDrag(self.drag_rate),
        }[self.drag]
        return self.step_of(
            lambda step: Setup(
                self.domain,
                step,
                self.micro_steps,
                drag=drag,
                drying_limiter=False,
                advection=self.advection,
                tide=(Wave(self.frequency, self.amplitude),),
                open_kind=self.boundary,
                ramp=self.ramp * self.period,
                layers=Sigma(self.layers) if self.layers else None,
                dtype=self.dtype,
            )
        )

    @cached_property
    def window(self) -> Window:
        """The wave that comes in."""
        steps = max(1, round(self.analysed * self.period / self.macro_step))
        return Window({"tide": self.frequency}, steps, self.macro_step)

    def at(self, values: NDArray[np.complex128], point: tuple[float, float]) -> complex:
        """Return a value of the cell at a place, given over the length."""
        i, j = (min(int(part * self.cells), self.cells - 1) for part in point)
        return complex(values[i, j])

    def compare(self, result: OceanResult, values: Values) -> Sequence[object]:
        """Return the tide at some points, where there is none, energy and volume."""
        wave = wave_of(values, "tide")
        tides = (self.at(wave, point) for point in _POINTS.values())
        lines = [
            f"{name:10s}  amplitude {abs(tide):.4f} m  phase lag {phase(tide):6.1f} degrees"
            for name, tide in zip(_POINTS, tides, strict=True)
        ]
        where = map_of(self.setup.domain)
        points = [
            f"amphidrome at {point.x:.1f} km, {point.y:.1f} km"
            for point in amphidromes(wave, where.x, where.y)
        ]
        volume = result.series("volume")
        return (
            *lines,
            *(points or ["no amphidrome"]),
            Comparison("energy at the end [J]", float(result.series("energy")[-1])),
            Comparison("volume at the end over that at rest", float(volume[-1] / volume[0])),
        )

    def figures(self, result: OceanResult, values: Values) -> Mapping[str, Draw]:
        """Return the co-tidal chart, and the surface at the end."""
        where, wave = map_of(self.setup.domain), wave_of(values, "tide")
        title = f"tide in a box, {self.cells} x {self.cells} cells, {self.periods} periods"
        chart = Chart(title, where, wave, amphidromes(wave, where.x, where.y))
        time = result.series("time") / self.period
        curves = (
            Plot("energy", ("periods", "[J]"), Curve("this run", time, result.series("energy"))),
        )
        return {
            "cotidal.png": partial(draw_chart, chart),
            "elevation.png": partial(draw_surface, result.surface(title, values), curves),
        }
