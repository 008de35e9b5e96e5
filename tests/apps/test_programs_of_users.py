"""Programs of users: 'show', 'predict' and 'bench' look at the first simulation that they run."""

from __future__ import annotations

import pytest
from launch import python

from halocline.apps.cases import find_case, make_case
from halocline.apps.script import stopping
from halocline.errors import CaseError
from halocline.session.simulation import Simulation

PROGRAM = """
import halocline as hc

grid = hc.Grid((16, 12), periodic=True)
T, T_new = grid.field("T"), grid.field("T_new")


@hc.kernel
def heat(T, T_new):
    T_new[0, 0] = 0.25 * (T[1, 0] + T[-1, 0] + T[0, 1] + T[0, -1])


T.set(lambda x, y: x * y)
simulation = hc.Simulation(grid, [heat(T, T_new), hc.swap(T, T_new)], dt=0.5)
T_new.set(1.0)
try:
    simulation.run(10)
except Exception:
    pass
print("has run")
"""


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "waves.py"
    path.write_text(PROGRAM)
    return path


def command(*words):
    return python("-m", "halocline.cli", *map(str, words))


def test_the_plan_of_any_rank_is_shown_and_nothing_runs(program):
    done = command("show", "plan", program, "--ranks", 8, "--rank", 3)
    assert done.stdout.startswith("plan of rank 3 of 8: ")
    assert "run     heat" in done.stdout
    assert "has run" not in done.stdout


def test_a_program_does_not_read_the_arguments_of_the_command(program):
    program.write_text("import sys\nassert sys.argv[1:] == [], sys.argv\n" + PROGRAM)
    assert "run     heat" in command("show", "plan", program).stdout


def test_a_prediction_is_made(program):
    assert "waves.py on generic" in command("predict", program, "--ranks", "1,4").stdout


def test_what_has_been_set_is_measured_with(program):
    done = command("bench", "whole-step", "--case", program, "--ranks", 1, "--repetitions", 1)
    assert done.stdout.splitlines()[-1].split()[0] == "1", done.stderr


def test_a_program_below_its_guard_is_found(tmp_path):
    path = tmp_path / "guarded.py"
    lines = "".join(f"    {line}\n" for line in PROGRAM.splitlines())
    path.write_text(f"def main():\n{lines}\n\nif __name__ == '__main__':\n    main()\n")
    problem = make_case(find_case(str(path)), {}).problem()
    assert problem.grid.extent == (16, 12)
    assert problem.dt == 0.5


def test_afterwards_simulations_run(program):
    find_case(str(program))
    with stopping(program):
        assert Simulation.before_start is not None
    assert Simulation.before_start is None


def test_a_program_runs_itself(program):
    done = command("run", program)
    assert done.stderr == (
        f"error: '{program}' is a program, no case: it defines no subclass of 'Case'. Run it by "
        f"itself: python {program}, or on ranks: mpiexec -n 4 python {program}.\n"
    )


def test_a_program_without_a_run(tmp_path):
    path = tmp_path / "nothing.py"
    path.write_text("1 + 1\n")
    with pytest.raises(CaseError, match="ended without running a simulation, and defines no case"):
        make_case(find_case(str(path)), {}).problem()
