"""Seeded faults: check that the test suite catches small, realistic mistakes.

    .venv/bin/python tests/seeded_faults/run.py [FAULT…]

Each entry of 'faults.toml' replaces a piece of the source by a wrong one. This script copies the
source tree into a temporary folder, applies one fault at a time there, and runs the tests that the
entry names. A fault is caught if one of these tests fails. An error before a test, such as a failed
import, does not count, and without the fault the same tests must pass. Faults in C++ are compiled
first, without optimisation. The script prints a line for each fault: the time, and the first test
that failed. The exit status is 1 if a fault was not caught.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
import tomllib
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[2]
INSTALLED = Path(sysconfig.get_path("platlib"), "halocline")
# From the folder of the copy.
_BUILD = "build/cpp-tests"
_GOOGLETESTS = f"{_BUILD}/tests/cpp/halocline_tests"
_NOT_COPIED = shutil.ignore_patterns(".git", ".venv", "build", "output", "__pycache__")
# A fault may cause a deadlock: tests that take longer are killed [s].
_TIME_LIMIT = 300.0


@dataclass(frozen=True)
class Fault:
    """An entry of 'faults.toml', which explains the attributes."""

    name: str
    wrong: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    @property
    def is_compiled(self) -> bool:
        return self.file.startswith("cpp/")

    def applied(self, text: str) -> str:
        """Return the text of the file with the fault.

        Raises:
            ValueError: The fault is stale: the file has changed.
        """
        if (count := text.count(self.old)) != 1:
            raise ValueError(
                f"The seeded fault '{self.name}' is stale: its old text occurs {count} times in "
                f"'{self.file}'; expected once."
            )
        return text.replace(self.old, self.new)


def read_faults() -> dict[str, Fault]:
    """Return all faults by name."""
    tables = tomllib.loads(Path(__file__).with_name("faults.toml").read_text(encoding="utf-8"))
    return {
        name: Fault(name, **{**table, "tests": tuple(table["tests"])})
        for name, table in tables.items()
    }


@dataclass(frozen=True)
class Outcome:
    """The result of a run of pytest.

    Attributes:
        has_passed: Whether all tests passed.
        failed: The first test that failed itself; None if there is none.
        output: What pytest printed.
    """

    has_passed: bool
    failed: str | None
    output: str


class Copy:
    """A copy of the source tree in which faults are applied."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # The installed package provides the compiled parts; the source tree replaces the rest.
        shutil.copytree(INSTALLED, folder / "src/halocline", ignore=_NOT_COPIED, symlinks=True)
        shutil.copytree(ROOT, folder, ignore=_NOT_COPIED, symlinks=True, dirs_exist_ok=True)
        self.environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(folder / "src"),
            # Bytecode with time stamps would be stale: a fault may come and go within a second.
            "PYTHONDONTWRITEBYTECODE": "1",
            # Shared with all other tests: the key of a kernel follows from its source.
            "HALOCLINE_CACHE": str(ROOT / "build/test-cache"),
        }
        self._run_python("-m", "compileall", "-q", "--invalidation-mode", "checked-hash", "src")
        self._passes = cache(self._passes_without_fault)

    @contextmanager
    def faulty(self, fault: Fault):
        """Apply a fault within this context.

        Raises:
            RuntimeError: The changed file cannot be compiled or imported.
        """
        path = self.folder / fault.file
        before = path.read_text(encoding="utf-8")
        path.write_text(fault.applied(before), encoding="utf-8")
        try:
            if fault.is_compiled:
                self.build()
            else:
                module = Path(fault.file).relative_to("src").with_suffix("")
                self._run_python("-c", f"import {'.'.join(module.parts)}")
            yield
        finally:
            path.write_text(before, encoding="utf-8")

    def build(self) -> None:
        """Compile the C++ sources that have changed, and install the results in the copy."""
        options = {
            "HALOCLINE_PYTHON": "ON",
            "HALOCLINE_TESTS": "ON",
            "HALOCLINE_STRICT": "OFF",
            "CMAKE_BUILD_TYPE": "Debug",
            "CMAKE_CXX_FLAGS_DEBUG": "-O0",
            "Python_EXECUTABLE": sys.executable,
        }
        given = (f"-D{name}={value}" for name, value in options.items())
        self._run_python("-m", "cmake", "-G", "Ninja", "-S", ".", "-B", _BUILD, *given)
        self._run_python("-m", "cmake", "--build", _BUILD, "--parallel", "2")
        self._run_python("-m", "cmake", "--install", _BUILD, "--prefix", "src")

    def passes(self, fault: Fault) -> bool:
        """Return whether the tests of a fault pass without it."""
        return self._passes(fault.tests, is_compiled=fault.is_compiled)

    def _passes_without_fault(self, tests: tuple[str, ...], *, is_compiled: bool) -> bool:
        if is_compiled:
            self.build()
        return self.outcome(tests).has_passed

    def outcome(self, tests: tuple[str, ...]) -> Outcome:
        """Run tests until one fails."""
        report = self.folder / "build/report.xml"
        report.unlink(missing_ok=True)
        if tests[0].startswith("--gtest"):
            command = [_GOOGLETESTS, "--gtest_fail_fast", f"--gtest_output=xml:{report}"]
        else:
            options = ("--exitfirst", "-p", "no:cacheprovider", f"--junitxml={report}")
            # What 'make test' runs.
            command = [sys.executable, "-m", "pytest", "-m", "not slow", *options]
        status, output = self._run(*command, *tests, time_limit=_TIME_LIMIT)
        cases = ElementTree.parse(report).iter("testcase") if report.exists() else ()
        # An error in a fixture would be an 'error'.
        failed = [case for case in cases if case.find("failure") is not None]
        names = [f"{case.get('classname')}::{case.get('name')}" for case in failed]
        return Outcome(status == 0, names[0] if status == 1 and names else None, output)

    def _run_python(self, *arguments: str) -> None:
        status, output = self._run(sys.executable, *arguments)
        if status:
            raise RuntimeError(f"'python {' '.join(arguments)}' failed:\n{output}")

    def _run(self, *command: str, time_limit: float | None = None) -> tuple[int, str]:
        """Run a command in the copy; return its exit status and output."""
        process = subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=time_limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
        return process.returncode, output


