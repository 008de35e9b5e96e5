"""Programs whose steps compute numbers and go on until a condition holds, beside plain NumPy.

Each returns the problem, what is looked at after some steps, and what NumPy finds without us. Sums
are exact in both: 'math.fsum' rounds once, too.
"""

from __future__ import annotations

from collections.abc import Callable
from math import fsum, sqrt
from typing import Any

import numpy as np
from msgspec import Struct, field

import halocline as hc

STEPS = 3


class Looping(Struct):
    """A simulation to be made, and what must come of it after STEPS steps.

    Attributes:
        grid: The grid.
        steps: Its steps.
        expected: Arrays by the names of fields.
        numbers: Parameters with what they must be.
        options: Of the simulation.
    """

    grid: hc.Grid
    steps: list[Any]
    expected: dict[str, np.ndarray]
    numbers: list[tuple[hc.Parameter, float]]
    options: dict[str, Any] = field(default_factory=dict)

    def differences(self, simulation: hc.Simulation) -> list[str]:
        """Return what differs; on rank 0, elsewhere fields are not looked at."""
        found = [
            f"{p.name}: {p.value!r}, not {value!r}" for p, value in self.numbers if p.value != value
        ]
        for name, values in self.expected.items():
            gathered = self.grid.fields[name].gather()
            if simulation.rank == 0 and not np.array_equal(gathered, values):
                found.append(f"{name}: by {np.abs(gathered - values).max()}")
        return found


def _random(shape: tuple[int, ...], seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).random(shape)


def _sum(values: np.ndarray) -> float:
    return fsum(values.ravel().tolist())


def _neighbours(a: np.ndarray) -> np.ndarray:
    return np.roll(a, 1, 0) + np.roll(a, -1, 0) + np.roll(a, 1, 1) + np.roll(a, -1, 1)


@hc.kernel
def matvec(p, q):
    q[0, 0] = 4.5 * p[0, 0] - (p[-1, 0] + p[1, 0] + p[0, -1] + p[0, 1])


@hc.kernel
def begin(x, r, p, b):
    x[0, 0] = 0.0
    r[0, 0] = b[0, 0]
    p[0, 0] = b[0, 0]


@hc.kernel
def update(x, r, p, q, *, alpha):
    x[0, 0] = x[0, 0] + alpha * p[0, 0]
    r[0, 0] = r[0, 0] - alpha * q[0, 0]


@hc.kernel
def direction(p, r, *, beta):
    p[0, 0] = r[0, 0] + beta * p[0, 0]


@hc.kernel
def source(b, x):
    b[0, 0] = 1.25 * b[0, 0] + x[0, 0]


def conjugate_gradients() -> Looping:
    """A linear system in each step, whose right-hand side follows from the last one's solution."""
    grid = hc.Grid((10, 26), periodic=True)
    x, r, p, q, b = (grid.field(name) for name in "xrpqb")
    start = _random(grid.extent)
    b.set(start)
    rr, b_norm = hc.Parameter(0.0, "rr"), hc.Parameter(0.0, "b_norm")
    alpha = rr / hc.sum(p * q)
    rr_new = hc.sum(r * r, name="rr_new")
    loop = hc.until(
        hc.sqrt(rr_new) < 1e-9 * b_norm,
        matvec(p, q),
        alpha,
        update(x, r, p, q, alpha=alpha),
        rr_new,
        direction(p, r, beta=rr_new / rr),
        hc.assign(rr, rr_new),
        max_iterations=100,
    )
    steps = [
        begin(x, r, p, b),
        hc.assign(rr, hc.sum(b * b)),
        hc.assign(b_norm, hc.sqrt(rr)),
        loop,
        source(b, x),
    ]
    B = start
    for _ in range(STEPS):
        X, R, P = np.zeros_like(B), B, B
        RR = _sum(B * B)
        norm, passes = sqrt(RR), 0
        for _ in range(1000):
            Q = 4.5 * P - _neighbours(P)
            a = RR / _sum(P * Q)
            X, R = X + a * P, R - a * Q
            new = _sum(R * R)
            P = R + new / RR * P
            RR, passes = new, passes + 1
            if sqrt(new) < 1e-9 * norm:
                break
        B = 1.25 * B + X
    numbers = [(loop.iterations, float(passes)), (rr, RR), (b_norm, norm)]
    return Looping(grid, steps, {"x": X, "b": B}, numbers)


