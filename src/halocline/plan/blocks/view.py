"""View: the blocks of a decomposition as boxes of one space's cells."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from halocline.geometry import UNBOUNDED, Box, box_of, directions
from halocline.language.spaces.turns import turns_of
from halocline.plan.blocks.tiling import Copies
from halocline.plan.cells.block import NOBODY, Block

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from halocline.geometry import Direction, Offset
    from halocline.plan.blocks.decomposition import Decomposition
    from halocline.plan.blocks.tiling import Tiling


class BlockView:
    """The blocks of a decomposition as boxes of a space's cells.

    Args:
        decomposition: Owners, roles, and which axes are periodic.
        cuts: For each axis where blocks begin and end, from 0 to the extent of the space.
        tiling: The boxes.
        shifts: For each axis how far along each what crosses its high side is moved; empty for not.
        closing: For each axis how many faces there are more than cells. Empty for none.
        guests: The blocks whose cells are others' own.
        everyone: The boxes of all blocks, if the tiling finds those of guests no more.
    """

    def __init__(  # noqa: PLR0913 (what tells spaces apart)
        self,
        decomposition: Decomposition,
        cuts: tuple[tuple[int, ...], ...],
        tiling: Tiling,
        shifts: tuple[Offset, ...] = (),
        closing: tuple[int, ...] = (),
        *,
        guests: frozenset[int] = frozenset(),
        everyone: Tiling | None = None,
    ) -> None:
        self.decomposition = decomposition
        self.cuts = cuts
        self.extent = tuple(along[-1] for along in cuts)
        self._tiling = tiling
        self._closing = closing
        self._guests = guests
        self._everyone = everyone or tiling
        self._turns = turns_of(self.extent, decomposition.periodic, shifts)
        self._has_straight_rows = any(turn.axis == 0 and turn.is_straight for turn in self._turns)
        self._known: dict[int, Block] = {}

    @property
    def is_replicated(self) -> bool:
        """Whether each block has all cells."""
        return isinstance(self._tiling, Copies)

    def wrap_of(self, number: int) -> int:
        """Return the cells once around the grid if the rows of a block close on themselves, else 0.

        Rows of blocks that have all cells do not where others are cut along x: kernels in these
        read them, too. Nor do those of a list that is cut anywhere along x: others ask where values
        assigned next door lie; in a forest nobody does.
        """
        if not self._has_straight_rows:
            return 0
        levels = self.decomposition.levels
        if levels is None:
            return self.extent[0] if self.decomposition.shape[0] == 1 else 0
        is_own = number in levels.closed and number not in self._guests
        return levels.own_box(number).extent[0] if is_own else 0

    def block(self, number: int) -> Block:
        """Return the block with a number; it is asked for again and again."""
        if number not in self._known:
            self._known[number] = self._block(number)
        return self._known[number]

    def _block(self, number: int) -> Block:
        box, levels = self._tiling.box(number), self.decomposition.levels
        rank = self.decomposition.rank_of(number)
        role = None if levels is None else levels.roles[number]
        if box.is_empty:
            return Block(number, rank, box, box, role=role)
        found = replace(self.placed(box), number=number, rank=rank, role=role)
        return replace(found, wrap=self.wrap_of(number), is_guest=number in self._guests)

    def blocks_of(self, rank: int) -> tuple[Block, ...]:
        """Return the blocks of a rank."""
        return tuple(map(self.block, self.decomposition.numbers_of(rank)))

    def placed(self, box: Box) -> Block:
        """Return cells of the domain, the last faces apart, as a block that nobody has."""
        if self._closing:
            ends = zip(box.upper, self.extent, self._closing, strict=True)
            box = replace(box, upper=tuple(u + more if u == n else u for u, n, more in ends))
        return Block(NOBODY, NOBODY, box, self._with_layers(box))

    def _with_layers(self, box: Box) -> Box:
        """Return the box grown without bound across the sides of the domain that it touches."""
        for axis, n in enumerate(self.extent):
            if not self.decomposition.periodic[axis]:
                lower = box.lower[axis] if box.lower[axis] else -UNBOUNDED
                upper = box.upper[axis] if box.upper[axis] < n else UNBOUNDED
                box = box.clip(axis, lower, upper)
        return box

    def meeting(
        self, box: Box, asking: int | None = None, *, are_guests: bool = False
    ) -> Iterator[tuple[Block, Offset]]:
        """Yield the blocks that own cells of a box, and where each of them lies.

        Boundary layers belong to the blocks at the edge, cells beyond a periodic side to those
        whose image lies there. The second value moves a box from the block's own coordinates to
        where 'box' sees it: zero, but once around across periodic sides. Where all blocks have all
        cells, the one that asks is its own source.

        Args:
            box: The cells.
            asking: The number of the block that asks.
            are_guests: Whether to yield blocks whose cells are others' own, too.
        """
        if box.is_empty:
            return
        images = [((0,) * len(self.extent), box)]
        for axis, way in self._turns:
            n = self.extent[axis]
            images = [
                (tuple(s + turn * w for s, w in zip(shift, way, strict=True)), part)
                for shift, seen in images
                for turn in range(seen.lower[axis] // n, -(-seen.upper[axis] // n))
                for part in (_turned(seen, axis, way, turn),)
            ]
        tiling = self._everyone if are_guests else self._tiling
        alone = asking if self.is_replicated else None
        for shift, seen in images:
            for number in tiling.meeting(self._inside(seen)) if alone is None else (alone,):
                yield self.block(number), shift

    def _inside(self, box: Box) -> Box:
        """Return the cells of a box in the domain; the first or last for what lies beyond."""
        ends = list(zip(box.lower, box.upper, self.extent, strict=True))
        lower = tuple([min(max(low, 0), n - 1) for low, _, n in ends])
        return Box(lower, tuple([max(min(high, n), 1) for _, high, n in ends]))

    def beside(self, block: Block, direction: Direction) -> Iterator[tuple[Block, Offset]]:
        """Yield the blocks that touch a block in a direction, and where they lie; see 'meeting'.

        There are none beyond the domain.
        """
        layer = block.box.beside(direction)
        ends = zip(layer.lower, layer.upper, self.extent, self.decomposition.periodic, strict=True)
        if all(is_periodic or (u > 0 and l < n) for l, u, n, is_periodic in ends):
            yield from self.meeting(layer, block.number)

    def first_to_own(self, axes: Sequence[bool], number: int) -> tuple[Box, ...]:
        """Return what a block has that no existing block before it has, whatever lies along axes.

        Blocks in line along an axis that a field lacks have the same cells of it.
        """
        own = self.block(number).box
        if not any(axes) and not self.is_replicated:
            return (own,)
        line = own.open_along(axes)
        rest: tuple[Box, ...] = (own,)
        for block, _ in self.meeting(line.intersect(box_of(self.extent))):
            if block.number >= number or not rest:
                break
            if block.rank != NOBODY:
                rest = tuple(p for box in rest for p in box.subtract(block.box.open_along(axes)))
        return rest

    def absent(self, block: Block) -> list[Box]:
        """Return the cells of dropped blocks next to a block, as it sees them."""
        return [
            other.box.shift(shift)
            for direction in directions(len(self.extent))
            for other, shift in self.beside(block, direction)
            if other.rank == NOBODY
        ]

    def narrowest(self, axis: int) -> int:
        """Return the least cells of a block along an axis."""
        return self._tiling.narrowest(axis)

    def number_at(self, cell: tuple[int, ...]) -> int:
        """Return the number of the block that owns a cell of the domain."""
        return next(self._tiling.meeting(Box(cell, tuple(c + 1 for c in cell))))


def _turned(box: Box, axis: int, way: Offset, times: int) -> Box:
    """Return the cells of a box that lie so many times around along an axis, as the domain sees."""
    n = way[axis]
    part = box.clip(axis, max(box.lower[axis], times * n), min(box.upper[axis], (times + 1) * n))
    return part.shift(tuple([-times * step for step in way])) if times else part
