"""Job: this process among the ranks it was started with; MPI is touched only under a launcher."""

from __future__ import annotations

import sys
import time
import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from halocline.errors import HaloclineError, MpiError, PlanError
from halocline.runtime.launcher import check_not_alone, launched_rank
from halocline.runtime.link import Link, to_link

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from halocline.runtime._core import Transport

Made = TypeVar("Made")

# How long other ranks wait for rank 0 to report an error that all of them found [s].
_PATIENCE_S = 2.0
# How long the launcher gets to pass on what was printed [s].
_HEARD_S = 0.2


@dataclass(frozen=True, slots=True)
class Job:
    """The ranks of a run.

    Attributes:
        rank: This process.
        size: How many there are.
        communicator: mpi4py's communicator, None for a single process.
        transport: What moves messages in the time loop, None for a single process.
        ranks_on_node: How many ranks share this machine.
        nodes: The node of each rank, real or declared: ranks of one node may share memory.
        link: The emulated link between nodes, if any.
    """

    rank: int
    size: int
    communicator: Any
    transport: Transport | None
    ranks_on_node: int
    nodes: tuple[int, ...] = (0,)
    link: Link | None = None

    def is_near(self, rank: int) -> bool:
        """Return whether another rank is on the same node."""
        return self.nodes[rank] == self.nodes[self.rank]

    def first(self, value: Made | None) -> Made | None:
        """Return the value of the first rank that has one; all ranks must call it."""
        return next((v for v in self.everywhere(value) if v is not None), None)

    def greatest(self, values: list[float]) -> list[float]:
        """Return the greatest of each value over the ranks; all ranks must call it."""
        if self.communicator is None:
            return values
        found = self.communicator.allgather(values)
        return [max(column) for column in zip(*found, strict=True)]

    def on_first(self, action: Callable[[], Made]) -> Made | None:
        """Do something on rank 0 alone; a mistake found there is raised on every rank.

        Returns:
            What the action returned on rank 0, None elsewhere.
        """
        if self.communicator is None:
            return action()
        made, failure = None, None
        if self.rank == 0:
            try:
                made = action()
            except HaloclineError as error:
                failure = error
            except BaseException:
                # A bug: the others are about to wait, so they must be let go before it is shown.
                self.communicator.bcast(HaloclineError("Rank 0 has failed."))
                raise
        failure = self.communicator.bcast(failure)
        if failure is not None:
            raise failure
        return made

    def from_first(self, action: Callable[[], Made | None]) -> Made | None:
        """Return on every rank what an action returns on rank 0, where alone it is done."""
        return self.first(self.on_first(action))

    def everywhere(self, value: Made) -> list[Made]:
        """Return the values of all ranks on every rank."""
        return [value] if self.communicator is None else list(self.communicator.allgather(value))

    def exchanged(self, values: list[Made]) -> list[Made]:
        """Give each rank one of the values; return what the ranks have for this one."""
        return values if self.communicator is None else list(self.communicator.alltoall(values))

    def gather(self, value: Any) -> list[Any] | None:
        """Return the values of all ranks on rank 0, None elsewhere."""
        if self.communicator is None:
            return [value]
        found: list[Any] | None = self.communicator.gather(value, root=0)
        return found


