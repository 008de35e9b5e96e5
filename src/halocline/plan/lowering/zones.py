"""Core and rim: which cells of a block can be computed while messages travel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from halocline.box_array import BoxArray
from halocline.frozen import Frozen
from halocline.geometry import UNBOUNDED, Box
from halocline.memo import memoised
from halocline.plan.cells.access import untouched
from halocline.plan.cells.wrap import reached

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from halocline.language.spaces.role import Role
    from halocline.language.spaces.space import Space
    from halocline.plan.blocks.decomposition import Decomposition
    from halocline.plan.cells.access import Boxes
    from halocline.plan.cells.block import BlockArray
    from halocline.plan.cells.reach import Reach
    from halocline.plan.exchange.liveness import PatchLiveness
    from halocline.plan.program.program import Launch
    from halocline.plan.schedule.steps import Chain
    from halocline.plan.value.operations import Layers


class Zone(Frozen):
    """Where one kernel runs on one block: 'box' is all of it, core and rim tile it.

    An empty core means that nothing can be computed while messages travel.
    """

    box: Box
    core: Box

    @property
    def rim(self) -> tuple[Box, ...]:
        """The cells of 'box' outside the core, as at most 2d boxes."""
        return self.box.subtract(self.core)


class Blocks(Frozen, dict=True):
    """The blocks of a rank, as boxes of whichever space.

    Attributes:
        decomposition: All blocks.
        numbers: Those of the rank.
        use: What ghost patches of a forest use; None where all is.
    """

    decomposition: Decomposition
    numbers: tuple[int, ...]
    use: PatchLiveness | None = None

    @classmethod
    def of_rank(cls, decomposition: Decomposition, rank: int) -> Blocks:
        """Return those of a rank."""
        return cls(decomposition, tuple(block.number for block in decomposition.blocks_of(rank)))

    def doing(self, role: Role) -> Blocks:
        """Return those on which kernels of a role run."""
        there = self.decomposition.levels.running(role, np.array(self.numbers, np.intp))
        return replace(self, numbers=tuple(there.tolist()))

    def where(
        self, extent: frozenset[Reach], space: Space, numbers: Sequence[int]
    ) -> list[Box | None]:
        """Return where a kernel runs on each of some blocks; None where it does not.

        The cells one must compute can have a ragged shape; computing the box around them is
        simpler, and what is computed too much is read by no one.
        """
        return _flat(_reached(extent, self._table(space, tuple(numbers))).boxes(), space)

    @memoised
    def _table(self, space: Space, numbers: tuple[int, ...]) -> BlockArray:
        return self.decomposition.on(space).table(numbers)

    def boxes(self, chain: Chain) -> list[list[Box | None]]:
        """Return where each kernel of a chain runs: on each block a box, or None."""
        # Many kernels run where others do.
        places: dict[tuple[frozenset[Reach], Space], BoxArray] = {}
        found = []
        for extent, launch in zip(chain.extents, chain.launches, strict=True):
            if (extent, launch.space) not in places:
                blocks = self._table(launch.space, self.numbers)
                places[extent, launch.space] = _reached(extent, blocks)
            found.append(places[extent, launch.space])
        every = BoxArray(*(np.stack(ends, axis=1) for ends in zip(*found, strict=True)))
        if self.use is not None:
            every = self.use.narrowed(chain.launches, self.numbers, every)
        # Of all kernels at once: of most there are few.
        boxes = BoxArray(*(end.reshape(len(end), -1) for end in every)).boxes()
        count = len(self.numbers)
        return [
            _flat(boxes[n * count : (n + 1) * count], launch.space)
            for n, launch in enumerate(chain.launches)
        ]

    def layers(self, chain: Chain, position: int) -> Layers:
        """Return on each block where the inlined kernels of a kernel run: a box each, or None.

        Nothing of a kernel without any.
        """
        space = chain.launches[position].space
        producing = chain.producing[position]
        if not producing:
            return {}
        found = [self.where(extent, space, self.numbers) for extent in producing]
        return dict(zip(self.numbers, zip(*found, strict=True), strict=True))


def _reached(extent: frozenset[Reach], blocks: BlockArray) -> BoxArray:
    """Return boxes around where a kernel runs on each of some blocks."""
    if not extent:
        return BoxArray.without_cells(*blocks.box.lower.shape)
    return reached(extent, blocks).around()


def _flat(boxes: list[Box | None], space: Space) -> list[Box | None]:
    """Return boxes of a space's cells, each with the only one along each axis that it lacks."""
    if not any(space.lacks):
        return boxes
    return [None if box is None else space.flat(box) for box in boxes]


def on_block(chain: Chain, found: Iterable[Layers], number: int) -> Chain:
    """Return the chain without inlined kernels that do not run on a block."""
    launches = [
        _with(launch, where.get(number, ()))
        for launch, where in zip(chain.launches, found, strict=True)
    ]
    return replace(chain, launches=tuple(launches))


