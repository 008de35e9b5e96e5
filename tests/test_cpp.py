"""The C++ parts by their own tests: built with CMake where GoogleTest is found."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BUILD = ROOT / "build/cpp-tests"


def tool(name: str) -> str:
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        pytest.skip(f"'{name}' was not found")
    return found


def run(*command: str, timeout: float = 600.0) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=ROOT, timeout=timeout
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.alone
def test_googletests_pass():
    if not (ROOT / "CMakeLists.txt").exists():
        pytest.skip("needs the source tree")
    options = ("-DHALOCLINE_PYTHON=OFF", "-DHALOCLINE_TESTS=ON", "-DCMAKE_BUILD_TYPE=Debug")
    # Checked like Debug, but nobody debugs it: without '-g' it compiles sooner.
    options += ("-DCMAKE_CXX_FLAGS_DEBUG=-O0",)
    # Several files at a time: all is built from nothing, and headers take longest.
    options += ("-DCMAKE_UNITY_BUILD=ON",)
    out = run(tool("cmake"), "-S", str(ROOT), "-B", str(BUILD), *options)
    if "GoogleTest not found" in out:
        pytest.skip("GoogleTest was not found by CMake (Debian: libgtest-dev)")
    run(tool("cmake"), "--build", str(BUILD), "--parallel", "2", "--target", "halocline_tests")
    out = run(str(BUILD / "tests/cpp/halocline_tests"))
    assert "[  PASSED  ]" in out
