"""'halocline doctor': each part of an installation is made wrong, and has its remedy."""

from __future__ import annotations

import sys

import pytest
from launch import launcher, needs_mpi
from typer.testing import CliRunner

from halocline.cli import doctor
from halocline.cli.doctor import Finding, State
from halocline.cli.main import build
from halocline.io.checkpoint_memory import LeftCopies
from halocline.jit import nvrtc
from halocline.runtime import _core

INSTALL_COMPILER = "Install the package 'g++'"


def script(path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def invoked():
    return CliRunner().invoke(build(["doctor"]), ["doctor"])


def test_an_installation_that_is_well_has_nothing_wrong(monkeypatch):
    needs_mpi()
    monkeypatch.setenv("HALOCLINE_MPIEXEC", launcher())
    done = invoked()
    assert done.exit_code == 0, done.output
    for part in ("halocline", "machine", "extra plot", "compiler", "cache", "MPI", "device"):
        assert part in done.output
    assert "tried on two ranks" in " ".join(done.output.replace("│", " ").split())


def test_what_is_wrong_ends_with_exit_code_1_and_a_remedy(monkeypatch):
    wrong = Finding("compiler", State.wrong, "No compiler.", "Install one.")
    monkeypatch.setattr(doctor, "findings", lambda: [wrong])
    done = invoked()
    assert done.exit_code == 1
    assert "→ Install one." in done.output


def test_what_is_absent_is_not_wrong(monkeypatch):
    monkeypatch.setattr(doctor, "findings", lambda: [Finding("device", State.absent, "none")])
    assert invoked().exit_code == 0


def test_a_checkpoint_in_memory_that_a_dead_run_has_left(monkeypatch, tmp_path):
    left = LeftCopies(
        tmp_path / "halocline-checkpoint-0-17", "/runs/out/checkpoint.npz", 54_000_000
    )
    monkeypatch.setattr(doctor, "left_copies", lambda: [left])
    (finding,) = doctor._copies()
    assert finding.state is State.left
    assert finding.found == f"{left.folder}: 54.0 MB, of '/runs/out/checkpoint.npz'"
    assert finding.remedy.startswith("Go on with 'halocline run --restart'")


def test_an_extra_that_is_not_installed_or_too_old(monkeypatch):
    declared = [
        'matplotlib>=3.8; extra == "plot"',
        'numpy>=99.0; extra == "geometry"',
        'no-such-package; extra == "probe"',
        'halocline[plot]; extra == "all"',
    ]
    monkeypatch.setattr("importlib.metadata.requires", lambda name: declared)
    rows = {row.part: row for row in doctor._extras()}
    assert rows["extra plot"] == Finding("extra plot", State.ok, "Pictures and movies")
    assert rows["extra geometry"] == Finding(
        "extra geometry",
        State.absent,
        "Geometries from files and surfaces: not without numpy",
        'pip install "halocline[geometry]"',
    )
    assert rows["extra probe"].found == "Measurements of a machine: not without no-such-package"


@pytest.fixture
def no_compiler_named(monkeypatch):
    for name in ("HALOCLINE_CXX", "CXX"):
        monkeypatch.delenv(name, raising=False)


def test_no_compiler_on_the_path(monkeypatch, tmp_path, no_compiler_named):
    monkeypatch.setenv("PATH", str(tmp_path))
    found = doctor._compiler()
    assert found.state is State.wrong
    assert found.found.startswith("No C++ compiler was found")
    assert found.remedy.startswith(INSTALL_COMPILER)


def test_a_compiler_that_compiles_nothing(monkeypatch, tmp_path, no_compiler_named):
    says = "test \"$1\" = --version && echo fake 1.0 && exit 0\necho 'error: no omp.h' >&2; exit 1"
    monkeypatch.setenv("HALOCLINE_CXX", script(tmp_path / "c++", says))
    found = doctor._compiler()
    assert found.state is State.wrong
    assert "error: no omp.h" in found.found
    assert found.remedy == "Check that 'HALOCLINE_CXX' names a working C++17 compiler."


def test_a_cache_that_cannot_be_written(monkeypatch, tmp_path):
    place = tmp_path / "cache"
    # A file where the folder should be: that stops even root.
    place.write_text("", encoding="utf-8")
    monkeypatch.setenv("HALOCLINE_CACHE", str(place))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    found = doctor._cache()
    assert found.state is State.wrong
    assert found.found.startswith(f"The cache '{place}' cannot be written (")
    assert found.remedy == (
        "Make room, or let it be written, or set 'HALOCLINE_CACHE' to a folder of yours."
    )


def test_a_cache_that_others_can_change(monkeypatch, tmp_path):
    place = tmp_path / "cache"
    place.mkdir()
    place.chmod(0o777)
    monkeypatch.setenv("HALOCLINE_CACHE", str(place))
    found = doctor._cache()
    assert found.state is State.wrong
    assert "can be written by others (mode 0777)" in found.found
    assert found.remedy.startswith("Let nobody else write there (chmod go-w)")


def test_no_mpi(monkeypatch):
    monkeypatch.setitem(sys.modules, "halocline.runtime._mpi", None)
    monkeypatch.delattr("halocline.runtime._mpi", raising=False)
    found = doctor._mpi()
    assert found.state is State.absent
    assert found.found.startswith("one process only (")
    assert found.remedy == 'pip install "halocline[mpi]"'


def test_no_launcher(monkeypatch, tmp_path):
    monkeypatch.delenv("HALOCLINE_MPIEXEC", raising=False)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    found = doctor._launcher()
    assert found.state is State.wrong
    assert f"there is no 'mpiexec' in '{tmp_path}'" in found.found
    assert 'pip install "halocline[mpi]"' in found.remedy


NAME_IT = "Name the launcher of the MPI above in the environment variable 'HALOCLINE_MPIEXEC'."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("echo 'no host file' >&2; exit 7", "-n 2 failed (exit code 7). no host file"),
        ("echo 1; echo 1", "-n 2 failed (exit code 0)."),
        (None, "does not start ranks: [Errno 2] No such file or directory"),
    ],
)
def test_a_launcher_that_does_not_start_ranks(text, expected, monkeypatch, tmp_path):
    place = tmp_path / "mpiexec"
    monkeypatch.setenv("HALOCLINE_MPIEXEC", script(place, text or ""))
    if text is None:
        place.write_text("#!/no/such/shell\n")
    found = doctor._launcher()
    assert found.state is State.wrong
    assert found.found.startswith(f"{place} {expected}")
    assert found.remedy == NAME_IT


