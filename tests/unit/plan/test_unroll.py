"""Swaps become names of storages: rounds of steps, passes of loops, what comes home."""

import pytest

import halocline as hc
from halocline.language.steps.steps import check_steps
from halocline.language.steps.tree import Every, Repeat, Swap, mapped, walk
from halocline.plan.program.arrangement import INITIAL, Arrangement
from halocline.plan.program.binding import bind
from halocline.plan.program.program import Called, all_launches


@hc.kernel
def double(a, b):
    b[0] = 2.0 * a[0]


@pytest.fixture
def fields():
    grid = hc.Grid((8,), periodic=True)
    return grid, *map(grid.field, "abc")


def names(items):
    return ["".join(launch.names) for launch in all_launches(items)]


def test_two_fields_that_are_swapped_make_a_round_of_two_steps(fields):
    grid, a, b, _ = fields
    program = bind(grid, [double(a, b), hc.swap(a, b)], 0)
    assert [names(step) for step in program.steps] == [["ab"], ["ba"]]
    assert program.ends == (Arrangement((("a", "b"), ("b", "a"))), INITIAL)
    assert program.groups == {"a": {"a", "b"}, "b": {"a", "b"}}


def test_three_fields_that_take_turns_make_a_round_of_three(fields):
    grid, a, b, c = fields
    program = bind(grid, [double(a, b), hc.swap(a, b), hc.swap(b, c)], 0)
    assert [names(step) for step in program.steps] == [["ab"], ["bc"], ["ca"]]


def test_what_is_swapped_there_and_back_is_one_step(fields):
    grid, a, b, _ = fields
    steps = [double(a, b), hc.swap(a, b), double(a, b), hc.swap(a, b), double(a, b)]
    assert [names(step) for step in bind(grid, steps, 0).steps] == [["ab", "ba", "ab"]]


@pytest.mark.parametrize(("count", "after"), [(4, "ab"), (5, "ba")])
def test_a_loop_has_as_many_passes_as_take_turns(fields, count, after):
    grid, a, b, c = fields
    step = bind(grid, [hc.repeat(count, double(a, b), hc.swap(a, b)), double(a, c)], 0).steps[0]
    loop, last = step
    assert isinstance(loop, Repeat)
    assert (loop.count, [names(one) for one in loop.body]) == (count, [["ab"], ["ba"]])
    assert last.names == (after[0], "c")


def test_what_is_done_now_and_then_ends_with_swaps(fields):
    grid, a, b, _ = fields
    steps = [hc.every(3, double(a, b), hc.swap(a, b), double(a, b)), double(a, b)]
    ((rare, last),) = bind(grid, steps, 0).steps
    assert isinstance(rare, Every)
    assert names(rare.body) == ["ab", "ba"]
    assert rare.body[-1] in (Swap("a", "b"), Swap("b", "a"))
    assert last.names == ("a", "b")


def test_functions_know_where_fields_lie(fields):
    grid, a, b, _ = fields
    steps = bind(grid, check_steps((hc.swap(a, b), print)), 0).steps
    found = [item.where for step in steps for item in step if isinstance(item, Called)]
    assert found == [Arrangement((("a", "b"), ("b", "a"))), INITIAL]


def test_swaps_bring_every_field_where_it_is_wanted():
    turned = INITIAL.after(Swap("a", "b")).after(Swap("b", "c"))
    assert [turned.storage(name) for name in "abcd"] == ["b", "c", "a", "d"]
    assert [turned.field(name) for name in "abcd"] == ["c", "a", "b", "d"]
    other = INITIAL.after(Swap("a", "c"))
    for first, last in ((turned, INITIAL), (INITIAL, turned), (turned, other), (other, other)):
        contents = {first.storage(name): name for name in "abcd"}
        for swap in first.swaps_to(last):
            here, there = swap.first, swap.second
            contents[here], contents[there] = contents[there], contents[here]
        assert contents == {last.storage(name): name for name in "abcd"}


def test_trees_are_walked_and_mapped_in_order():
    tree = (1, Repeat(2, ((2,), (3, Every(4, (4,))))), 5)
    assert [node for node in walk(tree) if isinstance(node, int)] == [1, 2, 3, 4, 5]
    twice = mapped(tree, lambda leaf: [leaf, leaf] if leaf > 3 else [])
    assert twice == (Repeat(2, ((), (Every(4, (4, 4)),))), 5, 5)
