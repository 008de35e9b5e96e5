"""Executor: hands a plan to the C++ runtime, once; no Python runs in the time loop."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from halocline.errors import DivergedError, MpiError, PlanError
from halocline.language.expressions.parameters import Parameter
from halocline.plan.cells.strategy import NEAR, ONE_SIDED
from halocline.plan.program.arrangement import INITIAL
from halocline.runtime import _core
from halocline.runtime.failures import explained
from halocline.runtime.openmp import use_threads
from halocline.runtime.slots import Slots
from halocline.runtime.tables import Tables
from halocline.runtime.writer import PlanWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from halocline.language.grids.grid import Grid
    from halocline.language.steps.steps import Callback
    from halocline.plan.value.plan import Plan
    from halocline.runtime.compiled import CompiledKernels
    from halocline.runtime.device import OpenDevice
    from halocline.runtime.job import Job


class Executor:
    """The programs of one simulation in its C++ runtime, and how far they have come.

    Args:
        plan: The rank's plan, for its blocks and how it wants to communicate.
        grid: The grid.
        job: The ranks.
        threads: OpenMP threads of this rank.
        dt: Time step, or what is added to the time in each [time unit].
        device: Where kernels run.
        services: Addresses of the kernels of 'print_services', for a device.
        closing: The function after which nothing is left of a step, if there is one.

    Attributes:
        slots: The fields, and the numbers of all that plans name.
        tables: What the runtime looks up.
        is_in_step: Whether a function is being called by a step.
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
        self.runtime = _core.Runtime(
            threads,
            job.transport,
            share=share and device.is_cpu,
            device=device.handle,
            services=services,
        )
        self.slots = Slots(self.runtime, plan, grid, job, device.alignment, self._call)
        self.tables = Tables(self.slots, dt)
        if isinstance(dt, Parameter):
            self.runtime.set_dt_scalar(self.slots.scalar(dt))
        else:
            self.runtime.set_dt(dt)
        self.threads = threads
        self.grid = grid
        self.boundaries = grid.state.boundaries
        self.job = job
        self._rounds: dict[str, list[str]] = {}
        self._phase = 0
        self.is_in_step = False
        self.mixture = ""
        # The function after which nothing is left of a step, and the one that failed last.
        self._closing = closing
        self._failed: Callback | None = None
        # The runtime knows kernels by address only; those of the NumPy target die with their owner.
        self._kept: list[CompiledKernels] = []
        # Fields whose first values matter.
        self._read: set[str] = set()

    @property
    def step(self) -> int:
        """How many steps have been done, the one that calls a function included."""
        return self.runtime.step + self.is_in_step

    def resume(self, other: Executor) -> None:
        """Continue at the step and time of another executor, and with what was left midway."""
        self.runtime.step, self.runtime.time = other.step, other.runtime.time
        self.mixture = other.mixture

    def check_alive(self) -> None:
        """Refuse to go on where fields have moved away, and something has failed then."""
        if self.slots.is_abandoned:
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

    def load(self, name: str, plan: Plan, kernels: CompiledKernels) -> None:
        """Give the runtime the programs of a plan: 'name prologue', 'name step 0', …; collective.

        A program 'name end 0' returns displaced values after step 0, and so on; 'name
        restore 0' restores the initial arrangement of fields in storages.

        Raises:
            MpiError: A neighbour cannot be connected.
        """
        self._kept.append(kernels)
        self._read |= {access.field for launch in plan.launches for access in launch.reads}
        self._rounds[name] = [f"{name} step {phase}" for phase in range(len(plan.steps))]
        writer = PlanWriter(self.slots, self.tables, plan, kernels)
        self._connect(plan.strategy.transport)
        self.runtime.set_program(f"{name} prologue", writer.operations(plan.prologue))
        for program, operations in zip(self._rounds[name], plan.steps, strict=True):
            self.runtime.set_program(program, writer.operations(operations))
        for block in plan.temporal_blocks:
            self.runtime.set_temporal_block(
                self._rounds[name][block.first],
                block.steps,
                [_core.Pause(pause.offset, pause.interval) for pause in block.pauses],
                writer.operations(block.operations),
            )
        for phase, (end, where) in enumerate(zip(plan.epilogues, plan.ends, strict=True)):
            self.runtime.set_program(f"{name} end {phase}", writer.operations(end))
            swaps = writer.operations(where.swaps_to(INITIAL))
            self.runtime.set_program(f"{name} restore {phase}", swaps)
        self.runtime.set_program(f"{name} check", writer.operations(plan.checks))

    def _connect(self, transport: str) -> None:
        # MPI waits for all ranks here, also for one that has failed.
        self.job.collective.meet("connect")
        failure = None
        try:
            with self.job.collective.working():
                self.runtime.connect()
        except _core.TransportError as error:
            failure = f"Rank {self.job.rank} cannot be connected with its neighbours: {error}."
        failure = self.job.first(failure)
        if failure is not None:
            cause = (
                "This MPI has no one-sided memory between these ranks; Open MPI has it between "
                "nodes with InfiniBand, or with UCX turned on"
                if transport in ONE_SIDED
                else "To map each other's memory, ranks must belong to one user and one container"
            )
            raise MpiError(failure, hint=f"{cause}; transport='two-sided' does without.")

    def _call(self, callback: Callback) -> None:
        """Call a Python function within a step."""
        collective = self.job.collective
        with collective.called_back():
            self.slots.read_parameters()
            self.is_in_step = True
            # Until it has returned.
            self._failed = callback
            try:
                collective.call_of_user(callback.name, callback.function)
            finally:
                self.is_in_step = False
            self._failed = None
            self.slots.write_parameters()

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
                # A key was pressed: Python handles it when the steps are done.
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
        self.slots.write_parameters()
        try:
            try:
                with self.job.collective.working():
                    function()
            finally:
                self.slots.read_parameters()
        except BaseException as error:
            failure = explained(error, self.slots, self.grid, self._read, is_in_step=is_in_step)
            self.job.collective.propagate_in_time_loop(failure)
            if failure is error:
                raise
            raise failure from None


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
