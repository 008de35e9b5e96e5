"""One rank and many ranks give the same bits, for every program, decomposition and strategy.

Cases that need MPI run on MPI ranks, the others on virtual ranks.
"""

from __future__ import annotations

from functools import cache

import pytest
from many_ranks import Ranks, mpi, slow, virtual
from parallel.cases import CASES, CHOICES, DEVICE_CASES, Case, pairs, pairs_of
from parallel.expected import differing
from parallel.run_cases import results

RANKS = [kind(size) for size in CHOICES["ranks"] for kind in (virtual, mpi)]
# More ranks than cores wait for each other.
MANY = 3


@cache
def computed(ranks: Ranks, *device: str) -> dict[int, dict]:
    """Return what some ranks compute; each number is launched once."""
    return {int(number): found for number, found in ranks(results, *device).items()}


@pytest.mark.parametrize(
    "ranks", [slow(r) if r.kind == "MPI" and r.size > MANY else r for r in RANKS], ids=str
)
def test_fields_and_reductions_have_the_bits_of_the_interpreter_on_one_block(ranks):
    assert not (wrong := differing(computed(ranks), ranks.size)), wrong


def test_stored_cases_have_every_pair_of_choices():
    assert not (missing := pairs() - set().union(*map(pairs_of, CASES))), missing


@pytest.mark.slow
def test_every_pair_of_choices_was_really_run():
    """Of what was wanted, small grids may not allow all: 'case' is what was run in its place."""
    found = [result for ranks in RANKS for result in computed(ranks).values()]
    assert len(found) == len(CASES)
    met = set().union(*(pairs_of(Case(**result["case"])) for result in found))
    assert not (missing := pairs() - met), missing


@pytest.mark.parametrize("ranks", [slow(virtual(3)), mpi(2)], ids=str)
def test_ranks_with_emulated_devices_have_the_same_bits(ranks):
    for choice in ("problem", "overlap", "wait", "depth", "neighbours"):
        assert {getattr(case, choice) for case in DEVICE_CASES} >= set(CHOICES[choice]) - {
            "heat 1-D"
        }
    found = computed(ranks, "emulated:5")
    assert len(found) == len(DEVICE_CASES)
    assert not (wrong := differing(found, ranks.size)), wrong


def test_cases_of_one_problem_run_on_different_decompositions():
    splits = {
        case.distribute(case.make(), 8)[1].cuts for case in CASES if case.problem == "cavity 3-D"
    }
    assert len(splits) > 2
