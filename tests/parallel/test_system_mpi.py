"""Launchers of the system's MPI, where there are any."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from launch import needs_mpi
from parallel.fill_coordinates import expected

SCRIPT = Path(__file__).with_name("fill_coordinates.py")
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
    output = tmp_path / "seen.npy"
    extra = ["--allow-run-as-root", "--oversubscribe"] if wanted == "Open MPI" else []
    command = [program, *extra, "-n", "2", sys.executable, str(SCRIPT), str(output)]
    done = subprocess.run(
        [*command, "2x1x1", "direct"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=dict(os.environ),
    )
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(np.load(output), expected())
