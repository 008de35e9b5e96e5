"""Collective calls: made by all ranks alike, or else an error on all of them, never a wait.

A call consists of meetings. A meeting is one allgather of a few bytes: which call is going on,
what must be the same on all ranks, and whether something has failed. As a rule all bytes are alike,
and that was all. Otherwise the ranks exchange accounts in words, and all raise. Who fails inside a
call comes to one meeting more, whatever the others meet for, and so does who ends the program.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import time
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cache, lru_cache, partial, wraps
from typing import TYPE_CHECKING, Any, Concatenate, NoReturn, ParamSpec, Protocol, TypeVar

from halocline.runtime.differences import Account, account_of, difference, failure_of
from halocline.runtime.ending import (
    abort,
    end_at_uncaught_errors,
    ending_unless_met,
    is_known,
    mark_known,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from threading import Condition
    from types import TracebackType

    from halocline.runtime.ending import Abort

_END = "the end of the program"
_DIGEST_BYTES = 8
_NOTHING = bytes(_DIGEST_BYTES)
# So long a rank that waits for others looks again and again. Then it sleeps between looks, since
# one of them may be compiling, or have no processor: for this part of the time that it has waited,
# but for no less and no more than so long. MPI may need several looks, one after the other.
_EAGER_S = 1e-3
_NAP_PART = 1 / 64
_LEAST_NAP_S = 5e-4
_LONGEST_NAP_S = 5e-3

Made = TypeVar("Made")


class SharedProcess(Protocol):
    """What several ranks of one process share.

    Attributes:
        turn: Held by the one that runs Python.
    """

    turn: Condition

    def once(self, known: object, make: Callable[[], Made]) -> Made:
        """Return what follows from something, made once for all of them."""


class Collective:
    """The meetings of the ranks of a communicator.

    Args:
        communicator: Of our own, so that nothing else is said on it; None for a single process.
        abort: Reports an error and ends all ranks.
        process: What several ranks of a process share; None where each rank is a process.

    Attributes:
        is_open: Whether ranks still meet here: until the user frees the communicator.
        jobs: How many simulations have them.
        machines: What 'MpiRanks.machines' has found: it stays, and to find it takes longest.
    """

    def __init__(
        self,
        communicator: Any = None,
        *,
        abort: Abort | None = None,
        process: SharedProcess | None = None,
    ) -> None:
        self.communicator = communicator
        self._abort = abort
        self.process = process
        self.is_open = True
        self.jobs = 0
        self.machines: tuple[list[int], int] | None = None
        self._name = ""
        self._job = 0
        self._process = os.getpid()

    def call(self, name: str, job: int = 0) -> _Call:
        """Return a context in which a collective call is going on, or part of one that is.

        Args:
            name: Of the call, as a user knows it.
            job: The number of the job that makes it; 0 for one yet to come.
        """
        return _Call(self, name, job)

    def meet(
        self,
        what: str,
        *,
        failure: BaseException | None = None,
        is_shared: bool = False,
        digest: bytes = _NOTHING,
        facts: Callable[[], Mapping[str, str]] = dict,
    ) -> None:
        """Meet the other ranks; afterwards all have come here, and nothing had failed.

        Args:
            what: The purpose; it is the name of the call where none is going on.
            failure: What has failed on this rank.
            is_shared: Whether all ranks are to raise that failure as their own.
            digest: Of what must be the same on all ranks.
            facts: That, as text by its names; asked for where not all is alike.

        Raises:
            BaseException: The failure of this rank.
            MpiError: Another rank has failed, makes another call, or has other facts.
        """
        if self.communicator is None:
            if failure is not None:
                raise failure
            return
        state = b"well" if failure is None else b"fail"
        header = _name_digest(self._name, what, self._job) + digest + state
        found = bytearray(len(header) * self.communicator.size)
        _wait(self.communicator.Iallgather(header, found))
        if failure is None and found == header * self.communicator.size:
            return
        compared = {"the simulation": f"number {self._job}", **facts()}
        mine = account_of(self._name or what, failure, is_shared=is_shared, facts=compared)
        raise self._consequence(mine, failure)

    def _consequence(self, mine: Account, failure: BaseException | None) -> BaseException:
        """Tell the others in words how it stands here, and return what all of that leads to."""
        accounts: list[Account] = self.communicator.allgather(mine)
        first = next((rank for rank, account in enumerate(accounts) if account.failure), None)
        if first is None:
            error: BaseException = difference(accounts)
        elif failure is not None:
            error = failure
        else:
            error = accounts[first].error or failure_of(first, accounts[first])
        mark_known(error, first or 0)
        return error

    def agree(self, facts: Mapping[str, str]) -> None:
        """Meet the other ranks, and refuse facts that are not the same on all of them."""
        text = "\n".join(f"{name}: {value}" for name, value in facts.items())
        self.meet("agree", digest=digest_of(text.encode()), facts=lambda: facts)

    def call_of_user(self, name: str, function: Callable[[], object]) -> None:
        """Call a function of the user on all ranks; afterwards it has failed on all or on none.

        Raises:
            BaseException: What the function has raised here.
            MpiError: It has raised something on another rank, and nothing here.
        """
        if self.communicator is None:
            function()
            return
        failure, outer = None, (self._name, self._job)
        try:
            # What the user calls there are calls of their own.
            self._name, self._job = "", 0
            try:
                function()
            except BaseException as error:
                if is_known(error):
                    raise
                failure = error
            self._name = f"the end of the function '{name}'"
            self.meet("", failure=failure)
        finally:
            self._name, self._job = outer

    def propagate(self, failure: BaseException) -> None:
        """Propagate the failure of a call to the other ranks, whatever they meet for."""
        if self.communicator is not None and not is_known(failure):
            with suppress(BaseException):
                self.meet("failure", failure=failure)

    def propagate_in_time_loop(self, failure: BaseException) -> None:
        """Propagate a failure, or end the job where others wait for messages and do not meet."""
        if self._abort is not None and not is_known(failure):
            with ending_unless_met(failure, self._abort):
                self.propagate(failure)

    def finish(self) -> None:
        """Come to the end of the program: who waits for this rank, waits in vain.

        Raises:
            MpiError: Others do.
        """
        self._name = _END
        self.meet("")

    @contextmanager
    def working(self) -> Iterator[None]:
        """Let other ranks of this process run Python within this, where the runtime works."""
        if self.process is None:
            yield
            return
        self.process.turn.release()
        try:
            yield
        finally:
            self.process.turn.acquire()

    def called_back(self) -> AbstractContextManager[object]:
        """Return a context within 'working' in which this rank runs Python again."""
        return nullcontext() if self.process is None else self.process.turn

    def finish_process(self) -> None:
        """Come to the end of an MPI process, and end the job if others wait for it."""
        from mpi4py import MPI

        if not self.is_open or os.getpid() != self._process or MPI.Is_finalized():
            return
        try:
            self.finish()
        except BaseException as error:
            abort(error, self.communicator.rank, None)


class _Call:
    """The context of a collective call; the outermost one names all that goes on in it."""

    def __init__(self, ranks: Collective, name: str, job: int) -> None:
        self._ranks = ranks
        self._name = name
        self._job = job
        self._is_outermost = not ranks._name

    def __enter__(self) -> None:
        if self._is_outermost:
            self._ranks._name, self._ranks._job = self._name, self._job

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._is_outermost:
            if error is not None:
                self._ranks.propagate(error)
            self._ranks._name, self._ranks._job = "", 0


ALONE = Collective()


class HasJob(Protocol):
    """Something whose methods all ranks call."""

    @property
    def job(self) -> Any:
        """The ranks."""


Of = TypeVar("Of", bound=HasJob)
Given = ParamSpec("Given")
Found = TypeVar("Found")


def collective(
    method: Callable[Concatenate[Of, Given], Found],
) -> Callable[Concatenate[Of, Given], Found]:
    """Make a method a collective call of its own name."""

    @wraps(method)
    def call(self: Of, /, *given: Given.args, **options: Given.kwargs) -> Found:
        with self.job.call(method.__qualname__):
            return method(self, *given, **options)

    return call


def collective_of(communicator: Any) -> Collective:
    """Return the meetings of a communicator's ranks; collective, the first time."""
    key = _key()
    found: Collective | None = communicator.Get_attr(key)
    if found is None:
        found = Collective(communicator.Dup(), abort=partial(_abort_at, communicator.rank))
        communicator.Set_attr(key, found)
        atexit.register(found.finish_process)
        os._exit = partial(_exit_at_end, found, os._exit)
        end_at_uncaught_errors(communicator.rank)
    return found


