"""The split of a grid into blocks, and of the blocks among ranks; computed, never stored."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise, product
from math import prod
from operator import mul
from typing import TYPE_CHECKING

from halocline.errors import PlanError, nearest
from halocline.geometry import AXES, UNBOUNDED, Box, directions, even_cuts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.geometry import Direction, Offset
    from halocline.language.space import Space

# What a cell of a side costs across each axis, where nothing better is known: across the
# unit-stride axis it is packed cell by cell, not in whole rows.
PRICES = (4.0, 1.25, 1.0)
_NAMES = ("rows", "tiles", "pencils")


# The owner of a block that is dropped.
NOBODY = -1


@dataclass(frozen=True, slots=True)
class Block:
    """The box of cells owned by a rank.

    Attributes:
        number: Position among all blocks, x fastest.
        index: Position on each axis.
        rank: Its owner; NOBODY if it is dropped.
        box: Its cells of the domain.
        owned: The same and, at the edge of the domain, all boundary layers beyond it.
        wrap: Cells once around the grid along x if the block goes all the way: its rows close on
            themselves, which is left to kernels (see 'wrap.py'); else 0.
    """

    number: int
    index: tuple[int, ...]
    rank: int
    box: Box
    owned: Box
    wrap: int = 0


@dataclass(frozen=True, slots=True)
class Decomposition:
    """Blocks that tile the domain.

    Attributes:
        cuts: For each axis the bounds of the blocks, from 0 to the extent.
        periodic: Whether the grid closes on itself, for each axis.
        ranks: Number of ranks.
        owners: The rank of each block, or NOBODY; without, consecutive blocks belong to the same
            rank.
        closing: For each axis how many cells the last blocks have beyond the last cut: 1 where a
            field has a face more than there are cells. Empty for none.
    """

    cuts: tuple[tuple[int, ...], ...]
    periodic: tuple[bool, ...]
    ranks: int
    owners: tuple[int, ...] = ()
    closing: tuple[int, ...] = ()
    _known: dict[int, Block] = field(default_factory=dict, init=False, repr=False, compare=False)
    _others: dict[Space, Decomposition] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        if any(b <= a for cuts in self.cuts for a, b in pairwise(cuts)):
            raise PlanError(f"The cuts {self.cuts} leave a block without cells.")
        if not 1 <= self.ranks <= self.blocks:
            raise PlanError(
                f"{self.blocks} blocks were given to {self.ranks} ranks; expected at least one "
                "block a rank.",
                hint="Use fewer ranks or more blocks.",
            )

    @property
    def shape(self) -> tuple[int, ...]:
        """Blocks along each axis."""
        return tuple(len(cuts) - 1 for cuts in self.cuts)

    @property
    def blocks(self) -> int:
        """Number of blocks."""
        return prod(self.shape)

    @property
    def extent(self) -> tuple[int, ...]:
        """Cells of the domain along each axis."""
        return tuple(cuts[-1] for cuts in self.cuts)

    @property
    def wrap(self) -> int:
        """The wrap of every block."""
        return self.extent[0] if self.periodic[0] and self.shape[0] == 1 else 0

    def on(self, space: Space) -> Decomposition:
        """Return the same blocks as boxes of a space's cells.

        Along an axis that the space lacks they are those of its grid: each block has its only cell
        there.
        """
        if space not in self._others:
            cuts = [
                tuple(int(cut * s) for cut in cuts)
                for cuts, s in zip(self.cuts, space.scale, strict=True)
            ]
            self._others[space] = replace(self, cuts=tuple(cuts), closing=space.closing)
        return self._others[space]

    def block(self, number: int) -> Block:
        """Return the block with a number; it is asked for again and again."""
        if number not in self._known:
            self._known[number] = self._block(number)
        return self._known[number]

    def _block(self, number: int) -> Block:
        index, rest = [], number
        for n in self.shape:
            index.append(rest % n)
            rest //= n
        closing = self.closing or (0,) * len(index)
        along = list(zip(self.cuts, index, closing, strict=True))
        box = Box(
            tuple(cuts[i] for cuts, i, _ in along),
            tuple(cuts[i + 1] + (more if i + 2 == len(cuts) else 0) for cuts, i, more in along),
        )
        rank = self.owners[number] if self.owners else number * self.ranks // self.blocks
        return Block(number, tuple(index), rank, box, self._with_layers(box), self.wrap)

    def _with_layers(self, box: Box) -> Box:
        """Return the box grown without bound across the sides of the domain that it touches."""
        for axis, (n, is_periodic) in enumerate(zip(self.extent, self.periodic, strict=True)):
            if not is_periodic:
                lower = box.lower[axis] if box.lower[axis] else -UNBOUNDED
                upper = box.upper[axis] if box.upper[axis] < n else UNBOUNDED
                box = box.clip(axis, lower, upper)
        return box

    def blocks_of(self, rank: int) -> tuple[Block, ...]:
        """Return the blocks of a rank."""
        if self.owners:
            return tuple(self.block(n) for n, owner in enumerate(self.owners) if owner == rank)
        first = -(-rank * self.blocks // self.ranks)
        last = -(-(rank + 1) * self.blocks // self.ranks)
        return tuple(self.block(number) for number in range(first, last))

    def is_first_along(self, axes: Sequence[bool], number: int) -> bool:
        """Return whether a block is the first that exists of those in line with it along axes."""
        index = self.block(number).index
        ranges = [
            range(n) if is_along else (i,)
            for n, i, is_along in zip(self.shape, index, axes, strict=True)
        ]
        in_line = (self.block(self._number(place[::-1])) for place in product(*ranges[::-1]))
        return next(b.number for b in in_line if b.rank != NOBODY) == number

    def absent(self, block: Block) -> list[Box]:
        """Return the cells of dropped blocks next to a block, as it sees them."""
        found = (self.neighbour(block, d) for d in directions(len(self.extent)))
        return [
            other.box.shift(shift) for other, shift in filter(None, found) if other.rank == NOBODY
        ]

    def neighbour(self, block: Block, direction: Direction) -> tuple[Block, Offset] | None:
        """Return the block in a direction and where it lies, or None beyond the domain.

        The second value moves a box from the neighbour's own coordinates to where 'block' sees
        it: zero, but a whole extent across a periodic side.
        """
        index, shift = [], []
        for i, d, n, extent, is_periodic in zip(
            block.index, direction, self.shape, self.extent, self.periodic, strict=True
        ):
            turns, position = divmod(i + d, n)
            if turns and not is_periodic:
                return None
            index.append(position)
            shift.append(turns * extent)
        return self.block(self._number(index)), tuple(shift)

    def number_at(self, cell: Sequence[int]) -> int:
        """Return the number of the block that owns a cell of the domain."""
        index = [bisect_right(cuts, c) - 1 for cuts, c in zip(self.cuts, cell, strict=True)]
        return self._number(index)

    def _number(self, index: Sequence[int]) -> int:
        """Return the number of the block at a position, x fastest."""
        strides = accumulate((1, *self.shape), mul)
        return sum(i * stride for i, stride in zip(index, strides, strict=False))


def decompose(  # noqa: PLR0913 (what a split depends on)
    extent: tuple[int, ...],
    periodic: tuple[bool, ...],
    ranks: int,
    shape: str | Sequence[int] | None = None,
    blocks: int = 1,
    prices: Sequence[float] = PRICES,
    *,
    grain: tuple[int, ...] = (),
    swept: frozenset[int] = frozenset(),
) -> Decomposition:
    """Split a grid into nearly equal blocks.

    Args:
        extent: Cells along each axis.
        periodic: Whether the grid closes on itself, for each axis.
        ranks: Number of ranks.
        shape: Blocks along each axis; or 'rows' (cut the slowest axis), 'tiles' (the two
            slowest), 'pencils' (all but x); None for the shape with the cheapest sides.
        blocks: Blocks a rank.
        prices: What a cell of a block's sides across each axis costs, in any unit.
        grain: Blocks have multiples of so many cells along each axis: those of coarser grids.
        swept: Axes along which kernels sweep: they are cut only if the others do not suffice.

    Raises:
        PlanError: There are more blocks than cells, or the shape does not fit.
    """
    wanted = ranks * blocks
    grain = grain or (1,) * len(extent)
    grains = tuple(n // g for n, g in zip(extent, grain, strict=True))
    what = "cells" if set(grain) == {1} else "cells of the coarsest grid"
    if wanted > prod(grains):
        raise PlanError(
            f"{ranks} ranks with {blocks} block(s) each were asked to share {prod(grains)} {what}; "
            "expected at least one cell a block.",
            hint=f"Use at most {prod(grains) // blocks} ranks.",
        )
    if isinstance(shape, str):
        shape = parse_shape(shape)
    if shape is None or isinstance(shape, str):
        axes = _axes(shape, len(extent))
        others = tuple(axis for axis in axes if axis not in swept)
        if shape is None and _shapes(grains, wanted, others):
            axes = others
        shape = _cheapest(grains, wanted, axes, prices)
    if len(shape) != len(extent) or prod(shape) % ranks or any(s < 1 for s in shape):
        raise PlanError(
            f"The decomposition {'x'.join(map(str, shape))} was asked for on {ranks} ranks and a "
            f"grid of {len(extent)} axes; expected {len(extent)} positive numbers whose product "
            f"is a multiple of {ranks}.",
        )
    for axis, (n, parts) in enumerate(zip(grains, shape, strict=True)):
        if parts > n:
            raise PlanError(
                f"The decomposition cuts {AXES[axis]} into {parts} blocks, but there are only {n} "
                f"{what}.",
                hint="Use fewer ranks or another decomposition.",
            )
    along = zip(grains, shape, grain, strict=True)
    cuts = tuple(tuple(cut * g for cut in even_cuts(n, parts)) for n, parts, g in along)
    return Decomposition(cuts, periodic, ranks)


def parse_shape(text: str) -> str | tuple[int, ...]:
    """Return the name of a decomposition, or the blocks along each axis that '4x2x1' means.

    Raises:
        PlanError: It is neither.
    """
    parts = text.split("x")
    if all(map(str.isdecimal, parts)):
        return tuple(map(int, parts))
    if text not in _NAMES:
        raise PlanError(f"There is no decomposition '{text}'.", hint=nearest(text, _NAMES))
    return text


def _axes(name: str | None, dimensions: int) -> tuple[int, ...]:
    """Return the axes that a named decomposition may cut."""
    axes = tuple(range(dimensions))
    named = {
        None: axes,
        "rows": axes[-1:],
        "tiles": axes[-2:],
        "pencils": axes[1:] or axes,
    }
    return named[name]


def _cheapest(
    extent: tuple[int, ...], parts: int, axes: tuple[int, ...], prices: Sequence[float]
) -> tuple[int, ...]:
    """Return the shape with the least price of sides a block; ties cut the slowest axis."""
    shapes = _shapes(extent, parts, axes)
    if not shapes:
        raise PlanError(
            f"{parts} blocks cannot be cut from a grid of {'x'.join(map(str, extent))} cells along "
            f"{', '.join(AXES[a] for a in axes)}.",
            hint="Use another number of ranks or another decomposition.",
        )
    return min(shapes, key=lambda shape: (_price(extent, shape, prices), shape))


def _shapes(extent: tuple[int, ...], parts: int, axes: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the shapes of so many blocks that cut some axes only."""
    return [
        shape
        for shape in _factorings(parts, len(extent))
        if all(s == 1 or a in axes for a, s in enumerate(shape))
        and all(s <= n for s, n in zip(shape, extent, strict=True))
    ]


def _factorings(number: int, count: int) -> list[tuple[int, ...]]:
    if count == 1:
        return [(number,)]
    return [
        (first, *rest)
        for first in range(1, number + 1)
        if number % first == 0
        for rest in _factorings(number // first, count - 1)
    ]


def _price(extent: tuple[int, ...], shape: tuple[int, ...], prices: Sequence[float]) -> float:
    block = [n / s for n, s in zip(extent, shape, strict=True)]
    return sum(prices[axis] * prod(block) / block[axis] for axis, s in enumerate(shape) if s > 1)
