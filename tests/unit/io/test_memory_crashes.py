"""Whenever ranks die, the nodes that are left hold the newest or the previous checkpoint.

Memory keeps what a process has written before it died, so a crash leaves of each rank a prefix of
its writes. Between two meetings each rank may have come to any of them; all ranks have done what
comes before the first of the two, and none what comes after the second.
"""

from __future__ import annotations

import random
import shutil
import threading
from collections import Counter
from functools import partial

import pytest
from crash_states import Disk, Mark, Write, _torn, lay_out, recorded
from waves import bits, waves

import halocline as hc
from halocline.errors import CaseError
from halocline.io import checkpoint_memory
from halocline.io.checkpoint import load, save
from halocline.io.output import Attempt
from halocline.runtime.job import Job

SAVED = (2, 3, 5)
NAME = "checkpoint.npz"


def memory_of(folder, job):
    node = folder / str(job.nodes[job.rank])
    node.mkdir(exist_ok=True)
    return node


@pytest.fixture(scope="module")
def expected():
    """Return the bits after each step of a run that nothing disturbs."""
    made, found = waves(), {}
    for step in range(1, 1 + max(SAVED)):
        made.simulation.run(1, progress=False)
        found[step] = bits(made)
    return found


def recorded_calls(folder, ranks, monkeypatch):
    """Return the calls of each rank that change its node's memory, each with its phase.

    A rank leaves a phase where it meets the others.
    """
    numbers, phases = {}, Counter()

    def counted(method):
        def call(*arguments, **options):
            found = method(*arguments, **options)
            phases[threading.get_ident()] += 1
            return found

        return call

    def checkpoints():
        made = waves(ranks_per_node=1)
        numbers[threading.get_ident()] = made.simulation.rank
        for number, step in enumerate(SAVED):
            made.simulation.run(step - made.simulation.step, progress=False)
            recording.add(Mark("started", number))
            save(made.simulation, NAME, memory=True)

    with recorded(folder) as recording, monkeypatch.context() as patch:
        plain, found = recording.add, []

        def add(event):
            plain(event)
            thread = threading.get_ident()
            found.append((numbers.get(thread, 0), phases[thread], event))

        recording.add = add
        patch.setattr(checkpoint_memory, "_memory_of", partial(memory_of, folder))
        patch.setattr(Attempt, "finish", counted(Attempt.finish))
        patch.setattr(Job, "everywhere", counted(Job.everywhere))
        hc.on_virtual_ranks(ranks, checkpoints)
    return found


def states(calls, ranks, rng, count):
    """Yield so many states of each phase: how many saves had been started, and the calls."""
    for phase in sorted({p for _, p, _ in calls}):
        before = [event for _, p, event in calls if p < phase]
        now = [[event for r, p, event in calls if (r, p) == (rank, phase)] for rank in range(ranks)]
        for _ in range(count):
            events = list(before)
            for mine in now:
                events += mine[: rng.randint(0, len(mine))]
                if rng.random() < 0.5 and events and isinstance(events[-1], Write):
                    events[-1] = _torn(events[-1], rng.choice([0, 1, 13, 100]))
            yield events


def is_right(made, events, expected):
    """Whether the newest or the previous checkpoint is loaded, if one had been finished."""
    started = max((e.number for e in events if isinstance(e, Mark)), default=-1)
    try:
        load(made.simulation, NAME, memory=True)
    except CaseError as error:
        return str(error).startswith("There is no checkpoint") and started <= 0
    step = made.simulation.step
    is_in_range = step in SAVED[max(0, started - 1) : started + 1]
    return is_in_range and bits(made) == expected[step]


def check(folder, monkeypatch, expected, ranks, count, seed=1):
    """Load alone from each node of two, of some states in each phase."""
    calls = recorded_calls(folder / "nodes", ranks, monkeypatch)
    made, rng, checked = waves(weight=9.0), random.Random(seed), 0
    for events in states(calls, ranks, rng, count):
        disk = Disk(events)
        shutil.rmtree(folder / "after", ignore_errors=True)
        (folder / "after").mkdir()
        lay_out(disk.state([True] * len(disk.pending)), folder / "nodes", folder / "after")
        for node in range(ranks):
            with monkeypatch.context() as patch:
                memory = folder / "after" / str(node)
                patch.setattr(checkpoint_memory, "_memory_of", lambda _, memory=memory: memory)
                assert is_right(made, events, expected), [e for e in events if isinstance(e, Mark)]
            checked += 1
    return checked


def test_when_ranks_die_each_of_two_nodes_has_the_newest_or_the_previous_checkpoint(
    tmp_path, monkeypatch, expected
):
    assert check(tmp_path, monkeypatch, expected, 2, 4) > 50


@pytest.mark.slow
def test_no_crash_of_a_thousand_leaves_anything_else(tmp_path, monkeypatch, expected):
    assert check(tmp_path, monkeypatch, expected, 2, 50, seed=2) > 1000
