"""Halocline built with an MPI of Debian: its tests on nodes, which its own launcher starts."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from linux_nodes import why_not

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
# By the ending of its programs: the package that has its compiler, and how its version begins.
SYSTEM = {"mpich": ("libmpich-dev", "MPICH Version: "), "openmpi": ("libopenmpi-dev", "Open MPI v")}
TESTS = {
    "test_cluster.py": (
        "test_ranks_are_on_nodes_with_names_of_their_own",
        "test_two_nodes_have_the_bits_of_one_process",
        "test_images_in_fortran_have_the_bits_of_one_node_on_two",
    ),
    "test_lost_nodes.py": (
        "test_a_run_goes_on_without_a_node_that_has_died",
        "test_a_run_goes_on_from_memory_without_a_shared_directory",
    ),
}

pytestmark = pytest.mark.slow


def run(*words: str | Path, **variables: str) -> str:
    """Run a command that must succeed, and return what it prints."""
    done = subprocess.run(
        words,
        cwd=ROOT,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module", params=SYSTEM)
def mpi(request):
    """Return the ending of the programs of an MPI."""
    name = request.param
    package = SYSTEM[name][0]
    if (reason := why_not()) is not None:
        pytest.skip(reason)
    if shutil.which(f"mpicxx.{name}") is None or shutil.which(f"mpiexec.{name}") is None:
        pytest.skip(f"the system has no 'mpicxx.{name}': apt-get install {package} {name}")
    return name


@pytest.fixture(scope="module")
def python(mpi, tmp_path_factory):
    """Return a Python with Halocline and mpi4py built with this MPI, and all else from here."""
    folder = tmp_path_factory.mktemp(mpi)
    run(sys.executable, "-m", "venv", "--without-pip", folder / "env")
    place = folder / f"env/lib/python3.{sys.version_info.minor}/site-packages"
    # Behind its own packages, so these come first.
    (place / "others.pth").write_text(f"{sysconfig.get_path('purelib')}\n", encoding="utf-8")
    pip = (sys.executable, "-m", "pip", f"--python={folder / 'env/bin/python'}")
    programs = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    wheel = ("wheel", "--no-deps", "--no-build-isolation", f"--wheel-dir={folder}", ".")
    build = f"--config-settings=build-dir={folder / 'build'}"
    run(sys.executable, "-m", "pip", *wheel, build, PATH=programs, MPICXX=f"mpicxx.{mpi}")
    install = (*pip, "install", "--no-deps", f"--target={place}")
    run(*install, next(folder.glob("halocline-*.whl")))
    # A wheel in pip's cache may be of another MPI.
    from_source = ("--no-binary=mpi4py", "--no-cache-dir", "mpi4py")
    run(*install, *from_source, MPICC=f"mpicc.{mpi}", CFLAGS="-O0")
    return folder / "env/bin/python"


@pytest.fixture(scope="module")
def variables(mpi):
    """Return the environment variables that choose the launcher of this MPI."""
    as_root = ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")
    return {"HALOCLINE_MPIEXEC": f"mpiexec.{mpi}", **dict.fromkeys(as_root, "1")}


def test_library_and_launcher_are_reported(mpi, python, variables):
    found = run(python, "-m", "halocline.cli", "doctor", **variables)
    assert SYSTEM[mpi][1] in found
    assert f"mpiexec.{mpi}, tried on two ranks" in found


def test_programs_run_on_nodes_and_go_on_after_the_death_of_a_node(python, variables, tmp_path):
    tests = [f"{HERE / file}::{name}" for file, names in TESTS.items() for name in names]
    options = ("-p", "no:cacheprovider", f"--basetemp={tmp_path / 'tests'}")
    printed = run(python, "-m", "pytest", "-m", "not slow", *options, *tests, **variables)
    assert re.search(r"^5 passed(, \d+ deselected)? in", printed, re.MULTILINE), printed
