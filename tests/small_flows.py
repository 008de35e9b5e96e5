"""Small flows with every boundary, collision and lattice, for tests of streaming and of ranks."""

from __future__ import annotations

import zlib
from functools import partial

import numpy as np

import halocline as hc
from halocline.lbm import (
    Body,
    Flow,
    FreeSlip,
    Inflow,
    Outflow,
    Pressure,
    PressureDrop,
    Setup,
    Sponge,
    Velocity,
    Wall,
    bgk,
    make_flow,
    mrt,
    regularised,
    smagorinsky,
    trt,
)

EXTENTS = {"D2Q9": (12, 9), "D3Q15": (8, 7, 9), "D3Q19": (10, 8, 7), "D3Q27": (7, 9, 8)}
STEPS = 6  # lattice steps


def _solid(extent: tuple[int, ...]) -> np.ndarray:
    """Return scattered solid cells, none where the flow comes in or goes out along x."""
    solid = np.random.default_rng(2).random(extent) < 0.15
    solid[[0, -1, -2]] = False
    return solid


def _plane(extent: tuple[int, ...]) -> np.ndarray:
    """Return a solid layer across x with a hole."""
    solid = np.indices(extent)[0] == extent[0] - 7
    solid[:, 6] = False
    return solid


def _ball(middle: tuple[float, ...], radius: float, **more) -> Body:
    """Return a circle or a sphere."""

    def distance(*x):
        return np.sqrt(sum((a - m) ** 2 for a, m in zip(x, middle, strict=True))) - radius

    return Body(distance, **more)


def _turning(middle: tuple[float, ...]):
    """Return the velocity of a wall that turns about an axis along z."""

    def velocity(*x):
        return (-0.01 * (x[1] - middle[1]), 0.01 * (x[0] - middle[0]), 0.0)[: len(x)]

    return velocity


def _setups(lattice: str) -> dict[str, Setup]:
    extent = EXTENTS[lattice]
    dimensions = len(extent)

    def vector(x: float) -> tuple[float, ...]:
        return (x, 0.0, 0.0)[:dimensions]

    def inflow(y):
        return (0.01 * y * (9.0 - y), 0.0, 0.0)[:dimensions]

    def swinging(t):
        return (1e-3 * hc.cos(0.3 * t), 0.0, 0.0)[:dimensions]

    def stirring(x, y, t):
        return (1e-3 * hc.sin(0.3 * t + y), 1e-3 * hc.cos(x), 0.0)[:dimensions]

    def gust(y, t):
        return (0.01 * y * (9.0 - y) * (1.0 + 0.1 * hc.sin(t)), 0.001 * y, 0.0)[:dimensions]

    def tide(y, t):
        return 1.0 + 0.001 * hc.sin(t + 0.1 * y)

    walls = {"y-": Wall(), "y+": Wall(vector(0.05))}
    mirror = {**walls, "x-": Wall(), "x+": FreeSlip()}
    slippery = {"y-": FreeSlip(), "y+": FreeSlip()}
    scattered = np.random.default_rng(3).random(extent) < 0.2
    # One that turns, one so near to others and to a side that its walls are partly half-way.
    middle = (extent[0] - 3.8, 4.6, 4.1)[:dimensions]
    bodies = (
        _ball(middle, 1.7, velocity=_turning(middle)),
        _ball((3.6, 2.3, 3.3)[:dimensions], 1.6),
    )
    middle = tuple(0.5 * m - 3.0 for m in middle)
    elsewhere = {
        "spacing": 0.5,
        "origin": -3.0,
        "bodies": (_ball(middle, 0.85, velocity=_turning(middle)),),
    }
    choices = {
        "periodic": {},
        "solid": {"solid": _solid(extent)},
        "walls": {"sides": mirror},
        "solid beside a mirror": {"sides": mirror, "solid": scattered},
        "velocity and pressure": {
            "sides": {**walls, "x-": Velocity(vector(0.05)), "x+": Pressure(1.01)}
        },
        "profile and outflow": {
            "sides": {**slippery, "x-": Velocity(inflow), "x+": Outflow()},
            "solid": _solid(extent),
        },
        "gust": {
            "sides": {**walls, "x-": Inflow(gust), "x+": Outflow(tide, 0.01)},
            "step_time": 0.5,
            "solid": _solid(extent),
        },
        "piston": {"sides": {**walls, "x-": Velocity(gust), "x+": Pressure(tide)}},
        "sponge": {
            "sides": {**walls, "x-": Velocity(vector(0.05)), "x+": Pressure()},
            "sponges": {"x+": Sponge(4, gust, tide, 0.3), "x-": Sponge(2, vector(0.05))},
            "solid": _solid(extent),
        },
        "bodies": {"sides": mirror, "bodies": bodies, "solid": _plane(extent)},
        "bodies in 16 bits": {**elsewhere, "dtype": "float16"},
        "bodies and open sides": {
            "sides": {**walls, "x-": Velocity(vector(0.05)), "x+": Pressure(1.01)},
            "bodies": bodies[1:],
        },
        "bodies and a pressure drop": {
            "sides": {**walls, "x-": PressureDrop(0.02), "x+": PressureDrop(-0.02)},
            "bodies": (_ball((0.4, 4.5, 3.5)[:dimensions], 1.9),),
        },
        "pressure drop": {
            "sides": {**walls, "x-": PressureDrop(0.02), "x+": PressureDrop(-0.02)},
            "solid": _solid(extent),
        },
        "force": {"force": vector(1e-3), "sides": walls, "collision": trt()},
        "swinging force": {"force": swinging, "sides": walls},
        "stirring": {"force": stirring, "spacing": 0.5, "origin": -1.0, "dtype": "float32"},
        "16 bits": {"solid": _solid(extent), "dtype": "float16"},
    }
    return {
        f"{lattice} {name}": Setup(extent, lattice, 1.4, **choice)
        for name, choice in choices.items()
    }


