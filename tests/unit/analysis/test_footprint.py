"""Footprints and costs."""

import pickle

import pytest
import stencils

import halocline as hc
from halocline.analysis.cost import cost
from halocline.analysis.footprint import footprint
from halocline.lbm import velocity_set


def collision(extent):
    return stencils.cavity(extent, periodic=True).steps[0].kernel


def crossing(kernel, direction):
    """Return the components of 'f' read from the neighbour in a direction."""
    return {
        access.component
        for access in footprint(kernel).accesses
        if access.field == "f"
        for offset in access.offsets
        if all(d in (0, o) for o, d in zip(offset, direction, strict=True))
    }


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("sign", [-1, 1])
def test_d3q19_pulls_five_components_across_each_side(axis, sign):
    direction = tuple(sign if a == axis else 0 for a in range(3))
    found = crossing(collision((4, 4, 4)), direction)
    assert found == set(velocity_set("D3Q19").towards(axis, -sign))
    assert len(found) == 5


def test_d3q19_pulls_one_component_across_an_edge_and_none_across_a_corner():
    kernel = collision((4, 4, 4))
    assert len(crossing(kernel, (1, -1, 0))) == 1
    assert crossing(kernel, (1, 1, 1)) == set()


def test_d2q9_pulls_three_components_across_a_side_and_one_across_a_corner():
    kernel = collision((4, 4))
    assert len(crossing(kernel, (1, 0))) == 3
    assert len(crossing(kernel, (1, 1))) == 1


def test_reads_and_writes_are_told_apart():
    grid = hc.Grid((8,), periodic=True)

    @hc.kernel
    def upwind(u, v, w):
        v[0] = u[-2] + w[0]
        w[0] = u[1]

    found = footprint(upwind(*map(grid.field, "uvw")).kernel)
    table = {a.field: (a.offsets, bool(a.written)) for a in found.accesses}
    assert table == {"u": (((-2,), (1,)), False), "v": ((), True), "w": (((0,),), True)}
    assert (found.width(0, -1), found.width(0, 1)) == (2, 1)


def test_footprint_prints_as_a_table():
    kernel = stencils.heat((8, 8), periodic=True).steps[0].kernel
    assert str(footprint(kernel)) == (
        "footprint of diffuse\n"
        "  T\n"
        "    component 0: read at (-1,0) (0,-1) (0,0) (0,+1) (+1,0)\n"
        "  T_new\n"
        "    component 0: written\n"
        "  halo width: x- 1, x+ 1, y- 1, y+ 1"
    )


def test_footprint_survives_pickling():
    found = footprint(collision((4, 4)))
    assert pickle.loads(pickle.dumps(found)) == found


def test_cost_counts_every_component_once_and_shared_expressions_once():
    grid = hc.Grid((8,), periodic=True)

    @hc.kernel
    def square(a, b):
        total = a[1] + a[-1]
        b[0] = total * total

    found = cost(square(grid.field("a"), grid.field("b", dtype="float32")).kernel)
    assert (found.bytes_read, found.bytes_written, found.flops) == (8, 4, 2)


@pytest.mark.parametrize(("dtype", "size"), [("float64", 304), ("float32", 152)])
def test_d3q19_on_two_grids_moves_38_numbers_a_cell(dtype, size):
    kernel = stencils.cavity((4, 4, 4), periodic=True, dtype=dtype).steps[0].kernel
    assert cost(kernel).bytes == size
