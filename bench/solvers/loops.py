"""Time the passes of conjugate gradients and BiCGSTAB beside loops written by hand, in turns.

For each pass: the numbers of a cell that it must read and write; the time of a loop that does
nothing but move as many, of one written by hand for this machine that computes the same (sums
rounded each time, 'bare.cpp'), and of Halocline (sums exact). On one thread the least processor
time counts, since others may compute beside; on several the least time.

    python bench/solvers/loops.py [threads]
"""

import ctypes
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import halocline as hc

N, STEPS, TURNS = 256, 4, 8

grid = hc.Grid((N, N, N), periodic=True)
x, r, p, q, first, t = (grid.field(name) for name in ("x", "r", "p", "q", "first", "t"))


@hc.kernel
def laplace(q: Any, p: Any) -> None:
    """The matrix product."""
    q[0, 0, 0] = 6.5 * p[0, 0, 0] - (
        p[1, 0, 0] + p[-1, 0, 0] + p[0, 1, 0] + p[0, -1, 0] + p[0, 0, 1] + p[0, 0, -1]
    )


@hc.kernel
def step_along(x: Any, r: Any, p: Any, q: Any) -> None:
    """The solution and the residual, a step further."""
    x[0, 0, 0] = x[0, 0, 0] + 1e-9 * p[0, 0, 0]
    r[0, 0, 0] = r[0, 0, 0] - 1e-9 * q[0, 0, 0]


@hc.kernel
def direction(p: Any, r: Any) -> None:
    """The next direction."""
    p[0, 0, 0] = r[0, 0, 0] + 1e-9 * p[0, 0, 0]


@hc.kernel
def subtract(r: Any, v: Any) -> None:
    """The residual after the first half of a pass of BiCGSTAB."""
    r[0, 0, 0] = r[0, 0, 0] - 1e-9 * v[0, 0, 0]


@hc.kernel
def two_steps(x: Any, r: Any, p: Any, t: Any) -> None:
    """The solution and the residual of a pass of BiCGSTAB."""
    x[0, 0, 0] = x[0, 0, 0] + 1e-9 * p[0, 0, 0] + 1e-9 * r[0, 0, 0]
    r[0, 0, 0] = r[0, 0, 0] - 1e-9 * t[0, 0, 0]


@hc.kernel
def renewed(p: Any, r: Any, v: Any) -> None:
    """The next direction of BiCGSTAB."""
    p[0, 0, 0] = r[0, 0, 0] + 1e-9 * (p[0, 0, 0] - 1e-9 * v[0, 0, 0])


pq, rr, fv = hc.sum(p * q, "pq"), hc.sum(r * r, "rr"), hc.sum(first * q, "fv")
tr, tt, rho = hc.sum(t * r, "tr"), hc.sum(t * t, "tt"), hc.sum(first * r, "rho")

# Steps, the loop by hand, the one that only moves as much, and numbers of a cell: in both, and of
# that one if it moves others.
SOLVERS: dict[str, dict[str, tuple[list[Any], str, str, int, int]]] = {
    "conjugate gradients": {
        "q = A p, p q": ([laplace(q, p), pq], "apply", "copy", 2, 2),
        "x, r, r r": ([step_along(x, r, p, q), rr], "step", "step_only", 6, 6),
        "p": ([direction(p, r)], "direction", "direction", 3, 3),
    },
    "BiCGSTAB": {
        "v = A p, first v": ([laplace(q, p), fv], "apply_first", "direction", 3, 3),
        "r": ([subtract(r, q)], "subtract", "direction", 3, 3),
        "t = A r, t r, t t": ([laplace(t, r), tr, tt], "apply_twice", "copy", 2, 2),
        "x, r, r r, first r": ([two_steps(x, r, p, t), rr, rho], "two_steps", "step_only", 7, 6),
        "p": ([renewed(p, r, q)], "renewed", "direction", 4, 3),
    },
}


def bare_loops() -> ctypes.CDLL:
    """Return the loops by hand, compiled for this machine."""
    library = Path(tempfile.mkdtemp(), "bare.so")
    flags = ["-O3", "-march=native", "-ffp-contract=off", "-fopenmp", "-shared", "-fPIC"]
    subprocess.run(["g++", *flags, Path(__file__).with_name("bare.cpp"), "-o", library], check=True)
    loops = ctypes.CDLL(str(library))
    loops.prepare()
    return loops


def verify() -> None:
    """Compare a product and its sum with NumPy."""
    hc.Simulation(grid, steps=[laplace(q, p), pq], check_every=0, threads=1).run(steps=1)
    a, found = p.gather(), q.gather()
    beside = [np.roll(a, -s, axis) for axis in range(3) for s in (1, -1)]
    wanted = beside[0]
    for more in beside[1:]:
        wanted = wanted + more
    assert np.array_equal(found, 6.5 * a - wanted)
    assert pq.value == math.fsum((a * found).ravel())


def repeated(loop: Any, threads: int) -> Callable[[int], object]:
    """Return what does a loop by hand several times."""
    return lambda times: [loop(threads) for _ in range(times)]


def measured(threads: int) -> dict[str, dict[str, list[float]]]:
    """Return for each pass the least times of moving, of the loop by hand and of Halocline [s]."""
    bare = bare_loops()
    clock = time.process_time if threads == 1 else time.perf_counter
    best: dict[str, dict[str, list[float]]] = {}
    work: list[tuple[str, str, list[Callable[[int], object]]]] = []
    for solver, passes in SOLVERS.items():
        for name, (steps, by_hand, moving, *_) in passes.items():
            simulation = hc.Simulation(grid, steps=steps, check_every=0, threads=threads)
            ways = [
                *(repeated(getattr(bare, loop), threads) for loop in (moving, by_hand)),
                lambda steps, simulation=simulation: simulation.run(steps=steps),
            ]
            work.append((solver, name, ways))
            best.setdefault(solver, {})[name] = [math.inf] * len(ways)
            simulation.run(steps=1)
    for _ in range(TURNS):
        for solver, name, ways in work:
            for number, way in enumerate(ways):
                # A simulation first takes the fields over from the one before.
                way(1)
                begin = clock()
                way(STEPS)
                least = best[solver][name]
                least[number] = min(least[number], (clock() - begin) / STEPS)
    return best


def main() -> None:
    """Measure and print."""
    threads = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    for field, phase in zip((x, r, p, q, first, t), (0.1, 0.2, 0.3, 0.4, 0.5, 0.6), strict=True):
        field.set(lambda a, b, c, phase=phase: hc.sin(0.37 * a + 0.21 * b + 0.13 * c + phase))
    verify()
    for solver, passes in measured(threads).items():
        print(f"{solver}, {threads} threads: numbers a cell; ms moved, by hand, Halocline")
        sums = [0.0] * 3
        for name, times in passes.items():
            *_, words, moved = SOLVERS[solver][name]
            times[0] *= words / moved
            sums = [a + b for a, b in zip(sums, times, strict=True)]
            print(f"  {name:20}{words:3}", *(f"{1e3 * one:8.1f}" for one in times))
        print(f"  {'a pass':23}", *(f"{1e3 * one:8.1f}" for one in sums))
        print(f"  of moving {sums[0] / sums[2]:.0%}, of the loops by hand {sums[1] / sums[2]:.0%}")


if __name__ == "__main__":
    main()
