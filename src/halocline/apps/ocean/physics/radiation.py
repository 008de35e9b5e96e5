"""Radiation through the surface: short waves of the sun, and long waves of water and air.

Formulas work in kernels and with NumPy arrays.
"""

from __future__ import annotations

from math import log, pi
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import halocline as hc
from halocline.apps.ocean.physics.moist_air import KELVIN, vapour_pressure

if TYPE_CHECKING:
    from halocline.apps.ocean.physics.bulk_formulae import Air

BackRadiation = Literal["clark", "hastenrath-lamb"]

# Of water, for long waves.
EMISSIVITY = 0.97
STEFAN_BOLTZMANN = 5.67e-8
_YEAR = 365.0  # [days]
_RADIANS = pi / 180.0
# Of the sun [W/m²]; share that air lets through straight down, and that ozone absorbs. Source:
# Rosati & Miyakoda 1988.
_SOLAR_CONSTANT, _TRANSMISSION, _OZONE = 1350.0, 0.7, 0.09
_OBLIQUITY = 23.439 * _RADIANS
# Albedo by the zenith angle of the sun [degrees]. Source: Payne 1972, for a transmittance of 0.7.
_ZENITHS = (
    *(0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 54.0, 58.0, 62.0, 66.0),
    *(70.0, 74.0, 76.0, 78.0, 80.0, 82.0, 84.0, 86.0, 88.0, 90.0),
)
_ALBEDOS = (
    *(0.034, 0.034, 0.036, 0.039, 0.043, 0.054, 0.061, 0.071, 0.084, 0.103),
    *(0.131, 0.164, 0.193, 0.250, 0.300, 0.385, 0.480, 0.603, 0.656, 0.719),
)


class Place(NamedTuple):
    """A place on the earth.

    Attributes:
        latitude: [degrees].
        longitude: [degrees].
    """

    latitude: Any
    longitude: Any


class Sun(NamedTuple):
    """Where the sun is at a time.

    Attributes:
        declination: Sine and cosine of it.
        noon: The same of the declination that noon altitudes follow from.
        hour_angle: At Greenwich [rad].
    """

    declination: tuple[Any, Any]
    noon: tuple[Any, Any]
    hour_angle: Any


def sun_at(day: Any) -> Sun:
    """Return where the sun is.

    Args:
        day: Of the year, 1.0 as the first of January begins in Greenwich; a number, or a formula
            of the time.

    Source: Rosati & Miyakoda 1988, Spencer 1971.
    """
    a = 2.0 * pi / _YEAR * day
    declination = (
        0.006918
        - 0.399912 * hc.cos(a)
        + 0.070257 * hc.sin(a)
        - 0.006758 * hc.cos(2.0 * a)
        + 0.000907 * hc.sin(2.0 * a)
        - 0.002697 * hc.cos(3.0 * a)
        + 0.001480 * hc.sin(3.0 * a)
    )
    noon = _OBLIQUITY * hc.sin((day - 81.0) * (2.0 * pi / _YEAR))
    return Sun(
        (hc.sin(declination), hc.cos(declination)),
        (hc.sin(noon), hc.cos(noon)),
        2.0 * pi * (day - hc.floor(day) - 0.5),
    )


def cosine_of_zenith(sun: Sun, place: Place) -> Any:
    """Return the cosine of the sun's zenith angle, 0 below the horizon."""
    latitude, angle = _RADIANS * place.latitude, sun.hour_angle + _RADIANS * place.longitude
    sine, cosine = sun.declination
    height = hc.sin(latitude) * sine + hc.cos(latitude) * cosine * hc.cos(angle)
    return hc.maximum(height, 0.0)


def sunlight(sun: Sun, place: Place, cloud: Any) -> Any:
    """Return the short-wave radiation that reaches the surface [W/m²].

    Args:
        sun: Where it is.
        place: On the earth.
        cloud: Share of the sky.

    Source: Rosati & Miyakoda 1988; of clouds Reed 1977.
    """
    height = cosine_of_zenith(sun, place)
    above = _SOLAR_CONSTANT * height
    direct = above * hc.exp(log(_TRANSMISSION) / hc.maximum(height, 1e-3))
    clear = direct + 0.5 * ((1.0 - _OZONE) * above - direct)
    latitude, (sine, cosine) = _RADIANS * place.latitude, sun.noon
    altitude = hc.asin(hc.sin(latitude) * sine + hc.cos(latitude) * cosine) / _RADIANS
    return clear * hc.minimum(1.0 - 0.62 * cloud + 0.0019 * altitude, 1.0)


def payne_albedo(sun: Sun, place: Place) -> Any:
    """Return the share of sunlight that the surface reflects. Source: Payne 1972."""
    zenith = hc.acos(hc.minimum(cosine_of_zenith(sun, place), 1.0)) / _RADIANS
    albedo, slope = _ALBEDOS[0], 0.0
    points = zip(_ZENITHS, _ALBEDOS, _ZENITHS[1:], _ALBEDOS[1:], strict=False)
    for begin, low, end, high in points:
        steeper = (high - low) / (end - begin) - slope
        albedo = albedo + steeper * hc.maximum(zenith - begin, 0.0)
        slope += steeper
    return albedo


def back_radiation(
    sea_temperature: Any, air: Air, cloud: Any, latitude: Any, formula: BackRadiation
) -> Any:
    """Return the long-wave radiation that leaves the water, less what comes [W/m²].

    Args:
        sea_temperature: Of the surface [degC].
        air: Over it.
        cloud: Share of the sky.
        latitude: Of which clouds depend [degrees].
        formula: 'clark' or 'hastenrath-lamb'.

    Source: Clark et al. 1974, Hastenrath & Lamb 1978; of clouds Johnson et al. 1965.
    """
    if formula == "clark":
        vapour = vapour_pressure(air.humidity, air.pressure)
        clear = 0.39 - 0.05 * hc.sqrt(0.01 * hc.maximum(vapour, 0.0))
    else:
        clear = 0.39 - 0.056 * hc.sqrt(1e3 * hc.maximum(air.humidity, 0.0))
    cover = 0.497202 + 0.00468295556 * abs(latitude)
    kelvin = sea_temperature + KELVIN
    cubed = kelvin * kelvin * kelvin
    warmer = sea_temperature - air.temperature
    return (EMISSIVITY * STEFAN_BOLTZMANN) * (
        cubed * kelvin * clear * (1.0 - cover * (cloud * cloud)) + 4.0 * cubed * warmer
    )


def long_wave_balance(sea_temperature: Any, downward: Any) -> Any:
    """Return the long-wave radiation that leaves the water, less a given one that comes [W/m²]."""
    kelvin = sea_temperature + KELVIN
    squared = kelvin * kelvin
    return EMISSIVITY * (STEFAN_BOLTZMANN * (squared * squared) - downward)
