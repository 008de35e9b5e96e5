"""Writer: a plan in the numbers, words and tuples that the C++ runtime reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from halocline.codegen.threads import Threads, threads_for
from halocline.language.tree import Every, Repeat, Swap
from halocline.plan import plan as ops
from halocline.plan.feed import unfed
from halocline.runtime.caches import caches_here, keeps
from halocline.runtime.storage import three

if TYPE_CHECKING:
    from collections.abc import Iterable

    from halocline.geometry import Box
    from halocline.language.kernel import Kernel
    from halocline.plan.message import Exchange, Message, Part
    from halocline.plan.plan import Layers, Operation, Placed, Plan
    from halocline.plan.program import Launch
    from halocline.runtime.executor import Executor

_NO_MASK = -1

_WORDS: dict[type, str] = {ops.Start: "start", ops.Wait: "wait", ops.Poll: "poll"}

Nested = list[tuple[Any, ...]]


class Kernels(Protocol):
    """Where the addresses of compiled kernels come from."""

    def address(self, kernel: Kernel) -> int:
        """Return the address of a function with the signature of 'kernel_abi.h'."""


class PlanWriter:
    """Writes the operations of a plan as the runtime reads them.

    Args:
        executor: Whose runtime gets the kernels and exchanges of the plan, and its fields' numbers.
        plan: The plan.
        kernels: Where its kernels are.
    """

    def __init__(self, executor: Executor, plan: Plan, kernels: Kernels) -> None:
        self.executor = executor
        self.runtime = executor.runtime
        self.plan = plan
        self.slots = {name: storage.slot for name, storage in executor.storages.items()}
        self.kernels = [
            self._add_kernel(launch, layers, kernels)
            for launch, layers in zip(plan.launches, plan.layers, strict=True)
        ]
        self.exchanges = [self._add_exchange(exchange) for exchange in plan.exchanges]

    def _add_kernel(self, launch: Launch, layers: Layers, kernels: Kernels) -> int:
        slots = [self.slots[name] for name in launch.names]
        mask = slots.pop() if launch.is_listed else _NO_MASK
        threads = Threads() if self.executor.device.is_cpu else threads_for(launch.code)
        return self.runtime.add_kernel(
            launch.kernel.name,
            kernels.address(launch.code),
            slots,
            [self.executor.scalar(value) for value in launch.scalars],
            # What stands on a boundary layer is read at once.
            stream=not launch.is_layer and self._outgrows_cache(launch),
            space=self.executor.space(launch.space),
            mask=mask,
            layers=self._layers(launch, layers),
            written=sorted({self.slots[name] for name, _ in launch.writes}),
            block=threads.block,
            cells=threads.cells,
        )

    def _layers(self, launch: Launch, layers: Layers) -> list[tuple[Any, ...]]:
        """Write where feeders run, and for which cells none does, on blocks where any does."""
        nowhere = ((0, 0, 0), (0, 0, 0))
        on_space = self.executor.decomposition.on(launch.space)
        return [
            (
                self.executor.blocks[block.number],
                [nowhere if box is None else _corners(box) for box in boxes],
                _corners(unfed(launch.code, block.box, boxes)),
            )
            for block in map(on_space.block, self.executor.blocks)
            for boxes in [layers.get(block.number, ())]
            if any(box is not None for box in boxes)
        ]

    def _outgrows_cache(self, launch: Launch) -> bool:
        """Return whether the fields of a kernel are too large to be found in the cache again."""
        used = sum(self.executor.storages[name].bytes_per_block for name in launch.names)
        job, threads = self.executor.job, self.executor.threads
        beside = job.nodes.count(job.nodes[job.rank])
        return used > keeps(caches_here(), beside * threads) * threads

    def _add_exchange(self, exchange: Exchange) -> int:
        sends = [self._message(m, m.target) for m in exchange.sends]
        receives = [self._message(m, m.source) for m in exchange.receives]
        copies = [self._copy(part) for part in exchange.copies]
        return self.runtime.add_exchange(f"exchange {exchange.label}", sends, receives, copies)

    def _message(self, message: Message, other: int) -> tuple[Any, ...]:
        is_near = self.executor.job.is_near(other)
        strategy, device = self.plan.strategy, self.executor.device
        if device.is_cpu or strategy.transport != "auto":
            transport = strategy.transport_between(is_same_node=is_near)
        else:
            transport = device.transport(is_same_node=is_near)
        theirs = self.plan.decomposition.blocks_of(other)
        positions = {block.number: n for n, block in enumerate(theirs)}
        is_source = message.target == other
        parts = [self._part(part, positions, is_source=is_source) for part in message.parts]
        return (other, message.tag, transport, parts)

    def _part(self, part: Part, positions: dict[int, int], *, is_source: bool) -> tuple[Any, ...]:
        """Write a part with both ends; 'positions' are those of the other rank's blocks."""
        source = (part.source, three(part.source_box.lower, 0))
        target = (part.target, three(part.box.lower, 0))
        (mine, lower), (other, other_lower) = (source, target) if is_source else (target, source)
        block = self.executor.blocks[mine]
        ends = (block, lower, positions[other], other_lower)
        return (self.slots[part.field], part.component, *ends, three(part.box.extent, 1))

    def _copy(self, part: Part) -> tuple[Any, ...]:
        blocks = self.executor.blocks
        return (
            self.slots[part.field],
            part.component,
            blocks[part.source],
            three(part.source_box.lower, 0),
            blocks[part.target],
            three(part.box.lower, 0),
            three(part.box.extent, 1),
        )

    def operations(self, operations: Iterable[Operation]) -> Nested:
        """Return operations for 'set_program' of the runtime."""
        return [record for op in operations for record in self._at_home(op)]

    def _at_home(self, op: Operation) -> Nested:
        """Return an operation, with fields brought home before it and away after it if need be."""
        home = op.home if isinstance(op, ops.Reduce | ops.CallFunction | ops.Check) else ()
        swaps = [self._operation(swap) for swap in home]
        return [*swaps, self._operation(op), *reversed(swaps)]

    def _operation(self, op: Operation) -> tuple[Any, ...]:
        match op:
            case ops.Run(launch, zone, boxes):
                name = f"{self.plan.launches[launch].kernel.name} {zone}"
                word = "late-rim" if zone == "rim" and self._has_late_rims() else "run"
                return (word, self.kernels[launch], name, self._placed(boxes))
            case ops.Start(number) | ops.Wait(number) | ops.Poll(number):
                return (_WORDS[type(op)], self.exchanges[number])
            case ops.WaitAny(number, arrivals):
                return ("any", self.exchanges[number], [self._piece(a) for a in arrivals])
            case Swap(first, second):
                return ("swap", self.slots[first], self.slots[second])
            case Repeat(count, body):
                return ("loop", count, self.operations(body))
            case Every(interval, body):
                return ("every", interval, self.operations(body))
            case ops.Reduce(kind, field, component, boxes, result):
                scalar = self.executor.scalar(result)
                return ("reduce", kind, self.slots[field], component, self._placed(boxes), scalar)
            case ops.CallFunction(callback):
                return ("call", self.executor.callback(callback))
            case ops.Poison(field, components, boxes):
                return ("poison", self.slots[field], list(components), self._placed(boxes))
            case ops.Check(field, boxes):
                return ("check", self.slots[field], self._placed(boxes))

    def _piece(self, arrival: ops.Arrival) -> tuple[Any, ...]:
        return (list(arrival.messages), *self._operation(arrival.run))

    def _has_late_rims(self) -> bool:
        """Return whether rims need nothing of their own cores, and are run after them.

        A kernel that is run several times between two exchanges may need those of its first run.
        """
        strategy = self.plan.strategy
        return strategy.overlap == "core-first" and strategy.depth == 1

    def _placed(self, boxes: Iterable[Placed]) -> list[tuple[Any, ...]]:
        return [(self.executor.blocks[number], *_corners(box)) for number, box in boxes]


def _corners(box: Box) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    return three(box.lower, 0), three(box.upper, 1)
