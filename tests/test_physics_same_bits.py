"""Programs of derivatives, stretched axes and boundaries have one result, however they are run."""

from __future__ import annotations

import zlib

import pytest
from many_ranks import mpi, virtual
from parallel import physics_on_ranks
from physics import PROGRAMS, run

import halocline as hc

WAYS = {
    "one block": {},
    "blocks": {"blocks": 4},
    "rim-first": {"strategy": hc.Strategy(overlap="rim-first", poison=True), "blocks": 3},
    "postponed": {"strategy": hc.Strategy(overlap="postponed", tiles=3, poison=True), "blocks": 2},
    "staged": {
        "strategy": hc.Strategy(neighbours="staged", width="full", poison=True),
        "blocks": 4,
    },
    "none": {"strategy": hc.Strategy(overlap="none", poison=True), "blocks": 2},
    "depth 2": {"strategy": hc.Strategy(depth=2, poison=True)},
    "device": {"device": "emulated:3"},
}


def sums(name: str, **options) -> dict[str, int]:
    _, fields = run(name, **options)
    return {field: zlib.crc32(values.tobytes()) for field, values in fields.items()}


@pytest.fixture(scope="module")
def expected():
    return {name: sums(name, target="numpy", threads=1) for name in PROGRAMS}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_one_process_has_the_bits_of_the_interpreter(name, way, expected):
    assert sums(name, threads=1, **WAYS[way]) == expected[name]


@pytest.mark.parametrize("ranks", [virtual(2), virtual(3), virtual(8), mpi(2)], ids=str)
def test_ranks_have_the_same_bits(ranks, expected):
    assert ranks(physics_on_ranks.sums) == {
        f"{name}, {way}": expected[name] for name in PROGRAMS for way in (1, 2)
    }
