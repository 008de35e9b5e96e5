"""What is declared of NVIDIA's driver agrees with its own header; skipped without one."""

from __future__ import annotations

import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FIND = re.compile(r'find\(library, "(\w+)", found\.(\w+)\)')
CALLS = FIND.findall((ROOT / "cpp/device/cuda_driver.cpp").read_text(encoding="utf-8"))


def header_folder() -> Path:
    """Return where 'cuda.h' is: of the toolkit, or of NVIDIA's wheels."""
    nvcc = shutil.which("nvcc")
    toolkit = [Path(nvcc).resolve().parents[1]] if nvcc else []
    wheels = Path(sysconfig.get_path("purelib")).glob("nvidia/*")
    for place in (*toolkit, Path("/usr/local/cuda"), *wheels):
        if (place / "include/cuda.h").is_file():
            return place / "include"
    pytest.skip("cuda.h was not found")


def refusal(calls) -> str:
    """Return what the compiler says against some calls, and of all constants and structures."""
    compiler = shutil.which("g++") or pytest.skip("g++ was not found")
    checks = (f'CHECK({ours}, {re.sub("_v[0-9]+$", "", name)}, "{name}");' for name, ours in calls)
    text = "\n".join(['#include "fake_driver/header.hpp"', *checks, ""])
    folders = [f"-I{folder}" for folder in (ROOT / "cpp", ROOT / "tests", header_folder())]
    command = [compiler, "-std=c++20", "-fsyntax-only", *folders, "-x", "c++", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False).stderr


def test_functions_constants_and_structures():
    assert len(CALLS) > 40
    assert refusal(CALLS) == ""


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("cuMemAlloc_v2", "mem_free"),  # other parameters
        ("cuMemFree", "mem_free"),  # an older one than the header's
        ("cuGraphInstantiateWithFlags", "graph_launch"),
    ],
)
def test_what_does_not_agree_is_found(name, ours):
    assert f"static assertion failed: {ours if 'Alloc' in name or 'Graph' in name else name}" in (
        refusal([(name, ours)])
    )
