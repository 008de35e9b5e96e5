"""Measure starting: 'python bench/start_up.py [--runs N] [name …]', each run a new process.

A program runs from the shell to the end of its first step: first with an empty cache, then with the
kernels and plans that an earlier run has kept. Printed are the least wall-clock and the least
processor seconds, those of the compiler included, of several runs.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

PROGRAMS = {
    "python": "",
    "numpy": "import numpy",
    "import": "import halocline",
    "heat": """
import numpy as np
import halocline as hc

grid = hc.Grid((512, 512), periodic=(True, False))
T, T_new = grid.field("T"), grid.field("T_new")

@hc.kernel
def heat(T, T_new, *, a):
    T_new[0, 0] = T + a * hc.laplacian(T)

T.set(lambda x, y: np.sin(2 * np.pi * x / 512))
T.boundary("y-", hc.Dirichlet(1.0))
T.boundary("y+", hc.Neumann(0.0))
simulation = hc.Simulation(grid, [heat(T, T_new, a=0.1), hc.swap(T, T_new)])
simulation.run(1)
""",
    "cavity": """
import halocline as hc
import halocline.lbm as lbm

walls = {f"{axis}{end}": lbm.Wall() for axis in "xyz" for end in "-+"}
walls["z+"] = lbm.Wall((0.1, 0.0, 0.0))
flow = lbm.make_flow(lbm.Setup((64, 64, 64), "D3Q19", omega=1.6, sides=walls))
simulation = hc.Simulation(flow.grid, flow.steps)
simulation.run(1)
""",
    "ocean": """
from functools import partial

import numpy as np

import halocline as hc
import halocline.ocean as ocean

nx, ny, layers = 64, 64, 10
sea = ocean.Domain(
    np.full((nx, ny), 50.0),
    (2e3, 2e3),
    f=1.2e-4,
    open=(ocean.OpenBoundary("north", ny - 1, 0, nx - 1),),
)
setup = ocean.Setup(
    sea,
    micro_step=20.0,
    micro_steps=10,
    tide=(ocean.Wave(1.4e-4, 1.0),),
    layers=ocean.Sigma(layers),
    temperature=lambda x, y, z: 10.0 + 0.05 * z + 0.0 * (x + y),
    salinity=35.0,
    density=partial(ocean.eos80, reference=ocean.REFERENCE_DENSITY),
)
model = ocean.make_model(setup)
simulation = hc.Simulation(model.grid, model.steps, dt=setup.macro_step)
simulation.run(1)
""",
}
# These store nothing.
IMPORTS = ("python", "numpy", "import")


class Seconds(NamedTuple):
    """How long a process and the processes that it started took [s]."""

    wall: float
    processor: float


def seconds_of(program: Path, cache: Path) -> Seconds:
    """Run a program in a process of its own."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    environment = {**os.environ, "HALOCLINE_CACHE": str(cache)}
    subprocess.run([sys.executable, str(program)], check=True, env=environment)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Seconds(wall, used)


def least(measured: list[Seconds]) -> Seconds:
    """Return the least of each time."""
    return Seconds(min(m.wall for m in measured), min(m.processor for m in measured))


def measure(name: str, runs: int, folder: Path) -> None:
    """Print how long a program takes to start, new and known."""
    program = folder / f"start_{name}.py"  # 'numpy.py' would be imported as NumPy
    program.write_text(PROGRAMS[name], encoding="utf-8")
    new = []
    if name not in IMPORTS:
        new = [seconds_of(program, folder / f"{name}-{run}") for run in range(runs)]
    cache = folder / f"{name}-0"
    seconds_of(program, cache)  # keeps the plans of the strategy that was chosen
    known = [seconds_of(program, cache) for _ in range(runs)]
    words = [
        f"{what} {times.wall:.3f} s ({times.processor:.3f} s of processors)"
        for what, times in (("new", least(new) if new else None), ("known", least(known)))
        if times
    ]
    print(f"{name:<8}" + ", ".join(words), flush=True)


def main() -> None:
    """Measure the programs that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7, help="how often each is run")
    parser.add_argument("names", nargs="*", help=f"any of {', '.join(PROGRAMS)}")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in given.names or PROGRAMS:
            measure(name, given.runs, Path(folder))


if __name__ == "__main__":
    main()
