"""From the schedule, which holds for all blocks, to the operations of one rank."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING

from halocline.errors import PlanError
from halocline.geometry import box_of
from halocline.plan import plan as ops
from halocline.plan import zones
from halocline.plan.exchange import Exchange, Exchanger
from halocline.plan.layout import make_layouts
from halocline.plan.program import Called, Checked, Exchanged, Reduced
from halocline.plan.schedule import Chain, EveryItem, LoopItem, Refresh, make_schedule

if TYPE_CHECKING:
    from collections.abc import Iterable

    from halocline.geometry import Box
    from halocline.plan.decomposition import Decomposition
    from halocline.plan.layout import FieldLayout
    from halocline.plan.program import Launch, Program
    from halocline.plan.reach import Needs
    from halocline.plan.schedule import Schedule, ScheduleItem
    from halocline.plan.strategy import Strategy

# MPI guarantees message tags up to this number.
_LARGEST_TAG = 32767


def make_plan(
    program: Program,
    decomposition: Decomposition,
    strategy: Strategy,
    rank: int,
    layouts: tuple[FieldLayout, ...] | None = None,
) -> ops.Plan:
    """Return the plan of one rank; needs neither MPI nor the plans of others.

    Args:
        program: The step.
        decomposition: Blocks and their owners.
        strategy: How to distribute the step.
        rank: Whose plan.
        layouts: How fields are already stored, if they are.

    Raises:
        PlanError: A halo is wider than a block, or wider than fields are stored with.
    """
    schedule = make_schedule(program, strategy)
    wanted = make_layouts(program, schedule)
    if layouts is not None:
        _check_layouts(wanted, layouts)
    lowering = _Lowering(program, decomposition, strategy, rank, layouts or wanted)
    return lowering.plan(schedule)


def _check_layouts(wanted: Iterable[FieldLayout], stored: Iterable[FieldLayout]) -> None:
    known = {layout.name: layout for layout in stored}
    for layout in wanted:
        have = known[layout.name]
        widths = zip(layout.lower + layout.upper, have.lower + have.upper, strict=True)
        if any(need > there for need, there in widths):
            raise PlanError(
                f"Field '{layout.name}' would need a halo of {max(layout.lower + layout.upper)} "
                f"cells, but is stored with {max(have.lower + have.upper)}.",
                hint="Put the kernel into the steps of the simulation, then its halo is known.",
            )


@dataclass(frozen=True, slots=True)
class _Exchanges:
    """Positions of the exchanges that meet some needs.

    Attributes:
        local: Copies between blocks of the rank, complete as soon as they are started.
        remote: Everything else, to be done one after the other.
    """

    local: tuple[int, ...]
    remote: tuple[int, ...]


class _Lowering:
    """Collects kernels and exchanges while it walks the schedule."""

    def __init__(
        self,
        program: Program,
        decomposition: Decomposition,
        strategy: Strategy,
        rank: int,
        layouts: tuple[FieldLayout, ...],
    ) -> None:
        self.domain = box_of(program.extent)
        self.decomposition = decomposition
        self.strategy = strategy
        self.rank = rank
        self.layouts = layouts
        self.blocks = decomposition.blocks_of(rank)
        self.exchanger = Exchanger(decomposition, layouts, strategy)
        self.launches: list[Launch] = []
        self.exchanges: list[Exchange] = []
        self.positions: dict[Needs, _Exchanges] = {}
        self.numbers = 0

    def plan(self, schedule: Schedule) -> ops.Plan:
        prologue = self._exchange_now(schedule.prologue)
        step = self._items(schedule.items)
        if self.numbers > _LARGEST_TAG:
            raise PlanError(
                f"The step has {self.numbers} exchanges; expected at most {_LARGEST_TAG}."
            )
        return ops.Plan(
            self.rank,
            self.strategy,
            self.decomposition,
            self.layouts,
            tuple(self.launches),
            tuple(self.exchanges),
            tuple(prologue),
            (tuple(step),),
        )

    def _items(self, items: Iterable[ScheduleItem]) -> list[ops.Operation]:
        return [op for item in items for op in self._item(item)]

    def _item(self, item: ScheduleItem) -> list[ops.Operation]:
        match item:
            case Chain():
                return self._chain(item)
            case Refresh(needs):
                return self._exchange_now(needs)
            case Exchanged(first, second):
                return [ops.SwapNames(first, second)]
            case LoopItem(count, items):
                return [ops.Loop(count, tuple(self._items(items)))]
            case EveryItem(interval, items):
                return [ops.EveryNth(interval, tuple(self._items(items)))]
            case Reduced(kind, field, component, result):
                return [ops.Reduce(kind, field, component, self._domain_boxes(), result)]
            case Called(callback):
                return [ops.CallFunction(callback)]
            case Checked(fields):
                return [ops.Check(field, self._domain_boxes()) for field in fields]

    def _domain_boxes(self) -> tuple[ops.Placed, ...]:
        return tuple((block.number, block.box) for block in self.blocks)

    def _exchange(self, needs: Needs) -> _Exchanges:
        """Return the exchanges that meet the needs; equal needs share them."""
        if not needs:
            return _Exchanges((), ())
        if needs not in self.positions:
            made = self.exchanger.exchanges(needs, self.rank, self.numbers)
            # Every rank counts all exchanges, so that numbers agree where some have nothing to do.
            self.numbers += len(made)
            self.positions[needs] = self._sorted([e for e in made if not e.is_empty])
        return self.positions[needs]

    def _sorted(self, made: list[Exchange]) -> _Exchanges:
        """Part copies within the rank, which take no time to arrive, from messages.

        The stages of a staged exchange use each other's results, so they stay as they are unless
        no message is sent at all.
        """
        if len(made) > 1 and any(e.sends or e.receives for e in made):
            return _Exchanges((), self._added(made))
        local = [replace(e, sends=(), receives=()) for e in made if e.copies]
        remote = [replace(e, copies=()) for e in made if e.sends or e.receives]
        return _Exchanges(self._added(local), self._added(remote))

    def _added(self, exchanges: list[Exchange]) -> tuple[int, ...]:
        first = len(self.exchanges)
        self.exchanges += exchanges
        return tuple(range(first, len(self.exchanges)))

    @staticmethod
    def _now(numbers: Iterable[int]) -> list[ops.Operation]:
        return [op for n in numbers for op in (ops.Start(n), ops.Wait(n))]

    def _exchange_now(self, needs: Needs) -> list[ops.Operation]:
        exchanges = self._exchange(needs)
        return self._now((*exchanges.local, *exchanges.remote))

    def _chain(self, chain: Chain) -> list[ops.Operation]:
        first = len(self.launches)
        self.launches += chain.launches
        numbers = range(first, len(self.launches))
        before = self._poison(chain) if self.strategy.poison else []
        fetch, send = self._exchange(chain.fetch), self._exchange(chain.send)
        if send.remote:
            before += self._exchange_now(chain.fetch)
            zoned = self._zones(chain, send.remote, is_sending=True)
            core = self._tiles(self._runs(numbers, zoned, "core"))
            rim = self._runs(numbers, zoned, "rim")
            return [*before, *rim, *self._overlapped(send.remote, core), *self._now(send.local)]
        if fetch.remote and self.strategy.overlap == "core-first":
            before += self._now(fetch.local)
            zoned = self._zones(chain, fetch.remote, is_sending=False)
            core = self._tiles(self._runs(numbers, zoned, "core"))
            rim = self._runs(numbers, zoned, "rim")
            return [*before, *self._overlapped(fetch.remote, core), *rim]
        before += self._exchange_now(chain.fetch)
        runs = self._runs(numbers, self._zones(chain, (), is_sending=False), "all")
        return [*before, *runs, *self._exchange_now(chain.send)]

    def _zones(
        self, chain: Chain, exchanges: tuple[int, ...], *, is_sending: bool
    ) -> list[list[zones.Zone | None]]:
        """Return core and rim of each kernel, for each block."""
        limit = self.strategy.overlapped
        split = len(chain.launches) if limit is None else limit
        divide = zones.rim_first if is_sending else zones.core_first
        moving = self._leaving(exchanges) if is_sending else self._arriving(exchanges)
        return [
            divide(chain, block.owned, moving.get(block.number, {}), split) for block in self.blocks
        ]

    def _arriving(self, exchanges: tuple[int, ...]) -> dict[int, zones.Boxes]:
        """Return the halo cells in flight on each block."""
        result: dict[int, zones.Boxes] = {}
        for exchange in (self.exchanges[n] for n in exchanges):
            received = [part for message in exchange.receives for part in message.parts]
            for part in (*received, *exchange.copies):
                boxes = result.setdefault(part.target, {})
                boxes.setdefault((part.field, part.component), []).append(part.box)
        return result

    def _leaving(self, exchanges: tuple[int, ...]) -> dict[int, zones.Boxes]:
        """Return the cells to be sent from each block."""
        result: dict[int, zones.Boxes] = {}
        for exchange in (self.exchanges[n] for n in exchanges):
            sent = [part for message in exchange.sends for part in message.parts]
            for part in (*sent, *exchange.copies):
                boxes = result.setdefault(part.source, {})
                boxes.setdefault((part.field, part.component), []).append(part.source_box)
        return result

    def _runs(
        self, numbers: range, zoned: list[list[zones.Zone | None]], which: str
    ) -> list[ops.Run]:
        """Return one operation for each kernel that has cells in a zone."""
        runs = []
        for position, number in enumerate(numbers):
            boxes: list[ops.Placed] = []
            for block, zone_list in zip(self.blocks, zoned, strict=True):
                zone = zone_list[position]
                boxes += [(block.number, box) for box in _boxes(zone, which) if not box.is_empty]
            if boxes:
                runs.append(ops.Run(number, which, tuple(boxes)))
        return runs

    def _tiles(self, runs: list[ops.Run]) -> list[ops.Run]:
        """Cut the core into about as many tiles as asked for, large boxes into more than small."""
        total = sum(box.cells for run in runs for _, box in run.boxes)
        return [
            replace(run, boxes=((number, tile),))
            for run in runs
            for number, box in run.boxes
            for tile in box.split(max(1, round(self.strategy.tiles * box.cells / total)))
        ]

    @staticmethod
    def _overlapped(exchanges: tuple[int, ...], core: list[ops.Run]) -> list[ops.Operation]:
        """Return exchanges done one after the other, each with a share of the core meanwhile."""
        result: list[ops.Operation] = []
        rest = list(core)
        for left, number in zip(range(len(exchanges), 0, -1), exchanges, strict=True):
            share = _share(rest, left)
            rest = rest[len(share) :]
            result.append(ops.Start(number))
            for before, run in zip((None, *share), share, strict=False):
                # Between the tiles of one kernel; the small kernels around it need no poll.
                is_tile = before is not None and before.launch == run.launch
                result += [ops.Poll(number), run] if is_tile else [run]
            result.append(ops.Wait(number))
        return result

    def _poison(self, chain: Chain) -> list[ops.Operation]:
        """Overwrite all copies of what is out of date, so that a stale read cannot go unseen."""
        components: dict[str, list[int]] = {}
        for field, component in sorted(chain.stale):
            components.setdefault(field, []).append(component)
        result: list[ops.Operation] = []
        for layout in self.layouts:
            if layout.name in components:
                boxes = self._halo(layout)
                which = tuple(components[layout.name])
                result += [ops.Poison(layout.name, which, boxes)] if boxes else []
        return result

    def _halo(self, layout: FieldLayout) -> tuple[ops.Placed, ...]:
        return tuple(
            (block.number, box)
            for block in self.blocks
            for box in layout.stored(block.box).subtract(block.owned)
        )


def _share(runs: list[ops.Run], parts: int) -> list[ops.Run]:
    """Return the first of 'parts' nearly equal shares of the cells, in whole operations."""
    if parts == 1:
        return runs
    sizes = list(accumulate(sum(box.cells for _, box in run.boxes) for run in runs))
    return [run for run, size in zip(runs, sizes, strict=True) if size * parts <= sizes[-1]]


def _boxes(zone: zones.Zone | None, which: str) -> tuple[Box, ...]:
    if zone is None:
        return ()
    match which:
        case "core":
            return (zone.core,)
        case "rim":
            return zone.rim
        case _:
            return (zone.box,)
