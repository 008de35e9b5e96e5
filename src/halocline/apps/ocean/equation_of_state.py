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
    """
    t, s = temperature, np.maximum(salinity, 0.0)
    fresh = (999.842594 - reference) + t * (
        6.793952e-2 + t * (-9.095290e-3 + t * (1.001685e-4 + t * (-1.120083e-6 + t * 6.536332e-9)))
    )
    first = 0.824493 + t * (-4.0899e-3 + t * (7.6438e-5 + t * (-8.2467e-7 + t * 5.3875e-9)))
    middle = -5.72466e-3 + t * (1.0227e-4 - t * 1.6546e-6)
    return fresh + s * (first + np.sqrt(s) * middle + s * 4.8314e-4)
