"""Blocks and strategies that cannot be, and what a user is told."""

from __future__ import annotations

import pytest
from errors.telling import told

import halocline as hc
from halocline.errors import PlanError
from halocline.plan.pipeline import plan_for
from halocline.runtime.storage import BlockStorage


def test_rows_that_are_cut_and_narrower_than_a_halo():
    grid = hc.Grid((2, 8), periodic=True)
    a, b = grid.field("a"), grid.field("b")

    @hc.kernel
    def far(a, b):
        b[0, 0] = a[-3, 0] + a[0, -3]

    assert told(PlanError, lambda: plan_for(grid, [far(a, b)], ranks=2, decomposition=(2, 1))) == (
        "Field 'a' needs a halo of 3 cells along x, but the periodic grid is only 2 wide there, "
        "and its rows are cut or shifted. Use blocks that span x, such as decomposition='rows', a "
        "grid of at least 3 cells there, or shorter offsets: cells come again after 2, so that the "
        "offset 3 is 1."
    )


def test_more_ranks_than_cells(grid):
    assert told(PlanError, lambda: plan_for(grid, [], ranks=50)) == (
        "50 ranks with 1 block(s) each were asked to share 48 cells; expected at least one cell a "
        "block. Use at most 48 ranks."
    )


def test_more_blocks_along_an_axis_than_cells(grid):
    assert told(PlanError, lambda: plan_for(grid, [], ranks=9, decomposition=(9, 1))) == (
        "The decomposition cuts x into 9 blocks, but there are only 8 cells. Use fewer ranks or "
        "another decomposition."
    )


def test_number_of_blocks_that_does_not_fit_the_grid(grid):
    assert told(PlanError, lambda: plan_for(grid, [], ranks=7, decomposition="rows")) == (
        "7 blocks cannot be cut from a grid of 8x6 cells along y. Use another number of ranks or "
        "another decomposition."
    )


def test_decomposition_for_another_number_of_ranks(grid):
    assert told(PlanError, lambda: plan_for(grid, [], ranks=4, decomposition=(3, 1))) == (
        "The decomposition 3x1 was asked for on 4 ranks and a grid of 2 axes; expected 2 positive "
        "numbers whose product is a multiple of 4."
    )


def test_decomposition_of_another_grid(grid):
    other = hc.Decomposition(((0, 2, 4), (0, 6)), (True, True), 2)
    assert told(PlanError, lambda: plan_for(grid, [], ranks=2, decomposition=other)) == (
        "The decomposition is for 2 ranks and (4, 6) cells; the simulation has 2 ranks and (8, 6) "
        "cells."
    )


def test_decomposition_with_an_empty_block():
    assert told(PlanError, lambda: hc.Decomposition(((0, 4, 4, 8),), (True,), 3)) == (
        "The cuts ((0, 4, 4, 8),) leave a block without cells."
    )


def test_decomposition_with_more_ranks_than_blocks():
    assert told(PlanError, lambda: hc.Decomposition(((0, 4, 8),), (True,), 3)) == (
        "2 blocks were given to 3 ranks; expected at least one block a rank. Use fewer ranks or "
        "more blocks."
    )


def test_unknown_decomposition(grid):
    assert told(PlanError, lambda: plan_for(grid, [], ranks=2, decomposition="pencil")) == (
        "There is no decomposition 'pencil'. Did you mean 'pencils'?"
    )


def test_plan_of_a_rank_that_does_not_exist(grid):
    assert told(PlanError, lambda: plan_for(grid, [], ranks=2, rank=2)) == (
        "The plan of rank 2 was asked for; there are ranks 0 to 1."
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"neighbours": "dirct"},
            "'neighbours' was given 'dirct'; expected one of: direct, staged.",
        ),
        ({"width": "ful"}, "'width' was given 'ful'; expected one of: minimal, full."),
        (
            {"messages": "fields"},
            "'messages' was given 'fields'; expected one of: neighbour, field.",
        ),
        (
            {"transport": "pigeon"},
            "'transport' was given 'pigeon'; expected one of: auto, shared, shared-push, "
            "two-sided, persistent, datatype, put, get, peer, from-device, via-host, box-copies.",
        ),
        (
            {"overlap": "corefirst"},
            "'overlap' was given 'corefirst'; expected one of: core-first, rim-first, "
            "postponed, none.",
        ),
        ({"wait": "some"}, "'wait' was given 'some'; expected one of: all, any."),
        ({"tiles": 0}, "'tiles' was given 0; expected a whole number of at least 1."),
        ({"depth": 0}, "'depth' was given 0; expected a whole number of at least 1."),
        (
            {"steps_in_cache": 0},
            "'steps_in_cache' was given 0; expected a whole number of at least 1.",
        ),
        (
            {"depth": 3, "steps_in_cache": 2},
            "2 steps in the caches were asked for with exchanges every 3 steps; expected one "
            "exchange for a whole number of them. Write depth=2, or a multiple of that, or leave "
            "it out.",
        ),
    ],
)
def test_unknown_choice_of_a_strategy(options, message):
    assert told(PlanError, lambda: hc.Strategy(**options)) == message


def test_negative_number_of_overlapped_kernels():
    assert told(PlanError, lambda: hc.Strategy(overlapped=-1)) == (
        "'overlapped' was given -1; expected a whole number of at least 0."
    )


def simulate(grid, *steps):
    return hc.Simulation(grid, list(steps), target="numpy", threads=1)


def test_a_function_of_the_step_replaces_the_blocks_it_looks_at(grid, T):
    said = []
    simulation = simulate(grid, lambda: said.append(told(PlanError, simulation.rebuild)))
    simulation.run(1, progress=False)
    assert said == [
        "'rebuild' was called by a function of the step, whose fields are in use. Call it between "
        "two runs."
    ]
    simulation.rebuild()


def test_a_simulation_goes_on_when_its_blocks_could_not_be_replaced(grid, T, monkeypatch):
    grid.field("U")
    simulation = simulate(grid, lambda: None)
    simulation.run(1, progress=False)
    take_over, moved = BlockStorage.take_over, []

    def fail(storage, other):
        if moved:
            raise MemoryError("no more")
        take_over(storage, other)
        moved.append(storage)

    monkeypatch.setattr(BlockStorage, "take_over", fail)
    with pytest.raises(MemoryError):
        simulation.rebuild(decomposition=(2, 1), blocks=2)
    for action in (lambda: simulation.run(1), simulation.rebuild):
        assert told(PlanError, action) == (
            "The simulation cannot go on: some of its fields have moved to other blocks or to "
            "another simulation, and then something failed. Go on from a checkpoint, in a new "
            "simulation."
        )


def test_blocks_of_another_grid_for_a_simulation_that_runs(grid, T):
    simulation = simulate(grid, lambda: None)
    simulation.run(1, progress=False)
    other = hc.Decomposition(((0, 4), (0, 6)), grid.periodic, 1)
    assert told(PlanError, lambda: simulation.rebuild(decomposition=other)) == (
        "The decomposition is for 1 ranks and (4, 6) cells; the simulation has 1 ranks and (8, 6) "
        "cells."
    )
    assert told(PlanError, lambda: simulation.rebuild(blocks=0)) == (
        "'blocks' was given 0; expected a whole number of at least 1."
    )
