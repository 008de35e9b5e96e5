"""Boundary conditions by their values, in one dimension."""

import numpy as np
import pytest

import halocline as hc

INSIDE = np.array([3.0, 5.0, 9.0, 17.0])


@hc.kernel
def look(T, seen):
    for component, offset in enumerate((-2, -1, 0, 1, 2)):
        seen[component] = T[offset]


def layers(low, high, location="center", spacing=1.0):
    """Return the two layers below, the cells and the two layers above."""
    grid = hc.Grid((4,), spacing=spacing)
    T, seen = grid.field("T", location=location), grid.field("seen", components=5)
    T.boundary("x-", low)
    T.boundary("x+", high)
    T.set(INSIDE if location == "center" else [*INSIDE, 0.0])
    hc.Simulation(grid, [look(T, seen)], target="numpy", threads=1).run(1, progress=False)
    found = seen.gather()
    return [*found[0, :2].tolist(), *found[2].tolist(), *found[4, 2:].tolist()]


def test_dirichlet_at_centers_mirrors_about_the_value():
    found = layers(hc.Dirichlet(1.0), hc.Dirichlet(2.0))
    assert found == [2 * 1.0 - 5.0, 2 * 1.0 - 3.0, *INSIDE, 2 * 2.0 - 17.0, 2 * 2.0 - 9.0]


def test_neumann_at_centers_makes_the_difference_across_the_side_the_outward_gradient():
    found = layers(hc.Neumann(4.0), hc.Neumann(-2.0), spacing=0.5)
    # One cell width from mirror to layer, then three.
    assert found == [5.0 + 3 * 2.0, 3.0 + 2.0, *INSIDE, 17.0 - 1.0, 9.0 - 3 * 1.0]


def test_dirichlet_on_the_side_itself_sets_the_value_there_and_mirrors_about_it():
    found = layers(hc.Dirichlet(1.0), hc.Dirichlet(2.0), location="x_face")
    below, own = [2 * 1.0 - 9.0, 2 * 1.0 - 5.0], [1.0, 5.0, 9.0, 17.0]
    # The high side is the face after the last cell.
    assert found == [*below, *own, 2.0, 2 * 2.0 - 17.0]


def test_neumann_on_the_side_itself_takes_the_difference_to_the_first_cell_inside():
    found = layers(hc.Neumann(1.0), hc.Neumann(2.0), location="x_face")
    below, own = [9.0 + 4 * 1.0, 5.0 + 2 * 1.0], [5.0 + 1.0, 5.0, 9.0, 17.0]
    assert found == [*below, *own, 17.0 + 2.0, 17.0 + 2 * 2.0]


def test_a_boundary_may_have_a_value_for_each_component():
    grid = hc.Grid((3,))
    f, seen = grid.field("f", components=2), grid.field("seen", components=2)

    @hc.kernel
    def left(f, seen):
        for q in range(2):
            seen[q] = f[q][-1]

    f.boundary("x-", hc.Dirichlet((1.0, 2.0)))
    hc.Simulation(grid, [left(f, seen)], target="numpy", threads=1).run(1, progress=False)
    assert seen.gather()[:, 0].tolist() == [2.0, 4.0]


def test_a_boundary_value_may_change_between_runs():
    grid = hc.Grid((3,))
    T, seen = grid.field("T"), grid.field("seen", components=5)
    wall = hc.Parameter(1.0)
    T.boundary("x-", hc.Dirichlet(wall))
    T.boundary("x+", hc.Neumann())
    simulation = hc.Simulation(grid, [look(T, seen)], target="numpy", threads=1)
    simulation.run(1, progress=False)
    wall.value = 3.0
    simulation.run(1, progress=False)
    assert seen.gather()[1, 0] == 6.0


@pytest.mark.parametrize(("last", "corner"), [("x-", 2 * 1.0 - 3.0), ("y-", 2 * 2.0 - 1.0)])
def test_where_layers_meet_the_side_declared_last_decides(last, corner):
    grid = hc.Grid((2, 2))
    T, seen = grid.field("T"), grid.field("seen")
    conditions = {"x-": hc.Dirichlet(1.0), "y-": hc.Dirichlet(2.0)}
    for side in sorted(conditions, key=lambda side: side == last):
        T.boundary(side, conditions[side])

    @hc.kernel
    def diagonal(T, seen):
        seen[0, 0] = T[-1, -1]

    T.set(1.0)
    hc.Simulation(grid, [diagonal(T, seen)], target="numpy", threads=1).run(1, progress=False)
    assert seen.gather()[0, 0] == corner


def test_a_kernel_of_ones_own_fills_a_layer():
    grid = hc.Grid((3,))
    T, seen = grid.field("T"), grid.field("seen")

    @hc.kernel
    def twice(T, *, factor):
        T[0] = factor * T[1]

    @hc.kernel
    def left(T, seen):
        seen[0] = T[-1]

    T.set(5.0)
    T.boundary("x-", twice, factor=2.0)
    hc.Simulation(grid, [left(T, seen)], target="numpy", threads=1).run(1, progress=False)
    assert seen.gather().tolist() == [10.0, 5.0, 5.0]
