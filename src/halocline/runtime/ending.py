"""How a job ends that has failed: with one message, on all ranks together."""

from __future__ import annotations

import os
import sys
import time
import traceback
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING

from halocline.errors import HaloclineError
from halocline.language.place import place_of
from halocline.launched import launched_rank, process_number, rank_on_node, started_together
from halocline.runtime.siblings import siblings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    # Reports an error, with where it came from, and ends all ranks.
    Abort = Callable[[BaseException, TracebackType | None], None]

# How long a rank waits for another to report an error that both have [s].
_LONGEST_REPORT_S = 2.0
# How long the launcher gets to pass on what was printed [s].
_HEARD_S = 0.2
# How often a rank looks whether another one has ended [s].
_LOOK_S = 0.1
# How long a rank that fails in the time loop waits for the others to fail there, too [s].
_LONGEST_MEETING_S = 5.0

_REPORTER = "halocline_reporter"


def mark_known(error: BaseException, reporter: int) -> None:
    """Mark an error as that of all ranks, which 'reporter' reports if nobody catches it."""
    setattr(error, _REPORTER, reporter)


def reporter_of(error: BaseException) -> int | None:
    """Return the rank that is to report an error of all; None if it is not of all."""
    found: int | None = getattr(error, _REPORTER, None)
    return found


def is_reported_elsewhere(error: BaseException) -> bool:
    """Return whether another process reports an error of all, none of which MPI connects."""
    reporter = reporter_of(error)
    return not _is_mpi_up() and reporter is not None and reporter != process_number()


def is_known(error: BaseException) -> bool:
    """Return whether an error is that of all ranks already."""
    return reporter_of(error) is not None


def end_job(error: BaseException, rank: int, trace: TracebackType | None = None) -> None:
    """Report an error before all ranks are ended; without that others would wait for ever.

    Most mistakes are found by all ranks alike: one of them says it, and ends the job while the
    others wait a little.

    Args:
        error: What nobody has caught.
        rank: This process.
        trace: Where it came from: shown in full unless the error is a mistake of the user's, of
            which the line in the user's program says enough.
    """
    reporter = reporter_of(error)
    if reporter is None:
        reporter = 0 if isinstance(error, HaloclineError | KeyboardInterrupt) else rank
    if rank != reporter:
        # One after the other, for those before may have caught it.
        time.sleep(_LONGEST_REPORT_S * (1 + rank - (rank > reporter)))
    _report(error, rank, trace)
    # A launcher that ends the job at once may lose what was printed just before.
    time.sleep(_HEARD_S)


def _report(error: BaseException, rank: int, trace: TracebackType | None) -> None:
    sys.stdout.flush()
    if isinstance(error, HaloclineError | KeyboardInterrupt):
        place = place_of(trace)
        text = str(error) if isinstance(error, HaloclineError) else "The program was interrupted."
        is_told = getattr(error, "place", "") or place in text
        print(f"error: {'' if is_told else f'{place}: '}{text}", file=sys.stderr, flush=True)
    else:
        if trace is not None:
            traceback.print_exception(type(error), error, trace, file=sys.stderr)
        text = str(error) or type(error).__name__
        print(f"error on rank {rank}: {text}", file=sys.stderr, flush=True)


def abort(error: BaseException, rank: int, trace: TracebackType | None) -> None:
    """Report an error and end all ranks."""
    from mpi4py import MPI

    end_job(error, rank, trace)
    MPI.COMM_WORLD.Abort(1)
    # MPICH's call only asks the launcher, which may be out of reach.
    os._exit(1)


def end_at_uncaught_errors(rank: int) -> None:
    """Report an uncaught error once, and end all ranks."""

    def hook(_: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        abort(error, rank, trace)

    sys.excepthook = hook


def report_once_before_mpi() -> None:
    """Report an uncaught error once on a node, before ranks can meet.

    The first rank of the node reports it; the others do, if that one continues. An error that all
    processes are known to have is reported once in all, also where they are no ranks of one job.
    """

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if _is_mpi_up():
            abort(error, launched_rank() or 0, trace)
        elif not is_reported_elsewhere(error) and not _is_said_by_first():
            if isinstance(error, HaloclineError | KeyboardInterrupt):
                _report(error, launched_rank() or 0, trace)
            else:
                sys.__excepthook__(kind, error, trace)

    is_one_of_many = launched_rank() is not None or started_together()[0] > 1
    if is_one_of_many and sys.excepthook is sys.__excepthook__:
        sys.excepthook = hook


def _is_mpi_up() -> bool:
    module = sys.modules.get("mpi4py.MPI")
    return module is not None and module.Is_initialized() and not module.Is_finalized()


def _is_said_by_first() -> bool:
    """Return whether another rank of this node ends within a while, and so has said why."""
    group, looks = siblings(), int(_LONGEST_REPORT_S / _LOOK_S)
    if group is None or not rank_on_node():
        return False
    for _ in range(looks):
        if group.ended():
            return True
        time.sleep(_LOOK_S)
    return False


@contextmanager
def ending_unless_met(error: BaseException, end: Abort) -> Iterator[None]:
    """End the job if the block, which propagates an error, takes too long.

    The other ranks may wait for messages that never come.
    """
    timer = Timer(_LONGEST_MEETING_S, end, (error, error.__traceback__))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
