"""How wide halos are stored."""

import pytest
import stencils
from planning import plans

import halocline as hc


def layout(grid, steps, name):
    (plan,) = plans(grid, steps)
    return plan.layout(name)


@pytest.mark.parametrize("periodic", [True, False])
def test_the_cavity_stores_one_layer_around_a_block(periodic):
    problem = stencils.cavity((6, 6, 6), periodic)
    for name in ("f", "f_next"):
        found = layout(problem.grid, problem.steps, name)
        assert (found.lower, found.upper) == ((1, 1, 1), (1, 1, 1))


def test_halos_are_as_wide_as_the_reads_on_each_side():
    grid = hc.Grid((8, 8), periodic=True)
    a, b = grid.field("a"), grid.field("b")

    @hc.kernel
    def upwind(a, b):
        b[0, 0] = a[-2, 0] + a[0, 1]

    found = layout(grid, [upwind(a, b)], "a")
    assert (found.lower, found.upper) == ((2, 0), (0, 1))
    assert layout(grid, [upwind(a, b)], "b").lower == (0, 0)


def test_rows_that_may_close_on_themselves_hold_what_is_assigned_beyond_their_ends():
    grid = hc.Grid((7, 4), periodic=True)
    a, b, mask = grid.field("a"), grid.field("b"), grid.field("mask", dtype="uint8")

    @hc.kernel
    def push(a, b):
        b[1, 1] = a[0, 0]

    # It runs where it assigns a block's own cells; where rows close, in all cells of them.
    found = layout(grid, [push(a, b, on=mask)], "b")
    assert (found.lower, found.upper) == ((1, 1), (1, 0))


def test_fields_that_are_swapped_are_stored_alike():
    problem = stencils.heat((8,), (True,))
    found = [layout(problem.grid, problem.steps, name) for name in ("T", "T_new")]
    assert found[0].lower == found[1].lower == (1,)


def test_fields_that_no_kernel_uses_have_no_halo():
    problem = stencils.heat((8,), (True,))
    problem.grid.field("unused")
    assert layout(problem.grid, problem.steps, "unused").lower == (0,)