# In three dimensions open sides take long to compile.
_IN_3D = ("solid", "walls", "solid beside a mirror", "bodies", "pressure drop")
SETUPS = _setups("D2Q9") | {f"D3Q19 {name}": _setups("D3Q19")[f"D3Q19 {name}"] for name in _IN_3D}
SETUPS |= {
    f"{name} {collision}": Setup(EXTENTS[name], name, 1.4, kind, {"y-": Wall(), "y+": Wall()})
    for name, collision, kind in (
        ("D3Q15", "bgk", bgk),
        ("D3Q27", "trt", trt()),
        ("D2Q9", "mrt", mrt()),
        ("D2Q9", "regularised", regularised),
        ("D2Q9", "smagorinsky", smagorinsky(0.15)),
    )
}


def start(flow: Flow) -> None:
    """Set the populations to an equilibrium without any symmetry."""

    def density(*x):
        return 1.0 + 0.01 * np.sin(sum((n + 1) * v for n, v in enumerate(x)))

    def velocity(axis, *x):
        return 0.02 * np.cos(x[0] + (axis + 2) * x[-1])

    axes = range(flow.velocity_set.dimensions)
    flow.start(density, [partial(velocity, axis) for axis in axes])


def run(setup: Setup, steps: int = STEPS, **options) -> tuple[Flow, hc.Simulation]:
    """Start, run and read off."""
    flow = make_flow(setup)
    simulation = hc.Simulation(
        flow.grid, flow.steps, dt=flow.dt, check_every=0, threads=1, **options
    )
    start(flow)
    simulation.run(steps // flow.lattice_steps, progress=False)
    simulation.execute(flow.observe)
    return flow, simulation


def fingerprint(flow: Flow) -> int | None:
    """Return a number that stands for all bits of density and velocity in the fluid (rank 0)."""
    density, velocity = flow.density.gather(), flow.velocity.gather()
    if density is None or velocity is None:
        return None
    solid = flow.setup.solid
    fluid = np.ones(density.shape, bool) if solid is None else ~solid
    found = np.concatenate([density[fluid], velocity[:, fluid].ravel()])
    assert np.isfinite(found).all()
    return zlib.crc32(np.ascontiguousarray(found).tobytes())
