"""With NVIDIA's driver, here a fake one, a simulation does what it does on the processor."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from launch import mpirun

import halocline

FOLDER = Path(__file__).parent
SCRIPT = FOLDER / "on_a_device.py"
NAME = "libcuda.so.1"
ADVICE = " Look at what 'nvidia-smi' says, or use device='cpu'."
NO_NVRTC = "NVRTC, the compiler for NVIDIA's devices, was not found"


def compiled(folder: Path, *arguments: str, text: str = "") -> Path:
    """Return a folder with a shared library of the driver's name."""
    compiler = shutil.which("g++") or pytest.skip("g++ was not found")
    command = [compiler, "-std=c++20", "-shared", "-fPIC", "-o", str(folder / NAME), *arguments]
    subprocess.run(command, input=text, text=True, check=True)
    return folder


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    runtime = (Path(halocline.__file__).parent / "runtime/libhalocline.so").resolve().parent
    library = [f"-L{runtime}", "-lhalocline", f"-Wl,-rpath,{runtime}"]
    sources = [f"-I{FOLDER.parents[1] / 'cpp'}", str(FOLDER / "driver.cpp")]
    return compiled(tmp_path_factory.mktemp("driver"), *sources, *library)


def run(folder: Path, device: str, way: str = "heat", **more: object) -> dict:
    """Return what the script prints when it finds the driver in a folder."""
    environment = {**os.environ, "LD_LIBRARY_PATH": str(folder), "OMP_WAIT_POLICY": "passive"}
    environment |= {name: str(value) for name, value in more.items()}
    command = [sys.executable, str(SCRIPT), device, way]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def on_ranks(ranks: int, device: str, way: str) -> dict:
    """Return what the script prints on rank 0."""
    done = mpirun(ranks, SCRIPT, device, way, warm=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def expected(driver):
    return run(driver, "cpu", "bits")


def test_the_processor_needs_no_driver(expected):
    assert not expected["is_loaded"]
    assert expected["where"] == ""


@pytest.mark.parametrize("seed", [0, 1])
def test_fields_sums_and_functions_have_the_same_bits_and_all_is_given_back(driver, expected, seed):
    found = run(driver, "auto", "bits", FAKE_CUDA_SEED=seed)
    assert found["results"] == expected["results"]
    assert found["where"] == "kernels on Fake device (cuda:0)"
    lines = found["report"].splitlines()
    assert "kernels on Fake device (cuda:0)" in lines
    assert "times of operations are those of launching them; the device works on meanwhile" in lines
    assert not any(line.startswith("run ") and line[-1].isdigit() for line in lines)
    assert found["live"] == 0


def test_ranks_take_the_devices_of_a_node_in_turn(driver, expected, monkeypatch):
    monkeypatch.setenv("LD_LIBRARY_PATH", str(driver))
    monkeypatch.setenv("FAKE_CUDA_DEVICES", "2")
    found = on_ranks(3, "cuda", "bits")
    assert found["results"] == expected["results"]
    assert found["where"].startswith(
        "kernels on Fake device (cuda:0), Fake device (cuda:1); messages: peer inside a node, "
        "via-host between nodes (not from-device: MPI "
    )


def test_messages_go_by_way_of_the_host_where_nothing_else_works(driver, expected, monkeypatch):
    monkeypatch.setenv("LD_LIBRARY_PATH", str(driver))
    monkeypatch.setenv("FAKE_CUDA_PEERS", "0")
    found = on_ranks(3, "cuda", "bits")
    assert found["results"] == expected["results"]
    assert "messages: via-host inside a node" in found["where"]
    why = r"not peer: Fake device \(cuda:0\): sharing memory with other processes failed with "
    assert re.search(why + "CUDA_ERROR_NOT_SUPPORTED: operation not supported", found["where"])
    refused = mpirun(3, SCRIPT, "cuda", "peer", warm=False)
    assert "transport='peer', which does not work here: Fake device" in refused.stdout


def test_boxes_can_be_copied_instead_of_packed(driver, monkeypatch):
    monkeypatch.setenv("LD_LIBRARY_PATH", str(driver))
    found = on_ranks(2, "cuda", "boxes")
    assert found["results"] == on_ranks(2, "cpu", "boxes")["results"]


def test_a_kernel_is_compiled_alone_and_once_whatever_is_planned_anew(driver, tmp_path):
    found = run(driver, "cuda", "again", HALOCLINE_CACHE=tmp_path)
    services, *kernels = sorted(found["first"], key=len, reverse=True)
    assert len(services) > 1
    assert kernels
    assert all(len(entries) == 1 for entries in kernels)
    assert found["then"] == []


def test_slim_blocks_are_within_the_limits_of_launches(driver):
    assert run(driver, "cuda", "slim")["results"] == run(driver, "cpu", "slim")["results"]


def test_ranks_that_share_a_device_share_its_memory(driver, monkeypatch):
    monkeypatch.setenv("LD_LIBRARY_PATH", str(driver))
    monkeypatch.setenv("FAKE_CUDA_MEMORY", "3000")
    found = on_ranks(2, "cuda", "heat")["error"]
    assert f" on Fake device (cuda:0) of node '{os.uname().nodename}' (2 rank(s), at " in found


def test_a_certain_device(driver):
    assert run(driver, "cuda:1", FAKE_CUDA_DEVICES=2)["where"] == "kernels on Fake device (cuda:1)"


def test_no_driver_is_said_and_auto_takes_the_processor(tmp_path):
    (tmp_path / NAME).touch()
    found = f"the NVIDIA driver was not found ({tmp_path / NAME}: file too short)"
    assert run(tmp_path, "cuda")["error"] == (
        f"DeviceError: A CUDA device cannot be used: {found}.{ADVICE}"
    )
    assert run(tmp_path, "auto")["where"] == (
        f"kernels on the processor (A CUDA device cannot be used: {found})"
    )


def test_a_driver_that_is_too_old(tmp_path):
    text = 'extern "C" int cuInit(int) { return 0; } extern "C" int fake_cuda_live() { return 0; }'
    folder = compiled(tmp_path, "-x", "c++", "-", text=text)
    assert run(folder, "cuda")["error"] == (
        "DeviceError: A CUDA device cannot be used: the NVIDIA driver has no 'cuDriverGetVersion'; "
        f"expected one for CUDA 11.4 or newer.{ADVICE}"
    )


def test_no_device(driver):
    assert run(driver, "cuda", FAKE_CUDA_DEVICES=0)["error"] == (
        "DeviceError: A CUDA device cannot be used: starting the NVIDIA driver failed with "
        f"CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected.{ADVICE}"
    )


def test_no_such_device(driver):
    assert run(driver, "cuda:2", FAKE_CUDA_DEVICES=2)["error"] == (
        "DeviceError: A CUDA device cannot be used: there is no device 2; the last one is 1."
        f"{ADVICE}"
    )


def test_no_compiler_is_said_and_auto_takes_the_processor(driver):
    assert run(driver, "cuda", "without-nvrtc")["error"] == (
        f"CompileError: {NO_NVRTC}. Install the package 'nvidia-cuda-nvrtc-cu12' with pip, or the "
        "CUDA toolkit."
    )
    assert run(driver, "auto", "without-nvrtc")["where"] == f"kernels on the processor ({NO_NVRTC})"


def test_code_that_the_driver_does_not_know(driver, tmp_path):
    assert run(driver, "cuda", "bad-code", HALOCLINE_CACHE=tmp_path)["error"] == (
        "DeviceError: The kernels do not load: Fake device (cuda:0): loading kernels with a driver "
        "for CUDA 12.4 failed with CUDA_ERROR_INVALID_IMAGE: device kernel image is invalid. A "
        "driver older than NVRTC may not know its machine code: update the driver, or install an "
        "older NVRTC."
    )


def test_too_little_memory(driver):
    found = run(driver, "cuda", FAKE_CUDA_MEMORY=2000)
    where = f"Fake device (cuda:0) of node '{os.uname().nodename}'"
    assert re.sub(r"[\d.]+ kB", "n kB", found["error"]) == (
        f"OutOfMemoryError: Fields and messages take n kB on {where} (1 rank(s), at most n kB "
        "each), where n kB are free: T n kB, T_new n kB. Use more nodes or devices, a smaller "
        "grid, dtype='float32' or 'float16', or for a flow streaming='in-place'."
    )
    assert found["live"] == 0


# Each step launches a kernel, and three for a sum.
@pytest.mark.parametrize(("launch", "step"), [(1, 0), (5, 1)])
def test_a_device_that_is_lost(driver, launch, step):
    found = run(driver, "cuda", FAKE_CUDA_LOST=launch)
    assert re.fullmatch(
        rf"DeviceError: The device failed at step {step}: Fake device \(cuda:0\): [^:]* "
        r"failed with CUDA_ERROR_LAUNCH_FAILED: unspecified launch failure\. What was on it is "
        r"lost: run again, from a checkpoint if there is one\.",
        found["error"],
    )
    assert found["live"] == 0
