"""Processes that a batch system has started without MPI are refused, not run one by one."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import halocline as hc
from halocline.errors import MpiError

VARIABLES = ("SLURM_STEP_NUM_TASKS", "FLUX_JOB_SIZE", "JSM_NAMESPACE_SIZE")


PROGRAM = """
import halocline as hc

hc.Simulation(hc.Grid(8, periodic=True), [])
"""


@hc.kernel
def decay(T):
    T[0] = 0.5 * T


def simulation():
    grid = hc.Grid(8, periodic=True)
    return hc.Simulation(grid, [decay(grid.field("T"))])


@pytest.mark.parametrize("variable", VARIABLES)
def test_several_processes_that_mpi_does_not_know_of_are_refused(variable, monkeypatch):
    monkeypatch.setenv(variable, "2")
    with pytest.raises(MpiError) as error:
        simulation()
    assert str(error.value) == (
        f"2 processes were started together ({variable}=2), but MPI was not told: each would be a "
        "simulation of its own. Start ranks by the 'mpiexec' of the MPI that Halocline was built "
        "with, or by 'MPIR_CVAR_CH4_NETMOD=ofi srun --mpi=pmi2' (MPICH) or 'srun --mpi=pmix' (Open "
        f"MPI). If each process is to run alone, unset {variable}."
    )


COMMAND = ("-m", "halocline.cli", "run", "heat")


@pytest.mark.parametrize("words", [("-c", PROGRAM), COMMAND], ids=["program", "command"])
def test_the_first_process_alone_reports_that(words, tmp_path):
    ended = [
        subprocess.run(
            [sys.executable, *words],
            env={**os.environ, "SLURM_STEP_NUM_TASKS": "2", "SLURM_PROCID": str(process)},
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
        )
        for process in range(2)
    ]
    assert all(done.returncode for done in ended)
    assert "2 processes were started together" in ended[0].stderr
    assert ended[0].stderr.count("error:") == 1
    assert "Traceback" not in ended[0].stderr
    assert ended[1].stderr == ""


@pytest.mark.parametrize(
    "variables",
    [
        {"SLURM_NTASKS": "4", "SLURM_JOB_ID": "7"},  # a shell of 'salloc'
        {"SLURM_NTASKS": "4", "SLURM_PROCID": "0", "SLURM_TASKS_PER_NODE": "2(x2)"},  # 'sbatch'
        {"SLURM_STEP_NUM_TASKS": "4", "SLURM_PROCID": "0", "SLURM_PTY_PORT": "40000"},
    ],
    ids=["salloc", "sbatch", "srun --pty"],
)
def test_a_single_process_in_an_allocation_of_several_runs(variables, monkeypatch):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert simulation().size == 1


@pytest.mark.parametrize("value", ["1", "", "two"])
def test_one_process_of_a_batch_system_runs(value, monkeypatch):
    monkeypatch.setenv("SLURM_STEP_NUM_TASKS", value)
    assert simulation().size == 1


def test_virtual_ranks_of_one_such_process_run(monkeypatch):
    monkeypatch.setenv("SLURM_STEP_NUM_TASKS", "2")
    sizes = []
    hc.on_virtual_ranks(2, lambda: sizes.append(simulation().size))
    assert sizes == [2, 2]


@pytest.mark.parametrize("variable", ["PMI_RANK", "PMI_SIZE", "OMPI_COMM_WORLD_RANK"])
@pytest.mark.parametrize("value", ["", "none"])
def test_a_variable_of_launchers_without_a_number_says_nothing(variable, value, monkeypatch):
    monkeypatch.setenv(variable, value)
    assert simulation().size == 1
