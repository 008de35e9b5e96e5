"""The transports that need MPI; absent if the package was built without it."""

from typing import NoReturn

from halocline.runtime._core import Transport

def two_sided(fortran_handle: int) -> Transport:
    """Return two-sided messages on a duplicate of the communicator with this handle."""

def library_version() -> str:
    """Return name and version of the MPI library."""

def abort(code: int) -> NoReturn:
    """End all processes of the job."""
