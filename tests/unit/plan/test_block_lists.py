"""Decompositions into any boxes: which are refused, who lies beside whom, and what is the same."""

from __future__ import annotations

import time

import numpy as np
import pytest

import halocline as hc
from halocline.errors import PlanError
from halocline.plan.pipeline import plan_for

# Two blocks lie beside the first one on its high side along x, a third one on top of all.
#   3 3 3
#   0 0 2
#   0 0 1
BOXES = (
    hc.Box((0, 0), (4, 4)),
    hc.Box((4, 0), (6, 2)),
    hc.Box((4, 2), (6, 4)),
    hc.Box((0, 4), (6, 6)),
)


def of_blocks(boxes=BOXES, ranks=1, owners=(), periodic=(False, False)):
    return hc.Decomposition.of_blocks((6, 6), periodic, ranks, boxes, owners)


def beside(split, number, direction):
    return [found.number for found, _ in split.base.beside(split.block(number), direction)]


def test_several_blocks_lie_beside_one_on_a_side():
    split = of_blocks()
    assert beside(split, 0, (1, 0)) == [1, 2]
    assert beside(split, 3, (0, -1)) == [0, 2]
    assert beside(split, 1, (1, 0)) == []
    assert beside(of_blocks(periodic=(True, False)), 1, (1, 0)) == [0]


def test_consecutive_blocks_belong_to_one_rank_unless_owners_are_given():
    assert [b.number for b in of_blocks(ranks=2).blocks_of(1)] == [2, 3]
    assert [b.number for b in of_blocks(ranks=2, owners=(0, 1, 0, 1)).blocks_of(1)] == [1, 3]


def refused(*args, **options) -> str:
    with pytest.raises(PlanError) as caught:
        of_blocks(*args, **options)
    return str(caught.value)


def test_blocks_that_overlap_are_refused():
    assert refused((*BOXES[:3], hc.Box((0, 3), (6, 6)))) == (
        "Blocks 0 and 3 overlap in [0,4) x [3,4); expected each cell in one block."
    )


def test_blocks_that_leave_cells_out_are_refused():
    assert refused(BOXES[1:]) == (
        "The blocks leave out 16 of 36 cells; expected each cell in one block."
    )


@pytest.mark.parametrize(
    ("box", "text"),
    [
        (hc.Box((0, 4), (6, 7)), "[0,6) x [4,7)"),
        (hc.Box((0, 4), (6, 4)), "[0,6) x [4,4)"),
        (hc.Box((0,), (6,)), "[0,6)"),
    ],
)
def test_blocks_outside_the_domain_or_without_cells_are_refused(box, text):
    assert refused((*BOXES[:3], box)) == (
        f"Block 3 is {text}; expected a box with cells, inside the domain [0,6) x [0,6)."
    )


def test_no_blocks_at_all_are_refused():
    assert refused(()) == "The blocks leave out 36 of 36 cells; expected each cell in one block."


def test_owners_that_do_not_exist_are_refused():
    assert refused(ranks=2, owners=(0, 1, 2, 0)) == (
        "Block 2 was given to rank 2; there are ranks 0 to 1."
    )
    assert refused(ranks=2, owners=(0, 1, -1, 0)) == (
        "Block 2 was given to rank -1; there are ranks 0 to 1."
    )


def test_a_wrong_number_of_owners_is_refused():
    assert refused(ranks=2, owners=(0, 1, 1)) == (
        "3 owners were given for 4 blocks; expected one each."
    )


def test_a_rank_without_a_block_is_refused():
    assert refused(ranks=3, owners=(0, 2, 2, 0)) == (
        "Rank 1 was given no block; expected at least one block a rank."
    )


def test_blocks_with_a_part_of_a_coarse_cell_are_refused():
    grid = hc.Grid((6, 6))
    grid.coarsen(3)
    with pytest.raises(PlanError, match="cuts x at 4, but the family of grids has a coarser one"):
        plan_for(grid, [], decomposition=of_blocks())


def test_the_plan_tells_the_number_of_blocks():
    grid = hc.Grid((6, 6))
    text = str(plan_for(grid, [], ranks=2, decomposition=of_blocks(ranks=2)))
    assert text.startswith("plan of rank 0 of 2: 4 blocks, direct")
    assert "block   1    [4,6) x [0,2)" in text


def test_blocks_that_meet_a_box_are_found_without_looking_at_all():
    n = 150
    boxes = [hc.Box((x, y), (x + 1, y + 1)) for x in range(n) for y in range(n)]
    split = hc.Decomposition.of_blocks((n, n), (True, True), 1, boxes)
    started = time.process_time()
    for number in range(0, n * n, 20):
        box = split.block(number).box.grow((1, 1), (1, 1))
        assert len(list(split.base.meeting(box))) == 9
    # One after the other, all would be looked at 25 million times.
    assert time.process_time() - started < 3.0


@hc.kernel
def blur(u, v, depth):
    v[0, 0] = u[1, 1] + u[-1, -2] - u[2, 0] * depth[1]


@hc.kernel
def deepen(depth, other):
    other[0] = depth[1] - 0.5 * depth[-1]


@hc.sweep("y+")
def gathered(below, v, column):
    column[0, 0] = below + v[0, 0]
    return below * 0.5 + v[0, 0]


def outcome(decomposition, **choices):
    """Return what some steps make of fields with all axes and of one with few, and a sum of it."""
    grid = hc.Grid((6, 6), periodic=True)
    u, v, column = (grid.field(name) for name in ("u", "v", "column"))
    depth, other = (grid.field(name, axes="y") for name in ("depth", "other"))
    total = hc.sum(depth)
    steps = [
        blur(u, v, depth), deepen(depth, other), hc.swap(depth, other),
        gathered(v, column, start=0.25), hc.swap(u, column), total,
    ]  # fmt: skip
    strategy = hc.Strategy(poison=True, **choices)
    simulation = hc.Simulation(
        grid, steps, decomposition=decomposition, strategy=strategy, target="numpy"
    )
    u.set(lambda x, y: np.sin(x + 2 * y))
    depth.set(lambda y: 1 + 0.1 * y)
    simulation.run(3, progress=False)
    return [*(field.gather().tobytes() for field in (u, v, depth)), total.value]


@pytest.mark.parametrize("neighbours", ["direct", "staged"])
@pytest.mark.parametrize("overlap", ["core-first", "rim-first", "postponed"])
def test_a_list_of_blocks_gives_the_same_bits(neighbours, overlap):
    """Also of a field without an axis, of which blocks have overlapping parts."""
    found = outcome(of_blocks(periodic=(True, True)), neighbours=neighbours, overlap=overlap)
    assert found == outcome(None)
