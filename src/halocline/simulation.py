"""Simulation: a grid's fields, the steps that change them, and the ranks that share the work."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from halocline.errors import PlanError
from halocline.language.fields import Field
from halocline.language.place import user_place
from halocline.language.steps import Reduction, check_steps
from halocline.language.template import Template, value_of
from halocline.pipeline import (
    check_target,
    compile_kernels,
    compile_services,
    decomposition_for,
)
from halocline.plan.bind import bind
from halocline.plan.layout import FieldLayout
from halocline.plan.lower import make_plan
from halocline.plan.strategy import DEVICE_TRANSPORTS, Strategy
from halocline.runtime.device import CPU, check_lengths, open_device, parse_device
from halocline.runtime.executor import Executor
from halocline.runtime.job import Made, join
from halocline.runtime.memory import check_memory
from halocline.runtime.openmp import threads_of_rank
from halocline.runtime.progress import progress_display
from halocline.runtime.redistribution import redistributed
from halocline.runtime.report import Told, make_report
from halocline.tune.selection import (
    Knowledge,
    Offer,
    Selection,
    alone,
    given,
    knowledge_of,
    offer,
    predicted_lines,
    prices_here,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from halocline.language.fields import Grid
    from halocline.language.steps import Step
    from halocline.pipeline import CompiledKernels
    from halocline.plan.plan import Plan
    from halocline.plan.program import Program
    from halocline.runtime.device import OpenDevice
    from halocline.runtime.link import Link
    from halocline.runtime.report import Report, Timer

# Python looks at the clock about this often while the runtime executes steps.
_LOOK_S = 0.25


class Simulation:
    """Everything that is needed to run a step many times, on one process or many.

    Args:
        grid: The grid; its fields get their storage from the simulation.
        steps: Called kernels, swaps, repeats, reductions, functions: one time step, in order.
        dt: Time step, for 'hc.time' [time unit].
        strategy: How communication is done; every strategy gives the same bits. 'auto' ranks some
            by a model of the machine, tries the best few during the first steps, and remembers.
        decomposition: 'rows', 'tiles', 'pencils', blocks along each axis, a Decomposition, a
            Sparse domain, or None for the one with the cheapest sides.
        blocks: Blocks a rank.
        threads: OpenMP threads a rank; None for OMP_NUM_THREADS, or else all cores of the node
            shared among its ranks.
        target: 'c++', or 'numpy' to interpret the kernels slowly where there is no compiler.
        device: Where kernels run: 'cpu'; 'cuda' for NVIDIA's devices, which the ranks of a node
            take in turn, or 'cuda:1' for a certain one; 'auto' for these or else the processor; or
            'emulated' for a device whose kernels run on the processor, in a random order that
            'emulated:7' chooses. With a device look at a field's arrays again after each run.
        check_every: After how many steps fields are searched for values that are not numbers;
            0 for never.
        communicator: An mpi4py communicator; None for all ranks of the launcher.
        ranks_per_node: Declare so many consecutive ranks to be a node; None for the real nodes.
        link: An emulated link between nodes: a name in 'halocline.runtime.link.LINKS', or latency
            and time per byte as 'L=1e-5,G=1e-9' [s, s/byte].

    Raises:
        HaloclineError: A step, field or choice is wrong; nothing has run yet.
    """

    def __init__(  # noqa: PLR0913 (the choices of a run)
        self,
        grid: Grid,
        steps: Sequence[Step],
        *,
        dt: float = 1.0,
        strategy: Strategy | str = "auto",
        decomposition: Any = None,
        blocks: int = 1,
        threads: int | None = None,
        target: str = "c++",
        device: str = CPU,
        check_every: int = 100,
        communicator: Any = None,
        ranks_per_node: int | None = None,
        link: str | Link | None = None,
    ) -> None:
        self.grid = grid
        self.steps = check_steps(tuple(steps))
        self.strategy = _check_strategy(strategy)
        self.target = check_target(target)
        wanted = parse_device(device)
        if not wanted.is_cpu and target != "c++":
            raise PlanError(
                f"The target '{target}' runs on the processor; the device '{device}' was asked for."
            )
        if not self.steps:
            raise PlanError(
                "The simulation was given an empty list of steps; expected at least one, such as a "
                "called kernel.",
                place=user_place(),
            )
        self.dt = dt
        self.check_every = check_every
        self._job = join(communicator, ranks_per_node=ranks_per_node, link=link)
        self.device = open_device(wanted, self._job)
        _check_transport(self.strategy, self.device)
        self.threads = threads_of_rank(threads, self._job.ranks_on_node)
        # Read by all ranks together, so that none waits for another later.
        self._knowledge = self._ask() if self._job.size > 1 else None
        self.decomposition = decomposition_for(grid, self._job.size, decomposition, blocks)
        if not grid.own:
            grid.own.extend(block.box for block in self.decomposition.blocks_of(self.rank))
        # Which shape is the cheapest depends on the step, which need not be complete yet.
        self._shape = (decomposition, blocks)
        self._selection: Selection | None = None
        self._executor: Executor | None = None
        self._once: dict[Hashable, tuple[str, Template]] = {}
        self._seconds = 0.0
        self._untold = 0

    @property
    def rank(self) -> int:
        """The number of this process."""
        return self._job.rank

    @property
    def size(self) -> int:
        """The number of processes."""
        return self._job.size

    @property
    def communicator(self) -> Any:
        """The mpi4py communicator, or None for a single process."""
        return self._job.communicator

    @property
    def step(self) -> int:
        """How many steps have been done; in a function called by a step, that one included."""
        return self._executor.step if self._executor else 0

    @step.setter
    def step(self, step: int) -> None:
        """Go on as after so many steps, done by an earlier run: the report tells of later ones."""
        self._prepare().runtime.step = step
        self._untold = step

    def on_first(self, action: Callable[[], Made]) -> Made | None:
        """Do something on rank 0 alone; a mistake found there is raised on every rank.

        Returns:
            What the action returned on rank 0, None elsewhere.
        """
        return self._job.on_first(action)

    @property
    def plan(self) -> Plan:
        """What this rank does in a step; the default strategy's until one has been chosen."""
        if self._selection is not None:
            return self._selection.plan
        return self._make_plan(self._bind(), self._fixed_strategy)

    def _bind(self) -> Program:
        program = bind(self.grid, self.steps, self.check_every)
        wanted, blocks = self._shape
        if self._knowledge is not None and (wanted is None or isinstance(wanted, str)):
            prices = prices_here(program, self._fixed_strategy, self._job, self._knowledge)
            self.decomposition = decomposition_for(self.grid, self.size, wanted, blocks, prices)
        return program

    def _make_plan(self, program: Program, strategy: Strategy) -> Plan:
        return make_plan(program, self.decomposition, strategy, self.rank)

    @property
    def _fixed_strategy(self) -> Strategy:
        return self.strategy if isinstance(self.strategy, Strategy) else Strategy()

    @property
    def selection(self) -> Selection:
        """How the strategy is chosen, and what predicts the steps; all ranks must ask for it."""
        self._prepare()
        assert self._selection is not None
        return self._selection

    def timers(self, *, reset: bool = False) -> list[Timer]:
        """Return this rank's time for each operation so far, and maybe begin again."""
        runtime = self._prepare().runtime
        found: list[Timer] = runtime.timers()
        if reset:
            runtime.reset_timers()
        return found

    def run(self, steps: int, *, progress: bool = True) -> None:
        """Do time steps.

        Args:
            steps: How many.
            progress: Whether rank 0 shows how far it is.

        Raises:
            CompileError: The kernels cannot be compiled.
            OutOfMemoryError: The fields do not fit into memory; nothing has been stored.
            DeviceError: The device has failed.
            DivergedError: A field holds a value that is not a number.
        """
        executor, selection = self._prepare(), self.selection
        with progress_display(steps, self._cells, is_shown=progress and self.rank == 0) as show:
            started = time.perf_counter()
            done = selection.try_out(steps)
            if selection.trial is None and done:
                # From here on the report tells of the chosen strategy alone.
                executor.runtime.reset_timers()
                self._seconds, self._untold, started = 0.0, self.step, time.perf_counter()
            name, chunk = selection.name, 1
            executor.begin(name)
            while done < steps:
                count = min(chunk, steps - done)
                before = time.perf_counter()
                executor.advance(name, count)
                elapsed = time.perf_counter() - before
                done += count
                show(done)
                # Long enough that Python does not matter, short enough to look alive.
                chunk = max(1, min(2 * count, int(count * _LOOK_S / max(elapsed, 1e-9)) or 1))
            executor.end(name)
            if self.check_every and self.step % self.check_every:
                executor.check(name)
        self._seconds += time.perf_counter() - started

    def reduce(self, reduction: Reduction) -> float:
        """Return a reduction of the fields as they are now, the same on all ranks."""
        self.execute(reduction)
        return reduction.value

    def bytes_stored(self, fields: Sequence[Field] | None = None) -> int:
        """Return the memory of fields on all ranks, halos and padding included [bytes]; collective.

        Args:
            fields: Which; None for all, those that reductions need included.
        """
        executor = self._prepare()
        names = executor.storages if fields is None else [field.name for field in fields]
        mine = sum(executor.storages[name].bytes_stored for name in names)
        return sum(self._job.everywhere(mine))

    def execute(self, *steps: Step) -> None:
        """Do some steps once, now, outside the time loop.

        They are planned and compiled the first time; later, steps of the same value are known even
        if they are written anew, with other numbers for their scalars or other functions.

        Raises:
            PlanError: They read further than the fields are stored for.
            OutOfMemoryError: There is no memory for what reductions need.
        """
        executor = self._prepare()
        checked = check_steps(steps)
        value, filling = value_of(checked)
        if value not in self._once:
            template = Template(checked, filling)
            name = f"once {len(self._once)}"
            self._load_once(executor, name, template.steps)
            self._once[value] = name, template
        name, template = self._once[value]
        with template.filled(filling):
            executor.begin(name)
            executor.once(name)
            executor.end(name)

    def _load_once(self, executor: Executor, name: str, steps: tuple[Step, ...]) -> None:
        # Hidden fields keep nothing from one call to the next, so all of them use the same ones.
        program = bind(self.grid, steps, 0, prefix="once")
        none = (0,) * self.grid.dimensions
        known = executor.storages
        new = [FieldLayout(spec, none, none) for spec in program.fields if spec.name not in known]
        strategy, layouts = replace(self._fixed_strategy, depth=1), (*executor.layouts, *new)
        plan = make_plan(program, self.decomposition, strategy, self.rank, layouts)
        check_memory(new, plan, self.device, self._job)
        for layout in new:
            executor.store(layout)
        executor.load(name, plan, self._compile([plan]))

    def report(self) -> Report:
        """Return where the time went, over all ranks, beside what the model says; printable."""
        selection = self.selection
        return make_report(
            self.timers(),
            self.plan,
            self._job,
            Told(
                self.step - self._untold,
                self._seconds,
                selection.reason,
                self._predicted(),
                self.bytes_stored(),
                self.device.where,
                not self.device.is_cpu,
            ),
        )

    def _predicted(self) -> dict[tuple[str, str], float]:
        return predicted_lines(self.plan, self.selection.knowledge or self._ask())

    def _ask(self) -> Knowledge:
        device = "" if self.device.is_cpu else self.device.where
        return knowledge_of(self._job, self.threads, device)

    def _compile(self, plans: Iterable[Plan]) -> CompiledKernels:
        return compile_kernels(plans, self.target, self._job, self.device.handle)

    def _offer(self, program: Program) -> Offer:
        if isinstance(self.strategy, Strategy):
            return given(self._make_plan(program, self.strategy))
        if self._knowledge is None:
            return alone(self._make_plan(program, Strategy()))
        return offer(
            program,
            self.decomposition,
            lambda strategy: self._make_plan(program, strategy),
            self._job,
            self._knowledge,
        )

    @property
    def _cells(self) -> int:
        return self.grid.domain.cells

    def _prepare(self) -> Executor:
        """Store the fields and compile the kernels, the first time."""
        if self._executor is not None:
            return self._executor
        if any(field.storage is not None for field in self.grid.fields.values()):
            raise PlanError(
                "The grid's fields already belong to another simulation.",
                hint="Make a new Grid with its own fields for each simulation.",
            )
        program = self._bind()
        offered = self._offer(program)
        first = offered.plans[0]
        check_lengths(self.device, first, self._job)
        check_memory(first.layouts, first, self.device, self._job)
        kernels = self._compile(offered.plans)
        executor = Executor(
            first,
            self.grid,
            self._job,
            self.threads,
            self.dt,
            self.device,
            services=compile_services(self._job, self.device.handle),
        )
        self._selection = Selection(offered, executor, kernels, self._job, self._knowledge)
        self._hand_over(executor)
        self._executor = executor
        return executor

    def _hand_over(self, executor: Executor) -> None:
        """Give the fields their storage and the values that they were set to before."""
        own = [block.box for block in executor.owned]
        is_moved = any(self._job.everywhere(own != self.grid.own))
        self.grid.own[:] = own
        for field in self.grid.fields.values():
            field.storage = executor.storages[field.name]
            if field.initial is None:
                continue
            initial, field.initial = field.initial, None
            if is_moved and initial.boxes != (self.grid.domain,):
                initial = redistributed(initial, own, self._job)
            field.storage.assign(initial)


def _check_strategy(strategy: Strategy | str) -> Strategy | str:
    if isinstance(strategy, Strategy) or strategy == "auto":
        return strategy
    raise PlanError(
        f"The simulation was given strategy={strategy!r}; expected 'auto' or a Strategy.",
        hint="Write hc.Strategy(…) with the choices you want.",
    )


def _check_transport(strategy: Strategy | str, device: OpenDevice) -> None:
    transport = strategy.transport if isinstance(strategy, Strategy) else "auto"
    if transport != "auto" and (transport in DEVICE_TRANSPORTS) == device.is_cpu:
        expected = ", ".join(DEVICE_TRANSPORTS)
        raise PlanError(
            f"The strategy has transport={transport!r}, but fields lie in the memory of the "
            f"{'processor' if device.is_cpu else 'device'}; for devices there are: {expected}.",
            hint="transport='auto' takes what fits.",
        )
    if transport in device.refusals:
        raise PlanError(
            f"The strategy has transport={transport!r}, which does not work here: "
            f"{device.refusals[transport]}.",
            hint="transport='auto' takes what works.",
        )
