"""Writer: a plan as the records that the C++ runtime reads, which names things by numbers."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from halocline.analysis.threads import Threads
from halocline.language.points.at_points import AtPoints
from halocline.language.series.filling import Fill
from halocline.language.steps.tree import Every, Repeat, Swap, Until
from halocline.plan.passes.inlined_boundaries import free_of_inlined
from halocline.plan.passes.reduction_fusion import taken
from halocline.plan.program.program import Masked
from halocline.plan.value import operations as ops
from halocline.runtime import _core
from halocline.runtime.moves import rows_of_moves
from halocline.runtime.storage import three

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from halocline.geometry import Box
    from halocline.plan.program.program import Launch
    from halocline.plan.value.execution import Execution
    from halocline.plan.value.messages import Exchange, Message
    from halocline.plan.value.operations import Layers, Operation, Placed
    from halocline.plan.value.parts import Parts
    from halocline.plan.value.plan import Plan
    from halocline.runtime.compiled import CompiledKernels
    from halocline.runtime.slots import Slots
    from halocline.runtime.tables import Tables

_NO_MASK = _NO_TABLE = -1


class PlanWriter:
    """Writes the operations of a plan as the runtime reads them.

    Args:
        slots: The numbers of what the plan names; their runtime gets its kernels and exchanges.
        tables: The numbers of points and fillings.
        plan: The plan.
        kernels: The functions of its kernels.
    """

    def __init__(self, slots: Slots, tables: Tables, plan: Plan, kernels: CompiledKernels) -> None:
        self.slots = slots
        self.tables = tables
        self.runtime = slots.runtime
        self.plan = plan
        self.fields = {name: storage.slot for name, storage in slots.storages.items()}
        names = {name for launch in plan.launches for name in taken(launch)}
        self.sinks = {
            op.field: self.runtime.add_sink(_core.Reduction[op.kind])
            for op in plan.operations()
            if isinstance(op, ops.Reduce) and op.field in names
        }
        self.kernels = [
            self._add_kernel(launch, layers, how, kernels)
            for launch, layers, how in zip(plan.launches, plan.layers, plan.executions, strict=True)
        ]
        self.exchanges = [self._add_exchange(exchange) for exchange in plan.exchanges]

    def _add_kernel(
        self, launch: Launch, layers: Layers, how: Execution, kernels: CompiledKernels
    ) -> int:
        own = taken(launch)
        slots = [self.fields[name] for name in launch.names if name not in own]
        mask, points, filling, threads = _NO_MASK, _NO_TABLE, _NO_TABLE, how.threads or Threads()
        match launch.body:
            case Masked(is_compacted=True):
                mask = slots.pop()
            case AtPoints() as at:
                points = self.tables.number(at)
            case Fill() as fill:
                filling = self.tables.filling(fill.field, fill.series)
        return self.runtime.add_kernel(
            _core.Kernel(
                launch.kernel.name,
                kernels.address(launch.code) if launch.is_compiled else 0,
                slots,
                [self.slots.scalar(value) for value in launch.scalars],
                stream=_core.Choice[how.stream],
                tile=(how.tile.cells, how.tile.rows) if how.tile else (0, 0),
                fetch=_core.Choice[how.fetch],
                space=self.slots.space(launch.space),
                mask=mask,
                layers=self._layers(launch, layers),
                written=sorted({self.fields[name] for name, _ in launch.writes if name not in own}),
                sinks=[self.sinks[name] for name in own],
                threads=_core.Threads(threads.block, threads.cells, threads.is_batched),
                points=points,
                filling=filling,
                ratios=_ratios(launch),
            )
        )

    def _layers(self, launch: Launch, layers: Layers) -> list[_core.Layers]:
        """Write on which boxes of each block inlined kernels run, and for which cells none does."""
        if not launch.kernel.inlined:
            return []
        on_space = self.slots.decomposition.on(launch.space)
        nowhere = _core.Box((0, 0, 0), (0, 0, 0))
        return [
            _core.Layers(
                self.slots.blocks[block.number],
                [nowhere if box is None else _box(box) for box in boxes],
                _box(free_of_inlined(launch.code, block.box, boxes)),
            )
            for block in map(on_space.block, self.slots.blocks)
            for boxes in [layers.get(block.number, ())]
            if any(box is not None for box in boxes)
        ]

    def _add_exchange(self, exchange: Exchange) -> int:
        return self.runtime.add_exchange(
            _core.Exchange(
                f"exchange {exchange.label}",
                sends=[self._message(m, m.target) for m in exchange.sends],
                receives=[self._message(m, m.source) for m in exchange.receives],
                copies=self._copies(exchange.copies),
            )
        )

    def _message(self, message: Message, other: int) -> _core.Message:
        own, theirs = self._own_blocks, np.array(self.plan.decomposition.numbers_of(other))
        is_received = message.source == other
        ends = (theirs, own) if is_received else (own, theirs)
        rows = self._rows(message.parts, *ends, is_target_first=is_received)
        return _core.Message(other, message.tag, _core.TransportKind[message.transport], rows)

    def _copies(self, parts: Parts) -> NDArray[np.int64]:
        return self._rows(parts, self._own_blocks, self._own_blocks)

    @cached_property
    def _own_blocks(self) -> NDArray[np.intp]:
        """The numbers of the rank's blocks, which the runtime knows by their places here."""
        return np.array(list(self.slots.blocks), np.intp)

    def _rows(
        self,
        parts: Parts,
        sources: NDArray[np.intp],
        targets: NDArray[np.intp],
        *,
        is_target_first: bool = False,
    ) -> NDArray[np.int64]:
        """Return a row for each part, as the runtime reads what moves.

        Args:
            parts: The parts.
            sources: The numbers of the blocks among which their sources are, in ascending order.
            targets: The same of their targets.
            is_target_first: Which end comes first.
        """
        columns, box = parts.columns, parts.columns.box
        slots = np.array([self.fields[name] for name in parts.names], np.int64)
        source, target = columns.source, columns.target
        first_cell = _three(parts.source_box.lower, 0)
        ends = [
            (slots[columns.held], np.searchsorted(sources, source), *first_cell),
            (slots[columns.field], np.searchsorted(targets, target), *_three(box.lower, 0)),
        ]
        first, other = reversed(ends) if is_target_first else ends
        extent = _three(box.upper - box.lower, 1)
        return rows_of_moves((first[0], other[0]), columns.component, first[1:], other[1:], extent)

    def operations(self, operations: Iterable[Operation]) -> list[_core.Operation]:
        """Return operations for 'set_program' of the runtime."""
        return [record for op in operations for record in self._restored(op)]

    def _restored(self, op: Operation) -> list[_core.Operation]:
        """Return an operation, with the initial arrangement restored around it if need be."""
        restore = op.restore if isinstance(op, ops.Reduce | ops.CallFunction | ops.Check) else ()
        swaps = [self._operation(swap) for swap in restore]
        return [*swaps, self._operation(op), *reversed(swaps)]

    def _operation(self, op: Operation) -> _core.Operation:
        match op:
            case ops.Run() | ops.Wavefront() | ops.StepEnd():
                return self._of_steps(op)
            case ops.Start() | ops.Wait() | ops.WaitAny() | ops.Poll():
                return self._of_exchange(op)
            case Swap(first, second):
                return _core.Swap(self.fields[first], self.fields[second])
            case Repeat(count, body):
                return _core.Loop(count, self.operations(body))
            case Every(interval, body):
                return _core.Every(interval, self.operations(body))
            case Until():
                return self._until(op)
            case ops.Compute(parameter, value):
                return _core.Compute(self.slots.scalar(parameter), self.slots.scalar(value))
            case ops.Reduce():
                return self._reduce(op)
            case ops.CallFunction(callback):
                return _core.Call(self.slots.callback(callback))
            case ops.Poison(field, components, boxes):
                return _core.Poison(self.fields[field], components, self._placed(boxes))
            case ops.Check(field, boxes, (low, high), assigned=assigned):
                searched = self._assigned(assigned)
                return _core.Check(self.fields[field], self._placed(boxes), low, high, searched)

    def _assigned(self, assigned: Iterable[ops.Assigned]) -> list[_core.Assigned]:
        masks = [-1 if one.mask is None else self.fields[one.mask] for one in assigned]
        boxes = [_box(one.box) for one in assigned]
        return [_core.Assigned(box, mask) for box, mask in zip(boxes, masks, strict=True)]

    def _reduce(self, op: ops.Reduce) -> _core.Reduce:
        kind, scalar = _core.Reduction[op.kind], self.slots.scalar(op.result)
        if op.field in self.sinks:
            return _core.Reduce(kind, -1, 0, [], scalar, self.sinks[op.field])
        placed = self._placed(op.boxes)
        return _core.Reduce(kind, self.fields[op.field], op.component, placed, scalar)

    def _until(self, loop: Until[Operation]) -> _core.Until:
        return _core.Until(
            self.slots.scalar(loop.condition),
            loop.max_iterations,
            self.slots.scalar(loop.iterations),
            loop.is_strict,
            self.slots.loop(loop),
            self.operations(loop.body),
            self.operations(loop.before_error),
        )

    def _of_steps(self, op: ops.Run | ops.Wavefront | ops.StepEnd) -> _core.Operation:
        match op:
            case ops.Run():
                return self._run(op)
            case ops.Wavefront():
                return self._wavefront(op)
            case ops.StepEnd():
                return _core.StepEnd()

    def _of_exchange(self, op: ops.Start | ops.Wait | ops.WaitAny | ops.Poll) -> _core.Operation:
        exchange = self.exchanges[op.exchange]
        match op:
            case ops.Start():
                return _core.Start(exchange)
            case ops.Wait():
                return _core.Wait(exchange)
            case ops.WaitAny(_, arrivals):
                pieces = [_core.Piece(a.messages, self._run(a.run)) for a in arrivals]
                return _core.WaitAny(exchange, pieces)
            case ops.Poll():
                return _core.Poll(exchange)

    def _run(self, run: ops.Run) -> _core.Run:
        return _core.Run(
            self.kernels[run.launch],
            self.plan.label(run),
            self._placed(run.boxes),
            is_late_rim=run.is_late,
            is_concurrent=run.is_concurrent,
        )

    def _wavefront(self, wavefront: ops.Wavefront) -> _core.Wavefront:
        return _core.Wavefront(
            self.plan.label(wavefront),
            self.operations(wavefront.parts),
            [
                _core.Skew(skew.lower, skew.upper, skew.across, skew.is_first)
                for skew in wavefront.skews
            ],
            wavefront.axis,
            wavefront.planes,
            wavefront.rows,
        )

    def _placed(self, boxes: Iterable[Placed]) -> list[_core.BlockBox]:
        blocks = self.slots.blocks
        return [_core.BlockBox(blocks[number], _box(box)) for number, box in boxes]


def _ratios(launch: Launch) -> list[tuple[int, ...]]:
    """Return how many cells of each field one of a kernel's spans, if some fields are whole."""
    if launch.space.is_replicated or not any(space.is_replicated for space in launch.spaces):
        return []
    specs = launch.kernel.stored
    return [three(spec.ratio or (1,) * launch.kernel.dimensions, 0) for spec in specs]


def _box(box: Box) -> _core.Box:
    return _core.Box(three(box.lower, 0), three(box.upper, 1))


def _three(values: NDArray[np.int64], missing: int) -> list[NDArray[np.int64]]:
    """Return a row for each of three axes, 'missing' for those that the grid lacks."""
    lacking = np.full(values.shape[1], missing)
    return [*values, *[lacking] * (3 - len(values))]
