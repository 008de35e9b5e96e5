"""The Game of Life begins with the random numbers of the algorithm, and ends as NumPy says."""

from __future__ import annotations

import numpy as np
from apps.test_examples import run


def philox(counter, key):
    """Philox4x32-10 of arrays."""
    a, b, c, d = (np.asarray(word, "uint64") for word in counter)
    first, second = key
    half = np.uint64(0xFFFFFFFF)
    for _ in range(10):
        low, high = a * np.uint64(0xD2511F53), c * np.uint64(0xCD9E8D57)
        a, b = (high >> np.uint64(32)) ^ b ^ np.uint64(first), high & half
        c, d = (low >> np.uint64(32)) ^ d ^ np.uint64(second), low & half
        first, second = (first + 0x9E3779B9) % 2**32, (second + 0xBB67AE85) % 2**32
    return a, b, c, d


def test_life_is_that_of_numpy(tmp_path):
    cells, steps = 61, 40
    key = tuple(int(word) for word in philox((0, 0, 0, 0), (2026, 0))[:2])
    x, y = np.indices((cells, cells))
    upper, lower, *_ = philox((x, y, 0 * x, 0 * x), key)
    draws = ((upper >> np.uint64(5)) * np.float64(2**26) + (lower >> np.uint64(6))) / 2**53
    life = draws < 0.3
    for _ in range(steps):
        near = [np.roll(life, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
        around = np.sum(near, axis=0)
        life = (around == 3) | (around == 2) & life
    printed = run("life.py", tmp_path / "life").splitlines()[0]
    assert printed == f"{life.sum()} of {cells**2} cells are alive"
