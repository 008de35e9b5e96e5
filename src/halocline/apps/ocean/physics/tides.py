"""Tides: constituents and their frequencies, an elevation made of them, and how to find them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import radians
from typing import TYPE_CHECKING, Any

import numpy as np

import halocline as hc
from halocline.errors import CaseError, nearest
from halocline.frozen import Frozen

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Main constituents [degrees an hour] (Schureman 1940).
SPEEDS: Mapping[str, float] = {
    "M2": 28.9841042,
    "S2": 30.0,
    "N2": 28.4397295,
    "K2": 30.0821373,
    "K1": 15.0410686,
    "O1": 13.9430356,
    "P1": 14.9589314,
    "Q1": 13.3986609,
    "M4": 57.9682084,
}
HOUR = 3600.0


def frequency(constituent: str) -> float:
    """Return the angular frequency of a constituent by name, 'M2' or 'm2' [rad/s].

    Raises:
        CaseError: There is no such constituent.

    Example:
        >>> round(ocean.frequency("M2"), 8)
        0.00014052
    """
    name = constituent.upper()
    if name not in SPEEDS:
        raise CaseError(
            f"There is no tidal constituent '{constituent}'.", hint=nearest(name, SPEEDS)
        )
    return radians(SPEEDS[name]) / HOUR


class Wave(Frozen, eq=False):
    """An oscillation a cos(omega t - phase).

    Attributes:
        frequency: omega [rad/s].
        amplitude: A number, or an array of cells [m].
        phase: A number, or an array of cells: how late it is [rad].

    Example:
        >>> ocean.Wave(ocean.frequency("M2"), amplitude=0.5)
        Wave(frequency=0.00014051890250864362, amplitude=0.5, phase=0.0)
    """

    frequency: float
    amplitude: Any
    phase: Any = 0.0

    @property
    def cosine(self) -> Any:
        """The part in phase with cos(omega t) [m]."""
        return self.amplitude * np.cos(self.phase)

    @property
    def sine(self) -> Any:
        """The part in phase with sin(omega t) [m]."""
        return self.amplitude * np.sin(self.phase)


def tide(waves: Sequence[tuple[Any, Any, Any]], time: Any) -> Any:
    """Return the elevation at a time, as an expression.

    Args:
        waves: Frequency, cosine and sine of each.
        time: [s].
    """
    total: Any = 0.0
    for omega, cosine, sine in waves:
        total = total + cosine * hc.cos(omega * time) + sine * hc.sin(omega * time)
    return total


@hc.kernel
def add_sample(sums: Any, zeta: Any, *, frequencies: tuple[float, ...], time: Any) -> None:
    """Add an elevation to the sums that a harmonic analysis needs.

    Args:
        sums: Components: of the elevation, and for each frequency of it times cosine and sine.
        zeta: Elevation [m].
        frequencies: [rad/s].
        time: [s].
    """
    sums[0] = sums[0] + zeta
    for n, omega in enumerate(frequencies):
        sums[2 * n + 1] = sums[2 * n + 1] + zeta * hc.cos(omega * time)
        sums[2 * n + 2] = sums[2 * n + 2] + zeta * hc.sin(omega * time)


def harmonic_analysis(
    sums: NDArray[np.float64], frequencies: Sequence[float], times: NDArray[np.float64]
) -> tuple[NDArray[np.float64], list[NDArray[np.complex128]]]:
    """Fit a mean and waves to elevations by least squares.

    Args:
        sums: What 'add_sample' has summed, shape (1 + 2 waves, cells …).
        frequencies: [rad/s].
        times: Of the samples [s].

    Returns:
        The mean; and for each wave amplitude * exp(-i phase), its elevation being the real part of
        that times exp(i omega t).
    """
    rows = [np.ones_like(times)]
    for omega in frequencies:
        rows += [np.cos(omega * times), np.sin(omega * times)]
    normal = np.array(rows) @ np.array(rows).T
    coefficients = np.linalg.solve(normal, sums.reshape(len(rows), -1)).reshape(sums.shape)
    return coefficients[0], [
        coefficients[2 * n + 1] - 1j * coefficients[2 * n + 2] for n in range(len(frequencies))
    ]
