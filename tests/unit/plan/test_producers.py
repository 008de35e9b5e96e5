"""Boundaries run with the kernel that reads them where one cell, or cells of one row, read each."""

from __future__ import annotations

import pytest
import stencils
from planning import line, plans

import halocline as hc
from halocline.lbm import FreeSlip, Setup, Velocity, Wall, make_flow, trt
from halocline.plan.cells.strategy import Strategy
from halocline.plan.pipeline import plan_for


@hc.kernel
def diffuse(T, T_new):
    T_new[0, 0] = T + 0.125 * hc.laplacian(T)


@hc.kernel
def smooth(T, T_new):
    T_new[0, 0] = T[-1, -1] + T[-1, 0] + T[-1, 1]


@hc.kernel
def step_along(T, T_new):
    T_new[0, 0] = T[-1, 0] + T[-2, 0]


@hc.kernel
def wide_star(T, T_new):
    T_new[0, 0] = T[-2, 0] + T[-1, 0] + T[1, 0] + T[2, 0] + T[0, -2] + T[0, -1] + T[0, 1] + T[0, 2]


@hc.kernel
def look(T, seen):
    seen[0, 0] = T[-1, 0]


@hc.kernel
def scale(T, other):
    other[0, 0] = 2.0 * T[-1, 0]


@hc.kernel
def from_first(T, other):
    T[0, 0] = other[1, 0]


@hc.kernel
def from_second(T, other):
    T[0, 0] = other[2, 0]


@hc.kernel
def ends(T):
    T[0, 0] = 1.0 - T[1, 0]


def _plan(*kernels, sides=("x-", "x+", "y-", "y+"), boundary=None):
    """Return the plan of kernels that read T and write another field each."""
    grid = hc.Grid((9, 7), periodic=[a + "-" not in sides for a in "xy"])
    T = grid.field("T")
    others = [grid.field(f"other_{number}") for number in range(len(kernels))]
    for side in sides:
        T.boundary(side, boundary(others[0]) if boundary else hc.Dirichlet(1.0))
    steps = [kernel(T, other) for kernel, other in zip(kernels, others, strict=True)]
    return plan_for(grid, steps, check_every=0)


def producer_counts(plan) -> dict[str, int]:
    """Return how many producers each kernel has."""
    return {launch.kernel.name: len(launch.kernel.inlined) for launch in plan.launches}


def test_conditions_on_all_sides_feed_a_kernel_that_reads_each_once():
    plan = _plan(diffuse)
    assert producer_counts(plan) == {"diffuse": 4}
    assert line(plan) == ["run diffuse all"]
    assert "63 cells in 1 box, with 4 inlined boundary kernels in 32 cells" in str(plan)
    producers = plan.launches[0].kernel.inlined
    assert sorted(f.layer for f in producers) == [(0, -1), (0, 1), (1, -1), (1, 1)]
    assert {f.offsets for f in producers} == {((-1, 0),), ((1, 0),), ((0, -1),), ((0, 1),)}


def test_a_value_that_cells_of_several_rows_read_is_computed_before():
    assert not any(producer_counts(_plan(smooth, sides=("x-", "x+"))).values())


def test_a_value_that_several_cells_of_a_row_read_is_computed_with_the_row():
    plan = _plan(step_along, sides=("x-", "x+"))
    producers = plan.launches[-1].kernel.inlined
    assert line(plan) == ["run step_along all"]
    assert {(f.layer, f.offsets) for f in producers} == {
        ((0, -1), ((-2, 0), (-1, 0))),
        ((0, -2), ((-2, 0),)),
    }
    assert "63 cells in 1 box, with 2 inlined boundary kernels in 14 cells" in str(plan)


def test_layers_across_y_of_which_only_one_feeds_a_row_leave_those_across_x_to_it():
    plan = _plan(wide_star)
    (kernel,) = {launch.code for launch in plan.launches if not launch.is_layer}
    assert sorted(f.layer for f in kernel.inlined) == [
        (0, -2), (0, -1), (0, 1), (0, 2), (1, -2), (1, 2),
    ]  # fmt: skip


def test_a_value_that_a_second_kernel_reads_is_computed_before_both():
    found = producer_counts(_plan(diffuse, look))
    assert found["diffuse"] == 3
    assert found["look"] == 0


@pytest.mark.parametrize(("rule", "count"), [(from_first, 1), (from_second, 0)])
def test_what_a_boundary_reads_may_be_overwritten_by_the_cell_it_feeds_only(rule, count):
    plan = _plan(scale, sides=("x-",), boundary=lambda other: lambda T, on: rule(T, other, on=on))
    assert producer_counts(plan) == {rule.name: 0, "scale": 0} if count == 0 else {"scale": 1}


def test_a_layer_of_a_periodic_grid_feeds_nobody():
    grid = hc.Grid((9, 7), periodic=True)
    T, T_new = grid.field("T"), grid.field("T_new")
    plan = plan_for(grid, [ends(T, on="x-"), diffuse(T, T_new)], check_every=0)
    assert all(count == 0 for count in producer_counts(plan).values())


@pytest.mark.parametrize("streaming", ["two-grids", "in-place"])
def test_all_walls_of_a_closed_box_feed_the_collisions(streaming):
    sides = {a + s: Wall() for a in "xyz" for s in "-+"}
    flow = make_flow(Setup((8, 7, 9), "D3Q19", 1.2, trt(), sides, None, streaming=streaming))
    for plan in plans(flow.grid, flow.steps, ranks=4):
        assert {launch.kernel.name for launch in plan.launches} <= {
            "collide_stream",
            "collide_in_place",
        }
        assert all(len(launch.kernel.inlined) == 30 for launch in plan.launches)


def test_what_another_boundary_reads_is_computed_before_that():
    # The velocity in the first cells follows from what the walls let arrive there.
    sides = {"x-": Velocity((0.05, 0.0)), "x+": Wall(), "y-": Wall(), "y+": FreeSlip()}
    flow = make_flow(Setup((8, 7), "D2Q9", 1.2, trt(), sides, None))
    plan = plan_for(flow.grid, flow.steps, check_every=0)
    apart = {launch.kernel.name for launch in plan.launches if launch.is_layer}
    assert {name.rstrip("_123") for name in apart} == {"wall", "free_slip"}
    (collision,) = {launch.code for launch in plan.launches if not launch.is_layer}
    producing = {producer.kernel.name for producer in collision.inlined}
    assert {name.rstrip("_123") for name in producing} == {"wall", "free_slip", "open_side"}


@pytest.mark.parametrize(
    "strategy",
    [Strategy(), Strategy(overlap="rim-first"), Strategy(overlap="postponed"), Strategy(depth=2)],
)
def test_every_rank_compiles_the_same_kernels(strategy):
    problem = stencils.heat((12, 12), (True, False))
    codes = [
        {launch.code for launch in plan.launches}
        for plan in plans(problem, ranks=6, strategy=strategy, decomposition=(2, 3))
    ]
    assert all(found == codes[0] for found in codes)


def test_producers_run_on_blocks_at_sides_only():
    problem = stencils.heat((12, 12), (True, False))
    first, middle, last = plans(problem, ranks=3, decomposition=(1, 3))
    for plan, expected in ((first, [True, False]), (middle, [False] * 2), (last, [False, True])):
        for layers in plan.layers:
            (boxes,) = layers.values()
            assert [box is not None for box in boxes] == expected
