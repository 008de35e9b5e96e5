"""What lies along borders of a forest's levels: corners apart, and no more than is used there."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from plain_forests import PlainForest

import halocline as hc
from halocline.apps.lbm.collision import trt
from halocline.apps.lbm.flow import Setup, make_flow
from halocline.apps.lbm.levels import Refinement
from halocline.language.spaces.role import Role
from halocline.plan import operations as ops
from halocline.plan.level_corners import corner_cells


def shifted(cells, offset, periodic):
    """Return whether the cell so far away is one of some, none beyond sides that are closed."""
    for axis, (n, turns) in enumerate(zip(offset, periodic, strict=True)):
        cells = np.roll(cells, -n, axis)
        if n and not turns:
            beyond = [slice(None)] * cells.ndim
            beyond[axis] = slice(-1, None) if n > 0 else slice(0, 1)
            cells[tuple(beyond)] = False
    return cells


def corners_seen(refined, periodic):
    """Return refined cells that have, or are beside one that has, others along two ways."""
    ways = [o for o in product((-1, 0, 1), repeat=refined.ndim) if any(o)]
    outside = {o: shifted(~refined, o, periodic) for o in ways}
    found = np.zeros_like(refined)
    for one, other in product(ways, repeat=2):
        if not any(a and b for a, b in zip(one, other, strict=True)):
            found |= refined & outside[one] & outside[other]
    near = found.copy()
    for way in ways:
        near |= shifted(found, way, periodic)
    return near & refined


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("seed", range(5))
def test_corners_are_the_refined_cells_beside_two_ways_out_and_those_next_to_them(seed, dimensions):
    extent, periodic = (16, 24, 16)[:dimensions], (True, False, True)[:dimensions]
    some = np.random.default_rng(seed).random([n // 4 for n in extent]) < 0.3

    def wanted(*at):
        return np.where(some[tuple(np.asarray(a // 4, int) for a in at)], 1, 0)

    made = hc.Forest(extent, block=4, finest=1, refine=wanted, periodic=periodic)
    refined = ~PlainForest(extent, 4, 1, wanted, periodic).is_leaf[0]
    found = np.zeros(extent, int)
    for boxes in corner_cells(made.leaves, 0).values():
        for box in boxes:
            found[box.slices((0,) * dimensions)] += 1
    assert (found == corners_seen(refined, periodic)).all()


@pytest.fixture(scope="module")
def plan():
    """The plan of a flow in a periodic square with a refined one in its middle."""
    near = Refinement(lambda x, y: np.where(np.maximum(abs(x - 16), abs(y - 16)) < 8, 1, 0), 1, 8)
    flow = make_flow(Setup((32, 32), "D2Q9", 1.6, trt(), refinement=near))
    return hc.Simulation(flow.grid, flow.steps, strategy=hc.Strategy()).plan


def runs(plan, name):
    """Return the boxes in which a kernel runs, by components and blocks."""
    return {
        (statement.component, number): box
        for run in plan.operations()
        if isinstance(run, ops.Run) and plan.launches[run.launch].kernel.name == name
        for statement in plan.launches[run.launch].kernel.statements
        for number, box in run.boxes
    }


def test_what_passes_through_corners_is_computed_beside_them_alone(plan):
    roles = plan.decomposition.roles
    assert {roles[number] for _, number in runs(plan, "pass_corners")} == {Role("corner", 0)}
    cells = [box.cells for box in plan.decomposition.on_level(0)]
    corners = [n for n, role in enumerate(roles) if role == Role("corner", 0)]
    covered = [n for n, role in enumerate(roles) if role == Role("covered", 0)]
    assert sum(cells[n] for n in corners) == 4 * 3
    assert sum(cells[n] for n in covered) == 4 * (16 - 4)


def test_beside_a_flat_border_three_populations_of_nine_are_made_each_way(plan):
    roles = plan.decomposition.roles
    back, ahead = runs(plan, "coalesce"), runs(plan, "explode")
    covered = {number for _, number in back if roles[number].kind == "covered"}
    assert {sum(number == n for _, number in back) for n in covered} == {3}
    ghosts = {number for _, number in ahead}
    per_block = [sum(number == n for _, number in ahead) for n in ghosts]
    assert min(per_block) == 3


def test_explosion_gets_no_covered_cells(plan):
    fields = {field for field in ("f", "f_next") if plan.layout(field).space.level == 0}
    for exchange in plan.exchanges:
        for part in exchange.copies:
            if part.field in fields and plan.decomposition.roles[part.target].kind == "ghost":
                assert plan.decomposition.roles[part.source] == Role("leaf", 0)


def test_blocks_are_stored_with_the_halo_that_their_own_kernels_ask_for(plan):
    layout = plan.layout("f_level1")
    widths = dict(layout.halos)
    assert widths[Role("leaf", 1)] == ((1, 1), (1, 1))
    assert widths[Role("ghost", 1)] == ((1, 1), (1, 1))
    assert widths[Role("covered", 0)] == ((1, 1), (1, 1))
    assert widths[Role("corner", 0)] == ((3, 3), (3, 3)) == (layout.lower, layout.upper)
    assert Role("leaf", 0) not in widths
