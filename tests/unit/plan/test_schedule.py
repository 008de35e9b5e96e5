"""What is exchanged when: chains, constants, loops, functions."""

import pytest
import stencils
from planning import fields_of, line, plans, started

import halocline as hc
from halocline.plan.cells.strategy import Strategy
from halocline.plan.schedule import fusion as joining


@pytest.fixture
def grid():
    return hc.Grid((12,), periodic=True)


def two(grid, steps, **options):
    """Return the plan of the first of two ranks, without core and rim."""
    strategy = options.pop("strategy", Strategy(overlap="none"))
    return plans(grid, steps, ranks=2, strategy=strategy, **options)[0]


@hc.kernel
def average(a, b):
    b[0] = 0.5 * (a[-1] + a[1])


@hc.kernel
def add(a, b):
    b[0] = b[0] + a[0]


def test_two_kernels_on_a_staggered_grid_share_one_exchange_by_recomputing():
    problem = stencils.waves((12, 12), (True, True))
    plan = plans(problem, ranks=4, decomposition=(2, 2), strategy=Strategy(overlap="none"))[0]
    assert line(plan) == ["start", "wait", "run momentum_2 all", "run continuity_2 all"]
    runs = [op for op in plan.steps[0] if hasattr(op, "boxes")]
    first, second = (op.boxes[0][1].extent for op in runs)
    # The velocities one further than the block's own cells, where the surface reads them.
    assert (first, second) == ((7, 7), (6, 6))


def test_the_shared_exchange_of_a_staggered_grid_is_one_cell_wide():
    problem = stencils.waves((12, 12), (True, True))
    plan = plans(problem, ranks=4)[0]
    assert {w for name in ("eta", "u", "v") for w in plan.layout(name).lower} <= {0, 1}


def test_a_laplacian_of_a_laplacian_takes_two_exchanges(grid):
    a, b, c = map(grid.field, "abc")

    @hc.kernel
    def laplace(a, b):
        b[0] = hc.laplacian(a)

    plan = two(grid, [laplace(a, b), laplace(b, c), hc.swap(a, c)])
    assert line(plan) == [
        *["start", "wait", "run laplace all"],
        *["start", "wait", "run laplace all"],
    ]


def test_a_field_that_never_changes_is_exchanged_once_before_the_first_step(grid):
    a, b = grid.field("a"), grid.field("b")
    plan = two(grid, [average(a, b)])
    assert line(plan) == ["run average all"]
    assert fields_of(started(plan, plan.prologue)) == {"a"}


def test_a_field_not_written_between_two_readers_is_exchanged_once(grid):
    a, b, c = map(grid.field, "abc")
    plan = two(grid, [average(a, b), average(a, c), add(b, a)])
    assert len(started(plan, plan.steps[0])) == 1
    assert fields_of(started(plan, plan.steps[0])) == {"a"}


def test_a_component_that_is_not_written_is_not_exchanged_again(grid):
    f, g = grid.field("f", components=2), grid.field("g")

    @hc.kernel
    def both(f, g):
        g[0] = f[0][1] + f[1][1]
        f[0] = g[0]

    plan = two(grid, [both(f, g)])
    (exchange,) = started(plan, plan.steps[0])
    assert {p.component for m in exchange.receives for p in m.parts} == {0}


def test_copies_beyond_a_periodic_side_are_exchanged_when_a_part_of_the_axis_is_written():
    grid = hc.Grid((4, 12), periodic=True)
    a, b = grid.field("a"), grid.field("b")

    @hc.kernel
    def grow(a):
        a[0, 0] = a[0, 0] + 1.0

    @hc.kernel
    def below(a, b):
        b[0, 0] = a[0, -1]

    last, first = hc.Box((0, 11), (4, 12)), hc.Box((0, 0), (4, 1))
    plan = two(grid, [grow(a, on=last), below(a, b, on=first)], decomposition=(1, 2))
    assert line(plan) == ["start", "wait", "run below all"]


def test_a_swap_takes_validity_along(grid):
    a, b, c = map(grid.field, "abc")
    plan = two(grid, [add(c, a), average(a, c), hc.swap(a, b), average(b, c)])
    # 'b' is the old 'a', whose halo is still valid.
    assert line(plan) == ["start", "wait", "run add all", "run average all", "run average all"]


def test_what_is_swapped_and_never_changed_is_exchanged_once(grid):
    a, b, c = map(grid.field, "abc")
    plan = two(grid, [average(a, c), hc.swap(a, b)])
    assert line(plan) == ["run average all"]
    assert fields_of(started(plan, plan.prologue)) == {"a", "b"}


