"""Short flows, and their bits on the ranks there are."""

from __future__ import annotations

import zlib

import numpy as np

import halocline as hc
from halocline.apps.lbm.cases.channel import Channel
from halocline.apps.lbm.cases.cylinder import Cylinder
from halocline.apps.lbm.cases.duct import Duct
from halocline.apps.lbm.cases.oscillating_channel import OscillatingChannel
from halocline.apps.lbm.cases.porous import Porous
from halocline.apps.lbm.cases.shear_layer import ShearLayer
from halocline.apps.lbm.cases.sphere import Sphere
from halocline.apps.lbm.cases.taylor_green import TaylorGreen
from halocline.runtime.job import join

SHORT = {"max_convective_times": 1}


def cases(folder: str):
    """Yield flows; the folder holds 'sample.npy'."""
    for streaming in ("two-grids", "in-place"):
        way = {"streaming": streaming}
        yield Channel(cells=12, **way, **SHORT)
        yield Channel(cells=12, driving="inlet", dimensions=3, aspect=2.0, **way, **SHORT)
        yield OscillatingChannel(cells=12, **way)
        yield Duct(cells=8, **way, **SHORT)
        yield TaylorGreen(cells=12, reynolds=10.0, convective_times=1.0, **way)
        yield ShearLayer(cells=16, reynolds=100.0, convective_times=0.2, **way)
        yield Cylinder(cells=8, downstream=4.0, **way, **SHORT)
        size = {"downstream": 4.0, "upstream": 2.0, "below": 2.0, "above": 2.0}
        # In place mirrors on two axes are refused.
        yield Sphere(cells=4, sides="wall", **size, **way, **SHORT)
        yield Porous(geometry=f"{folder}/sample.npy", driving="pressure-drop", **way, **SHORT)


def bits(case, device: str = "cpu") -> list | None:
    """Run a case; return its name, sums of its variables' bits and its last numbers, on rank 0."""
    problem = case.problem()
    # To compare the strategies that may be chosen takes longer than the flow.
    strategy = hc.Strategy(poison=True)
    simulation = hc.Simulation(
        problem.grid, problem.steps, dt=problem.dt, threads=1, device=device, strategy=strategy
    )
    result = case.run(simulation, problem, lambda _: None)
    state = [variable.values for variable in result.variables()]
    if simulation.rank > 0:
        return None
    sums = [zlib.crc32(np.ascontiguousarray(values)) for values in state]
    return [case.name, sums, [x.hex() for x in result.history[-1]]]


def in_turn(found: list, ranks: int) -> list:
    """Return what belongs to the cases that run on some ranks: each in one way of streaming."""
    half = len(found) // 2
    return [found[n + half * ((n + ranks) % 2)] for n in range(half)]


def bits_in_turn(folder: str, device: str = "cpu") -> list:
    """Return the bits of the cases that run on these ranks, on rank 0."""
    return [bits(case, device) for case in in_turn(list(cases(folder)), join().size)]
