"""Simulation: a grid's fields, the steps that change them, and the ranks that share the work."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from msgspec.structs import replace

from halocline.frozen import Frozen
from halocline.language.expressions.parameters import Parameter
from halocline.language.grids.fields import Field
from halocline.language.grids.forest import Forest, forest_for, grid_of, size_of
from halocline.language.grids.grid import Grid
from halocline.language.grids.refine import Refine, check_wanted
from halocline.language.numbers import Range, whole_number
from halocline.language.state import numbers
from halocline.language.steps.loops import length_of_step
from halocline.language.steps.steps import Reduction, Step, check_steps, time_step
from halocline.language.steps.subcycling import on_forest, once_on_forest
from halocline.memo import memoised
from halocline.options import Check, check_options
from halocline.plan.blocks.choice import AnyDecomposition, decomposition_for
from halocline.plan.blocks.shares import Shares
from halocline.plan.cells.strategy import Strategy, check_strategy
from halocline.plan.pipeline import CHECK_EVERY
from halocline.plan.plan_file import check_undecided, read_plans
from halocline.report.tally import Tally
from halocline.runtime.collective import collective
from halocline.runtime.device import CPU, check_transport, open_device, parse_device
from halocline.runtime.job import RanksPerNode, join
from halocline.runtime.link import AnyLink
from halocline.runtime.openmp import threads_of_rank
from halocline.runtime.platform import platform_here
from halocline.runtime.progress import progress_display
from halocline.session.advance import advance, in_turns
from halocline.session.consistency import ConsistencyCheck
from halocline.session.one_shot import OneShotSteps
from halocline.session.planner import Bound, Planner
from halocline.session.rebalancing import BlockTimes, check_rebalanced, rebalancing
from halocline.session.regridding import checked_refine, leaves_wanted
from halocline.session.selection import Selection
from halocline.session.start import Owner, Setting, executor_of, start
from halocline.targets import check_target
from halocline.tune.compacted_masks import CompactedMasks
from halocline.tune.predictor import Predictor, predictor_of
from halocline.tune.work import Placement

if TYPE_CHECKING:
    from collections.abc import Callable

    from halocline.language.expressions.parameters import Formula
    from halocline.language.grids.refine import Wanted
    from halocline.language.spaces.leaves import Leaves, SeenBySteps
    from halocline.plan.value.plan import Plan
    from halocline.report.report import Report
    from halocline.runtime.executor import Executor
    from halocline.runtime.job import Job, Made
    from halocline.runtime.timers import Timer
    from halocline.session.rebalancing import Rebalancing


class _Running(Frozen):
    """What executes the steps on the present blocks.

    Attributes:
        executor: Stores the fields and executes plans.
        selection: Chooses among the plans.
        one_shot: Steps outside the time loop.
        block_times: Times of kernels on each block.
        planned_s: How long this rank planned [s].
    """

    executor: Executor
    selection: Selection
    one_shot: OneShotSteps
    block_times: BlockTimes
    planned_s: float


class Simulation:
    """Everything that is needed to run a step many times, on one process or many; collective.

    Args:
        grid: The grid or the forest; its fields get their storage from the simulation.
        steps: Called kernels, swaps, repeats, reductions, functions, or lists of these: one time
            step, in order.
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

    Example:
        >>> grid = hc.Grid((8, 8), periodic=True)
        >>> u, u_new = grid.field("u"), grid.field("u_new")
        >>> @hc.kernel
        ... def smooth(u, u_new):
        ...     u_new[0, 0] = u + 0.1 * hc.laplacian(u)
        >>> simulation = hc.Simulation(grid, [smooth(u, u_new), hc.swap(u, u_new)])
        >>> simulation.size
        1
    """

    # If given, it is called with a simulation before that stores its fields: tools inspect it.
    before_start: ClassVar[Callable[[Simulation], None] | None] = None

    def __init__(  # noqa: PLR0913 (the choices of a run)
        self,
        grid: Grid | Forest,
        steps: Sequence[object],
        *,
        dt: float | Parameter = 1.0,
        strategy: Strategy | str = "auto",
        decomposition: AnyDecomposition = None,
        blocks: Annotated[int, Range(least=1)] = 1,
        threads: Annotated[int | None, Range(least=1)] = None,
        target: str = "c++",
        device: Annotated[str, Check(parse_device)] = CPU,
        check_every: Annotated[int, Range(least=0)] = CHECK_EVERY,
        rebalance_every: Annotated[int, Range(least=0)] = 0,
        communicator: Any = None,
        ranks_per_node: RanksPerNode = None,
        link: AnyLink = None,
        plan: Annotated[str | Path | None, Check(read_plans)] = None,
        refine: Refine | None = None,
    ) -> None:
        # First of all, so that a mistake on one rank is an error on all.
        self.job: Job = join(communicator, ranks_per_node=ranks_per_node, link=link)
        with self.job.call("Simulation"):
            given: dict[str, Any] = {"check_every": check_every, "device": device}
            given |= {"rebalance_every": rebalance_every}
            split = {"decomposition": decomposition, "blocks": blocks}
            check_options(Simulation, {**given, **split, "threads": threads, "plan": plan})
            grid = grid_of(grid)
            self.grid, self._written = grid, tuple(steps)
            self.steps, known = self._traced(self._seen)
            file = None if plan is None else read_plans(plan)
            if file is not None:
                check_undecided(strategy=strategy, **split)
                file.check(grid.first.extent, self.job.size)
                strategy, decomposition = file.strategy, file.decomposition
            wanted = parse_device(device)
            self.strategy, self.target = check_strategy(strategy), check_target(target, wanted)
            self.dt, self.check_every = length_of_step(dt, self.steps), check_every
            self.refine = checked_refine(refine, grid)
            self._check = ConsistencyCheck(self.job, grid)
            given |= {"dt": str(self.dt), "strategy": self.strategy, "target": target}
            self._divide(decomposition, blocks, **given)
            self.device = open_device(wanted, self.job)
            check_transport(self.strategy, self.device)
            if rebalance_every:
                check_rebalanced(self.decomposition, self.device)
            self.threads = threads_of_rank(threads, self.job.sharers)
            self._setting = Setting(grid, self.job, self.device, self.threads, self.target, self.dt)
            self._planner = Planner(
                grid,
                self.steps,
                check_every,
                self.job,
                platform_here(self.job, self.threads, self.device),
                # Read by all ranks together, so that none waits for another later.
                self._predictor() if self.size > 1 else Predictor(Placement(1, self.threads)),
                self.strategy,
                (decomposition, blocks),
                file,
                known=known,
            )
        state = grid.state
        state.own_boxes = state.own_boxes or partial(self.decomposition.own_boxes, self.rank)
        state.owner = state.owner or Owner(self.execute)
        self._running: _Running | None = None
        self._tally = Tally(self.job)
        # The numbers that must be the same on all ranks.
        self._parameters: tuple[Parameter, ...] = ()
        # Calls between steps: after how many.
        self._between = [(self.refine.every, self._regrid)] if self.refine else []
        if rebalance_every:
            self._between.append((rebalance_every, partial(self._rebalance, rebalance_every)))

    def __repr__(self) -> str:
        """Return what is computed, and how far it is."""
        return f"<{self.title}>"

    @property
    def title(self) -> str:
        """What is computed, in words, and how far it is."""
        cells, ranks = f"{size_of(self.grid).cells:,} cells", f"{self.size} rank(s)"
        done = f"{self.step} step(s) done, time {self.time:g}"
        return f"simulation of {cells} on {ranks} with {self.threads} thread(s) each, {done}"

    @property
    def rank(self) -> int:
        """The number of this process."""
        return self.job.rank

    @property
    def size(self) -> int:
        """The number of processes."""
        return self.job.size

    @property
    def communicator(self) -> Any:
        """The mpi4py communicator, or None for a single process."""
        return self.job.communicator

    def on_first(self, action: Callable[[], Made]) -> Made | None:
        """Return what an action returns on rank 0, None elsewhere; its errors are everybody's."""
        return self.job.on_first(action)

    @property
    def fields(self) -> Mapping[str, Field]:
        """The fields that users have declared on the grid and its family, by name."""
        return {name: field for name, field in self.grid.fields.items() if not field.is_hidden}

    @property
    def step(self) -> int:
        """How many steps have been done; in a function called by a step, that one included."""
        return self._running.executor.step if self._running else 0

    @step.setter
    @collective
    def step(self, step: int) -> None:
        """Continue as after so many steps, which reports leave out; collective before a run."""
        executor = self._prepare().executor
        executor.runtime.step = step
        executor.mixture = ""
        self._tally.begin(step)

    @property
    def mixture(self) -> str:
        """What has left fields that belong to no step, until 'step' is set; else empty."""
        return self._running.executor.mixture if self._running else ""

    @mixture.setter
    def mixture(self, what: str) -> None:
        self._executor.mixture = what

    @property
    def time(self) -> float:
        """The time, as 'hc.time'; in a function called by a step, when that began [time unit]."""
        return self._running.executor.runtime.time if self._running else 0.0

    @time.setter
    @collective
    def time(self, time: float) -> None:
        """Go on at a time, where steps add a parameter to it; collective before a run."""
        self._prepare().executor.runtime.time = time

    @property
    def plan(self) -> Plan:
        """What this rank does in a step; the default strategy's until one has been chosen."""
        return self._running.selection.plan if self._running else self._planner.plan()

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
        self._check.on_options(self.decomposition, **given)

    @property
    @collective
    def selection(self) -> Selection:
        """The choice of the strategy, and the model of its steps; collective before a run."""
        return (self._running or self._prepare()).selection

    @collective
    def timers(self, *, reset: bool = False) -> list[Timer]:
        """Return this rank's time for each operation so far, and maybe begin again.

        Collective before a run.
        """
        runtime = self._executor.runtime
        timers: list[Timer] = runtime.timers()
        if reset:
            runtime.reset_timers()
        return timers

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
        executor = self._prepare().executor
        if steps:
            executor.check_whole("run")
        self._check.on_run(steps, self.step, self._parameters)
        is_shown, updates = progress and self.rank == 0, size_of(self.grid).updates
        with progress_display(steps, updates, is_shown=is_shown) as show:
            for done, count in in_turns(lambda: self.step, steps, self._between):
                every = self.check_every
                advance(self.selection, self._tally, count, show, before=done, check_every=every)
        if self.size > 1 and self._tally.is_due(self.step):
            self._collect()

    @collective
    def rebuild(self, *, decomposition: AnyDecomposition = None, blocks: int = 1) -> None:
        """Move to other blocks or owners between two runs, and keep all bits; collective.

        Ask fields for their arrays again. Reports are about the steps that follow.

        Args:
            decomposition: See 'Simulation'. In blocks that have been dropped so far, fields are 0.
            blocks: Blocks a rank.

        Raises:
            HaloclineError: As 'Simulation' and 'run' say, or a function of the step calls this;
                nothing has moved.
        """
        if self._running is not None:
            self._check_between_steps("rebuild")
        check_options(Simulation, {"decomposition": decomposition, "blocks": blocks})
        before = self._planner, self.decomposition
        try:
            self._divide(decomposition, blocks)
            self._planner = replace(self._planner, shape=(decomposition, blocks), file=None)
            if self._running is not None:
                self._begin()
        except BaseException:
            self._planner, self.decomposition = before
            raise

    @collective
    def regrid(self, wanted: Wanted, *, slack: float = 0.5) -> bool:
        """Split and merge blocks of a forest by a criterion, between two runs; collective.

        Each becomes one level finer or coarser at most; what of it lies beside others may ask for
        more. Values of blocks that stay keep their bits. Ask fields for their arrays again.

        Args:
            wanted: See 'Refine'.
            slack: See 'Refine'.

        Returns:
            Whether the forest has other blocks now.

        Raises:
            HaloclineError: As 'rebuild' says, or the criterion returns no level.
        """
        forest = forest_for(self.grid, "regrid")
        check_wanted(wanted, forest)
        leaves = leaves_wanted(forest, wanted, slack, self._check_between_steps("regrid").slots)
        is_new = leaves != forest.leaves
        if is_new:
            self.refit(leaves)
        return is_new

    @collective
    def refit(self, leaves: Leaves) -> None:
        """Give the forest other leaves, with the values that follow from those that it has.

        Args:
            leaves: Each one level finer or coarser than before at most; else its values are 0.

        Raises:
            HaloclineError: As 'rebuild' says.
        """
        forest = forest_for(self.grid, "refit")
        before, planner, steps = forest.leaves, self._planner, self.steps
        self._keep_strategy()
        forest.leaves = leaves
        try:
            self.steps, known = self._traced(self._seen)
            self._planner = replace(self._planner, steps=self.steps, known=known)
            wanted = planner.shape[0]
            self.rebuild(decomposition=wanted if isinstance(wanted, Shares) else None)
        except BaseException:
            forest.leaves, self._planner, self.steps = before, planner, steps
            raise

    @collective
    def rebalance(self, steps: int) -> Rebalancing:
        """Share the blocks anew by the times of kernels on them, if that pays; collective.

        It pays if it saves more in the steps that follow than planning and moving take. What was
        timed are the steps since the last call. Everything else is as 'rebuild' says.

        Args:
            steps: How many will be done until blocks may be shared anew again.

        Returns:
            What was found and done.

        Raises:
            PlanError: No kernel was timed: none has run, or they run on a device; or blocks are
                boxes of a list, as those of a 'Bisection' are.
        """
        running, planner = self._prepare(), self._planner
        forest, machine = self.grid.first.state.forest, planner.predictor.machine
        found = rebalancing(
            running.block_times, steps, planner.shape[0], forest, machine, running.planned_s
        )
        if found.pays:
            self._keep_strategy()
            self.rebuild(decomposition=found.repartitioning.wanted)
        return found

    @collective
    def reduce(self, reduction: Reduction | Formula) -> float:
        """Return a reduction of the fields as they are now, the same on all ranks; collective."""
        self.execute(reduction)
        return reduction.value

    @collective
    def bytes_stored(self, fields: Sequence[Field] | None = None) -> int:
        """Return the memory of fields on all ranks, halos and padding included [bytes]; collective.

        Args:
            fields: Which; None for all, those that reductions need included.
        """
        storages = self._executor.slots.storages
        names = storages if fields is None else [field.name for field in fields]
        mine = sum(storages[name].bytes_stored for name in names)
        return sum(self.job.everywhere(mine))

    @collective
    def execute(self, *steps: object) -> None:
        """Do some steps once, now, outside the time loop; collective.

        They are planned and compiled the first time; later, steps of the same value are known even
        if they are written anew, with other numbers for their scalars or other functions.

        Raises:
            MpiError: The ranks were given different steps.
            PlanError: They read fields of the time step further than these are stored for.
            OutOfMemoryError: There is no memory for what reductions need.
        """
        running, checked = self._prepare(), check_steps(once_on_forest(steps, self._written))
        running.one_shot.execute(checked, self.plan, self._planner.platform)

    @collective
    def report(self) -> Report:
        """Return where the time went, over all ranks, beside what the model says; printable.

        The times of all ranks are collected at the end of 'run', unless it has added little: then
        the report is about fewer steps than have been done, and says so. So it needs no other
        rank; before the first run, or the first since 'rebuild', it is collective.
        """
        if self.size == 1 or self._tally.collected is None:
            self._collect()
        return self._tally.report(self.step, self.device, self.plan, self.threads)

    def _collect(self) -> None:
        """Collect what a report needs of all ranks."""
        selection, size = self.selection, size_of(self.grid)
        plan, reason = selection.plan, selection.reason
        self._tally.collect(self.step, self.timers(), plan, reason, self.bytes_stored(), size)
        predictor = self._predictor() if self.size == 1 else selection.predictor
        self._tally.predict(plan, predictor, CompactedMasks(selection.executor.slots))

    def _predictor(self) -> Predictor:
        device = "" if self.device.is_cpu else self.device.where
        return predictor_of(self.job, self.threads, device)

    @property
    def _seen(self) -> SeenBySteps | None:
        """What the time step depends on of a forest as it is refined now."""
        forest = self.grid.state.forest
        return None if forest is None else forest.leaves.seen_by_steps

    @memoised
    def _traced(self, _seen: SeenBySteps | None) -> tuple[tuple[Step, ...], Bound]:
        """Return the time step where it sees this, and what keeps how it was bound.

        Of a forest these are the steps on each of its levels, in order.
        """
        return time_step(on_forest(self._written)), Bound()

    def _regrid(self) -> None:
        assert self.refine is not None
        self.regrid(self.refine.wanted, slack=self.refine.slack)

    def _rebalance(self, steps: int) -> None:
        if self.size > 1 and self._running and self._running.block_times.steps:
            self.rebalance(steps)

    def _keep_strategy(self) -> None:
        """Keep to the strategy on other blocks, whether or not trials have ended."""
        if self._running is not None:
            strategy, reason = self._running.selection.settled
            self._planner = replace(self._planner, strategy=strategy, reason=reason)

    def _check_between_steps(self, call: str) -> Executor:
        """Return what stores the fields, or refuse a call within a step or after a failed one."""
        executor = self._prepare().executor
        executor.check_between_runs(call)
        executor.check_whole(call)
        return executor

    @property
    def _executor(self) -> Executor:
        """What has run the steps, even if another simulation has taken over the fields."""
        return (self._running or self._prepare()).executor

    def _prepare(self) -> _Running:
        """Store the fields and compile the kernels, the first time or if that has changed."""
        state, running = self.grid.state, self._running
        if running is not None and executor_of(self.grid) is running.executor:
            executor = running.executor
            executor.check_alive()
            if executor.boundaries == state.boundaries or executor.is_in_step:
                return running
        if Simulation.before_start is not None:
            Simulation.before_start(self)
        self._check.on_steps(self.steps)
        self._parameters = numbers(self.grid, self.steps, self.dt)
        return self._begin()

    def _begin(self) -> _Running:
        """Plan the steps, and store the fields anew with the values that they have.

        They may have been stored by this simulation, or by another one of the same grid.
        """
        before, running = executor_of(self.grid), self._running
        if before is not None:
            before.check_giving_up(self.job)
        if running is not None:  # with calibrated rates of kernels
            self._planner = replace(self._planner, predictor=running.selection.predictor)
        began = time.perf_counter()
        candidates, predictor = self._planner.candidates(), self._planner.predictor
        planned_s = time.perf_counter() - began
        self.decomposition = candidates.plans[0].decomposition
        executor, kernels = start(self._setting, self.steps, candidates.plans, before)
        self.grid.state.owner = Owner(self.execute, executor)
        if running is not None:
            executor.resume(running.executor)
        self._running = _Running(
            executor,
            Selection(candidates, executor, kernels, self.job, predictor),
            OneShotSteps(self._setting, executor, self._check),
            BlockTimes(executor),
            planned_s,
        )
        self._tally.begin(self.step)
        return self._running
