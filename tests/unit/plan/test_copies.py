"""What is sent of which cells: none that a block has up to date, none that cost less computed."""

import pytest
from planning import fields_of, parts_of, plans, started

import halocline as hc
from halocline.plan.cells.strategy import Strategy


@hc.kernel
def average(a, b):
    b[0, 0] = 0.5 * (a[-1, 0] + a[1, 0])


@hc.kernel
def twice_as_wide(a, b):
    b[0, 0] = 0.5 * (a[-2, 0] + a[2, 0])


@hc.kernel
def across(a, b):
    b[0, 0] = a[1, -1] + a[-1, 1]


@hc.kernel
def double(a, b):
    b[0, 0] = 2.0 * a[0, 0]


@hc.kernel
def add(a, b):
    b[0, 0] = b[0, 0] + a[0, 0]


INNER = hc.Box((2, 1), (10, 5))


@pytest.fixture
def fields():
    grid = hc.Grid((12, 6), periodic=(True, False))
    names = ("a", "b", "c", "d", "w")
    made = {name: grid.field(name) for name in names}
    for field in made.values():
        field.boundary(["y-", "y+"], hc.Neumann(0.0))
    return grid, made


def sent(fields, *steps, recompute="rim"):
    """Return the exchanges of a step of the second of three blocks along x."""
    grid, _ = fields
    strategy = Strategy(overlap="none", recompute=recompute)
    plan = plans(grid, list(steps), ranks=3, decomposition=(3, 1), strategy=strategy)[1]
    return started(plan, plan.steps[0])


def cells_of(exchanges, name):
    parts = [part for e in exchanges for part in parts_of(e) if part.field == name]
    return sum(part.box.cells for part in parts)


def test_what_came_for_all_cells_is_not_sent_again_for_some(fields):
    _, f = fields
    steps = (average(f["a"], f["b"]), average(f["b"], f["c"]), average(f["a"], f["d"], on=INNER))
    exchanges = sent(fields, *steps, average(f["c"], f["w"]), add(f["d"], f["a"]))
    assert [fields_of([e]) for e in exchanges] == [{"a"}, {"b"}, {"c"}]


def test_what_came_for_some_cells_is_not_sent_again_for_all(fields):
    _, f = fields
    steps = (average(f["a"], f["b"], on=INNER), average(f["b"], f["c"]), average(f["a"], f["d"]))
    exchanges = sent(fields, *steps, average(f["c"], f["w"]), add(f["d"], f["a"]))
    assert cells_of(exchanges, "a") == 2 * 6


def test_moves_along_axes_of_which_blocks_have_all_lead_to_no_other_cells(fields):
    _, f = fields
    steps = (average(f["a"], f["b"]), average(f["b"], f["c"]), across(f["a"], f["d"]))
    exchanges = sent(fields, *steps, average(f["c"], f["w"]), add(f["d"], f["a"]))
    assert cells_of(exchanges, "a") == 2 * 6


def test_what_can_be_computed_from_what_comes_anyway_is_not_sent(fields):
    _, f = fields
    steps = [double(f["a"], f["w"]), average(f["w"], f["b"])]
    change = [add(f["b"], f["a"]), add(f["c"], f["a"])]
    only_w = sent(fields, *steps, *change, recompute="fewest-bytes")
    assert fields_of(only_w) == {"w"}
    anyway = sent(fields, *steps, average(f["a"], f["c"]), *change, recompute="fewest-bytes")
    assert (fields_of(anyway), cells_of(anyway, "a")) == ({"a"}, 2 * 6)


def test_no_cell_comes_twice_for_what_is_computed_again(fields):
    _, f = fields
    steps = [double(f["a"], f["w"]), average(f["w"], f["b"]), twice_as_wide(f["a"], f["c"])]
    found = sent(fields, *steps, add(f["b"], f["a"]), add(f["c"], f["a"]), recompute="fewest-bytes")
    assert (fields_of(found), cells_of(found, "a")) == ({"a"}, 2 * 2 * 6)
