"""Time the loops of conjugate gradients one by one, on cells that come from memory.

Prints the least processor time of each loop, the numbers a cell that it must read and write, and
the rate of these. Processor time: others may compute beside. 'copy' and 'max r' say what memory
gives to a loop of a read and a write, and to one that only reads.
"""

import time
from typing import Any

import halocline as hc

N, STEPS, TURNS = 256, 4, 5

grid = hc.Grid((N, N, N), periodic=True)
x, r, p, q = (grid.field(name) for name in "xrpq")


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
def copy(q: Any, r: Any) -> None:
    """A read and a write."""
    q[0, 0, 0] = r[0, 0, 0]


# A step, and the numbers of a cell that it must move.
LOOPS = {
    "q = A p": (laplace(q, p), 2),
    "sum p q": (hc.sum(p * q, "pq"), 2),
    "x, r": (step_along(x, r, p, q), 6),
    "sum r r": (hc.sum(r * r, "rr"), 1),
    "p": (direction(p, r), 3),
    "copy": (copy(q, r), 2),
    "sum r": (hc.sum(r, "sum"), 1),
    "max r": (hc.max(r, "max"), 1),
}


def main() -> None:
    """Measure and print."""
    for field, phase in ((x, 0.1), (r, 0.2), (p, 0.3), (q, 0.4)):
        field.set(lambda a, b, c, phase=phase: hc.sin(0.37 * a + 0.21 * b + 0.13 * c + phase))
    simulations = {
        name: hc.Simulation(grid, steps=[step], check_every=0) for name, (step, _) in LOOPS.items()
    }
    best = dict.fromkeys(LOOPS, float("inf"))
    for _ in range(TURNS):
        for name, simulation in simulations.items():
            simulation.run(steps=1)
            begin = time.process_time()
            simulation.run(steps=STEPS)
            best[name] = min(best[name], (time.process_time() - begin) / STEPS)
    for name, (_, words) in LOOPS.items():
        rate = words * 8 * N**3 / best[name]
        print(f"{name:8}{best[name] * 1e3:7.1f} ms {words} numbers a cell {rate * 1e-9:6.1f} GB/s")


if __name__ == "__main__":
    main()
