"""What an MPI launcher says of this process; nothing of MPI is loaded for it."""

from __future__ import annotations

import os

# Set in every rank by the launchers of MPICH and its relatives, Open MPI, PRRTE and Slurm.
_RANKS = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK")
_SIZES = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE")


def launched_rank() -> int | None:
    """Return the rank that an MPI launcher gave this process, None if it was started alone."""
    return next((int(os.environ[name]) for name in _RANKS if name in os.environ), None)


def launched_ranks() -> int | None:
    """Return how many ranks the launcher has started, when it says so."""
    return next((int(os.environ[name]) for name in _SIZES if name in os.environ), None)
