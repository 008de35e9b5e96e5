"""Support: which cells points off the grid weight, and how much.

Along each axis a point lies at a fraction between two places of values. Weights are products of
those along the axes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.frozen import Frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from halocline.language.spaces.translations import Translation

Array = Any
Rule = Callable[[Array], Array]
# Two weights add up to 1.
_PAIR = 2
# Points so near to a value's place are there: their coordinates are rounded [cells].
_AT_A_VALUE = 1e-9
# How steep Kaiser's window is, by the cells on each side: for waves of more than three cells
# (Hicks 2002, Geophysics 67, 156-165, table 1).
KAISER = {2: 2.94, 3: 4.53, 4: 4.14, 5: 5.26, 6: 6.40, 7: 7.51, 8: 8.56}


class _Line(Frozen):
    """The cells that points weight along one axis.

    Attributes:
        first: The first of these cells of each point.
        cells: To which cell each point belongs.
        fractions: Where it lies between two values.
        rule: The weights of the values around a fraction; None for an axis that the field lacks.
        used: Which of these weights some point has, from the first to the last.
        lower: How far below the cells that they belong to points weight cells.
        upper: How far above.
        beyond: By the sign of a side, a point that weights what lies beyond it.
    """

    first: Array
    cells: Array
    fractions: Array
    rule: Rule | None
    used: slice
    lower: int
    upper: int
    beyond: dict[int, int]

    @property
    def width(self) -> int:
        """How many cells each point weights at most."""
        return int(self.used.stop - self.used.start)

    def weights(self, which: Array) -> Array:
        """Return the weights of some points; of two, which add up to 1, only the second."""
        if self.rule is None:
            return np.ones((len(which), 1))
        of_points = self.rule(self.fractions[which])[:, self.used]
        return of_points[:, 1:] if self.width == _PAIR else of_points


class Support(Frozen):
    """The cells that points weight, the points sorted as the values lie in memory.

    Attributes:
        order: The number of each point as the user gave it.
        first: Lower corner of the cells, (points, 3).
        cells: To whose block each point belongs, (points, 3).
        lines: Along x, y and z.
    """

    order: NDArray[np.int64]
    first: NDArray[np.int32]
    cells: NDArray[np.int32]
    lines: tuple[_Line, _Line, _Line]

    @property
    def widths(self) -> tuple[int, int, int]:
        """How many cells along each axis."""
        x, y, z = self.lines
        return x.width, y.width, z.width

    def weights(self, which: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the weights of some points, by their place in the order.

        Along x, then y, then z; of two weights, which add up to 1, only the second.
        """
        numbers = self.order[which]
        of_points = np.concatenate([line.weights(numbers) for line in self.lines], axis=1)
        return np.ascontiguousarray(of_points)


def linear(fraction: Array) -> Array:
    """Return the weights of the value before and the one after: exact for linear fields."""
    return np.stack([1.0 - fraction, fraction], axis=1)


def cubic(fraction: Array) -> Array:
    """Return Lagrange's weights of two values on each side: exact for cubic fields."""
    f = fraction
    return np.stack(
        [
            -f * (f - 1.0) * (f - 2.0) / 6.0,
            (f + 1.0) * (f - 1.0) * (f - 2.0) / 2.0,
            -(f + 1.0) * f * (f - 2.0) / 2.0,
            (f + 1.0) * f * (f - 1.0) / 6.0,
        ],
        axis=1,
    )


def sinc(radius: int) -> Rule:
    """Return what gives a sinc's weights of 'radius' values on each side, in Kaiser's window."""

    def weights(fraction: Array) -> Array:
        away = np.arange(1 - radius, radius + 1) - fraction[:, None]
        inside = np.clip(1.0 - (away / radius) ** 2, 0.0, None)
        window = np.i0(KAISER[radius] * np.sqrt(inside)) / np.i0(KAISER[radius])
        # At a value's own place rounding would leave a little of the others.
        exact = (away == 0.0).astype(np.float64)
        return np.where(fraction[:, None] == 0.0, exact, np.sinc(away) * window)

    return weights


