"""Points off the grid beside plain NumPy, and a sum of all bits, for many strategies.

mpiexec -n N python points_on_ranks.py OUTPUT

Every rank count must give the same sums; the script itself compares the values with NumPy's.
"""

from __future__ import annotations

import zlib
from itertools import product

import numpy as np
from parallel.poisoned import STRATEGIES, in_turn

import halocline as hc
from halocline.frozen import Frozen
from halocline.runtime.job import join

STEPS, DT, A = 6, 0.5, 0.125


class Problem(Frozen):
    """Diffusion with sources and receivers."""

    extent: tuple[int, ...]
    periodic: tuple[bool, ...]
    interpolation: str
    dtype: str = "float64"
    radius: int = 2

    @property
    def label(self) -> str:
        """Its name."""
        return f"{self.extent} {self.periodic} {self.interpolation} {self.dtype}"

    @property
    def points(self) -> np.ndarray:
        """Points anywhere, in cell centres, on faces, sides and corners, and several in a cell."""
        n = np.array(self.extent, float)
        random = np.random.default_rng(5).random((23, len(n))) * n
        special = [
            0.0 * n, n, n / 2, np.floor(n / 2) + 0.5, 0.5 + 0.0 * n, n - 0.5, np.minimum(n, 1.25),
            np.minimum(n, 1.3), n - 1.0, np.maximum(0.0, n - 0.01), n / 3, n / 3,
        ]  # fmt: skip
        return np.concatenate([random, special])


PROBLEMS = [
    Problem(extent, periodic, interpolation)
    for extent, periodics in (
        ((24,), ((True,), (False,))),
        ((16, 18), ((True, False), (True, True))),
        ((10, 12, 13), ((False,) * 3, (True,) * 3)),
    )
    for periodic in periodics
    for interpolation in ("linear", "cubic", "sinc")
]
PROBLEMS += [
    Problem((16, 18), (False, True), "cubic", "float32"),
    Problem((10, 12, 13), (False, True, True), "linear", "float32"),
]


def weights(fraction: float, problem: Problem) -> dict[int, float]:
    """Return the weights of the values around a point, by their distance from the one before it."""
    f = fraction
    if problem.interpolation == "linear":
        return {0: 1 - f, 1: f}
    if problem.interpolation == "cubic":
        nodes = (-1, 0, 1, 2)
        return {i: float(np.prod([(f - j) / (i - j) for j in nodes if j != i])) for i in nodes}
    r, b = problem.radius, 2.94
    return {
        i: float(np.sinc(i - f) * np.i0(b * np.sqrt(max(0.0, 1 - ((i - f) / r) ** 2))) / np.i0(b))
        for i in range(1 - r, r + 1)
    }


def cells_of(point: np.ndarray, problem: Problem) -> list[tuple[tuple[int, ...], float]]:
    """Return the cells that a point weights, and how much."""
    along = []
    for x in point:
        before = int(np.floor(x - 0.5))
        found = weights(x - 0.5 - before, problem)
        along.append([(before + i, w) for i, w in found.items() if abs(w) > 1e-14])
    return [
        (tuple(c for c, _ in some), float(np.prod([w for _, w in some])))
        for some in product(*along)
    ]


def padded(u: np.ndarray, problem: Problem, width: int) -> np.ndarray:
    """Return values with layers around: the other end's, or mirrored."""
    for axis, closes in enumerate(problem.periodic):
        some = [(0, 0)] * u.ndim
        some[axis] = (width, width)
        u = np.pad(u, some, mode="wrap" if closes else "symmetric")
    return u


