"""Several steps in the caches give the bits of one step after the other, on any threads and blocks.

Caches are said to be small here, so that fields of some megabytes outgrow them.
"""

from __future__ import annotations

import numpy as np
import pytest
import stencils
from in_caches import small_caches, wavefronts

import halocline as hc
from halocline.language.points.at_points import AtPoints
from halocline.plan.value.operations import Wavefront

# Large enough that three threads share them.
LARGE = {
    "heat 2-D": (700, 250),
    "heat 3-D": (70, 40, 72),
    "waves 3-D": (60, 40, 50),
    "noise 2-D": (300, 500),
    "red-black 2-D": (600, 300),
    "cavity 2-D, interleaved": (260, 130),
    "cavity 3-D": (33, 30, 31),
    "in place 2-D": (260, 130),
    "obstacles 2-D": (180, 170),
}


def run(
    name: str, periodic: str, steps: int, kept_bytes: int, **choices
) -> tuple[dict[str, np.ndarray], list[Wavefront]]:
    """Return all fields after some steps, and the wavefronts of several steps."""
    maker, _ = stencils.PROBLEMS[name]
    extent = LARGE[name]
    problem = maker(extent, (periodic == "all",) * len(extent))
    stencils.fill(problem)
    strategy = hc.Strategy(**choices)
    with small_caches(kept_bytes):
        simulation = hc.Simulation(problem.grid, problem.steps, strategy=strategy, threads=3)
        simulation.run(steps, progress=False)
    fields = {name: field.gather() for name, field in simulation.fields.items()}
    return fields, wavefronts(simulation.plan)


@pytest.mark.parametrize("periodic", ["none", "all"])
@pytest.mark.parametrize("name", LARGE)
def test_steps_in_cache_have_the_bits_of_single_steps(name, periodic):
    expected, _ = run(name, periodic, 7, 1)
    for steps_in_cache, kept_bytes in ((2, 1 << 16), (3, 1 << 19), (5, 1)):
        fields, found = run(name, periodic, 7, kept_bytes, steps_in_cache=steps_in_cache)
        assert found
        for field, values in fields.items():
            assert np.array_equal(values, expected[field]), (field, steps_in_cache)


@hc.kernel
def _wave(u_old, u, u_new):
    u_new[0, 0, 0] = 2.0 * u - u_old + 0.1 * hc.laplacian(u, accuracy=4)


def _seen(kept_bytes: int, *, periodic: bool, **choices) -> tuple[np.ndarray, np.ndarray, int]:
    """Return a field and what receivers have recorded of it, and how many wavefronts there were."""
    extent = np.array([60, 50, 70])
    grid, random = hc.Grid(tuple(extent), periodic=periodic), np.random.default_rng(1)
    fields = [grid.field(name) for name in ("u_old", "u", "u_new")]
    _, u, u_new = fields
    if not periodic:
        u.boundary(grid.sides, hc.Dirichlet(0.0))
    sources = hc.Points(2 + random.random((40, 3)) * (extent - 4))
    receivers = hc.Points(2 + random.random((300, 3)) * (extent - 4))
    recorded = receivers.record(u)
    steps = [
        _wave(*fields),
        sources.inject(hc.Series(np.arange(30.0), random.random(30)), into=u_new),
        recorded,
        hc.rotate(*fields),
    ]
    with small_caches(kept_bytes):
        simulation = hc.Simulation(grid, steps, dt=0.5, strategy=hc.Strategy(**choices), threads=3)
        simulation.run(9, progress=False)
    runs = [run for one in wavefronts(simulation.plan) for run in one.runs]
    launches = [simulation.plan.launches[run.launch] for run in runs]
    at_points = sum(isinstance(launch.body, AtPoints) for launch in launches)
    return u.gather(), np.array(recorded.values), at_points


@pytest.mark.parametrize("periodic", [False, True])
def test_sources_and_receivers_have_the_values_of_their_steps(periodic):
    expected = _seen(1, periodic=periodic)
    for steps_in_cache, kept_bytes in ((2, 1 << 16), (3, 1 << 19)):
        found = _seen(kept_bytes, periodic=periodic, steps_in_cache=steps_in_cache)
        assert found[2] > 0
        assert np.array_equal(found[0], expected[0])
        assert np.array_equal(found[1], expected[1])
