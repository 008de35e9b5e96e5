"""Flows give the same bits on a device, here an emulated one, as on the processor."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from small_flows import SETUPS, fingerprint, run

import halocline as hc

CASES = [
    ("D2Q9 solid beside a mirror", "in-place"),
    ("D2Q9 velocity and pressure", "two-grids"),
    ("D2Q9 profile and outflow", "in-place"),
    ("D2Q9 pressure drop", "two-grids"),
    ("D2Q9 bodies", "in-place"),
    ("D2Q9 bodies and open sides", "two-grids"),
    ("D2Q9 swinging force", "in-place"),
    ("D2Q9 16 bits", "two-grids"),
    ("D3Q19 walls", "in-place"),
]


@pytest.mark.parametrize(("name", "streaming"), CASES)
def test_flow(name, streaming):
    setup = replace(SETUPS[name], streaming=streaming)
    poisoned = hc.Strategy(poison=True)
    expected = fingerprint(run(setup, strategy=poisoned)[0])
    for seed in range(3):
        options = {"strategy": poisoned, "blocks": 2, "device": f"emulated:{seed}"}
        assert fingerprint(run(setup, **options)[0]) == expected
