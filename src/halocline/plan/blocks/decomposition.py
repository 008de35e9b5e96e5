"""The split of a grid into blocks, and of the blocks among ranks."""

from __future__ import annotations

import hashlib
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from halocline.box_array import BoxArray, enumerated
from halocline.errors import PlanError
from halocline.frozen import Frozen
from halocline.geometry import AXES, UNBOUNDED, Box, box_of, by_axes, directions
from halocline.language.spaces.translations import translations_of
from halocline.memo import memoised
from halocline.plan.blocks.balance import Balance, balance_of
from halocline.plan.blocks.levels import Levels
from halocline.plan.blocks.tiling import BlockList, Cuts, Replicas, bounds_of, check_tiling
from halocline.plan.cells.block import NOBODY, Block, BlockArray

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from halocline.geometry import Direction, Offset
    from halocline.language.spaces.space import Space
    from halocline.plan.blocks.tiling import Tiling


class Decomposition(Frozen, dict=True):
    """Blocks that tile the domain: all those between cuts, x fastest, a list, or a forest's.

    Attributes:
        cuts: For each axis the bounds of the blocks, from 0 to the extent.
        periodic: Whether the grid closes on itself, for each axis.
        ranks: Number of ranks.
        owners: The rank of each block, or NOBODY; without, consecutive blocks belong to the same
            rank.
        boxes: The blocks, if they are a list (see 'of_blocks').
        shifts: For each axis how far along each what crosses its high side is moved; empty for not.
        weights: What each block costs, as whoever cut them says; without, as much as it has cells.
        levels: The blocks of a forest and their levels.
        pieces: The blocks of equal size that were joined to these (see 'joined.py'), as they are
            shared; None if nothing was joined.

    Example:
        >>> blocks = hc.Decomposition(((0, 4, 8), (0, 8)), periodic=(False, False), ranks=2)
    """

    cuts: tuple[tuple[int, ...], ...]
    periodic: tuple[bool, ...]
    ranks: int
    owners: tuple[int, ...] = ()
    boxes: tuple[Box, ...] = ()
    shifts: tuple[Offset, ...] = ()
    weights: tuple[float, ...] = ()
    levels: Levels = Levels()
    pieces: Decomposition | None = None

    def __post_init__(self) -> None:
        if any(b <= a for cuts in self.cuts for a, b in pairwise(cuts)):
            raise PlanError(f"The cuts {self.cuts} leave a block without cells.")
        if not 1 <= self.ranks <= self.blocks:
            raise PlanError(
                f"{self.blocks} blocks were given to {self.ranks} ranks; expected at least one "
                "block a rank.",
                hint="Use fewer ranks or more blocks.",
            )
        if self.owners:
            self._check_owners()

    @cached_property
    def _tiling(self) -> Cuts | BlockList:
        if self.is_forest:
            return BlockList(self.levels.on(0))
        return BlockList(BoxArray.of(self.boxes)) if self.boxes else Cuts(self.cuts)

    @cached_property
    def _owners(self) -> NDArray[np.intp]:
        return np.array(self.owners, np.intp)

    @cached_property
    def _by_owner(self) -> NDArray[np.intp]:
        """The numbers of all blocks, those of each rank together and in ascending order."""
        return np.argsort(self._owners, kind="stable")

    @cached_property
    def _views(self) -> dict[Space | None, BlockView]:
        return {}

    def _check_owners(self) -> None:
        if len(self.owners) != self.blocks:
            raise PlanError(
                f"{len(self.owners)} owners were given for {self.blocks} blocks; expected one each."
            )
        is_known = (self._owners >= 0) & (self._owners < self.ranks)
        if not self.is_listed or self.pieces is not None:
            is_known |= self._owners == NOBODY
        for number in np.flatnonzero(~is_known)[:1].tolist():
            raise PlanError(
                f"Block {number} was given to rank {self.owners[number]}; there are ranks 0 to "
                f"{self.ranks - 1}."
            )
        counts = np.bincount(self._owners[self._owners != NOBODY], minlength=self.ranks)
        for rank in np.flatnonzero(counts == 0)[:1].tolist():
            raise PlanError(f"Rank {rank} was given no block; expected at least one block a rank.")

    @classmethod
    def of_blocks(
        cls,
        extent: tuple[int, ...],
        periodic: tuple[bool, ...],
        ranks: int,
        boxes: Sequence[Box],
        owners: Sequence[int] = (),
    ) -> Decomposition:
        """Return a decomposition into any boxes that tile the domain.

        Args:
            extent: Cells along each axis.
            periodic: Whether the grid closes on itself, for each axis.
            ranks: Number of ranks.
            boxes: The blocks, by number.
            owners: The rank of each; without, consecutive blocks belong to the same rank.

        Raises:
            PlanError: The blocks do not hold each cell once, or not each has an owner.
        """
        check_tiling(boxes, extent)
        return cls(bounds_of(boxes), periodic, ranks, tuple(owners), boxes=tuple(boxes))

    @property
    def shape(self) -> tuple[int, ...]:
        """Intervals between cuts along each axis: the blocks there, unless they are listed."""
        return tuple(len(cuts) - 1 for cuts in self.cuts)

    @property
    def is_forest(self) -> bool:
        """Whether blocks have levels, which meet at borders."""
        return bool(self.levels.roles)

    @property
    def is_listed(self) -> bool:
        """Whether blocks are not all those between cuts."""
        return bool(self.boxes) or self.is_forest

    @property
    def cut(self) -> frozenset[int]:
        """The axes along which there are several blocks."""
        if self.is_forest:
            return self.levels.cut_axes
        return frozenset(axis for axis, n in enumerate(self.shape) if n > 1)

    @property
    def label(self) -> str:
        """How many blocks there are: '4x2x1', or '17' of a list."""
        return str(self.blocks) if self.is_listed else by_axes(self.shape)

    @property
    def listing(self) -> str:
        """What the blocks are, in words, the same of equal ones; of a forest a digest of them."""
        if not self.is_forest:
            return " ".join(map(str, self.boxes)) or str(self.cuts)
        ends = b"".join([end.tobytes() for end in self.levels.boxes])
        digest = hashlib.blake2b(ends, digest_size=16).hexdigest()
        roles = zip(self.levels.roles, self.levels.counts, strict=True)
        return ", ".join([*(f"{count} of {role}" for role, count in roles), f"digest {digest}"])

    @property
    def blocks(self) -> int:
        """Number of blocks."""
        return len(self._tiling)

    @property
    def balance(self) -> Balance:
        """How evenly blocks are shared, by their weights."""
        if self.pieces is not None:
            return self.pieces.balance
        weights = self.weights or [self._tiling.box(n).cells for n in range(self.blocks)]
        return balance_of(weights, [self.rank_of(n) for n in range(self.blocks)], self.ranks)

    @property
    def extent(self) -> tuple[int, ...]:
        """Cells of the domain along each axis."""
        return tuple(cuts[-1] for cuts in self.cuts)

    def rank_of(self, number: int) -> int:
        """Return the rank that has a block, or NOBODY."""
        return self.owners[number] if self.owners else number * self.ranks // self.blocks

    def ranks_of(self, numbers: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the ranks of blocks, NOBODY of those that are dropped."""
        return self._owners[numbers] if self.owners else numbers * self.ranks // self.blocks

    def numbers_of(self, rank: int) -> Sequence[int]:
        """Return the numbers of the blocks of a rank."""
        if self.owners:
            ends = np.searchsorted(self._owners, (rank, rank + 1), sorter=self._by_owner)
            numbers: list[int] = self._by_owner[slice(*ends)].tolist()
            return numbers
        first, last = (-(-n * self.blocks // self.ranks) for n in (rank, rank + 1))
        return range(first, last)

    @property
    def base(self) -> BlockView:
        """The blocks as boxes of the first grid's cells, in a forest of its coarsest level's."""
        if None not in self._views:
            self._views[None] = BlockView(self, self.cuts, self._tiling, self.shifts)
        return self._views[None]

    def block(self, number: int) -> Block:
        """Return the block with a number."""
        return self.base.block(number)

    def blocks_of(self, rank: int) -> tuple[Block, ...]:
        """Return the blocks of a rank."""
        return self.base.blocks_of(rank)

    def own_boxes(self, rank: int, space: Space) -> list[Box]:
        """Return the cells of a space that users see of a rank's blocks."""
        return [space.flat(block.box) for block in self.on(space).seen_of(rank)]

    def on(self, space: Space) -> BlockView:
        """Return the blocks as boxes of a space's cells.

        Along an axis that the space lacks they are those of its grid: each block has its only cell
        there. Of a replicated space each has all cells.

        Raises:
            PlanError: A cut leads through a cell.
        """
        if space not in self._views:
            self._views[space] = self._view(space)
        return self._views[space]

    def _view(self, space: Space) -> BlockView:
        if self.is_forest:
            return self._of_level(space)
        if space.is_replicated:
            copies = Replicas(box_of(space.extent), self.blocks)
            shifts = space.own_shifts if space.shifts else self.shifts
            return BlockView(self, _uncut(space), copies, shifts, space.closing)
        cuts, boxes = self._scaled(space)
        tiling = BlockList(BoxArray.of(boxes)) if boxes else Cuts(cuts)
        return BlockView(self, cuts, tiling, space.own_shifts, space.closing)

    def _of_level(self, space: Space) -> BlockView:
        boxes, levels = self.levels.on(space.level), self.levels
        return BlockView(
            self,
            _uncut(space),
            BlockList(boxes, levels.having(lambda role: not role.is_guest_in(space))),
            self.shifts,
            space.closing,
            guests=levels.having(lambda role: role.is_guest_in(space)),
            everyone=BlockList(boxes),
        )

    def _scaled(self, space: Space) -> tuple[tuple[tuple[int, ...], ...], tuple[Box, ...]]:
        """Return cuts and boxes in cells of a space."""

        def scaled(ends: Sequence[int]) -> tuple[int, ...]:
            return tuple(int(end * s) for end, s in zip(ends, space.scale, strict=True))

        cuts = [[cut * s for cut in along] for along, s in zip(self.cuts, space.scale, strict=True)]
        for axis, along in enumerate(cuts):
            split = next((n for n, cut in enumerate(along) if cut.denominator > 1), None)
            if split is not None:
                raise PlanError(
                    f"The blocks are cut along {AXES[axis]} at {self.cuts[axis][split]}, within a "
                    f"cell of a grid of {by_axes(space.extent)} cells; expected multiples of "
                    f"{space.scale[axis].denominator}.",
                    hint="Use blocks whose bounds are multiples of the ratio, or make the grid "
                    "whole.",
                )
        boxes = tuple(Box(scaled(box.lower), scaled(box.upper)) for box in self.boxes)
        return tuple(tuple(map(int, along)) for along in cuts), boxes


def _uncut(space: Space) -> tuple[tuple[int, ...], ...]:
    return tuple((0, n) for n in space.extent)


class Meetings(NamedTuple):
    """Pairs of boxes and blocks that own some of their cells, in ascending order of the boxes.

    Attributes:
        box: The position of the box.
        number: The number of the block.
        shift: What moves a box from the block's own coordinates to where the box sees it: zero, but
            once around across periodic sides (axes, pairs).
    """

    box: NDArray[np.intp]
    number: NDArray[np.intp]
    shift: NDArray[np.int64]


class BlockView:
    """The blocks of a decomposition as boxes of a space's cells.

    Args:
        decomposition: Owners, roles, and which axes are periodic.
        cuts: For each axis where blocks begin and end, from 0 to the extent of the space.
        tiling: The boxes.
        shifts: For each axis how far along each what crosses its high side is moved; empty for not.
        closing: For each axis how many faces there are more than cells. Empty for none.
        guests: The blocks whose cells are others' own, in ascending order.
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
        guests: Sequence[int] | NDArray[np.intp] = (),
        everyone: Tiling | None = None,
    ) -> None:
        self.decomposition = decomposition
        self.cuts = cuts
        self.extent = tuple(along[-1] for along in cuts)
        self._tiling = tiling
        self._closing = closing
        self._guests = np.asarray(guests, np.intp)
        self._everyone = everyone or tiling
        self._translations = translations_of(self.extent, decomposition.periodic, shifts)
        self._has_straight_rows = any(
            translation.axis == 0 and translation.is_straight for translation in self._translations
        )
        self._known: dict[int, Block] = {}

    @property
    def is_replicated(self) -> bool:
        """Whether each block has all cells."""
        return isinstance(self._tiling, Replicas)

    def wrap_of(self, number: int) -> int:
        """Return the cells once around the grid if the rows of a block close on themselves, else 0.

        Rows of blocks that have all cells do not where others are cut along x: kernels in these
        read them, too. Nor do those of a list that is cut anywhere along x: others ask where values
        assigned next door lie; in a forest nobody does.
        """
        return self.block(number).wrap

    def block(self, number: int) -> Block:
        """Return the block with a number; it is asked for again and again."""
        if number not in self._known:
            self._learn([number])
        return self._known[number]

    @memoised
    def blocks_of(self, rank: int) -> tuple[Block, ...]:
        """Return the blocks of a rank."""
        return self._learnt(self.decomposition.numbers_of(rank))

    @memoised
    def seen_of(self, rank: int) -> tuple[Block, ...]:
        """Return the blocks of a rank that have cells which users see."""
        return self._learnt(self._seen(self.decomposition.numbers_of(rank)).tolist())

    @cached_property
    def seen(self) -> NDArray[np.intp]:
        """The blocks of all ranks that have cells which users see, in ascending order."""
        return self._seen(range(self.decomposition.blocks))

    def _seen(self, numbers: Sequence[int]) -> NDArray[np.intp]:
        """Return which of some blocks have cells that users see."""
        blocks = self.table(numbers)
        is_leaf = self.decomposition.levels.have(lambda role: role.is_leaf, blocks.number)
        return blocks.number[is_leaf & blocks.box.has_cells & ~blocks.is_guest]

    def _learnt(self, numbers: Sequence[int]) -> tuple[Block, ...]:
        self._learn([n for n in numbers if n not in self._known])
        return tuple([self._known[n] for n in numbers])

    def _learn(self, numbers: Sequence[int]) -> None:
        found, split = self.table(numbers), self.decomposition
        kinds, kind = split.levels.kinds, split.levels.kind_of(found.number)
        rows = zip(
            numbers,
            split.ranks_of(found.number).tolist(),
            found.box.every(),
            found.owned.every(),
            found.wrap.tolist(),
            [kinds[n] for n in kind.tolist()],
            found.is_guest.tolist(),
            strict=True,
        )
        self._known.update({row[0]: Block(*row) for row in rows})

    def _placed(self, boxes: BoxArray) -> tuple[BoxArray, BoxArray]:
        """Return boxes with closing faces, and with layers beyond the domain's sides as well.

        They reach without bound across the sides of the domain that they touch.
        """
        lower, upper = boxes.lower.copy(), boxes.upper.copy()
        extent = np.array(self.extent)[:, None]
        if self._closing:
            upper += np.where(upper == extent, np.array(self._closing)[:, None], 0)
        is_open = ~np.array(self.decomposition.periodic)[:, None]
        owned = BoxArray(
            np.where(is_open & (lower == 0), -UNBOUNDED, lower),
            np.where(is_open & (upper >= extent), UNBOUNDED, upper),
        )
        return BoxArray(lower, upper), owned

    def table(self, numbers: Sequence[int] | NDArray[np.intp]) -> BlockArray:
        """Return blocks, by their numbers."""
        if len(numbers) > self.decomposition.blocks:  # some of them several times
            return self._every.take(np.asarray(numbers, np.intp))
        found = np.asarray(numbers, np.intp)
        boxes = self._tiling.boxes(found)
        has_cells = boxes.has_cells
        (box, owned) = self._placed(boxes)
        return BlockArray(
            found,
            box,
            BoxArray(*(np.where(has_cells, *ends) for ends in zip(owned, box, strict=True))),
            np.where(has_cells, self._wraps(found), 0),
            has_cells & self._are_guests(found),
        )

    @cached_property
    def _every(self) -> BlockArray:
        return self.table(range(self.decomposition.blocks))

    def _are_guests(self, numbers: NDArray[np.intp]) -> NDArray[np.bool_]:
        if not len(self._guests):
            return np.zeros(len(numbers), bool)
        return self._is_guest[numbers]

    @cached_property
    def _is_guest(self) -> NDArray[np.bool_]:
        """Whether the cells of each block are others' own."""
        found = np.zeros(self.decomposition.blocks, bool)
        found[self._guests] = True
        return found

    def _wraps(self, numbers: NDArray[np.intp]) -> NDArray[np.int64]:
        split = self.decomposition
        found = np.zeros(len(numbers), np.int64)
        if not self._has_straight_rows:
            return found
        if not split.is_forest:
            return found + (self.extent[0] if split.shape[0] == 1 else 0)
        closes = np.isin(numbers, split.levels.closed) & ~self._are_guests(numbers)
        lower, upper = split.levels.boxes.take(numbers[closes])
        found[closes] = upper[0] - lower[0]
        return found

    def meeting(
        self, box: Box, asking: int | None = None, *, are_guests: bool = False
    ) -> Iterator[tuple[Block, Offset]]:
        """Yield the blocks that own cells of a box, and where each of them lies; see 'meetings'.

        Args:
            box: The cells.
            asking: The number of the block that asks; None if nobody does.
            are_guests: Whether to yield blocks whose cells are others' own, too.
        """
        asks = None if asking is None else np.array([asking])
        found = self.meetings(BoxArray.of([box]), asks, are_guests=are_guests)
        for number, shift in zip(found.number.tolist(), found.shift.T.tolist(), strict=True):
            yield self.block(number), tuple(shift)

    def meetings(
        self, boxes: BoxArray, asking: NDArray[np.intp] | None, *, are_guests: bool = False
    ) -> Meetings:
        """Return the blocks that own cells of boxes, and where each of them lies.

        Boundary layers belong to the blocks at the edge, cells beyond a periodic side to those
        whose image lies there. Where all blocks have all cells, the one that asks is its own
        source.

        Args:
            boxes: The cells.
            asking: The numbers of the blocks that ask; None if nobody does.
            are_guests: Whether to return blocks whose cells are others' own, too.
        """
        box = np.flatnonzero(boxes.has_cells)
        seen, shift = boxes.take(box), np.zeros((len(self.extent), len(box)), np.int64)
        for axis, way in self._translations:
            n, step = self.extent[axis], np.array(way)[:, None]
            if seen.lower[axis].min(initial=0) >= 0 and seen.upper[axis].max(initial=n) <= n:
                continue  # none lies beyond
            first = seen.lower[axis] // n
            image, turn = enumerated(-(-seen.upper[axis] // n) - first)
            turn += first[image]
            box, shift = box[image], shift[:, image] + turn * step
            seen = seen.take(image)
            seen.lower[axis] = np.maximum(seen.lower[axis], turn * n)
            seen.upper[axis] = np.minimum(seen.upper[axis], (turn + 1) * n)
            seen = seen.moved(-turn * step)
        if self.is_replicated and asking is not None:
            return Meetings(box, asking[box], shift)
        tiling = self._everyone if are_guests else self._tiling
        image, number = tiling.meeting(self._inside(seen))
        return Meetings(box[image], number, shift[:, image])

    def _inside(self, boxes: BoxArray) -> BoxArray:
        """Return the cells of boxes in the domain; the first or last for what lies beyond."""
        extent = np.array(self.extent)[:, None]
        lower = np.clip(boxes.lower, 0, extent - 1)
        return BoxArray(lower, np.clip(boxes.upper, 1, extent))

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
        _, number = self._tiling.meeting(BoxArray.of([Box(cell, tuple(c + 1 for c in cell))]))
        return int(number[0])
