"""Time checkpoints of all ranks beside plain writes and reads of as many bytes, in turns.

    mpiexec -n 2 python bench/checkpoints.py FOLDER [CELLS] [TURNS]

Each rank counts as a node. What is loaded is compared with what was saved.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import halocline as hc
from halocline.output import forget, load, save

if TYPE_CHECKING:
    from collections.abc import Callable

COMPONENTS = 8
# What is timed, and what it is compared with.
PAIRS = {
    "save into files": "write, flush",
    "load from files": "read",
    "save into memory": "write into /dev/shm",
    "load from memory": "read from /dev/shm",
}


@hc.kernel
def shift(f: hc.Field, g: hc.Field) -> None:
    """Move all values by a cell."""
    for c in range(COMPONENTS):
        g[c][0, 0, 0] = f[c][1, 0, 0]


def simulation_of(cells: int) -> hc.Simulation:
    """Return a simulation with one field of several components to keep."""
    grid = hc.Grid((cells,) * 3, periodic=True)
    f, g = (grid.field(name, components=COMPONENTS) for name in "fg")
    f.set(lambda x, y, z: [np.sin(c * x + y * z) for c in range(COMPONENTS)])
    options = {"threads": 1, "ranks_per_node": 1, "target": "numpy"}
    return hc.Simulation(grid, [shift(f, g), hc.swap(f, g)], strategy=hc.Strategy(), **options)


def write(path: Path, values: np.ndarray, *, flush: bool) -> None:
    """Write bytes as fast as the system does."""
    with path.open("wb", buffering=0) as file:
        file.write(values.data)
        if flush:
            os.fsync(file.fileno())


def actions_of(simulation: hc.Simulation, folder: Path, cells: int) -> dict[str, Callable]:
    """Return what is timed, in the order of a turn."""
    rank, checkpoint = simulation.rank, folder / "checkpoint.npz"
    values = np.random.default_rng(rank).random(cells**3 * COMPONENTS // simulation.size)
    disk, memory = (place / f"plain{rank}" for place in (folder, Path("/dev/shm")))
    return {
        "write, flush": partial(write, disk, values, flush=True),
        "save into files": partial(save, simulation, checkpoint),
        "read": partial(np.fromfile, disk),
        "load from files": partial(load, simulation, checkpoint),
        "write into /dev/shm": partial(write, memory, values, flush=False),
        "save into memory": partial(save, simulation, checkpoint, memory=True),
        "read from /dev/shm": partial(np.fromfile, memory),
        "load from memory": partial(load, simulation, checkpoint, memory=True),
        "end": memory.unlink,
    }


def main() -> None:
    """Print best times, and medians of the ratios of each turn."""
    folder, *numbers = sys.argv[1:]
    Path(folder).mkdir(parents=True, exist_ok=True)
    cells, turns = (int(number) for number in (*numbers, *("96", "7")[len(numbers) :]))
    simulation = simulation_of(cells)
    simulation.run(1, progress=False)
    before = simulation.fields["f"].gather()
    actions = actions_of(simulation, Path(folder), cells)
    end = actions.pop("end")
    times: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(turns + 1):
        for name, action in actions.items():
            simulation.on_first(lambda: None)  # all ranks begin together
            start = time.perf_counter()
            action()
            simulation.on_first(lambda: None)
            times[name].append(time.perf_counter() - start)
    after = simulation.fields["f"].gather()
    forget(simulation, Path(folder) / "checkpoint.npz")
    end()
    if simulation.rank == 0:
        assert np.array_equal(before, after)
        print(f"{8e-6 * COMPONENTS * cells**3:.0f} MB on {simulation.size} ranks")
        for name, plain in PAIRS.items():
            ratios = [a / b for a, b in zip(times[name][1:], times[plain][1:], strict=True)]
            best, least = min(times[name]), min(times[plain])
            print(f"{name}: {best:.3f} s; {plain}: {least:.3f} s; ", end="")
            print(f"{statistics.median(ratios):.1f} ({min(ratios):.1f} to {max(ratios):.1f})")


main()
