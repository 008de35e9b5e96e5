"""Executor: hands a plan to the C++ runtime, once; no Python runs in the time loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from halocline.errors import DivergedError, MpiError
from halocline.language import steps
from halocline.language.steps import Parameter, Reduction
from halocline.plan import plan as ops
from halocline.runtime import _core
from halocline.runtime.storage import BlockStorage, three

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from halocline.geometry import Box
    from halocline.language.fields import Grid
    from halocline.language.kernel import Kernel
    from halocline.plan.exchange import Exchange, Part
    from halocline.plan.layout import FieldLayout
    from halocline.plan.plan import Operation, Placed, Plan
    from halocline.plan.program import Launch
    from halocline.runtime.job import Job

_STEP_SLOT, _TIME_SLOT = 0, 1

# What a core's own cache keeps. Larger results are written past it; measured with D3Q19: at
# 1.2 MB on two threads plain stores are 1.4 times faster, at 4 MB 1.2 times slower.
_PRIVATE_CACHE_BYTES = 3 << 19

Nested = list[tuple[Any, ...]]


class Kernels(Protocol):
    """Where the addresses of compiled kernels come from."""

    def address(self, kernel: Kernel) -> int:
        """Return the address of a function with the signature of 'kernel_abi.h'."""


class Executor:
    """The C++ runtime of one simulation, with the names that plans use.

    Args:
        plan: The rank's plan; it decides how fields are stored.
        grid: The grid.
        job: The ranks.
        threads: OpenMP threads of this rank.
        dt: Time step [time unit].

    Attributes:
        storages: The fields by name, hidden ones included.
    """

    def __init__(self, plan: Plan, grid: Grid, job: Job, threads: int, dt: float) -> None:
        self.runtime = _core.Runtime(threads, job.transport)
        self.runtime.set_dt(dt)
        self.threads = threads
        self.grid = grid
        self.job = job
        self.owned = plan.blocks
        self.blocks = {block.number: n for n, block in enumerate(plan.blocks)}
        for block in plan.blocks:
            self.runtime.add_block(three(block.box.lower, 0), three(block.box.upper, 1))
        self.storages: dict[str, BlockStorage] = {}
        for layout in plan.layouts:
            self.store(layout)
        self.scalars: dict[int, int] = {id(steps.step): _STEP_SLOT, id(steps.time): _TIME_SLOT}
        self.parameters: list[tuple[Parameter, int]] = []
        self._is_in_step = False
        # The runtime knows kernels by address only; those of the NumPy target die with their owner.
        self._kept: list[Kernels] = []

    @property
    def step(self) -> int:
        """How many steps have been done, the one that calls a function included."""
        return self.runtime.step + self._is_in_step

    @property
    def layouts(self) -> tuple[FieldLayout, ...]:
        """How the fields are stored."""
        return tuple(storage.layout for storage in self.storages.values())

    def store(self, layout: FieldLayout) -> None:
        """Allocate a field on every block."""
        self.storages[layout.name] = BlockStorage(
            self.grid, layout, self.owned, self.runtime, self.job
        )

    def load(self, name: str, plan: Plan, kernels: Kernels) -> None:
        """Give the runtime the two programs of a plan, 'name prologue' and 'name step'."""
        self._kept.append(kernels)
        writer = _Writer(self, plan, kernels)
        self.runtime.set_program(f"{name} prologue", writer.operations(plan.prologue))
        self.runtime.set_program(f"{name} step", writer.operations(plan.steps[0]))

    def scalar(self, value: float | Parameter) -> int:
        """Return the runtime's number of a scalar."""
        if not isinstance(value, Parameter):
            return self.runtime.add_scalar(value)
        if id(value) not in self.scalars:
            self.scalars[id(value)] = slot = self.runtime.add_scalar(value.value)
            self.parameters.append((value, slot))
        return self.scalars[id(value)]

    def write_parameters(self) -> None:
        """Tell the runtime the parameters' numbers."""
        for parameter, slot in self.parameters:
            self.runtime.set_scalar(slot, parameter.value)

    def read_reductions(self) -> None:
        """Take over the results of reductions."""
        for parameter, slot in self.parameters:
            if isinstance(parameter, Reduction):
                parameter.value = self.runtime.scalar(slot)

    def callback(self, function: Any) -> int:
        """Return the runtime's number of a Python function."""

        def call() -> None:
            self.read_reductions()
            self._is_in_step = True
            try:
                function()
            finally:
                self._is_in_step = False
            self.write_parameters()

        return self.runtime.add_callback(call)

    def begin(self, name: str) -> None:
        """Bring halos up to date before the first step."""
        self._run(lambda: self.runtime.execute(f"{name} prologue"))

    def once(self, name: str) -> None:
        """Do a step that does not count as one."""
        self._run(lambda: self.runtime.execute(f"{name} step"))

    def advance(self, name: str, steps: int) -> None:
        """Do steps.

        Raises:
            DivergedError: A value that is not a number was found.
        """
        self._run(lambda: self.runtime.advance(f"{name} step", steps))

    def _run(self, function: Callable[[], None]) -> None:
        self.write_parameters()
        try:
            function()
        except _core.NotFiniteError as error:
            raise self._diverged(*error.args) from None
        except _core.TransportError as error:
            raise MpiError(
                f"Messages with other ranks failed at step {self.runtime.step}: {error}.",
                hint="Most likely another rank has died: look for what it said.",
            ) from None
        finally:
            self.read_reductions()

    def _diverged(
        self, field: str, step: int, component: int, cell: tuple[int, ...]
    ) -> DivergedError:
        storage = self.storages[field]
        which = f" component {component}" if storage.layout.components > 1 else ""
        where = tuple(cell[: len(storage.layout.lower)])
        return DivergedError(
            f"Field '{field}'{which} is not a number in cell {where} at step {step}.",
            hint="The computation has become unstable: use a smaller time step, a finer grid "
            "or a larger viscosity.",
        )


