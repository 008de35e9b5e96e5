"""Slices of whole fields on every rank; a rank fails where they are not what NumPy has."""

from __future__ import annotations

import numpy as np

import halocline as hc
from halocline.runtime.job import join

KEYS = (..., np.s_[:, 3], np.s_[2:9:3, ...], np.s_[-1, :], np.s_[::-1, 1:2], np.s_[5:5, :])


def check():
    """Return how many slices differ."""
    grid = hc.Grid((12, 9))
    T = grid.field("T", unit="K")
    f = grid.field("f", dtype="float32", components=3)
    profile = grid.field("profile", axes="y")
    faces = grid.field("faces", location="x_face")
    simulation = hc.Simulation(grid, [lambda: None], threads=1, target="numpy")
    values = np.random.default_rng(1).random((12, 9))
    T.set(values)
    three = np.stack([values, values + 1, values + 2]).astype(np.float32)
    f.set(three)
    profile.set(values[0])
    faces.set(np.arange(13 * 9.0).reshape(13, 9))
    simulation.run(0, progress=False)
    wrong = 0
    for key in KEYS:
        found = T[key]
        wrong += found.shape != values[key].shape or not (found == values[key]).all()
        first = T.gather(key)
        wrong += (first is None) != (simulation.rank > 0)
        wrong += first is not None and not np.array_equal(first, values[key])
    wrong += not np.array_equal(f[1:, 2, :], three[1:, 2, :])
    wrong += not np.array_equal(f[...], three)
    wrong += not np.array_equal(profile[2:], values[0, 2:])
    wrong += faces[12, :].tolist() != list(range(108, 117))
    array = T.to_xarray()
    wrong += (array is None) != (simulation.rank > 0)
    if array is not None:
        wrong += array.dims != ("x", "y") or array.units != "K"
        wrong += float(array.sel(x=2.5, y=4.5)) != values[2, 4]
    return int(wrong)


def check_all():
    """Return how many differ on each rank."""
    return join().everywhere(check())
