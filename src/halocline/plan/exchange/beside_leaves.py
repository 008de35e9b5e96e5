"""Beside leaves: which cells of ghost patches have leaves of their level next to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from halocline.box_array import BoxArray, around_each, enumerated
from halocline.geometry import opposite
from halocline.memo import memoised

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from halocline.geometry import Offset
    from halocline.language.spaces.space import Space
    from halocline.plan.blocks.decomposition import Decomposition


class Towards(NamedTuple):
    """Cells that matter: those from which each of some offsets leads to a leaf.

    Attributes:
        space: Of the cells.
        offsets: The offsets; none if all cells matter.
    """

    space: Space
    offsets: tuple[Offset, ...]


# For each that has offsets, which of some accesses or kernels matter there alone.
ByTowards = list[tuple[Towards, "NDArray[np.bool_]"]]


def by_towards(wanted: Sequence[Towards]) -> ByTowards:
    """Return which of some accesses or kernels matter in which cells alone."""
    numbers: dict[Towards, list[int]] = {}
    for number, one in enumerate(wanted):
        if one.offsets:
            numbers.setdefault(one, []).append(number)
    return [(one, np.isin(np.arange(len(wanted)), those)) for one, those in numbers.items()]


class _Parts(NamedTuple):
    """Boxes of cells, and the position of what has each: of a patch, in ascending order."""

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

    def limited(
        self,
        wanted: ByTowards,
        number: NDArray[np.intp],
        patch: NDArray[np.intp],
        boxes: BoxArray,
    ) -> BoxArray:
        """Return boxes around those cells of boxes that matter.

        Args:
            wanted: Which accesses or kernels matter in which cells.
            number: To which of these each box belongs.
            patch: The position of the patch that has its cells.
            boxes: The boxes.
        """
        lower, upper = boxes
        for one, is_such in wanted:
            which = np.flatnonzero(is_such[number])
            some = _common(_Parts(patch[which], boxes.take(which)), self._parts(one))
            if lower is boxes.lower:
                lower, upper = lower.copy(), upper.copy()
            around = around_each(some.of, some.box, len(which))
            lower[:, which], upper[:, which] = around
        return BoxArray(lower, upper)

    @memoised
    def _parts(self, towards: Towards) -> _Parts:
        """Return all cells of the patches that matter."""
        first, *others = (self._beside(towards.space, offset) for offset in towards.offsets)
        for other in others:
            common = _common(first, other)
            first = _Parts(first.of[common.of], common.box)
        return first

    @memoised
    def _beside(self, space: Space, offset: Offset) -> _Parts:
        """Return the cells of patches from which an offset leads to a leaf."""
        view, levels = self._decomposition.on(space), self._decomposition.levels
        seen = view.table(self._patches).box.moved(offset)
        of, number, shift = view.meetings(seen, self._patches)
        is_leaf = levels.have(lambda role: role.kind == "leaf", number)
        of, number, shift = of[is_leaf], number[is_leaf], shift[:, is_leaf]
        there = view.table(number).box.moved(shift).intersect(seen.take(of))
        return _Parts(of, there.moved(opposite(offset)))


def _common(some: _Parts, others: _Parts) -> _Parts:
    """Return the cells that boxes have in common with others of the same patch.

    Args:
        some: The boxes, by whose positions the cells are returned.
        others: The others.
    """
    begins, ends = (np.searchsorted(others.of, some.of, side) for side in ("left", "right"))
    position, place = enumerated(ends - begins)
    box = some.box.take(position).intersect(others.box.take(begins[position] + place))
    has_cells = box.has_cells
    return _Parts(position[has_cells], box.take(has_cells))
