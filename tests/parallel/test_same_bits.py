"""One rank and many ranks give the same bits, for every program, decomposition and strategy."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest
import stencils
from launch import mpirun
from parallel.cases import CASES, CHOICES, DEVICE_CASES, Case

SCRIPT = Path(__file__).with_name("run_cases.py")
RANKS = (1, 2, 3, 4, 6, 8)


def name_of(number: int) -> str:
    case = CASES[number]
    return ", ".join(f"{name}={getattr(case, name)}" for name in CHOICES)


@pytest.fixture(scope="module")
def expected() -> dict[str, dict]:
    """The results of the interpreter on a single block."""
    found: dict[tuple, dict] = {}
    for case in CASES:
        key = (case.problem, case.periodic, case.dtype)
        if key not in found:
            problem = case.make()
            simulation = stencils.run(problem, target="numpy", threads=1)
            field = next(iter(problem.grid.fields.values()))
            found[key] = {
                "reductions": stencils.reductions(field, simulation),
                "crc": stencils.checksum(problem),
            }
    return {str(n): found[c.problem, c.periodic, c.dtype] for n, c in enumerate(CASES)}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """What a number of ranks computes; each number is launched once."""
    known: dict[int, dict] = {}

    def launch(ranks: int) -> dict:
        if ranks not in known:
            output = tmp_path_factory.mktemp("ranks") / f"{ranks}.json"
            done = mpirun(ranks, SCRIPT, str(output), timeout=300)
            assert done.returncode == 0, done.stderr
            known[ranks] = json.loads(output.read_text(encoding="utf-8"))
        return known[ranks]

    return launch


def test_cases_cover_every_pair_of_choices():
    for a, b in combinations(CHOICES, 2):
        met = {(getattr(case, a), getattr(case, b)) for case in CASES}
        assert met == {(x, y) for x in CHOICES[a] for y in CHOICES[b]}


@pytest.mark.parametrize("ranks", RANKS)
def test_fields_have_the_bits_of_the_interpreter_on_one_block(ranks, results, expected):
    found = results(ranks)
    differing = [n for n, r in expected.items() if found[n]["crc"] != r["crc"]]
    assert not differing, "\n".join(name_of(int(n)) for n in differing)


@pytest.mark.parametrize("ranks", RANKS)
def test_reductions_have_the_same_bits_on_every_rank(ranks, results, expected):
    found = results(ranks)
    differing = [
        n for n, r in expected.items() if found[n]["reductions"] != [r["reductions"]] * ranks
    ]
    assert not differing, "\n".join(name_of(int(n)) for n in differing)


def test_ranks_with_emulated_devices_have_the_same_bits(tmp_path, expected):
    for choice in ("problem", "overlap", "wait", "depth", "neighbours"):
        assert {getattr(case, choice) for case in DEVICE_CASES} >= set(CHOICES[choice]) - {
            "heat 1-D"
        }
    output = tmp_path / "found.json"
    done = mpirun(3, SCRIPT, str(output), "emulated:5", timeout=300)
    assert done.returncode == 0, done.stderr
    found = json.loads(output.read_text(encoding="utf-8"))
    assert len(found) == len(DEVICE_CASES)
    wanted = {
        n: {"crc": expected[n]["crc"], "reductions": [expected[n]["reductions"]] * 3} for n in found
    }
    differing = [n for n in found if found[n] != wanted[n]]
    assert not differing, "\n".join(name_of(int(n)) for n in differing)


def test_cases_of_one_problem_run_on_different_decompositions():
    splits = {
        case.distribute(case.make(), 8)[0].cuts for case in CASES if case.problem == "cavity 3-D"
    }
    assert len(splits) > 2
    assert isinstance(CASES[0], Case)
