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


def flows(way: dict, sample: str) -> dict:
    """Return cases, by name, that stream in a way; 'sample' is a file with solid cells."""
    around = {"downstream": 4.0, "upstream": 2.0, "below": 2.0, "above": 2.0}
    porous = {"geometry": sample, "driving": "pressure-drop"}
    return {
        "channel": Channel(cells=12, **way, **SHORT),
        "inlet": Channel(cells=12, driving="inlet", dimensions=3, aspect=2.0, **way, **SHORT),
        "oscillating": OscillatingChannel(cells=12, **way),
        "duct": Duct(cells=8, **way, **SHORT),
        "vortices": TaylorGreen(cells=12, reynolds=10.0, convective_times=1.0, **way),
        "shear layer": ShearLayer(cells=16, reynolds=100.0, convective_times=0.2, **way),
        "cylinder": Cylinder(cells=8, downstream=4.0, **way, **SHORT),
        # In place mirrors on two axes are refused.
        "sphere": Sphere(cells=4, sides="wall", **around, **way, **SHORT),
        "porous": Porous(**porous, **way, **SHORT),
    }


NAMES = tuple(flows({}, "sample.npy"))


def bits(name: str, folder: str, streaming: str, device: str = "cpu") -> list | None:
    """Run a case; return its name, sums of its variables' bits and its last numbers, on rank 0."""
    case = flows({"streaming": streaming}, f"{folder}/sample.npy")[name]
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


def streaming_on(name: str, ranks: int) -> str:
    """Return how a case streams on so many ranks: the ways take turns."""
    return ("two-grids", "in-place")[(NAMES.index(name) + ranks) % 2]


def bits_here(name: str, folder: str, device: str = "cpu") -> list | None:
    """Return the bits of a case on these ranks, on rank 0."""
    return bits(name, folder, streaming_on(name, join().size), device)
