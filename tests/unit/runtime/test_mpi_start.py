"""What is looked at before MPI starts: launcher, shared memory, what killed jobs left, siblings."""

from __future__ import annotations

import os
import time
from types import SimpleNamespace

import pytest

from halocline.errors import MpiError
from halocline.runtime import mpi_start, siblings

LAUNCHERS = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "MPI_LOCALNRANKS", "MPI_LOCALRANKID")
BY_SRUN = {"SLURM_STEP_NUM_TASKS": "2", "PMI_RANK": "0"}


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    for name in LAUNCHERS:
        monkeypatch.delenv(name, raising=False)


def test_mpich_under_the_launcher_of_open_mpi_is_refused(monkeypatch):
    monkeypatch.setenv("OMPI_COMM_WORLD_RANK", "1")
    with pytest.raises(MpiError) as error:
        mpi_start._check_launcher(has_pmix=True)
    assert str(error.value) == (
        "This rank was started by the launcher of Open MPI, but Halocline was built with MPICH, "
        "which cannot start under it. Use the 'mpiexec' of that MPI; for the wheel's it is beside "
        "'python'."
    )
    monkeypatch.setenv("PMI_RANK", "0")  # MPICH's launcher within a job of Open MPI
    mpi_start._check_launcher(has_pmix=True)


def test_mpich_without_pmix_is_refused_where_pmix_starts_ranks(monkeypatch):
    monkeypatch.setenv("PMIX_RANK", "1")
    with pytest.raises(MpiError) as error:
        mpi_start._check_launcher(has_pmix=False)
    assert str(error.value) == (
        "This rank was started by means of PMIx, but Halocline was built with an MPICH that knows "
        "only PMI-1 and PMI-2. Use the 'mpiexec' of that MPI, for the wheel's it is beside "
        "'python'; or 'MPIR_CVAR_CH4_NETMOD=ofi srun --mpi=pmi2'."
    )
    mpi_start._check_launcher(has_pmix=True)
    monkeypatch.setenv("PMI_RANK", "1")  # MPICH's launcher within a job of PMIx
    mpi_start._check_launcher(has_pmix=False)


def reported(monkeypatch, capsys, variables):
    """Return what is printed while MPI takes long to start."""
    monkeypatch.delenv("MPIR_CVAR_CH4_NETMOD", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(mpi_start, "_LONGEST_START_S", 0.01)
    with mpi_start._reporting_a_hang():
        time.sleep(0.1)
    return capsys.readouterr().err


def test_mpich_that_hangs_under_srun_is_reported(monkeypatch, capsys):
    assert reported(monkeypatch, capsys, BY_SRUN) == (
        "warning: MPI has not started within 0.01 s. Slurm refuses some PMI requests that hold "
        "addresses of UCX; those of libfabric are shorter. Cancel the job and start it by "
        "'MPIR_CVAR_CH4_NETMOD=ofi srun --mpi=pmi2'.\n"
    )


@pytest.mark.parametrize(
    "variables",
    [
        BY_SRUN | {"MPIR_CVAR_CH4_NETMOD": "ofi"},
        BY_SRUN | {"PMI_RANK": "1"},
        BY_SRUN | {"MPI_LOCALRANKID": "0"},
        {"PMI_RANK": "0"},
    ],
    ids=["with libfabric", "another rank", "mpiexec of MPICH in a job", "mpiexec of MPICH"],
)
def test_other_starts_of_mpich_are_not_reported(monkeypatch, capsys, variables):
    assert reported(monkeypatch, capsys, variables) == ""


def test_shared_memory_that_is_too_small_for_mpich_is_refused(monkeypatch):
    monkeypatch.setenv("MPI_LOCALNRANKS", "8")
    room = SimpleNamespace(f_bavail=256, f_frsize=4096)
    monkeypatch.setattr(mpi_start.os, "statvfs", lambda _: room)
    with pytest.raises(MpiError) as error:
        mpi_start._check_shared_memory()
    assert str(error.value) == (
        "'/dev/shm' has 1.0 MB left; expected at least 10.0 MB, in which the 8 ranks of this node "
        "exchange messages. Delete what lies there, or let it be larger: 'docker run "
        "--shm-size=1g', or 'mount -o remount,size=1g /dev/shm'."
    )
    room.f_bavail = 3000
    mpi_start._check_shared_memory()


def test_memory_that_killed_jobs_have_left_is_removed(tmp_path):
    shared, process = tmp_path / "shm", tmp_path / "proc" / "17"
    shared.mkdir()
    process.mkdir(parents=True)
    for name in ("mpich_shm_left_0", "mpich_shar_tmpleft", "mpich_shm_used_0", "another"):
        (shared / name).write_bytes(b"")
        os.utime(shared / name, (time.time() - 3600,) * 2)
    (shared / "mpich_shm_starting_0").write_bytes(b"")
    used = shared / "mpich_shm_used_0"
    (process / "maps").write_text(f"7f29-7f2a rw-s 00000000 00:1b 41 {used}\n")
    mpi_start.forget_left_behind(shared, tmp_path / "proc")
    kept = {"mpich_shm_used_0", "another", "mpich_shm_starting_0"}
    assert {path.name for path in shared.iterdir()} == kept


@pytest.fixture
def node(tmp_path, monkeypatch):
    """Return a function that lists processes: number, name, state and parent."""
    monkeypatch.setattr(siblings, "_PROC", tmp_path)
    monkeypatch.setattr(siblings.os, "getpid", lambda: 30)

    def show(*processes):
        for old in tmp_path.iterdir():
            (old / "stat").unlink()
            old.rmdir()
        for number, name, state, parent in processes:
            (tmp_path / str(number)).mkdir()
            (tmp_path / str(number) / "stat").write_text(f"{number} ({name}) {state} {parent} 1 1")

    return show


PROXY = (10, "hydra_pmi_proxy", "S", 5)


def test_ranks_that_have_ended_are_counted_through_shells_and_zombies(node, monkeypatch):
    monkeypatch.setenv("MPI_LOCALNRANKS", "3")
    others = (21, "py) (x", "S", 10), (22, "python", "R", 10)
    own = (20, "bash", "S", 10), (30, "python", "R", 20)
    node(PROXY, *own, *others)
    group = siblings.siblings()
    assert group == siblings.Siblings(10, 3)
    assert group.ended() == 0
    node(PROXY, *own, others[0], (22, "python", "Z", 10))
    assert group.ended() == 1
    node(PROXY, *own)
    assert group.ended() == 2


def test_without_a_launcher_of_mpich_there_are_no_siblings(node, monkeypatch):
    node((30, "python", "R", 20), (20, "bash", "S", 1))
    assert siblings.siblings() is None
    monkeypatch.setenv("MPI_LOCALNRANKS", "3")
    assert siblings.siblings() is None
