"""Steps of a simulation, timed together on all ranks."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import halocline as hc


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
