"""Job: this rank among those it was started with; MPI is touched only under a launcher."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

from halocline.errors import MpiError
from halocline.frozen import Frozen
from halocline.language.numbers import Range
from halocline.launched import launched_as, launched_rank
from halocline.options import check_options
from halocline.runtime.collective import ALONE, Collective
from halocline.runtime.launcher import check_not_alone
from halocline.runtime.link import AnyLink, Link, to_link
from halocline.runtime.mpi_ranks import MpiRanks
from halocline.runtime.ranks import Ranks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from halocline.runtime._core import Transport
    from halocline.runtime.collective import SharedProcess

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
        with launched_as(communicator.rank, communicator.size):
            yield
    finally:
        _default.reset(token)


class Job(Frozen):
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

    @property
    def process(self) -> SharedProcess | None:
        """What the ranks of this process share; None where this is the only one."""
        return self.collective.process

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
        return self._meeting("on_first", lambda: action() if self.rank == 0 else None)

    def on_each(self, action: Callable[[], Made]) -> Made:
        """Do something on every rank; a mistake found on one is raised on every rank.

        Returns:
            What the action returned on this rank.
        """
        return self._meeting("on_each", action)

    def _meeting(self, call: str, action: Callable[[], Made]) -> Made:
        made, failure = None, None
        try:
            made = action()
        except BaseException as error:
            failure = error
        self.collective.meet(call, failure=failure, is_shared=True)
        return cast("Made", made)

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
        values: list[Any] | None = self.collective.communicator.gather(value, root=0)
        return values


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
        check_not_alone()
        return _alone(ranks_per_node, link)
    ranks = communicator if isinstance(communicator, Ranks) else MpiRanks(communicator)
    if ranks.communicator.size == 1:
        return _alone(ranks_per_node, link)
    with ranks.collective.call("Simulation"):
        return _joined(ranks, ranks_per_node, link)


def _alone(ranks_per_node: int | None, link: str | Link | None) -> Job:
    _checked(ranks_per_node, link)
    return Job(0, 1, None, None, 1)


def _joined(ranks: Ranks, ranks_per_node: int | None, wanted_link: str | Link | None) -> Job:
    """Return the job of several ranks, once they agree what it is."""
    link, collective = _checked(ranks_per_node, wanted_link), ranks.collective
    collective.agree({"'ranks_per_node'": str(ranks_per_node), "'link'": str(link)})
    machines, sharers = ranks.machines()
    if link is not None and len(set(machines)) > 1:
        raise MpiError(
            f"The link '{link.name}' was to be emulated, but the ranks are on "
            f"{len(set(machines))} machines; expected a single one.",
            hint="Emulate links on one machine, or leave out 'link'.",
        )
    nodes = _nodes(machines, ranks_per_node)
    latency_s, seconds_per_byte = (link.latency_s, link.seconds_per_byte) if link else (0.0, 0.0)
    collective.jobs += 1
    rank = ranks.communicator.rank
    return Job(
        rank,
        ranks.communicator.size,
        ranks.communicator,
        ranks.transport(nodes, latency_s, seconds_per_byte),
        machines.count(machines[rank]),
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


def _nodes(machines: list[int], ranks_per_node: int | None) -> tuple[int, ...]:
    """Return the number of each rank's node; a declared node ends where the machine does."""
    size = ranks_per_node or len(machines)
    places = [(machine, rank // size) for rank, machine in enumerate(machines)]
    numbers = {place: number for number, place in enumerate(dict.fromkeys(places))}
    return tuple(numbers[place] for place in places)
