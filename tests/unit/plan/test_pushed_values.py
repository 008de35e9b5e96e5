"""PushedValues: which block has the values that a kernel has assigned next door."""

from __future__ import annotations

import halocline as hc
from halocline.geometry import Box, box_of
from halocline.plan.cells.reach import Need, own_moved, within
from halocline.plan.pipeline import plan_for
from halocline.plan.program.binding import bind
from halocline.plan.schedule.pushed import PushedValues
from halocline.plan.value.operations import Start

DOMAIN = box_of((8, 6))
EAST = (1, 0)


@hc.kernel
def hand_on(f):
    f[1, 0] = 2.0 * f[1, 0]


@hc.kernel
def double(f):
    f[0, 0] = 2.0 * f


@hc.kernel
def sum_up(f, total):
    total[0, 0] = f[0, 0]


def launches(*kernels, periodic=False):
    grid = hc.Grid((8, 6), periodic=periodic)
    f = grid.field("f")
    return bind(grid, [kernel(f) for kernel in kernels], 0).steps[0]


def after(*items) -> PushedValues:
    pushed = PushedValues()
    for item in items:
        pushed = pushed.after(item)
    return pushed


def test_at_first_everybody_has_their_own_cells():
    pushed = PushedValues()
    assert pushed.returning() == pushed.to(PushedValues()) == frozenset()
    away = Need("f", 0, own_moved(EAST, DOMAIN))
    assert pushed.located([away, Need("f", 0, within(DOMAIN))]) == {away}


def test_what_is_assigned_next_door_is_held_next_door():
    pushed = after(*launches(hand_on))
    written = Box((1, 0), (9, 6))
    assert pushed.pieces == {("f", 0): {(written, EAST)}}
    assert pushed.returning() == {Need("f", 0, own_moved((0, 0), written), EAST)}


def test_who_reads_where_it_is_held_needs_nothing():
    pushed = after(*launches(hand_on))
    inside = Box((1, 0), (8, 6))
    assert pushed.located([Need("f", 0, own_moved(EAST, inside))]) == frozenset()
    assert pushed.located([Need("f", 0, within(inside))]) == {Need("f", 0, within(inside), EAST)}


def test_assigning_at_home_brings_all_of_it_home():
    pushed = after(*launches(hand_on, double))
    (piece,) = pushed.pieces["f", 0]
    assert piece == (Box((8, 0), (9, 6)), EAST), "only beyond the domain is it still next door"


def test_what_is_spread_and_brought_home_is_where_it_was():
    pushed = after(*launches(hand_on))
    assert PushedValues().to(pushed) == {Need("f", 0, own_moved(EAST, Box((1, 0), (9, 6))))}
    assert pushed.to(pushed) == frozenset()


def exchanged(plan) -> list[int]:
    return [op.exchange for op in plan.operations() if isinstance(op, Start)]


def test_values_come_home_before_they_are_looked_at():
    grid = hc.Grid((8, 6), periodic=True)
    f = grid.field("f")
    found = hc.sum(f)
    plan = plan_for(grid, [hand_on(f), found], ranks=2, decomposition=(2, 1), check_every=0)
    home = plan.exchanges[exchanged(plan)[-1]]
    (part,) = [part for message in home.receives for part in message.parts]
    assert part.box == Box((0, 0), (1, 6)), "the neighbour has computed the first own column"


def test_after_the_last_step_values_come_home():
    grid = hc.Grid((8, 6), periodic=True)
    plan = plan_for(grid, [hand_on(grid.field("f"))], ranks=2, decomposition=(2, 1), check_every=0)
    assert [len(end) > 0 for end in plan.epilogues] == [True]
    ordinary = plan_for(hc.Grid((8, 6)), [], check_every=0)
    assert ordinary.epilogues == ((),)
