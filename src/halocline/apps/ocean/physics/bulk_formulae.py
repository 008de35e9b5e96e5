"""Bulk formulae: turbulent fluxes of momentum, heat and vapour between air and water.

They work in kernels and with NumPy arrays. Fluxes of heat and vapour are positive upwards. Stress
is positive along the wind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import pi
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import halocline as hc
from halocline.apps.ocean.physics.constants import GRAVITY
from halocline.apps.ocean.physics.moist_air import (
    AIR_HEAT_CAPACITY,
    KELVIN,
    OVER_SALT_WATER,
    air_density,
    evaporation_heat,
    saturation_pressure,
    specific_humidity,
)
from halocline.frozen import Frozen

BulkFormula = Literal["coare", "kondo"]


class Air(NamedTuple):
    """The air over the water.

    Attributes:
        wind_x: Along x [m/s].
        wind_y: Along y [m/s].
        temperature: [degC].
        humidity: Specific [kg/kg].
        pressure: [Pa].
        wind_height: In which the wind was measured [m].
        height: In which temperature and humidity were [m].
    """

    wind_x: Any
    wind_y: Any
    temperature: Any
    humidity: Any
    pressure: Any
    wind_height: float = 10.0
    height: float = 2.0


class Transfer(NamedTuple):
    """How fast turbulence exchanges air.

    Attributes:
        momentum: Stress over density of the air and wind [m/s].
        heat: Heat flux over density, heat capacity and difference of temperatures [m/s].
        vapour: Flux of vapour over density and difference of humidities [m/s].
    """

    momentum: Any
    heat: Any
    vapour: Any


class Turbulent(NamedTuple):
    """Turbulent fluxes.

    Attributes:
        stress_x: On the water, along x [N/m²].
        stress_y: Along y [N/m²].
        sensible: Heat that warms the air [W/m²].
        latent: Heat of evaporation [W/m²].
    """

    stress_x: Any
    stress_y: Any
    sensible: Any
    latent: Any


def turbulent_fluxes(sea_temperature: Any, air: Air, formula: BulkFormula) -> Turbulent:
    """Return the turbulent fluxes between air and water.

    Args:
        sea_temperature: Of the surface [degC].
        air: Over it.
        formula: 'kondo' or 'coare'.
    """
    saturated = OVER_SALT_WATER * saturation_pressure(sea_temperature, air.pressure)
    wetter = specific_humidity(saturated, air.pressure) - air.humidity
    lapse, transfer = _FORMULAE[formula]
    warmer = sea_temperature - air.temperature - lapse * air.height
    speed = hc.hypot(air.wind_x, air.wind_y)
    momentum, heat, vapour = transfer(speed, warmer, wetter, air)
    density = air_density(air.temperature, air.humidity, air.pressure)
    return Turbulent(
        density * momentum * air.wind_x,
        density * momentum * air.wind_y,
        density * AIR_HEAT_CAPACITY * heat * warmer,
        density * evaporation_heat(sea_temperature) * vapour * wetter,
    )


class _Coefficient(Frozen):
    """A transfer coefficient of neutral air, times 1000, in five ranges of the wind.

    Attributes:
        calm: Factor and exponent of the lowest range.
        lines: Constant, slope and curvature from 8 m/s on, of the others.
    """

    calm: tuple[float, float]
    lines: tuple[tuple[float, float, float], ...]

    def at(self, speed: Any) -> Any:
        """Return it at a wind speed [m/s]."""
        factor, exponent = self.calm
        value = factor * speed**exponent
        for begin, (constant, slope, curvature) in zip(_RANGES, self.lines, strict=True):
            beyond = speed - 8.0
            line = constant + slope * speed + curvature * (beyond * beyond)
            value = hc.where(speed < begin, value, line)
        return 1e-3 * value


# Where the ranges begin [m/s], and coefficients of momentum, heat and vapour. Source: Kondo 1975,
# table AI.
_RANGES = (2.2, 5.0, 8.0, 25.0)
_MOMENTUM = _Coefficient(
    (1.08, -0.15),
    ((0.771, 0.0858, 0.0), (0.867, 0.0667, 0.0), (1.2, 0.025, 0.0), (0.0, 0.073, 0.0)),
)
_HEAT = _Coefficient(
    (1.185, -0.157),
    ((0.927, 0.0546, 0.0), (1.15, 0.01, 0.0), (1.17, 0.0075, -0.00045), (1.652, -0.017, 0.0)),
)
_VAPOUR = _Coefficient(
    (1.23, -0.16),
    ((0.969, 0.0521, 0.0), (1.18, 0.01, 0.0), (1.196, 0.008, -0.0004), (1.68, -0.016, 0.0)),
)
# Less wind than this counts as this, so that nothing is divided by 0 [m/s].
_CALM = 1e-3
# Stability at and below which nothing is exchanged.
_STILL = -3.3


def _kondo(speed: Any, warmer: Any, wetter: Any, air: Air) -> Transfer:
    """Return the transfer of Kondo (1975), for winds in 10 m."""
    del wetter, air
    wind = hc.maximum(speed, _CALM)
    first = 0.25 * warmer / (wind * wind)
    stability = first * abs(first) / (abs(first) + 0.01)
    stable = 0.1 + 0.03 * stability + 0.9 * hc.exp(4.8 * hc.minimum(stability, 0.0))
    stable = hc.where(stability > _STILL, stable, 0.0)
    root = hc.sqrt(hc.maximum(stability, 0.0))

    def of(coefficient: _Coefficient, unstable: float) -> Any:
        factor = hc.where(stability < 0.0, stable, 1.0 + unstable * root)
        return coefficient.at(wind) * factor * wind

    return Transfer(of(_MOMENTUM, 0.47), of(_HEAT, 0.63), of(_VAPOUR, 0.63))


_KARMAN = 0.4
# Depth of the boundary layer [m] and how much its convection adds to the wind.
_BOUNDARY_LAYER, _GUSTINESS = 600.0, 1.2
# Wind that gusts add in stable air [m/s].
_LEAST_GUST = 0.2
_ITERATIONS = 3
# Beyond this height over Obukhov's length the first iteration is the last.
_VERY_STABLE = 50.0


def _coare(speed: Any, warmer: Any, wetter: Any, air: Air) -> Transfer:
    """Return the transfer of COARE 3.0 (Fairall et al. 2003), without cool skin and warm layer."""
    zu, zt = air.wind_height, air.height
    viscosity = _air_viscosity(air.temperature)
    wind = hc.sqrt(speed * speed + 0.25)
    charnock = 0.011 + 0.007 * hc.minimum(hc.maximum((wind - 10.0) / 8.0, 0.0), 1.0)
    kelvin = air.temperature + KELVIN
    friction, heat, stable = _first_guess(wind, warmer, wetter, air)
    vapour, scales = heat, []
    for _ in range(_ITERATIONS):
        # Smith 1988; the roughness of heat and vapour was fitted to cruises.
        roughness = charnock * friction * friction / GRAVITY + 0.11 * viscosity / friction
        reynolds = roughness * friction / viscosity
        roughness_t = hc.minimum(1.15e-4, 5.5e-5 / reynolds**0.6)
        t, q = -heat * warmer, -vapour * wetter
        moist = 1.0 + 0.61 * air.humidity
        buoyant = t * moist + 0.61 * kelvin * q
        inverse_length = _KARMAN * GRAVITY * buoyant / (kelvin * friction * friction * moist)
        profile = _KARMAN / (hc.log(zt / roughness_t) - _psi_t(zt * inverse_length))
        friction = wind * _KARMAN / (hc.log(zu / roughness) - _psi_u(zu * inverse_length))
        heat = vapour = profile
        lifting = (GRAVITY / kelvin) * friction * profile * (warmer + 0.61 * kelvin * wetter)
        convective = _GUSTINESS * hc.cbrt(hc.maximum(lifting, 0.0) * _BOUNDARY_LAYER)
        gust = hc.where(lifting > 0.0, convective, _LEAST_GUST)
        wind = hc.sqrt(speed * speed + gust * gust)
        scales.append((friction * friction / wind, friction * profile))
    momentum, scalar = (
        hc.where(stable, first, last) for first, last in zip(scales[0], scales[-1], strict=True)
    )
    return Transfer(momentum, scalar, scalar)


def _first_guess(wind: Any, warmer: Any, wetter: Any, air: Air) -> tuple[Any, Any, Any]:
    """Return friction velocity, profile of heat, and whether the air is very stable.

    Source: Grachev & Fairall 1997.
    """
    zu, zt = air.wind_height, air.height
    first_roughness = 1e-4
    in_10_m = wind * (hc.log(10.0 / first_roughness) / hc.log(zu / first_roughness))
    friction = 0.035 * in_10_m
    roughness = 0.011 * friction * friction / GRAVITY
    roughness = roughness + 0.11 * _air_viscosity(air.temperature) / friction
    drag_root = _KARMAN / hc.log(10.0 / roughness)
    roughness_t = 10.0 / hc.exp(_KARMAN * drag_root / 0.00115)
    drag = _KARMAN / hc.log(zu / roughness)
    slope = _KARMAN * _KARMAN / (hc.log(zt / roughness_t) * drag * drag)
    kelvin = air.temperature + KELVIN
    richardson = -GRAVITY * zu * (warmer + 0.61 * kelvin * wetter) / (kelvin * wind * wind)
    plateau = -zu / (_BOUNDARY_LAYER * 0.004 * _GUSTINESS**3)
    unstable = slope * richardson / (1.0 + hc.minimum(richardson, 0.0) / plateau)
    stable = slope * richardson * (1.0 + 3.0 * richardson / slope)
    zeta = hc.where(richardson < 0.0, unstable, stable)
    friction = wind * _KARMAN / (hc.log(zu / roughness) - _psi_u(zeta))
    heat = _KARMAN / (hc.log(zt / roughness_t) - _psi_t(zeta * (zt / zu)))
    return friction, heat, zeta > _VERY_STABLE


def _air_viscosity(temperature: Any) -> Any:
    """Return the kinematic viscosity of dry air [m²/s]. Source: Andreas 1989."""
    t = temperature
    return 1.326e-5 * (1.0 + t * (6.542e-3 + t * (8.301e-6 - t * 4.84e-9)))


def _psi_u(zeta: Any) -> Any:
    """Return the stability function of the wind."""
    x = hc.sqrt(hc.sqrt(1.0 - 15.0 * hc.minimum(zeta, 0.0)))
    kansas = 2.0 * hc.log((1.0 + x) / 2.0) + hc.log((1.0 + x * x) / 2.0) - 2.0 * hc.atan(x)
    return _psi(zeta, kansas + 0.5 * pi, 10.15, 1.0 + zeta)


def _psi_t(zeta: Any) -> Any:
    """Return the stability function of temperature and humidity."""
    x = hc.sqrt(1.0 - 15.0 * hc.minimum(zeta, 0.0))
    base = 1.0 + (2.0 / 3.0) * hc.maximum(zeta, 0.0)
    return _psi(zeta, 2.0 * hc.log((1.0 + x) / 2.0), 34.15, base * hc.sqrt(base))


def _psi(zeta: Any, kansas: Any, convection: float, stable: Any) -> Any:
    """Return a stability function: Kansas and free convection, and that of stable air.

    Source: Fairall et al. 1996, Grachev et al. 2000; Beljaars & Holtslag 1991.
    """
    z = hc.minimum(zeta, 0.0)
    y = hc.cbrt(1.0 - convection * z)
    root = 3.0**0.5
    free = 1.5 * hc.log((1.0 + y + y * y) / 3.0) - root * hc.atan((1.0 + 2.0 * y) / root)
    free = free + pi / root
    share = z * z / (1.0 + z * z)
    unstable = (1.0 - share) * kansas + share * free
    decay = hc.exp(-hc.minimum(50.0, 0.35 * hc.maximum(zeta, 0.0)))
    return hc.where(zeta < 0.0, unstable, -(stable + 0.6667 * (zeta - 14.28) * decay + 8.525))


_Function = Callable[[Any, Any, Any, Air], Transfer]
# By how much still air cools with height, for differences of potential temperatures [K/m]; and the
# function.
_FORMULAE: Mapping[BulkFormula, tuple[float, _Function]] = MappingProxyType(
    {"kondo": (0.0, _kondo), "coare": (0.0098, _coare)}
)
