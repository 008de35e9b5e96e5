"""Walk: a rank's operations done with a clock instead of a processor or a device."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Protocol

from halocline.language.steps.tree import Every, Repeat, Swap, Until
from halocline.plan.cells.strategy import DEVICE_TRANSPORTS
from halocline.plan.pipeline import decided
from halocline.plan.value import operations as ops
from halocline.plan.value.temporal_blocks import paused
from halocline.tune.flight import Network
from halocline.tune.iterations import assumed_iterations
from halocline.tune.processor import Processor
from halocline.tune.streams import Streams
from halocline.tune.timeline import Timeline
from halocline.tune.work import Work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from halocline.plan.value.operations import Operation
    from halocline.plan.value.plan import Plan
    from halocline.tune.compacted_masks import CompactedMasks
    from halocline.tune.machine import Machine
    from halocline.tune.work import Placement

# Of a loop so many rounds are walked; the rest take as long as the last of these.
_ROUNDS = 3


class Worker(Protocol):
    """What does the operations of a rank, and moves its clock."""

    def run(self, run: ops.Run) -> None:
        """Compute a kernel in boxes."""

    def wavefront(self, wavefront: ops.Wavefront) -> None:
        """Compute kernels together."""

    def start(self, position: int) -> None:
        """Begin an exchange."""

    def poll(self, position: int) -> None:
        """Let its messages progress."""

    def wait(
        self, position: int, arrivals: Sequence[ops.Arrival], run: Callable[[ops.Run], None]
    ) -> None:
        """Complete it, running what each message allows."""

    def sweep(self, boxes: Sequence[ops.Placed], cell_bytes: int) -> None:
        """Read or write so many bytes of each cell."""

    def reduce(self, boxes: Sequence[ops.Placed], cell_bytes: int) -> None:
        """Read them and combine them over all ranks."""

    def postpone(self, since: float, seconds: float) -> None:
        """Move what has been begun since some time, as the clock was moved."""


class Walk:
    """Goes through operations with a clock."""

    def __init__(
        self,
        plan: Plan,
        machine: Machine,
        placement: Placement,
        masks: CompactedMasks | None = None,
    ) -> None:
        if plan.strategy.transport in DEVICE_TRANSPORTS:
            machine = machine.with_device_messages(plan.strategy.transport)
        platform = placement.platform(machine, plan.decomposition.ranks)
        self.plan = decided(plan, platform)
        self.time = Timeline()
        self.worker: Worker
        if machine.device:
            self.worker = Streams(self.plan, machine, placement, self.time)
        else:
            work = Work(self.plan, machine, placement, masks)
            self.worker = Processor(work, Network(self.plan, machine, placement), self.time)

    def round(self) -> None:
        """Do all steps of a round, at once where the plan has them so.

        What such blocks leave out follows each: its messages are those that other ranks wait for.
        """
        steps, blocks = self.plan.steps, self.plan.temporal_blocks
        for block in blocks:
            self._all(block.operations)
            self._all(op for _, op in paused(steps[block.first : block.first + block.steps]))
        for operations in () if blocks else steps:
            self._all(operations)

    def _all(self, operations: Iterable[Operation]) -> None:
        for op in operations:
            self._one(op)

    def _one(self, op: Operation) -> None:
        worker, timed = self.worker, self.time.timed
        match op:
            case ops.Run() | ops.Wavefront():
                self._run(op)
            case ops.Start(number):
                timed("start", self._name(number), lambda: worker.start(number))
            case ops.Wait(number):
                timed("wait", self._name(number), lambda: worker.wait(number, (), self._run))
            case ops.WaitAny(number, arrivals):
                timed("wait", self._name(number), lambda: worker.wait(number, arrivals, self._run))
            case ops.Poll(number):
                timed("poll", self._name(number), lambda: worker.poll(number))
            case Repeat() | Until():
                passes = op.count if isinstance(op, Repeat) else assumed_iterations(op)
                self._loop(passes, op.body)
            case Every(interval, body):
                self._stretched(1.0 / interval, body)
            case ops.Reduce(kind, name, _, boxes):
                size = self._bytes_looked_at(op)
                timed("reduce", f"{kind}({name})", lambda: worker.reduce(boxes, size))
            case ops.Check(name, boxes):
                size = self._bytes(name, self.plan.layout(name).components)
                timed("check", name, lambda: worker.sweep(boxes, size))
            case ops.Poison(name, components, boxes):
                size = self._bytes(name, len(components))
                timed("poison", name, lambda: worker.sweep(boxes, size))
            case Swap() | ops.Compute() | ops.CallFunction() | ops.StepEnd():
                pass

    def _name(self, position: int) -> str:
        return f"exchange {self.plan.exchanges[position].label}"

    def _bytes(self, field: str, components: int) -> int:
        return components * self.plan.layout(field).bytes_per_value

    def _bytes_looked_at(self, reduce: ops.Reduce) -> int:
        """Return what a reduction reads of each cell [bytes]."""
        is_stored = any(layout.name == reduce.field for layout in self.plan.layouts)
        return self._bytes(reduce.field, 1) if is_stored else 0

    def _run(self, work: ops.Run | ops.Wavefront) -> None:
        label = self.plan.label(work)
        if isinstance(work, ops.Wavefront):
            self.time.timed("run", label, partial(self.worker.wavefront, work))
        else:
            self.time.timed("run", label, partial(self.worker.run, work))

    def _loop(self, count: int, body: Sequence[Operation]) -> None:
        for _ in range(min(count, _ROUNDS - 1)):
            self._all(body)
        if count >= _ROUNDS:
            self._stretched(count - _ROUNDS + 1, body)

    def _stretched(self, times: float, body: Sequence[Operation]) -> None:
        """Do operations once, for so many times."""
        time = self.time
        before, weight = time.now, time.weight
        time.weight *= times
        self._all(body)
        time.weight = weight
        moved = (time.now - before) * (times - 1)
        time.now += moved
        self.worker.postpone(before, moved)
