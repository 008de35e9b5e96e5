"""Kernels that read planes again do several of them together: loads are shared, values the same."""

import pytest
import stencils

import halocline as hc
from halocline.codegen.lower import lower
from halocline.codegen.nest import Store
from halocline.codegen.together import planes_together, together
from halocline.plan.pipeline import plan_for


def nest_of(problem, name):
    plan = plan_for(problem.grid, problem.steps)
    return lower(next(one.code for one in plan.launches if one.kernel.name == name))


def nest_of_star(radius, dimensions=3):
    grid = hc.Grid((4 * radius,) * dimensions, periodic=True)
    u, v = grid.field("u"), grid.field("v")

    @hc.kernel
    def star(u, v):
        v[(0,) * dimensions] = u + 0.1 * hc.laplacian(u, accuracy=2 * radius)

    return nest_of(stencils.Problem(grid, [star(u, v), hc.swap(u, v)]), "star")


def test_four_planes_of_seven_points_load_the_column_between_them_once():
    heat = nest_of_star(1)
    assert planes_together(heat) == 4
    four = together(heat, 4)
    # A column of six, and four beside each of the four cells.
    assert len(heat.loads) == 7
    assert len(four.loads) == 6 + 4 * 4
    assert [store.offset for store in four.stores] == [(0, 0, n) for n in range(4)]
    assert four.streamed == tuple(("v", 0, (0, n)) for n in range(4))


def test_every_value_is_made_of_values_before_it_and_loaded_before_anything_is_stored():
    for nest in (nest_of_star(1), nest_of(stencils.waves((8, 8, 8), True), "continuity_3")):
        for count in (2, 4):
            done = together(nest, count)
            kinds = [isinstance(part, Store) for part in done.body]
            assert kinds == sorted(kinds)
            named = [part.value for part in done.body if not isinstance(part, Store)]
            assert named == sorted(set(named))
            assert {store.value for store in done.stores} <= set(named)


@pytest.mark.parametrize(
    ("nest", "count"),
    [
        (nest_of_star(4), 2),
        (nest_of_star(2, dimensions=2), 1),
        (nest_of(stencils.cavity((8, 8, 8), True), "collide_stream"), 1),
    ],
)
def test_as_many_planes_as_registers_hold_and_one_where_none_is_read_again(nest, count):
    assert planes_together(nest) == count
