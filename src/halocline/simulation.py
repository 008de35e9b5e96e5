"""Simulation: a grid's fields, the steps that change them, and the ranks that share the work."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from halocline.errors import PlanError
from halocline.language.fields import Field
from halocline.language.steps import Reduction, check_steps
from halocline.pipeline import check_target, compile_kernels, decomposition_for
from halocline.plan.bind import bind
from halocline.plan.layout import FieldLayout
from halocline.plan.lower import make_plan
from halocline.plan.strategy import Strategy
from halocline.runtime.executor import Executor
from halocline.runtime.job import Made, join
from halocline.runtime.progress import progress_display
from halocline.runtime.report import make_report

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from halocline.language.fields import Grid
    from halocline.language.steps import Step
    from halocline.plan.plan import Plan
    from halocline.plan.program import Program
    from halocline.runtime.link import Link
    from halocline.runtime.report import Report

# Python looks at the clock about this often while the runtime executes steps.
_LOOK_S = 0.25


class Simulation:
    """Everything that is needed to run a step many times, on one process or many.

    Args:
        grid: The grid; its fields get their storage from the simulation.
        steps: Called kernels, swaps, repeats, reductions, functions: one time step, in order.
        dt: Time step, for 'hc.time' [time unit].
        strategy: How communication is done; every strategy gives the same bits.
        decomposition: 'rows', 'tiles', 'pencils', blocks along each axis, a Decomposition, or
            None for the one with the cheapest sides.
        blocks: Blocks a rank.
        threads: OpenMP threads a rank; None for all cores of the node shared among its ranks.
        target: 'c++', or 'numpy' to interpret the kernels slowly where there is no compiler.
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
        strategy: Strategy | None = None,
        decomposition: Any = None,
        blocks: int = 1,
        threads: int | None = None,
        target: str = "c++",
        check_every: int = 100,
        communicator: Any = None,
        ranks_per_node: int | None = None,
        link: str | Link | None = None,
    ) -> None:
        self.grid = grid
        self.steps = check_steps(tuple(steps))
        self.strategy = strategy or Strategy()
        self.target = check_target(target)
        self.dt = dt
        self.check_every = check_every
        self._job = join(communicator, ranks_per_node=ranks_per_node, link=link)
        self.threads = threads or max(1, len(os.sched_getaffinity(0)) // self._job.ranks_on_node)
        self.decomposition = decomposition_for(grid, self._job.size, decomposition, blocks)
        self._plan: Plan | None = None
        self._executor: Executor | None = None
        self._once: dict[tuple[Step, ...], str] = {}
        self._seconds = 0.0

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

    def on_first(self, action: Callable[[], Made]) -> Made | None:
        """Do something on rank 0 alone; a mistake found there is raised on every rank.

        Returns:
            What the action returned on rank 0, None elsewhere.
        """
        return self._job.on_first(action)

    @property
    def plan(self) -> Plan:
        """What this rank does in a step."""
        return self._plan or self._make_plan(self._bind())

    def _bind(self) -> Program:
        return bind(self.grid, self.steps, self.check_every)

    def _make_plan(self, program: Program) -> Plan:
        return make_plan(program, self.decomposition, self.strategy, self.rank)

    def run(self, steps: int, *, progress: bool = True) -> None:
        """Do time steps.

        Args:
            steps: How many.
            progress: Whether rank 0 shows how far it is.

        Raises:
            CompileError: The kernels cannot be compiled.
            DivergedError: A field holds a value that is not a number.
        """
        executor = self._prepare()
        executor.begin("main")
        done, chunk, started = 0, 1, time.perf_counter()
        with progress_display(steps, self._cells, is_shown=progress and self.rank == 0) as show:
            while done < steps:
                count = min(chunk, steps - done)
                before = time.perf_counter()
                executor.advance("main", count)
                elapsed = time.perf_counter() - before
                done += count
                show(done)
                # Long enough that Python does not matter, short enough to look alive.
                chunk = max(1, min(2 * count, int(count * _LOOK_S / max(elapsed, 1e-9)) or 1))
        self._seconds += time.perf_counter() - started

    def reduce(self, reduction: Reduction) -> float:
        """Return a reduction of the fields as they are now, the same on all ranks."""
        self.execute(reduction)
        return reduction.value

    def execute(self, *steps: Step) -> None:
        """Do some steps once, now, outside the time loop.

        Raises:
            PlanError: They read further than the fields are stored for.
        """
        executor = self._prepare()
        checked = check_steps(steps)
        if checked not in self._once:
            self._once[checked] = f"once {len(self._once)}"
            self._load_once(executor, self._once[checked], checked)
        executor.begin(self._once[checked])
        executor.once(self._once[checked])

    def _load_once(self, executor: Executor, name: str, steps: tuple[Step, ...]) -> None:
        program = bind(self.grid, steps, 0, prefix=name.replace(" ", "_"))
        none = (0,) * self.grid.dimensions
        for spec in program.fields:
            if spec.name not in executor.storages:
                executor.store(FieldLayout(spec.name, spec.dtype, spec.components, none, none))
        plan = make_plan(program, self.decomposition, self.strategy, self.rank, executor.layouts)
        executor.load(name, plan, compile_kernels(program, self.target, self._job))

    def report(self) -> Report:
        """Return where the time went, over all ranks; printable."""
        executor = self._prepare()
        return make_report(
            executor.runtime.timers(), self.plan, self._job, self._seconds, self.step
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
        self._plan = plan = self._make_plan(program)
        kernels = compile_kernels(program, self.target, self._job)
        executor = Executor(plan, self.grid, self._job, self.threads, self.dt)
        executor.load("main", plan, kernels)
        for field in self.grid.fields.values():
            _hand_over(field, executor)
        self._executor = executor
        return executor


def _hand_over(field: Field, executor: Executor) -> None:
    """Give a field its storage and the values it was set to before."""
    field.storage = executor.storages[field.name]
    for values in field.pending:
        field.storage.assign(values)
    field.pending.clear()
