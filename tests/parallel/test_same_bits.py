"""One rank and many ranks give the same bits, for every program, decomposition and strategy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from launch import mpirun
from parallel.cases import CASES, CHOICES, DEVICE_CASES, Case, pairs, pairs_of
from parallel.expected import differing

SCRIPT = Path(__file__).with_name("run_cases.py")
RANKS = CHOICES["ranks"]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """What a number of ranks computes; each number is launched once."""
    known: dict[tuple, dict[int, dict]] = {}

    def launch(ranks: int, *device: str) -> dict[int, dict]:
        if (ranks, *device) not in known:
            output = tmp_path_factory.mktemp("ranks") / f"{ranks}.json"
            done = mpirun(ranks, SCRIPT, str(output), *device, timeout=300)
            assert done.returncode == 0, done.stderr
            found = json.loads(output.read_text(encoding="utf-8"))
            known[ranks, *device] = {int(number): result for number, result in found.items()}
        return known[ranks, *device]

    return launch


@pytest.mark.parametrize("ranks", RANKS)
def test_fields_and_reductions_have_the_bits_of_the_interpreter_on_one_block(ranks, results):
    found = results(ranks)
    assert set(found) >= {n for n, case in enumerate(CASES) if ranks == case.ranks}
    assert not (wrong := differing(found, ranks)), wrong


def test_every_pair_of_choices_was_really_run(results):
    """Of what was wanted, small grids may not allow all: 'case' is what was run in its place."""
    run = [Case(**result["case"]) for ranks in RANKS for result in results(ranks).values()]
    met = set().union(*map(pairs_of, run))
    assert not (missing := pairs() - met), missing


def test_ranks_with_emulated_devices_have_the_same_bits(results):
    for choice in ("problem", "overlap", "wait", "depth", "neighbours"):
        assert {getattr(case, choice) for case in DEVICE_CASES} >= set(CHOICES[choice]) - {
            "heat 1-D"
        }
    found = results(3, "emulated:5")
    assert len(found) == len(DEVICE_CASES)
    assert not (wrong := differing(found, 3)), wrong


def test_cases_of_one_problem_run_on_different_decompositions():
    splits = {
        case.distribute(case.make(), 8)[1].cuts for case in CASES if case.problem == "cavity 3-D"
    }
    assert len(splits) > 2
