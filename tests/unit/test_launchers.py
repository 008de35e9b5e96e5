"""Processes that a batch system has started without MPI are refused, not run one by one."""

from __future__ import annotations

import pytest

import halocline as hc
from halocline.errors import MpiError

VARIABLES = ("SLURM_STEP_NUM_TASKS", "FLUX_JOB_SIZE", "JSM_NAMESPACE_SIZE")


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
        "simulation of its own. Start ranks by 'srun --mpi=pmi2' ('srun --mpi=list' names "
        "others), or by the 'mpiexec' of the MPI that Halocline was built with. If each process "
        f"is to run alone, unset {variable}."
    )


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
