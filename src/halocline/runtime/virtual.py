"""Virtual ranks: threads of one process that do what MPI ranks do, for debugging and tests.

One of them at a time runs Python: it has the turn, and hands it over where it waits for others or
lets the C++ runtime work. So what ranks share in Python needs no locks, and the runtime's threads
do run side by side.
"""

from __future__ import annotations

import pickle
import threading
from collections import deque
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, TypeVar

from halocline.errors import MpiError
from halocline.language.numbers import Range, whole_number
from halocline.runtime import _core
from halocline.runtime.collective import Collective
from halocline.runtime.ending import reporter_of
from halocline.runtime.job import communicating
from halocline.runtime.ranks import Ranks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

Made = TypeVar("Made")
# So many things that follow from others are kept for ranks that come later.
_MOST_KNOWN = 8


def on_virtual_ranks(ranks: int, function: Callable[[], Made]) -> list[Made]:
    """Call a function on virtual ranks: threads of this process that share the work as ranks do.

    Simulations that the function makes are distributed over them, with the plans, messages and bits
    of as many MPI ranks; nothing is gained in speed. Each rank makes grids, fields, parameters and
    simulations of its own. Messages travel as 'shared', 'shared-push' or 'two-sided', of devices as
    'via-host' or 'box-copies'.

    Args:
        ranks: How many.
        function: Called on each; 'Simulation.rank' is its number.

    Returns:
        What it has returned on each rank, in their order.

    Raises:
        BaseException: What the function has raised: on the rank that failed first, if several did.

    Example:
        >>> import halocline as hc
        >>> @hc.kernel
        ... def count(ranks):
        ...     ranks[0] = ranks[0] + 1.0
        >>> def main():
        ...     grid = hc.Grid((12,))
        ...     ranks = grid.field("ranks")
        ...     simulation = hc.Simulation(grid, [count(ranks)])
        ...     simulation.run(2, progress=False)
        ...     return simulation.rank, simulation.reduce(hc.sum(ranks))
        >>> hc.on_virtual_ranks(3, main)
        [(0, 24.0), (1, 24.0), (2, 24.0)]
    """
    job = _VirtualJob(whole_number("'ranks'", ranks, Range(least=1)))
    contexts = [copy_context() for _ in range(job.size)]
    threads = [
        threading.Thread(
            target=context.run, args=(job.work, rank, function), name=f"virtual rank {rank}"
        )
        for rank, context in enumerate(contexts)
    ]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    except BaseException:
        with job.turn:
            job.fail("The virtual ranks were interrupted.")
        raise
    job.raise_first()
    return [job.results[rank] for rank in range(job.size)]


