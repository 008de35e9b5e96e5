"""Ranks that do not do the same end within seconds, in one message; where they may differ, not."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from launch import mpirun

SCRIPT = Path(__file__).with_name("apart.py")
SAME = "; expected the same on every rank."
ALONE = (
    "; expected the same call on every rank. It waits for all ranks: make it outside of conditions "
    "like 'rank == 0'."
)
WITHOUT = " What all ranks do together cannot go on without it."


def at(name: str) -> str:
    """Return 'file:line' of the line of the script that ends with '# line: name'."""
    lines = SCRIPT.read_text().splitlines()
    (number,) = (n for n, line in enumerate(lines, start=1) if line.endswith(f"# line: {name}"))
    return f"{SCRIPT}:{number}"


def messages(ranks: int, way: str, within_s: float = 12.0) -> list[str]:
    """Return what a program that must fail says of it, the launcher's own words apart."""
    started = time.perf_counter()
    done = mpirun(ranks, SCRIPT, way, timeout=60)
    assert time.perf_counter() - started < within_s
    assert done.returncode != 0, done.stdout
    return [line for line in done.stderr.splitlines() if line.startswith("error")]


def end(ranks: int) -> str:
    others = "rank 1 has" if ranks == 2 else "ranks 1 and 2 have"
    return f"while {others} come to the end of the program"


@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize(
    ("way", "call", "place"),
    [
        ("report_alone", "Simulation.report", "report"),
        ("run_alone", "Simulation.run", "run"),
        ("save_alone", "save", "save"),
    ],
)
def test_a_call_of_rank_0_alone_is_named_with_its_line(way, call, place, ranks):
    expected = f"error: Rank 0 called {call} at {at(place)}, {end(ranks)}{ALONE}"
    assert messages(ranks, way) == [expected]


def test_a_call_of_another_rank_alone_is_named_with_its_line():
    assert messages(3, "reduce_alone") == [
        "error: Ranks 0 and 2 have come to the end of the program, while rank 1 called "
        f"Simulation.reduce at {at('reduce alone')}{ALONE}"
    ]


def test_rebuild_of_rank_0_alone_is_named_with_its_line():
    assert messages(2, "rebuild_alone") == [
        f"error: Rank 0 called Simulation.rebuild at {at('rebuild alone')}, {end(2)}{ALONE}"
    ]


def test_two_different_calls_are_named_with_their_lines():
    assert messages(2, "gather_alone") == [
        f"error: Rank 0 called Field.gather of 'T' at {at('gather')}, while rank 1 called "
        f"Simulation.reduce at {at('reduce')}{ALONE}"
    ]


def test_gathering_two_different_fields_is_refused():
    assert messages(2, "other_field") == [
        f"error: Rank 0 called Field.gather of 'T' at {at('fields')}, while rank 1 called "
        f"Field.gather of 'T_new' at {at('fields')}{ALONE}"
    ]


def test_running_two_different_simulations_is_refused():
    assert messages(2, "other_simulation") == [
        f"error: {at('run')}: Ranks disagree on the simulation: number 1 on rank 0, number 2 on "
        f"rank 1{SAME}"
    ]


def test_a_rank_that_leaves_early_is_missed_by_the_others():
    assert messages(3, "leave") == [
        f"error: Ranks 0 and 2 called Simulation.run at {at('run')}, while rank 1 has come to the "
        f"end of the program{ALONE}"
    ]


def test_a_rank_that_is_left_alone_and_catches_that_does_not_keep_the_job_alive():
    assert messages(2, "catch_and_wait") == [
        f"error: Rank 0 called Simulation.run at {at('run')}, while rank 1 has come to the end of "
        f"the program{ALONE}"
    ]


def test_a_rank_that_leaves_in_a_function_is_missed_by_the_others():
    assert messages(2, "leave_in_function") == [
        f"error: {at('run')}: Rank 1 failed in the function 'act' at {at('exit')}: SystemExit: 0."
        f"{WITHOUT}"
    ]


def test_a_function_that_fails_on_one_rank_is_told_by_that_rank():
    assert messages(3, "function_fails_on_one") == ["error on rank 1: the coffee is cold"]


def test_a_function_that_fails_on_one_rank_which_catches_it_is_told_by_the_others():
    assert messages(3, "function_fails_on_one_who_catches_it") == [
        f"error: {at('run')}: Rank 1 failed in the function 'act' at {at('raise and catch')}: "
        f"ValueError: the coffee is cold.{WITHOUT}"
    ]


def test_a_collective_call_in_a_function_on_one_rank_is_refused():
    assert messages(2, "gather_alone_in_function") == [
        f"error: Rank 0 called Field.gather of 'T' at {at('gather in function')}, while rank 1 has "
        f"come to the end of the function 'act'{ALONE}"
    ]


