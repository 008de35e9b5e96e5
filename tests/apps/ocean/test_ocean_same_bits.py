"""Oceans have the same bits on emulated devices, on several blocks, and with any strategy."""

from __future__ import annotations

import numpy as np
import pytest
from many_ranks import in_turn
from small_oceans import SETUPS, fingerprint, run

import halocline as hc

WAYS = {
    "blocks": {"blocks": 4, "strategy": hc.Strategy(poison=True, recompute="all")},
    "few bytes": {"blocks": 4, "strategy": hc.Strategy(poison=True, recompute="fewest-bytes")},
    "device": {"device": "emulated:5"},
}


@pytest.mark.parametrize(("way", "name"), in_turn(list(WAYS), SETUPS))
def test_oceans_have_the_same_bits(way, name):
    assert fingerprint(run(SETUPS[name], **WAYS[way])[0]) == fingerprint(run(SETUPS[name])[0])


def test_blocks_of_equal_water_have_the_same_bits():
    setup = SETUPS["tide and wind"]
    wet = setup.domain.is_wet
    found, simulation = run(setup, decomposition=hc.Bisection(wet, narrowest=8), blocks=4)
    assert fingerprint(found) == fingerprint(run(setup)[0])
    boxes = [block.box for block in simulation.plan.decomposition.blocks_of(0)]
    water = [wet[b.lower[0] : b.upper[0], b.lower[1] : b.upper[1]].sum() for b in boxes]
    assert len(boxes) == 4
    assert max(water) < 1.1 * np.mean(water)


def test_blocks_without_water_are_dropped_with_the_same_bits():
    setup = SETUPS["tide and wind"]
    wet = setup.domain.is_wet
    found, _ = run(setup, decomposition=hc.Sparse(wet, (5, 5)))
    fields = (found.zeta, found.U, found.V)
    whole, _ = run(setup)
    for a, b in zip(fields, (whole.zeta, whole.U, whole.V)):
        inside = np.isfinite(a.gather())
        assert np.array_equal(a.gather()[inside], b.gather()[inside])