class _VirtualJob:
    """What the virtual ranks of a job share.

    Attributes:
        size: How many there are.
        turn: Held by the rank that runs Python.
        results: What the function has returned, by rank.
        rounds: Values that ranks have given in collective calls that are going on.
        mail: Messages on their way, by communicator, source and target.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.turn = threading.Condition(threading.Lock())
        self.results: dict[int, Any] = {}
        self.rounds: dict[Any, dict[int, Any]] = {}
        self.mail: dict[tuple[Any, int, int], deque[bytes]] = {}
        self._failures: dict[int, BaseException] = {}
        self._why = ""
        self._transports: list[_core.VirtualRanks] = []
        self._known: deque[tuple[object, Any]] = deque(maxlen=_MOST_KNOWN)

    def work(self, rank: int, function: Callable[[], Any]) -> None:
        """Call the function on a rank, in its thread."""
        communicator = VirtualCommunicator(self, rank)
        with self.turn:
            try:
                with communicating(communicator):
                    self.results[rank] = function()
                communicator.collective.finish()
            except BaseException as error:
                self._failures[rank] = error
                self.fail(f"Virtual rank {rank} has ended: {error}")

    def fail(self, why: str) -> None:
        """Let all ranks that wait for others fail."""
        self._why = self._why or why
        for transport in self._transports:
            transport.fail(why)
        self.turn.notify_all()

    def raise_first(self) -> None:
        """Raise what has failed first, if anything has."""
        if not self._failures:
            return
        reporters = [reporter_of(error) for error in self._failures.values()]
        rank = next(
            (reporter for reporter in reporters if reporter in self._failures),
            next(iter(self._failures)),
        )
        raise self._failures[rank]

    def wait_until(self, is_so: Callable[[], bool]) -> None:
        """Hand over the turn until something is so.

        Raises:
            MpiError: A rank has failed meanwhile.
        """
        while not is_so():
            if self._why:
                raise MpiError(self._why)
            self.turn.wait()

    def once(self, known: object, make: Callable[[], Made]) -> Made:
        """Return what follows from something, made by the rank that asks first.

        Things that are compared need not have hashes; of few, the last ones are asked for.
        """
        for recent, made in self._known:
            if recent == known:
                return made  # type: ignore[no-any-return]
        self._known.append((known, make()))
        return self._known[-1][1]  # type: ignore[no-any-return]

    def add_transport(self, made: _core.VirtualRanks) -> None:
        """Take note of what moves messages in time loops: it fails with the job."""
        self._transports.append(made)


class VirtualCommunicator(Ranks):
    """Virtual ranks, and a communicator of them: the methods of mpi4py's that Halocline calls.

    Args:
        job: The ranks.
        rank: This one.
        name: Tells this communicator from the others of the job.

    Attributes:
        size: How many ranks there are.
    """

    def __init__(self, job: _VirtualJob, rank: int, name: tuple[int, ...] = ()) -> None:
        self._job = job
        self._name = name
        self._rounds = self._copies = 0
        self._collective: Collective | None = None
        self.communicator = self
        self.rank = rank
        self.size = job.size

    @property
    def collective(self) -> Collective:
        """Return where they meet."""
        if self._collective is None:
            self._collective = Collective(self.Dup(), abort=self._abort, process=self._job)
        return self._collective

    def machines(self) -> tuple[list[int], int]:
        """Return for each rank the first one on the same machine, and who shares its cores."""
        return [0] * self.size, self.size

    def transport(
        self, nodes: Sequence[int], latency_s: float, seconds_per_byte: float
    ) -> _core.Transport:
        """Return what moves messages in the time loop; collective."""
        made = None
        if self.rank == 0:
            made = _core.VirtualRanks(list(nodes), latency_s, seconds_per_byte)
            self._job.add_transport(made)
        ranks: _core.VirtualRanks = self._given(made)[0]
        return ranks.transport(self.rank)

    def allgather(self, value: Made) -> list[Made]:
        """Return copies of the values of all ranks."""
        return list(map(pickle.loads, self._given(pickle.dumps(value))))

    def gather(self, value: Made, root: int = 0) -> list[Made] | None:
        """Return copies of the values of all ranks on one, None elsewhere."""
        values = self._given(pickle.dumps(value))
        return list(map(pickle.loads, values)) if self.rank == root else None

    def bcast(self, value: Made, root: int = 0) -> Made:
        """Return a copy of the value of one rank."""
        received: Made = pickle.loads(self._given(pickle.dumps(value))[root])
        return received

    def Barrier(self) -> None:  # noqa: N802 (as mpi4py has it)
        """Return when all ranks have called it."""
        self._given(None)

    def Iallgather(self, sent: bytes, received: bytearray) -> _Pending:  # noqa: N802
        """Begin to gather bytes of all ranks."""
        return _Pending(self._job, lambda: True, lambda: _fill(received, self._given(bytes(sent))))

    def Send(self, values: Any, dest: int) -> None:  # noqa: N802
        """Send an array to another rank."""
        key = (self._name, self.rank, dest)
        self._job.mail.setdefault(key, deque()).append(bytes(memoryview(values)))
        self._job.turn.notify_all()

    def Irecv(self, values: Any, source: int) -> _Pending:  # noqa: N802
        """Begin to receive an array from another rank."""
        inbox = self._job.mail.setdefault((self._name, source, self.rank), deque())
        place = memoryview(values)
        return _Pending(self._job, lambda: bool(inbox), lambda: _fill(place, [inbox.popleft()]))

    def Dup(self) -> VirtualCommunicator:  # noqa: N802
        """Return another communicator of the same ranks."""
        self._copies += 1
        return VirtualCommunicator(self._job, self.rank, (*self._name, self._copies))

    def Abort(self, code: int = 1) -> None:  # noqa: N802
        """End all ranks."""
        self._job.fail(f"Virtual rank {self.rank} has ended the job with code {code}.")

    def _abort(self, error: BaseException, _: TracebackType | None) -> None:
        with self._job.turn:
            self._job.fail(f"Virtual rank {self.rank} has failed: {error}")

    def _given(self, value: Any) -> list[Any]:
        """Return what all ranks give in the same call, in their order."""
        key = self._name, self._rounds
        self._rounds += 1
        values = self._job.rounds.setdefault(key, {})
        values[self.rank] = value
        if len(values) == self.size:
            del self._job.rounds[key]
            self._job.turn.notify_all()
        self._job.wait_until(lambda: len(values) == self.size)
        return [values[rank] for rank in range(self.size)]


class _Pending:
    """Something that was begun; like mpi4py's request, but for tests of it, which wait."""

    def __init__(
        self, job: _VirtualJob, is_ready: Callable[[], bool], finish: Callable[[], None]
    ) -> None:
        self._job = job
        self._is_ready = is_ready
        self._finish = finish

    def Wait(self) -> None:  # noqa: N802 (as mpi4py has it)
        """Wait until it is done."""
        self._job.wait_until(self._is_ready)
        self._finish()

    def Test(self) -> bool:  # noqa: N802
        """Wait until it is done."""
        self.Wait()
        return True


def _fill(place: Any, parts: Sequence[bytes]) -> None:
    place[:] = b"".join(parts)
