"""The split of a grid into blocks, and of the blocks among ranks."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from halocline.errors import PlanError
from halocline.geometry import AXES, Box, box_of, by_axes
from halocline.plan.blocks.balance import Balance, balance_of
from halocline.plan.blocks.tiling import BlockList, Copies, Cuts, bounds_of, check_tiling
from halocline.plan.blocks.view import BlockView
from halocline.plan.cells.block import NOBODY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.geometry import Offset
    from halocline.language.spaces.role import Role
    from halocline.language.spaces.space import Space
    from halocline.plan.cells.block import Block


@dataclass(frozen=True, slots=True)
class Levels:
    """What the blocks of a forest are.

    Attributes:
        roles: What each block does.
        boxes: For each level, from 'lowest' on, the cells of each block, none where it has none.
        lowest: 0, or negative in a hierarchy (see 'role.py').
        is_hierarchy: Whether covered blocks are all that lies under finer levels.
        depths: How many cells ghost patches reach beyond a level, and under the finer one.
        cut_axes: The axes along which there are several blocks.
        closed: The blocks whose rows go all the way around along x.
    """

    roles: tuple[Role, ...]
    boxes: tuple[tuple[Box, ...], ...]
    lowest: int = 0
    is_hierarchy: bool = False
    depths: tuple[int, ...] = ()
    cut_axes: frozenset[int] = frozenset()
    closed: frozenset[int] = frozenset()

    def on(self, level: int) -> tuple[Box, ...]:
        """Return the cells of each block on a level.

        Raises:
            PlanError: There is no such level.
        """
        number = level - self.lowest
        if not 0 <= number < len(self.boxes):
            raise PlanError(
                f"Level {level} of a forest is used, which the simulation's steps lack.",
                hint="Put what uses it, such as the cycle of a multigrid, into these steps.",
            )
        return self.boxes[number]

    def own_box(self, number: int) -> Box:
        """Return the cells of a block on its own level."""
        return self.on(self.roles[number].level)[number]


@dataclass(frozen=True, slots=True)
class Decomposition:
    """Blocks that tile the domain: all those between cuts, x fastest, or a list of boxes.

    Attributes:
        cuts: For each axis the bounds of the blocks, from 0 to the extent.
        periodic: Whether the grid closes on itself, for each axis.
        ranks: Number of ranks.
        owners: The rank of each block, or NOBODY; without, consecutive blocks belong to the same
            rank.
        boxes: The blocks, if they are not all those between the cuts (see 'of_blocks').
        shifts: For each axis how far along each what crosses its high side is moved; empty for not.
        weights: What each block costs, as whoever cut them says; without, as much as it has cells.
        levels: The levels of a forest; None for a grid.
        pieces: The blocks of equal size that were joined to these (see 'joined.py'), as they are
            shared; None if nothing was joined.
    """

    cuts: tuple[tuple[int, ...], ...]
    periodic: tuple[bool, ...]
    ranks: int
    owners: tuple[int, ...] = ()
    boxes: tuple[Box, ...] = ()
    shifts: tuple[Offset, ...] = ()
    weights: tuple[float, ...] = ()
    levels: Levels | None = None
    pieces: Decomposition | None = None
    _tiling: Cuts | BlockList = field(init=False, repr=False, compare=False)
    _of_rank: dict[int, list[int]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _views: dict[Space | None, BlockView] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        if any(b <= a for cuts in self.cuts for a, b in pairwise(cuts)):
            raise PlanError(f"The cuts {self.cuts} leave a block without cells.")
        tiling = BlockList(self.boxes) if self.boxes else Cuts(self.cuts)
        object.__setattr__(self, "_tiling", tiling)
        if not 1 <= self.ranks <= self.blocks:
            raise PlanError(
                f"{self.blocks} blocks were given to {self.ranks} ranks; expected at least one "
                "block a rank.",
                hint="Use fewer ranks or more blocks.",
            )
        if self.owners:
            self._check_owners()
        for number, rank in enumerate(self.owners):
            self._of_rank.setdefault(rank, []).append(number)

    def _check_owners(self) -> None:
        if len(self.owners) != self.blocks:
            raise PlanError(
                f"{len(self.owners)} owners were given for {self.blocks} blocks; expected one each."
            )
        for number, rank in enumerate(self.owners):
            is_dropped = rank == NOBODY and (not self.boxes or self.pieces is not None)
            if not is_dropped and not 0 <= rank < self.ranks:
                raise PlanError(
                    f"Block {number} was given to rank {rank}; there are ranks 0 to "
                    f"{self.ranks - 1}."
                )
        for rank in sorted(set(range(self.ranks)).difference(self.owners)):
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
        """Intervals between cuts along each axis: the blocks there, unless they are a list."""
        return tuple(len(cuts) - 1 for cuts in self.cuts)

    @property
    def cut(self) -> frozenset[int]:
        """The axes along which there are several blocks."""
        if self.levels is not None:
            return self.levels.cut_axes
        return frozenset(axis for axis, n in enumerate(self.shape) if n > 1)

    @property
    def label(self) -> str:
        """How many blocks there are: '4x2x1', or '17' of a list."""
        return str(self.blocks) if self.boxes else by_axes(self.shape)

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

    def numbers_of(self, rank: int) -> Sequence[int]:
        """Return the numbers of the blocks of a rank."""
        if self.owners:
            return self._of_rank.get(rank, ())
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
        if self.levels is None:
            return [space.cells_of(block.box) for block in self.blocks_of(rank)]
        found = self.on(space).blocks_of(rank)
        return [space.flat(one.box) for one in found if one.is_leaf and not one.box.is_empty]

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
        if self.levels is not None:
            return self._of_level(self.levels, space)
        if space.is_whole:
            copies = Copies(box_of(space.extent), self.blocks)
            shifts = space.own_shifts if space.shifts else self.shifts
            return BlockView(self, _uncut(space), copies, shifts, space.closing)
        cuts, boxes = self._scaled(space)
        tiling = BlockList(boxes) if boxes else Cuts(cuts)
        return BlockView(self, cuts, tiling, space.own_shifts, space.closing)

    def _of_level(self, levels: Levels, space: Space) -> BlockView:
        boxes = levels.on(space.level)
        guests = frozenset(n for n, role in enumerate(levels.roles) if role.is_guest_in(space))
        return BlockView(
            self,
            _uncut(space),
            BlockList(boxes, [n for n in range(len(boxes)) if n not in guests]),
            self.shifts,
            space.closing,
            guests=guests,
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
