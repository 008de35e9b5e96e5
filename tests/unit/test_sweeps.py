"""Sweeps: what they carry, where they run, and what they refuse."""

import time

import numpy as np
import pytest

import halocline as hc
from halocline.errors import KernelError
from halocline.plan.pipeline import plan_for

POISON = hc.Strategy(poison=True)


def run(grid, steps, **options):
    simulation = hc.Simulation(grid, steps, **{"target": "numpy", "strategy": POISON} | options)
    simulation.run(1, progress=False)


@hc.sweep("y+")
def count(number, field):
    field[0, 0] = number
    return number + 1.0


@hc.sweep("y-")
def total(above, result, read):
    result[0, 0] = above
    return above + read[0, 0]


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("sign", ["+", "-"])
def test_cells_that_one_coarser_cell_spans_follow_each_other(order, sign):
    grid = hc.Grid((2, 6))
    fine, coarse = grid.field("fine"), grid.coarsen((1, 3)).field("coarse")
    coarse.set(lambda x, y: 0 * x + y)
    sweep = hc.sweep("y" + sign)(total.function if order == 1 else _total_reversed)
    run(grid, sweep(*(fine, coarse)[::order]), blocks=2, decomposition=(1, 2))
    # The coarse values are 1.5 and 4.5.
    upwards, downwards = [0, 1.5, 3, 4.5, 9, 13.5], [16.5, 15, 13.5, 9, 4.5, 0]
    expected = upwards if sign == "+" else downwards
    assert fine.gather()[0].tolist() == expected


def _total_reversed(above, read, result):
    result[0, 0] = above
    return above + read[0, 0]


def test_last_faces_along_and_beside_the_columns_are_computed():
    grid = hc.Grid((2, 3))
    along, beside = grid.field("along", location="y_face"), grid.field("beside", location="x_face")
    run(grid, [count(along), count(beside)])
    assert along.gather().tolist() == [[0, 1, 2, 3]] * 2
    assert beside.gather().tolist() == [[0, 1, 2]] * 3


def test_a_side_that_a_boundary_prescribes_is_swept_too():
    grid = hc.Grid((2, 3))
    w = grid.field("w", location="y_face")
    w.boundary("y-", hc.Dirichlet(7.0))
    run(grid, count(w))
    assert w.gather().tolist() == [[7, 1, 2, 3]] * 2


def test_sweeps_of_fields_with_other_axes_have_carries_of_their_own():
    grid = hc.Grid((2, 3, 2))
    flat, deep = grid.field("flat", axes="xy"), grid.field("deep")

    @hc.sweep("y+")
    def count_deep(number, field):
        field[0, 0, 0] = number
        return number + 1.0

    run(grid, [count(flat), count_deep(deep)])
    assert flat.gather()[1].tolist() == deep.gather()[1, :, 1].tolist() == [0, 1, 2]


def test_carries_begin_all_at_once():
    grid = hc.Grid((2, 3))
    field, a, b = grid.field("field"), grid.field("a", axes="x"), grid.field("b", axes="x")
    a.set(1.0)
    b.set(2.0)

    @hc.sweep("y+")
    def exchange(carry, field):
        field[0, 0] = carry[0]
        return carry[1], carry[0]

    run(grid, exchange(field, start=(b, a), end=(a, b)))
    assert field.gather()[0].tolist() == [2, 1, 2]
    assert (a.gather()[0], b.gather()[0]) == (1, 2)


def test_a_carry_of_whole_numbers_begins_with_one():
    grid = hc.Grid((2, 3))
    field, last = grid.field("field", dtype="int32"), grid.field("last", axes="x", dtype="int32")

    @hc.sweep("y+")
    def count_whole(number, field):
        field[0, 0] = number
        return number + 1

    run(grid, count_whole(field, start=5, end=last))
    assert (field.gather()[0].tolist(), last.gather()[0]) == ([5, 6, 7], 8)
    with pytest.raises(KernelError, match=r"start with 0\.5; expected a whole number"):
        count_whole(field, start=0.5, end=last)


def test_a_boundary_of_what_a_sweep_reads_is_not_given_by_the_field_for_the_end():
    grid = hc.Grid((4, 3), periodic=(False, True))
    u, last = grid.field("u", location="x_face"), grid.field("last", axes="y")
    u.boundary("x-", hc.Dirichlet(last))

    @hc.sweep("x-")
    def along(carry, u):
        return carry + u[0, 0]

    with pytest.raises(KernelError, match="a boundary of which is given by 'last'; expected"):
        run(grid, along(u, start=1.0, end=last))


