"""What lies along borders of a forest's levels: corners apart, and no more than is used there."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from plain_forests import PlainForest

import halocline as hc
from halocline.box_array import BoxArray
from halocline.geometry import Box
from halocline.language.spaces.role import Role
from halocline.language.steps.steps import check_steps
from halocline.language.steps.subcycling import on_forest
from halocline.lbm import Refinement, Setup, make_flow, trt
from halocline.plan.blocks.choice import decomposition_for
from halocline.plan.blocks.level_corners import corner_cells
from halocline.plan.exchange.beside_leaves import BesideLeaves, Towards, by_towards
from halocline.plan.value import operations as ops


@hc.kernel
def smooth(T, T_new):
    T_new[0, 0, 0] = T[0, 0, 0] + 0.1 * hc.laplacian(T)


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
    for key, boxes in corner_cells(made.leaves, 0).items():
        first = [4 * int(n) for n in np.unravel_index(key, made.leaves.shape)]
        for box in boxes:
            found[box.shift(first).slices((0,) * dimensions)] += 1
    assert (found == corners_seen(refined, periodic)).all()


@pytest.fixture(scope="module")
def plan():
    """The plan of a flow in a periodic cube with a refined one in its middle."""

    def wanted(x, y, z):
        return (abs(x - 12) < 4) & (abs(y - 12) < 4) & (abs(z - 12) < 4)

    flow = make_flow(Setup((24,) * 3, "D3Q19", 1.6, trt(), refinement=Refinement(wanted, 1, 4)))
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


def cells_of(plan, role):
    """Return how many cells the blocks of a role have."""
    levels = plan.decomposition.levels
    return levels.boxes.take(levels.having(lambda one: one == role)).cells.sum()


def test_what_passes_through_corners_is_computed_beside_them_alone(plan):
    role_of = plan.decomposition.levels.role_of
    assert {role_of(number) for _, number in runs(plan, "pass_corners")} == {Role("corner", 0)}
    # In the layer of covered cells those that lie at most two from two sides of the refined cube.
    at = np.minimum(np.arange(8), 7 - np.arange(8))
    near = np.sort([np.broadcast_to(one, (8,) * 3) for one in np.ix_(at, at, at)], axis=0)
    is_corner = (near[0] == 0) & (near[1] <= 1)
    assert cells_of(plan, Role("corner", 0)) == is_corner.sum()
    assert cells_of(plan, Role("covered", 0)) == ((near[0] == 0) & ~is_corner).sum() == 6 * 4 * 4


def test_what_passes_through_an_edge_is_found_along_it_alone(plan):
    found = runs(plan, "find_differences")
    # A cube has twelve edges; through each pass two of twelve diagonal populations.
    assert sum(box.cells for box in found.values()) == 12 * 8 * 2
    assert len({component for component, _ in found}) == 12 * 2


def test_fields_that_kernels_alone_use_are_stored_where_these_run(plan):
    (name,) = (one.name for one in plan.layouts if one.name.startswith("passing_corners"))
    layout = plan.layout(name)
    assert {role for role, _ in layout.halos} == {Role("corner", 0)}
    assert not layout.is_stored_on(Role("leaf", 0))


@pytest.mark.parametrize("seed", range(3))
def test_cells_with_leaves_two_ways_out_are_found_in_each_covered_block(seed):
    extent, periodic = (16, 24, 16), (True, False, True)
    some = np.random.default_rng(seed).random([n // 4 for n in extent]) < 0.3

    def wanted(*at):
        return np.where(some[tuple(np.asarray(a // 4, int) for a in at)], 1, 0)

    forest = hc.Forest(extent, block=4, finest=1, refine=wanted, periodic=periodic)
    steps = check_steps(on_forest([smooth(forest.field("T"), forest.field("T_new"))]))
    split = decomposition_for(forest.grid, 1, steps=steps)
    covered = split.levels.having(lambda role: role == Role("covered", 0))
    ways = ((1, 0, 0), (0, -1, 0)), ((0, 0, -1), (0, 1, 0)), ((1, 1, 0), (0, 0, 1))
    space = forest.grid.space_with("xyz")
    near = BesideLeaves(split, covered)
    refined = ~PlainForest(extent, 4, 1, wanted, periodic).is_leaf[0]
    patch = np.arange(len(covered))
    boxes = BoxArray.of([split.block(number).box for number in covered])
    for one, other in ways:
        found = near.limited(by_towards([Towards(space, (one, other))]), 0 * patch, patch, boxes)
        is_there = refined & shifted(~refined, one, periodic) & shifted(~refined, other, periodic)
        for box, around in zip(boxes.every(), found.boxes(), strict=True):
            at = np.argwhere(is_there[box.slices((0,) * 3)]) + box.lower
            right = Box(tuple(at.min(axis=0)), tuple(at.max(axis=0) + 1)) if len(at) else None
            assert around == right


def test_of_19_populations_a_flat_border_makes_five_each_way(plan):
    role_of = plan.decomposition.levels.role_of
    back, ahead = runs(plan, "coalesce"), runs(plan, "explode")
    covered = {number for _, number in back if role_of(number).kind == "covered"}
    assert {sum(number == n for _, number in back) for n in covered} == {5}
    cells = {}
    for (_, number), box in ahead.items():
        cells.setdefault(number, []).append(box.cells)
    # Of some blocks large parts lie beyond edges of the border, where four more are made.
    assert {sum(n >= max(found) // 2 for n in found) for found in cells.values()} == {5, 9}


def test_explosion_gets_no_covered_cells(plan):
    fields = {field for field in ("f", "f_next") if plan.layout(field).space.level == 0}
    sources = {
        plan.decomposition.levels.role_of(part.source)
        for exchange in plan.exchanges
        for part in exchange.copies
        if part.field in fields and plan.decomposition.levels.role_of(part.target).kind == "ghost"
    }
    assert sources == {Role("leaf", 0)}


def test_blocks_are_stored_with_the_halo_that_their_own_kernels_ask_for(plan):
    layout = plan.layout("f_level1")
    widths, of_next = dict(layout.halos), dict(plan.layout("f_next_level1").halos)
    none, one = (((n,) * 3,) * 2 for n in (0, 1))
    assert widths[Role("leaf", 1)] == of_next[Role("leaf", 1)] == of_next[Role("covered", 0)] == one
    # What passes through an edge or corner is found where it passes, from children alone.
    assert widths[Role("corner", 0)] == one == (layout.lower, layout.upper)
    # Populations do not stream in ghost patches, but are got from where explosion puts them.
    assert widths[Role("ghost", 1)] == none
    assert Role("leaf", 0) not in widths


def test_patches_store_nothing_that_nobody_uses_there(plan):
    f, f_next = plan.layout("f_level1"), plan.layout("f_next_level1")
    assert f.is_stored_on(Role("ghost", 1))
    assert not f_next.is_stored_on(Role("ghost", 1))
    # Coalescence is between the second sub-step and the swap.
    assert f_next.is_stored_on(Role("covered", 0))
    assert not f.is_stored_on(Role("covered", 0))
    patches = [block for block in plan.blocks_with(f.space) if block.role == Role("covered", 0)]
    assert all(f.stored(block).is_empty and f_next.stored(block).cells for block in patches)
