"""The tide of the North Sea and the Channel over real depths, driven by gauges at its edges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import pi
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np

from halocline.apps.case import ENDS
from halocline.apps.comparison import Comparison
from halocline.apps.ocean.cases.north_sea_data import (
    CONSTITUENTS,
    centres,
    gauges,
    north_sea,
    tides,
)
from halocline.apps.ocean.cases.ocean_case import OceanCase, wave_of
from halocline.apps.ocean.diagnostics.harmonics import Window, amphidromes, phase
from halocline.apps.ocean.diagnostics.pictures import (
    Chart,
    draw_chart,
    draw_surface,
    map_of,
)
from halocline.apps.ocean.numerics.limiters import MomentumScheme
from halocline.apps.ocean.numerics.metric import EARTH_RADIUS
from halocline.apps.ocean.physics.drag import LogarithmicDrag
from halocline.apps.ocean.physics.tides import frequency
from halocline.apps.ocean.setup.setup import Setup
from halocline.errors import CaseError, nearest
from halocline.io.plots import Curve, Plot
from halocline.language.numbers import Range
from halocline.options import Check

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.apps.ocean.cases.north_sea_data import Gauge
    from halocline.apps.ocean.cases.ocean_case import Draw, OceanResult
    from halocline.apps.ocean.setup.domain import Domain
    from halocline.apps.sampled import Values

# Amphidromes of M2 on co-tidal charts since Proudman & Doodson 1924 (Phil. Trans. R. Soc. A 224,
# 185), to about half a degree: name, longitude, latitude. The last one may lie on land.
_CHARTED = (
    ("Southern Bight", 3.0, 52.5),
    ("west of Jutland", 5.5, 55.5),
    ("off Norway", 5.0, 58.5),
)


def names_of(text: str) -> tuple[str, ...]:
    """Return the constituents that a text names, as 'M2,S2'.

    Raises:
        CaseError: One is unknown here, or named twice.
    """
    names = tuple(name.strip().upper() for name in text.split(","))
    for name in names:
        if name not in CONSTITUENTS:
            raise CaseError(
                f"'constituents' has '{name}'; expected some of {', '.join(CONSTITUENTS)}.",
                hint=nearest(name, CONSTITUENTS),
            )
    if len(set(names)) < len(names):
        raise CaseError(f"'constituents' was given '{text}'; expected each one once.")
    return names


@dataclass(frozen=True)
class NorthSea(OceanCase):
    """Parameters of the tide of the North Sea.

    Attributes:
        minutes: Width of a cell [arc minutes]; 5 as in the bathymetry.
        deeper: Added to depths [m]; those of the bathymetry count from low water, and are 2.7 m
            less than a survey of the Dutch shelf found.
        least_depth: What is shallower then is made so deep [m].
        constituents: Of the tide, separated by commas: M2, S2, N2, K1, O1.
        periods: How many of the first constituent the run lasts.
        analysed: Of these the last so many are looked at by the harmonic analysis.
        ramp: In how many periods the tide grows from nothing.
        roughness: Length z0 of the bed [m].
        advection: Of momentum.
    """

    name: ClassVar[str] = "north-sea"

    minutes: Literal[5, 10, 15, 20] = 5
    deeper: Annotated[float, Range(least=-10.0, most=100.0)] = 2.7
    least_depth: Annotated[float, Range(least=1.0)] = 10.0
    constituents: Annotated[str, Check(names_of)] = "M2"
    periods: Annotated[int, Range(least=1), ENDS] = 12
    analysed: Annotated[int, Range(least=1)] = 2
    ramp: Annotated[float, Range(least=0.0)] = 2.0
    roughness: Annotated[float, Range(above=0.0)] = 1e-3
    advection: MomentumScheme = "UPSTREAM"

    @property
    def names(self) -> tuple[str, ...]:
        """The constituents."""
        return names_of(self.constituents)

    @property
    def period(self) -> float:
        """Of the first constituent [s]."""
        return 2.0 * pi / frequency(self.names[0])

    @property
    def duration(self) -> float:
        """How long the run lasts [s]."""
        return self.periods * self.period

    def check(self) -> None:
        """Raise a CaseError for what cannot be computed."""
        super().check()
        if self.periods < self.analysed:
            raise CaseError(
                f"The last {self.analysed} periods are to be analysed, but the run lasts "
                f"{self.periods}.",
                hint="Raise 'periods', or lower 'analysed'.",
            )

    @property
    def domain(self) -> Domain:
        """The sea."""
        return north_sea(self.minutes, self.deeper, self.least_depth)

    @cached_property
    def setup(self) -> Setup:
        """The sea and its tide."""
        return self.step_of(
            lambda step: Setup(
                self.domain,
                step,
                self.micro_steps,
                drag=LogarithmicDrag(self.roughness),
                advection=self.advection,
                tide=tides(self.domain, self.names),
                ramp=self.ramp * self.period,
                dtype=self.dtype,
            )
        )

    @cached_property
    def window(self) -> Window:
        """The constituents of the tide."""
        steps = max(1, round(self.analysed * self.period / self.macro_step))
        return Window({name: frequency(name) for name in self.names}, steps, self.macro_step)

    def cell_of(self, gauge: Gauge) -> tuple[int, int]:
        """Return the cell of water that is nearest to a gauge."""
        x, y = centres(self.domain)
        away = _apart(gauge.longitude, gauge.latitude, x[:, np.newaxis], y[np.newaxis, :])
        i, j = np.unravel_index(np.where(self.domain.is_wet, away, np.inf).argmin(), away.shape)
        return int(i), int(j)

    def compare(self, result: OceanResult, values: Values) -> Sequence[object]:
        """Return the tide at gauges beside what was measured there, and amphidromes of M2."""
        lines: list[object] = []
        for name in self.names:
            lines += self._at_gauges(name, wave_of(values, name))
        if "M2" in self.names:
            lines += self._amphidromes(wave_of(values, "M2"))
        return (*lines, Comparison("energy at the end [J]", float(result.series("energy")[-1])))

    def _at_gauges(self, name: str, wave: NDArray[np.complex128]) -> list[object]:
        lines: list[object] = []
        misses, amplitudes = [], []
        for gauge in gauges("gauge").values():
            computed, measured = complex(wave[self.cell_of(gauge)]), gauge.constants[name]
            misses.append(abs(computed - measured))
            amplitudes.append(abs(measured))
            lines.append(
                f"{name} at {gauge.place:10s} {abs(computed):.3f} m {phase(computed):5.1f} "
                f"degrees, measured {abs(measured):.3f} m {phase(measured):5.1f} degrees"
            )
        share = float(np.sqrt(np.mean(np.square(misses)) / np.mean(np.square(amplitudes))))
        return [
            *lines,
            Comparison(f"RMS difference of {name} over RMS of what was measured", share),
        ]

    def _amphidromes(self, wave: NDArray[np.complex128]) -> list[object]:
        computed = amphidromes(wave, *centres(self.domain))
        lines: list[object] = [
            f"amphidrome of M2 at {point.x:.2f} E {point.y:.2f} N" for point in computed
        ]
        for name, x, y in _CHARTED:
            away = min((float(_apart(p.x, p.y, x, y)) for p in computed), default=float("nan"))
            lines.append(
                f"amphidrome {name}, {x:g} E {y:g} N on charts: one {away / 1e3:.0f} km away"
            )
        return lines

    def figures(self, result: OceanResult, values: Values) -> Mapping[str, Draw]:
        """Return a co-tidal chart of each constituent, and the surface at the end."""
        where = map_of(self.domain)
        charted = Curve("on charts", *(np.array([p[n] for p in _CHARTED]) for n in (1, 2)))
        drawn: dict[str, Draw] = {}
        for name in self.names:
            wave = wave_of(values, name)
            points = amphidromes(wave, where.x, where.y)
            references = (charted,) if name == "M2" else ()
            chart = Chart(f"{name} tide of the North Sea", where, wave, points, references)
            drawn[f"cotidal_{name}.png"] = partial(draw_chart, chart)
        time = result.series("time") / self.period
        title = f"North Sea after {time[-1]:.4g} periods of {self.names[0]}"
        energy = Curve("this run", time, result.series("energy"))
        curves = (Plot("energy", ("periods", "[J]"), energy),)
        return {
            **drawn,
            "elevation.png": partial(draw_surface, result.surface(title, values), curves),
        }


def _apart(x: float, y: float, other_x: Any, other_y: Any) -> NDArray[np.float64]:
    """Return how far places near another one are from it, all given in degrees [m]."""
    middle = np.radians(0.5 * (y + other_y))
    east, north = np.radians(other_x - x) * np.cos(middle), np.radians(other_y - y)
    return np.asarray(EARTH_RADIUS * np.hypot(east, north))
