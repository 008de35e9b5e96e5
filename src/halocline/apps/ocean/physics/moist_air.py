"""Moist air: humidity, density and the heat of evaporation; in kernels, and of NumPy arrays."""

from __future__ import annotations

from typing import Any

import halocline as hc

# 0 degC [K].
KELVIN = 273.15
# Of dry air: heat capacity at constant pressure [J/kg/K], and gas constant [J/kg/K].
AIR_HEAT_CAPACITY = 1004.67
_GAS_CONSTANT = 287.1
# Molar mass of water over that of dry air, and its difference to 1.
_LIGHTER, _DEFICIT = 0.62197, 0.378
# Of fresh water [kg/m³].
_FRESH_DENSITY = 1000.0
# Share of the vapour pressure of fresh water that salt water has. Source: Kraus 1972.
OVER_SALT_WATER = 0.98


def saturation_pressure(temperature: Any, pressure: Any) -> Any:
    """Return the vapour pressure of saturated air over fresh water [Pa].

    Args:
        temperature: [degC].
        pressure: Of the air [Pa].

    Source: Buck 1981.
    """
    enhancement = 1.0007 + 3.46e-8 * pressure
    return enhancement * 611.21 * hc.exp(17.502 * temperature / (240.97 + temperature))


def specific_humidity(vapour: Any, pressure: Any) -> Any:
    """Return the mass of vapour in a mass of moist air [kg/kg].

    Args:
        vapour: Its pressure [Pa].
        pressure: Of the air [Pa].
    """
    return _LIGHTER * vapour / (pressure - _DEFICIT * vapour)


def vapour_pressure(humidity: Any, pressure: Any) -> Any:
    """Return the pressure of vapour, the inverse of 'specific_humidity' [Pa].

    Args:
        humidity: Specific [kg/kg].
        pressure: Of the air [Pa].
    """
    return humidity * pressure / (_LIGHTER + _DEFICIT * humidity)


def air_density(temperature: Any, humidity: Any, pressure: Any) -> Any:
    """Return the density of moist air [kg/m³].

    Args:
        temperature: [degC].
        humidity: Specific [kg/kg].
        pressure: [Pa].
    """
    return pressure / (_GAS_CONSTANT * (temperature + KELVIN) * (1.0 + 0.61 * humidity))


def evaporated(latent: Any, temperature: Any) -> Any:
    """Return how much fresh water evaporates [m/s].

    Args:
        latent: Heat that it takes [W/m²].
        temperature: Of the water [degC].
    """
    return latent / (_FRESH_DENSITY * evaporation_heat(temperature))


def evaporation_heat(temperature: Any) -> Any:
    """Return the heat that a mass of water takes to evaporate [J/kg].

    Args:
        temperature: Of the water [degC].
    """
    return 2.501e6 - 2370.0 * temperature
