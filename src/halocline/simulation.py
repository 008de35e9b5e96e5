"""Simulation: a grid's fields, the steps that change them, and the ranks that share the work."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from halocline.io.state import numbers
from halocline.language.expressions.parameters import Parameter
from halocline.language.grids.fields import Field
from halocline.language.grids.forest import Forest, size_of
from halocline.language.grids.grid import Grid
from halocline.language.grids.refine import Refine
from halocline.language.numbers import Range, whole_number
from halocline.language.steps.loops import length_of_step
from halocline.language.steps.steps import Reduction, Step, check_steps, time_step
from halocline.language.steps.subcycling import on_forest, once_on_forest
from halocline.options import Check, check_options
from halocline.plan.blocks.choice import AnyDecomposition, decomposition_for
from halocline.plan.cells.strategy import Strategy, check_strategy
from halocline.plan.plan_file import check_undecided, read_plans
from halocline.runtime.agreement import Agreement
from halocline.runtime.collective import collective
from halocline.runtime.device import CPU, check_transport, open_device, parse_device
from halocline.runtime.executor import Executor
from halocline.runtime.job import RanksPerNode, join
from halocline.runtime.link import AnyLink
from halocline.runtime.openmp import threads_of_rank
from halocline.runtime.platform import platform_here
from halocline.runtime.progress import progress_display
from halocline.runtime.tally import Tally
from halocline.targets import check_target
from halocline.tune.advance import advance, in_turns
from halocline.tune.listed_cells import ListedCells
from halocline.tune.once import Once
from halocline.tune.planner import Planner
from halocline.tune.predicted import Predicted
from halocline.tune.rebalance import BlockTimes, Rebalanced, check_rebalanced
from halocline.tune.regridded import Regridded, checked_refine
from halocline.tune.selection import Predictor, Selection, predictor_of
from halocline.tune.start import start
from halocline.tune.work import Placement

if TYPE_CHECKING:
    from collections.abc import Callable

    from halocline.plan.value.plan import Plan
    from halocline.runtime.report import Report, Timer


class Simulation(Regridded, Rebalanced):
    """Everything that is needed to run a step many times, on one process or many; collective.

    Args:
        grid: The grid; its fields get their storage from the simulation.
        steps: Called kernels, swaps, repeats, reductions, functions: one time step, in order.
        dt: Time step, for 'hc.time', which is step * dt [time unit]. If it is a parameter or a
            formula, its value at the end of each step is added to the time.
        strategy: How communication is done; every strategy gives the same bits. 'auto' ranks some
            by a model of the machine, tries the best few during the first steps, and remembers.
        decomposition: 'rows', 'tiles', 'pencils', blocks along each axis as '4x2x1' or (4, 2, 1), a
            Decomposition, Sparse, Bisection, or None for the one with the cheapest sides. Of a
            forest Shares, Owners, or None for even shares.
        blocks: Blocks a rank.
        threads: OpenMP threads a rank; None for OMP_NUM_THREADS, or else the cores that the
            launcher leaves it, shared among the ranks that may use them.
        target: 'c++', or 'numpy' to interpret the kernels slowly where there is no compiler.
        device: Where kernels run: 'cpu'; 'cuda' for NVIDIA's devices, which the ranks of a node
            take in turn, or 'cuda:1' for a certain one; 'auto' for these or else the processor; or
            'emulated' for a device whose kernels run on the processor, in a random order that
            'emulated:7' chooses. With a device look at a field's arrays again after each run.
        check_every: After how many steps fields are searched for values that are not numbers,
            or are outside of their limits; 0 for never. Cells that no kernel assigns are not
            searched: those outside of the boxes and of the constant masks (on=mask) of all kernels.
        rebalance_every: After how many steps blocks are shared anew by measured times where that
            pays (see 'rebalance'); 0 for never.
        communicator: An mpi4py communicator; None for all ranks of the launcher.
        ranks_per_node: Declare so many consecutive ranks to be a node; None for the real nodes.
        link: An emulated link between nodes: one of 'LINKS' in runtime/link.py, or 'L=1e-5,G=1e-9'.
        plan: A file with plans to execute, which 'write_plan' or 'halocline show plan --write' has
            written for these steps and so many ranks; it decides strategy and decomposition.
        refine: When and where the blocks of a forest are split and merged; None for never.

    Raises:
        HaloclineError: A step, field or choice is wrong; nothing has run yet.
    """

    # If given, it is called with a simulation before that stores its fields: tools look at it.
    before_start: ClassVar[Callable[[Simulation], None] | None] = None

    def __init__(  # noqa: PLR0913 (the choices of a run)
        self,
        grid: Grid,
        steps: Sequence[Step],
        *,
        dt: float | Parameter = 1.0,
        strategy: Strategy | str = "auto",
        decomposition: AnyDecomposition = None,
        blocks: Annotated[int, Range(least=1)] = 1,
        threads: Annotated[int | None, Range(least=1)] = None,
        target: str = "c++",
        device: Annotated[str, Check(parse_device)] = CPU,
        check_every: Annotated[int, Range(least=0)] = 100,
        rebalance_every: Annotated[int, Range(least=0)] = 0,
        communicator: Any = None,
        ranks_per_node: RanksPerNode = None,
        link: AnyLink = None,
        plan: Annotated[str | Path | None, Check(read_plans)] = None,
        refine: Refine | None = None,
    ) -> None:
        # First of all, so that ranks of which one is given a mistake all hear of it.
        self.job = join(communicator, ranks_per_node=ranks_per_node, link=link)
        with self.job.call("Simulation"):
            given: dict[str, Any] = {"check_every": check_every, "device": device}
            given |= {"rebalance_every": rebalance_every}
            split = {"decomposition": decomposition, "blocks": blocks}
            check_options(Simulation, {**given, **split, "threads": threads, "plan": plan})
            grid = grid.grid if isinstance(grid, Forest) else grid
            self.grid, self._written = grid, tuple(steps)
            self.steps = self._traced()
            file = None if plan is None else read_plans(plan)
            if file is not None:
                check_undecided(strategy=strategy, **split)
                file.check(grid.first.extent, self.job.size)
                strategy, decomposition = file.strategy, file.decomposition
            wanted = parse_device(device)
            self.strategy, self.target = check_strategy(strategy), check_target(target, wanted)
            self.dt, self.check_every = length_of_step(dt, self.steps), check_every
            self.refine = checked_refine(refine, grid)
            self._agreement = Agreement(self.job, grid)
            given |= {"dt": str(self.dt), "strategy": self.strategy, "target": target}
            self._divide(decomposition, blocks, **given)
            self.device = open_device(wanted, self.job)
            check_transport(self.strategy, self.device)
            if rebalance_every:
                check_rebalanced(self.decomposition, self.device)
            self.threads = threads_of_rank(threads, self.job.sharers)
            self._planner = Planner(
                grid,
                self.steps,
                check_every,
                self.job,
                platform_here(self.job, self.threads, self.device),
                # Read by all ranks together, so that none waits for another later.
                self._ask() if self.job.size > 1 else Predictor(Placement(1, self.threads)),
                self.strategy,
                (decomposition, blocks),
                file,
            )
        grid.held.begin(self, partial(self.decomposition.own_boxes, self.rank))
        self._selection: Selection | None = None
        self._executor: Executor | None = None
        self._tally, self._predicted = Tally(self.job), Predicted(self.job)
        # The numbers that all ranks must know alike.
        self._parameters: tuple[Parameter, ...] = ()
        # What is done between steps: after how many.
        self._between = [(self.refine.every, self._follow)] if self.refine else []
        if rebalance_every:
            self._between.append((rebalance_every, partial(self._share_anew, rebalance_every)))

    def __repr__(self) -> str:
        """Return what is computed, and how far it is."""
        return f"<{self._title}>"

    def _repr_html_(self) -> str:
        """Return that with the fields as Jupyter shows it."""
        html: str = self.grid.table_of_fields(self._title)
        return html

    @property
    def _title(self) -> str:
        cells, ranks = f"{size_of(self.grid).cells:,} cells", f"{self.size} rank(s)"
        done = f"{self.step} step(s) done, time {self.time:g}"
        return f"simulation of {cells} on {ranks} with {self.threads} thread(s) each, {done}"

    @property
    def fields(self) -> Mapping[str, Field]:
        """The fields that users have declared on the grid and its family, by name."""
        return {name: one for name, one in self.grid.fields.items() if not one.is_hidden}

    @property
    def step(self) -> int:
        """How many steps have been done; in a function called by a step, that one included."""
        return self._executor.step if self._executor else 0

    @step.setter
    @collective
    def step(self, step: int) -> None:
        """Go on as after so many steps, of which reports do not tell; collective before a run."""
        executor = self._prepare()
        executor.runtime.step = step
        executor.mixture = ""
        self._tally.begin(step)

    @property
    def mixture(self) -> str:
        """What has left fields that belong to no step, until 'step' is set; else empty."""
        return self._executor.mixture if self._executor else ""

    @mixture.setter
    def mixture(self, what: str) -> None:
        self._known_executor().mixture = what

    @property
    def time(self) -> float:
        """The time, as 'hc.time'; in a function called by a step, when that began [time unit]."""
        return self._executor.runtime.time if self._executor else 0.0

    @time.setter
    @collective
    def time(self, time: float) -> None:
        """Go on at a time, where steps add a parameter to it; collective before a run."""
        self._prepare().runtime.time = time

    @property
    def plan(self) -> Plan:
        """What this rank does in a step; the default strategy's until one has been chosen."""
        return self._planner.plan() if self._selection is None else self._selection.plan

    @collective
    def write_plan(self, path: str | Path) -> None:
        """Write the plans of all ranks to a file, which 'plan' takes; collective.

        Raises:
            OutputError: The file cannot be written.
        """
        self._planner.write(Path(path), self.plan)

    def _divide(self, decomposition: AnyDecomposition, blocks: int, **given: Any) -> None:
        # Which shape is the cheapest depends on the step, which need not be complete yet.
        shape = (self.size, decomposition, blocks)
        self.decomposition = decomposition_for(self.grid, *shape, steps=self.steps)
        given |= {"decomposition": decomposition, "blocks": blocks}
        self._agreement.on_options(self.decomposition, **given)

    @property
    @collective
    def selection(self) -> Selection:
        """How the strategy is chosen, and what predicts the steps; collective before a run."""
        if self._selection is None:
            self._prepare()
        assert self._selection is not None
        return self._selection

    @collective
    def timers(self, *, reset: bool = False) -> list[Timer]:
        """Return this rank's time for each operation so far, and maybe begin again.

        Collective before a run.
        """
        runtime = self._known_executor().runtime
        found: list[Timer] = runtime.timers()
        if reset:
            runtime.reset_timers()
        return found

    @collective
    def run(self, steps: int, *, progress: bool = True) -> None:
        """Do time steps; collective.

        Args:
            steps: How many.
            progress: Whether rank 0 shows how far it is.

        Raises:
            CompileError: The kernels cannot be compiled.
            OutOfMemoryError: The fields do not fit into memory; nothing has been stored.
            DeviceError: The device has failed.
            DivergedError: A field holds a value that is not a number.
            MpiError: The ranks do not agree on what is to be computed.
            PlanError: The number of steps is not a whole one; or a step has failed before, after
                which fields belong to no step.
        """
        steps = whole_number("'run'", steps, Range(least=0))
        executor = self._prepare()
        if steps:
            executor.check_whole("run")
        self._agreement.on_run(steps, self.step, self._parameters)
        is_shown, updates = progress and self.rank == 0, size_of(self.grid).updates
        with progress_display(steps, updates, is_shown=is_shown) as show:
            for done, count in in_turns(lambda: self.step, steps, self._between):
                every = self.check_every
                advance(self.selection, self._tally, count, show, before=done, check_every=every)
        if self.size > 1 and self._tally.is_due(self.step):
            self._tell()

    @collective
    def rebuild(self, *, decomposition: AnyDecomposition = None, blocks: int = 1) -> None:
        """Move to other blocks or owners between two runs, and keep all bits; collective.

        Ask fields for their arrays again. Reports tell of the steps that follow.

        Args:
            decomposition: See 'Simulation'. In blocks that have been dropped so far, fields are 0.
            blocks: Blocks a rank.

        Raises:
            HaloclineError: As 'Simulation' and 'run' say, or a function of the step calls this;
                nothing has moved.
        """
        if self._executor is not None:
            executor = self._prepare()
            executor.check_between_runs("rebuild")
            executor.check_whole("rebuild")
        check_options(Simulation, {"decomposition": decomposition, "blocks": blocks})
        before = self._planner, self.decomposition
        try:
            self._divide(decomposition, blocks)
            self._planner = replace(self._planner, shape=(decomposition, blocks), file=None)
            if self._executor is not None:
                self._begin()
        except BaseException:
            self._planner, self.decomposition = before
            raise

    @collective
    def reduce(self, reduction: Reduction) -> float:
        """Return a reduction of the fields as they are now, the same on all ranks; collective."""
        self.execute(reduction)
        return reduction.value

    @collective
    def bytes_stored(self, fields: Sequence[Field] | None = None) -> int:
        """Return the memory of fields on all ranks, halos and padding included [bytes]; collective.

        Args:
            fields: Which; None for all, those that reductions need included.
        """
        storages = self._known_executor().slots.storages
        names = storages if fields is None else [field.name for field in fields]
        mine = sum(storages[name].bytes_stored for name in names)
        return sum(self.job.everywhere(mine))

    @collective
    def execute(self, *steps: Step) -> None:
        """Do some steps once, now, outside the time loop; collective.

        They are planned and compiled the first time; later, steps of the same value are known even
        if they are written anew, with other numbers for their scalars or other functions.

        Raises:
            MpiError: The ranks were given different steps.
            PlanError: They read further than the fields are stored for.
            OutOfMemoryError: There is no memory for what reductions need.
        """
        executor, checked = self._prepare(), check_steps(once_on_forest(steps, self._written))
        self._once.execute(self, executor, self._agreement, checked, self._planner.platform)

    @collective
    def report(self) -> Report:
        """Return where the time went, over all ranks, beside what the model says; printable.

        What other ranks say of themselves they say at the end of 'run', unless that has added
        little: then the report is about fewer steps than have been done, and says so. So it needs
        no other rank; before the first run, or the first since 'rebuild', it is collective.
        """
        if self.size == 1 or self._tally.told is None:
            self._tell()
        predicted = self._predicted.lines
        return self._tally.report(self.step, predicted, self.device, self.plan, self.threads)

    def _tell(self) -> None:
        plan, reason = self.selection.plan, self.selection.reason
        size = size_of(self.grid)
        self._tally.tell(self.step, self.timers(), plan, reason, self.bytes_stored(), size)
        predictor = self._ask() if self.size == 1 else self.selection.predictor
        self._predicted.tell(plan, predictor, ListedCells(self.selection.executor.slots))

    def _ask(self) -> Predictor:
        device = "" if self.device.is_cpu else self.device.where
        return predictor_of(self.job, self.threads, device)

    def _traced(self) -> tuple[Step, ...]:
        """Return the time step; of a forest what is done on each of its levels, in order."""
        return time_step(on_forest(self._written))

    def _known_executor(self) -> Executor:
        """Return what has run the steps, even if another simulation has taken over the fields."""
        return self._executor or self._prepare()

    def _prepare(self) -> Executor:
        """Store the fields and compile the kernels, the first time or if that has changed."""
        held, known = self.grid.held, self._executor
        if known is not None and held.executor is known:
            known.check_alive()
            if known.boundaries == held.boundaries or known.is_in_step:
                return known
        if Simulation.before_start is not None:
            Simulation.before_start(self)
        self._agreement.on_steps(self.steps)
        self._parameters = numbers(self.grid, self.steps, self.dt)
        return self._begin()

    def _begin(self) -> Executor:
        """Plan the steps, and store the fields anew with the values that they have.

        They may have been stored by this simulation, or by another one of the same grid.
        """
        before = self.grid.held.executor
        if before is not None:
            before.check_giving_up(self.job)
        if self._selection is not None:  # it has learnt
            self._planner = replace(self._planner, predictor=self._selection.predictor)
        began = time.perf_counter()
        candidates, predictor = self._planner.candidates(), self._planner.predictor
        self._planned_s = time.perf_counter() - began
        self.decomposition = candidates.plans[0].decomposition
        self._executor, self._selection = start(self, candidates, predictor, before)
        self._tally.begin(self.step)
        self._once, self._times = Once(), BlockTimes(self._executor)
        return self._executor
