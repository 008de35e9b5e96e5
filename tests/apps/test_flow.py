"""Flows: streaming in place is streaming on two grids, bit for bit, with every boundary."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from many_ranks import in_turn
from msgspec.structs import replace
from small_flows import EXTENTS, SETUPS, fingerprint, run

import halocline as hc
from halocline.lbm import Setup, Wall, make_flow

WAYS = {
    f"{streaming}, {overlap}": (
        {"streaming": streaming},
        hc.Strategy(poison=True, overlap=overlap, neighbours=neighbours),
    )
    for overlap, neighbours in (("core-first", "direct"), ("rim-first", "staged"))
    for streaming in ("two-grids", "in-place")
}


@cache
def expected(name):
    """Return what a flow is on one block and two grids."""
    return fingerprint(run(SETUPS[name])[0])


@pytest.mark.parametrize("name", SETUPS)
def test_streaming_in_place_gives_the_bits_of_two_grids(name):
    flow, _ = run(replace(SETUPS[name], streaming="in-place"))
    assert fingerprint(flow) == expected(name)


@pytest.mark.parametrize(
    ("way", "name"), in_turn(list(WAYS), [n for n in SETUPS if n.startswith("D2Q9")])
)
def test_blocks_with_poisoned_halos_give_the_same_bits(way, name):
    more, strategy = WAYS[way]
    flow, _ = run(replace(SETUPS[name], **more), decomposition=(2, 2), blocks=4, strategy=strategy)
    assert fingerprint(flow) == expected(name)


def test_in_place_needs_half_the_memory():
    sizes = {}
    for streaming in ("two-grids", "in-place"):
        flow = make_flow(Setup((8, 8, 8), "D3Q19", 1.0, streaming=streaming))
        sizes[streaming] = sum(f.components for f in flow.grid.fields.values() if f.name[0] == "f")
    assert sizes == {"two-grids": 38, "in-place": 19}


@pytest.mark.parametrize("streaming", ["two-grids", "in-place"])
def test_mass_stays_in_a_closed_domain(streaming):
    solid = SETUPS["D2Q9 solid"].solid
    setup = Setup(EXTENTS["D2Q9"], "D2Q9", 1.4, sides={"y-": Wall(), "y+": Wall()}, solid=solid)
    masses = []
    for steps in (0, 200):
        flow, _ = run(replace(setup, streaming=streaming), steps)
        masses.append(flow.density.gather()[~solid].sum())
    assert masses[1] == pytest.approx(masses[0], rel=1e-14)


@pytest.mark.parametrize("kind", [int, np.uint8, float])
def test_solid_cells_as_zeros_and_ones_are_the_same_as_false_and_true(kind):
    setup = SETUPS["D2Q9 profile and outflow"]
    flow, _ = run(replace(setup, solid=setup.solid.astype(kind)))
    assert fingerprint(flow) == expected("D2Q9 profile and outflow")


def test_a_mask_without_solid_cells_changes_nothing():
    plain = SETUPS["D2Q9 walls"]
    nothing = np.zeros(plain.extent, bool)
    assert fingerprint(run(replace(plain, solid=nothing))[0]) == fingerprint(run(plain)[0])
