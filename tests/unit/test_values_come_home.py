"""What a neighbour holds comes home before anybody looks: found by random programs."""

import numpy as np
import pytest

import halocline as hc


@hc.kernel
def mark(M):
    M[0, -1] = hc.index("x")


@hc.kernel
def fill(F):
    F[0, 0] = 0.75


@pytest.mark.parametrize("overlap", ["none", "core-first", "rim-first", "postponed"])
def test_before_a_loop_on_a_mask(overlap):
    grid = hc.Grid((5, 4), periodic=True)
    F, M = grid.field("F"), grid.field("M")
    strategy = hc.Strategy(overlap=overlap, poison=True)
    steps = [mark(M), hc.repeat(1, fill(F, on=M))]
    hc.Simulation(grid, steps, strategy=strategy, target="numpy", threads=1).run(1, progress=False)
    assert F.gather()[0].tolist() == [0.0] * 4
    assert (F.gather()[1:] == 0.75).all()


@hc.kernel
def ones(G):
    G[0] = 1.0


@hc.kernel
def ones_next_door(F):
    F[-1] = 1.0


@pytest.mark.parametrize("depth", [1, 3])
def test_after_a_kernel_that_runs_now_and_then(depth):
    grid = hc.Grid((8,), periodic=True)
    F, G = grid.field("F"), grid.field("G")
    strategy = hc.Strategy(depth=depth, poison=True)
    steps = [ones(G), hc.every(3, ones_next_door(F))]
    options = {"strategy": strategy, "target": "numpy", "threads": 1, "blocks": 2}
    hc.Simulation(grid, steps, **options).run(3, progress=False)
    assert F.gather().tolist() == [1.0] * 8


def test_before_a_step_ends_where_a_run_may_end():
    """A chain begins with a side's cells in one step and goes on in the next."""
    found = []
    for depth in (1, 2):
        grid = hc.Grid((12, 6), periodic=(True, False))
        T, U, F = grid.field("T"), grid.field("U"), grid.field("F", location="y_face")
        for side in ("y-", "y+"):
            F.boundary(side, hc.Dirichlet(2.0))
        T.set(lambda x, y: np.sin(x) + y)

        @hc.kernel
        def step(T, U, F):
            U[0, 0] = 0.5 * (T[-1, 0] + T[1, 0])
            F[0, 0] = T[0, 0]

        steps = [step(T, U, F), hc.swap(T, U), lambda: None]
        strategy = hc.Strategy(depth=depth, overlap="postponed", poison=True)
        options = {"strategy": strategy, "target": "numpy", "threads": 1, "blocks": 3}
        simulation = hc.Simulation(grid, steps, **options)
        for count in (1, 2, 1):
            simulation.run(count, progress=False)
        found.append(T.gather().tolist())
    assert found[0] == found[1]


@hc.kernel
def look(b, m):
    m[0, 0] = b[0, 1]


@hc.kernel
def reset(a):
    a[0, 0] = 1.0


@pytest.mark.parametrize("depth", [1, 2])
def test_what_is_swapped_after_a_kernel_that_runs_now_and_then(depth):
    grid = hc.Grid((4, 4), periodic=True)
    a, b, m = (grid.field(name) for name in "abm")
    a.set(1.0)
    b.set(2.0)
    steps = [hc.swap(a, b), look(b, m), hc.every(1, reset(a))]
    strategy = hc.Strategy(depth=depth, poison=True)
    hc.Simulation(grid, steps, strategy=strategy, target="numpy", threads=1).run(2, progress=False)
    assert m.gather().tolist() == [[1.0] * 4] * 4
