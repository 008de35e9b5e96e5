"""Values are taken when a field is set: what changes afterwards has no effect."""

import numpy as np
import pytest

import halocline as hc
from halocline.language.grids.initial import planning


def stored(*fields, blocks=1):
    """Return the values of fields once they are stored."""
    hc.Simulation(fields[0].grid, [lambda: None], blocks=blocks, threads=1).run(0, progress=False)
    return [field.gather().tolist() for field in fields]


def test_a_function_sees_what_its_variables_are_when_it_is_given():
    grid = hc.Grid((3,))
    levels = [grid.field(f"level_{n}") for n in range(3)]
    for n, field in enumerate(levels):
        field.set(lambda x: n + 0 * x)  # noqa: B023 (that is the promise)
    assert stored(*levels) == [[0.0] * 3, [1.0] * 3, [2.0] * 3]


def test_an_array_is_copied():
    grid = hc.Grid((3,))
    T = grid.field("T")
    values = np.ones(3)
    T.set(values)
    values[:] = 7.0
    assert stored(T) == [[1.0] * 3]


def test_random_numbers_of_two_fields_differ():
    grid = hc.Grid((3,))
    a, b = grid.field("a"), grid.field("b")
    random = np.random.default_rng(1)
    for field in (a, b):
        field.set(lambda x: random.random(x.shape))
    first, second = stored(a, b)
    assert first != second


def test_the_last_values_count():
    grid = hc.Grid((3,))
    T = grid.field("T")
    T.set(1.0)
    T.set(lambda x: x)
    assert stored(T, blocks=2) == [[0.5, 1.5, 2.5]]


def test_with_a_simulation_a_rank_evaluates_functions_in_its_own_cells():
    grid = hc.Grid((8,))
    T = grid.field("T")
    hc.Simulation(grid, [lambda: None], blocks=4, threads=1)
    seen = []
    T.set(lambda x: seen.append(x.size) or x)
    assert seen == [2, 2, 2, 2]


@pytest.mark.parametrize("when", ["before", "after"])
def test_values_may_be_set_before_and_after_the_simulation_is_made(when):
    grid = hc.Grid((4, 3))
    T, f = grid.field("T"), grid.field("f", components=2, dtype="float32")
    if when == "after":
        simulation = hc.Simulation(grid, [lambda: None], blocks=2, threads=1)
    T.set(lambda x, y: x + 10 * y)
    f.set(lambda x, y: (x, 0.1))
    if when == "before":
        simulation = hc.Simulation(grid, [lambda: None], blocks=2, threads=1)
    simulation.run(0, progress=False)
    x, y = np.arange(4)[:, None] + 0.5, np.arange(3)[None, :] + 0.5
    assert T.gather().tolist() == (x + 10 * y).tolist()
    assert f.gather()[1].tolist() == np.full((4, 3), np.float32(0.1)).tolist()


def test_for_a_plan_alone_nothing_is_evaluated():
    with planning():
        grid = hc.Grid((10**6, 10**6, 10**6))
        grid.field("T").set(lambda x, y, z: pytest.fail("evaluated"))
    assert grid.fields["T"].initial.boxes == ()


def test_an_axis_along_which_values_do_not_change_may_have_one_entry():
    grid = hc.Grid((2, 3, 4))
    T = grid.field("T")
    T.set(np.arange(4.0).reshape(1, 1, 4))
    hc.Simulation(grid, [lambda: None], target="numpy", threads=1).run(0, progress=False)
    assert (T.gather() == np.arange(4.0)).all()
