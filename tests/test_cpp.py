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


def run(*command: str, timeout: float = 1800.0) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=ROOT, timeout=timeout
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def built(folder: Path, flags: str) -> str:
    """Return the program of all tests, compiled with these flags, or skip."""
    if not (ROOT / "CMakeLists.txt").exists():
        pytest.skip("needs the source tree")
    options = ("-DHALOCLINE_PYTHON=OFF", "-DHALOCLINE_TESTS=ON", "-DCMAKE_BUILD_TYPE=Debug")
    options += (f"-DCMAKE_CXX_FLAGS_DEBUG={flags}",)
    # Several files at a time: all is built from nothing, and headers take longest.
    options += ("-DCMAKE_UNITY_BUILD=ON",)
    out = run(tool("cmake"), "-S", str(ROOT), "-B", str(folder), *options)
    if "GoogleTest not found" in out:
        pytest.skip("GoogleTest was not found by CMake (Debian: libgtest-dev)")
    run(tool("cmake"), "--build", str(folder), "--parallel", "2", "--target", "halocline_tests")
    return str(folder / "tests/cpp/halocline_tests")


# All are checked like Debug, but nobody debugs them: without '-g' they compile sooner.
@pytest.mark.alone
def test_googletests_pass():
    assert "[  PASSED  ]" in run(built(BUILD, "-O0"))


# What measures durations, and what needs several threads of OpenMP.
UNFIT_FOR_SANITIZERS = (
    "OneBlock.kernels_run_as_the_plan_says*",
    "OneBlock.what_a_kernel_has_tried*",
    "OneBlock.a_step_costs*",
    "Threads.*",
)


# How the program of tests is checked while it runs, and what would make a report false.
SANITIZERS = {
    # It does not see how threads of GNU's OpenMP synchronise.
    "thread": {"OMP_THREAD_LIMIT": "1"},
    "address,undefined": {"UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"},
}


@pytest.mark.slow
@pytest.mark.parametrize("sanitizer", SANITIZERS)
def test_a_sanitizer_finds_nothing_in_googletests(sanitizer, monkeypatch):
    for name, value in SANITIZERS[sanitizer].items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("GTEST_FILTER", "-" + ":".join(UNFIT_FOR_SANITIZERS))
    flags = f"-O0 -fno-omit-frame-pointer -fsanitize={sanitizer}"
    folder = BUILD.with_name(f"{BUILD.name}-{sanitizer.replace(',', '-')}")
    assert "[  PASSED  ]" in run(built(folder, flags))
