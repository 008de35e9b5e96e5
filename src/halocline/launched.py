"""What an MPI launcher says of this process; nothing of MPI is loaded for it."""

from __future__ import annotations

import os
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Set in every rank by the launchers of MPICH and its relatives, Open MPI, PRRTE and Slurm.
_RANKS = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK")
_OF_OPEN_MPI = ("OMPI_COMM_WORLD_RANK",)
_SIZES = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE")
# The same among the ranks of a node.
_RANKS_ON_NODE = ("MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK")
_SIZES_ON_NODE = ("MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE")
# Python refuses numbers of thousands of digits.
_DIGITS = 10
# How many processes a batch system has started together, whether or not MPI finds them: Slurm's
# 'srun', Flux, and the Job Step Manager's 'jsrun'. The batch script of a job is not one of them.
_TASKS = ("SLURM_STEP_NUM_TASKS", "FLUX_JOB_SIZE", "JSM_NAMESPACE_SIZE")
# Which of these a process is.
_TASK = ("SLURM_PROCID", "FLUX_TASK_RANK", "JSM_NAMESPACE_RANK")
# Set by 'srun --pty': a shell in a terminal, from which the user starts single processes.
_TERMINAL = "SLURM_PTY_PORT"
# Rank and number of ranks within 'launched_as'.
_as: ContextVar[tuple[int, int] | None] = ContextVar("launched_as", default=None)


@contextmanager
def launched_as(rank: int, ranks: int) -> Iterator[None]:
    """Let what runs within this be one of some ranks, whatever a launcher has started."""
    token = _as.set((rank, ranks))
    try:
        yield
    finally:
        _as.reset(token)


def launched_rank() -> int | None:
    """Return the rank that an MPI launcher gave this process, None if it was started alone."""
    if (chosen := _as.get()) is not None:
        return chosen[0]
    found = _first_number(_RANKS)
    return found and found[0]


def started_together() -> tuple[int, str]:
    """Return how many processes a batch system has started as one, and the variable that says so.

    Without such a variable, in a terminal of Slurm's, and where a launcher of MPI has given this
    process a rank: 1 and ''.
    """
    if launched_rank() is not None or _TERMINAL in os.environ:
        return 1, ""
    return _first_number(_TASKS) or (1, "")


def process_number() -> int:
    """Return which of the processes that were started together this is, whoever started them."""
    rank = launched_rank()
    if rank is not None:
        return rank
    found = _first_number(_TASK)
    return found[0] if found else 0


def is_of_pmix() -> bool:
    """Return whether PMIx alone, not the launcher of an MPI, connects this process to others."""
    return _first_number(("PMI_RANK", *_OF_OPEN_MPI)) is None and (
        _first_number(("PMIX_RANK",)) is not None
    )


def is_by_pmi_of_slurm() -> bool:
    """Return whether Slurm's PMI-1 or PMI-2, not the launcher of an MPI, connects this process."""
    has_rank = _first_number(("PMI_RANK",)) is not None
    return has_rank and rank_on_node() is None and _first_number(_TASKS[:1]) is not None


def launched_ranks() -> int | None:
    """Return how many ranks the launcher has started, when it says so."""
    if (chosen := _as.get()) is not None:
        return chosen[1]
    found = _first_number(_SIZES)
    return found and found[0]


def rank_on_node() -> int | None:
    """Return which of the ranks on its node this process is, when the launcher says so."""
    found = _first_number(_RANKS_ON_NODE)
    return found and found[0]


def ranks_on_node() -> int | None:
    """Return how many ranks the launcher has started on this node, when it says so."""
    found = _first_number(_SIZES_ON_NODE)
    return found and found[0]


def is_of_open_mpi() -> bool:
    """Return whether the launcher of Open MPI started this process, and none of MPICH within."""
    return _first_number(("PMI_RANK",)) is None and _first_number(_OF_OPEN_MPI) is not None


def _first_number(names: Sequence[str]) -> tuple[int, str] | None:
    """Return the first of some variables that has a number, which some are set without, and it."""
    found = ((number_in(os.environ.get(name, "")), name) for name in names)
    return next(((number, name) for number, name in found if number is not None), None)


def number_in(text: str) -> int | None:
    """Return the whole number that a text is, None if it is none, or one that nobody means."""
    return int(text) if text.isdecimal() and len(text) < _DIGITS else None
