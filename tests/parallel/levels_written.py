"""Write a forest on any ranks in all ways that there are, and print a digest of what is there."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

import halocline as hc
from halocline.io.field_series import FieldSeries
from halocline.io.quantity import Quantity
from halocline.io.recorder import Recorder
from halocline.io.vtk import VtkSeries
from halocline.runtime.job import join


@hc.kernel
def smooth(T, T_new):
    T_new[0, 0] = 0.25 * (T[-1, 0] + T[1, 0] + T[0, -1] + T[0, 1])


def made(**options):
    """Return a simulation on three levels and its field."""
    forest = hc.Forest(
        (16, 16),
        block=4,
        finest=2,
        refine=lambda x, y: np.where(np.hypot(x - 9, y - 5) < 2, 2, 0),
        periodic=(True, False),
    )
    T, T_new = forest.field("T"), forest.field("T_new")
    for side in forest.sides:
        T.boundary(side, hc.Neumann(0.0))
    steps = [smooth(T, T_new), hc.swap(T, T_new)]
    simulation = hc.Simulation(forest, steps, threads=1, **options)
    T.set(lambda x, y: np.sin(0.3 * x) + y)
    return simulation, forest, T


def written(folder: Path, **options):
    """Run and write, and return the simulation and its field."""
    simulation, forest, T = made(**options)
    simulation.run(0, progress=False)
    shown = (Quantity("T", T, convert=lambda values: 2 * values),)
    given = {
        "levels.zarr": {},
        "finest.zarr": {"level": "finest"},
        "one.nc": {"level": 1},
        "means.zarr": {"mean": 1},
        "means.nc": {"mean": 1, "level": 1},
    }
    outputs = [
        FieldSeries(folder / name, 2, simulation, forest, shown, **how)
        for name, how in given.items()
    ]
    outputs.append(VtkSeries(folder, 2, simulation, forest, shown))
    recorder = Recorder(simulation, outputs)
    recorder.run(4, progress=False)
    recorder.close()
    return simulation, T


def moved(folder: Path) -> None:
    """Write means of leaves that go to other ranks meanwhile."""
    simulation, forest, T = made()
    simulation.run(0, progress=False)
    means = FieldSeries(folder / "moved.zarr", 3, simulation, forest, (Quantity("T", T),), mean=1)
    for step in range(1, 4):
        simulation.run(1, progress=False)
        means.write(step, step)
        owners = [(n + step) % simulation.size for n in range(forest.leaves.count)]
        simulation.rebuild(decomposition=hc.Owners(owners))
        if step == 2:
            simulation.regrid(lambda x, y: np.where(x < 5, 2, 0) + 0 * y)


def changing(folder: Path) -> None:
    """Write while leaves split and merge."""
    elsewhere = hc.Refine(lambda x, y: np.where(np.hypot(x - 3, y - 11) < 2, 2, 0), every=2)
    written(folder, refine=elsewhere)


def lasting(folder: Path) -> None:
    """Write while leaves stay, and go on from a plan file."""
    simulation, T = written(folder)
    simulation.write_plan(folder / "forest.plan")
    again, _, other = made(plan=folder / "forest.plan")
    again.run(4, progress=False)
    for level, field in enumerate(T.levels):
        assert np.array_equal(field[...], other.level(level)[...])
    resampled = T.resampled()
    assert (resampled is None) == (simulation.rank > 0)
    if resampled is not None:
        np.save(folder / "resampled.npy", resampled.values)
        (folder / "forest.plan").unlink()


WAYS = {"moved": moved, "changing": changing, "lasting": lasting}


def digest_of_files(way, folder):
    """Write in a way, and return a digest of all files, on rank 0."""
    folder = Path(folder)
    WAYS[way](folder)
    job = join()
    job.everywhere(None)
    if job.rank:
        return None
    found = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        found.update(str(path.relative_to(folder)).encode() + path.read_bytes())
    return found.hexdigest()
