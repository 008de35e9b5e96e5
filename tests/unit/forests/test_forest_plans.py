"""Plans of forests: as text, for a program that is only looked at, and in files."""

from __future__ import annotations

from textwrap import dedent

import numpy as np
import pytest

import halocline as hc
from halocline.apps.run_options import RunOptions
from halocline.apps.script import script
from halocline.cli.show import show_subject
from halocline.errors import PlanError
from halocline.plan.platform import Platform


@hc.kernel
def smooth(T, T_new):
    T_new[0] = 0.5 * (T[-1] + T[1])


def simulated(low=8.0, **options):
    """Return a simulation of one axis, refined from a coordinate on, and its field."""
    forest = hc.Forest((16,), block=4, finest=1, refine=lambda x: np.where(x > low, 1, 0))
    T, T_new = forest.field("T"), forest.field("T_new")
    for side in forest.sides:
        T.boundary(side, hc.Neumann(0.0))
    steps = [smooth(T, T_new), hc.swap(T, T_new)]
    simulation = hc.Simulation(forest, steps, target="numpy", threads=1, **options)
    T.set(np.sin)
    return simulation, T


def test_the_text_says_level_role_and_depth_of_blocks_and_where_kernels_run():
    simulation, _ = simulated(strategy=hc.Strategy())
    text = str(simulation.plan)
    lines = text.splitlines()
    assert lines[1:6] == [
        "levels  0 to 1; 2 cell(s) beyond each and 1 in place of the finer one are made of the "
        "other level's",
        "block   0    [0,8), level 0",
        "block   1    [8,9), covered of level 0",
        "block   2    [16,32), level 1",
        "block   3    [14,16), ghost of level 1",
    ]
    runs = [line for line in lines if line.startswith("  run ")]
    assert any("smooth" in line and "level 1" in line.split(", ") for line in runs)
    assert any("prolong" in line and line.endswith("ghost of level 1") for line in runs)
    assert any("restrict" in line and line.endswith("covered of level 0") for line in runs)


def test_levels_without_blocks_take_no_steps():
    def done(finest):
        forest = hc.Forest((16,), block=4, finest=finest, refine=lambda x: x > 8, periodic=True)
        T, T_new = forest.field("T"), forest.field("T_new")
        steps = [smooth(T, T_new), hc.swap(T, T_new)]
        simulation = hc.Simulation(forest, steps, target="numpy", strategy=hc.Strategy())
        T.set(np.sin)
        simulation.run(3, progress=False)
        values = [one.tobytes() for level in T.levels for one in level.local()]
        return len(list(simulation.plan.operations())), values

    (least, right), (count, found) = done(2), done(12)
    assert (count, found) == (least, right)


def test_a_program_with_a_forest_can_be_looked_at(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(
        dedent("""
        import halocline as hc

        forest = hc.Forest((16,), block=4, refine=lambda x: x > 8, periodic=True)
        T, T_new = forest.field("T"), forest.field("T_new")

        @hc.kernel
        def smooth(T, T_new):
            T_new[0] = 0.5 * (T[-1] + T[1])

        hc.Simulation(forest, [smooth(T, T_new), hc.swap(T, T_new)]).run(10)
        """)
    )
    problem = script(path)().problem()

    def shown(what):
        return show_subject(what, problem, RunOptions(), (2, 1), Platform())

    assert "block   5    [24,32), level 1" in shown("plan")
    assert "prolong(" in shown("kernel")
    assert "halo width" in shown("footprint")
    assert "'restrict', 'prolong', 'smooth'" in shown("code")


def test_a_plan_from_a_file_gives_the_same_bits(tmp_path):
    path = tmp_path / "forest.plan"
    simulation, T = simulated()
    simulation.write_plan(path)
    again, found = simulated(plan=path)
    assert again.decomposition == simulation.decomposition
    for one in (simulation, again):
        one.run(5, progress=False)
    for level in range(2):
        assert np.array_equal(T.level(level).gather(), found.level(level).gather())


def test_a_plan_for_other_leaves_is_refused(tmp_path):
    path = tmp_path / "forest.plan"
    simulated()[0].write_plan(path)
    with pytest.raises(PlanError) as error:
        simulated(low=12.0, plan=path)
    assert str(error.value) == (
        "The plan or decomposition was made for a forest with other leaves. Write the plan anew, "
        "with the forest as it is refined now."
    )


def test_the_report_counts_cells_of_all_levels_and_how_often_they_step():
    simulation, _ = simulated(low=8.0)
    simulation.run(3, progress=False)
    report = simulation.report()
    assert (report.cells, report.updates) == (8 + 16, 8 + 2 * 16)
    assert str(report).startswith("3 steps of 24 cells, 40 updates each, on 1 rank(s) in ")


def test_a_kernel_that_assigns_next_door_is_refused():
    @hc.kernel
    def push(T, T_new):
        T_new[1] = T[0]

    forest = hc.Forest((16,), block=4, refine=lambda x: x > 8, periodic=True)
    T, T_new = forest.field("T"), forest.field("T_new")
    message = (
        "Kernel 'push' assigns 'T_new_level1' of a neighbour on a forest.*Read neighbours instead"
    )
    with pytest.raises(PlanError, match=message):
        hc.Simulation(forest, [push(T, T_new), hc.swap(T, T_new)], target="numpy").run(1)
