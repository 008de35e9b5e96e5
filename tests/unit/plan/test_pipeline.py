"""The passes of the planner are a list that 'plan_for' and 'show passes' really go through."""

from __future__ import annotations

from itertools import pairwise

import pytest
import stencils

import halocline as hc
from halocline.errors import PlanError
from halocline.language.steps.steps import check_steps
from halocline.language.steps.subcycling import on_forest
from halocline.plan.blocks.choice import decomposition_for
from halocline.plan.exchange.distribution import Distribution
from halocline.plan.pipeline import (
    BINDING,
    DISTRIBUTION,
    LOWERING,
    PLATFORM,
    Binding,
    plan_for,
    values_of_all,
)
from halocline.plan.platform import Platform

PASSES = (*BINDING, *DISTRIBUTION, *LOWERING, *PLATFORM)


def passes(grid, steps, strategy=None, platform=None):
    """Return the passes that apply on rank 0 of 2, with the value after each."""
    checked = check_steps(on_forest(steps))
    how = Distribution(decomposition_for(grid, 2, steps=checked), strategy or hc.Strategy())
    found = values_of_all(checked, Binding(grid, 100), how, 0, platform or Platform())
    return list(found)


@hc.kernel
def diffuse(T, T_new):
    T_new[0, 0, 0] = T[0, 0, 0] + 0.1 * (T[1, 0, 0] - T[0, 0, 0])


def on_a_forest():
    forest = hc.Forest((16, 8, 8), block=8, finest=1, refine=lambda x, y, z: x < 4, periodic=True)
    T, T_new = forest.field("T"), forest.field("T_new")
    return forest.grid, (diffuse(T, T_new), hc.swap(T, T_new))


def heat():
    problem = stencils.heat((16, 12), (True, True))
    return problem.grid, problem.steps


def mean():
    grid, steps = heat()
    return grid, (*steps, hc.sum(grid.fields["T"] ** 2))


def test_each_pass_takes_what_the_one_before_returns():
    assert all(before.returns is after.takes for before, after in pairwise(PASSES))
    assert len({one.name for one in PASSES}) == len(PASSES)


def test_values_have_the_types_that_the_list_says():
    for one, value in passes(*heat()):
        assert isinstance(value, one.returns)


def test_a_rank_that_does_not_exist_has_no_passes():
    grid, steps = heat()
    how = Distribution(decomposition_for(grid, 2), hc.Strategy())
    with pytest.raises(PlanError, match=r"of rank 2 was asked for; there are ranks 0 to 1\."):
        list(values_of_all(steps, Binding(grid), how, 2, Platform()))


def test_the_last_value_is_the_plan():
    grid, steps = heat()
    *_, (_, plan) = passes(grid, steps)
    assert plan == plan_for(grid, steps, ranks=2, platform=Platform())


@pytest.mark.parametrize(
    ("name", "problem", "choices"),
    [
        ("liveness", on_a_forest, {}),
        ("loop fission", on_a_forest, {}),
        ("map-reduce fusion", mean, {}),
        ("concurrency", heat, {"platform": Platform(near="via-host", far="via-host")}),
        ("wavefronts", heat, {"strategy": hc.Strategy(steps_in_cache=2)}),
    ],
)
def test_a_pass_applies_only_where_it_has_something_to_do(name, problem, choices):
    assert name not in {one.name for one, _ in passes(*heat())}
    assert name in {one.name for one, _ in passes(*problem(), **choices)}
