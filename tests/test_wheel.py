"""A wheel, installed where nothing of this repository is: with and without a compiler and MPI."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
WHEELS = sorted((ROOT / "build/wheels").glob("halocline-*.whl"))
TAG = f"cp{sys.version_info.major}{sys.version_info.minor}-"
# Those of this Python, or of the stable interface from 3.12 on.
FITTING = [w for w in WHEELS if TAG in w.name or ("abi3" in w.name and sys.version_info >= (3, 12))]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not FITTING, reason="'make wheel' has made none for this Python"),
]


def run(*command: str | Path, folder: Path, **variables: str) -> subprocess.CompletedProcess:
    kept = {"HOME": str(folder), "HALOCLINE_CACHE": str(folder / "cache"), **variables}
    environment = {**os.environ, **kept}
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Return the folder of the programs of an environment that has the wheel and its needs."""
    folder = tmp_path_factory.mktemp("outside")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    programs = folder / "venv/bin"
    subprocess.run([programs / "pip", "install", "--quiet", FITTING[-1]], check=True)
    assert run(programs / "halocline", "new", "heat", folder=folder).returncode == 0
    return programs


def test_the_wheel_brings_openmp_and_no_mpi():
    names = zipfile.ZipFile(FITTING[-1]).namelist()
    brought = [Path(name).name for name in names if name.startswith("halocline.libs/lib")]
    assert [name.partition("-")[0] for name in brought] == ["libgomp"]
    assert "halocline/py.typed" in names


def test_a_program_runs_with_one_openmp(installed):
    folder = installed.parents[1]
    shown = "\nprint({l.split()[-1] for l in open('/proc/self/maps') if 'libgomp' in l})"
    (folder / "maps.py").write_text((folder / "heat.py").read_text() + shown, encoding="utf-8")
    done = run(installed / "python", "maps.py", folder=folder)
    assert done.stdout.startswith("warmest 0.7648 degC"), done.stderr
    assert done.stdout.splitlines()[-1].count("libgomp") == 1


def test_without_a_compiler_one_message_names_the_package_and_numpy_works(installed):
    folder = installed.parents[1]
    none = {"PATH": "/nonexistent", "HALOCLINE_CACHE": str(folder / "empty")}
    done = run(installed / "python", "heat.py", folder=folder, **none)
    assert done.returncode == 1
    assert "No C++ compiler was found" in done.stderr.splitlines()[-1]
    assert "Install the package 'g++'" in done.stderr.splitlines()[-1]
    text = (folder / "heat.py").read_text(encoding="utf-8")
    slow = text.replace("hc.swap(T, T_new)])", 'hc.swap(T, T_new)], target="numpy")')
    (folder / "slow.py").write_text(slow, encoding="utf-8")
    done = run(installed / "python", "slow.py", folder=folder, **none)
    assert done.stdout.startswith("warmest 0.7648 degC"), done.stderr


def test_the_mpi_that_is_installed_beside_it_is_used(installed):
    folder = installed.parents[1]
    subprocess.run([installed / "pip", "install", "--quiet", "mpi4py", "mpich"], check=True)
    done = run(installed / "mpiexec", "-n", "2", installed / "python", "heat.py", folder=folder)
    assert done.stdout.startswith("warmest 0.7648 degC"), done.stderr
    assert "on 2 rank(s)" in done.stdout
