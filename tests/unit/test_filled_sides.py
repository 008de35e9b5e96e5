"""Fields located on a side, and boundaries between statements: filled before anybody looks."""

import numpy as np
import pytest

import halocline as hc


def run(grid, steps, count=1, **options):
    options = {"target": "numpy", "threads": 1} | options
    hc.Simulation(grid, steps, **options).run(count, progress=False)


@hc.kernel
def flux_of(v, F):
    F[0] = 3.0 * v[0]


@hc.kernel
def gain(F, h):
    h[0] = h[0] + F[0]


@hc.kernel
def gain_at_once(v, F, h):
    F[0] = 3.0 * v[0]
    h[0] = h[0] + F[0]


@pytest.fixture
def channel():
    """Return a flux on faces, given at the low side, what it is computed of, and what gains it."""
    grid = hc.Grid((5,))
    F, v, h = grid.field("F", location="x_face"), grid.field("v"), grid.field("h")
    F.boundary("x-", hc.Dirichlet(2.0))
    F.boundary("x+", hc.Dirichlet(7.0))
    v.set(1.0)
    return grid, F, v, h


@pytest.mark.parametrize("blocks", [1, 3])
@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("is_one", [False, True])
def test_a_value_on_the_low_side_is_read_though_no_kernel_reads_beyond_it(
    channel, is_one, depth, blocks
):
    grid, F, v, h = channel
    steps = [gain_at_once(v, F, h)] if is_one else [flux_of(v, F), gain(F, h)]
    run(grid, steps, 2, strategy=hc.Strategy(depth=depth if blocks == 1 else 1), blocks=blocks)
    assert h.gather().tolist() == [4.0, 6.0, 6.0, 6.0, 6.0]


def test_a_value_on_the_low_side_is_seen_after_the_step(channel):
    grid, F, v, _ = channel
    run(grid, [flux_of(v, F)])
    assert F.gather().tolist() == [2.0, 3.0, 3.0, 3.0, 3.0, 7.0]


def test_a_value_on_the_low_side_is_seen_by_functions_and_reductions(channel):
    grid, F, v, _ = channel
    seen = []
    least, product = hc.min(F), hc.min(2.0 * F[0])
    look = [least, product, lambda: seen.append(F.local()[0][0])]
    run(grid, [flux_of(v, F), *look])
    assert (seen, least.value, product.value) == ([2.0], 2.0, 4.0)


def test_a_value_on_the_low_side_is_read_after_a_swap():
    grid = hc.Grid((3,))
    F, G, h = (
        grid.field("F", location="x_face"),
        grid.field("G", location="x_face"),
        grid.field("h"),
    )
    F.boundary("x-", hc.Dirichlet(2.0))
    G.set(3.0)
    run(grid, [hc.swap(F, G), gain(F, h)])
    assert h.gather().tolist() == [2.0, 3.0, 3.0]


@hc.kernel
def first(a, b):
    b[1] = a[0]


@hc.kernel
def second(b, c):
    c[0] = b[1]


@hc.kernel
def both(a, b, c):
    b[1] = a[0]
    c[0] = b[1]


@pytest.mark.parametrize("is_one", [False, True])
def test_statements_of_one_kernel_do_what_those_of_two_do(is_one):
    grid = hc.Grid((4,))
    a, b, c = (grid.field(name) for name in "abc")
    a.set(np.array([2.0, 3.0, 4.0, 5.0]))
    b.boundary("x+", hc.Dirichlet(0.0))
    run(grid, [both(a, b, c)] if is_one else [first(a, b), second(b, c)])
    assert c.gather().tolist() == [2.0, 3.0, 4.0, -4.0]


def test_a_boundary_may_read_another_field_beyond_the_domain():
    grid = hc.Grid((3, 2))
    T, wall, out = grid.field("T"), grid.field("wall"), grid.field("out")

    @hc.kernel
    def filled(T, wall):
        T[0, 0] = wall[0, 0] + wall[1, 0]

    @hc.kernel
    def left(T, out):
        out[0, 0] = T[-1, 0]

    wall.set(1.0)
    wall.boundary("x-", hc.Dirichlet(3.0))
    T.boundary("x-", lambda T, on: filled(T, wall, on=on))
    run(grid, [left(T, out)])
    assert out.gather()[0].tolist() == [5.0 + 1.0] * 2


def test_a_boundary_that_changes_with_time_is_filled_anew_in_deep_halos():
    results = []
    for depth in (1, 3):
        grid = hc.Grid((6,))
        T, out = grid.field("T"), grid.field("out")
        T.boundary("x-", hc.Dirichlet(hc.time))

        @hc.kernel
        def gather(T, out):
            out[0] = out[0] + T[-1]

        run(grid, [gather(T, out)], 4, strategy=hc.Strategy(depth=depth), dt=0.5)
        results.append(out.gather().tolist())
    assert results[0] == results[1]
    assert results[0][0] == 2.0 * (0.0 + 0.5 + 1.0 + 1.5)


@hc.kernel
def one(f):
    f[0] = 1.0


def test_a_value_on_the_low_side_is_seen_in_what_a_swap_brings():
    grid = hc.Grid((4,))
    a, b = grid.field("a", location="x_face"), grid.field("b", location="x_face")
    a.boundary("x-", hc.Dirichlet(2.0))
    b.boundary("x-", hc.Dirichlet(3.0))
    run(grid, [one(a), hc.swap(a, b), one(b)])
    assert a.gather().tolist() == [2.0, 0.0, 0.0, 0.0, 0.0]
    assert b.gather().tolist() == [3.0, 1.0, 1.0, 1.0, 1.0]


def test_boundaries_may_need_what_came_in_one_message_at_different_times():
    """One kernel used both fields first when they were sent; then it was inlined in a later one."""

    @hc.kernel
    def spread(S, T):
        T[0, 0, 0] = 0.5 * S[1, 0, 0] + 0.25 * S[0, 1, 0] + 0.1 * T[0, 0, 0]

    @hc.kernel
    def look(T, out):
        out[0, 0, 0] = T[1, -1, -1] + T[0, 0, 1] + T[0, 1, 1]

    def run(overlap, decomposition):
        grid = hc.Grid((6, 4, 4), periodic=(True, True, False))
        S, T, out = (grid.field(name) for name in ("S", "T", "out"))
        given = hc.Series([0.0, 2.0], np.arange(48.0).reshape(2, 6, 4))
        T.boundary("z-", hc.Dirichlet(given))
        T.boundary("z+", hc.Neumann(1.0))
        S.set(lambda x, y, z: np.sin(x + y) + z)
        simulation = hc.Simulation(
            grid,
            [spread(S, T), look(T, out), hc.swap(S, out)],
            dt=0.3,
            decomposition=decomposition,
            strategy=hc.Strategy(overlap=overlap, poison=True),
            target="numpy",
        )
        simulation.run(4, progress=False)
        return S.gather()

    right = run("none", "1x1x1")
    assert np.array_equal(run("postponed", "2x1x1"), right)
    assert np.array_equal(run("postponed", "2x2x1"), right)
