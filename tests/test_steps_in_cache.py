"""Several steps in the caches give the bits of one step after the other, on any threads and blocks.

Caches are said to be small here, so that fields of some megabytes outgrow them.
"""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
import stencils

import halocline as hc
from halocline.plan import operations as ops

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
) -> tuple[dict[str, np.ndarray], list[ops.Wavefront]]:
    """Return all fields after some steps, and the wavefronts of several steps."""
    maker, _ = stencils.PROBLEMS[name]
    extent = LARGE[name]
    problem = maker(extent, (periodic == "all",) * len(extent))
    stencils.fill(problem)
    strategy = hc.Strategy(**choices)
    with patch("halocline.runtime.platform.keeps", lambda caches, threads: kept_bytes):
        simulation = hc.Simulation(problem.grid, problem.steps, strategy=strategy, threads=3)
        simulation.run(steps, progress=False)
    blocks = simulation.plan.temporal_blocks
    found = [op for block in blocks for op in block.operations if isinstance(op, ops.Wavefront)]
    return {name: field.gather() for name, field in simulation.fields.items()}, found


@pytest.mark.parametrize("periodic", ["none", "all"])
@pytest.mark.parametrize("name", LARGE)
def test_steps_in_cache_have_the_bits_of_single_steps(name, periodic):
    expected, _ = run(name, periodic, 7, 1)
    for steps_in_cache, kept_bytes in ((2, 1 << 16), (3, 1 << 19), (5, 1)):
        fields, wavefronts = run(name, periodic, 7, kept_bytes, steps_in_cache=steps_in_cache)
        assert wavefronts
        for field, values in fields.items():
            assert np.array_equal(values, expected[field]), (field, steps_in_cache)
