"""One chain on one rank: its kernels and what stands between them, in the order of a strategy."""

from __future__ import annotations

from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.frozen import Frozen
from halocline.plan.lowering import zones
from halocline.plan.lowering.arrivals import Piece, arrivals
from halocline.plan.lowering.traffic import Traffic, traffic
from halocline.plan.value import operations as ops

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from halocline.geometry import Box
    from halocline.plan.cells.access import Boxes
    from halocline.plan.cells.reach import Needs
    from halocline.plan.cells.strategy import Strategy
    from halocline.plan.program.program import Launch
    from halocline.plan.schedule.steps import Break, Chain
    from halocline.plan.value.messages import Exchange
    from halocline.plan.value.operations import Layers, Operation
    from halocline.plan.value.parts import Part


class Exchanges(Frozen):
    """The exchanges that meet some needs, by their positions in the plan.

    Attributes:
        local: Copies between blocks of the rank, complete as soon as they are started.
        remote: Everything else, to be done one after the other.
    """

    local: tuple[int, ...]
    remote: tuple[int, ...]


class Surroundings(Frozen):
    """What the operations of a chain refer to.

    Attributes:
        strategy: The choices.
        blocks: Those of the rank.
        exchanges: The plan's exchanges by position; grows when new ones are asked for.
        exchange: Gives the exchanges that meet needs.
        only_carried: Storages of which nobody reads what a sweep leaves in them.
        hand_on: Gives the exchange that moves some parts; None where they do not concern the rank.
        add_launch: Gives a kernel its number in the plan, with the cells of its inlined kernels on
            each block.
        between: Gives the operations of what stands between two kernels.
    """

    strategy: Strategy
    blocks: zones.Blocks
    exchanges: list[Exchange]
    exchange: Callable[[Needs], Exchanges]
    only_carried: frozenset[str]
    hand_on: Callable[[Iterable[Part]], int | None]
    add_launch: Callable[[Launch, Layers], int]
    between: Callable[[Break], Sequence[Operation]]


def chain_operations(chain: Chain, around: Surroundings) -> list[Operation]:
    """Return the operations of a chain."""
    return _ChainOperations(chain, around).in_order()


