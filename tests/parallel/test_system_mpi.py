"""Launchers of the system's MPI, where there are any."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest
from launch import needs_mpi
from many_ranks import SCRIPT
from parallel.fill_coordinates import expected, seen

SYSTEM = "/usr/local/bin:/usr/bin:/bin"


@pytest.mark.parametrize("name", ["mpiexec.mpich", "mpiexec.openmpi"])
def test_two_ranks_of_a_system_launcher_exchange_correctly(name, tmp_path):
    needs_mpi()
    program = shutil.which(name, path=SYSTEM)
    if program is None:
        pytest.skip(f"the system has no '{name}'")
    from halocline.runtime import _mpi

    library = _mpi.library_version()
    wanted = "MPICH" if name.endswith("mpich") else "Open MPI"
    if wanted not in library:
        pytest.skip(f"Halocline is built with another MPI than {name}'s: make install MPICXX=…")
    output = tmp_path / "seen.json"
    extra = ["--allow-run-as-root", "--oversubscribe"] if wanted == "Open MPI" else []
    words = seen.__module__, seen.__name__, str(output), json.dumps(((2, 1, 1), "direct"))
    done = subprocess.run(
        [program, *extra, "-n", "2", sys.executable, str(SCRIPT), *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=dict(os.environ),
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(output.read_text(encoding="utf-8")) == expected().tolist()
