"""Wind and a side that follow arrays over time: a sum of all bits, for many strategies.

mpiexec -n N python filling_on_ranks.py OUTPUT STORE

Every rank count must give the same sums; the script itself compares the values with NumPy's.
"""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
import xarray
from parallel.poisoned import STRATEGIES

import halocline as hc
from halocline.runtime.job import join

EXTENT = (12, 16, 24)
TIMES, PERIOD = np.array([0.0, 1.0, 2.5]), 4.0
STEPS, DT, A = 9, 0.5, 0.0625


def given() -> dict[str, np.ndarray]:
    """The field at first, and what follows the time: a body force, a surface, a side."""
    random = np.random.default_rng(7)
    nx, ny, nz = EXTENT
    shapes = {"u": EXTENT, "force": (3, *EXTENT), "surface": (3, nx, ny), "west": (3, ny, nz)}
    return {name: random.random(shape) for name, shape in shapes.items()}


def at(time: float, values: np.ndarray) -> np.ndarray:
    """The values at a time: linear, and periodic."""
    times = np.append(TIMES, TIMES[0] + PERIOD)
    rows = np.concatenate([values, values[:1]])
    time %= PERIOD
    i = int(np.searchsorted(times, time, side="right")) - 1
    f = (time - times[i]) / (times[i + 1] - times[i])
    return (1 - f) * rows[i] + f * rows[i + 1]


def expected() -> np.ndarray:
    """The field at the end, in plain NumPy: periodic in y, mirrored in z and at x+."""
    some = given()
    u = some["u"]
    for step in range(STEPS):
        time = step * DT
        wide = np.pad(np.pad(u, ((0, 0), (1, 1), (0, 0)), mode="wrap"), 1, mode="symmetric")
        wide = wide[:, 1:-1]
        wide[0, 1:-1, 1:-1] = 2 * at(time, some["west"]) - u[0]
        force = np.pad(at(time, some["force"]), ((0, 0), (1, 1), (0, 0)), mode="wrap")
        inner = (slice(1, -1),) * 3
        around = sum(np.roll(wide, turn, axis)[inner] for axis in range(3) for turn in (1, -1))
        slope = force[:, 2:] - force[:, :-2]
        u = u + A * (around - 6 * u) + A * slope + A * at(time, some["surface"])[:, :, None]
    return u


@hc.kernel
def step_of(u, u_new, force, surface, *, a):
    u_new[0, 0, 0] = (
        u[0, 0, 0]
        + a * hc.laplacian(u)
        + a * (force[0, 1, 0] - force[0, -1, 0])
        + a * surface[0, 0]
    )


def run(store: Path, **choices) -> np.ndarray | None:
    """The field at the end, on rank 0; the force is read from a file."""
    some = given()
    grid = hc.Grid(EXTENT, periodic=(False, True, False))
    u, u_new, force = (grid.field(name) for name in ("u", "u_new", "force"))
    surface = grid.field("surface", axes="xy")
    u.set(some["u"])
    west = hc.Series(TIMES, some["west"], period=PERIOD)
    for field in (u, u_new):
        field.boundary("x-", hc.Dirichlet(west))
        for side in ("x+", "z-", "z+"):
            field.boundary(side, hc.Neumann(0.0))
    steps = [
        hc.fill(force, hc.Series.from_file(store, "force", period=PERIOD)),
        hc.fill(surface, hc.Series(TIMES, some["surface"], period=PERIOD)),
        step_of(u, u_new, force, surface, a=A),
        hc.swap(u, u_new),
    ]
    simulation = hc.Simulation(grid, steps, dt=DT, **choices)
    simulation.run(4, progress=False)
    if "device" not in choices and choices.get("decomposition") is None:
        simulation.rebuild(blocks=2)
    simulation.run(STEPS - 4, progress=False)
    return u.gather()


def write(store: Path) -> None:
    """Write the file that the force is read from, its axes in another order."""
    places = [np.arange(n) + 0.5 for n in EXTENT]
    coordinates = dict(zip(("time", "x", "y", "z"), [TIMES, *places], strict=True))
    array = xarray.DataArray(given()["force"], coordinates, tuple(coordinates), name="force")
    array.transpose("z", "time", "y", "x").to_dataset().to_zarr(store, consolidated=False)


def results(store: Path, ranks: int, *, is_first: bool) -> list[int]:
    """The sums of all strategies."""
    sums = []
    for choices in STRATEGIES:
        if ranks == 8 and (choices["strategy"].depth > 2 or choices.get("blocks", 1) > 2):
            continue
        field = run(store, **choices)
        if is_first:
            np.testing.assert_allclose(field, expected(), rtol=1e-12, err_msg=str(choices))
            sums.append(zlib.crc32(np.ascontiguousarray(field).tobytes()))
    return sums


def sums(store):
    """Return the sums of all strategies, on rank 0."""
    job = join()
    return results(Path(store), job.size, is_first=job.rank == 0)
