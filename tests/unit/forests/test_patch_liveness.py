"""Liveness of ghost patches: which of their cells kernels compute for what others get."""

from __future__ import annotations

import numpy as np
import pytest

import halocline as hc
from halocline.box_array import BoxArray
from halocline.language.steps.steps import check_steps
from halocline.language.steps.subcycling import on_forest
from halocline.plan import pipeline
from halocline.plan.blocks.choice import decomposition_for
from halocline.plan.exchange import liveness
from halocline.plan.exchange.kernel_uses import uses_of
from halocline.plan.schedule.layout import launched


@hc.kernel
def diffuse(now, later):
    later[0, 0] = now[0, 0] + 0.1 * hc.laplacian(now)


@pytest.fixture
def planned():
    """Return kernels and blocks of two steps on a forest whose patches have 128 cells along y."""
    forest = hc.Forest((64, 64), block=4, refine=lambda x, y: (x < 32).astype(int), periodic=True)
    now, later = forest.field("now"), forest.field("later")
    steps = check_steps(on_forest([diffuse(now, later), diffuse(later, now)]))
    split = decomposition_for(forest.grid, 1, steps=steps)
    found = pipeline.for_all_ranks(pipeline.bound(forest.grid, steps), split, hc.Strategy())
    return [launch for launch, _ in launched(found.schedule.items)], split


def _ghosts(split):
    every = split.levels.by_role(np.arange(split.blocks))
    return next((role, numbers) for role, numbers in every if role.kind == "ghost")


def _followed(planned, key):
    """Return where 'diffuse' runs on ghost patches if others get a cell, and the patches."""
    launches, split = planned
    role, numbers = _ghosts(split)
    diffusing = next(one for one in launches if one.role == role and one.kernel.name == "diffuse")
    box = split.on(diffusing.space).table(numbers).box

    def asked(found):
        del found
        return {key: BoxArray(box.lower, box.lower + 1)}

    uses = uses_of(one for one in launches if one.role == role)
    use = liveness.PatchLiveness(lambda _role: uses, split, asked)
    use.find(numbers)
    whole = BoxArray(box.lower[:, None], box.upper[:, None])
    return use.narrowed([diffusing], tuple(numbers.tolist()), whole), whole


def test_a_recurrence_is_followed_to_the_end_of_a_patch_in_few_steps(planned, monkeypatch):
    growths = []
    union = liveness.union
    monkeypatch.setattr(liveness, "union", lambda boxes: growths.append(1) or union(boxes))
    running, box = _followed(planned, ("later_level1", 0))
    assert running == box
    # Cell by cell it would take 128 for each of both storages.
    assert len(growths) < 60


def test_cells_of_a_component_that_nobody_gets_are_not_computed(planned):
    running, _ = _followed(planned, ("elsewhere", 0))
    assert not running.has_cells.any()
