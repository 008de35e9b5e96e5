"""The fluxes through the surface that follow from the atmosphere: their fields and steps."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import halocline as hc
from halocline.apps.ocean.physics.air_sea import Sky, exchange, of_highest
from halocline.apps.ocean.physics.bulk_formulae import Air
from halocline.apps.ocean.physics.radiation import sun_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from halocline.apps.ocean.setup.atmosphere import Atmosphere
    from halocline.apps.ocean.state.layers import LayerState
    from halocline.apps.ocean.state.surface import Surface
    from halocline.language.grids.fields import Field
    from halocline.language.steps.steps import Step

_DAY = 86400.0


class AirSea(NamedTuple):
    """Fluxes through the surface.

    Attributes:
        stress: Of the wind over the density of water, in cells, along x and y; empty for none
            [m²/s²].
        heat_flux: Heat that enters the highest layer; None for none [W/m²].
        sunlight: That enters the water; None for none [W/m²].
        pressure: Of the air; None where it is everywhere the same [Pa].
        evaporation: How fast it lowers the surface, beside the rain of the setup; None if it does
            not [m/s].
        steps: Bring them up to date.
    """

    stress: tuple[Field, ...]
    heat_flux: Field | None
    sunlight: Field | None
    pressure: Field | None
    evaporation: Field | None = None
    steps: tuple[Step, ...] = ()


def make_air_sea(
    surface: Surface,
    layers: LayerState,
    atmosphere: Atmosphere,
    given: Callable[[str, Any], Field],
) -> AirSea:
    """Return the fluxes through a surface.

    Args:
        surface: Of the water.
        layers: Of which the highest has the temperature of the surface.
        atmosphere: Over it.
        given: Returns a field of cells that has, or follows, what it is given.
    """

    def part(name: str, value: Any) -> Any:
        """Return a number, or a series of numbers, as it is, and a field of all else."""
        is_number = not value.shape if isinstance(value, hc.Series) else np.ndim(value) == 0
        return value if is_number or value is None else given(name, value)

    wind_x, wind_y = atmosphere.wind
    air = Air(
        part("wind_x_given", wind_x),
        part("wind_y_given", wind_y),
        part("air_temperature", atmosphere.temperature),
        part("humidity", atmosphere.humidity),
        part("pressure", atmosphere.pressure),
        atmosphere.wind_height,
        atmosphere.height,
    )
    begin = atmosphere.begin
    needs_place = atmosphere.needs_place
    latitude, longitude = _place(surface, atmosphere.place) if needs_place else (None, None)
    sky = Sky(
        sun_at(day_of(begin) + hc.time * (1.0 / _DAY)) if begin and atmosphere.needs_sun else None,
        latitude,
        longitude,
        part("cloud", atmosphere.cloud),
        part("sunlight_given", atmosphere.sunlight),
        part("long_waves", atmosphere.long_waves),
        atmosphere.albedo,
    )
    sea_temperature = surface.fields.surface("sea_temperature", unit="degC")
    names = ("stress_x", "stress_y", "heat_flux", "sunlight")
    stress_x, stress_y, heat_flux, light = (surface.fields.surface(name) for name in names)
    evaporation = surface.fields.surface("evaporation") if atmosphere.evaporates else None
    nx, ny, levels = surface.fields.grid.extent
    highest = hc.Box((0, 0, levels - 1), (nx, ny, levels))
    steps = (
        *of_highest(layers.tracers[0], start=0.0, end=sea_temperature, on=highest),
        exchange(
            *(stress_x, stress_y, heat_flux, light, sea_temperature),
            air=air,
            sky=sky,
            formula=atmosphere.formula,
            radiation=atmosphere.back_radiation,
            evaporation=evaporation,
        ),
    )
    is_field = isinstance(air.pressure, hc.Field)
    pressure = air.pressure if is_field else None
    return AirSea((stress_x, stress_y), heat_flux, light, pressure, evaporation, steps)


def day_of(date: datetime) -> float:
    """Return the day of the year, 1.0 as the first of January begins."""
    return 1.0 + (date - datetime(date.year, 1, 1, tzinfo=date.tzinfo)).total_seconds() / _DAY


def _place(surface: Surface, given: tuple[float, float] | None) -> tuple[Any, Any]:
    """Return latitude and longitude: numbers, fields, or expressions of the cell."""
    domain = surface.domain
    if given is not None:
        return given
    if domain.places is not None:
        names = ("longitude", "latitude")
        east, north = (
            surface.fields.surface(name, values=values)
            for name, values in zip(names, domain.places, strict=True)
        )
        return north, east
    longitude, latitude = (
        domain.origin[n] + (hc.index(axis) + 0.5) * domain.spacing[n] for n, axis in enumerate("xy")
    )
    return latitude, longitude
