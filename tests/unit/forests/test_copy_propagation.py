"""Copy propagation: what ghost patches only move is got from where it was, with the same bits."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from many_ranks import virtual
from parallel.on_forests import digest

import halocline as hc
from halocline.lbm import Refinement, Setup, Wall, make_flow, trt
from halocline.plan import pipeline
from halocline.plan.value import operations as ops
from halocline.session import kept_plans

DISTRIBUTION = pipeline.DISTRIBUTION


@pytest.fixture(autouse=True)
def made_anew(monkeypatch):
    """Let no plan be read that was kept, nor one be kept."""
    monkeypatch.setattr(kept_plans, "cache_folder", lambda: Path("nowhere"))
    monkeypatch.setattr(kept_plans, "_LEAST_S", math.inf)


def all_passes(monkeypatch, *, are_propagated):
    """Let plans be made with copy propagation or without."""
    kept = [one for one in DISTRIBUTION if are_propagated or one.name != "copy propagation"]
    monkeypatch.setattr(pipeline, "DISTRIBUTION", tuple(kept))


def cells_in_ghosts(plan, name):
    """Return how many cells a kernel runs on in ghost patches, in all steps of a round."""
    runs = [op for op in plan.operations() if isinstance(op, ops.Run)]
    launches = [(plan.launches[run.launch], run) for run in runs]
    return sum(
        box.cells
        for launch, run in launches
        if launch.role.kind == "ghost" and launch.kernel.name.startswith(name)
        for _, box in run.boxes
    )


def flow_on_levels(overlap, walls):
    """Return the cells where populations stream in ghost patches, and the bits after 3 steps."""
    near = Refinement(lambda x, y: (np.hypot(x - 9, y - 9) < 5).astype(int), finest=1, block=4)
    sides = dict.fromkeys(walls, Wall())
    flow = make_flow(Setup((20, 16), "D2Q9", 1.6, trt(), sides=sides, refinement=near))
    strategy = hc.Strategy(overlap=overlap, poison=True)
    simulation = hc.Simulation(
        flow.grid, flow.steps, dt=flow.dt, strategy=strategy, target="numpy", threads=1
    )
    f = flow.grid.fields["f"]
    f.set(lambda x, y: np.stack([0.1 + 0.01 * np.sin(i + 0.8 * x + 1.7 * y) for i in range(9)]))
    simulation.run(3, progress=False)
    return cells_in_ghosts(simulation.plan, "stream"), digest(f)


@pytest.mark.parametrize("walls", [(), ("y-", "y+")], ids=["periodic", "walls"])
@pytest.mark.parametrize("overlap", ["postponed", "core-first"])
def test_populations_stream_in_no_ghost_patches_away_from_walls_and_all_bits_stay(
    monkeypatch, overlap, walls
):
    all_passes(monkeypatch, are_propagated=False)
    streamed, right = flow_on_levels(overlap, walls)
    all_passes(monkeypatch, are_propagated=True)
    streaming, found = flow_on_levels(overlap, walls)
    assert found == right
    # Beside walls populations come from layers beyond, which nobody else has.
    assert 0 < streaming < streamed if walls else streaming == 0 < streamed
    # Where they come from may be a third rank's.
    on_five = virtual(5)(lambda: flow_on_levels(overlap, walls)[1])
    assert on_five == right


def moved_then(change, overlap):
    """Return the cells where a kernel moves values in ghost patches, and the bits after 3 steps.

    Args:
        change: Returns the step between the move and the use of its values, for T and S.
        overlap: See 'Strategy'.
    """
    forest = hc.Forest((16,), block=4, refine=lambda x: x > 8, periodic=True)
    T, S, later = (forest.field(name) for name in ("T", "S", "later"))

    @hc.kernel
    def move(T, S):
        S[0] = T[-1]

    @hc.kernel
    def use(S, later):
        later[0] = 0.5 * S[0] + 0.25 * S[1] + 0.25 * S[-1]

    steps = [move(T, S), *change(T, S), use(S, later), hc.swap(T, later)]
    strategy = hc.Strategy(overlap=overlap, poison=True)
    simulation = hc.Simulation(forest, steps, strategy=strategy, target="numpy", threads=1)
    T.set(np.sin)
    simulation.run(3, progress=False)
    return cells_in_ghosts(simulation.plan, "move"), digest(T)


@hc.kernel
def forget(T):
    T[0] = 0.9 * T[0]


@hc.kernel
def add(T, S):
    S[0] = S[0] + 0.1 * T[0]


@pytest.mark.parametrize(
    "change",
    [lambda T, _: [forget(T)], lambda T, S: [add(T, S)], lambda T, S: [hc.swap(T, S)]],
    ids=["original overwritten", "copy overwritten", "swapped"],
)
@pytest.mark.parametrize("overlap", ["postponed", "core-first"])
def test_what_changes_before_it_is_used_is_not_got_from_where_it_was(monkeypatch, change, overlap):
    all_passes(monkeypatch, are_propagated=False)
    right = moved_then(change, overlap)
    all_passes(monkeypatch, are_propagated=True)
    assert moved_then(change, overlap) == right
