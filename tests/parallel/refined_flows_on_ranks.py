"""Flows on several levels past bodies, and what becomes of each on any ranks."""

from __future__ import annotations

import hashlib

import numpy as np

import halocline as hc
from halocline.lbm import (
    Body,
    Inflow,
    Outflow,
    PressureDrop,
    Refinement,
    Setup,
    Wall,
    body_force,
    make_flow,
    trt,
)

MIDDLE = (12.0, 8.3, 8.1)


def distance(*at):
    return np.sqrt(sum((x - m) ** 2 for x, m in zip(at, MIDDLE, strict=False))) - 2.9


def around(*at):
    return np.where(distance(*at) < 0.5, 2, np.where(distance(*at) < 3.0, 1, 0))


def across(*at):
    return np.where(at[0] < 12, 1, 0) + 0 * sum(at)


def lengthwise(*at):
    return np.where((at[0] >= 8) & (at[0] < 24), 1, 0) + 0 * sum(at)


def rising(t):
    return (0.05 * hc.ramp(t, 3.0), 0.0)


def setups():
    """Return flows whose borders go around a body, and through it and through walls."""
    walls = {"y-": Wall(), "y+": Wall()}
    through = {**walls, "x-": Inflow(rising), "x+": Outflow()}
    flat = {"lattice": "D2Q9", "extent": (32, 16)}
    deep = {"lattice": "D3Q19", "extent": (24, 16, 16)}
    solid = np.zeros(flat["extent"], bool)
    solid[:, :2] = True
    dropping = {**walls, "x-": PressureDrop(0.01), "x+": PressureDrop(-0.01)}
    refined = Refinement(across, block=8)
    return {
        "through": {**flat, "refinement": Refinement(around, finest=2, block=8), "sides": through},
        "in space": {**deep, "refinement": refined, "sides": walls},
        "solid": {**flat, "refinement": refined, "sides": walls, "solid": solid},
        "drop": {**flat, "refinement": Refinement(lengthwise, block=8), "sides": dropping},
    }


def digest_of_flow(setup):
    """Return what some steps make of a flow, with the force on its body."""
    body, axes = Body(distance), len(setup["extent"])
    flow = make_flow(Setup(omega=1.5, collision=trt(), bodies=(body,), **setup))
    simulation = hc.Simulation(flow.grid, flow.steps, dt=flow.dt, strategy=hc.Strategy(poison=True))
    found = body_force(flow, body, MIDDLE[:axes])
    velocity = [lambda *at: 0.02 * np.cos(at[1]) + 0 * sum(at), 0.0, 0.0]
    flow.start(lambda *at: 1 + 0.01 * np.sin(sum(at)), velocity[:axes])
    simulation.run(4, progress=False)
    simulation.execute(flow.observe, *found.updates, *found.force, *found.torque)
    result = hashlib.sha256()
    for cells, *fields in zip(
        flow.solids.levels, flow.density.levels, flow.velocity.levels, strict=True
    ):
        window = cells.window.slices((0,) * axes)
        for values in (field.gather((..., *window)) for field in fields):
            if values is not None:
                assert np.isfinite(values[..., cells.fluid]).all()
                result.update(values[..., cells.fluid].tobytes())
    result.update(repr([one.value for one in (*found.force, *found.torque)]).encode())
    return result.hexdigest()[:16]


def digest_after_regrids():
    """Return what becomes of a flow whose blocks split and merge."""
    refinement = Refinement(across, block=4)
    setup = Setup((24, 16, 8), "D3Q19", 1.5, trt(), refinement=refinement)
    flow = make_flow(setup)
    simulation = hc.Simulation(flow.grid, flow.steps, strategy=hc.Strategy(poison=True))
    velocity = [lambda *at: 0.02 * np.cos(at[1] + at[2]) + 0 * sum(at), 0.0, 0.0]
    flow.start(lambda *at: 1 + 0.01 * np.sin(sum(at)), velocity)
    for wanted in (lengthwise, around):
        simulation.run(2, progress=False)
        simulation.regrid(lambda *at, wanted=wanted: np.minimum(wanted(*at), 1))
    simulation.execute(flow.observe)
    result = hashlib.sha256()
    for field in (*flow.density.levels, *flow.velocity.levels):
        if (values := field.gather()) is not None:
            result.update(values.tobytes())
    return result.hexdigest()[:16]


def digest_after_regrids_behind_a_body():
    """Return what becomes of a flow whose blocks split and merge, but for those at a body."""
    body, refinement = Body(distance), Refinement(around, finest=2, block=4)
    flow = make_flow(Setup((32, 16), "D2Q9", 1.5, trt(), bodies=(body,), refinement=refinement))
    simulation = hc.Simulation(flow.grid, flow.steps, strategy=hc.Strategy(poison=True))
    found = body_force(flow, body, MIDDLE[:2])
    flow.start(lambda *at: 1 + 0.01 * np.sin(sum(at)), [0.03, 0.0])
    for wanted in (lengthwise, across):
        simulation.run(2, progress=False)
        simulation.regrid(lambda *at, wanted=wanted: 2 * wanted(*at))
    simulation.run(2, progress=False)
    simulation.execute(flow.observe, *found.updates, *found.force, *found.torque)
    result = hashlib.sha256(repr([one.value for one in found.force]).encode())
    for field in (*flow.density.levels, *flow.velocity.levels):
        if (values := field.gather()) is not None:
            result.update(values.tobytes())
    return result.hexdigest()[:16]


REGRIDS = {"regrids": digest_after_regrids, "behind a body": digest_after_regrids_behind_a_body}
FLOWS = (*REGRIDS, *setups())


def digest_of(name):
    """Return the digest of one of the flows."""
    return REGRIDS[name]() if name in REGRIDS else digest_of_flow(setups()[name])
