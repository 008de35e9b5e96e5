"""Whole fields get the values that blocks have computed for their own cells: an all-gather.

It doubles what each rank has with every exchange, as Bruck's algorithm does for any number of
ranks: after n of them a rank has the cells of 2^n ranks, its own and those that follow, and with
the next one gets as many again from the rank that far ahead. So p ranks need log2(p) exchanges,
rounded up, of one message each. Bruck, Ho, Kipnis, Upfal and Weathersby, Efficient algorithms for
all-to-all communications in multiport message-passing systems, IEEE TPDS 8 (1997), section 4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.plan.lowering.overlap import chain_operations
from halocline.plan.value import operations as ops
from halocline.plan.value.parts import Part

if TYPE_CHECKING:
    from collections.abc import Iterable

    from halocline.geometry import Box
    from halocline.plan.cells.access import Access
    from halocline.plan.lowering.overlap import Surroundings
    from halocline.plan.schedule.steps import Chain
    from halocline.plan.value.operations import Operation


def allgather_operations(chain: Chain, around: Surroundings) -> list[Operation]:
    """Return the operations of a chain whose last kernel assigns own cells of replicated fields."""
    found = _Gathering(chain, around).exchanges()
    between = [op for n in found if n is not None for op in (ops.Start(n), ops.Wait(n))]
    return [*chain_operations(chain, around), *between]


class _Gathering:
    """The exchanges of one kernel's results, as one rank takes part in them."""

    def __init__(self, chain: Chain, around: Surroundings) -> None:
        self.launch = chain.launches[-1]
        self.around = around
        self.blocks = around.blocks.decomposition
        self.rank = self.blocks.block(around.blocks.numbers[0]).rank
        self.ranks = self.blocks.ranks

    def exchanges(self) -> list[int | None]:
        """Return them in order; None where this rank has nothing to do."""
        first, *others = self.around.blocks.numbers
        own = [part for n in others for part in self._parts(n, first, [n])]
        result = [self.around.hand_on(own)]
        distance = 1
        while distance < self.ranks:
            below, above = (self.rank + way * distance for way in (-1, 1))
            count = min(distance, self.ranks - distance)
            pairs = {(self.rank, below % self.ranks), (above % self.ranks, self.rank)}
            moved = (part for pair in sorted(pairs) for part in self._passed(*pair, count))
            result.append(self.around.hand_on(moved))
            distance *= 2
        every = range(self.blocks.blocks)
        rest = (part for n in others for part in self._parts(first, n, set(every) - {n}))
        return [*result, self.around.hand_on(rest)]

    def _passed(self, source: int, target: int, count: int) -> Iterable[Part]:
        """Yield what a rank passes on to another: the cells of so many ranks, from its own on."""
        ends = [self.blocks.blocks_of(rank)[0].number for rank in (source, target)]
        ranks = [(source + n) % self.ranks for n in range(count)]
        numbers = [block.number for rank in ranks for block in self.blocks.blocks_of(rank)]
        return self._parts(ends[0], ends[1], numbers)

    def _parts(self, source: int, target: int, numbers: Iterable[int]) -> Iterable[Part]:
        """Yield the cells of some blocks, as they go from block to block."""
        here = (0,) * len(self.blocks.extent)
        for access in dict.fromkeys(a._replace(offset=here) for a in self.launch.gathered):
            for number in sorted(numbers):
                for box in self._own(access, number):
                    yield Part(access.field, access.component, source, target, here, box, here)

    def _own(self, access: Access, number: int) -> list[Box]:
        """Return the cells of a replicated field that a block computes, and none before it."""
        space = replace(access.space, is_replicated=False)
        blocks = self.blocks.on(space)
        region = space.flat(access.spanned(self.launch.region).intersect(space.domain))
        boxes = (space.flat(box) for box in blocks.first_to_own(space.lacks, number))
        return [box for one in boxes if not (box := one.intersect(region)).is_empty]
