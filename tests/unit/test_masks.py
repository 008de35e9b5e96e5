"""Kernels on masks: in listed cells if the mask stays, by a choice in every cell if it changes."""

from __future__ import annotations

import numpy as np
import pytest

import halocline as hc

EXTENT = (70, 9)


@hc.kernel
def count(u):
    u[0, 0] = u + 1.0


@hc.kernel
def shrink_into(mask, smaller):
    smaller[0, 0] = hc.where((mask[-1, 0] != 0) & (mask[1, 0] != 0), mask, 0)


def cells(seed=1) -> np.ndarray:
    return (np.random.default_rng(seed).random(EXTENT) < 0.6).astype(np.uint8)


def made(steps_of, **options):
    grid = hc.Grid(EXTENT, periodic=True)
    u, mask = grid.field("u"), grid.field("mask", dtype="uint8")
    other = grid.field("other", dtype="uint8")
    mask.set(cells())
    other.set(cells(2))
    steps = steps_of(u, mask, other)
    return hc.Simulation(grid, steps, check_every=0, strategy=hc.Strategy(poison=True), **options)


@pytest.mark.parametrize("target", ["c++", "numpy"])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_kernel_runs_in_the_cells_of_its_mask_and_in_no_others(target, threads):
    simulation = made(lambda u, m, o: [count(u, on=m)], target=target, threads=threads, blocks=3)
    simulation.run(4, progress=False)
    assert np.array_equal(simulation.grid.fields["u"].gather(), 4.0 * cells())


def test_masks_that_stay_are_listed_and_those_that_change_are_not():
    listed = made(lambda u, m, o: [count(u, on=m)]).plan.launches
    chosen = made(lambda u, m, o: [count(u, on=m), hc.swap(m, o)]).plan.launches
    assert [launch.body.is_compacted for launch in listed] == [True]
    assert not any(launch.body.is_compacted for launch in chosen)


def test_masks_set_between_runs_count_from_then_on():
    simulation = made(lambda u, m, o: [count(u, on=m)], threads=1)
    simulation.run(1, progress=False)
    simulation.grid.fields["mask"].set(cells(5))
    simulation.run(2, progress=False)
    expected = 1.0 * cells() + 2.0 * cells(5)
    assert np.array_equal(simulation.grid.fields["u"].gather(), expected)


def test_masks_set_by_functions_of_the_step_count_from_then_on():
    def steps(u, mask, _other):
        return [count(u, on=mask), hc.every(2, lambda: mask.set(cells(5)))]

    simulation = made(steps, threads=1)
    simulation.run(3, progress=False)
    expected = 2.0 * cells() + 1.0 * cells(5)
    assert np.array_equal(simulation.grid.fields["u"].gather(), expected)


def test_masks_that_kernels_change_count_at_once():
    def steps(u, mask, other):
        return [count(u, on=mask), shrink_into(mask, other), hc.swap(mask, other)]

    simulation = made(steps, threads=1)
    simulation.run(3, progress=False)
    expected, mask = np.zeros(EXTENT), cells()
    for _ in range(3):
        expected += mask
        mask = mask & np.roll(mask, 1, 0) & np.roll(mask, -1, 0)
    assert np.array_equal(simulation.grid.fields["u"].gather(), expected)


def test_an_empty_mask_means_no_cell():
    simulation = made(lambda u, m, o: [count(u, on=m)], threads=1)
    simulation.grid.fields["mask"].set(0)
    simulation.run(2, progress=False)
    assert not simulation.grid.fields["u"].gather().any()


@hc.kernel
def set_two_above(u):
    u[0, 2] = 1.0


@pytest.mark.parametrize("target", ["c++", "numpy"])
def test_a_mask_that_lacks_an_axis_holds_in_the_halos_of_blocks_cut_along_it(target):
    """Blocks compute what is assigned to their first cells from below their own."""
    grid = hc.Grid((4, 6))
    u, mask = grid.field("u"), grid.field("mask", dtype="uint8", axes="x")
    u.set(2.0)
    mask.set(np.array([1, 1, 0, 1]))
    cuts = hc.Decomposition(cuts=((0, 4), (0, 4, 6)), periodic=(False, False), ranks=1)
    steps = [set_two_above(u, on=mask)]
    hc.Simulation(grid, steps, decomposition=cuts, target=target).run(1, progress=False)
    expected = np.full((4, 6), 2.0)
    expected[np.ix_([0, 1, 3], range(2, 6))] = 1.0
    np.testing.assert_array_equal(u.gather(), expected)