def support_of(
    positions: list[Array | None], extents: tuple[int, ...], periodic: tuple[bool, ...], rule: Rule
) -> Support:
    """Return the cells that points weight.

    Args:
        positions: Along each axis where points lie, counted in values; None for an axis that the
            field lacks.
        extents: Values along each axis.
        periodic: Whether they go on at the other end.
        rule: The weights of the values around a fraction.
    """
    count = next(len(p) for p in positions if p is not None)
    lines = [
        _lacking(count) if where is None else _line(where, n, rule, closes=closes)
        for where, n, closes in zip(positions, extents, periodic, strict=True)
    ]
    x, y, z = [*lines, *[_lacking(count)] * (3 - len(lines))]
    place = np.zeros(count, np.int64)
    for line in (z, y, x):
        place = place * (int(np.ptp(line.first)) + 1) + (line.first - line.first.min())
    order = np.argsort(place, kind="stable")

    def sorted_table(*columns: Array) -> Array:
        return np.ascontiguousarray(np.stack(columns, axis=1)[order], dtype=np.int32)

    return Support(
        order,
        sorted_table(x.first, y.first, z.first),
        sorted_table(x.cells, y.cells, z.cells),
        (x, y, z),
    )


def _lacking(count: int) -> _Line:
    zeros = np.zeros(count, np.int64)
    return _Line(zeros, zeros, zeros, None, slice(0, 1), 0, 0, {})


def _line(where: Array, n: int, rule: Rule, *, closes: bool) -> _Line:
    where = _at_values(where)
    before = np.floor(where)
    fractions = where - before
    cells = before.astype(np.int64)
    if closes:
        cells %= n
    # Weights on each side; a point at a value's own place weights that alone.
    half = rule(np.zeros(1)).shape[1] // 2
    is_between = fractions != 0.0
    # What no point weights is no part of it.
    used = slice(0, 2 * half) if is_between.any() else slice(half - 1, half)
    first = cells - (half - 1) + used.start
    lowest = np.where(is_between, cells - (half - 1), cells)
    highest = np.where(is_between, cells + half, cells)
    beyond: dict[int, int] = {}
    if not closes:
        cells = _inside(cells, lowest, highest, n)
        found = {-1: np.flatnonzero(lowest < 0), 1: np.flatnonzero(highest >= n)}
        beyond = {sign: int(numbers[0]) for sign, numbers in found.items() if numbers.size}
    lower, upper = int((lowest - cells).min()), int((highest - cells).max())
    return _Line(first, cells, fractions, rule, used, lower, upper, beyond)


def _at_values(where: Array) -> Array:
    """Return places along an axis, those of values exactly."""
    nearest = np.rint(where)
    return np.where(np.abs(where - nearest) < _AT_A_VALUE, nearest, where)


def images_in_domain(
    positions: list[Array | None], translations: Sequence[Translation]
) -> list[Array | None]:
    """Return where the images of points lie that are in the domain along sides that shift."""
    result = list(positions)
    for translation in translations:
        where = result[translation.axis]
        if where is None or translation.is_straight:
            continue
        times = np.floor(_at_values(where) / translation.way[translation.axis])
        for axis, way in enumerate(translation.way):
            along = result[axis]
            if way and along is not None:
                result[axis] = along - times * way
    return result


def _inside(cells: Array, lowest: Array, highest: Array, n: int) -> Array:
    """Return to which cells points belong, so that none seems to need more than it does.

    What is fetched is fetched for all points of a block: one that weights cells of the domain only
    belongs to a cell from where others lead to no more.
    """
    least, most = -int((lowest - cells).min()), n - 1 - int((highest - cells).max())
    is_inside = (lowest >= 0) & (highest < n)
    moved = np.clip(cells, least, most) if least <= most else cells
    return np.clip(np.where(is_inside, moved, cells), 0, n - 1)
