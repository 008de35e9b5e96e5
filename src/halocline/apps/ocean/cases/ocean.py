"""An ocean from files: its bathymetry, the sea beyond its boundaries and the weather, or GETM's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from msgspec.structs import replace

from halocline.apps.arguments import Needs
from halocline.apps.case import ENDS
from halocline.apps.comparison import Comparison
from halocline.apps.ocean.cases.stratified_case import StratifiedCase
from halocline.apps.ocean.diagnostics.pictures import draw_surface
from halocline.apps.ocean.input.atmosphere_file import atmosphere_of, read_fluxes
from halocline.apps.ocean.input.bathymetry_file import Bathymetry, read_bathymetry
from halocline.apps.ocean.input.boundary_file import (
    read_currents,
    read_lines,
    read_rows,
    wet_parts,
)
from halocline.apps.ocean.input.getm.setup import Reading, read_getm_folder
from halocline.apps.ocean.input.input_file import Period, read_date
from halocline.apps.ocean.input.weather_file import WeatherFiles, WindDrag
from halocline.apps.ocean.input.what_was_read import what_was_read
from halocline.apps.ocean.numerics.advection import Splitting
from halocline.apps.ocean.numerics.limiters import MomentumScheme
from halocline.apps.ocean.physics.drag import LinearDrag, LogarithmicDrag
from halocline.apps.ocean.physics.drying import Drying
from halocline.apps.ocean.physics.equation_of_state import REFERENCE_DENSITY
from halocline.apps.ocean.physics.radiation import BackRadiation
from halocline.apps.ocean.physics.tides import HOUR, Wave, frequency
from halocline.apps.ocean.setup.domain import Domain, OpenBoundary, OpenKind, coriolis
from halocline.apps.ocean.setup.limits import Limits
from halocline.apps.ocean.setup.rivers import River
from halocline.apps.ocean.setup.setup import Setup
from halocline.apps.ocean.state.layers import UNITS
from halocline.errors import CaseError
from halocline.language.numbers import Range
from halocline.options import options_of

if TYPE_CHECKING:
    from datetime import datetime

    from numpy.typing import NDArray

    from halocline.apps.ocean.cases.ocean_case import Draw, OceanResult
    from halocline.apps.sampled import Values

# What may differ from its default beside a folder of GETM, which says all else.
_BESIDE_GETM = ("getm", "dtype", "fields", "variable_names", "tracers")
_USUAL_LATITUDE = 45.0


@dataclass(frozen=True)
class Ocean(StratifiedCase):
    """Parameters of an ocean from files.

    Attributes:
        getm: A folder with 'getm.inp' of GETM, which says everything; instead of a bathymetry.
        bathymetry: NetCDF with 'bathymetry' or 'depth', or 'elevation' [m], axes (y, x) or (lat,
            lon), evenly spaced.
        begin: Date and time.
        hours: How long the run lasts.
        latitude: That of the Coriolis parameter and the sun, if axes are in metres; 45 for the
            former if nothing is said [degrees].
        longitude: That of the sun, if axes are in metres [degrees].
        open: Open boundaries: a side as 'north', or a line of cells counted from 0 as
            'north INDEX FIRST LAST'; what is land there is left out.
        open_kind: How these take the elevation of the sea beyond.
        constituents: Of the tide there, as 'M2 0.5 30': amplitude [m] and phase [degrees] of a
            wave A cos(omega t - phase), t since the begin.
        boundary: NetCDF with 'elev' [m] of each cell of the open boundaries, axes (time, point).
            With 'flather' also 'u' of cells in the west and east, 'v' of others, if given [m/s].
        ramp_hours: In which the elevation and current there grow from nothing.
        weather: NetCDF with the wind, 'u10' and 'v10' [m/s], and maybe 'slp' or 'msl' [Pa], axes
            (time, y, x); may be repeated, one file after the other.
        interpolate_weather: Whether it is given at other longitudes and latitudes than the cells.
        fluxes: What follows from 'weather': stress by 'wind_drag' alone; stress, heat and sunlight
            by the formulae 'coare' or 'kondo', see 'read_atmosphere'; or 'given', which are
            'tausx', 'tausy' [N/m²], 'shf' and 'swr' [W/m²] in the files.
        wind_drag: How the coefficient depends on the wind.
        back_radiation: Formula of long waves, where files have none.
        albedo: Share of the sunlight that the surface reflects; without it that of the sun's
            height.
        wind_height: In which the wind was measured [m].
        air_height: In which temperature and humidity of the air were [m].
        stress_x: Of a constant wind, along x [N/m²].
        stress_y: Along y.
        rain: Fresh water that falls, less what evaporates [m/s].
        rivers: As '30 5 300', or '30 5 300 8 0 dye=1': cell along x and y, counted from 0,
            discharge [m³/s], and maybe temperature [degC] and salinity [1e-3], and tracers by name;
            may be repeated.
        roughness: Length z0 of the bed [m].
        linear_drag: Stress over velocity, instead of what follows from the roughness [m/s].
        least_depth: No water is shallower [m].
        critical_depth: In shallower water the drying begins to act [m].
        advection: Of momentum.
        advection_splitting: How it is split along x, y and z.
        viscosity: Horizontal eddy viscosity [m²/s].
        level: Elevation at the beginning [m].
        elevation_limits: Lowest and highest elevation; beyond them the run fails, here and below,
            see 'Limits' [m].
        velocity_limits: Of each component of the current [m/s].
        temperature_limits: Lowest and highest [degC].
        salinity_limits: Lowest and highest [1e-3].
    """

    name: ClassVar[str] = "ocean"
    needs: ClassVar[Needs] = (
        *StratifiedCase.needs,
        ("an open boundary", lambda case: bool(case.open), ("boundary", "constituents")),
        (
            "'weather'",
            lambda case: bool(case.weather),
            ("interpolate_weather", "fluxes", "wind_drag"),
        ),
        ("a temperature", lambda case: case.temperature is not None, ("fluxes",)),
        (
            "'fluxes' 'wind'",
            lambda case: case.fluxes == "wind",
            ("wind_drag", "heat_flux", "sunlight"),
        ),
        (
            "'fluxes' 'coare' or 'kondo'",
            lambda case: case.fluxes in ("coare", "kondo"),
            ("back_radiation", "albedo", "wind_height", "air_height", "longitude"),
        ),
        ("logarithmic drag", lambda case: case.linear_drag is None, ("roughness",)),
    )

    getm: str | None = None
    bathymetry: str | None = None
    begin: str = "2000-01-01 00:00:00"
    hours: Annotated[float, Range(above=0.0), ENDS] = 24.0
    latitude: Annotated[float | None, Range(least=-90.0, most=90.0)] = None
    longitude: Annotated[float | None, Range(least=-360.0, most=360.0)] = None
    open: list[str] | None = None
    open_kind: OpenKind = "clamped"
    constituents: list[str] | None = None
    boundary: str | None = None
    ramp_hours: Annotated[float, Range(least=0.0)] = 0.0
    weather: list[str] | None = None
    interpolate_weather: bool = False
    fluxes: Literal["wind", "coare", "kondo", "given"] = "wind"
    wind_drag: WindDrag = "smith-banke"
    back_radiation: BackRadiation = "clark"
    albedo: Annotated[float | None, Range(least=0.0, most=1.0)] = None
    wind_height: Annotated[float, Range(above=0.0)] = 10.0
    air_height: Annotated[float, Range(above=0.0)] = 2.0
    stress_x: float = 0.0
    stress_y: float = 0.0
    rain: float = 0.0
    rivers: list[str] | None = None
    roughness: Annotated[float, Range(above=0.0)] = 1e-3
    linear_drag: Annotated[float | None, Range(least=0.0)] = None
    least_depth: Annotated[float, Range(above=0.0)] = 0.05
    critical_depth: Annotated[float, Range(above=0.0)] = 0.2
    advection: MomentumScheme = "UPSTREAM"
    advection_splitting: Splitting = "unsplit"
    viscosity: Annotated[float, Range(least=0.0)] = 0.0
    level: float = 0.0
    elevation_limits: str = "-20 20"
    velocity_limits: str = "-20 20"
    temperature_limits: str = "-10 60"
    salinity_limits: str = "-5 400"

    def check(self) -> None:
        """Raise a CaseError for what cannot be computed."""
        if (self.getm is None) == (self.bathymetry is None):
            raise CaseError(
                "An ocean needs either 'getm', a folder of GETM, or 'bathymetry', a NetCDF file; "
                f"{'neither' if self.getm is None else 'both'} were given."
            )
        if self.getm is not None:
            self._check_beside_getm()
        if self.critical_depth <= self.least_depth:
            raise CaseError(
                f"'critical_depth' was given {self.critical_depth:g} m; expected more than "
                f"'least_depth', {self.least_depth:g} m."
            )
        super().check()

    def _check_beside_getm(self) -> None:
        """Refuse options beside a folder that says the same."""
        options = options_of(type(self))
        for key, value in self.parameter_values.items():
            if key not in _BESIDE_GETM and value != options[key].default:
                raise CaseError(
                    f"'{key}' was given beside 'getm'; the folder '{self.getm}' says it.",
                    hint="Change its files.",
                )

    @cached_property
    def _reading(self) -> Reading:
        """What the folder of GETM says."""
        return read_getm_folder(Path(str(self.getm)))

    @property
    def date(self) -> datetime:
        """Date and time at which the run begins."""
        if self.getm is None:
            return read_date(self.begin, "'begin'")
        return self._reading.period.start

    @property
    def duration(self) -> float:
        """How long the run lasts [s]."""
        return self.hours * HOUR if self.getm is None else self._reading.period.duration

    @property
    def period(self) -> float:
        """Of samples: the whole run [s]."""
        return self.duration

    @cached_property
    def setup(self) -> Setup:
        """What the files say."""
        if self.getm is not None:
            read = self._reading.setup
            return replace(read, dtype=self.dtype, tracers=self.passive_tracers)
        parts = self._parts()
        return self.step_of(lambda step: Setup(micro_step=step, **parts))

    @cached_property
    def _bathymetry(self) -> Bathymetry:
        return read_bathymetry(Path(str(self.bathymetry)))

    @property
    def _f(self) -> float:
        """The Coriolis parameter of a plane; 0 of a sphere, which has its own [1/s]."""
        if not self._bathymetry.has_latitudes:
            return float(coriolis(_USUAL_LATITUDE if self.latitude is None else self.latitude))
        for name in ("latitude", "longitude"):
            if (given := getattr(self, name)) is not None:
                raise CaseError(
                    f"'{name}' was given {given:g}, but '{self.bathymetry}' has longitudes and "
                    "latitudes.",
                    hint="Leave it out: each cell has its own.",
                )
        return 0.0

    def _parts(self) -> dict[str, Any]:
        """Return all of the setup but the micro step."""
        period = Period(self.date, self.duration)
        bathymetry = self._bathymetry
        open_parts, points, numbers = self._open
        elevation = current = None
        if self.boundary:
            path = Path(self.boundary)
            elevation = read_rows(path, "elev", "m", points, numbers, period)
            if self.open_kind == "flather":
                everywhere = np.ones(numbers.size, bool)
                current = read_currents(path, open_parts, points, numbers, period, everywhere)
        domain = bathymetry.domain(f=self._f, open=open_parts)
        return {
            **self.stratification(domain),
            **self._weather(domain, period),
            "domain": domain,
            "micro_steps": self.micro_steps,
            "rain": self.rain or None,
            "rivers": tuple(map(_river, self.rivers or ())),
            "drag": self._drag,
            "drying": Drying(self.least_depth, self.critical_depth),
            "advection": self.advection,
            "advection_splitting": self.advection_splitting,
            "viscosity": self.viscosity,
            "tide": tuple(map(_wave, self.constituents or ())),
            "elevation": elevation,
            "current": current,
            "open_kind": self.open_kind,
            "ramp": self.ramp_hours * HOUR,
            "zeta": self.level,
            "limits": self._limits,
            "dtype": self.dtype,
        }

    @cached_property
    def _open(self) -> tuple[tuple[OpenBoundary, ...], int, NDArray[np.intp]]:
        """Parts of the open lines that are water; all cells of lines; which of them are water."""
        is_wet = np.isfinite(self._bathymetry.depth)
        lines = read_lines(self.open or (), is_wet.shape)
        parts, numbers = wet_parts(lines, is_wet)
        return parts, sum(line.cells()[0].size for line in lines), numbers

    def points_in_files(self, domain: Domain) -> tuple[int, NDArray[np.intp]]:
        """Return how many cells the open lines have, land too, and which of them are water."""
        return self._open[1:]

    @property
    def _limits(self) -> Limits:
        names = ("elevation", "velocity", "temperature", "salinity")
        return Limits(**{name: self._interval(f"{name}_limits") for name in names})

    def _interval(self, key: str) -> tuple[float, float]:
        """Return the two numbers of a parameter as '-4 4'."""
        text = getattr(self, key)
        try:
            low, high = map(float, text.split())
        except ValueError:
            raise CaseError(
                f"'{key}' was given '{text}'; expected the lowest value and the highest, as '-4 4'."
            ) from None
        return low, high

    @property
    def _drag(self) -> LinearDrag | LogarithmicDrag:
        if self.linear_drag is not None:
            return LinearDrag(self.linear_drag)
        return LogarithmicDrag(self.roughness)

    def _weather(self, domain: Domain, period: Period) -> dict[str, Any]:
        """Return what the wind and the air do to the surface."""
        constant = (self.stress_x, self.stress_y)
        if self.weather:
            if any(constant):
                raise CaseError(
                    "'stress_x' or 'stress_y' were given beside 'weather'; expected one of them."
                )
            files = WeatherFiles(
                list(map(Path, self.weather)),
                domain,
                period,
                is_on_grid=not self.interpolate_weather,
                drag=None if self.fluxes == "given" else self.wind_drag,
            )
            return self._fluxes(files)
        if any(constant):
            return {"stress": tuple(part / REFERENCE_DENSITY for part in constant)}
        return {}

    def _fluxes(self, files: WeatherFiles) -> dict[str, Any]:
        """Return what follows from files with the weather."""
        if self.fluxes in ("coare", "kondo"):
            place = (self.latitude, self.longitude)
            options = {
                "formula": self.fluxes,
                "back_radiation": self.back_radiation,
                "albedo": self.albedo,
                "wind_height": self.wind_height,
                "height": self.air_height,
                "place": None if None in place else place,
            }
            return {"atmosphere": atmosphere_of(files, **options)}
        weather = files.read()
        heat = read_fluxes(files) if self.fluxes == "given" else {}
        return {"stress": weather.stress, "pressure": weather.pressure, **heat}

    def describe(self) -> str:
        """Return the parameters and what follows from them, as text."""
        lines = [super().describe()]
        if self.getm is not None:
            reading = self._reading
            lines.append(f"GETM: {reading.title}, {reading.period.start} to {reading.period.stop}")
        remarks = (self._bathymetry if self.getm is None else self._reading).remarks
        return "\n".join([*lines, what_was_read(self.setup, self.date, remarks)])

    def compare(self, result: OceanResult, values: Values) -> Sequence[Comparison]:
        """Return extremes at the end, and by how much the volume has changed."""
        zeta, speed = values["zeta"], np.hypot(values["u"], values["v"])
        return (
            Comparison("lowest elevation at the end [m]", float(np.nanmin(zeta))),
            Comparison("highest elevation at the end [m]", float(np.nanmax(zeta))),
            Comparison("fastest current at the end [m/s]", float(np.nanmax(speed))),
            *(
                Comparison(f"{which} {name} at the end [{unit}]", float(extreme(values[name])))
                for name, unit in self._units.items()
                if name in values
                for which, extreme in (("lowest", np.nanmin), ("highest", np.nanmax))
            ),
            Comparison("greatest change of the volume, relative", result.drift("volume")),
        )

    @property
    def _units(self) -> dict[str, str]:
        """Units of all tracers that the ocean may have, by name."""
        return {**UNITS, **{tracer.name: tracer.unit for tracer in self.setup.tracers}}

    def figures(self, result: OceanResult, values: Values) -> Mapping[str, Draw]:
        """Return elevation and current at the end."""
        hours = result.step * self.macro_step / HOUR
        surface = result.surface(f"elevation and current after {hours:.5g} hours", values)
        return {"ocean.png": partial(draw_surface, surface, ())}


def _wave(text: str) -> Wave:
    """Return the wave of a text as 'M2 0.5 30'."""
    name, *numbers = text.split()
    try:
        amplitude, phase = map(float, numbers)
    except ValueError:
        raise CaseError(
            f"The constituent '{text}' was given; expected its name, amplitude [m] and phase "
            "[degrees], as 'M2 0.5 30'."
        ) from None
    return Wave(frequency(name), amplitude, float(np.radians(phase)))


def _river(text: str) -> River:
    """Return the river of a text as '30 5 300', or '30 5 300 8 0 dye=1'."""
    try:
        i, j, *words = text.split()
        pairs = [word.split("=") for word in words if "=" in word]
        passive = {name: float(value) for name, value in pairs}
        flow, *water = (float(word) for word in words if "=" not in word)
        temperature, salinity = water or (None, None)
        return River((int(i), int(j)), flow, temperature, salinity, passive)
    except ValueError:
        raise CaseError(
            f"The river '{text}' was given; expected its cell along x and y, counted from 0, and "
            "its discharge [m³/s], as '30 5 300'. Temperature [degC] and salinity [1e-3] may "
            "follow, as in '30 5 300 8 0', and tracers by name, as 'dye=1'."
        ) from None
