"""Stencils that lead more than once around a thin periodic axis, beside np.roll."""

from __future__ import annotations

import numpy as np
import pytest
from in_caches import small_caches

import halocline as hc

CASES = [
    ((3, 8), (5, 0)),
    ((1, 8), (-4, 1)),
    ((2, 6, 3), (5, -1, 4)),
    ((8, 1), (1, 5)),
    ((3,), (7,)),
]


def run(extent, offset, options, *, is_pushing: bool):
    """Run three steps; return both components."""
    grid = hc.Grid(extent, periodic=True)
    u, v = grid.field("u", components=2), grid.field("v", components=2)
    here, back = (0,) * len(extent), tuple(-o for o in offset)

    @hc.kernel
    def pull(u, v):
        v[0][here] = u[0][offset] + 0.5 * u[1][back]
        v[1][here] = u[1][offset]

    @hc.kernel
    def push(u, v):
        v[0][offset] = u[0]
        v[1][back] = u[1] + u[0]

    u.set(values(extent))
    steps = [(push if is_pushing else pull)(u, v), hc.swap(u, v)]
    simulation = hc.Simulation(grid, steps, threads=1, strategy=hc.Strategy(poison=True), **options)
    simulation.run(3, progress=False)
    return u.gather()


def values(extent):
    return np.arange(2.0 * np.prod(extent)).reshape(2, *extent)


def expected(extent, offset, *, is_pushing: bool):
    u, axes, back = values(extent), tuple(range(len(extent))), tuple(-o for o in offset)

    def moved(component, by):
        return np.roll(component, by, axes)

    for _ in range(3):
        if is_pushing:
            u = np.stack([moved(u[0], offset), moved(u[1] + u[0], back)])
        else:
            u = np.stack([moved(u[0], back) + 0.5 * moved(u[1], offset), moved(u[1], back)])
    return u


@pytest.mark.parametrize("is_pushing", [False, True])
@pytest.mark.parametrize(
    ("extent", "offset", "options"),
    [
        *((*case, {"target": "numpy"}) for case in CASES),
        *((*case, {}) for case in CASES[:3:2]),
        *((*case, {"device": "emulated:7"}) for case in CASES[:3:2]),
    ],
    ids=str,
)
def test_a_stencil_leads_around_a_thin_axis_as_often_as_it_must(
    extent, offset, options, is_pushing
):
    found = run(extent, offset, options, is_pushing=is_pushing)
    assert np.array_equal(found, expected(extent, offset, is_pushing=is_pushing))


@pytest.mark.parametrize("is_pushing", [False, True])
@pytest.mark.parametrize("decomposition", [(1, 3, 1), (1, 1, 3)])
def test_a_thin_axis_that_is_cut_gives_the_same_bits(decomposition, is_pushing):
    extent, offset = (2, 6, 3), (5, -1, 4)
    options = {"decomposition": decomposition, "target": "numpy"}
    found = hc.on_virtual_ranks(3, lambda: run(extent, offset, options, is_pushing=is_pushing))[0]
    assert np.array_equal(found, expected(extent, offset, is_pushing=is_pushing))


@pytest.mark.parametrize("target", ["c++", "numpy"])
def test_what_is_computed_again_around_a_thin_axis_has_its_index(target):
    grid = hc.Grid((2, 6), periodic=True)
    u, v = grid.field("u"), grid.field("v")

    @hc.kernel
    def number(u):
        u[0, 0] = 10.0 * hc.index("x") + hc.index("y")[0, 1]

    @hc.kernel
    def far(u, v):
        v[0, 0] = u[5, 2] + hc.index("x")[-3, 0]

    options = {"target": target, "decomposition": (1, 3), "blocks": 3, "threads": 1}
    strategy = hc.Strategy(recompute="fewest-bytes", poison=True)
    hc.Simulation(grid, [number(u), far(u, v)], strategy=strategy, **options).run(1, progress=False)
    x, y = np.meshgrid(np.arange(2), np.arange(6), indexing="ij")
    known = 10.0 * ((x + 5) % 2) + (y + 3) % 6 + (x - 3) % 2
    assert np.array_equal(v.gather(), known)


def test_a_fused_boundary_condition_beside_a_thin_axis():
    grid = hc.Grid((2, 5), periodic=(True, False))
    u, v = grid.field("u"), grid.field("v")
    u.boundary("y-", hc.Neumann(0.0))

    @hc.kernel
    def diagonal(u, v):
        v[0, 0] = u[-3, -1] + 2.0 * u[5, -1]

    content = np.arange(10.0).reshape(2, 5)
    u.set(content)
    hc.Simulation(grid, [diagonal(u, v)], threads=1).run(1, progress=False)
    below = np.concatenate([content[:, :1], content[:, :-1]], axis=1)
    assert np.array_equal(v.gather(), np.roll(below, 3, 0) + 2.0 * np.roll(below, -5, 0))


@pytest.mark.parametrize("offset", [(2, 0, -2), (-2, 1, -1)])
def test_steps_in_the_caches_follow_each_other_around_a_thin_axis(offset):
    def values(**choices):
        grid = hc.Grid((2, 6, 5), periodic=(True, False, False))
        u, v = grid.field("u"), grid.field("v")
        u.boundary("z-", hc.Dirichlet(0.5))
        u.boundary("y+", hc.Neumann(0.0))
        u.set(lambda x, y, z: 5.0 + x + y + z)

        @hc.kernel
        def one(u):
            u[0, 0, 0] = hc.index("z") + hc.step

        @hc.kernel
        def far(u, v):
            v[0, 0, 0] = u[offset]

        options = {"target": "numpy", "threads": 1, "check_every": 0}
        with small_caches(1):
            strategy = hc.Strategy(poison=True, **choices)
            simulation = hc.Simulation(grid, [one(u), far(u, v)], strategy=strategy, **options)
            simulation.run(3, progress=False)
        return v.gather()

    np.testing.assert_array_equal(values(steps_in_cache=2), values())