@hc.kernel
def advance(u, trial, *, dt):
    trial[0, 0] = u[0, 0] + dt * u[0, 0] * (u[1, 0] + u[-1, 0] + u[0, 1] + u[0, -1] - 4.0 * u[0, 0])


@hc.kernel
def accept(u, trial):
    u[0, 0] = trial[0, 0]


def trial_steps() -> Looping:
    """A step that is rejected and repeated with half the length, and then a longer one is tried."""
    grid = hc.Grid((9, 25), periodic=True)
    u, trial = grid.field("u"), grid.field("trial")
    start = _random(grid.extent, 4)
    u.set(start)
    dt = hc.Parameter(2.0, "dt")
    error = hc.max(abs(trial - u), name="error")
    loop = hc.until(
        error <= 0.125,
        advance(u, trial, dt=dt),
        error,
        hc.assign(dt, hc.where(error > 0.125, 0.5 * dt, dt)),
        max_iterations=20,
    )
    done = hc.Parameter(0.0, "done")
    steps = [
        loop,
        accept(u, trial),
        hc.assign(done, done + dt),
        hc.assign(dt, hc.minimum(4 * dt, 1)),
    ]
    U, DT, T = start, 2.0, 0.0
    for _ in range(STEPS):
        passes = 0
        for _ in range(1000):
            V = U + DT * U * (
                np.roll(U, -1, 0)
                + np.roll(U, 1, 0)
                + np.roll(U, -1, 1)
                + np.roll(U, 1, 1)
                - 4.0 * U
            )
            passes += 1
            if np.abs(V - U).max() <= 0.125:
                break
            DT *= 0.5
        U, T, DT = V, T + DT, min(4 * DT, 1.0)
    numbers = [(dt, DT), (done, T), (loop.iterations, float(passes))]
    return Looping(grid, steps, {"u": U}, numbers)


@hc.kernel
def relax(u, v, f):
    v[0, 0] = 0.2 * (u[0, 0] + u[1, 0] + u[-1, 0] + u[0, 1] + u[0, -1] + f[0, 0])


@hc.kernel
def count(hit, u, seen, *, level):
    seen[0, 0] = seen[0, 0] + level * u[0, 0]


@hc.kernel
def strike(u, hit, *, mean):
    hit[0, 0] = u[0, 0] > mean