def _with(launch: Launch, found: Sequence[Box | None]) -> Launch:
    """Return a kernel with those inlined kernels that run somewhere."""
    if all(box is not None for box in found):
        return launch
    producers = zip(launch.kernel.inlined, found, strict=True)
    running = tuple(producer for producer, box in producers if box is not None)
    return replace(launch, kernel=replace(launch.kernel, inlined=running))


def core_first(
    chain: Chain, wholes: Sequence[Box | None], arriving: Boxes, kept: Boxes, split: int
) -> list[Zone | None]:
    """Return zones such that no core reads or writes what is still arriving, or precedes a rim.

    Args:
        chain: The kernels.
        wholes: Where each runs on a block.
        arriving: Halo cells in flight, by field and component.
        kept: Own cells that must keep their values until others have read them.
        split: How many kernels, counted from the first, may have a core.
    """
    zones: list[Zone | None] = []
    for position, (launch, box) in enumerate(zip(chain.launches, wholes, strict=True)):
        if box is None:
            zones.append(None)
            continue
        core = _untouched(box, launch, arriving) if position < split else _nothing(box)
        core = _unwritten(core, launch, kept)
        for earlier, zone in zip(chain.launches, zones, strict=False):
            if zone:
                core = _follow(core, launch, _unbounded_where_equal(zone), earlier)
        zones.append(Zone(box, core))
    return zones


def rim_first(
    chain: Chain, wholes: Sequence[Box | None], leaving: Boxes, arriving: Boxes, split: int
) -> list[Zone | None]:
    """Return zones such that the rims alone produce what is to be sent.

    Nor does a core read or write halo cells into which new values may come at any time.

    Args:
        chain: The kernels.
        wholes: Where each runs on a block.
        leaving: Cells to be sent, by field and component.
        arriving: Halo cells that are filled meanwhile, by field and component.
        split: How many kernels, counted from the last, may have a core.
    """
    zones: list[Zone | None] = [None] * len(wholes)
    for position in reversed(range(len(wholes))):
        launch, box = chain.launches[position], wholes[position]
        if box is None:
            continue
        core = _nothing(box)
        if len(wholes) - position <= split:
            core = _untouched(box, launch, arriving)
        core = _unwritten(core, launch, leaving)
        for later, zone in zip(chain.launches[position + 1 :], zones[position + 1 :], strict=True):
            if zone:
                core = _follow(core, launch, _unbounded_where_equal(zone), later)
        zones[position] = Zone(box, core)
    return zones


def _untouched(box: Box, launch: Launch, arriving: Boxes) -> Box:
    """Return the cells where a kernel neither reads nor writes what arrives."""
    core = box
    for access in launch.reads:
        for halo in arriving.get(access.key, ()):
            core = _avoid(core, access.users(halo), launch)
    return _unwritten(core, launch, arriving)


def _unwritten(core: Box, launch: Launch, cells: Boxes) -> Box:
    """Return the part of a core where a kernel assigns to none of some cells."""
    for access in launch.assigns:
        for box in cells.get(access.key, ()):
            core = _avoid(core, access.users(box), launch)
    return core


def _nothing(box: Box) -> Box:
    return Box(box.lower, box.lower)


def _follow(core: Box, launch: Launch, other_core: Box, other: Launch) -> Box:
    """Return the cells of a core all of whose dependences lie in the other kernel's core."""
    whole = core
    for mine, others in launch.conflicts(other):
        core = core.intersect(untouched(other_core, others, mine))
    if launch.kernel.sweep:
        axis, _ = launch.kernel.sweep
        is_cut = core.lower[axis] > whole.lower[axis] or core.upper[axis] < whole.upper[axis]
        return _nothing(whole) if is_cut else core
    return core


def _unbounded_where_equal(zone: Zone) -> Box:
    """Return a core without bounds where it ends with its box: beyond, nothing is waited for."""
    core = zone.core
    if core.is_empty:
        return core
    for axis in range(len(core.lower)):
        lower, upper = core.lower[axis], core.upper[axis]
        core = core.clip(
            axis,
            -UNBOUNDED if lower == zone.box.lower[axis] else lower,
            UNBOUNDED if upper == zone.box.upper[axis] else upper,
        )
    return core


def _avoid(core: Box, forbidden: Box, launch: Launch) -> Box:
    """Return the largest box in 'core' without a forbidden cell, of whole columns of a sweep."""
    common = core.intersect(forbidden)
    if common.is_empty:
        return core
    swept = launch.kernel.sweep[0] if launch.kernel.sweep else None
    candidates = [
        piece
        for axis in range(len(core.lower))
        if axis != swept
        for piece in (
            core.clip(axis, core.lower[axis], common.lower[axis]),
            core.clip(axis, common.upper[axis], core.upper[axis]),
        )
    ]
    return max(candidates, key=lambda piece: piece.cells, default=_nothing(core))
