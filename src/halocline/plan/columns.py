"""Sweeps along an axis that is cut: a pipeline over the columns of blocks in line.

A block can begin with a column when the block before it has finished it and has handed the carry
on. So the columns are cut into groups: while a block computes one group, the next block computes
the group before. Each cell is computed as if no axis were cut, so with the same bits.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from halocline.geometry import UNBOUNDED
from halocline.plan import plan as ops
from halocline.plan.decomposition import NOBODY
from halocline.plan.message import Part

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from halocline.geometry import Box, Direction
    from halocline.plan.access import Access
    from halocline.plan.overlap import Surroundings
    from halocline.plan.plan import Operation
    from halocline.plan.program import Launch
    from halocline.plan.step import Chain


def sweep_operations(chain: Chain, around: Surroundings) -> list[Operation]:
    """Return the operations of a chain whose last kernel sweeps along an axis that is cut."""
    return _Sweep(chain, around).in_order()


class _Sweep:
    """The operations of one sweep on one rank.

    Attributes:
        stages: The numbers of blocks by their place along the swept axis, in order of the sweep.
        groups: Into how many groups columns are cut.
    """

    def __init__(self, chain: Chain, around: Surroundings) -> None:
        assert chain.launches[-1].kernel.sweep
        self.chain = chain
        self.around = around
        self.launch = chain.launches[-1]
        self.axis, self.sign = chain.launches[-1].kernel.sweep
        self.blocks = around.blocks.decomposition
        self.groups = around.strategy.tiles
        self.stages = self._stages()
        layers = [around.blocks.layers(chain, p) for p in range(len(chain.launches))]
        self.kernels = list(map(around.add_launch, chain.launches, layers))
        self.boxes = {n: around.blocks.boxes(chain, n) for n in around.blocks.numbers}

    def _stages(self) -> list[list[int]]:
        stages: list[list[int]] = [[] for _ in range(self.blocks.shape[self.axis])]
        for number in range(self.blocks.blocks):
            block = self.blocks.block(number)
            if block.rank != NOBODY:
                stages[block.index[self.axis]].append(number)
        return stages[:: self.sign]

    def in_order(self) -> list[Operation]:
        """Return the operations."""
        fetch = self.around.exchange(self.chain.fetch)
        before = [*fetch.local, *fetch.remote]
        result: list[Operation] = [op for n in before for op in (ops.Start(n), ops.Wait(n))]
        for position in range(len(self.chain.launches) - 1):
            result += self._run(position, self.around.blocks.numbers)
        handed = [
            [self._handed(group, stage) for group in range(self.groups)]
            for stage in range(1, len(self.stages))
        ]
        # What nobody here sends can be awaited from the beginning.
        begun = {
            e for exchanges in handed for e in exchanges if e is not None and not self._sends(e)
        }
        result += map(ops.Start, sorted(begun))
        open_: list[int] = []
        for stage, numbers in enumerate(self.stages):
            own = [n for n in numbers if n in self.boxes]
            for group in range(self.groups):
                arriving = handed[stage - 1][group] if stage else None
                leaving = handed[stage][group] if stage + 1 < len(self.stages) else None
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
        parts = []
        for target in self.stages[stage]:
            source = self._beside(target, -1)
            if source is not None:
                parts += self._parts(source, target, group)
        return self.around.hand_on(parts)

    def _told(self) -> list[Operation]:
        """Return what brings the last carry of each column to the other blocks in line."""
        parts = [
            part
            for target in (n for numbers in self.stages[:-1] for n in numbers)
            for source in [self._last(target)]
            if source != target
            for part in self._parts(source, target, None)
            if part.field not in self.around.only_carried
        ]
        exchange = self.around.hand_on(parts)
        return [] if exchange is None else [ops.Start(exchange), ops.Wait(exchange)]

    def _parts(self, source: int, target: int, group: int | None) -> list[Part]:
        """Return the carries of a group of columns, or all, as they go from block to block."""
        # Blocks where a box of the sweep's does not reach hand on what they get, too.
        columns = [
            replace(reach, region=reach.region.clip(self.axis, -UNBOUNDED, UNBOUNDED))
            for reach in self.chain.extents[-1]
        ]
        box = self.around.blocks.where(columns, self.launch.space, source)
        box = box if box is None or group is None else self._columns(box, group)
        if box is None:
            return []
        first, second = self.blocks.block(source).index, self.blocks.block(target).index
        towards: Direction = tuple((a > b) - (a < b) for a, b in zip(first, second, strict=True))
        none = (0,) * len(box.lower)
        return [
            Part(a.field, a.component, source, target, towards, a.space.flat(a.cells(box)), none)
            for a in carries(self.launch)
        ]

    def _beside(self, number: int, step: int) -> int | None:
        """Return the block before (-1) or after (1) another in the order of the sweep."""
        block = self.blocks.block(number)
        along = step * self.sign
        index = block.index[self.axis] + along
        if not 0 <= index < self.blocks.shape[self.axis]:
            return None
        direction = tuple(along if a == self.axis else 0 for a in range(len(block.index)))
        found = self.blocks.neighbour(block, direction)
        return None if found is None or found[0].rank == NOBODY else found[0].number

    def _last(self, number: int) -> int:
        while (after := self._beside(number, 1)) is not None:
            number = after
        return number


def carries(launch: Launch) -> Sequence[Access]:
    """Return what a sweep hands on from cell to cell."""
    assert launch.kernel.sweep
    axis, _ = launch.kernel.sweep
    return [a for a in launch.assigns if a.ratio and not a.ratio[axis]]
