"""Reaches: one offset, one region, exact cells for every block."""

import time
from itertools import permutations, product
from random import Random

import stencils

import halocline as hc
from halocline.box_array import BoxArray
from halocline.geometry import UNBOUNDED, Box
from halocline.language.steps.steps import check_steps
from halocline.plan.cells.reach import (
    Reaches,
    cells,
    clip,
    drop,
    move,
    moved,
    outermost,
    own_moved,
    within,
)
from halocline.plan.pipeline import plan_for
from halocline.plan.program.binding import bind
from halocline.plan.schedule.schedule import make_schedule
from halocline.plan.schedule.steps import Chain

EVERYWHERE = Box((-UNBOUNDED,), (UNBOUNDED,))


def test_a_move_takes_the_region_along():
    assert move(within(Box((0,), (8,))), (-2,)) == own_moved((-2,), Box((-2,), (6,)))


def test_moving_there_and_back_leads_to_own_cells():
    reach = move(move(within(EVERYWHERE), (3,)), (-3,))
    assert not reach.is_away
    assert reach == within(EVERYWHERE)


def test_what_has_no_bound_keeps_none_when_moved():
    assert moved(Box((-UNBOUNDED,), (4,)), (1,)) == Box((-UNBOUNDED,), (5,))


def test_cells_are_the_moved_block_as_far_as_the_region_goes():
    reach = move(within(Box((1,), (8,))), (-1,))
    blocks = BoxArray.of([Box((4,), (8,)), Box((0,), (4,))])
    assert cells([reach], blocks).around().every() == [Box((3,), (7,)), Box((0,), (3,))]


def test_clip_and_drop_part_a_reach():
    reach = own_moved((1,), Box((0,), (8,)))
    assert clip(reach, Box((2,), (4,))) == (own_moved((1,), Box((2,), (4,))),)
    assert drop(reach, Box((2,), (4,))) == (
        own_moved((1,), Box((0,), (2,))),
        own_moved((1,), Box((4,), (8,))),
    )
    assert clip(reach, Box((9,), (10,))) == ()


def test_a_reach_within_another_of_the_same_offset_is_left_out():
    large, small = own_moved((1,), Box((0,), (8,))), own_moved((1,), Box((2,), (4,)))
    other = own_moved((2,), Box((2,), (4,)))
    for order in permutations((small, large, other)):
        assert set(Reaches(order)) == {large, other}


def test_what_is_taken_of_reaches_and_what_is_left_are_together_all_of_it():
    first, second = own_moved((1,), Box((0,), (8,))), own_moved((2,), Box((6,), (9,)))
    reaches = Reaches([first, second])
    assert set(reaches.take(Box((4,), (7,)))) == {
        own_moved((1,), Box((4,), (7,))),
        own_moved((2,), Box((6,), (7,))),
    }
    assert set(reaches) == {
        own_moved((1,), Box((0,), (4,))),
        own_moved((1,), Box((7,), (8,))),
        own_moved((2,), Box((7,), (9,))),
    }


def test_a_part_of_a_periodic_axis_has_images_beyond_both_sides():
    ring = hc.Grid((6,), periodic=True).space
    assert [box.lower for box in ring.images(Box((5,), (6,)))] == [(-1,), (5,), (11,)]
    assert ring.images(EVERYWHERE) == (EVERYWHERE,)
    assert hc.Grid((6,)).space.images(Box((5,), (6,))) == (Box((5,), (6,)),)


def test_planning_a_chain_between_six_walls_does_not_explode():
    # Two layers on each of six sides, edges and corners included: paths multiply, reaches do not.
    grid = hc.Grid((24, 24, 24))
    fields = [grid.field(name) for name in "abcd"]
    for field in fields:
        for side in ("x-", "x+", "y-", "y+", "z-", "z+"):
            field.boundary(side, hc.Neumann(0.0))

    @hc.kernel
    def blend(a, b, c, d):
        b[0, 0, 0] = a[-1, 1, 0] + a[2, 0, 1]
        c[0, 0, 0] = b[1, 0, -1] + b[0, -2, 0] + a[0, 1, 1]
        d[0, 0, 0] = c[0, 1, 1] + b[-1, 0, 0] + a[1, 1, 0]

    started = time.process_time()
    plan_for(grid, [blend(*fields), hc.swap(fields[0], fields[3])], ranks=8)
    assert time.process_time() - started < 5.0


def test_reaches_between_others_lead_nowhere_else():
    random, dropped = Random(1), 0
    for _ in range(1000):
        periodic = tuple(random.random() < 0.4 for _ in range(2))
        cuts = ((0, 2, 5, 7), (0, 3, 5))
        blocks = hc.Decomposition(cuts, periodic, ranks=1)
        space = hc.Grid((7, 5), periodic=periodic).space
        reaches = [_drawn(random, space) for _ in range(random.randint(2, 25))]
        kept = outermost(Reaches(reaches), space)
        assert set(kept) <= set(reaches)
        dropped += len(set(Reaches(reaches))) - len(kept)
        for block in blocks.blocks_of(0):
            assert _all_cells(kept, block) == _all_cells(reaches, block)
    assert dropped > 500


def _drawn(random, space):
    """Draw a reach up to two cells away: to all of the domain, or to some of it and its layers."""
    offset = tuple(random.randint(-2, 2) for _ in space.extent)
    if random.random() < 0.5:
        return move(within(space.inside), offset)
    lower = tuple(random.randint(-2, n) for n in space.extent)
    upper = tuple(random.randint(l + 1, n + 3) for l, n in zip(lower, space.extent, strict=True))
    return own_moved(offset, random.choice((Box(lower, upper), space.domain)))


def _all_cells(reaches, block):
    owned = BoxArray.of([block.owned])
    boxes = [box for reach in reaches for box in cells([reach], owned).around().every()]
    around = Box((-9, -9), (19, 19))
    return {
        cell
        for box in (box.intersect(around) for box in boxes)
        for cell in product(*map(range, box.lower, box.upper))
    }


def test_deep_halos_between_walls_are_few_reaches():
    # A population is wanted from wherever a path of four steps leads, which walls may turn round.
    problem = stencils.cavity((32, 32, 32), False)
    program = bind(problem.grid, check_steps(tuple(problem.steps)), 0)
    schedule = make_schedule(program, hc.Strategy(depth=4))
    (chain,) = (item for item in schedule.items if isinstance(item, Chain))
    assert 100 < len(chain.fetch) / 19 < 200
