"""Whatever a crash leaves on a disk, the newest or the previous checkpoint is read from it."""

from __future__ import annotations

import random
import shutil
from functools import partial

import pytest
from crash_states import Mark, lay_out, recorded, states
from waves import bits, waves

import halocline as hc
from halocline.errors import CaseError
from halocline.io.checkpoint import load, save

STEPS = range(1, 8)


@pytest.fixture(scope="module")
def expected():
    """Return the bits after each step of a run that nothing disturbs."""
    made, found = waves(), {}
    for step in STEPS:
        made.simulation.run(1, progress=False)
        found[step] = bits(made)
    return found


def checkpoints(path, recording, steps):
    """Go on from the checkpoint that is there, and write one after each of some steps."""
    made = waves()
    if path.exists():
        load(made.simulation, path)
    for step in steps:
        made.simulation.run(step - made.simulation.step, progress=False)
        made.simulation.on_first(partial(recording.add, Mark("started", step)))
        save(made.simulation, path)
        made.simulation.on_first(partial(recording.add, Mark("finished", step)))


def calls(folder, ranks, steps, before=()):
    """Return the calls that write checkpoints, after other calls that a process had made."""
    with recorded(folder, before) as recording:
        path = folder / "checkpoint.npz"
        hc.on_virtual_ranks(ranks, partial(checkpoints, path, recording, steps))
    return recording.events


def is_right(made, path, marks, expected):
    """Whether the newest or the previous checkpoint is loaded, if one had been finished."""
    try:
        load(made.simulation, path)
    except CaseError as error:
        is_told = str(error).startswith("There is no checkpoint")
        return is_told and "finished" not in marks
    step = made.simulation.step
    is_in_range = marks.get("finished", 1) <= step <= marks["started"]
    return is_in_range and bits(made) == expected[step]


def check(events, rng, random_states, folder, expected, limit=None):
    """Load from different states of a disk, and return how many there were."""
    made, seen = waves(weight=9.0), set()
    found = list(states(events, rng, random_states))
    rng.shuffle(found)
    for marks, state in found:
        key = hash((tuple(sorted(state.items(), key=lambda item: item[0])), *marks.items()))
        if key in seen:
            continue
        if len(seen) == limit:
            break
        seen.add(key)
        shutil.rmtree(folder / "after", ignore_errors=True)
        (folder / "after").mkdir()
        lay_out(state, folder / "disk", folder / "after")
        assert is_right(made, folder / "after/checkpoint.npz", marks, expected), marks
    return len(seen)


def test_a_crash_leaves_the_newest_or_the_previous_checkpoint(tmp_path, expected):
    events = calls(tmp_path / "disk", 2, [1, 2])
    assert check(events, random.Random(1), 1, tmp_path, expected, limit=60) == 60


@pytest.mark.slow
def test_no_crash_of_ten_thousand_leaves_anything_else(tmp_path, expected):
    """Also after a process was killed, and another went on, on another number of ranks."""
    disk, rng = tmp_path / "disk", random.Random(2)
    first = calls(disk, 3, [1, 2, 3])
    third = first.index(Mark("started", 3))
    killed = rng.sample(range(third + 1, len(first)), 6)
    goes_on = [calls(disk, ranks, [4, 5], first[:k]) for k, ranks in zip(killed, [1, 2, 4] * 2)]
    alone = calls(disk, 3, [7], calls(disk, 1, [6], first))
    every = [first, *goes_on, alone]
    count = sum(check(events, rng, 3, tmp_path, expected, limit=1300) for events in every)
    assert count >= 10_000
