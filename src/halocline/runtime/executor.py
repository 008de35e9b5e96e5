"""Executor: hands a plan to the C++ runtime, once; no Python runs in the time loop."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from math import inf, isnan
from typing import TYPE_CHECKING, Any

from halocline.errors import DeviceError, DivergedError, MpiError, PlanError
from halocline.language.expressions.parameters import Formula, Parameter, step, time
from halocline.language.series.series import Series
from halocline.language.steps.steps import Callback
from halocline.plan.cells.block import NOBODY
from halocline.plan.cells.strategy import NEAR
from halocline.plan.program.arrangement import INITIAL
from halocline.runtime import _core
from halocline.runtime.formulas import steps_of, unmet
from halocline.runtime.openmp import use_threads
from halocline.runtime.storage import BlockStorage, three
from halocline.runtime.tables import Tables
from halocline.runtime.writer import PlanWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from halocline.language.grids.grid import Grid
    from halocline.language.spaces.space import Space
    from halocline.language.steps.tree import Until
    from halocline.plan.schedule.layout import FieldLayout
    from halocline.plan.value.plan import Plan
    from halocline.runtime.device import OpenDevice
    from halocline.runtime.job import Job
    from halocline.runtime.writer import Kernels

_STEP_SLOT, _TIME_SLOT = 0, 1

_UNSTABLE = (
    "The computation has become unstable: use a smaller time step, a finer grid or a larger "
    "viscosity."
)


class Executor:
    """The C++ runtime of one simulation, with the names that plans use.

    Args:
        plan: The rank's plan, for its blocks and how it wants to communicate.
        grid: The grid.
        job: The ranks.
        threads: OpenMP threads of this rank.
        dt: Time step, or what is added to the time in each [time unit].
        device: Where kernels run.
        services: Addresses of the kernels of 'print_services', for a device.

    Attributes:
        storages: The fields by name, hidden ones included.
        is_in_step: Whether a function is being called by a step.
        is_abandoned: Whether fields have moved away.
        mixture: What has left fields that belong to no step; empty if they all belong to one.
        boundaries: How often fields had been given a boundary when its plan was made.
    """

    def __init__(  # noqa: PLR0913 (what a simulation is made of)
        self,
        plan: Plan,
        grid: Grid,
        job: Job,
        threads: int,
        dt: float | Parameter,
        device: OpenDevice,
        *,
        services: Sequence[int],
        closing: Callback | None = None,
    ) -> None:
        # Memory that others can map has small pages on most systems: only where it is wanted.
        share = len(job.nodes) > 1 and plan.strategy.transport in ("auto", "shared", "shared-push")
        self.device = device
        self.runtime = _core.Runtime(
            threads,
            job.transport,
            share=share and device.is_cpu,
            device=device.handle,
            services=services,
        )
        self.tables = Tables(self)
        self.dt = dt
        self.threads = threads
        self.grid = grid
        self.boundaries = grid.held.boundaries
        self.job = job
        self.own_boxes = partial(plan.decomposition.own_boxes, plan.rank)
        self.decomposition = plan.decomposition
        self.leaves = None if grid.held.forest is None else grid.held.forest.leaves
        self.is_sparse = NOBODY in plan.decomposition.owners
        self.blocks = {block.number: n for n, block in enumerate(plan.blocks)}
        self._spaces: dict[Space, int] = {}
        self.storages: dict[str, BlockStorage] = {}
        self.scalars: dict[int, int] = {id(step): _STEP_SLOT, id(time): _TIME_SLOT}
        self.parameters: list[tuple[Parameter, int]] = []
        self._loops: list[Until[Any]] = []
        if isinstance(dt, Parameter):
            self.runtime.set_dt_scalar(self.scalar(dt))
        else:
            self.runtime.set_dt(dt)
        self.callbacks: dict[Callback, int] = {}
        self._rounds: dict[str, list[str]] = {}
        self._phase = 0
        self.is_in_step = self.is_abandoned = False
        self.mixture = ""
        # The function after which nothing is left of a step, and the one that failed last.
        self._closing = closing
        self._failed: Callback | None = None
        # The runtime knows kernels by address only; those of the NumPy target die with their owner.
        self._kept: list[Kernels] = []
        # Fields whose first values matter.
        self._read: set[str] = set()

    @property
    def step(self) -> int:
        """How many steps have been done, the one that calls a function included."""
        return self.runtime.step + self.is_in_step

    def check_alive(self) -> None:
        """Refuse to go on where fields have moved away, and something has failed then."""
        if self.is_abandoned:
            raise PlanError(
                "The simulation cannot go on: some of its fields have moved to other blocks or to "
                "another simulation, and then something failed.",
                hint="Go on from a checkpoint, in a new simulation.",
            )

    def check_between_runs(self, call: str, hint: str = "Call it between two runs.") -> None:
        """Refuse a call that a function of the step makes."""
        self.check_alive()
        if self.is_in_step:
            raise PlanError(
                f"'{call}' was called by a function of the step, whose fields are in use.",
                hint=hint,
            )

    def check_whole(self, call: str) -> None:
        """Refuse to go on from fields that belong to no step."""
        if self.mixture:
            raise PlanError(
                f"'{call}' was called, but {self.mixture}: some fields have changed and others "
                "not.",
                hint="Load a checkpoint, or set all fields and then simulation.step.",
            )

    def check_giving_up(self, job: Job) -> None:
        """Refuse to hand fields on in the middle of a step, or to a simulation of other ranks."""
        self.check_between_runs("run")
        if (job.rank, job.size) != (self.job.rank, self.job.size):
            raise PlanError(
                f"The grid's fields are stored by {self.job.size} rank(s), for an earlier "
                f"simulation; the new one has {job.size}.",
                hint="Give both simulations the same communicator, or make a new Grid.",
            )

    @property
    def layouts(self) -> tuple[FieldLayout, ...]:
        """How the fields are stored."""
        return tuple(storage.layout for storage in self.storages.values())

    def space(self, space: Space) -> int:
        """Return the runtime's number of a space."""
        if space not in self._spaces:
            ends = zip(space.extent, space.periodic, strict=True)
            period = tuple(n if closes else 0 for n, closes in ends)
            number = self.runtime.add_space(three(period, 0), _leading_astray(space))
            self._spaces[space] = number
            for block in self.decomposition.on(space).blocks_of(self.job.rank):
                box = space.flat(block.box)
                cells = _core.Box(three(box.lower, 0), three(box.upper, 1))
                self.runtime.add_block(number, cells, 0 if space.lacks[0] else block.wrap)
        return self._spaces[space]

    def store(self, layout: FieldLayout) -> BlockStorage:
        """Allocate a field on every block."""
        decomposition, space = self.decomposition.on(layout.space), self.space(layout.space)
        self.storages[layout.name] = storage = BlockStorage(
            layout, decomposition, self.runtime, space, self.job, self.device.alignment
        )
        for position, block in enumerate(storage.blocks):
            for box in decomposition.absent(block) if self.is_sparse else ():
                storage.clear(position, layout.space.flat(box))
        return storage

    def take_block_times(self) -> dict[int, float]:
        """Return what kernels have taken on this rank's blocks since it was asked last [s]."""
        times = [self.runtime.take_block_times(space) for space in self._spaces.values()]
        return dict(zip(self.blocks, map(sum, zip(*times, strict=True)), strict=True))

    def remove(self, *names: str) -> None:
        """Give back the memory of fields, and forget all programs; collective."""
        self.is_abandoned = True
        for name in names:
            self.runtime.remove_field(self.storages.pop(name).slot)

    def load(self, name: str, plan: Plan, kernels: Kernels) -> None:
        """Give the runtime the programs of a plan: 'name prologue', 'name step 0', …; collective.

        A program 'name end 0' returns displaced values after step 0, and so on; 'name
        restore 0' restores the initial arrangement of fields in storages.

        Raises:
            MpiError: A neighbour cannot be connected.
        """
        self._kept.append(kernels)
        self._read |= {access.field for launch in plan.launches for access in launch.reads}
        self._rounds[name] = [f"{name} step {phase}" for phase in range(len(plan.steps))]
        writer = PlanWriter(self, plan, kernels)
        self._connect()
        self.runtime.set_program(f"{name} prologue", writer.operations(plan.prologue))
        for program, found in zip(self._rounds[name], plan.steps, strict=True):
            self.runtime.set_program(program, writer.operations(found))
        for block in plan.temporal_blocks:
            self.runtime.set_temporal_block(
                self._rounds[name][block.first],
                block.steps,
                [_core.Pause(one.offset, one.interval) for one in block.pauses],
                writer.operations(block.operations),
            )
        for phase, (end, where) in enumerate(zip(plan.epilogues, plan.ends, strict=True)):
            self.runtime.set_program(f"{name} end {phase}", writer.operations(end))
            swaps = writer.operations(where.swaps_to(INITIAL))
            self.runtime.set_program(f"{name} restore {phase}", swaps)
        self.runtime.set_program(f"{name} check", writer.operations(plan.checks))

    def _connect(self) -> None:
        # MPI waits for all ranks here, and would not hear of one that cannot come.
        self.job.collective.meet("connect")
        failure = None
        try:
            with self.job.collective.working():
                self.runtime.connect()
        except _core.TransportError as error:
            failure = f"Rank {self.job.rank} cannot be connected with its neighbours: {error}."
        failure = self.job.first(failure)
        if failure is not None:
            raise MpiError(
                failure,
                hint="To map each other's memory, ranks must belong to one user and one "
                "container; transport='two-sided' does without.",
            )

    def scalar(self, value: float | Parameter) -> int:
        """Return the runtime's number of a scalar."""
        if not isinstance(value, Parameter):
            return self.runtime.add_scalar(value)
        if isinstance(value, Formula):
            return self.runtime.add_formula(steps_of(value, self.scalar))
        if id(value) not in self.scalars:
            self.scalars[id(value)] = slot = self.runtime.add_scalar(value.value)
            if isinstance(value, Series):
                self.tables.follow(slot, value)
            else:
                self.parameters.append((value, slot))
        return self.scalars[id(value)]

    def loop(self, loop: Until[Any]) -> int:
        """Return the number by which the runtime tells of a loop whose condition does not hold."""
        self._loops.append(loop)
        return len(self._loops) - 1

    def write_parameters(self) -> None:
        """Tell the runtime the parameters' numbers."""
        for parameter, slot in self.parameters:
            self.runtime.set_scalar(slot, parameter.value)

    def read_parameters(self) -> None:
        """Take over the numbers that steps have changed, and the clock."""
        for parameter, slot in (*self.parameters, (step, _STEP_SLOT), (time, _TIME_SLOT)):
            parameter.value = self.runtime.scalar(slot)

    def callback(self, callback: Callback) -> int:
        """Return the runtime's number of a Python function."""
        if callback in self.callbacks:
            return self.callbacks[callback]
        name, function = callback.name, callback.function

        def call() -> None:
            collective = self.job.collective
            with collective.called_back():
                self.read_parameters()
                self.is_in_step = True
                # Until it has returned.
                self._failed = callback
                try:
                    collective.call_of_user(name, function)
                finally:
                    self.is_in_step = False
                self._failed = None
                self.write_parameters()

        self.callbacks[callback] = number = self.runtime.add_callback(call)
        return number

    @contextmanager
    def running(self, name: str) -> Iterator[None]:
        """Do steps of a plan within this, from the first of a round on; they may end anywhere.

        Before, halos are brought up to date; afterwards every rank has the values of its own cells,
        and every field lies in its own storage, even if something has failed.
        """
        self.check_between_runs("run")
        self._phase = 0
        self._run(lambda: self.runtime.execute(f"{name} prologue"))
        try:
            yield
            self._after_last(name, "end")
        finally:
            if self._phase:
                self._after_last(name, "restore")

    def _after_last(self, name: str, what: str) -> None:
        last = (self._phase - 1) % len(self._rounds[name])
        self._run(lambda: self.runtime.execute(f"{name} {what} {last}"))

    def check(self, name: str) -> None:
        """Search for values outside of limits, and for those that are not numbers.

        Raises:
            DivergedError: One was found.
        """
        self._run(lambda: self.runtime.execute(f"{name} check"))

    def once(self, name: str) -> None:
        """Do a step that does not count as one."""
        with self.running(name):
            self._run(lambda: self.runtime.execute(self._rounds[name][0]))
            self._phase = 1

    def advance(self, name: str, steps: int) -> None:
        """Do steps, within 'running'.

        Raises:
            DeviceError: The device has failed.
            DivergedError: A value outside of limits, or that is not a number, was found.
        """
        phase = self._phase
        # What fails in a step does so in a function or a search, in the initial arrangement.
        self._phase, self._failed = 0, None
        try:
            self._run(
                lambda: self.runtime.advance(self._rounds[name], steps, phase), is_in_step=True
            )
        except BaseException as error:
            if self.runtime.is_within_step:
                self._end_failed_step(error)
            else:
                # A key was pressed, which is heard when the steps are done.
                self._phase = phase + steps
            raise
        self._phase = phase + steps

    def _end_failed_step(self, error: BaseException) -> None:
        """Count a step that failed after all that changes fields; say that of another no more."""
        # Fields are searched for values outside of limits at the end of a step.
        is_whole = isinstance(error, DivergedError)
        if self._failed is not None:
            is_whole = self._failed == self._closing
        if is_whole:
            self.runtime.end_step()
        else:
            self.mixture = f"step {self.runtime.step + 1} failed midway"

    def _run(self, function: Callable[[], None], *, is_in_step: bool = False) -> None:
        use_threads(self.threads)
        self.write_parameters()
        try:
            self._translated(function, is_in_step=is_in_step)
        except BaseException as error:
            self.job.collective.confess_in_time_loop(error)
            raise

    def _translated(self, function: Callable[[], None], *, is_in_step: bool) -> None:
        """Run the runtime, and say what its errors mean."""
        try:
            with self.job.collective.working():
                function()
        except _core.OutOfLimitsError as error:
            field, step, component, cell, value = error.args
            # The step that is going on counts, as it does for a function that it calls.
            raise self._diverged(field, step + is_in_step, component, cell, value) from None
        except _core.UnmetError as error:
            number, iterations, at = error.args
            self.read_parameters()
            raise unmet(self._loops[number], iterations, at + is_in_step) from None
        except _core.TransportError as error:
            raise MpiError(
                f"Messages with other ranks failed at step {self.runtime.step}: {error}.",
                hint="Most likely another rank has died: look for what it said.",
            ) from None
        except _core.DeviceError as error:
            raise DeviceError(
                f"The device failed at step {self.runtime.step}: {error}.",
                hint="What was on it is lost: run again, from a checkpoint if there is one.",
            ) from None
        finally:
            self.read_parameters()

    def _diverged(
        self, field: str, step: int, component: int, cell: tuple[int, ...], value: float
    ) -> DivergedError:
        storage = self.storages[field]
        which = f" component {component}" if storage.layout.components > 1 else ""
        where = tuple(cell[: len(storage.layout.lower)])
        found, expected, hint = "not a number", ".", self._why_no_number()
        if not isnan(value):
            low, high = self.grid.fields[field].allowed or (-inf, inf)
            found, expected = f"{value:.4g}", f"; expected values from {low:.4g} to {high:.4g}."
            hint = f"{_UNSTABLE} If such values are right, 'limits(…)' of the field says so."
        return DivergedError(
            f"Field '{field}'{which} is {found} in cell {where} at step {step}{expected}", hint=hint
        )

    def _why_no_number(self) -> str:
        """Return what may have made values that are not numbers."""
        fields = self.grid.fields
        if given := [name for name in fields if fields[name].is_set_to_nan and name in self._read]:
            return (
                f"Some of the values that '{given[0]}' was set to were no numbers: look at these. "
                f"If no cell that is computed reads them: {_UNSTABLE}"
            )
        if solved := [field for field in fields.values() if field.solved_by]:
            return (
                f"A system that '{solved[0].solved_by}' solves for '{solved[0].name}' may be "
                f"singular: nothing is pivoted, so its diagonal must dominate. Or: {_UNSTABLE}"
            )
        return _UNSTABLE


def check_reach(plan: Plan, job: Job) -> None:
    """Refuse to share memory between nodes, on every rank if one finds that it would; collective.

    Raises:
        MpiError: A neighbour cannot be reached in the way the strategy wants.
    """
    if len(set(job.nodes)) == 1:
        return
    ways = {m.source: m.transport for e in plan.exchanges for m in e.receives}
    far = [rank for rank in sorted(ways) if ways[rank] in NEAR and not job.is_near(rank)]
    found = job.first((sorted((job.rank, far[0])), ways[far[0]]) if far else None)
    if found is not None:
        pair, way = found
        raise MpiError(
            f"The plan has transport={way!r}, but ranks {pair[0]} and {pair[1]} are "
            "neighbours on different nodes and share no memory.",
            hint="Use transport='auto': shared memory inside a node, messages between nodes.",
        )


def _leading_astray(space: Space) -> list[tuple[int, tuple[int, int, int]]]:
    """Return the turns of a space if not all of them are straight."""
    if all(turn.is_straight for turn in space.turns):
        return []
    return [(turn.axis, three(turn.way, 0)) for turn in space.turns]
