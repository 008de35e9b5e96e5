"""Sweeps along an axis that is cut: a pipeline over the columns of blocks in line.

A block can begin with a column when the block before it has finished it and has handed the carry
on. So the columns are cut into groups: while a block computes one group, the next block computes
the group before. Each cell is computed as if no axis were cut, so with the same bits.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.geometry import UNBOUNDED
from halocline.plan.cells.block import NOBODY
from halocline.plan.value import operations as ops
from halocline.plan.value.parts import Part

if TYPE_CHECKING:
    from collections.abc import Iterable

    from halocline.geometry import Box, Direction
    from halocline.plan.lowering.overlap import Surroundings
    from halocline.plan.schedule.steps import Chain
    from halocline.plan.value.operations import Operation


def sweep_operations(chain: Chain, around: Surroundings) -> list[Operation]:
    """Return the operations of a chain whose last kernel sweeps along an axis that is cut."""
    return _Sweep(chain, around).in_order()


class _Sweep:
    """The operations of one sweep on one rank.

    Attributes:
        blocks: All blocks, as boxes of the cells where the sweep runs.
        count: Number of stages: of places that blocks can have in the order of the sweep.
        groups: Into how many groups columns are cut.
        boxes: For each block of the rank where the kernels run.
        links: For each stage the pairs of blocks of which the second, there, takes a carry from
            the first; those in which a block of the rank takes part.
    """

    def __init__(self, chain: Chain, around: Surroundings) -> None:
        assert chain.launches[-1].kernel.sweep
        self.chain = chain
        self.around = around
        self.launch = chain.launches[-1]
        self.axis, self.sign = chain.launches[-1].kernel.sweep
        self.blocks = around.blocks.decomposition.on(self.launch.space)
        self.count = len(self.blocks.cuts[self.axis]) - 1
        # Groups of a block are those of the next one only where both have the same columns.
        self.groups = 1 if around.blocks.decomposition.is_listed else around.strategy.tiles
        layers = [around.blocks.layers(chain, p) for p in range(len(chain.launches))]
        self.kernels = list(map(around.add_launch, chain.launches, layers))
        boxes = zip(*around.blocks.boxes(chain), strict=True)
        self.boxes = dict(zip(around.blocks.numbers, boxes, strict=True))
        self.links = self._links()

    def _stage(self, number: int) -> int:
        """Return a block's place along the swept axis, in order of the sweep."""
        box, cuts = self.blocks.block(number).box, self.blocks.cuts[self.axis]
        if self.sign > 0:
            return bisect_left(cuts, box.lower[self.axis])
        return self.count - bisect_left(cuts, min(box.upper[self.axis], cuts[-1]))

    def _links(self) -> dict[int, list[tuple[int, int]]]:
        pairs = {(before, n) for n in self.boxes for before in self._next(n, -1, self._line(n))}
        for n in self.boxes:
            after = self._next(n, 1, self.blocks.block(n).box)
            pairs |= {(n, a) for a in after if n in self._next(a, -1, self._line(a))}
        links: dict[int, list[tuple[int, int]]] = {}
        for source, target in sorted(pairs):
            links.setdefault(self._stage(target), []).append((source, target))
        return links

    def in_order(self) -> list[Operation]:
        """Return the operations."""
        fetch = self.around.exchange(self.chain.fetch)
        before = [*fetch.local, *fetch.remote]
        result: list[Operation] = [op for n in before for op in (ops.Start(n), ops.Wait(n))]
        for position in range(len(self.chain.launches) - 1):
            result += self._run(position, self.around.blocks.numbers)
        handed = [
            [self._handed(group, stage) for group in range(self.groups)]
            for stage in range(1, self.count)
        ]
        # What nobody here sends can be awaited from the beginning.
        begun = {
            e for exchanges in handed for e in exchanges if e is not None and not self._sends(e)
        }
        result += map(ops.Start, sorted(begun))
        open_: list[int] = []
        for stage in range(self.count):
            own = [n for n in self.boxes if self._stage(n) == stage]
            for group in range(self.groups):
                arriving = handed[stage - 1][group] if stage else None
                leaving = handed[stage][group] if stage + 1 < self.count else None
                if arriving is not None and own:
                    result.append(ops.Wait(arriving))
                    open_ = [e for e in open_ if e != arriving]
                result += self._run(len(self.chain.launches) - 1, own, group)
                if leaving is not None and leaving not in begun:
                    result.append(ops.Start(leaving))
                    open_.append(leaving)
        result += map(ops.Wait, open_)
        return [*result, *self._told()]

    def _sends(self, exchange: int) -> bool:
        found = self.around.exchanges[exchange]
        return bool(found.sends or found.copies)

    def _run(
        self, position: int, numbers: Iterable[int], group: int | None = None
    ) -> list[Operation]:
        """Return a kernel on some blocks, in all cells or in one group of columns."""
        boxes = []
        for number in numbers:
            box = self.boxes[number][position]
            if box is not None and group is not None:
                box = self._columns(box, group)
            if box is not None:
                boxes.append((number, box))
        zone = "all" if group is None else "columns"
        return [ops.Run(self.kernels[position], zone, tuple(boxes))] if boxes else []

    def _columns(self, box: Box, group: int) -> Box | None:
        """Return one of the groups of the columns of a box; some are empty where there are few."""
        most = max(n for axis, n in enumerate(box.extent) if axis != self.axis)
        pieces = box.split(min(self.groups, most), whole=self.axis)
        return pieces[group] if group < len(pieces) else None

    def _handed(self, group: int, stage: int) -> int | None:
        """Return the exchange that brings a group's carry to a stage; None if not to do with us."""
        return self.around.hand_on(
            part
            for source, target in self.links.get(stage, ())
            for part in self._parts(source, target, group)
        )

    def _told(self) -> list[Operation]:
        """Return what brings the last carry of each column to the other blocks in line."""
        lasts = {n: self._last(n) for n in self.boxes}
        pairs = {(last, n) for n, found in lasts.items() for last in found}
        for n, found in lasts.items():
            if found == {n}:
                whole = self.blocks.block(n).box.clip(self.axis, 0, self.blocks.extent[self.axis])
                pairs |= {(n, other) for other in self._meeting(whole) if n in self._last(other)}
        exchange = self.around.hand_on(
            part
            for source, target in sorted(pairs)
            if source != target
            for part in self._parts(source, target, None)
            if part.field not in self.around.only_carried
        )
        return [] if exchange is None else [ops.Start(exchange), ops.Wait(exchange)]

    def _parts(self, source: int, target: int, group: int | None) -> list[Part]:
        """Return the carries of a group of columns, or all, as they go from block to block."""
        # Blocks where a box of the sweep's does not reach hand on what they get, too.
        columns = frozenset(
            replace(reach, region=reach.region.clip(self.axis, -UNBOUNDED, UNBOUNDED))
            for reach in self.chain.extents[-1]
        )
        box, there = self.around.blocks.where(columns, self.launch.space, (source, target))
        box = box if box is None or group is None else self._columns(box, group)
        if box is None or there is None:
            return []
        box = box.intersect(there.clip(self.axis, -UNBOUNDED, UNBOUNDED))
        if box.is_empty:
            return []
        first, second = (self.blocks.block(n).box.lower[self.axis] for n in (source, target))
        sign = (first > second) - (first < second)
        towards: Direction = tuple(sign if a == self.axis else 0 for a in range(len(box.lower)))
        none = (0,) * len(box.lower)
        return [
            Part(a.field, a.component, source, target, towards, a.space.flat(a.cells(box)), none)
            for a in self.launch.carries
        ]

    def _line(self, number: int) -> Box:
        """Return a block's columns, where blocks in line have the same ones those of one line."""
        box = self.blocks.block(number).box
        for axis, is_lacking in enumerate(self.launch.space.lacks):
            box = box.clip(axis, box.lower[axis], box.lower[axis] + 1) if is_lacking else box
        return box

    def _next(self, number: int, step: int, columns: Box) -> list[int]:
        """Return the blocks in some columns right before (-1) or after (1) another's end."""
        box = self.blocks.block(number).box
        lower, upper = box.lower[self.axis], box.upper[self.axis]
        cell = upper if step * self.sign > 0 else lower - 1
        if not 0 <= cell < self.blocks.extent[self.axis]:
            return []
        return self._meeting(columns.clip(self.axis, cell, cell + 1))

    def _meeting(self, box: Box) -> list[int]:
        return [block.number for block, _ in self.blocks.meeting(box) if block.rank != NOBODY]

    def _last(self, number: int) -> set[int]:
        """Return the blocks that come last in a block's columns."""
        line = self._line(number)
        reached, last = {number}, set()
        while reached:
            one = reached.pop()
            after = self._next(one, 1, line)
            reached |= set(after)
            last |= set() if after else {one}
        return last
