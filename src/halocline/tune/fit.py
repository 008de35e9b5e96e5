"""Latency and time a byte from measured times, by relative residuals, in ranges of sizes."""

from __future__ import annotations

import math
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np

from halocline.frozen import Frozen
from halocline.memo import memoised
from halocline.tune.machine import MachineError, SizeRange

if TYPE_CHECKING:
    from collections.abc import Sequence

# A range of sizes is fitted to at least so many points.
_FEWEST = 3
# Times are not measured better than this; closer agreement does not ask for more ranges.
_NOISE = 1e-3


class Fit(Frozen):
    """Ranges of message sizes with latency and time a byte each.

    Attributes:
        ranges: From small to large.
        residuals: Of each point, in order of size: predicted by measured time, minus one.
    """

    ranges: tuple[SizeRange, ...]
    residuals: tuple[float, ...]

    @property
    def largest(self) -> float:
        """The largest residual, without its sign."""
        return max(map(abs, self.residuals))

    def __str__(self) -> str:
        """Return a line for each range."""
        lines, lower = [], 0
        for r in self.ranges:
            upper = "     any" if r.upto_bytes is None else f"{r.upto_bytes:8d}"
            rate = f"{1e-9 / r.byte_s:8.2f} GB/s" if r.byte_s else "      any rate"
            lines.append(f"{lower:8d} to {upper} bytes: L {r.latency_s * 1e6:8.2f} us, 1/G {rate}")
            lower = (r.upto_bytes or 0) + 1
        return "\n".join([*lines, f"largest relative residual {self.largest:.1%}"])


def fit_line(sizes: Sequence[float], times: Sequence[float]) -> tuple[float, float]:
    """Return L >= 0 and G >= 0 of T = L + N G with the least sum of squared relative residuals.

    Relative ones, since absolute residuals hardly see the short times of small messages.

    Args:
        sizes: N [bytes].
        times: T, all positive [s].

    Source: paper 000, section 4.2.2.
    """
    n, t = np.asarray(sizes, float), np.asarray(times, float)
    columns = np.array([1 / t, n / t])
    # Scaled, since a byte takes so much less time than a message.
    unit = np.maximum(np.linalg.norm(columns, axis=1), np.finfo(float).tiny)
    latency, byte = np.linalg.lstsq((columns.T / unit), np.ones_like(t), rcond=None)[0] / unit
    if latency < 0:
        return 0.0, float(columns[1].sum() / unit[1] ** 2)
    if byte < 0:
        return float(columns[0].sum() / unit[0] ** 2), 0.0
    return float(latency), float(byte)


def fit_ranges(sizes: Sequence[int], times: Sequence[float], most: int = 3) -> Fit:
    """Return latency and time a byte in as many ranges of sizes as the points ask for.

    Each range is fitted on its own, for a transport may change its protocol from one size to the
    next; but a longer message never becomes faster across a border. A further range must earn its
    three numbers by the Bayesian information criterion.

    Args:
        sizes: N; may repeat [bytes].
        times: T of each [s].
        most: The most ranges.

    Raises:
        MachineError: There are too few points, or a time that is not positive.
    """
    points = sorted(zip(sizes, times, strict=True))
    if len(points) < _FEWEST or any(t <= 0 for _, t in points):
        shortest = min((t for _, t in points), default=0.0)
        raise MachineError(
            f"{len(points)} times, the shortest of {shortest} s, were given to be fitted; expected "
            f"at least {_FEWEST}, all positive."
        )
    fits = _Fits(points)
    fitted = [
        pieces
        for count in range(1, most + 1)
        for borders in combinations(fits.borders, count - 1)
        if (pieces := fits.pieces(borders))
    ]
    return fits.fit(min(fitted, key=fits.criterion))


# First and last point of a range, with L and G.
_Piece = tuple[int, int, float, float]


class _Fits:
    """Fits of all runs of points, each made once."""

    def __init__(self, points: list[tuple[int, float]]) -> None:
        self.sizes = [float(n) for n, _ in points]
        self.times = [t for _, t in points]
        # A range may begin wherever the size changes.
        self.borders = [i for i in range(1, len(points)) if self.sizes[i] > self.sizes[i - 1]]

    def pieces(self, borders: tuple[int, ...]) -> list[_Piece]:
        """Return the fitted pieces between borders, or none if they make no sense together."""
        cuts = (0, *borders, len(self.sizes))
        if any(b - a < _FEWEST for a, b in pairwise(cuts)):
            return []
        pieces = [(a, b, *self._line(a, b)) for a, b in pairwise(cuts)]
        for (_, end, latency, byte), (_, _, next_latency, next_byte) in pairwise(pieces):
            at = self.sizes[end - 1]
            if next_latency + at * next_byte < latency + at * byte:
                return []
        return pieces

    def criterion(self, pieces: list[_Piece]) -> float:
        """Return the Bayesian information criterion; less is better."""
        count = len(self.sizes)
        squares = sum(r * r for r in self.residuals(pieces))
        return count * math.log(squares / count + _NOISE**2) + 3 * len(pieces) * math.log(count)

    def residuals(self, pieces: list[_Piece]) -> list[float]:
        return [
            (latency + self.sizes[i] * byte) / self.times[i] - 1
            for a, b, latency, byte in pieces
            for i in range(a, b)
        ]

    def fit(self, pieces: list[_Piece]) -> Fit:
        last = len(pieces) - 1
        ranges = tuple(
            SizeRange(None if n == last else int(self.sizes[b - 1]), latency, byte)
            for n, (_, b, latency, byte) in enumerate(pieces)
        )
        return Fit(ranges, tuple(self.residuals(pieces)))

    @memoised
    def _line(self, a: int, b: int) -> tuple[float, float]:
        return fit_line(self.sizes[a:b], self.times[a:b])
