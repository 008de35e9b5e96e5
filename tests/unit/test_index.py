"""hc.index: on a periodic axis that of the cell itself, whoever computes it."""

import numpy as np
import pytest

import halocline as hc


@hc.kernel
def look(seen):
    here = hc.index("x")
    around = [here, (here * 1.0)[-1, 0], here[-9, 0], here[1, 0], hc.index("y")[0, 1]]
    for component, value in enumerate(around):
        seen[component] = value


@pytest.mark.parametrize("target", ["c++", "numpy"])
def test_indices_wrap_along_periodic_axes_and_go_on_beyond_sides(target):
    grid = hc.Grid((4, 3), periodic=(True, False))
    seen = grid.field("seen", components=5)
    hc.Simulation(grid, [look(seen)], target=target, blocks=2, threads=1).run(1, progress=False)
    x, y = np.meshgrid(np.arange(4), np.arange(3), indexing="ij")
    expected = [x, (x - 1) % 4, (x - 9) % 4, (x + 1) % 4, y + 1]
    assert seen.gather().tolist() == np.array(expected).tolist()


@hc.kernel
def source(u):
    u[0, 0] = u[0, 0] + hc.where(hc.index("y") == 0, 1.0, 0.0)


@hc.kernel
def spread(u, v):
    v[0, 0] = u[0, 0] + 0.1 * hc.laplacian(u)


@pytest.mark.parametrize("target", ["c++", "numpy"])
@pytest.mark.parametrize("depth", [1, 3])
@pytest.mark.parametrize("shape", [(1, 1), (2, 1), (1, 3), (3, 2)])
def test_what_is_computed_again_beyond_a_periodic_side_is_the_same(target, depth, shape):
    grid = hc.Grid((8, 8), periodic=True)
    u, v = grid.field("u"), grid.field("v")
    steps = [source(u), spread(u, v), hc.swap(u, v)]
    options = {"decomposition": shape, "blocks": shape[0] * shape[1], "threads": 1}
    strategy = hc.Strategy(depth=depth if min(8 // n for n in shape) > depth else 1, poison=True)
    hc.Simulation(grid, steps, target=target, strategy=strategy, **options).run(2, progress=False)
    expected = np.zeros((8, 8))
    for _ in range(2):
        expected[:, 0] += 1.0
        around = sum(np.roll(expected, n, axis) for axis in (0, 1) for n in (1, -1))
        expected = expected + 0.1 * (around - 4.0 * expected)
    np.testing.assert_allclose(u.gather(), expected, rtol=1e-14)
