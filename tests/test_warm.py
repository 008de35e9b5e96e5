"""A script in a warm process runs and ends as in one of its own."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest
from launch import mpirun, python


@pytest.fixture
def run(tmp_path):
    """Return a function that runs lines of a program, by themselves or on ranks."""

    def start(lines: str, *arguments: str, ranks: int | None = None, **options):
        script = tmp_path / "script.py"
        script.write_text(lines)
        if ranks is None:
            return python(script, *arguments, **options)
        return mpirun(ranks, script, *arguments, **options)

    return start


def test_a_script_has_its_arguments_folder_variables_and_name(run, tmp_path):
    lines = (
        "import os, sys; print(sys.argv, os.getcwd(), os.environ['TIDE'], __name__, sys.path[0])"
    )
    done = run(lines, "a", "b c", cwd=tmp_path / "..", env={"TIDE": "low"})
    script, folder = str(tmp_path / "script.py"), tmp_path.parent
    assert done.stdout == f"{[script, 'a', 'b c']} {folder} low __main__ {tmp_path}\n"
    assert done.stderr == ""


def test_a_module_is_run(tmp_path):
    (tmp_path / "found_here.py").write_text("import sys; print(__name__, sys.argv[1:])")
    assert python("-m", "found_here", "x", cwd=tmp_path).stdout == "__main__ ['x']\n"


@pytest.mark.parametrize("warm", [True, False])
@pytest.mark.parametrize(
    ("lines", "code", "message"),
    [
        ("print(2)", 0, ""),
        ("import sys; sys.exit(7)", 7, ""),
        ("import sys; sys.exit('no')", 1, "no\n"),
        ("1 / 0", 1, "ZeroDivisionError: division by zero\n"),
        ("import os; os._exit(3)", 3, ""),
        ("import os; os.kill(os.getpid(), 9)", -9, ""),
        ("import atexit, os; atexit.register(os.write, 2, b'end')", 0, "end"),
    ],
)
def test_it_ends_as_a_process_of_its_own(run, lines, code, message, warm):
    done = run(lines, warm=warm)
    assert done.returncode == code
    assert done.stderr.endswith(message)


@pytest.mark.parametrize("ranks", [None, 2])
def test_one_that_takes_too_long_is_ended(run, tmp_path, ranks):
    assert run("pass", ranks=ranks).returncode == 0
    lines = "import os, time; open(str(os.getpid()), 'w'); time.sleep(60)"
    with pytest.raises(subprocess.TimeoutExpired):
        run(lines, ranks=ranks, cwd=tmp_path, timeout=3)
    processes = [Path("/proc") / path.name for path in tmp_path.iterdir() if path.name.isdecimal()]
    assert len(processes) == (ranks or 1)
    deadline = time.monotonic() + 10
    while any(process.exists() for process in processes):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_nothing_is_left_of_one_script_in_the_next(run):
    run("import halocline; halocline.tide = 1; import json; json.tide = 1")
    done = run("import halocline, json; print(hasattr(halocline, 'tide'), hasattr(json, 'tide'))")
    assert done.stdout == "False False\n"


def test_a_script_has_to_import_what_it_uses_of_halocline(run):
    assert "AttributeError" in run("import halocline; halocline.apps.lbm").stderr


def test_strings_hash_differently_on_neighbouring_ranks(run):
    # The launcher may put lines of two ranks together.
    one, other = run("print('', hash('tide'), '')", ranks=2).stdout.split()
    assert one != other
