"""Random programs on ranks give the bits of plain NumPy, by any strategy."""

from __future__ import annotations

from functools import cache

import pytest
from many_ranks import Ranks, mpi, virtual
from parallel.random_programs import occurred
from property.runs import RELAY, share
from property.sample import RANKS, numbers_of
from property.wanted import IN_WAYS, ON_RANKS


@cache
def occurred_on(ranks: Ranks) -> set[str]:
    """Return what occurred on some ranks; each number is launched once."""
    numbers = numbers_of(str(ranks))
    return set(ranks(occurred, numbers, timeout=300 + 10 * len(numbers)))


@pytest.mark.parametrize("ranks", RANKS, ids=str)
def test_ranks_compute_what_numpy_does(ranks):
    assert f"ranks={ranks.size}" in occurred_on(ranks)


def test_every_way_to_run_programs_occurred_on_ranks():
    missing = (IN_WAYS | ON_RANKS) - set().union(*map(occurred_on, RANKS))
    assert not missing, missing


@pytest.mark.parametrize("kind", [virtual, pytest.param(mpi, marks=pytest.mark.slow)])
def test_runs_go_on_from_checkpoints_on_other_numbers_of_ranks(kind, tmp_path):
    numbers = list(share("relay"))
    found = set()
    for leg, size in enumerate(RELAY):
        found = set(kind(size)(occurred, numbers, leg, str(tmp_path)))
    assert {f"ranks={size}" for size in RELAY} | {"way=restart"} <= found
