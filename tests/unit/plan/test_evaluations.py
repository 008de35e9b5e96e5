"""Reductions in the passes of kernels: which plans have them, and the bits that they give."""

from __future__ import annotations

import math

import numpy as np
import pytest

import halocline as hc
from halocline.language.steps.tree import Until
from halocline.plan.pipeline import plan_for
from halocline.plan.platform import Platform
from halocline.plan.value import operations as ops

EXTENTS = [(700,), (33, 70), (70, 9, 6), (5, 40, 30)]


@hc.kernel
def spread(q, p):
    q[q.here] = 4.5 * p[p.here] - p[p.here]


@hc.kernel
def laplace(q, p):
    q[0, 0] = 4.5 * p[0, 0] - (p[1, 0] + p[-1, 0] + p[0, 1] + p[0, -1])


@hc.kernel
def both(x, r, p, q):
    x[x.here] = x[x.here] + 0.25 * p[p.here]
    r[r.here] = r[r.here] - 0.25 * q[q.here]


def kernels_of(steps, grid, **strategy):
    """Return the names of the kernels that a plan runs, inside loops if there are any."""
    plan = plan_for(
        grid, steps, check_every=0, strategy=hc.Strategy(**strategy), platform=Platform()
    )
    loops = [op for op in plan.operations() if isinstance(op, Until)]
    found = ops.walk(loops[0].body) if loops else plan.operations()
    assert not any(layout.name.startswith("value_") for layout in plan.layouts)
    return [plan.launches[op.launch].kernel.name for op in found if isinstance(op, ops.Run)]


@pytest.mark.parametrize(
    ("solver", "passes"),
    [
        (hc.conjugate_gradients, ["laplace", "_step_along", "_direction"]),
        (
            hc.bicgstab,
            [
                *("laplace", "_subtract", "laplace", "evaluate_sum", "_two_steps_along"),
                *("evaluate_sum", "_renewed"),
            ],
        ),
    ],
)
@pytest.mark.parametrize("overlap", ["none", "core-first", "rim-first", "postponed"])
def test_a_pass_of_a_solver_reads_nothing_again_for_its_first_sums(solver, passes, overlap):
    grid = hc.Grid((12, 12), periodic=True)
    x, b = grid.field("x"), grid.field("b")
    steps = solver(lambda p, q: laplace(q, p), x, b)
    assert kernels_of([steps], grid, overlap=overlap) == passes


def test_what_changes_between_is_seen():
    grid = hc.Grid((12, 12), periodic=True)
    p, q, r = (grid.field(name) for name in "pqr")
    m = grid.field("m", dtype="int8")
    half, other = hc.Parameter(0.5, "half"), hc.Parameter(2.0, "other")
    total = hc.sum(half * p * q)
    own = ["laplace", "evaluate_sum"]
    assert kernels_of([laplace(q, p), total], grid) == ["laplace"]
    assert kernels_of([laplace(q, p), hc.assign(half, other), total], grid) == own
    assert kernels_of([laplace(q, p), hc.swap(q, r), total], grid) == own * 2  # a round
    assert kernels_of([laplace(q, p, on=m), total], grid) == own
    assert kernels_of([laplace(q, p), hc.sum(p * q[1, 0])], grid) == own
    # A kernel that also computes cells of other blocks would count them twice.
    deep = kernels_of([laplace(q, p), hc.sum(p * q), laplace(p, q)], grid, depth=2)
    assert "evaluate_sum" in deep


def test_a_kernel_takes_one_evaluation():
    grid = hc.Grid((12, 12), periodic=True)
    p, q = grid.field("p"), grid.field("q")
    assert kernels_of([hc.sum(p * q), hc.max(q * q)], grid) == ["evaluate_sum", "evaluate_max"]
    steps = [laplace(q, p), hc.sum(p * q), hc.max(q * q)]
    assert kernels_of(steps, grid) == ["laplace", "evaluate_max"]


@pytest.mark.parametrize("extent", EXTENTS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize(
    "options",
    [
        {"threads": 1},
        {"threads": 2},
        {"blocks": 3},
        {"device": "emulated"},
        {"target": "numpy"},
        {"poison": True},
        {"depth": 2},
    ],
    ids=str,
)
def test_the_same_as_numpy(extent, dtype, options):
    grid = hc.Grid(extent)
    names = ("x", "r", "p", "q", "s")
    fields = {name: grid.field(name, dtype=dtype) for name in names}
    x, r, p, q, s = fields.values()
    random = np.random.default_rng(5)
    values = {name: (random.random(extent) - 0.5).astype(dtype) for name in names}
    for name, field in fields.items():
        field.set(values[name])
    pq, rr, rs = hc.sum(p * q), hc.sum(r * r), hc.sum(r * s)
    least, most = hc.min(x * r), hc.max(p - q)
    steps = [spread(q, p), pq, most, both(x, r, p, q), rr, rs, least]
    strategy = hc.Strategy(**{k: options[k] for k in ("poison", "depth") if k in options})
    others = {k: v for k, v in options.items() if k not in ("poison", "depth")}
    simulation = hc.Simulation(grid, steps, strategy=strategy, check_every=0, **others)
    wide = np.float32 if dtype != "float64" else np.float64
    v = {name: array.astype(wide) for name, array in values.items()}
    for _ in range(3):
        simulation.run(1)
        v["q"] = (wide(4.5) * v["p"] - v["p"]).astype(dtype).astype(wide)
        v["x"] = (v["x"] + wide(0.25) * v["p"]).astype(dtype).astype(wide)
        v["r"] = (v["r"] - wide(0.25) * v["q"]).astype(dtype).astype(wide)
        assert pq.value == math.fsum((v["p"] * v["q"]).ravel())
        assert rr.value == math.fsum((v["r"] * v["r"]).ravel())
        assert rs.value == math.fsum((v["r"] * v["s"]).ravel())
        assert least.value == (v["x"] * v["r"]).min()
        assert most.value == (v["p"] - v["q"]).max()


@pytest.mark.parametrize("threads", [1, 2])
def test_sums_are_exact_whatever_the_size_of_values(threads):
    extent = (300, 40)
    grid = hc.Grid(extent)
    p, q = grid.field("p"), grid.field("q")
    random = np.random.default_rng(7)
    total = hc.sum(p * q)
    simulation = hc.Simulation(grid, [spread(q, p), total], threads=threads, check_every=0)
    for spread_by in (0, 30, 120, 500):
        x = np.ldexp(
            random.random(extent) - 0.5, random.integers(-spread_by, spread_by + 1, extent)
        )
        p.set(x)
        simulation.run(1)
        assert total.value == math.fsum((x * (4.5 * x - x)).ravel())
    for odd, expected in ((math.inf, math.inf), (math.nan, math.nan)):
        x[17, 23] = odd
        p.set(x)
        simulation.run(1)
        assert np.array_equal(total.value, expected, equal_nan=True) or math.isnan(total.value)
