"""Free slip on sides of two axes: a quarter of a symmetric flow, to its edges and corners."""

from __future__ import annotations

import numpy as np
import pytest

import halocline as hc
from halocline.errors import CaseError
from halocline.lbm import FreeSlip, Setup, make_flow

N = 6


def swirl(extent, lattice, sides):
    """Return the density after 20 steps of a flow that is its own mirror image at 0 and N."""
    flow = make_flow(Setup(extent, lattice, 1.4, sides=sides))
    simulation = hc.Simulation(
        flow.grid, flow.steps, threads=1, check_every=0, strategy=hc.Strategy(poison=True)
    )
    axes = range(len(extent))[-2:]

    def wave(a, b, *x):
        along, across = (np.pi * x[axis] / N for axis in (a, b))
        return 0.02 * np.sin(along) * np.cos(across) + 0.0 * sum(x)

    velocity = [0.0] * len(extent)
    velocity[axes[0]] = lambda *x: wave(*axes, *x)
    velocity[axes[1]] = lambda *x: -2.0 * wave(*axes[::-1], *x)

    def density(*x):
        a, b = (np.pi * x[axis] / N for axis in axes)
        return 1.0 + 0.01 * np.cos(a) * np.cos(2.0 * b) + 0.0 * sum(x)

    flow.start(density, velocity)
    simulation.run(20, progress=False)
    simulation.execute(flow.observe)
    return flow.density.gather()


@pytest.mark.parametrize("lattice", ["D2Q9", "D3Q19"])
@pytest.mark.parametrize("turn", [1, -1])
def test_a_quarter_between_mirrors_is_that_of_the_whole(lattice, turn):
    along = () if lattice == "D2Q9" else (4,)
    names = "xy" if lattice == "D2Q9" else "yz"
    sides = {a + e: FreeSlip() for a in names[::turn] for e in "-+"}
    quarter = swirl((*along, N, N), lattice, sides)
    whole = swirl((*along, 2 * N, 2 * N), lattice, {})
    assert np.ptp(whole) > 1e-3
    assert np.abs(quarter - whole[..., :N, :N]).max() < 1e-14


def test_in_place_mirrors_on_two_axes_are_refused():
    sides = {side: FreeSlip() for side in ("x-", "x+", "y-", "y+")}
    with pytest.raises(CaseError) as caught:
        Setup((8, 6), "D2Q9", 1.4, sides=sides, streaming="in-place")
    assert str(caught.value) == (
        "Sides of x and y were given free slip with streaming 'in-place'; expected mirrors on one "
        "axis, as edges between two are not filled there. Use streaming='two-grids'."
    )
