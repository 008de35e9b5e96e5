"""'halocline doctor': what an installation uses, each part tried out, with remedies."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
import warnings
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from halocline.bench.here import describe_here
from halocline.errors import CompileError, HaloclineError, MpiError
from halocline.free_memory import free_memory, size_text
from halocline.frozen import Frozen
from halocline.installation import EXTRAS, extras
from halocline.io.checkpoint_memory import left_copies
from halocline.jit.build import build
from halocline.jit.cache import Cache, open_cache
from halocline.jit.toolchain import find_toolchain
from halocline.launched import is_by_pmi_of_slurm
from halocline.runtime import _core
from halocline.runtime.device import open_device, parse_device
from halocline.runtime.job import join
from halocline.runtime.launcher import NETWORK_OF_MPICH, SRUN_OF_MPICH, find_launcher
from halocline.runtime.mpi_start import load_mpi

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.table import Table

# A launcher that has not started two ranks by then never will [s].
_STARTED_S = 60.0
# What each of two ranks does: it prints how many it finds, or what is wrong and what to do.
_RANK = """
from halocline.errors import HaloclineError
from halocline.runtime.job import join
try:
    print(join().size)
except HaloclineError as error:
    print(error.message, error.hint, sep="\\t")
"""
_SMALLEST = """
#include "kernel_abi.h"
#include <omp.h>
#include <cmath>
extern "C" {
extern const int32_t halocline_abi;
const int32_t halocline_abi = HALOCLINE_ABI;
double trial(double x) { return std::sqrt(x) + omp_get_max_threads(); }
}
"""


class State(StrEnum):
    """How a part of an installation is."""

    ok = "ok"
    absent = "absent"  # runs do without it
    wrong = "wrong"
    left = "left"  # of a run that has died


class Finding(Frozen):
    """A row of the table.

    Attributes:
        part: What was looked at.
        state: How it is.
        found: What it is, or what is wrong with it.
        remedy: What to do about it; '' if it is ok.
    """

    part: str
    state: State
    found: str
    remedy: str = ""


class _Trial(Frozen):
    """A source that uses what all kernels use."""

    language: str = "c++"
    text: str = _SMALLEST
    entries: tuple[str, ...] = ("trial",)


def findings() -> Iterator[Finding]:
    """Yield what this installation uses, each part tried out."""
    yield _versions()
    yield _machine()
    yield from _extras()
    yield _compiler()
    yield _cache()
    mpi = _mpi()
    yield mpi
    if mpi.state is State.ok:
        yield _launcher()
        yield from _slurm(mpi.found)
    yield _device()
    yield from _copies()


def table(rows: list[Finding]) -> Table:
    """Return findings as a table, each remedy below what is wrong."""
    from rich.table import Table
    from rich.text import Text

    made = Table("part", "state", "found", show_lines=True)
    for row in rows:
        remedy = f"\n→ {row.remedy}" if row.remedy else ""
        made.add_row(row.part, row.state, Text(row.found + remedy, overflow="fold"))
    return made


def _versions() -> Finding:
    version = importlib.metadata.version("halocline")
    python = f"Python {platform.python_version()} ({sys.executable})"
    return Finding("halocline", State.ok, f"{version}, {python}")


def _machine() -> Finding:
    here = describe_here()
    memory = f"{size_text(free_memory())} of {here['memory_gb']} GB free"
    return Finding("machine", State.ok, f"{here['processor']}, {here['cores']} cores, {memory}")


def _extras() -> Iterator[Finding]:
    installed = extras()
    for extra, uses in EXTRAS.items():
        packages = installed.get(extra, {})
        missing = ", ".join(name for name, is_there in packages.items() if not is_there)
        if missing:
            found = f"{uses}: not without {missing}"
            remedy = f'pip install "halocline[{extra}]"'
            yield Finding(f"extra {extra}", State.absent, found, remedy)
        else:
            yield Finding(f"extra {extra}", State.ok, uses)


def _compiler() -> Finding:
    try:
        chain = find_toolchain()
        with tempfile.TemporaryDirectory() as folder:
            build(_Trial(), chain, Cache(Path(folder)))
    except CompileError as error:
        return Finding("compiler", State.wrong, error.message, error.hint)
    return Finding("compiler", State.ok, f"{shlex.join(chain.command)}: {chain.version}")


def _cache() -> Finding:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            folder = open_cache().folder
        except CompileError as error:
            return Finding("cache", State.wrong, error.message, error.hint)
    if caught:
        found, _, remedy = str(caught[0].message).rpartition("'. ")
        return Finding("cache", State.wrong, f"{found}'.", remedy)
    size = sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
    return Finding("cache", State.ok, f"{folder}, {size_text(size)}")


def _mpi() -> Finding:
    try:
        library = load_mpi().library_version()
    except ImportError as error:
        found = f"one process only ({error})"
        return Finding("MPI", State.absent, found, 'pip install "halocline[mpi]"')
    return Finding("MPI", State.ok, " ".join(library.partition("\n")[0].split()))


def _launcher() -> Finding:
    """Start two ranks, who look for each other."""
    try:
        launcher = find_launcher()
    except MpiError as error:
        return Finding("launcher", State.wrong, error.message, error.hint)
    name = shlex.join(launcher)
    hint = "Name the launcher of the MPI above in the environment variable 'HALOCLINE_MPIEXEC'."
    try:
        job = subprocess.run(
            [*launcher, "-n", "2", sys.executable, "-c", _RANK],
            capture_output=True,
            text=True,
            check=False,
            timeout=_STARTED_S,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding("launcher", State.wrong, f"{name} does not start ranks: {error}.", hint)
    said = job.stdout.splitlines()
    if job.returncode == 0 and said == ["2", "2"]:
        return Finding("launcher", State.ok, f"{name}, tried on two ranks")
    refusal = next((line for line in said if "\t" in line), "")
    message, _, own_hint = refusal.partition("\t")
    last = "".join(job.stderr.strip().splitlines()[-1:])
    found = message or f"{name} -n 2 failed (exit code {job.returncode}). {last}".strip()
    return Finding("launcher", State.wrong, found, own_hint or hint)


def _copies() -> Iterator[Finding]:
    """Yield the checkpoints in memory that no process uses."""
    for left in left_copies():
        checkpoint = f"of '{left.checkpoint}'" if left.checkpoint else "incomplete"
        found = f"{left.folder}: {size_text(left.size_bytes)}, {checkpoint}"
        remedy = "Go on with 'halocline run --restart', or remove this folder on all nodes."
        yield Finding("checkpoint in memory", State.left, found, remedy)


def _slurm(mpi: str) -> Iterator[Finding]:
    """Yield by which commands a job of Slurm starts ranks, where there is Slurm."""
    if shutil.which("srun") is None:
        return
    if not mpi.startswith("MPICH"):
        yield Finding("Slurm", State.ok, "start ranks by 'srun --mpi=pmix'")
        return
    found = f"start ranks by 'mpiexec' in the job's script, or by '{SRUN_OF_MPICH}'"
    if is_by_pmi_of_slurm() and os.environ.get(NETWORK_OF_MPICH) != "ofi":
        wrong = f"{NETWORK_OF_MPICH} is not 'ofi': MPICH over UCX may hang when 'srun' starts it"
        yield Finding("Slurm", State.wrong, wrong, f"{found[0].upper()}{found[1:]}.")
    else:
        yield Finding("Slurm", State.ok, found)


def _device() -> Finding:
    try:
        count = _core.cuda_device_count()
    except _core.DeviceError as error:
        return Finding("device", State.absent, f"no CUDA device ({error})")
    try:
        opened = open_device(parse_device("cuda"), join())
    except HaloclineError as error:
        return Finding("device", State.wrong, error.message, error.hint)
    return Finding("device", State.ok, f"{count} CUDA device(s); {opened.where}")