def test_a_launcher_of_another_mpi(monkeypatch, tmp_path):
    needs_mpi()
    # As that of Open MPI, which MPICH does not know: a process with its variables.
    says = 'shift 2; OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 exec "$@"'
    monkeypatch.setenv("HALOCLINE_MPIEXEC", script(tmp_path / "mpiexec", says))
    found = doctor._launcher()
    assert found.state is State.wrong
    assert found.found.startswith("This rank was started by the launcher of Open MPI")
    assert found.remedy == "Use the 'mpiexec' of that MPI; for the wheel's it is beside 'python'."


def slurm_found(monkeypatch, tmp_path, mpi: str, **variables: str) -> list[Finding]:
    script(tmp_path / "srun", "")
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("PMI_RANK", "SLURM_STEP_NUM_TASKS", "MPIR_CVAR_CH4_NETMOD"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return list(doctor._slurm(mpi))


BY_SRUN = {"PMI_RANK": "0", "SLURM_STEP_NUM_TASKS": "2"}
OF_MPICH = (
    "tart ranks by 'mpiexec' in the job's script, or by 'MPIR_CVAR_CH4_NETMOD=ofi srun --mpi=pmi2'"
)


@pytest.mark.parametrize("variables", [{}, BY_SRUN | {"MPIR_CVAR_CH4_NETMOD": "ofi"}], ids=str)
def test_slurm_has_the_command_that_starts_ranks(monkeypatch, tmp_path, variables):
    (found,) = slurm_found(monkeypatch, tmp_path, "MPICH Version: 5.0.2", **variables)
    assert found == Finding("Slurm", State.ok, f"s{OF_MPICH}")
    (found,) = slurm_found(monkeypatch, tmp_path, "Open MPI v4.1.4", **variables)
    assert found == Finding("Slurm", State.ok, "start ranks by 'srun --mpi=pmix'")


def test_mpich_under_srun_over_ucx_is_wrong(monkeypatch, tmp_path):
    (found,) = slurm_found(monkeypatch, tmp_path, "MPICH Version: 5.0.2", **BY_SRUN)
    assert found.state is State.wrong
    assert found.found.startswith("MPIR_CVAR_CH4_NETMOD is not 'ofi': MPICH over UCX may hang")
    assert found.remedy == f"S{OF_MPICH}."


def test_without_slurm_doctor_has_no_row_of_it(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert list(doctor._slurm("MPICH Version: 5.0.2")) == []


def test_no_device(monkeypatch):
    def none() -> int:
        raise _core.DeviceError("the NVIDIA driver was not found")

    monkeypatch.setattr(_core, "cuda_device_count", none)
    expected = "no CUDA device (the NVIDIA driver was not found)"
    assert doctor._device() == Finding("device", State.absent, expected)


def with_cuda(monkeypatch, opened):
    monkeypatch.setattr(_core, "cuda_device_count", lambda: 1)
    monkeypatch.setattr(_core, "cuda_device", opened)


def test_a_device_that_cannot_be_opened(monkeypatch):
    def lost(ordinal: int) -> None:
        raise _core.DeviceError("device 0 is lost")

    with_cuda(monkeypatch, lost)
    found = doctor._device()
    assert found.state is State.wrong
    assert found.found == "A CUDA device cannot be used: device 0 is lost."
    assert "nvidia-smi" in found.remedy


def test_a_device_without_a_compiler(monkeypatch):
    class Device:
        architecture = "sm_90"
        name = "H200"

    with_cuda(monkeypatch, lambda ordinal: Device())
    monkeypatch.setattr(nvrtc, "_NAMES", ())
    monkeypatch.setattr(nvrtc, "_in_wheel", list)
    # What was found before is kept, but not by this.
    monkeypatch.setattr(nvrtc, "find_nvrtc", nvrtc.find_nvrtc.__wrapped__)
    found = doctor._device()
    assert found.state is State.wrong
    assert found.found == "NVRTC, the compiler for NVIDIA's devices, was not found."
    assert found.remedy.startswith("Install the package 'nvidia-cuda-nvrtc-cu12'")
