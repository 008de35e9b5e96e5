"""Sources: which blocks have the cells that another one gets."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from halocline.geometry import Box

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from halocline.geometry import Direction, Offset
    from halocline.plan.blocks.decomposition import BlockView
    from halocline.plan.cells.block import Block

# Of which block something comes, from which direction, and where, with how far that block lies.
Found = tuple["Block", "Direction", Box, "Offset"]


class Sources:
    """Looks up who has the cells of boxes, each once: components of a field need the same boxes.

    Args:
        blocks: As boxes of the cells of a space.
        lacks: Which axes that space lacks.
    """

    def __init__(self, blocks: BlockView, lacks: Sequence[bool]) -> None:
        self._blocks = blocks
        self._lacks = lacks
        self._known: dict[tuple[int, int | None], dict[Box, list[Found]]] = {}

    def of(self, number: int, boxes: Iterable[Box], axis: int | None) -> Mapping[Box, list[Found]]:
        """Return the parts of boxes, each with the block that has it.

        Args:
            number: Of the block that gets them.
            boxes: The cells.
            axis: Along which it gets something in this stage; None if there are no stages.
        """
        known = self._known.setdefault((number, axis), {})
        new = [box for box in dict.fromkeys(boxes) if box not in known]
        if new:
            known.update(zip(new, self._find(self._blocks.block(number), new, axis), strict=True))
        return known

    def _find(self, block: Block, boxes: list[Box], axis: int | None) -> list[list[Found]]:
        found: list[list[Found]] = [[] for _ in boxes]
        of, ways, ends = _cut(boxes, block.owned)
        if axis is not None:
            is_now = [_last_axis(way) == axis for way in ways]
            of, ways, ends = of[is_now], ways[is_now], ends[is_now]
        if not len(of):
            return found
        seen, is_any = self._seen(ways, ends, block, axis)
        window = Box(tuple(seen[:, 0].min(axis=0).tolist()), tuple(seen[:, 1].max(axis=0).tolist()))
        near = list(self._blocks.meeting(window, block.number))
        if not near:
            return found
        have = _ends([source.owned.shift(shift) for source, shift in near])
        common = _common(seen[:, None], have)
        piece, place = np.nonzero((common[:, :, 0] < common[:, :, 1]).all(axis=2))
        parts = np.where(is_any[piece, None], ends[piece], _common(ends[piece], have[place]))
        if axis is not None:
            ways = np.where(np.arange(ways.shape[1]) == axis, ways, 0)
        directions = list(map(tuple, ways.tolist()))
        rows = zip(of[piece].tolist(), piece.tolist(), place.tolist(), parts.tolist(), strict=True)
        for box, one, other, (lower, upper) in rows:
            source, shift = near[other]
            found[box].append((source, directions[one], Box(tuple(lower), tuple(upper)), shift))
        return found

    def _seen(
        self, ways: NDArray[np.int64], ends: NDArray[np.int64], block: Block, axis: int | None
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return where pieces of a halo are looked for, and along which axes all is there.

        In a stage the block beyond the side has them, which has got what lies beyond its own sides
        in the stages before. Of blocks in line along an axis that a field lacks it is that which
        has this block's first cell there.
        """
        seen, is_any = ends.copy(), np.zeros(ways.shape, bool)
        for a, is_lacking in enumerate(self._lacks):
            low, high = block.box.lower[a], block.box.upper[a]
            if is_lacking:
                seen[:, :, a], is_any[:, a] = (low, low + 1), True
            elif axis not in (None, a):
                seen[ways[:, a] < 0, :, a] = low, low + 1
                seen[ways[:, a] > 0, :, a] = high - 1, high
                is_any[:, a] = ways[:, a] != 0
        return seen, is_any


def _cut(
    boxes: Sequence[Box], inner: Box
) -> tuple[NDArray[np.intp], NDArray[np.int64], NDArray[np.int64]]:
    """Cut boxes along the sides of another one.

    Returns:
        For each piece the position of its box, where it lies from the other one along each axis
        (pieces, axes), and its lower and upper ends (pieces, 2, axes).
    """
    ends, (low, high) = _ends(boxes), _ends([inner])[0]
    lower, upper = ends[:, 0], ends[:, 1]
    # Along each axis before, within and after the other one.
    begin = np.stack((lower, np.maximum(lower, low), np.maximum(lower, high)))
    end = np.stack((np.minimum(upper, low), np.minimum(upper, high), upper))
    ways = _ways(len(low))
    cuts = np.stack(
        [np.stack((begin[w + 1, :, a], end[w + 1, :, a])) for a, w in enumerate(ways.T)], axis=-1
    )
    box, way = np.nonzero((cuts[0] < cuts[1]).all(axis=2).T)
    return box, ways[way], cuts[:, way, box].swapaxes(0, 1)


@cache
def _ways(axes: int) -> NDArray[np.int64]:
    return np.array(list(product((-1, 0, 1), repeat=axes)))


def _ends(boxes: Sequence[Box]) -> NDArray[np.int64]:
    """Return the lower and upper ends of boxes (boxes, 2, axes)."""
    return np.array([(box.lower, box.upper) for box in boxes])


def _common(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the ends of what two boxes have in common, by their ends (…, 2, axes)."""
    lower, upper = np.maximum(a[..., 0, :], b[..., 0, :]), np.minimum(a[..., 1, :], b[..., 1, :])
    return np.stack((lower, upper), axis=-2)


def _last_axis(way: Sequence[int]) -> int:
    return max((axis for axis, d in enumerate(way) if d), default=-1)
