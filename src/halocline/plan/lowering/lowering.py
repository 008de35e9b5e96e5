"""From the schedule, which holds for all blocks, to the operations of one rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.errors import PlanError
from halocline.geometry import without
from halocline.language.steps.tree import Every, Swap, mapped
from halocline.memo import memoised
from halocline.plan.cells.block import NOBODY
from halocline.plan.cells.reach import renaming
from halocline.plan.cells.wrap import across
from halocline.plan.lowering.allgather import allgather_operations
from halocline.plan.lowering.assigned_cells import assigned_cells
from halocline.plan.lowering.columns import sweep_operations
from halocline.plan.lowering.overlap import Exchanges, Surroundings, chain_operations
from halocline.plan.lowering.zones import Blocks
from halocline.plan.program.arrangement import INITIAL
from halocline.plan.program.program import Called, Checked, Computed, Reduced
from halocline.plan.schedule.steps import Chain, Refresh, StepEnd
from halocline.plan.value import operations as ops
from halocline.plan.value.messages import Exchange
from halocline.plan.value.parts import Parts
from halocline.plan.value.plan import Plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from halocline.language.spaces.space import Space
    from halocline.plan.blocks.decomposition import BlockView
    from halocline.plan.cells.reach import Needs
    from halocline.plan.exchange.distribution import DistributedSchedule
    from halocline.plan.program.program import Launch
    from halocline.plan.schedule.layout import FieldLayout
    from halocline.plan.schedule.pushed import Piece
    from halocline.plan.schedule.steps import Leaf, ScheduleItem
    from halocline.plan.value.parts import Part

# MPI guarantees message tags up to this number.
_LARGEST_TAG = 32767


# Storages, by all else.
_Kinds = dict[tuple[object, frozenset[object]], list[str]]
# Stands for the end of a step until the operations are divided into steps.
_STEP_END: Every[ops.Operation] = Every(0, ())


def lowered(schedule: DistributedSchedule, rank: int) -> Plan:
    """List the operations of a rank: runs on boxes, messages, copies, swaps and loops."""
    return _Lowering(schedule, rank).plan()


class _Lowering:
    """Collects kernels and exchanges while it walks the schedule."""

    def __init__(self, distributed: DistributedSchedule, rank: int) -> None:
        self.program = distributed.program
        self.decomposition = distributed.distribution.decomposition
        self.strategy = distributed.distribution.strategy
        self.schedule = distributed.schedule
        self.rank = rank
        self.layouts = distributed.layouts
        self.exchanger = distributed.exchanger
        blocks = Blocks.of_rank(self.decomposition, rank)
        self.blocks = replace(blocks, use=self.exchanger.live_patches(rank))
        self.launches: list[Launch] = []
        self.layers: list[ops.Layers] = []
        self.exchanges: list[Exchange] = []
        self.positions: dict[Needs, Exchanges] = {}
        self.known: dict[object, tuple[_Kinds, list[Exchange]]] = {}
        self.numbers = 0

    def plan(self) -> Plan:
        schedule = self.schedule
        prologue = self._exchange_now(schedule.prologue)
        epilogues = tuple(tuple(self._exchange_now(needs)) for needs in schedule.epilogues)
        steps = _by_step(self._items(schedule.items))
        tags = self.numbers * (len(self.layouts) if self.strategy.messages == "field" else 1)
        if tags > _LARGEST_TAG:
            raise PlanError(
                f"The step needs {tags} tags for its messages; expected at most {_LARGEST_TAG}."
            )
        return Plan(
            self.rank,
            self.strategy,
            self.decomposition,
            self.layouts,
            tuple(self.launches),
            tuple(self.layers),
            tuple(self.exchanges),
            tuple(prologue),
            steps,
            self.program.ends * (len(steps) // len(self.program.ends)),
            epilogues,
            self._checks(Checked(self.program.checked)),
        )

    def _items(self, items: Iterable[ScheduleItem]) -> tuple[ops.Operation, ...]:
        return mapped(items, self._item)

    def _item(self, item: Leaf) -> Sequence[ops.Operation]:
        match item:
            case Chain():
                return self._chain(item)
            case Refresh(needs):
                return self._exchange_now(needs)
            case Swap():
                return [item]
            case Reduced(kind, field, component, result, where):
                boxes, is_alone = self._boxes_of(field), field in self.program.only_reduced
                restore = () if is_alone else where.swaps_to(INITIAL)
                return [ops.Reduce(kind, field, component, boxes, result, restore, is_alone)]
            case Computed(parameter, value):
                return [ops.Compute(parameter, value)]
            case Called(callback, where):
                return [ops.CallFunction(callback, where.swaps_to(INITIAL))]
            case Checked():
                return self._checks(item)
            case StepEnd():
                return [_STEP_END]

    def _checks(self, item: Checked) -> tuple[ops.Check, ...]:
        restore = item.where.swaps_to(INITIAL)
        return tuple(
            ops.Check(
                field,
                self._boxes_of(field),
                self.program.limits[field],
                restore,
                assigned_cells(self.program, field),
            )
            for field in item.fields
        )

    def _boxes_of(self, field: str) -> tuple[ops.Placed, ...]:
        """Return a field's cells of the domain on this rank's blocks."""
        return self._domain_boxes(self.program.spaces[field])

    @memoised
    def _domain_boxes(self, space: Space) -> tuple[ops.Placed, ...]:
        """Return cells of the domain on this rank's blocks; each cell on one rank only.

        Where several blocks have the same cells, along an axis that the space lacks, the first of
        those that exist counts.
        """
        blocks = self.decomposition.on(space)
        return tuple(
            (block.number, space.flat(box))
            for block in blocks.seen_of(self.rank)
            for box in blocks.first_to_own(space.lacks, block.number)
        )

    def _exchange(self, needs: Needs) -> Exchanges:
        """Return the exchanges that meet the needs; equal needs share them."""
        if not needs:
            return Exchanges((), ())
        if needs not in self.positions:
            made = self._made(needs)
            # Every rank counts all exchanges, so that numbers agree where some have nothing to do.
            self.numbers += len(made)
            self.positions[needs] = self._sorted([e for e in made if not e.is_empty])
        return self.positions[needs]

    def _made(self, needs: Needs) -> list[Exchange]:
        """Return the exchanges that meet needs, one after the other.

        In other steps of a round they are the same but for the storages of swapped fields.
        """
        kinds = self._kinds(needs)
        key = frozenset((kind, len(names)) for kind, names in kinds.items())
        if key not in self.known:
            self.known[key] = kinds, self.exchanger.exchanges(needs, self.rank, self.numbers)
            return self.known[key][1]
        before, made = self.known[key]
        storages = renaming(before, kinds)
        if not self.exchanger.is_alike(needs, storages):
            return self.exchanger.exchanges(needs, self.rank, self.numbers)
        return [
            self.exchanger.elsewhere(one, storages, self.numbers + n) for n, one in enumerate(made)
        ]

    def _kinds(self, needs: Needs) -> _Kinds:
        """Return storages by what is needed of them and by the group of swapped fields."""
        found: dict[str, list[object]] = {}
        for need in needs:
            what = need.component, need.reach, need.displacement, need.role, need.of_guest
            found.setdefault(need.field, []).append(what)
        kinds: _Kinds = {}
        for name in sorted(found):
            group = self.program.groups.get(name, name)
            kinds.setdefault((group, frozenset(found[name])), []).append(name)
        return kinds

    def _sorted(self, made: list[Exchange]) -> Exchanges:
        """Part copies within the rank, which take no time to arrive, from messages.

        The stages of a staged exchange use each other's results, so they stay as they are unless
        no message is sent at all.
        """
        if len(made) > 1 and any(e.sends or e.receives for e in made):
            return Exchanges((), self._added(made))
        local = [replace(e, sends=(), receives=()) for e in made if e.copies]
        remote = [replace(e, copies=Parts.of(())) for e in made if e.sends or e.receives]
        return Exchanges(self._added(local), self._added(remote))

    def _added(self, exchanges: list[Exchange]) -> tuple[int, ...]:
        first = len(self.exchanges)
        self.exchanges += exchanges
        return tuple(range(first, len(self.exchanges)))

    def _hand_on(self, parts: Iterable[Part]) -> int | None:
        """Return the exchange that moves parts; None where they do not concern the rank."""
        made = self.exchanger.of_parts(Parts.of(parts), self.rank, self.numbers)
        self.numbers += 1
        return None if made.is_empty else self._added([made])[0]

    def _exchange_now(self, needs: Needs) -> list[ops.Operation]:
        found = self._exchange(needs)
        return [op for n in (*found.local, *found.remote) for op in (ops.Start(n), ops.Wait(n))]

    def _chain(self, chain: Chain) -> list[ops.Operation]:
        poison = self._poison(chain) if self.strategy.poison else []
        around = Surroundings(
            self.strategy,
            self.blocks,
            self.exchanges,
            self._exchange,
            self.program.only_carried,
            self._hand_on,
            self._add_launch,
            lambda broken: self._items([broken.item]),
        )
        operations = sweep_operations if chain.is_pipelined else chain_operations
        operations = allgather_operations if chain.is_allgather else operations
        return [*poison, *operations(chain, around)]

    def _add_launch(self, launch: Launch, layers: ops.Layers) -> int:
        self.launches.append(launch)
        self.layers.append(layers)
        return len(self.launches) - 1

    def _poison(self, chain: Chain) -> list[ops.Operation]:
        """Overwrite all copies of what is out of date, so that a stale read cannot go unseen."""
        components: dict[tuple[str, tuple[ops.Placed, ...]], list[int]] = {}
        # Of what reductions alone look at there are no copies.
        stale = [one for one in sorted(chain.stale) if one[0] not in self.program.only_reduced]
        for layout in self.layouts:
            for field, component in stale:
                if field == layout.name:
                    pieces = chain.pushed.pieces.get((field, component), frozenset())
                    boxes = self._out_of_date(layout, pieces)
                    components.setdefault((field, boxes), []).append(component)
        return [
            ops.Poison(field, tuple(which), boxes)
            for (field, boxes), which in components.items()
            if boxes
        ]

    def _out_of_date(self, layout: FieldLayout, pieces: Iterable[Piece]) -> tuple[ops.Placed, ...]:
        """Return the stored cells whose values other blocks have."""
        result: list[ops.Placed] = []
        blocks = self.decomposition.on(layout.space)
        for block in map(blocks.block, self.blocks.numbers):
            if block.box.is_empty:
                continue
            owned = layout.space.open_where_lacking(block.owned)
            rest = [layout.stored(block)]
            for region, offset in pieces:
                here = owned.shift(across(offset, block.wrap))
                inside = without((piece.intersect(region) for piece in rest), [here])
                result += [(block.number, box) for box in inside]
                rest = without(rest, [region])
            rest = rest if block.is_guest else without(rest, [owned])
            result += [(block.number, box) for box in rest]
        return tuple(self._without_dropped(result, blocks, layout.space))

    def _without_dropped(
        self, boxes: list[ops.Placed], blocks: BlockView, space: Space
    ) -> list[ops.Placed]:
        """Return cells outside dropped blocks, where nothing is ever out of date."""
        if NOBODY not in self.decomposition.owners:
            return boxes
        return [
            (number, part)
            for number, box in boxes
            for part in without([box], map(space.flat, blocks.absent(blocks.block(number))))
        ]


def _by_step(operations: Iterable[ops.Operation]) -> tuple[tuple[ops.Operation, ...], ...]:
    """Divide the operations of a round into those of its steps."""
    steps: list[list[ops.Operation]] = [[]]
    for op in operations:
        if op is _STEP_END:
            steps.append([])
        else:
            steps[-1].append(op)
    # Nothing follows the end of the last step.
    return tuple(map(tuple, steps[:-1]))
