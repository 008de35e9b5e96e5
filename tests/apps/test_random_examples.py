"""The examples with random numbers: the same bits on any number of ranks, and what is known."""

from __future__ import annotations

import re

import numpy as np
import pytest
from apps.test_examples import EXAMPLES, physics, run
from launch import mpirun


def pictured(name, arguments, folder):
    """Run an example on 1, 2 and 3 ranks; return what all of them print, and their picture."""
    found = set()
    for ranks in (1, 2, 3):
        given = (*arguments, str(folder / f"{ranks}.png"))
        done = run(name, *given) if ranks == 1 else mpirun(ranks, EXAMPLES / name, *given)
        assert done.returncode == 0, done.stderr
        found.add((*physics(done.stdout), (folder / f"{ranks}.png").read_bytes()))
    assert len(found) == 1
    return found.pop()


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
    line, _ = pictured("life.py", (str(cells), str(steps)), tmp_path)
    key = tuple(int(word) for word in philox((0, 0, 0, 0), (2026, 0))[:2])
    x, y = np.indices((cells, cells))
    upper, lower, *_ = philox((x, y, 0 * x, 0 * x), key)
    draws = ((upper >> np.uint64(5)) * np.float64(2**26) + (lower >> np.uint64(6))) / 2**53
    life = draws < 0.3
    for _ in range(steps):
        near = [np.roll(life, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
        around = np.sum(near, axis=0)
        life = (around == 3) | (around == 2) & life
    assert line == f"after {steps} steps: {life.sum()} of {cells**2} cells are alive"


def test_ising_has_onsagers_magnetisation(tmp_path):
    line, _ = pictured("ising.py", ("48", "1500"), tmp_path)
    found, exact = map(float, re.findall(r"\d\.\d+", line))
    assert found == pytest.approx(exact, abs=0.004)


@pytest.mark.parametrize("name", ["life.py", "ising.py"])
def test_the_example_is_short(name):
    assert len((EXAMPLES / name).read_text().splitlines()) <= 60