def test_an_error_of_ours_on_one_rank_which_catches_it_is_told_by_the_others():
    assert messages(3, "too_narrow_on_one") == [
        f"error: {at('run')}: Rank 1 failed in Simulation.run at {at('narrow')}: A block is too "
        f"narrow.{WITHOUT}"
    ]


def test_a_failure_while_others_wait_for_messages_ends_the_job():
    assert messages(2, "loop_fails_on_one") == ["error on rank 1: the device is lost"]


def test_a_parameter_that_a_function_gives_no_number_is_refused_once_with_its_line():
    assert messages(2, "parameter_no_number") == [
        f"error: {at('parameter')}: The parameter 'a' was given 'abc'; expected a number."
    ]


@pytest.mark.parametrize(
    ("way", "place", "message"),
    [
        ("extent", "make", "the grid's extent: (8, 6) on rank 0, (8, 8) on rank 1"),
        ("spacing", "make", "the grid's spacing: (1.0, 1.0) on rank 0, (2.0, 2.0) on rank 1"),
        ("dtype", "make", "the dtype of 'T': float64 on rank 0, float32 on rank 1"),
        ("dt", "make", "'dt': 0.1 on rank 0, 0.2 on rank 1"),
        ("strategy", "make", "'strategy': auto on rank 0, default on rank 1"),
        ("decomposition", "make", "'decomposition': rows on rank 0, tiles on rank 1"),
        ("check_every", "make", "'check_every': 0 on rank 0, 100 on rank 1"),
        ("ranks_per_node", "make", "'ranks_per_node': None on rank 0, 1 on rank 1"),
        (
            "kernel",
            "run",
            "step 1: heat(T, T_new, a=0.1) on rank 0, cool(T, T_new, a=0.1) on rank 1",
        ),
        (
            "number",
            "run",
            "step 1: heat(T, T_new, a=0.1) on rank 0, heat(T, T_new, a=0.2) on rank 1",
        ),
        ("boundary", "run", "the boundaries of 'T': x-, x+ on rank 0, x+, x- on rank 1"),
        ("steps", "run steps", "the number of steps of 'run': 2 on rank 0, 3 on rank 1"),
        ("disagree_on_parameter", "run", "parameter 'a' (number 1): 0.1 on rank 0, 0.5 on rank 1"),
        (
            "disagree_on_parameter_done_once",
            "execute again",
            "parameter 'a' (number 1): 0.2 on rank 0, 1.2 on rank 1",
        ),
        ("rebuild_apart", "rebuild", "'decomposition': rows on rank 0, tiles on rank 1"),
        (
            "disagree_on_steps_done_once",
            "execute",
            "step 1: heat(T, T_new, a=0.1) on rank 0, heat(T, T_new, a=0.2) on rank 1",
        ),
    ],
)
def test_ranks_that_disagree_are_refused_with_what_each_has(way, place, message):
    assert messages(2, way) == [f"error: {at(place)}: Ranks disagree on {message}{SAME}"]


@pytest.mark.parametrize("way", ["disagree_on_series", "disagree_on_formula"])
def test_ranks_with_other_numbers_in_a_series_are_refused(way):
    (found,) = messages(2, way)
    assert "Ranks disagree on series 'a' (number 1): digest " in found


@pytest.mark.parametrize("way", ["disagree_on_values", "disagree_on_values_later"])
def test_ranks_that_were_told_different_values_are_refused(way):
    (found,) = messages(2, way)
    text = (
        f"error: {at('run')}: Ranks disagree on the values that 'T' was set to: digest X on rank "
        f"0, digest X on rank 1{SAME}"
    )
    assert re.fullmatch(re.escape(text).replace("X", "[0-9a-f]{8}"), found)


def test_a_wrong_option_on_one_rank_is_refused_once():
    assert messages(2, "wrong") == [
        f"error: {at('make')}: 'blocks' was given 2.5; expected a whole number of at least 1."
    ]


@pytest.mark.parametrize(
    "way", ["all_converge", "all_find_nan", "parts", "rebuild_refused", "slow"]
)
def test_what_ranks_may_do_is_no_mistake(way):
    done = mpirun(3, SCRIPT, way, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("reached the end") == 3


def test_a_report_after_a_run_needs_no_other_rank():
    done = mpirun(3, SCRIPT, "report_after_run", timeout=60)
    assert done.returncode == 0, done.stderr
    assert "30 steps of 48 cells on 3 rank(s)" in done.stdout
    assert "4 later steps are not counted" in done.stdout


def test_there_may_be_many_simulations():
    done = mpirun(2, SCRIPT, "many", timeout=60)
    assert done.returncode == 0, done.stderr


def test_a_job_that_is_killed_leaves_nothing_in_shared_memory():
    done = mpirun(2, SCRIPT, "killed", timeout=60)
    assert done.returncode != 0
    names = [Path(word) for word in done.stdout.split() if word.startswith("/dev/shm/")]
    assert not any(path.exists() for path in names)
