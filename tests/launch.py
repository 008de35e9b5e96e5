"""Start scripts under an MPI launcher."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from warm import QUIETLY, warm_python

# For scripts whose pictures another run of theirs draws.
UNDRAWN = {"MPLBACKEND": "module://undrawn"}


def launcher() -> str:
    """Return mpiexec of the environment that runs the tests, or HALOCLINE_MPIEXEC, or skip."""
    beside = Path(sys.executable).with_name("mpiexec")
    if beside.exists():
        return str(beside)
    if named := os.environ.get("HALOCLINE_MPIEXEC"):
        return named
    pytest.skip(
        "no mpiexec beside the Python that runs the tests: pip install mpich, or name another "
        "in HALOCLINE_MPIEXEC"
    )


def needs_mpi() -> None:
    """Skip where the package was built without MPI."""
    runtime = Path(__import__("halocline").__file__).parent / "runtime"
    if not list(runtime.glob("_mpi*.so")):
        pytest.skip("Halocline was built without MPI")


def mpirun(ranks: int, script: Path | str, *arguments: str, **options):
    """Run a script on ranks and return the finished process; arguments are those of 'python'."""
    needs_mpi()
    return _run([launcher(), "-n", str(ranks)], script, *arguments, **options)


def python(script: Path | str, *arguments: str, **options):
    """Run a script by itself and return the finished process, its output as text.

    Args:
        script: Its path, or '-m' before the name of a module.
        arguments: Of the script.
        options: 'timeout' in seconds; 'cwd', its folder; 'env', variables besides those set now;
            'warm=False' if it changes what Halocline or a library reads while it is imported.
    """
    return _run([], script, *arguments, **options)


def printed(ranks: int | None, script: Path, *arguments: str, timeout: float = 300.0) -> str:
    """Return what a script prints that succeeds, on ranks or (None) by itself."""
    where = () if ranks is None else (ranks,)
    done = (python if ranks is None else mpirun)(*where, script, *arguments, timeout=timeout)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def _run(before, script, *arguments, timeout=300.0, cwd=None, env=None, warm=True):
    words = warm_python() if warm else [sys.executable]
    return subprocess.run(
        [*before, *words, str(script), *arguments],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        env={**os.environ, **QUIETLY, **(env or {})},
        cwd=cwd,
    )


def system_mpiexec() -> str | None:
    """Return a launcher that belongs to the system, not to the environment."""
    return shutil.which("mpiexec", path="/usr/local/bin:/usr/bin:/bin")
