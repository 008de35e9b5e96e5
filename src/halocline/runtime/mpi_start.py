"""Start MPI. What would make it hang, or end it in words of its own, is looked at before."""

from __future__ import annotations

import ctypes
import os
import re
import sys
import time
from contextlib import contextmanager, nullcontext, suppress
from importlib import import_module
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING

from halocline.errors import MpiError
from halocline.free_memory import size_text
from halocline.launched import (
    is_by_pmi_of_slurm,
    is_of_open_mpi,
    is_of_pmix,
    process_number,
    rank_on_node,
    ranks_on_node,
)
from halocline.native import load_runtime
from halocline.runtime.launcher import NETWORK_OF_MPICH, SRUN_OF_MPICH, refused_by_all
from halocline.runtime.siblings import watching_siblings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

_SHARED_MEMORY = Path("/dev/shm")
_MODULE = "halocline.runtime._mpi"
# A function of the library that an MPI with PMIx is linked with.
_OF_PMIX = "PMIx_Init"
# What MPICH's ranks share inside a node, by the names of its files.
_OF_MPICH = "mpich_sh*"
# How much of it each rank needs to start [bytes]: measured for 2 to 8 ranks (MPICH 5.0).
_FOR_A_RANK = 1.25e6
# A job that starts has given its memory to all of its ranks after less than that [s].
_STARTED_S = 600.0
# MPICH starts within seconds, or hangs [s].
_LONGEST_START_S = 30.0


def load_mpi() -> ModuleType:
    """Return the module that calls MPI; MPI is not started.

    Its library is the one that it was linked with, or else that of the package 'mpich' in the
    environment of this Python, where the module of a wheel does not look.

    Raises:
        ImportError: Halocline was built without MPI, or there is no library.
    """
    load_runtime()  # or else the extension would import it, with an OpenMP that waits long
    try:
        return import_module(_MODULE)
    except ImportError as error:
        missing = re.match(r"libmpi[\w.]*", str(error))
        library = Path(sys.prefix, "lib", missing[0] if missing else "")
        if not library.is_file():
            raise
    ctypes.CDLL(str(library))  # from now on found by its name
    return import_module(_MODULE)


def start_mpi() -> None:
    """Start MPI for this rank, unless the program has done so.

    Raises:
        ImportError: Halocline was built without MPI, or there is no mpi4py.
        MpiError: MPI cannot start here.
    """
    _mpi = load_mpi()
    is_mpich = _mpi.library_version().startswith("MPICH")
    is_started = "mpi4py.MPI" in sys.modules
    if is_mpich and not is_started:
        _check_launcher(has_pmix=hasattr(ctypes.CDLL(str(_mpi.__file__)), _OF_PMIX))
        if not rank_on_node():
            forget_left_behind()
            _check_shared_memory()
    if not is_started:
        import mpi4py

        # It would hold all threads of Python while it waits for the other ranks.
        mpi4py.rc.initialize, mpi4py.rc.finalize = False, True
    from mpi4py import MPI

    check_same_library(_mpi.library_version(), MPI.Get_library_version())
    with watching_siblings(), _reporting_a_hang() if is_mpich else nullcontext():
        _mpi.start()


def check_same_library(ours: str, theirs: str) -> None:
    """Refuse an mpi4py that uses another MPI.

    Raises:
        MpiError: It does.
    """
    if ours.strip() != theirs.strip():
        raise MpiError(
            f"Halocline was built with '{_first_line(ours)}' but mpi4py uses "
            f"'{_first_line(theirs)}'; expected one and the same library.",
            hint="Install mpi4py from source with MPICC set to the MPI that Halocline was built "
            "with.",
        )


def _first_line(text: str) -> str:
    return " ".join(text.strip().split("\n", maxsplit=1)[0].split())


def _check_launcher(*, has_pmix: bool) -> None:
    if is_of_open_mpi():
        raise refused_by_all(
            "This rank was started by the launcher of Open MPI, but Halocline was built with "
            "MPICH, which cannot start under it.",
            hint="Use the 'mpiexec' of that MPI; for the wheel's it is beside 'python'.",
        )
    if is_of_pmix() and not has_pmix:
        raise refused_by_all(
            "This rank was started by means of PMIx, but Halocline was built with an MPICH that "
            "knows only PMI-1 and PMI-2.",
            hint="Use the 'mpiexec' of that MPI, for the wheel's it is beside 'python'; or "
            f"'{SRUN_OF_MPICH}'.",
        )


@contextmanager
def _reporting_a_hang() -> Iterator[None]:
    """Print what to do if MPICH does not start under Slurm's PMI, where long addresses hang."""
    if not is_by_pmi_of_slurm() or os.environ.get(NETWORK_OF_MPICH) == "ofi" or process_number():
        yield
        return
    timer = Timer(_LONGEST_START_S, _report_a_hang)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _report_a_hang() -> None:
    print(
        f"warning: MPI has not started within {_LONGEST_START_S:g} s. Slurm refuses some PMI "
        "requests that hold addresses of UCX; those of libfabric are shorter. Cancel the job and "
        f"start it by '{SRUN_OF_MPICH}'.",
        file=sys.stderr,
        flush=True,
    )


def _check_shared_memory() -> None:
    ranks = ranks_on_node()
    if ranks is None or ranks == 1 or not _SHARED_MEMORY.is_dir():
        return
    about = os.statvfs(_SHARED_MEMORY)
    free, needed = about.f_bavail * about.f_frsize, ranks * _FOR_A_RANK
    if free < needed:
        raise MpiError(
            f"'{_SHARED_MEMORY}' has {size_text(free)} left; expected at least "
            f"{size_text(needed)}, in which the {ranks} ranks of this node exchange messages.",
            hint="Delete what lies there, or let it be larger: 'docker run --shm-size=1g', or "
            f"'mount -o remount,size=1g {_SHARED_MEMORY}'.",
        )


def forget_left_behind(folder: Path = _SHARED_MEMORY, proc: Path = Path("/proc")) -> None:
    """Remove the shared memory that killed jobs of this user have left behind.

    That is what no living process has mapped. A job that all ranks of have begun needs the name no
    longer, so nothing is lost even if its processes are hidden from this one.
    """
    oldest = time.time() - _STARTED_S
    left: set[str] = set()
    for path in folder.glob(_OF_MPICH):
        with suppress(OSError):
            about = path.stat()
            if about.st_uid == os.getuid() and about.st_mtime < oldest:
                left.add(str(path))
    if left:
        for name in left - _mapped(proc):
            Path(name).unlink(missing_ok=True)


def _mapped(proc: Path) -> set[str]:
    """Return the files that the processes of this user have mapped."""
    found: set[str] = set()
    for maps in proc.glob("[0-9]*/maps"):
        with suppress(OSError):
            lines = maps.read_text(encoding="utf-8", errors="replace").splitlines()
            found.update(line.split(maxsplit=5)[-1] for line in lines)
    return found
