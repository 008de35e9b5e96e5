"""A stratified ocean: what a case says of layers, of temperature and of salinity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from halocline.apps.arguments import Needs
from halocline.apps.ocean.cases.layered_case import LayeringCase, MaybeLayeredCase
from halocline.apps.ocean.input.initial_file import FieldFile, Levels, read_profile
from halocline.apps.ocean.input.input_file import InputFile, Period
from halocline.apps.ocean.input.sea_file import TRACERS, read_columns, read_layer_currents
from halocline.apps.ocean.input.tracer_file import read_tracers
from halocline.apps.ocean.numerics.advection import Splitting
from halocline.apps.ocean.numerics.limiters import MomentumScheme, Scheme
from halocline.apps.ocean.physics.equation_of_state import REFERENCE_DENSITY, eos80
from halocline.apps.ocean.physics.relaxation import Relaxation
from halocline.apps.ocean.physics.surface_heat import WaterType
from halocline.apps.ocean.setup.setup import ModeSplitting, PressureGradient, Turbulence
from halocline.apps.ocean.state.layers import UNITS
from halocline.errors import CaseError
from halocline.language.numbers import Range

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.apps.ocean.input.sea_file import LevelsInTime
    from halocline.apps.ocean.setup.domain import Domain
    from halocline.apps.ocean.setup.tracers import Tracer

# What files call them.
_NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"temperature": ("temperature", "temp", "thetao"), "salinity": ("salinity", "salt", "so")}
)
_NETCDF = (".nc", ".nc4", ".cdf")
# What a Setup takes as it is, and refuses where it means nothing.
_OF_SETUP = (
    *("turbulence", "turbulence_advection", "turbulence_advection_splitting"),
    *("mixing", "mode_splitting", "scheme", "splitting", "pressure_gradient", "diffusivity"),
    *("sponge", "water_type"),
)


@dataclass(frozen=True)
class StratifiedCase(MaybeLayeredCase, LayeringCase):
    """Parameters of layers, and of the temperature and salinity of these.

    Attributes:
        turbulence: What mixes layers.
        turbulence_advection: Of 'k-epsilon' turbulence by the flow.
        turbulence_advection_splitting: How it is split along x, y and z.
        mixing: Viscosity and diffusivity of 'constant' turbulence; what is added to them else
            [m²/s].
        mode_splitting: What keeps waves of the surface stable beside layers: 'damped', or 'getm'
            for nothing.
        temperature: At the beginning: a number, a text file with lines 'height value' (height over
            the mean level, below 0), or NetCDF with 'temperature', 'temp' or 'thetao', axes (z, y,
            x) [degC].
        salinity: Likewise, in NetCDF 'salinity', 'salt' or 'so' [1e-3].
        interpolate_tracers: Whether NetCDF has these at other places than the cells.
        sea_temperature: Of water that comes in through open boundaries: a number, or NetCDF with
            'temp' of each of their cells, axes (time, point, depth) or (point, depth); without, as
            at the beginning [degC].
        sea_salinity: Likewise, in NetCDF 'salt' [1e-3].
        layer_current: Current of layers beyond open boundaries, NetCDF with the same axes: 'u' of
            cells in the west and east, 'v' of others [m/s].
        tracers: A Python file with passive tracers: a list 'tracers' of 'ocean.Tracer'.
        sponge: Over how many cells tracers, and currents of layers if given, are drawn to those of
            the sea beyond.
        relaxation: Shares of the sea's values that open cells take in a step, beside a sponge: as
            '0.25 0 0.02', the share where water enters, that where it leaves, and the speed of the
            inflow from which the first holds [m/s].
        scheme: Of the advection of tracers.
        splitting: How they are split along x, y and z.
        diffusivity: Horizontal eddy diffusivity of tracers [m²/s].
        pressure_gradient: How the density drives layers.
        heat_flux: That enters the highest layer [W/m²].
        sunlight: That enters the water and warms layers on its way down [W/m²].
        water_type: How clear the water is, by Jerlov.

    Example:
        >>> class Pool(ocean.StratifiedCase):
        ...     name, period, duration = "pool", 3600.0, 600.0
        ...     @property
        ...     def setup(self):
        ...         sea = ocean.Domain(np.full((8, 6), 20.0), spacing=(1e3, 1e3))
        ...         more = self.stratification(sea)
        ...         return self.step_of(lambda step: ocean.Setup(sea, step, **more))
        >>> Pool(layers=5, temperature="10", salinity="35").setup.temperature
        10.0
    """

    needs: ClassVar[Needs] = (
        ("layers", lambda case: case.layers > 0, ("layering", "zoom_bed", "zoom_surface")),
        *LayeringCase.needs,
        ("a temperature", lambda case: case.temperature is not None, ("interpolate_tracers",)),
    )

    turbulence: Turbulence = "k-epsilon"
    turbulence_advection: MomentumScheme = "none"
    turbulence_advection_splitting: Splitting = "unsplit"
    mixing: Annotated[float, Range(least=0.0)] = 0.0
    mode_splitting: ModeSplitting = "damped"
    temperature: str | None = None
    salinity: str | None = None
    interpolate_tracers: bool = False
    sea_temperature: str | None = None
    sea_salinity: str | None = None
    layer_current: str | None = None
    tracers: str | None = None
    sponge: Annotated[int, Range(least=0)] = 0
    relaxation: str | None = None
    scheme: Scheme = "P2_PDM"
    splitting: Splitting = "strang"
    diffusivity: Annotated[float, Range(least=0.0)] = 0.0
    pressure_gradient: PressureGradient = "jacobian"
    heat_flux: float = 0.0
    sunlight: Annotated[float, Range(least=0.0)] = 0.0
    water_type: WaterType = "I"

    def check(self) -> None:
        """Raise a CaseError for what cannot be computed."""
        present = [name for name in _NAMES if getattr(self, name) is not None]
        if len(present) == 1:
            raise CaseError(
                f"'{present[0]}' was given alone; expected temperature and salinity, of which the "
                "density follows, or neither."
            )
        super().check()

    def stratification(self, domain: Domain) -> dict[str, Any]:
        """Return the arguments of a Setup that describe layers.

        Raises:
            CaseError: A file cannot be read, or has something else.
        """
        arguments: dict[str, Any] = {name: getattr(self, name) for name in _OF_SETUP}
        arguments |= {name: getattr(self, name) or None for name in ("heat_flux", "sunlight")}
        arguments |= {f"sea_{name}": self._sea(name, domain) for name in _NAMES}
        arguments["layer_current"] = self._layer_current(domain)
        arguments["relaxation"] = self._relaxation
        arguments["tracers"] = self.passive_tracers
        if self.layers:
            arguments["layers"] = self.layering_of(domain)
        if self.temperature is not None:
            arguments |= {name: self._first(name, domain) for name in _NAMES}
            arguments["density"] = partial(eos80, reference=REFERENCE_DENSITY)
        return arguments

    @cached_property
    def passive_tracers(self) -> tuple[Tracer, ...]:
        """What the file of 'tracers' defines."""
        return () if self.tracers is None else read_tracers(Path(self.tracers))

    def points_in_files(self, domain: Domain) -> tuple[int, NDArray[np.intp]]:
        """Return how many points files of open boundaries have, and which are its open cells."""
        points = sum(line.cells()[0].size for line in domain.open)
        return points, np.arange(points)

    def _sea(self, name: str, domain: Domain) -> float | Levels | LevelsInTime | None:
        """Return a tracer of the sea beyond open boundaries."""
        text = getattr(self, f"sea_{name}")
        if text is None:
            return None
        try:
            return float(text)
        except ValueError:
            where = self._sea_file(f"sea_{name}", "a number, or ", domain)
        return read_columns(Path(text), TRACERS[name], *where)

    def _layer_current(self, domain: Domain) -> Levels | LevelsInTime | None:
        """Return the current of layers beyond open boundaries."""
        if self.layer_current is None:
            return None
        where = self._sea_file("layer_current", "", domain)
        return read_layer_currents(Path(self.layer_current), domain.open, *where)

    def _sea_file(
        self, key: str, instead: str, domain: Domain
    ) -> tuple[int, NDArray[np.intp], Period]:
        """Return how many points a file has, those of open cells, and the times of the run.

        Args:
            key: Of the parameter with the file.
            instead: What else the parameter may be, for messages.
            domain: Of the model.

        Raises:
            CaseError: The parameter is no file, or the run has no date.
        """
        text = getattr(self, key)
        if Path(text).suffix.lower() not in _NETCDF:
            raise CaseError(
                f"'{key}' was given '{text}'; expected {instead}NetCDF with a name that ends in "
                "'.nc'."
            )
        if self.date is None:
            raise CaseError(
                f"'{key}' was given the file '{text}', but the case '{self.name}' has no date at "
                "which it begins; expected no file."
            )
        return (*self.points_in_files(domain), Period(self.date, self.duration))

    @property
    def _relaxation(self) -> Relaxation | None:
        if self.relaxation is None:
            return None
        try:
            inflow, outflow, speed = map(float, self.relaxation.split())
        except ValueError:
            raise CaseError(
                f"'relaxation' was given '{self.relaxation}'; expected the share of the sea where "
                "water enters, the share where it leaves, and the speed of the inflow [m/s], as "
                "'0.25 0 0.02'."
            ) from None
        return Relaxation(inflow, outflow, speed)

    def _first(self, name: str, domain: Domain) -> float | Levels:
        """Return a tracer at the beginning."""
        text = str(getattr(self, name))
        try:
            return float(text)
        except ValueError:
            path = Path(text)
        if path.suffix.lower() not in _NETCDF:
            if not path.is_file():
                raise CaseError(
                    f"'{name}' was given '{text}'; expected a number, or a file: a profile as "
                    "text, or NetCDF with a name that ends in '.nc'."
                )
            return read_profile(path, UNITS[name])
        file = InputFile(path, name)
        called = next((n for n in _NAMES[name] if n in file), _NAMES[name][0])
        window = None if self.interpolate_tracers else (slice(None), slice(None))
        return FieldFile(path, called, UNITS[name], domain, window=window).read()
