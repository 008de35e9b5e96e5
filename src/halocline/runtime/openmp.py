"""OpenMP: how many threads a rank has. How they wait is settled by 'native.py'."""

from __future__ import annotations

import os

from halocline.errors import PlanError
from halocline.language.numbers import Range, whole_number
from halocline.launched import number_in
from halocline.native import CORES


class _Threads:
    """Whether OpenMP has started threads, and whether this is a fork, which lacks them."""

    are_started = are_lost = False


def _forked() -> None:
    _Threads.are_lost = _Threads.are_lost or _Threads.are_started


os.register_at_fork(after_in_child=_forked)


def use_threads(threads: int) -> None:
    """Note that so many threads run kernels from now on.

    Raises:
        PlanError: See 'check_threads'.
    """
    check_threads(threads)
    _Threads.are_started = _Threads.are_started or threads > 1


def check_threads(threads: int) -> None:
    """Refuse threads that would never come.

    Raises:
        PlanError: This process was forked from one in which threads ran: they would be waited for.
    """
    if threads > 1 and _Threads.are_lost:
        raise PlanError(
            f"This process was forked from one whose kernels had run on several threads, and lacks "
            f"them; a simulation was to run on {threads}.",
            hint="Make a simulation in the forked process, with threads=1 or as many as by "
            "default; or start processes by 'spawn', multiprocessing.get_context('spawn').",
        )


def threads_of_rank(wanted: int | None, sharers: int) -> int:
    """Return the threads of a rank.

    Args:
        wanted: How many; None for OMP_NUM_THREADS, or else a share of the cores that this process
            may use, or 1 in a fork of a process in which threads ran.
        sharers: How many ranks share them.

    Raises:
        PlanError: OMP_NUM_THREADS is no whole number of at least 1; or see 'check_threads'.
    """
    if wanted is not None:
        check_threads(wanted)
        return wanted
    if _Threads.are_lost:
        return 1
    # For nested threads, too, a list: the first is meant.
    text = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if not text:
        return max(1, len(CORES) // sharers)
    number = number_in(text)
    given = text if number is None else number
    return whole_number("The environment variable OMP_NUM_THREADS", given, Range(least=1))
