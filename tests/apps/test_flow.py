"""Flows: streaming in place is streaming on two grids, bit for bit, with every boundary."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from small_flows import EXTENTS, SETUPS, fingerprint, run

import halocline as hc
from halocline.apps.lbm.boundaries import Outflow, Velocity, Wall
from halocline.apps.lbm.flow import Setup, make_flow
from halocline.errors import CaseError, GridError


@pytest.mark.parametrize("name", SETUPS)
def test_streaming_in_place_gives_the_bits_of_two_grids(name):
    expected = fingerprint(run(SETUPS[name])[0])
    assert fingerprint(run(replace(SETUPS[name], streaming="in-place"))[0]) == expected


@pytest.mark.parametrize("streaming", ["two-grids", "in-place"])
@pytest.mark.parametrize("name", [n for n in SETUPS if n.startswith("D2Q9")])
def test_blocks_with_poisoned_halos_give_the_same_bits(name, streaming):
    expected = fingerprint(run(SETUPS[name])[0])
    setup = replace(SETUPS[name], streaming=streaming)
    for overlap, neighbours in (("core-first", "direct"), ("rim-first", "staged")):
        strategy = hc.Strategy(poison=True, overlap=overlap, neighbours=neighbours)
        flow, _ = run(setup, decomposition=(2, 2), blocks=4, strategy=strategy)
        assert fingerprint(flow) == expected


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


def test_a_mask_without_solid_cells_changes_nothing():
    plain = SETUPS["D2Q9 walls"]
    nothing = np.zeros(plain.extent, bool)
    assert fingerprint(run(replace(plain, solid=nothing))[0]) == fingerprint(run(plain)[0])


def wrong(kind=CaseError, **changes) -> str:
    with pytest.raises(kind) as caught:
        make_flow(replace(Setup((8, 6), "D2Q9", 1.0), **changes))
    return str(caught.value)


def test_solid_cells_of_another_shape_are_refused():
    assert wrong(solid=np.zeros((6, 8), bool)) == (
        "The solid cells have the shape (6, 8); expected (8, 6), that of the grid. Axes come in "
        "the order x, y, z."
    )


def test_an_open_side_that_is_solid_is_refused():
    solid = np.zeros((8, 6), bool)
    solid[0] = True
    sides = {"x-": Velocity((0.1, 0.0)), "x+": Outflow(0.1)}
    assert wrong(solid=solid, sides=sides) == (
        "Side 'x-' is open, but all of its cells are solid. Leave fluid cells there, or make the "
        "side a wall."
    )


def test_solid_cells_right_behind_an_outflow_are_refused():
    solid = np.zeros((8, 6), bool)
    solid[-2, 3] = True
    sides = {"x-": Velocity((0.1, 0.0)), "x+": Outflow(0.1)}
    assert "'x+' is an outflow, but has solid cells right behind it" in wrong(
        solid=solid, sides=sides
    )


def test_a_boundary_on_one_side_of_an_axis_only_is_refused():
    assert wrong(sides={"x-": Wall()}) == (
        "Side 'x-' was given a boundary, but 'x+' none. Give both sides of an axis boundaries, or "
        "none for a periodic axis."
    )


def test_unknown_sides_and_streamings_name_the_nearest():
    assert "There is no side 'z-'." in wrong(GridError, sides={"z-": Wall()})
    assert wrong(streaming="inplace") == (
        "There is no streaming 'inplace'. Did you mean 'in-place'?"
    )


def test_a_lattice_of_other_dimensions_is_refused():
    assert "has 2 dimensions, but the extent is (4, 4, 4)" in wrong(extent=(4, 4, 4))