def test_a_field_for_the_end_is_used_for_nothing_else():
    grid = hc.Grid((2, 3))
    field, last = grid.field("field"), grid.field("last", axes="x")

    @hc.sweep("y+")
    def add(number, field, other):
        field[0, 0] = number + other[0]
        return number

    with pytest.raises(KernelError, match="'last' for the end of a carry and once more"):
        add(field, last, end=last)
    with pytest.raises(KernelError, match="'last' for the end of a carry and once more"):
        count(field, end=last, on=last)


def test_a_carry_has_the_columns_that_are_swept():
    grid = hc.Grid((2, 4))
    field = grid.field("field")
    other = grid.coarsen(2).field("other", axes="x")
    pair = grid.field("pair", axes="x", components=2)
    for wrong in (other, pair):
        with pytest.raises(KernelError, match="expected a field on 'x' of 2 cells and one comp"):
            count(field, start=wrong)


@pytest.mark.parametrize("cuts", [1, 3])
def test_blocks_that_a_box_does_not_reach_hand_the_carry_on(cuts):
    grid = hc.Grid((2, 6))
    field, last = grid.field("field"), grid.field("last", axes="x")
    copy = grid.field("copy")

    @hc.kernel
    def read(copy, last):
        copy[0, 0] = last[0]

    steps = [count(field, start=3.0, end=last, on=hc.Box((0, 2), (2, 4))), read(copy, last)]
    run(grid, steps, blocks=cuts, decomposition=(1, cuts))
    assert copy.gather().tolist() == [[5.0] * 6] * 2


def test_what_a_sweep_hands_on_is_computed_again_with_what_it_assigns():
    """A carry that is read in a halo follows from all that the sweep reads in that column."""
    grid = hc.Grid((9, 5), periodic=True)
    read, result, seen = (grid.field(name) for name in ("read", "result", "seen"))

    @hc.kernel
    def look(result, seen):
        seen[0, 0] = result[-2, 0]

    read.set(lambda x, y: x + 10 * y)
    run(grid, [total(result, read, start=0.75), look(result, seen)], blocks=3, decomposition=(3, 1))
    assert np.array_equal(seen.gather(), np.roll(result.gather(), 2, axis=0))
    assert not np.isnan(seen.gather()).any()


@pytest.mark.parametrize("direction", ["z+", "z-"])
def test_a_plan_of_a_sweep_looks_at_blocks_in_line_only(direction):
    grid = hc.Grid((100, 100, 8))
    field, out = grid.field("field"), grid.field("out")

    @hc.sweep(direction)
    def integral(before, field, out):
        out[0, 0, 0] = before
        return before + field[0, 0, 0]

    started = time.process_time()
    plan = plan_for(
        grid,
        [integral(field, out, start=0.0)],
        ranks=40_000,
        rank=20_000,
        decomposition=(100, 100, 4),
        check_every=0,
    )
    assert time.process_time() - started < 1.0
    (block,) = plan.blocks
    others = {
        n for e in plan.exchanges for m in (*e.sends, *e.receives) for n in (m.source, m.target)
    }
    assert others <= {block.number % 10_000 + 10_000 * n for n in range(4)}
    assert len(others) > 1


def test_a_sweep_is_not_computed_again_beyond_an_end_that_closes():
    grid = hc.Grid((2, 4), periodic=True)
    field, seen = grid.field("field"), grid.field("seen")

    @hc.kernel
    def look(seen, field):
        seen[0, 0] = field[0, -1]

    run(grid, [count(field), look(seen, field)])
    assert seen.gather()[0].tolist() == [3, 0, 1, 2]


def test_a_sweep_that_only_reads_runs_where_the_finest_field_lies():
    grid = hc.Grid((3, 4), periodic=(False, True))
    read, line, last = (
        grid.field("read"),
        grid.field("line", axes="y"),
        grid.field("last", axes="x"),
    )
    read.set(lambda x, y: 0 * x + y)
    line.set(1.0)

    @hc.sweep("y+")
    def add(number, line, read):
        return number + read[0, 1] * line[0]

    run(grid, add(line, read, end=last))
    assert np.array_equal(last.gather(), [8.0] * 3)
