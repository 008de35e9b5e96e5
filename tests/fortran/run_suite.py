"""Run the coarray programs of another project's tests, which lie in a folder; fetches nothing.

    python tests/fortran/run_suite.py opencoarrays/src/tests/unit opencoarrays/src/tests/regression
    python tests/fortran/run_suite.py gcc/gcc/testsuite/gfortran.dg/coarray

Every file with a main program is built and run on several images. It passes if it ends with status
0 and prints nothing of a failure. Comments of DejaGnu say otherwise where they are: dg-do,
dg-options and dg-additional-options (but which coarrays and which dumps), dg-additional-sources,
dg-shouldfail, dg-output. Tests that are only compiled are of the compiler: they are counted alone.
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
_OUTCOMES = ("passed", "failed", "no end", "not compiled", "only compiled")
# What a test says of itself, as '! { dg-options "-std=f2008" }'.
_WORD = r"\{{\s*dg-{}\s+([^}}]*?)\s*\}}"
# Options that are ours to choose.
_OURS = ("-fcoarray", "-lcaf", "-fdump", "-latomic")


def said(text: str, word: str) -> str | None:
    """Return what a test says with a word of DejaGnu; None if it does not have it."""
    found = re.findall(_WORD.format(word), text)
    return " ".join(re.sub(r"\{.*", "", one).strip().strip('"') for one in found) or None


def options(text: str) -> list[str]:
    """Return the options that a test wants to be compiled with."""
    wanted = f"{said(text, 'options') or ''} {said(text, 'additional-options') or ''}"
    return [word for word in wanted.split() if not word.startswith(_OURS)]


def programs(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder that have a main program, or are tests of the compiler."""
    for source in sorted(folder.rglob("*")):
        if source.suffix not in _SOURCES:
            continue
        text = source.read_text(errors="replace")
        is_part = re.search(r"dg-do\s+compile\s*\{\s*target\s*\{\s*!", text)
        has_main = re.search(r"^\s*(program\s+\w+|end\s*$)", text, re.IGNORECASE | re.MULTILINE)
        if not is_part and ("dg-do" in text or has_main):
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
    text = source.read_text(errors="replace")
    wanted = said(text, "do") or "run"
    if wanted == "compile":
        return "only compiled", ""
    parts = [source.parent / name for name in (said(text, "additional-sources") or "").split()]
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "program")
        words = [*options(text), "-I", source.parent, source, *parts, "-o", program]
        code, printed = ended([COMMAND, "build", *words], folder, 60.0)
        if code != 0:
            errors = [
                line for line in printed.splitlines() if "rror:" in line or "ndefined" in line
            ]
            return "not compiled", errors[0] if errors else printed[:200]
        if wanted == "link":
            return "passed", ""
        code, printed = ended([COMMAND, "run", "-n", str(images), program], folder, seconds)
    if code is None:
        return "no end", printed
    is_right = (code != 0) if "dg-shouldfail" in text else not code and not _FAILURE.search(printed)
    if output := said(text, "output"):
        is_right = is_right and re.search(output, printed) is not None
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
