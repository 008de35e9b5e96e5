"""Steps of a simulation, timed together on all ranks, again and again, with a checksum."""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterable, Sequence

import halocline as hc
from halocline.bench.times import Times
from halocline.language.grids.fields import Field
from halocline.runtime.timers import Timer


class TimedSteps:
    """A simulation whose steps are timed again and again; the same on all its ranks.

    Args:
        simulation: It.
        budget_s: About how long each repetition lasts [s].
        first_steps: How many come before the checksum; each repetition has a multiple of them.
        fields: Whose checksum is taken; None for all.

    Attributes:
        checksum: Of the fields after the first steps: the same for any ranks and strategy.
        seconds: Time of a step in each repetition [s].
        timers: This rank's times of operations in each repetition.
    """

    def __init__(
        self,
        simulation: hc.Simulation,
        budget_s: float,
        first_steps: int,
        fields: Iterable[Field] | None = None,
    ) -> None:
        self.simulation = simulation
        simulation.run(first_steps, progress=False)
        self.checksum = checksum(simulation, fields)
        took = max(step_time(simulation, first_steps), 1e-9)
        rounds = max(1, round(budget_s / took / first_steps))
        communicator = simulation.communicator
        # As many on every rank as the first one has found.
        self.steps = first_steps * (communicator.bcast(rounds) if communicator else rounds)
        self.seconds: list[float] = []
        self.timers: list[list[Timer]] = []

    def repeat(self) -> None:
        """Measure once more."""
        self.simulation.timers(reset=True)
        self.seconds.append(step_time(self.simulation, self.steps))
        self.timers.append(self.simulation.timers())

    @property
    def times(self) -> Times:
        """The times of a step."""
        return Times.of(self.seconds, self.steps)


def take_turns(runs: Sequence[TimedSteps], repetitions: int) -> None:
    """Measure several things in turns, so that a slow minute falls upon all alike."""
    for _ in range(repetitions):
        for run in runs:
            run.repeat()


def step_time(simulation: hc.Simulation, steps: int) -> float:
    """Return the time of a step, from when all ranks begin until the last has finished [s]."""
    communicator = simulation.communicator
    if communicator:
        communicator.Barrier()
    started = time.perf_counter()
    simulation.run(steps, progress=False)
    if communicator:
        communicator.Barrier()
    return (time.perf_counter() - started) / steps


def checksum(simulation: hc.Simulation, fields: Iterable[Field] | None = None) -> int:
    """Return the CRC-32 of the exact sums of squares of fields' components; None for all fields."""
    values = [
        simulation.reduce(hc.sum(value * value))
        for field in (simulation.grid.fields.values() if fields is None else fields)
        for value in (
            [field[i] for i in range(field.components)] if field.components > 1 else [field]
        )
    ]
    return zlib.crc32(repr(values).encode())
