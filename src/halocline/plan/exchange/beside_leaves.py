"""Beside leaves: which cells of ghost patches have leaves of their level next to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from halocline.box_array import BoxArray, around_each, enumerated
from halocline.memo import memoised

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from halocline.geometry import Offset
    from halocline.language.spaces.space import Space
    from halocline.plan.blocks.decomposition import Decomposition

# Beyond all cells.
_FAR = 1 << 40


class Towards(NamedTuple):
    """Cells that matter: those from which each of some offsets leads to a leaf.

    Attributes:
        space: Of the cells.
        offsets: The offsets; none if all cells matter.
    """

    space: Space
    offsets: tuple[Offset, ...]


class _Parts(NamedTuple):
    """Disjoint boxes of cells: the position of the patch that has each, in ascending order."""

    of: NDArray[np.intp]
    box: BoxArray


class BesideLeaves:
    """Finds the cells of ghost patches that have leaves of their level beside them.

    Args:
        decomposition: All blocks.
        patches: The numbers of the patches.
    """

    def __init__(self, decomposition: Decomposition, patches: NDArray[np.intp]) -> None:
        self._decomposition = decomposition
        self._patches = patches

    def around(self, wanted: Sequence[Towards]) -> BoxArray | None:
        """Return boxes around the cells of each patch that matter (axes, wanted, patches).

        None if all cells matter to all.
        """
        if not any(one.offsets for one in wanted):
            return None
        found = [self._around(one) for one in wanted]
        lower, upper = (np.stack(ends, axis=1) for ends in zip(*found, strict=True))
        return BoxArray(lower, upper)

    @memoised
    def _around(self, towards: Towards) -> BoxArray:
        count, axes = len(self._patches), len(self._decomposition.extent)
        if not towards.offsets:
            return BoxArray(np.full((axes, count), -_FAR), np.full((axes, count), _FAR))
        first, *others = (self._beside(towards.space, offset) for offset in towards.offsets)
        for other in others:
            first = _common(first, other)
        return around_each(first.of, first.box, count)

    @memoised
    def _beside(self, space: Space, offset: Offset) -> _Parts:
        """Return the cells of patches from which an offset leads to a leaf."""
        view, levels = self._decomposition.on(space), self._decomposition.levels
        seen = view.table(self._patches).box.moved(offset)
        of, number, shift = view.meetings(seen, self._patches)
        is_leaf = np.array([role.kind == "leaf" for role in levels.kinds])[levels.kind_of(number)]
        of, number, shift = of[is_leaf], number[is_leaf], shift[:, is_leaf]
        there = view.table(number).box.moved(shift).intersect(seen.take(of))
        return _Parts(of, there.moved(tuple(-n for n in offset)))


def _common(one: _Parts, other: _Parts) -> _Parts:
    """Return the cells that two lists of boxes have in common."""
    begins, ends = (np.searchsorted(other.of, one.of, side) for side in ("left", "right"))
    position, place = enumerated(ends - begins)
    box = one.box.take(position).intersect(other.box.take(begins[position] + place))
    has_cells = box.has_cells
    return _Parts(one.of[position][has_cells], box.take(has_cells))
