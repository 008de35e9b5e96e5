"""The density of sea water, of its temperature and salinity: in kernels, and of NumPy arrays.

Each function returns the density minus a reference, which is taken off before anything is rounded:
in single precision an anomaly of 1 kg m-3 keeps its digits, one of 1026 - 1025 does not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# Density of sea water where only its differences matter [kg m-3].
REFERENCE_DENSITY = 1025.0
# Salinity of sea water of which none is given [1e-3].
REFERENCE_SALINITY = 35.0


def linear(
    temperature: Any,
    salinity: Any,
    reference: float = 0.0,
    *,
    at: tuple[float, float] = (10.0, 33.75),
    by_temperature: float = -0.17,
    by_salinity: float = 0.78,
) -> Any:
    """Return the density, minus a reference, of water that expands evenly [kg m-3].

    Args:
        temperature: [degC].
        salinity: [1e-3].
        reference: What is taken off [kg m-3].
        at: Temperature and salinity where the density is that of 'REFERENCE_DENSITY'.
        by_temperature: Its change with the temperature [kg m-3 K-1].
        by_salinity: And with the salinity [kg m-3].

    Example:
        >>> round(float(ocean.linear(10.0, 35.0)), 2)
        1025.97
    """
    warmer, saltier = temperature - at[0], salinity - at[1]
    return (REFERENCE_DENSITY - reference) + by_temperature * warmer + by_salinity * saltier


def eos80(temperature: Any, salinity: Any, reference: float = 0.0) -> Any:
    """Return the density, minus a reference, at atmospheric pressure [kg m-3].

    Args:
        temperature: [degC].
        salinity: Below 0, as advection may round it, it counts as 0 [1e-3].
        reference: What is taken off [kg m-3].

    Source: UNESCO 1981 (EOS-80).

    Example:
        >>> round(float(ocean.eos80(10.0, 35.0)), 2)
        1026.95
    """
    t, s = temperature, np.maximum(salinity, 0.0)
    fresh = (999.842594 - reference) + t * (
        6.793952e-2 + t * (-9.095290e-3 + t * (1.001685e-4 + t * (-1.120083e-6 + t * 6.536332e-9)))
    )
    first = 0.824493 + t * (-4.0899e-3 + t * (7.6438e-5 + t * (-8.2467e-7 + t * 5.3875e-9)))
    middle = -5.72466e-3 + t * (1.0227e-4 - t * 1.6546e-6)
    return fresh + s * (first + np.sqrt(s) * middle + s * 4.8314e-4)


def jackett06(temperature: Any, salinity: Any, reference: float = 0.0) -> Any:
    """Return the density, minus a reference, at atmospheric pressure, of potential temperature.

    Args:
        temperature: Potential [degC].
        salinity: Below 0, as advection may round it, it counts as 0 [1e-3].
        reference: Density to subtract [kg m-3].

    Source: Jackett et al. 2006, a quotient of polynomials.

    Example:
        >>> round(float(ocean.jackett06(10.0, 35.0)), 2)
        1026.96
    """
    t, s = temperature, np.maximum(salinity, 0.0)
    # rho - r = (P - r Q) / Q, with r taken off each coefficient of P.
    r = reference
    by_heat = 7.2815210113327091e-3, -4.4787265461983921e-5, 3.3851002965802430e-7
    divisor = 1.0 + t * (
        by_heat[0] + t * (by_heat[1] + t * (by_heat[2] + t * 1.3651202389758572e-10))
    )
    by_salt = t * (8.8066583251206474e-6 + t * t * 1.8832689434804897e-10)
    by_root = np.sqrt(s) * (5.7463776745432097e-6 + t * t * 1.4716275472242334e-9)
    divisor = divisor + s * (1.7632126669040377e-3 - by_salt + by_root)
    fresh = (999.84085444849347 - r) + t * (
        (7.3471625860981584 - r * by_heat[0])
        + t
        * (
            (-5.3211231792841769e-2 - r * by_heat[1])
            + t * ((3.6492439109814549e-4 - r * by_heat[2]) - t * (r * 1.3651202389758572e-10))
        )
    )
    salty = (2.5880571023991390 - r * 1.7632126669040377e-3) - t * 6.7168282786692355e-3
    more = salty + s * 1.9203202055760151e-3 + r * (by_salt - by_root)
    return (fresh + s * more) / divisor