def join(
    communicator: Any = None,
    *,
    ranks_per_node: int | None = None,
    link: str | Link | None = None,
) -> Job:
    """Return the job that this process belongs to.

    Args:
        communicator: An mpi4py communicator; None for all ranks of the launcher, or a single
            process if there was none.
        ranks_per_node: Declare so many consecutive ranks to be a node; None for the real nodes.
        link: An emulated link between nodes; its name in 'LINKS', or 'L=1e-5,G=1e-9'.

    Raises:
        MpiError: A launcher started us but the package was built without MPI, or with another; or
            a link was to be emulated between several machines.
        PlanError: There is no such link, or no rank on a node.
    """
    link = to_link(link)
    if ranks_per_node is not None and ranks_per_node < 1:
        raise PlanError(f"ranks_per_node={ranks_per_node} was given; expected at least 1.")
    is_initialised = "mpi4py.MPI" in sys.modules
    if communicator is None and not is_initialised and launched_rank() is None:
        return Job(0, 1, None, None, 1)
    make_transport, communicator = _load_mpi(communicator)
    if communicator.size == 1:
        check_not_alone()
        return Job(0, 1, None, None, 1)
    machines = _machines(communicator)
    if link is not None and len(set(machines)) > 1:
        raise MpiError(
            f"The link '{link.name}' was to be emulated, but the ranks are on "
            f"{len(set(machines))} machines; expected a single one.",
            hint="Emulate links on one machine, or leave out 'link'.",
        )
    nodes = _nodes(machines, ranks_per_node)
    latency_s, seconds_per_byte = (link.latency_s, link.seconds_per_byte) if link else (0.0, 0.0)
    job = Job(
        communicator.rank,
        communicator.size,
        communicator,
        make_transport(communicator.py2f(), nodes, latency_s, seconds_per_byte),
        machines.count(machines[communicator.rank]),
        nodes,
        link,
    )
    sys.excepthook = _abort_on_error(job)
    return job


def _machines(communicator: Any) -> list[int]:
    """Return for each rank the first rank on the same machine."""
    from mpi4py import MPI

    machine = communicator.Split_type(MPI.COMM_TYPE_SHARED)
    first = machine.bcast(communicator.rank)
    machine.Free()
    found: list[int] = communicator.allgather(first)
    return found


def _nodes(machines: list[int], ranks_per_node: int | None) -> tuple[int, ...]:
    """Return the number of each rank's node; a declared node ends where the machine does."""
    size = ranks_per_node or len(machines)
    places = [(machine, rank // size) for rank, machine in enumerate(machines)]
    numbers = {place: number for number, place in enumerate(dict.fromkeys(places))}
    return tuple(numbers[place] for place in places)


def _load_mpi(communicator: Any) -> tuple[Callable[..., Transport], Any]:
    try:
        from mpi4py import MPI

        from halocline.runtime import _mpi
    except ImportError as error:
        raise MpiError(
            f"This process was started by an MPI launcher, but MPI cannot be used: {error}.",
            hint="Install MPI (pip install mpich, or the system's own with MPICXX set) and install "
            "Halocline again.",
        ) from error
    ours, theirs = _mpi.library_version(), MPI.Get_library_version().strip()
    if ours.strip() != theirs:
        raise MpiError(
            f"Halocline was built with '{_first_line(ours)}' but mpi4py uses "
            f"'{_first_line(theirs)}'; expected one and the same library.",
            hint="Install mpi4py from source with MPICC set to the MPI that Halocline was built "
            "with.",
        )
    return _mpi.transport, communicator or MPI.COMM_WORLD


def _first_line(text: str) -> str:
    return " ".join(text.split("\n", maxsplit=1)[0].split())


def _abort_on_error(job: Job) -> Callable[..., None]:
    """Return what to do with an error that nobody catches: say it once, then end all ranks."""

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if not isinstance(error, HaloclineError):
            traceback.print_exception(kind, error, trace, file=sys.stderr)
        end_job(error, job.rank)
        job.communicator.Abort(1)

    return hook


def end_job(error: BaseException, rank: int) -> None:
    """Report an error before all ranks are ended; without that others would wait for ever.

    Most mistakes are found by all ranks alike: rank 0 says it, and ends the job while the others
    wait a little.
    """
    is_mistake = isinstance(error, HaloclineError)
    if is_mistake and rank > 0:
        time.sleep(_PATIENCE_S)
    where = "" if is_mistake else f" on rank {rank}"
    sys.stdout.flush()
    print(f"error{where}: {error}", file=sys.stderr, flush=True)
    # A launcher that is told to end the job at once may lose what was printed just before.
    time.sleep(_HEARD_S)
