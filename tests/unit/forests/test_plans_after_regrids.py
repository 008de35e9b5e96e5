"""What is kept from one forest's plan to the next changes no plan: it is as if made alone."""

from __future__ import annotations

import json

import numpy as np
import pytest
from unit.forests.test_leaves import random_wanted

import halocline as hc
from halocline.lbm import Refinement, Setup, Wall, make_flow, trt
from halocline.plan.blocks.choice import decomposition_for
from halocline.plan.encoding import Encoder
from halocline.plan.exchange import exchange, kernel_uses, needed, outside
from halocline.plan.pipeline import plan_of
from halocline.plan.plan_file import section_of
from halocline.plan.platform import Platform

# Functions whose results outlive a plan.
KEPT = exchange._needs_of, needed._grouped, outside._solved, kernel_uses._found_in_memory
EXTENT, BLOCK, FINEST = (16, 16), 4, 1


@hc.kernel
def diffuse(T, T_new):
    T_new[0, 0] = T[0, 0] + 0.1 * hc.laplacian(T)


def heat():
    """Return a forest, and steps that swap two fields of it."""
    forest = hc.Forest(EXTENT, block=BLOCK, finest=FINEST, refine=_nowhere, periodic=True)
    T, T_new = forest.field("T"), forest.field("T_new")
    return forest, [diffuse(T, T_new), hc.swap(T, T_new)]


def flow():
    """Return a forest, and the steps of a flow between walls on it."""
    near = Refinement(_nowhere, finest=FINEST, block=BLOCK)
    walls = {"y-": Wall(), "y+": Wall()}
    made = make_flow(Setup(EXTENT, "D2Q9", 1.6, trt(), sides=walls, refinement=near))
    return made.grid, made.steps


def _nowhere(x, y):
    return (0 * (x + y)).astype(int)


def leaves(seed, periodic):
    """Return the leaves of a random forest."""
    found = random_wanted(seed, EXTENT)

    def wanted(x, y):
        return np.minimum(found(x, y), FINEST)

    return hc.Forest(EXTENT, block=BLOCK, finest=FINEST, refine=wanted, periodic=periodic).leaves


def plan(simulation):
    """Return the plan of the second of three ranks as text."""
    program = simulation._planner.bound()
    split = decomposition_for(simulation.grid, 3, steps=simulation.steps)
    found = plan_of(program, split, hc.Strategy(overlap="postponed"), 1, Platform())
    return json.dumps(section_of(found, Encoder(program)))


LONG = [(make, seed, 6) for make in (heat, flow) for seed in range(10, 30)]


@pytest.mark.parametrize(
    ("make", "seed", "changes"),
    [(heat, 0, 2), *(pytest.param(*one, marks=pytest.mark.slow) for one in LONG)],
)
def test_plans_after_regrids_are_those_of_new_simulations(make, seed, changes):
    forest, steps = make()
    simulation = hc.Simulation(forest, steps)
    every = [leaves(100 * seed + n, forest.leaves.periodic) for n in range(changes)]
    found = []
    # The first one again, whose steps and program are known then.
    for one in (*every, every[0]):
        simulation.refit(one)
        found.append(plan(simulation))
    assert found[-1] == found[0]
    for one, known in zip(every[1:], found[1:-1], strict=True):
        for function in KEPT:
            function.cache_clear()
        other, steps = make()
        other.leaves = one
        assert plan(hc.Simulation(other, steps)) == known
