"""Sources: which blocks have the cells that another one gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.geometry import Box, by_direction

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
        self._known: dict[tuple[int, Box, int | None], list[Found]] = {}

    def of(self, number: int, box: Box, axis: int | None) -> list[Found]:
        """Return the parts of a box, each with the block that has it.

        Args:
            number: Of the block that gets it.
            box: The cells.
            axis: Along which it gets something in this stage; None if there are no stages.
        """
        place = (number, box, axis)
        if place not in self._known:
            block = self._blocks.block(number)
            self._known[place] = [
                found
                for direction, piece in by_direction(box, block.owned)
                if axis is None or _last_axis(direction) == axis
                for found in self._in(block, direction, piece, axis)
            ]
        return self._known[place]

    def _in(
        self, block: Block, direction: Direction, box: Box, axis: int | None
    ) -> Iterator[Found]:
        """Yield the parts of a piece of a halo.

        In a stage that is the block beyond the side, which has got what lies beyond its own sides
        in the stages before. Of blocks in line along an axis that a field lacks it is that which
        has this block's first cell there.
        """
        seen, is_any = box, list(self._lacks)
        for a, d in enumerate(direction):
            low, high = block.box.lower[a], block.box.upper[a]
            if self._lacks[a]:
                seen = seen.clip(a, low, low + 1)
            elif d and a != axis is not None:
                seen = seen.clip(a, *((high - 1, high) if d > 0 else (low, low + 1)))
                is_any[a] = True
        if axis is not None:
            direction = tuple(d if a == axis else 0 for a, d in enumerate(direction))
        for source, shift in self._blocks.meeting(seen, block.number):
            piece = box.intersect(source.owned.shift(shift).open_along(is_any))
            yield source, direction, piece, shift


def _last_axis(direction: Direction) -> int:
    return max((axis for axis, d in enumerate(direction) if d), default=-1)