class _ChainOperations:
    """Chooses the order; kernels are counted by their position in the chain."""

    def __init__(self, chain: Chain, around: Surroundings) -> None:
        self.chain = chain
        self.around = around
        self.strategy = around.strategy
        self.end = len(chain.launches)
        self.blocks = blocks = around.blocks.doing(chain.role)
        self.boxes = blocks.boxes(chain)
        self.layers = [blocks.layers(chain, p) for p in range(self.end)]
        self.numbers = list(map(around.add_launch, chain.launches, self.layers))

    @cached_property
    def on_block(self) -> dict[int, Chain]:
        """The kernels on each block."""
        return {n: zones.on_block(self.chain, self.layers, n) for n in self.blocks.numbers}

    def in_order(self) -> list[Operation]:
        """Return the operations."""
        if self.strategy.overlap == "postponed":
            return self._postponed()
        fetch = self.around.exchange(self.chain.fetch)
        send = self.around.exchange(self.chain.send)
        if send.remote:
            return [*self._now((*fetch.local, *fetch.remote)), *self._rim_first(send)]
        if fetch.remote and self.strategy.overlap == "core-first":
            return self._core_first(fetch)
        before = self._now((*fetch.local, *fetch.remote))
        return [*before, *self._whole(0, self.end), *self._now(send.local)]

    def _core_first(self, fetch: Exchanges) -> list[Operation]:
        """Split the kernels before the first break; what follows it waits for their rims."""
        first_end = min((b.position for b in self.chain.breaks), default=self.end)
        moving = self._traffic(fetch.remote)
        # Own cells leave when their stage begins, or stay readable until the end if not packed.
        kept = moving.leaving if self.strategy.is_unpacked else {}
        unsent = moving.leaving if len(fetch.remote) > 1 else kept
        split = min(self._split(), first_end)
        zoned = [
            zones.core_first(
                self.on_block[number],
                wholes,
                moving.arriving.get(number, {}),
                unsent.get(number, {}),
                split,
            )
            for number, wholes in self._by_block()
        ]
        core = self._tiles(self._pieces(zoned, "core", range(first_end)))
        # A kernel that is run several times between two exchanges may need those of its first run.
        is_late = not self.strategy.is_widening
        rim = self._pieces(zoned, "rim", range(first_end), is_late=is_late)
        *earlier, last = fetch.remote
        before, share = self._overlapped(earlier, core, len(fetch.remote))
        return [
            *self._now(fetch.local),
            *before,
            ops.Start(last),
            *self._polled(last, share),
            *self._wait_and(last, rim, kept),
            *self._breaks_at(first_end),
            *self._whole(first_end, self.end),
        ]

    def _wait_and(self, number: int, rim: list[Piece], kept: dict[int, Boxes]) -> list[Operation]:
        """Return the wait for the last exchange and the rim: after it, or as messages arrive."""
        if self.strategy.wait == "all":
            return [ops.Wait(number), *_joined(rim)]
        exchange = self.around.exchanges[number]
        ready, rest = arrivals(
            exchange, self.on_block, rim, kept, self.blocks.decomposition.base.wrap_of
        )
        return [ops.WaitAny(number, ready), *_joined(rest)]

    def _rim_first(self, send: Exchanges) -> list[Operation]:
        """Split the kernels after the last break; what precedes it runs whole."""
        last_begin = max((b.position for b in self.chain.breaks), default=0)
        moving = self._traffic(send.remote)
        split = min(self._split(), self.end - last_begin)
        zoned = [
            zones.rim_first(
                self.on_block[number],
                wholes,
                moving.leaving.get(number, {}),
                moving.arriving.get(number, {}),
                split,
            )
            for number, wholes in self._by_block()
        ]
        core = self._tiles(self._pieces(zoned, "core", range(last_begin, self.end)))
        rim = self._pieces(zoned, "rim", range(last_begin, self.end))
        *earlier, last = send.remote
        before, share = self._overlapped(earlier, core, len(send.remote))
        return [
            *self._whole(0, last_begin),
            *self._breaks_at(last_begin),
            *_joined(rim),
            *before,
            ops.Start(last),
            *self._polled(last, share),
            self._wait(last),
            *self._now(send.local),
        ]

    def _postponed(self) -> list[Operation]:
        """Split nothing; start at once, and wait before the first kernel that uses it.

        But before the end of the step: a run may end there.
        """
        result: list[Operation] = []
        waits: dict[int, list[Operation]] = {}
        at_end: dict[int, list[Operation]] = {}
        for first, needs in self.chain.by_first_use(self.chain.fetch).items():
            result += self._start_all_but_wait(needs)
            end = next((position for position in self.chain.step_ends if position <= first), None)
            where, position = (waits, first) if end is None else (at_end, end)
            where.setdefault(position, []).extend(self._last_wait(needs))
        for needs in self.chain.late:
            # The kernel that used all of them first may have been inlined in several since.
            first = min(self.chain.by_first_use(needs))
            waits.setdefault(first, []).extend(self._last_wait(needs))
        starts: dict[int, list[Operation]] = {}
        for needs in self.chain.early:
            starts.setdefault(self._last_use(needs), []).extend(self._start_all_but_wait(needs))
        result += starts.get(-1, [])
        for position in range(self.end):
            result += at_end.get(position, [])
            result += self._breaks_at(position)
            result += waits.get(position, [])
            result += self._run(position)
            result += starts.get(position, [])
        return result

    def _last_use(self, needs: Needs) -> int:
        """Return the position of the last kernel that must be over before an exchange; -1 if none.

        It writes what is needed. A whole halo also overwrites layers that were filled here, and
        which kernels may still read.
        """
        fields = {need.field for need in needs}
        is_whole = self.strategy.width == "full"
        used = [
            {name for name, _ in (*launch.writes, *(a.key for a in launch.reads if is_whole))}
            for launch in self.chain.launches
        ]
        return max((p for p in range(self.end) if used[p] & fields), default=-1)

    def _start_all_but_wait(self, needs: Needs) -> list[Operation]:
        found = self.around.exchange(needs)
        before = self._now((*found.local, *found.remote[:-1]))
        return [*before, *(ops.Start(number) for number in found.remote[-1:])]

    def _last_wait(self, needs: Needs) -> list[Operation]:
        return [self._wait(number) for number in self.around.exchange(needs).remote[-1:]]

    def _wait(self, number: int) -> Operation:
        return ops.Wait(number) if self.strategy.wait == "all" else ops.WaitAny(number, ())

    def _now(self, numbers: Iterable[int]) -> list[Operation]:
        return [op for number in numbers for op in (ops.Start(number), self._wait(number))]

    def _by_block(self) -> Iterator[tuple[int, tuple[Box | None, ...]]]:
        """Yield each block with where the kernels run there."""
        return zip(self.blocks.numbers, zip(*self.boxes, strict=True), strict=True)

    def _split(self) -> int:
        limit = self.strategy.overlapped
        return self.end if limit is None else limit

    def _whole(self, first: int, end: int) -> list[Operation]:
        """Return kernels that are not split, with what stands between them."""
        result: list[Operation] = []
        for position in range(first, end):
            result += self._breaks_at(position) if position > first else []
            result += self._run(position)
        return result

    def _run(self, position: int) -> list[Operation]:
        """Return a kernel on all cells where it must run."""
        boxes = [
            (number, box)
            for number, box in zip(self.blocks.numbers, self.boxes[position], strict=True)
            if box is not None
        ]
        return [ops.Run(self.numbers[position], "all", tuple(boxes))] if boxes else []

    def _breaks_at(self, position: int) -> list[Operation]:
        return [
            op
            for item in self.chain.breaks
            if item.position == position
            for op in self.around.between(item)
        ]

    def _pieces(
        self,
        zoned: list[list[zones.Zone | None]],
        which: str,
        positions: range,
        *,
        is_late: bool = False,
    ) -> list[Piece]:
        """Return the cells of a zone, kernel by kernel."""
        return [
            Piece(position, ops.Run(self.numbers[position], which, ((number, box),), is_late))
            for position in positions
            for number, found in zip(self.blocks.numbers, zoned, strict=True)
            for box in _boxes(found[position], which)
            if not box.is_empty
        ]

    def _tiles(self, core: list[Piece]) -> list[ops.Run]:
        """Cut the core into about as many tiles as asked for, large boxes into more than small."""
        total = sum(piece.box.cells for piece in core)
        return [
            replace(piece.run, boxes=((piece.block, tile),))
            for piece in core
            for tile in piece.box.split(
                max(1, round(self.strategy.tiles * piece.box.cells / total)),
                # A sweep goes through whole columns.
                whole=(self.chain.launches[piece.position].kernel.sweep or (None,))[0],
            )
        ]

    def _overlapped(
        self, exchanges: list[int], core: list[ops.Run], parts: int
    ) -> tuple[list[Operation], list[ops.Run]]:
        """Return exchanges done one after the other, each with a share of the core meanwhile.

        Returns:
            The operations, and what is left of the core for the last of 'parts' exchanges.
        """
        result: list[Operation] = []
        rest = list(core)
        for left, number in zip(range(parts, 0, -1), exchanges, strict=False):
            share = _share(rest, left)
            rest = rest[len(share) :]
            result += [ops.Start(number), *self._polled(number, share), self._wait(number)]
        return result, rest

    @staticmethod
    def _polled(number: int, tiles: list[ops.Run]) -> list[Operation]:
        """Return tiles with polls between those of one kernel; small kernels need none."""
        result: list[Operation] = []
        for before, run in zip((None, *tiles), tiles, strict=False):
            is_tile = before is not None and before.launch == run.launch
            result += [ops.Poll(number), run] if is_tile else [run]
        return result

    def _traffic(self, exchanges: tuple[int, ...]) -> Traffic:
        found = [self.around.exchanges[number] for number in exchanges]
        return traffic(found, self.blocks.decomposition.base.wrap_of)


def _joined(pieces: Iterable[Piece]) -> list[Operation]:
    """Return one operation for all boxes of a kernel."""
    result: list[ops.Run] = []
    for piece in pieces:
        if result and result[-1].launch == piece.run.launch:
            result[-1] = replace(result[-1], boxes=result[-1].boxes + piece.run.boxes)
        else:
            result.append(piece.run)
    return list(result)


def _share(runs: list[ops.Run], parts: int) -> list[ops.Run]:
    """Return the first of 'parts' nearly equal shares of the cells, in whole operations."""
    if parts == 1:
        return runs
    sizes = list(accumulate(sum(box.cells for _, box in run.boxes) for run in runs))
    return [run for run, size in zip(runs, sizes, strict=True) if size * parts <= sizes[-1]]


def _boxes(zone: zones.Zone | None, which: str) -> tuple[Box, ...]:
    if zone is None:
        return ()
    return (zone.core,) if which == "core" else zone.rim
