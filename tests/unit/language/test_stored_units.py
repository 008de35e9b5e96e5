"""Units: what memory holds as multiples of a power of two is computed without conversions."""

from __future__ import annotations

import numpy as np
import pytest

import halocline as hc
from halocline import lbm
from halocline.apps.lbm.collision.by_name import COLLISIONS, lattice_for
from halocline.apps.lbm.lattice.streaming import POST_COLLISION
from halocline.language.expressions.expr import Binary, Const, Read, Scalar, Unary, Where, walk
from halocline.language.expressions.units import in_units

UNIT = 2.0**-15
HERE = (0, 0, 0)


@hc.kernel
def collide(f, directly, converted, *, velocity_set, omega, collision, force):
    """Collide without conversions, and with conversions of each value."""
    cell = (0,) * velocity_set.dimensions
    many = range(len(velocity_set))
    arriving = [POST_COLLISION.outgoing(f, velocity_set, i, cell) for i in many]
    for i, population in enumerate(collision(velocity_set, arriving, omega, force)):
        POST_COLLISION.put(directly, velocity_set, i, cell, population)
        converted[i][cell] = population * (1.0 / UNIT)


# The one with a root is quick; all others are traced for longer.
SLOW = (pytest.param(name, marks=pytest.mark.slow) for name in COLLISIONS)


@pytest.mark.parametrize("name", ["smagorinsky", *SLOW])
def test_collisions_give_the_bits_of_those_that_convert(name):
    collision = COLLISIONS.get(name) or lbm.smagorinsky(0.17, lbm.bgk)
    lattice = lbm.velocity_set(lattice_for(name, 3))
    grid = hc.Grid((4, 4, 2), periodic=True)
    f, directly, converted = (
        grid.field(name, components=len(lattice), dtype="float16") for name in ("f", "g", "h")
    )
    noise = np.random.default_rng(5).normal(size=(len(lattice), 4, 4, 2))
    f.set((noise * 60).astype("float16"))
    force = tuple(hc.Parameter(1e-4, f"g_{axis}") for axis in "xyz")
    step = collide(
        f, directly, converted, velocity_set=lattice, omega=1.7, collision=collision, force=force
    )
    hc.Simulation(grid, [step], target="numpy", threads=1).run(1, progress=False)
    values = directly.gather()
    assert np.isfinite(values).all()
    assert len(np.unique(values)) > 50
    assert values.tobytes() == converted.gather().tobytes()


@pytest.mark.parametrize("streaming", ["two-grids", "in-place"])
def test_a_collision_of_halves_multiplies_nothing_by_the_unit(streaming):
    setup = lbm.Setup((4, 4, 4), "D3Q19", 1.6, dtype="float16", streaming=streaming)
    flow = lbm.make_flow(setup)
    plan = hc.Simulation(flow.grid, flow.steps, target="numpy", threads=1).plan
    kernels = [launch.kernel for launch in plan.launches if "collide" in launch.kernel.name]
    nodes = set(walk(*(statement.value for kernel in kernels for statement in kernel.statements)))
    factors = [node.right for node in nodes if isinstance(node, Binary) and node.op == "mul"]
    assert Const(1.0 / UNIT) in nodes  # the density at rest
    assert not {Const(UNIT), Const(1.0 / UNIT)} & set(factors)


READ, OTHER = (Read("f", i, HERE) for i in (0, 1))
HELD = Binary("mul", READ, Const(UNIT))
ALSO = Binary("mul", OTHER, Const(UNIT))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (HELD, READ),
        (Const(3.0), Const(3.0 / UNIT)),
        (Scalar("a"), Binary("mul", Scalar("a"), Const(1.0 / UNIT))),
        (Binary("add", HELD, ALSO), Binary("add", READ, OTHER)),
        (Binary("sub", HELD, Const(1.0)), Binary("sub", READ, Const(1.0 / UNIT))),
        (
            Binary("add", Scalar("a"), HELD),
            Binary("add", Binary("mul", Scalar("a"), Const(1.0 / UNIT)), READ),
        ),
        (
            Binary("mul", HELD, Binary("div", ALSO, HELD)),
            Binary("mul", READ, Binary("div", OTHER, READ)),
        ),
        (
            Unary("sqrt", Binary("mul", HELD, ALSO)),
            Unary("sqrt", Binary("mul", READ, OTHER)),
        ),
        (
            Where(HELD, Unary("neg", HELD), Const(0.5)),
            Where(HELD, Unary("neg", READ), Const(0.5 / UNIT)),
        ),
        (
            Unary("exp", HELD),
            Binary("mul", Unary("exp", HELD), Const(1.0 / UNIT)),
        ),
    ],
)
def test_units_pass_operations(value, expected):
    assert in_units(value, UNIT) is expected