def _exit_at_end(ranks: Collective, exit_now: Callable[[int], NoReturn], status: int) -> NoReturn:
    """End this process at once, as 'os._exit'. Launchers may take a status of 0 for all is well.

    Other ranks that wait for this one raise, as at any end of the program.
    """
    if status == 0:
        ranks.finish_process()
    exit_now(status)


def _abort_at(rank: int, error: BaseException, trace: TracebackType | None) -> None:
    abort(error, rank, trace)


@cache
def _key() -> int:
    """Return the key of a communicator's meetings, which end with it."""
    from mpi4py import MPI

    def close(_: Any, __: int, meetings: Collective) -> None:
        meetings.is_open = False

    return int(MPI.Comm.Create_keyval(delete_fn=close))


def digest_of(content: bytes) -> bytes:
    """Return a digest of a few bytes."""
    return hashlib.blake2b(content, digest_size=_DIGEST_BYTES).digest()


def _wait(request: Any) -> None:
    """Wait until a message has come; MPI itself would keep the processor busy all the time."""
    start = time.monotonic()
    while not request.Test():
        waited = time.monotonic() - start
        if waited < _EAGER_S:
            os.sched_yield()
        else:
            time.sleep(min(max(_LEAST_NAP_S, waited * _NAP_PART), _LONGEST_NAP_S))


@lru_cache(maxsize=1024)
def _name_digest(call: str, what: str, job: int) -> bytes:
    return digest_of(f"{call}: {what}: {job}".encode())
