"""Random programs on random blocks give the bits of the whole array, with halos poisoned."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from property.oracle import Oracle
from property.programs import (
    assume_blocks_are_wide_enough,
    build,
    decompositions,
    programs,
    strategies,
)

import halocline as hc
from halocline.errors import PlanError

STEPS = 3


def run(choice, **options) -> dict[str, np.ndarray]:
    grid, steps = build(choice)
    simulation = hc.Simulation(grid, steps, check_every=0, threads=1, **options)
    simulation.run(STEPS, progress=False)
    return {name: field.gather() for name, field in grid.fields.items()}


def meaning(choice) -> dict[str, np.ndarray]:
    grid, steps = build(choice)
    oracle = Oracle(grid)
    oracle.advance(steps, STEPS)
    found = oracle.values()
    return {n: a if a.shape[0] > 1 else a[0] for n, a in found.items()}


def assert_same_bits(found, expected) -> None:
    for name, array in expected.items():
        assert np.isfinite(array).all()
        differing = np.argwhere(np.atleast_1d(found[name] != array))
        assert len(differing) == 0, f"{name} in {len(differing)} cells, first {differing[0]}"
        assert found[name].tobytes() == np.ascontiguousarray(array).tobytes()


@settings(max_examples=120)
@given(programs())
def test_one_block_computes_what_the_whole_array_does(choice):
    assert_same_bits(run(choice, target="numpy"), meaning(choice))


@settings(max_examples=250)
@given(st.data())
def test_any_blocks_and_strategy_compute_what_the_whole_array_does(data):
    choice = data.draw(programs())
    split = data.draw(decompositions(choice.extent, choice.periodic))
    strategy = data.draw(strategies)
    try:
        found = run(choice, target="numpy", decomposition=split, strategy=strategy)
    except PlanError as error:
        assume_blocks_are_wide_enough(error)
    assert_same_bits(found, meaning(choice))


@settings(max_examples=12)
@given(st.data())
def test_compiled_kernels_on_any_blocks_compute_what_the_whole_array_does(data):
    choice = data.draw(programs())
    split = data.draw(decompositions(choice.extent, choice.periodic))
    strategy = data.draw(strategies)
    try:
        found = run(choice, decomposition=split, strategy=strategy)
    except PlanError as error:
        assume_blocks_are_wide_enough(error)
    assert_same_bits(found, meaning(choice))
