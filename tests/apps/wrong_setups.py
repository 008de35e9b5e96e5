"""What tests of mistakes in setups share: small flows, and what a user is told."""

from __future__ import annotations

from errors import telling

import halocline as hc
from halocline.errors import CaseError
from halocline.lbm import Flow, Pressure, Setup, Velocity, Wall, make_flow

WALLS = {"y-": Wall(), "y+": Wall()}


def build(**changes) -> Flow:
    """Return a small flow, down to its plan."""
    plain = {"extent": (8, 6), "lattice": "D2Q9", "omega": 1.0}
    flow = make_flow(Setup(**{**plain, **changes}))
    hc.Simulation(flow.grid, flow.steps, threads=1).plan  # noqa: B018 (traces the boundaries)
    return flow


def told(action, *arguments, **named) -> str:
    return telling.told(CaseError, lambda: action(*arguments, **named))


def inlet(velocity) -> dict:
    return {"sides": {**WALLS, "x-": Velocity(velocity), "x+": Pressure()}}


def at(side_boundary) -> dict:
    return {"sides": {**WALLS, "x-": side_boundary, "x+": Pressure()}}


def named(result):
    """Return a function called 'mine' of any arguments that returns this."""

    def mine(x, y):
        return result

    return mine


def one(x):
    return x