def swapped() -> Looping:
    """Fields that are swapped in a loop, three in turn; a mask; walls that follow a formula."""
    grid = hc.Grid((10, 26))
    u, v, w, f, seen = (grid.field(name) for name in ("u", "v", "w", "f", "seen"))
    hit = grid.field("hit", dtype="uint8")
    start, force = _random(grid.extent, 5), _random(grid.extent, 6) - 0.5
    u.set(start)
    f.set(force)
    level = hc.Parameter(0.5, "level")
    total = hc.sum(u, name="total")
    wall = level / (1.0 + total * total)
    for one in (u, v, w):
        for side in ("x-", "x+", "y-", "y+"):
            one.boundary(side, hc.Dirichlet(wall))
    change = hc.max(abs(v - u), name="change")
    loop = hc.until(
        change < 0.01,
        relax(u, v, f),
        change,
        hc.swap(u, v),
        hc.swap(v, w),
        hc.repeat(2, relax(u, v, f), hc.swap(u, v)),
        max_iterations=60,
    )
    steps = [
        total,
        loop,
        strike(u, hit, mean=total / 260),
        count(hit, u, seen, level=2 * level + loop.iterations, on=hit),
        hc.assign(level, level + 0.25),
    ]
    U, V, W, S, L = start, np.zeros_like(start), np.zeros_like(start), np.zeros_like(start), 0.5
    for _ in range(STEPS):
        T = _sum(U)
        G, passes = L / (1.0 + T * T), 0

        def relaxed(a: np.ndarray, beyond: float = G) -> np.ndarray:
            b = np.empty(tuple(n + 2 for n in a.shape))
            b[1:-1, 1:-1] = a
            b[0, 1:-1], b[-1, 1:-1] = 2 * beyond - a[0], 2 * beyond - a[-1]
            b[1:-1, 0], b[1:-1, -1] = 2 * beyond - a[:, 0], 2 * beyond - a[:, -1]
            return 0.2 * (a + b[2:, 1:-1] + b[:-2, 1:-1] + b[1:-1, 2:] + b[1:-1, :-2] + force)

        for _ in range(1000):
            V = relaxed(U)
            passes += 1
            C = np.abs(V - U).max()
            U, V = V, U
            V, W = W, V
            for _ in range(2):
                V = relaxed(U)
                U, V = V, U
            if C < 0.01:
                break
        H = U > T / 260
        S = np.where(H, S + (2 * L + passes) * U, S)
        L += 0.25
    fields = {"u": U, "v": V, "w": W, "seen": S, "hit": H.astype("uint8")}
    return Looping(grid, steps, fields, [(loop.iterations, float(passes)), (level, L)])


@hc.sweep("x+")
def accumulate(before, u, v, *, weight):
    v[0, 0] = u[0, 0] + weight * before
    return v[0, 0]


@hc.kernel
def smooth(u, v):
    u[0, 0] = 0.2 * (v[0, 0] + v[1, 0] + v[-1, 0] + v[0, 1] + v[0, -1])


@hc.kernel
def halve(u):
    u[0, 0] = 0.5 * u[0, 0]


def nested() -> Looping:
    """Loops in loops, with sweeps and functions, now and then; a length of steps that follows."""
    grid = hc.Grid((10, 26), periodic=(False, True))
    u, v = grid.field("u"), grid.field("v")
    v.boundary("x-", hc.Neumann(0.0))
    v.boundary("x+", hc.Neumann(0.0))
    start = 4 * _random(grid.extent, 7)
    u.set(start)
    weight = hc.Parameter(0.5, "weight")
    n, calls = hc.Parameter(0.0, "n"), []
    spread = hc.max(u) - hc.min(u)

    def called() -> None:
        calls.append(n.value)
        weight.value = 0.5 / (1 + len(calls) % 2)

    inner = hc.until(
        (n >= 3) | (spread < 0.5),
        accumulate(u, v, start=0.0, weight=weight),
        smooth(u, v),
        hc.assign(n, n + 1),
    )
    outer = hc.until(
        spread < 1.5, hc.assign(n, 0), inner, called, max_iterations=4, on_failure="ignore"
    )
    dt = 0.5 + 0.25 * outer.iterations
    moment = hc.Parameter(0.0, "moment")
    steps = [hc.assign(moment, hc.time), hc.every(2, outer), hc.repeat(2, halve(u), outer)]
    U, T, M, count_of_calls, w = start, 0.0, 0.0, 0, 0.5

    def smoothed(V: np.ndarray) -> np.ndarray:
        b = np.concatenate([V[:1], V, V[-1:]])
        return 0.2 * (V + b[2:] + b[:-2] + np.roll(V, -1, 1) + np.roll(V, 1, 1))

    def solve(U: np.ndarray) -> tuple[np.ndarray, int]:
        nonlocal count_of_calls, w
        passes = 0
        while passes < 4:
            passes += 1
            for n in range(1, 1001):
                V, before = np.empty_like(U), np.zeros(U.shape[1])
                for i in range(len(U)):
                    before = V[i] = U[i] + w * before
                U = smoothed(V)
                spread = U.max() - U.min()
                if n >= 3 or spread < 0.5:
                    break
            count_of_calls += 1
            w = 0.5 / (1 + count_of_calls % 2)
            if U.max() - U.min() < 1.5:
                break
        return U, passes

    for step in range(1, STEPS + 1):
        M, (U, passes) = T, (U, 0) if step % 2 else solve(U)
        for _ in range(2):
            U, passes = solve(0.5 * U)
        T += 0.5 + 0.25 * passes
    return Looping(
        grid, steps, {"u": U}, [(moment, M), (outer.iterations, float(passes))], {"dt": dt}
    )