class _Writer:
    """Writes the operations of a plan as the runtime reads them."""

    def __init__(self, executor: Executor, plan: Plan, kernels: Kernels) -> None:
        self.executor = executor
        self.runtime = executor.runtime
        self.plan = plan
        self.slots = {name: storage.slot for name, storage in executor.storages.items()}
        self.kernels = [self._add_kernel(launch, kernels) for launch in plan.launches]
        self.exchanges = [self._add_exchange(exchange) for exchange in plan.exchanges]

    def _add_kernel(self, launch: Launch, kernels: Kernels) -> int:
        return self.runtime.add_kernel(
            launch.kernel.name,
            kernels.address(launch.kernel),
            [self.slots[name] for name in launch.names],
            [self.executor.scalar(value) for value in launch.scalars],
            # What stands on a boundary layer is read at once.
            stream=not launch.is_layer and self._outgrows_cache(launch),
        )

    def _outgrows_cache(self, launch: Launch) -> bool:
        """Return whether the fields of a kernel are too large to be found in the cache again."""
        used = sum(self.executor.storages[name].bytes_per_block for name in launch.names)
        return used > _PRIVATE_CACHE_BYTES * self.executor.threads

    def _add_exchange(self, exchange: Exchange) -> int:
        sends = [
            (m.target, m.tag, [self._end(p, is_source=True) for p in m.parts])
            for m in exchange.sends
        ]
        receives = [
            (m.source, m.tag, [self._end(p, is_source=False) for p in m.parts])
            for m in exchange.receives
        ]
        copies = [self._copy(part) for part in exchange.copies]
        return self.runtime.add_exchange(f"exchange {exchange.number}", sends, receives, copies)

    def _end(self, part: Part, *, is_source: bool) -> tuple[Any, ...]:
        box = part.source_box if is_source else part.box
        block = self.executor.blocks[part.source if is_source else part.target]
        return (self.slots[part.field], part.component, block, *_corners(box))

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
        return [self._operation(op) for op in operations]

    def _operation(self, op: Operation) -> tuple[Any, ...]:
        match op:
            case ops.Run(launch, zone, boxes):
                name = f"{self.plan.launches[launch].kernel.name} {zone}"
                return ("run", self.kernels[launch], name, self._placed(boxes))
            case ops.Start(number):
                return ("start", self.exchanges[number])
            case ops.Wait(number):
                return ("wait", self.exchanges[number])
            case ops.Poll(number):
                return ("poll", self.exchanges[number])
            case ops.SwapNames(first, second):
                return ("swap", self.slots[first], self.slots[second])
            case ops.Loop(count, body):
                return ("loop", count, self.operations(body))
            case ops.EveryNth(interval, body):
                return ("every", interval, self.operations(body))
            case ops.Reduce(kind, field, component, boxes, result):
                scalar = self.executor.scalar(result)
                return ("reduce", kind, self.slots[field], component, self._placed(boxes), scalar)
            case ops.CallFunction(callback):
                return ("call", self.executor.callback(callback.function))
            case ops.Poison(field, components, boxes):
                return ("poison", self.slots[field], list(components), self._placed(boxes))
            case ops.Check(field, boxes):
                return ("check", self.slots[field], self._placed(boxes))

    def _placed(self, boxes: Iterable[Placed]) -> list[tuple[Any, ...]]:
        return [(self.executor.blocks[number], *_corners(box)) for number, box in boxes]


def _corners(box: Box) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    return three(box.lower, 0), three(box.upper, 1)
