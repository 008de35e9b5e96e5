"""Steps of a simulation, timed together on all ranks."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    import halocline as hc

    class Repeatable(Protocol):
        """Something that can be measured again."""

        def repeat(self) -> None:
            """Measure once more."""


def agreed(simulation: hc.Simulation, steps: int) -> int:
    """Return the number of steps that rank 0 has found, on every rank; collective."""
    communicator = simulation.communicator
    return int(communicator.bcast(steps, root=0)) if communicator else steps


def measure_in_turns(running: Sequence[Repeatable], repetitions: int) -> None:
    """Measure several things in turns, so that a slow minute falls upon all alike."""
    for _ in range(repetitions):
        for one in running:
            one.repeat()


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
