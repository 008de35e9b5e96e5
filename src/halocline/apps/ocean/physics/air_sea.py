"""The surface between air and water: what passes through it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import halocline as hc
from halocline.apps.ocean.physics.bulk_formulae import turbulent_fluxes
from halocline.apps.ocean.physics.equation_of_state import REFERENCE_DENSITY
from halocline.apps.ocean.physics.moist_air import evaporated
from halocline.apps.ocean.physics.radiation import (
    Place,
    back_radiation,
    long_wave_balance,
    payne_albedo,
    sunlight,
)

if TYPE_CHECKING:
    from halocline.apps.ocean.physics.bulk_formulae import Air, BulkFormula
    from halocline.apps.ocean.physics.radiation import BackRadiation, Sun


class Sky(NamedTuple):
    """What radiation depends on.

    Attributes:
        sun: Where it is; None if that does not matter.
        latitude: None if it does not matter [degrees].
        longitude: Likewise [degrees].
        cloud: Share of the sky.
        sunlight: That reaches the surface; None to compute it [W/m²].
        long_waves: That reach the surface; None to compute them [W/m²].
        albedo: Share of sunlight that is reflected; None to compute it.
    """

    sun: Sun | None
    latitude: Any
    longitude: Any
    cloud: Any
    sunlight: Any
    long_waves: Any
    albedo: float | None


@hc.sweep("z+")
def of_highest(below: Any, tracer: Any) -> Any:
    """Return a tracer of the highest layer, on which this is to run.

    Args:
        below: Not used.
        tracer: Of layers.
    """
    del below
    return tracer


@hc.kernel
def exchange(
    stress_x: Any,
    stress_y: Any,
    heat_flux: Any,
    light: Any,
    sea_temperature: Any,
    *,
    air: Air,
    sky: Sky,
    formula: BulkFormula,
    radiation: BackRadiation,
    evaporation: Any = None,
) -> None:
    """Find what passes through the surface.

    Args:
        stress_x: Gets the stress over the density of water, along x [m²/s²].
        stress_y: Along y [m²/s²].
        heat_flux: Gets the heat that enters the highest layer [W/m²].
        light: Gets the sunlight that enters the water [W/m²].
        sea_temperature: Of the surface [degC].
        air: Over the water.
        sky: Over the air.
        formula: Of turbulent fluxes.
        radiation: Formula of long waves.
        evaporation: Gets how fast evaporation lowers the surface; None if it does not [m/s].
    """
    fluxes = turbulent_fluxes(sea_temperature, air, formula)
    stress_x[...] = fluxes.stress_x * (1.0 / REFERENCE_DENSITY)
    stress_y[...] = fluxes.stress_y * (1.0 / REFERENCE_DENSITY)
    if sky.long_waves is not None:
        leaving = long_wave_balance(sea_temperature, sky.long_waves)
    else:
        leaving = back_radiation(sea_temperature, air, sky.cloud, sky.latitude, radiation)
    heat_flux[...] = -(fluxes.sensible + fluxes.latent + leaving)
    light[...] = _net_sunlight(sky)
    if evaporation is not None:
        evaporation[...] = evaporated(fluxes.latent, sea_temperature)


def _net_sunlight(sky: Sky) -> Any:
    """Return the sunlight that is not reflected [W/m²]."""
    downward: Any = sky.sunlight
    albedo: Any = sky.albedo
    if sky.sun is not None:
        place = Place(sky.latitude, sky.longitude)
        if downward is None:
            downward = sunlight(sky.sun, place, sky.cloud)
        if albedo is None:
            albedo = payne_albedo(sky.sun, place)
    return (1.0 - albedo) * downward
