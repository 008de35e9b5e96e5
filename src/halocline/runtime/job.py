"""Job: this process among the ranks it was started with; MPI is touched only under a launcher."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from halocline.errors import MpiError
from halocline.language.numbers import Range
from halocline.launched import launched_rank
from halocline.options import check_options
from halocline.runtime.collective import ALONE, Collective, collective_of
from halocline.runtime.launcher import check_not_alone
from halocline.runtime.link import AnyLink, Link, to_link
from halocline.runtime.openmp import CORES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from halocline.runtime._core import Transport

Made = TypeVar("Made")
# As 'join' and 'Simulation' take it.
RanksPerNode = Annotated[int | None, Range(least=1)]


# The communicator of simulations that were given none; None for all ranks of the launcher.
_default: ContextVar[Any] = ContextVar("communicator", default=None)


@contextmanager
def communicating(communicator: Any) -> Iterator[None]:
    """Give simulations that are made within this, and name no communicator, this one."""
    token = _default.set(communicator)
    try:
        yield
    finally:
        _default.reset(token)


@dataclass(frozen=True, slots=True)
class Job:
    """The ranks of a run.

    Attributes:
        rank: This process.
        size: How many there are.
        communicator: mpi4py's communicator, None for a single process.
        transport: What moves messages in the time loop, None for a single process.
        ranks_on_node: How many ranks share this machine.
        sharers: How many of these may use a core that this one may use, too: all of them, or this
            rank alone where the launcher gives each rank cores of its own.
        nodes: The node of each rank, real or declared: ranks of one node may share memory.
        link: The emulated link between nodes, if any.
        collective: Where the ranks meet; what follows here is done there, and is collective.
        number: Of the job among those that meet there.
    """

    rank: int
    size: int
    communicator: Any
    transport: Transport | None
    ranks_on_node: int
    sharers: int = 1
    nodes: tuple[int, ...] = (0,)
    link: Link | None = None
    collective: Collective = ALONE
    number: int = 0

    def call(self, name: str) -> AbstractContextManager[None]:
        """Return a context in which a collective call is going on, or part of one that is."""
        return self.collective.call(name, self.number)

    def is_near(self, rank: int) -> bool:
        """Return whether another rank is on the same node."""
        return self.nodes[rank] == self.nodes[self.rank]

    def first(self, value: Made | None) -> Made | None:
        """Return the value of the first rank that has one."""
        return next((v for v in self.everywhere(value) if v is not None), None)

    def greatest(self, values: list[float]) -> list[float]:
        """Return the greatest of each value over the ranks."""
        return [max(column) for column in zip(*self.everywhere(values), strict=True)]

    def on_first(self, action: Callable[[], Made]) -> Made | None:
        """Do something on rank 0 alone; a mistake found there is raised on every rank.

        Returns:
            What the action returned on rank 0, None elsewhere.
        """
        made, failure = None, None
        if self.rank == 0:
            try:
                made = action()
            except BaseException as error:
                failure = error
        self.collective.meet("on_first", failure=failure, is_shared=True)
        return made

    def from_first(self, action: Callable[[], Made | None]) -> Made | None:
        """Return on every rank what an action returns on rank 0, where alone it is done."""
        return self.first(self.on_first(action))

    def everywhere(self, value: Made) -> list[Made]:
        """Return the values of all ranks on every rank."""
        if self.collective.communicator is None:
            return [value]
        self.collective.meet("everywhere")
        return list(self.collective.communicator.allgather(value))

    def gather(self, value: Any) -> list[Any] | None:
        """Return the values of all ranks on rank 0, None elsewhere."""
        if self.collective.communicator is None:
            return [value]
        self.collective.meet("gather")
        found: list[Any] | None = self.collective.communicator.gather(value, root=0)
        return found


def join(
    communicator: Any = None,
    *,
    ranks_per_node: RanksPerNode = None,
    link: AnyLink = None,
) -> Job:
    """Return the job that this process belongs to.

    Args:
        communicator: An mpi4py communicator; None for that of 'communicating', or else all ranks
            of the launcher, or a single process if there was none.
        ranks_per_node: Declare so many consecutive ranks to be a node; None for the real nodes.
        link: An emulated link between nodes; its name in 'LINKS', or 'L=1e-5,G=1e-9'.

    Raises:
        MpiError: A launcher started us but the package was built without MPI, or with another; or
            a link was to be emulated between several machines.
        PlanError: There is no such link, or no rank on a node.
    """
    is_initialised = "mpi4py.MPI" in sys.modules
    communicator = _default.get() if communicator is None else communicator
    if communicator is None and not is_initialised and launched_rank() is None:
        return _alone(ranks_per_node, link)
    make_transport, communicator = _load_mpi(communicator)
    if communicator.size == 1:
        return _alone(ranks_per_node, link)
    collective = collective_of(communicator)
    with collective.call("Simulation"):
        return _joined(communicator, collective, make_transport, ranks_per_node, link)


def _alone(ranks_per_node: int | None, link: str | Link | None) -> Job:
    _checked(ranks_per_node, link)
    return Job(0, 1, None, None, 1)


def _joined(
    communicator: Any,
    collective: Collective,
    make_transport: Callable[..., Transport],
    ranks_per_node: int | None,
    wanted_link: str | Link | None,
) -> Job:
    """Return the job of several ranks, once they agree what it is."""
    link = _checked(ranks_per_node, wanted_link)
    collective.agree({"'ranks_per_node'": str(ranks_per_node), "'link'": str(link)})
    _forget_names_of_memory()
    machines, sharers = _machines(collective.communicator)
    if link is not None and len(set(machines)) > 1:
        raise MpiError(
            f"The link '{link.name}' was to be emulated, but the ranks are on "
            f"{len(set(machines))} machines; expected a single one.",
            hint="Emulate links on one machine, or leave out 'link'.",
        )
    nodes = _nodes(machines, ranks_per_node)
    latency_s, seconds_per_byte = (link.latency_s, link.seconds_per_byte) if link else (0.0, 0.0)
    collective.jobs += 1
    return Job(
        communicator.rank,
        communicator.size,
        communicator,
        make_transport(communicator.py2f(), nodes, latency_s, seconds_per_byte),
        machines.count(machines[communicator.rank]),
        sharers,
        nodes,
        link,
        collective,
        collective.jobs,
    )


def _checked(ranks_per_node: int | None, link: str | Link | None) -> Link | None:
    """Return the link that is meant, where both make sense."""
    check_options(join, {"ranks_per_node": ranks_per_node, "link": link})
    return to_link(link)


@cache
def _forget_names_of_memory() -> None:
    """Remove the name of the memory that MPICH shares inside a node, which all ranks have by now.

    The system takes it back with the last of them, however that ends. MPICH itself removes the name
    where a job ends in good order; of each that does not, 2 MB would stay.
    """
    with suppress(OSError):
        maps = Path("/proc/self/maps").read_text(encoding="utf-8")
        for name in {line.split(maxsplit=5)[-1] for line in maps.splitlines()}:
            if name.startswith("/dev/shm/mpich_shm_"):
                Path(name).unlink(missing_ok=True)


def _machines(communicator: Any) -> tuple[list[int], int]:
    """Return for each rank the first rank on the same machine, and who shares this one's cores."""
    from mpi4py import MPI

    machine = communicator.Split_type(MPI.COMM_TYPE_SHARED)
    first = machine.bcast(communicator.rank)
    sharers = sum(not CORES.isdisjoint(cores) for cores in machine.allgather(CORES))
    machine.Free()
    return communicator.allgather(first), sharers


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
    if MPI.COMM_WORLD.size == 1:
        check_not_alone()
    if communicator is None:
        communicator = MPI.COMM_WORLD
    if not isinstance(communicator, MPI.Intracomm) or communicator == MPI.COMM_NULL:
        raise MpiError(
            f"The simulation was given communicator={communicator!r}; expected one of mpi4py's "
            "that this process belongs to.",
            hint="Ranks that are not part of it make no simulation.",
        )
    return _mpi.transport, communicator


def _first_line(text: str) -> str:
    return " ".join(text.split("\n", maxsplit=1)[0].split())
