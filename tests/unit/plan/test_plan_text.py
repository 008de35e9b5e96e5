"""Plans print as text that a person can read."""

import stencils

import halocline as hc
from halocline.plan.cells.strategy import Strategy
from halocline.plan.pipeline import plan_for


def test_a_plan_of_one_rank_of_two():
    problem = stencils.heat((40, 10), (True, True))
    plan = plan_for(problem.grid, problem.steps, ranks=2, rank=1, strategy=Strategy(tiles=2))
    assert str(plan) == (
        "plan of rank 1 of 2: 2x1 blocks, direct neighbours, minimal width, "
        "overlap core-first, transport auto\n"
        "block   1    [20,40) x [0,10)\n"
        "step 1\n"
        "  start   exchange 0\n"
        "            copy within the rank: T y- 1, T y+ 1, 320 bytes\n"
        "  wait    exchange 0\n"
        "  start   exchange 1\n"
        "            → rank 0: T x- 1, T x+ 1, 160 bytes\n"
        "            ← rank 0: 160 bytes\n"
        "  run     diffuse              core             90 cells in 1 box\n"
        "  poll    exchange 1\n"
        "  run     diffuse              core             90 cells in 1 box\n"
        "  wait    exchange 1\n"
        "  run     diffuse              rim              20 cells in 2 boxes, late\n"
        "  every   100 steps\n"
        "    check   T\n"
        "step 2 as step 1 with T and T_new exchanged\n"
        "after step 1, if it is the last\n"
        "  swap    T, T_new"
    )


def test_loops_reductions_functions_and_poison_have_a_line_each():
    grid = hc.Grid((8,), periodic=True)
    a, b = grid.field("a"), grid.field("b")

    @hc.kernel
    def average(a, b):
        b[0] = 0.5 * (a[-1] + a[1])

    def observe():
        pass

    steps = [hc.repeat(4, average(a, b), hc.swap(a, b)), hc.sum(a), hc.every(5, observe)]
    text = str(plan_for(grid, steps, strategy=Strategy(poison=True)))
    for line in (
        "  loop    2 times",
        "    poison  a, 1 components",
        "  reduce  sum of a[0]",
        "  every   5 steps",
        "    call    observe",
        "  check   a",
    ):
        assert line in text.splitlines() or "  " + line in text.splitlines()


def test_the_plan_says_when_something_happens_once():
    grid = hc.Grid((8, 8), periodic=True)
    a, b = grid.field("a"), grid.field("b")

    @hc.kernel
    def left(a, b):
        b[0, 0] = a[0, -1]

    assert "\nonce\n  start   exchange 0" in str(plan_for(grid, [left(a, b)]))
