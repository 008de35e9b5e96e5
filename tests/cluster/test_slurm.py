"""Jobs of Slurm on two nodes: one job of several ranks, or one message."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import linux_nodes
import pytest
import slurm
from fortran import caf_commands
from launch import launcher, needs_mpi, python

from halocline.runtime.mpi_start import load_mpi

PROGRAM = str(Path(__file__).with_name("heat.py"))
START = (sys.executable, PROGRAM)
PAGE = Path(__file__).parents[2] / "docs/tutorial/cluster.md"
BATCH = """#!/bin/bash
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=2

{python} {program}
{start} {python} {program}
"""
# Slurm 22.05 refuses some long PMI requests: they hold addresses, UCX's long, libfabric's short.
WITH_SHORT_ADDRESSES = {"pmi2": ("env", "MPIR_CVAR_CH4_NETMOD=ofi"), "pmix": ()}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def on_slurm(tmp_path_factory):
    needs_mpi()
    reason = linux_nodes.why_not() or slurm.why_not()
    if reason is not None:
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("slurm")
    with (
        linux_nodes.Cluster(2, rate="1gbit") as cluster,
        slurm.Slurm(cluster, cores=2, folder=folder) as running,
    ):
        yield running


@pytest.fixture(scope="module")
def alone():
    """Return the checksum of one process."""
    ranks, hosts, checksum = python(PROGRAM).stdout.split()
    assert (ranks, hosts) == ("1", "1")
    return checksum


@pytest.fixture(scope="module")
def pmi():
    """Return the name that Slurm gives to what the MPI in use finds the other ranks by."""
    return "pmi2" if is_of_mpich() else "pmix"


def is_of_mpich():
    return load_mpi().library_version().startswith("MPICH")


def test_srun_starts_one_job(on_slurm, alone, pmi):
    before = WITH_SHORT_ADDRESSES[pmi]
    done = on_slurm.run(*before, "srun", "-n", "4", f"--mpi={pmi}", *START)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["4", "2", alone]


def test_srun_starts_images_in_fortran(on_slurm, pmi, tmp_path):
    if shutil.which("gfortran") is None:
        pytest.skip("gfortran is not installed")
    program = caf_commands.build([Path(__file__).with_name("heat.f90")], tmp_path)
    done = on_slurm.run(*WITH_SHORT_ADDRESSES[pmi], "srun", "-n", "4", f"--mpi={pmi}", str(program))
    assert done.returncode == 0, done.stderr
    assert done.stdout == caf_commands.run(program, 4).stdout != ""


def test_a_script_of_sbatch_starts_one_process_and_one_job(on_slurm, alone, pmi, tmp_path):
    script, output = tmp_path / "heat.sh", tmp_path / "output"
    start = f"{launcher()} -n $SLURM_NTASKS" if is_of_mpich() else f"srun --mpi={pmi}"
    text = BATCH.format(python=sys.executable, program=PROGRAM, start=start)
    script.write_text(text, encoding="utf-8")
    done = on_slurm.run("sbatch", "--wait", f"--output={output}", str(script))
    assert done.returncode == 0, output.read_text(encoding="utf-8")
    lines = output.read_text(encoding="utf-8").splitlines()
    assert lines == [f"1 1 {alone}", f"4 2 {alone}"]


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Return a home with the environment and the program that the scripts of the page name."""
    programs = Path(sys.executable).parent
    activate = tmp_path / "env/bin/activate"
    activate.parent.mkdir(parents=True)
    activate.write_text(f"export PATH={programs}:$PATH\n", encoding="utf-8")
    shutil.copy(PROGRAM, tmp_path / "channel.py")
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def script_of_page(first_line):
    """Return the script of the page on clusters that has a line."""
    text = PAGE.read_text(encoding="utf-8")
    (script,) = (s for s in re.findall(r"```bash\n(.*?)```", text, re.DOTALL) if first_line in s)
    return script


def test_the_script_of_the_page_for_slurm_starts_one_job(on_slurm, home, alone):
    text = script_of_page("#SBATCH --job-name=channel")
    if is_of_mpich():
        # The page has the command for MPICH as a comment.
        text = re.sub(r"^srun .*# with MPICH: ", "", text, flags=re.MULTILINE)
    script, output = home / "channel.sh", home / "output"
    script.write_text(text, encoding="utf-8")
    fewer = ("--ntasks-per-node=2", "--cpus-per-task=1")
    words = ("--wait", f"--chdir={home}", f"--output={output}", *fewer)
    done = on_slurm.run("sbatch", *words, str(script))
    assert done.returncode == 0, output.read_text(encoding="utf-8")
    assert output.read_text(encoding="utf-8").split() == ["4", "2", alone]


def test_the_script_of_the_page_for_pbs_starts_one_job(home, alone):
    # Debian has no PBS: what it gives a job is the directory.
    text = script_of_page("#PBS -N channel")
    assert "\nmpiexec -n 16 " in text
    text = text.replace("mpiexec -n 16 ", f"{launcher()} -n 4 ")
    done = subprocess.run(
        ["bash", "-c", text],
        env=os.environ | {"PBS_O_WORKDIR": str(home)},
        cwd="/",
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["4", "1", alone]


def test_a_process_of_salloc_without_srun_runs_alone(on_slurm, alone):
    done = on_slurm.run("salloc", "-n", "4", *START)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["1", "1", alone]


def test_processes_without_mpi_end_with_one_message(on_slurm):
    done = on_slurm.run("srun", "-n", "4", "--mpi=none", *START)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("4 processes were started together (SLURM_STEP_NUM_TASKS=4)") == 1
    assert "Traceback" not in done.stderr


def test_mpich_without_pmix_ends_with_one_message(on_slurm):
    if not is_of_mpich():
        pytest.skip("Open MPI uses PMIx")
    done = on_slurm.run("srun", "-n", "4", "--mpi=pmix", *START)
    assert done.returncode == 1
    assert done.stderr.count("built with an MPICH that knows only PMI-1 and PMI-2") == 1
    assert "Traceback" not in done.stderr
