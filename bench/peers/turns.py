"""What all workers of 'compare.py' do: they step when they are asked to, and say how fast.

A worker writes one line of JSON when it is ready, with values that must agree between workers of a
case; then for each line that it reads it steps for so many seconds and writes its rate.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np


def serve(step: Callable[[int], None], updates: int, verify: Callable[[], list[float]]) -> None:
    """Answer until there is nothing more to read.

    Args:
        step: Does so many steps.
        updates: Cells that a step updates.
        verify: Does the first steps and returns values after them.
    """
    print(json.dumps({"values": verify()}), flush=True)
    steps = 1
    for line in sys.stdin:
        budget_s = float(line)
        while True:
            start = time.perf_counter()
            step(steps)
            taken_s = time.perf_counter() - start
            if taken_s > budget_s / 2:
                break
            steps = max(steps + 1, min(10 * steps, int(0.8 * budget_s / taken_s * steps)))
        print(json.dumps({"rate": updates * steps / taken_s}), flush=True)
        steps = max(1, int(budget_s / taken_s * steps))


def bump(n: int, x: Any, y: Any, z: Any) -> Any:
    """Return what a grid of n³ cells has at first at the centres of cells, in cells."""
    square = (x - 0.45 * n) ** 2 + (y - 0.5 * n) ** 2 + (z - 0.55 * n) ** 2
    return np.exp(-square / (0.1 * n) ** 2)


def density(n: int, x: Any, y: Any, z: Any) -> Any:
    """Return the density of a lattice of n³ cells at first: at rest, with waves."""
    waves = np.sin(2 * np.pi * x / n) + np.sin(4 * np.pi * y / n) + np.sin(2 * np.pi * z / n)
    return 1 + 0.01 * waves


def places_of(n: int) -> list[tuple[int, int, int]]:
    """Return cells whose values must agree."""
    return [(n // 2, n // 2, k) for k in (n // 3, n // 2, n - n // 3)]