@hc.kernel
def hand_on(u):
    u[1, 0] = 0.5 * u[0, 0]


def only_swapped() -> Looping:
    """What one block has assigned to cells of the next goes round in a loop that only swaps."""
    grid = hc.Grid((8, 12), periodic=(True, True))
    u, v = grid.field("u"), grid.field("v")
    U, V = _random(grid.extent, 1), _random(grid.extent, 2)
    u.set(U)
    v.set(V)
    n = hc.Parameter(0.0, "n")
    loop = hc.until(n >= 3, hc.swap(u, v), hc.assign(n, n + 1))
    for _ in range(STEPS):
        U = U.copy()
        U[4] = 0.5 * U[3]
        U, V = V, U
    steps = [hand_on(u, on=hc.Box((3, 0), (4, 12))), hc.assign(n, 0), loop]
    return Looping(grid, steps, {"u": U, "v": V}, [(n, 3.0)])


@hc.kernel
def push(u, v):
    v[0, 0] = 0.5 * u[0, 0] + 0.5 * u[-1, 0]


@hc.kernel
def mean(u, v):
    v[0, 0] = 0.25 * (u[1, 0] + u[-1, 0] + u[0, 1] + u[0, -1])


def swapped_before() -> Looping:
    """Fields that are swapped before a loop and in it; the kernel before may be run again."""
    grid = hc.Grid((10, 26), periodic=True)
    u, v = grid.field("u"), grid.field("v")
    U = _random(grid.extent, 8)
    u.set(U)
    change = hc.max(abs(v - u), name="change")
    loop = hc.until(change < 0.02, mean(u, v), change, hc.swap(u, v), max_iterations=60)
    for _ in range(STEPS):
        U = 0.5 * U + 0.5 * np.roll(U, 1, 0)
        for passes in range(1, 1000):  # noqa: B007 (looked at below)
            before, U = (
                U,
                0.25
                * (((np.roll(U, -1, 0) + np.roll(U, 1, 0)) + np.roll(U, -1, 1)) + np.roll(U, 1, 1)),
            )
            if np.abs(U - before).max() < 0.02:
                break
    return Looping(
        grid, [push(u, v), hc.swap(u, v), loop], {"u": U, "v": before}, [(loop.iterations, passes)]
    )


PROBLEMS: dict[str, Callable[[], Looping]] = {
    "conjugate gradients": conjugate_gradients,
    "trial steps": trial_steps,
    "swapped": swapped,
    "nested": nested,
    "only swapped": only_swapped,
    "swapped before": swapped_before,
}
STRATEGIES = {
    "core first": hc.Strategy(poison=True),
    "rim first, two steps deep": hc.Strategy(overlap="rim-first", depth=2, poison=True),
    "postponed, whole halo": hc.Strategy(overlap="postponed", width="full", poison=True),
    "none, staged": hc.Strategy(overlap="none", neighbours="staged", messages="field", poison=True),
    "any, three deep": hc.Strategy(overlap="core-first", wait="any", depth=3, poison=True),
    "rim first": hc.Strategy(overlap="rim-first", poison=True),
    "computed again": hc.Strategy(
        recompute="fewest-bytes", recompute_in_loops="fewest-bytes", poison=True
    ),
}


def differences(name: str, **options: Any) -> list[str]:
    """Run a problem; return what differs from what NumPy finds; collective."""
    problem = PROBLEMS[name]()
    simulation = hc.Simulation(problem.grid, problem.steps, **problem.options, **options)
    simulation.run(STEPS, progress=False)
    return problem.differences(simulation)
