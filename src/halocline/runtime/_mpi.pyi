"""The transports that need MPI; absent if the package was built without it."""

from collections.abc import Sequence
from typing import NoReturn

from halocline.runtime._core import Transport

def transport(
    fortran_handle: int, nodes: Sequence[int], latency_s: float, seconds_per_byte: float
) -> Transport:
    """Return all transports on a duplicate of the communicator with this handle.

    Args:
        fortran_handle: The communicator.
        nodes: The node of each rank: ranks with equal numbers may use shared memory.
        latency_s: Latency of an emulated link between nodes [s].
        seconds_per_byte: Its time per byte [s]; both 0 for no such link.
    """

def start() -> None:
    """Start MPI, unless it has been started; other threads go on meanwhile."""

def library_version() -> str:
    """Return name and version of the MPI library."""

def abort(code: int) -> NoReturn:
    """End all processes of the job."""