def test_repeat_becomes_a_loop_with_its_exchange_inside(grid):
    a, b = grid.field("a"), grid.field("b")
    plan = two(grid, [hc.repeat(7, average(a, b), hc.swap(a, b))])
    once = ["start", "wait", "run average all"]
    # The fields take turns: rounds of two passes, and then one more.
    assert line(plan) == ["Repeat", *once, *once, *once]
    assert plan.steps[0][0].count == 3


def test_what_a_loop_does_not_change_is_exchanged_before_it(grid):
    a, b, c = map(grid.field, "abc")
    plan = two(grid, [add(c, a), hc.repeat(3, average(a, b))])
    assert line(plan) == ["run add all", "start", "wait", "Repeat", "run average all"]


def test_what_a_loop_reads_and_nobody_changes_is_exchanged_once(grid):
    a, b = map(grid.field, "ab")
    plan = two(grid, [hc.repeat(3, average(a, b))])
    assert line(plan) == ["Repeat", "run average all"]
    assert fields_of(started(plan, plan.prologue)) == {"a"}


def test_every_is_planned_on_its_own(grid):
    a, b, c = map(grid.field, "abc")
    plan = two(grid, [average(a, b), hc.swap(a, b), hc.every(2, average(a, c))])
    body = ["start", "wait", "run average all", "Every"]
    assert line(plan)[:4] == body
    assert line(plan)[-1] == "run average all"


def test_after_a_function_everything_valid_is_exchanged_again(grid):
    a, b = grid.field("a"), grid.field("b")
    plan = two(grid, [average(a, b), lambda: None])
    assert line(plan) == ["run average all", "CallFunction", "start", "wait"]
    assert fields_of(started(plan, plan.steps[0])) == {"a"}


def test_core_first_computes_between_start_and_wait():
    plan = plans(stencils.heat((40,), (True,)), ranks=2, strategy=Strategy(tiles=3))[0]
    core = "run diffuse core"
    assert line(plan) == [
        "start", core, "poll", core, "poll", core, "wait", "run diffuse rim",
    ]  # fmt: skip


def test_rim_first_sends_what_it_has_just_computed():
    strategy = Strategy(overlap="rim-first", tiles=1)
    plan = plans(stencils.heat((40,), (True,)), ranks=2, strategy=strategy)[0]
    assert line(plan) == ["run diffuse rim", "start", "run diffuse core", "wait"]
    assert fields_of(started(plan, plan.steps[0])) == {"T_new"}
    assert fields_of(started(plan, plan.prologue)) == {"T"}


@pytest.mark.parametrize("overlap", ["core-first", "rim-first"])
def test_overlapped_limits_how_many_kernels_have_a_core(overlap):
    problem = stencils.waves((24,), (True,))
    strategy = Strategy(overlap=overlap, overlapped=1, tiles=1)
    words = line(plans(problem, ranks=2, strategy=strategy)[0])
    cores = [word for word in words if word.endswith("core")]
    assert cores == [f"run {'momentum' if overlap == 'core-first' else 'continuity'}_1 core"]


def test_poison_comes_before_what_is_fetched(grid):
    a, b = grid.field("a"), grid.field("b")
    strategy = Strategy(overlap="none", poison=True)
    words = line(two(grid, [average(a, b), hc.swap(a, b)], strategy=strategy))
    assert words[: words.index("start")] == ["Poison"] * words.index("start")
    assert words.index("start") >= 1


def test_what_need_not_be_looked_at_to_lengthen_a_chain_would_not_change_the_plan(monkeypatch):
    def planned(recompute):
        grid = hc.Grid((12, 12), periodic=(True, False))
        a, b, c = (grid.field(name) for name in "abc")
        a.boundary("y-", hc.Neumann(0.0))
        a.boundary("y+", hc.Neumann(0.0))
        # Each reads results in its own cells alone, or next door, or of a field of the next half.
        steps = [spread(a, b), stay(b, c), spread(a, c), stay(c, a), spread(a, b), stay(b, c)]
        strategy = Strategy(recompute=recompute)
        return plans(grid, [*steps, hc.swap(a, c), *steps], ranks=2, strategy=strategy)

    @hc.kernel
    def spread(a, b):
        b[0, 0] = b[0, 0] + a[1, 0] + a[0, -1]

    @hc.kernel
    def stay(a, b):
        b[0, 0] = 0.5 * b[0, 0] + a[0, 0]

    for recompute in ("rim", "fewest-bytes"):
        known = planned(recompute)
        with monkeypatch.context() as patch:
            patch.setattr(joining, "_reads_own_results", lambda *_: False)
            assert planned(recompute) == known
