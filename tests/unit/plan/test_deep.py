"""Deep halos, postponed waits, waits for any message, one message a field."""

import time
from math import lcm

import numpy as np
import pytest
import stencils
from planning import line, plans

import halocline as hc
from halocline.errors import PlanError
from halocline.language.steps.steps import check_steps
from halocline.plan.cells.strategy import Strategy
from halocline.plan.program.binding import bind
from halocline.plan.schedule import layout_checks
from halocline.plan.schedule.layout import make_layouts
from halocline.plan.schedule.schedule import make_schedule
from halocline.plan.value import operations as ops


@hc.kernel
def average(a, b):
    b[0] = 0.5 * (a[-1] + a[1])


@hc.kernel
def double(a, b):
    b[0] = 2.0 * a[0]


def diffusion(**options):
    grid = hc.Grid((24,), periodic=True)
    a, b = grid.field("a"), grid.field("b")
    strategy = Strategy(overlap="none", **options)
    return plans(grid, [average(a, b), hc.swap(a, b)], ranks=2, strategy=strategy)[0]


def cells_of(plan):
    return [
        sum(box.cells for op in step if isinstance(op, ops.Run) for _, box in op.boxes)
        for step in plan.steps
    ]


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_there_is_one_exchange_in_as_many_steps_as_halos_are_deep(depth):
    plan = diffusion(depth=depth)
    # After two steps the fields are where they were.
    assert len(plan.steps) == lcm(2, depth)
    starts = [sum(isinstance(op, ops.Start) for op in ops.walk(step)) for step in plan.steps]
    assert starts == ([1] + [0] * (depth - 1)) * (len(plan.steps) // depth)
    for exchange in plan.exchanges:
        assert sum(part.box.cells for m in exchange.receives for part in m.parts) == 2 * depth


def test_the_rim_that_is_recomputed_shrinks_by_a_cell_in_each_step():
    assert cells_of(diffusion(depth=4)) == [12 + 6, 12 + 4, 12 + 2, 12]


def test_a_depth_too_large_for_the_block_is_said():
    with pytest.raises(PlanError) as error:
        diffusion(depth=13)
    assert str(error.value) == (
        "Halos of depth 13 make field 'a' need 13 cells from its neighbours along x, but the "
        "narrowest block has only 12 there. Use a smaller depth, fewer ranks or another "
        "decomposition."
    )


def test_a_depth_far_too_large_is_said_at_once():
    problem = stencils.cavity((16, 16, 16), False)
    started = time.process_time()
    with pytest.raises(PlanError, match="Halos of depth 20 make field 'f' need 20 cells"):
        plans(problem, ranks=2, strategy=Strategy(depth=20))
    assert time.process_time() - started < 10


@pytest.mark.parametrize("name", ["heat 2-D", "waves 2-D", "cavity 2-D, interleaved"])
@pytest.mark.parametrize("periodic", ["none", "all", "first"])
def test_halos_that_are_not_planned_yet_are_as_wide_as_when_they_are(name, periodic):
    problem = stencils.make(name, periodic, "float64")
    program = bind(problem.grid, check_steps(tuple(problem.steps)), 0)
    for depth in (5, 6):
        strategy = Strategy(depth=depth)
        planned = make_layouts(program, make_schedule(program, strategy))
        assert layout_checks._extrapolated(program, strategy) == planned


def test_a_postponed_wait_comes_before_the_first_kernel_that_reads():
    grid = hc.Grid((24,), periodic=True)
    a, b, c, d = map(grid.field, "abcd")
    steps = [double(c, d), average(a, b), hc.swap(a, b)]
    strategy = Strategy(overlap="postponed")
    plan = plans(grid, steps, ranks=2, strategy=strategy)[0]
    assert line(plan) == ["start", "run double all", "wait", "run average all"]


def test_kernels_after_a_swap_are_computed_while_messages_travel():
    grid = hc.Grid((24,), periodic=True)
    a, b = grid.field("a"), grid.field("b")
    steps = [average(a, b), hc.swap(a, b), double(a, b), hc.swap(a, b)]
    plan = plans(grid, steps, ranks=2, strategy=Strategy(tiles=1))[0]
    assert line(plan) == [
        *("start", "run average core", "run double core", "wait"),
        *("run average rim", "run double rim"),
    ]


def test_a_swap_does_not_join_kernels_that_would_need_wider_halos():
    grid = hc.Grid((24,), periodic=True)
    a, b = grid.field("a"), grid.field("b")
    steps = [average(a, b), hc.swap(a, b), average(a, b), hc.swap(a, b)]
    plan = plans(grid, steps, ranks=2, strategy=Strategy(overlap="none"))[0]
    once = ["start", "wait", "run average all"]
    assert line(plan) == once + once


def test_waiting_for_any_message_computes_the_pieces_that_have_arrived():
    problem = stencils.heat((12, 12), (True, True))
    plan = plans(problem, ranks=4, strategy=Strategy(wait="any"))[0]
    waits = [op for op in plan.operations() if isinstance(op, ops.WaitAny)]
    wait = next(wait for wait in waits if wait.arrivals)
    assert len(wait.arrivals) > 1
    receives = plan.exchanges[wait.exchange].receives
    assert all(set(a.messages) <= set(range(len(receives))) for a in wait.arrivals)


def test_one_message_a_field_has_parts_of_one_field_each():
    problem = stencils.waves((12, 12), (True, True))
    together, apart = (
        plans(problem, ranks=2, strategy=Strategy(overlap="none", messages=messages))[0]
        for messages in ("neighbour", "field")
    )
    assert all(len({part.field for part in m.parts}) == 1 for e in apart.exchanges for m in e.sends)
    sent = [sum(len(m.parts) for e in p.exchanges for m in e.sends) for p in (together, apart)]
    assert sent[0] == sent[1]
    assert sum(len(e.sends) for e in apart.exchanges) > sum(
        len(e.sends) for e in together.exchanges
    )


@hc.kernel
def _grow(side):
    side[0] = side + 1.0


@hc.kernel
def _look(T, seen):
    seen[0, 0] = T[-1, 0]


@pytest.mark.parametrize("choices", [{}, {"depth": 2}, {"steps_in_cache": 2}])
def test_boundaries_of_each_step_have_the_field_that_gives_them_in_that_step(choices):
    grid = hc.Grid((4, 5))
    T, seen, side = grid.field("T"), grid.field("seen"), grid.field("side", axes="y")
    T.boundary("x-", hc.Dirichlet(side))
    steps = [_grow(side), _look(T, seen)]
    simulation = hc.Simulation(grid, steps, strategy=hc.Strategy(**choices), target="numpy")
    simulation.run(2, progress=False)
    assert (seen.gather()[0] == 2 * 2.0).all()  # T itself is 0 beside the side


@hc.kernel
def _from_below(u, seen):
    seen[0, 0] = u[0, -2]


@hc.kernel
def _continued(u):
    u[0, 0] = u[-1, 0]


@hc.kernel
def _east(u):
    u[0, 0] = hc.where(hc.index("y") % 2 == 1, u[0, 1], u)


@pytest.mark.parametrize("overlap", ["none", "core-first", "rim-first", "postponed"])
def test_whole_halos_come_when_nobody_reads_the_layers_that_they_overwrite(overlap):
    """Only half of the layer is filled, for every other row of 'seen': a neighbour's is not."""
    grid = hc.Grid((6, 12), periodic=(False, True))
    u, seen = grid.field("u"), grid.coarsen((1, 2)).field("seen", location="x_face")
    u.boundary("x+", _continued)
    u.set(lambda x, y: x + y * y)
    strategy = hc.Strategy(width="full", overlap=overlap, depth=2, poison=True)
    steps = [_from_below(u, seen), _east(u)]
    hc.Simulation(grid, steps, blocks=2, strategy=strategy, target="numpy").run(1, progress=False)
    expected = (np.minimum(np.arange(7), 5) + 0.5)[:, None] + (np.arange(6) * 2 - 1.5) ** 2
    np.testing.assert_array_equal(seen.gather()[:, 1:], expected[:, 1:])
