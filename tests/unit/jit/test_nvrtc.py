from __future__ import annotations

import ctypes
import re

import pytest

from halocline.errors import CompileError
from halocline.frozen import Frozen
from halocline.jit import nvrtc


class Text(Frozen):
    """A source made by hand."""

    text: str
    entries: tuple[str, ...] = ("answer",)
    language: str = "cuda"


ANSWER = Text('extern "C" __global__ void answer(int* to) { *to = 42; }')


@pytest.fixture
def architecture():
    try:
        return nvrtc.architectures()[-1]
    except CompileError as error:
        pytest.skip(str(error))


def test_a_kernel_becomes_machine_code_and_a_log(architecture):
    code = nvrtc.compile_cuda(ANSWER, architecture)
    assert code.image.startswith(b"\x7fELF")
    assert "0 bytes spill stores" in code.log


def test_a_refused_source_shows_the_error(architecture):
    with pytest.raises(CompileError) as caught:
        nvrtc.compile_cuda(Text('extern "C" __global__ void answer() { wrong(); }'), architecture)
    assert re.fullmatch(
        r"NVRTC refused the generated code:\n"
        r'  halocline\.cu\(1\): error: identifier "wrong" is undefined\n(.*\n)*.*',
        str(caught.value),
    )


def test_an_unknown_architecture_is_refused_with_the_nearest(architecture):
    with pytest.raises(CompileError) as caught:
        nvrtc.compile_cuda(ANSWER, "sm_09")
    assert re.fullmatch(
        r"NVRTC has no architecture 'sm_09'\. Did you mean 'sm_\d+'\?", str(caught.value)
    )


def test_what_is_not_there_is_said_with_what_to_install(monkeypatch):
    def refuse(name):
        raise OSError(name)

    nvrtc.find_nvrtc.cache_clear()
    monkeypatch.setattr(ctypes, "CDLL", refuse)
    with pytest.raises(CompileError) as caught:
        nvrtc.compile_cuda(ANSWER, "sm_90")
    assert str(caught.value) == (
        "NVRTC, the compiler for NVIDIA's devices, was not found. Install the package "
        "'nvidia-cuda-nvrtc-cu12' with pip, or the CUDA toolkit."
    )


def test_every_package_of_nvidias_is_searched_and_the_newest_taken_first(monkeypatch, tmp_path):
    # Those for CUDA 13 have one folder for all libraries, those for 12 one for each.
    for folder, name in (("cuda_nvrtc", "libnvrtc.so.12"), ("cu13", "libnvrtc.so.13")):
        library = tmp_path / "nvidia" / folder / "lib" / name
        library.parent.mkdir(parents=True)
        library.touch()
        library.with_name(name.replace("nvrtc", "nvrtc-builtins")).touch()
    monkeypatch.syspath_prepend(tmp_path)
    tried = []

    def refuse(name):
        tried.append(name.removeprefix(str(tmp_path)))
        raise OSError(name)

    nvrtc.find_nvrtc.cache_clear()
    monkeypatch.setattr(ctypes, "CDLL", refuse)
    with pytest.raises(CompileError):
        nvrtc.find_nvrtc()
    found = [name for name in tried if name.startswith("/nvidia")]
    assert found == ["/nvidia/cu13/lib/libnvrtc.so.13", "/nvidia/cuda_nvrtc/lib/libnvrtc.so.12"]


@pytest.fixture
def known(monkeypatch):
    monkeypatch.setattr(nvrtc, "architectures", lambda: ("sm_75", "sm_80", "sm_87", "sm_90"))
    monkeypatch.setattr(nvrtc, "nvrtc_version", lambda: "12.9")


@pytest.mark.parametrize(
    ("device", "best"), [("sm_80", "sm_80"), ("sm_89", "sm_80"), ("sm_87", "sm_87")]
)
def test_a_device_gets_code_for_the_next_older_one_of_its_generation(known, device, best):
    assert nvrtc.best_architecture(device) == best


@pytest.mark.parametrize(
    ("device", "which"), [("sm_120", "a newer"), ("sm_70", "an older"), ("sm_72", "an older")]
)
def test_a_device_that_the_compiler_does_not_know(known, device, which):
    with pytest.raises(CompileError) as caught:
        nvrtc.best_architecture(device)
    assert str(caught.value) == (
        f"NVRTC 12.9 cannot compile for a device of architecture '{device}'; it knows sm_75 to "
        f"sm_90. Install {which} NVRTC."
    )