def expected(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """Return the field at the end, and what was recorded, in plain NumPy."""
    u, shown = start(problem), []
    amounts = amplitudes(len(problem.points))
    weighted = [cells_of(point, problem) for point in problem.points]
    for step in range(STEPS):
        wide = padded(u, problem, 4)
        shown.append(
            [
                sum(w * float(wide[tuple(c + 4 for c in cell)]) for cell, w in cells)
                for cells in weighted
            ]
        )
        near = padded(u, problem, 1)
        inner = (slice(1, -1),) * u.ndim
        around = sum(np.roll(near, turn, axis)[inner] for axis in range(u.ndim) for turn in (1, -1))
        new = u + A * (around - 2 * u.ndim * u)
        for cells, amount in zip(weighted, amounts, strict=True):
            for cell, w in cells:
                where = tuple(
                    c % n if closes else c
                    for c, n, closes in zip(cell, problem.extent, problem.periodic, strict=True)
                )
                if all(0 <= c < n for c, n in zip(where, problem.extent, strict=True)):
                    new[where] += w * amount * (1.0 + step * DT)
        u = new
    return u, np.array(shown)


def start(problem: Problem) -> np.ndarray:
    """Return the values at first."""
    return np.random.default_rng(3).random(problem.extent)


def amplitudes(count: int) -> np.ndarray:
    """Return how strong each source is."""
    return np.random.default_rng(4).random(count)


@hc.kernel
def diffuse(u, u_new, *, a):
    here = (0,) * u.dimensions
    u_new[here] = u[here] + a * hc.laplacian(u)


def run(problem: Problem, **choices) -> tuple[np.ndarray | None, np.ndarray, np.ndarray]:
    """Return the field at the end (rank 0), and what was recorded in all steps and in some."""
    grid = hc.Grid(problem.extent, periodic=problem.periodic)
    u, u_new = (grid.field(name, dtype=problem.dtype) for name in ("u", "u_new"))
    u.set(start(problem))
    for axis, closes in zip("xyz", problem.periodic):
        for sign in () if closes else "-+":
            u.boundary(axis + sign, hc.Neumann(0.0))
    points = hc.Points(problem.points, problem.interpolation, radius=problem.radius)
    shot, late = points.record(u), points.record(u, every=2)
    rising = hc.Series([0.0, 100.0], [1.0, 101.0])
    source = points.inject(rising, into=u_new, scale=amplitudes(len(points)))
    steps = [shot, diffuse(u, u_new, a=A), source, late, hc.swap(u, u_new)]
    simulation = hc.Simulation(grid, steps, dt=DT, **choices)
    simulation.run(STEPS, progress=False)
    np.testing.assert_array_equal(shot.times, np.arange(STEPS) * DT)
    return u.gather(), shot.values, late.values


def checksum(*arrays: np.ndarray | None) -> int:
    """Return a sum of all bits."""
    crc = 0
    for array in arrays:
        crc = zlib.crc32(b"" if array is None else np.ascontiguousarray(array).tobytes(), crc)
    return crc


def allowed(problem: Problem, ranks: int, choices: dict) -> bool:
    """Return whether halos fit into blocks."""
    depth = choices["strategy"].depth
    width = 2 if problem.interpolation == "linear" else 4
    if len(problem.extent) == 1:
        return ranks * choices.get("blocks", 1) * max(depth, width) <= problem.extent[0]
    if choices.get("decomposition") == "rows":
        return ranks * max(depth, width) <= problem.extent[-1]
    return depth < 3 or ranks < 8


def sums(nth: int) -> list[int]:
    """Return the sums of a problem by each strategy that is run here, on rank 0."""
    job, problem, found = join(), PROBLEMS[nth], []
    for number, choices in enumerate(in_turn(STRATEGIES, nth, job.size)):
        if not allowed(problem, job.size, choices):
            continue
        field, shown, late = run(problem, **choices)
        if job.rank == 0:
            found.append(checksum(field, shown, late))
            if job.size == 1 and number == 0:
                compare(problem, field, shown, late)
    return found


def compare(problem: Problem, field: np.ndarray, shown: np.ndarray, late: np.ndarray) -> None:
    """Compare with NumPy."""
    known, recorded = expected(problem)
    near = {"rtol": 1e-11, "atol": 1e-11} if problem.dtype == "float64" else {"atol": 3e-5}
    np.testing.assert_allclose(field, known, **near)
    np.testing.assert_allclose(shown, recorded, **near)
    np.testing.assert_array_equal(late, shown[1::2])
