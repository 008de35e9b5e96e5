"""Start scripts under an MPI launcher."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def launcher() -> str:
    """Return mpiexec of the environment that runs the tests, or skip."""
    beside = Path(sys.executable).with_name("mpiexec")
    if beside.exists():
        return str(beside)
    pytest.skip("no mpiexec beside the Python that runs the tests (pip install mpich)")


def needs_mpi() -> None:
    """Skip where the package was built without MPI."""
    runtime = Path(__import__("halocline").__file__).parent / "runtime"
    if not list(runtime.glob("_mpi*.so")):
        pytest.skip("Halocline was built without MPI")


def mpirun(
    ranks: int, script: Path, *arguments: str, timeout: float = 300.0, cwd: Path | None = None
):
    """Run a script on ranks and return the finished process, its output as text."""
    needs_mpi()
    return _run([launcher(), "-n", str(ranks)], script, arguments, timeout, cwd)


def python(script: Path, *arguments: str, timeout: float = 300.0, cwd: Path | None = None):
    """Run a script by itself and return the finished process, its output as text."""
    return _run([], script, arguments, timeout, cwd)


def printed(ranks: int | None, script: Path, *arguments: str, timeout: float = 300.0) -> str:
    """Return what a script prints that succeeds, on ranks or (None) by itself."""
    where = () if ranks is None else (ranks,)
    done = (python if ranks is None else mpirun)(*where, script, *arguments, timeout=timeout)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def _run(before, script, arguments, timeout, cwd):
    command = [*before, sys.executable, str(script), *arguments]
    environment = dict(os.environ, OMP_WAIT_POLICY="passive")
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        env=environment,
        cwd=cwd,
    )


def system_mpiexec() -> str | None:
    """Return a launcher that belongs to the system, not to the environment."""
    return shutil.which("mpiexec", path="/usr/local/bin:/usr/bin:/bin")
