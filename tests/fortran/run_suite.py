"""Run the coarray programs of another project's tests, which lie in a folder; fetches nothing.

    python tests/fortran/run_suite.py opencoarrays/src/tests/unit opencoarrays/src/tests/regression
    python tests/fortran/run_suite.py gcc/gcc/testsuite/gfortran.dg/coarray

Every file with a main program is built and run on several images. It passes if it ends with status
0 and prints nothing of a failure, or, where it says so (dg-shouldfail), if it does not.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from caf_commands import COMMAND

_SOURCES = (".f90", ".f08", ".F90", ".F08")
_FAILURE = re.compile(r"test failed|\bfailed?:|error stop", re.IGNORECASE)
_OUTCOMES = ("passed", "failed", "no end", "not compiled")


def programs(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder that have a main program, and are to be run."""
    for source in sorted(folder.rglob("*")):
        if source.suffix not in _SOURCES:
            continue
        text = source.read_text(errors="replace")
        is_run = "dg-do" not in text or re.search(r"dg-do\s+run", text)
        if is_run and re.search(r"^\s*(program\s+\w+|end\s*$)", text, re.IGNORECASE | re.MULTILINE):
            yield source


def ended(command: list[str | Path], folder: str, seconds: float) -> tuple[int | None, str]:
    """Return the exit status, None after so many seconds, and what was printed."""
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None, f"no end within {seconds} s"
    return done.returncode, done.stdout + done.stderr


def outcome_of(source: Path, images: int, seconds: float) -> tuple[str, str]:
    """Build and run a program; return what came of it, and why."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "program")
        build = [COMMAND, "build", "-I", source.parent, source, "-o", program]
        code, printed = ended(build, folder, 60.0)
        if code != 0:
            errors = [
                line for line in printed.splitlines() if "rror:" in line or "ndefined" in line
            ]
            return "not compiled", errors[0] if errors else printed[:200]
        code, printed = ended([COMMAND, "run", "-n", str(images), program], folder, seconds)
    if code is None:
        return "no end", printed
    is_right = code == 0 and not _FAILURE.search(printed)
    if "dg-shouldfail" in source.read_text(errors="replace"):
        is_right = code != 0
    return ("passed", "") if is_right else ("failed", f"status {code}: {printed.strip()[-200:]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--images", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=20.0, help="limit of a run")
    arguments = parser.parse_args()
    os.environ.pop("FC", None)
    counts: dict[str, Counter[str]] = {}
    for folder in arguments.folders:
        for source in programs(folder.resolve()):
            outcome, why = outcome_of(source, arguments.images, arguments.seconds)
            name = f"{folder.name}/{source.parent.relative_to(folder.resolve())}"
            counts.setdefault(name, Counter())[outcome] += 1
            if why:
                print(f"{source.name}: {outcome}: {' '.join(why.split())}", flush=True)
    if not counts:
        sys.exit("There is no Fortran program in these folders.")
    print("\n| folder | " + " | ".join(_OUTCOMES) + " |\n" + "|---" * (len(_OUTCOMES) + 1) + "|")
    for name, found in counts.items():
        print(f"| {name} | " + " | ".join(str(found[outcome]) for outcome in _OUTCOMES) + " |")


if __name__ == "__main__":
    main()