def try_fault(copy: Copy, fault: Fault) -> tuple[bool, str]:
    """Return whether the tests catch a fault, and the test that does or the reason why none does.

    Raises:
        RuntimeError: The fault cannot be compiled or imported.
    """
    if not copy.passes(fault):
        return False, "its tests fail without it, too"
    with copy.faulty(fault):
        outcome = copy.outcome(fault.tests)
    if outcome.failed is None:
        return False, "not caught: " + (outcome.output.strip().splitlines() or ["no output"])[-1]
    return True, outcome.failed


def main() -> int:
    """Try faults; return the exit status."""
    faults = read_faults()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="FAULT", help="all faults if none is given")
    names = parser.parse_args().names or list(faults)
    if unknown := set(names) - set(faults):
        parser.error(f"There is no fault {', '.join(sorted(unknown))} in 'faults.toml'.")
    caught = 0
    with tempfile.TemporaryDirectory(prefix="seeded-faults-") as folder:
        copy = Copy(Path(folder, "tree"))
        for name in names:
            begin = time.perf_counter()
            is_caught, message = try_fault(copy, faults[name])
            caught += is_caught
            mark, seconds = "ok" if is_caught else "FAIL", time.perf_counter() - begin
            print(f"{mark:4} {seconds:6.1f} s  {name}: {message}", flush=True)
    print(f"{caught} of {len(names)} seeded faults were caught.")
    return 0 if caught == len(names) else 1


if __name__ == "__main__":
    sys.exit(main())
