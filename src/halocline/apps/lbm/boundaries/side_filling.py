"""The kernel that fills the layer of cells beyond each side, from which populations arrive."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from halocline.apps.lbm.boundaries import open_sides, walls
from halocline.apps.lbm.lattice.links import leaving
from halocline.apps.lbm.setup.place_and_time import changes, is_function
from halocline.apps.lbm.setup.sides import (
    Boundary,
    FreeSlip,
    Inflow,
    Outflow,
    Pressure,
    PressureDrop,
    Velocity,
    Wall,
)
from halocline.geometry import AXES

if TYPE_CHECKING:
    from halocline.apps.lbm.lattice.streaming import StreamingPattern
    from halocline.apps.lbm.lattice.velocity_set import VelocitySet
    from halocline.apps.lbm.setup.setup import Setup
    from halocline.language.grids.fields import Field
    from halocline.language.steps.steps import Call

# Called with the populations and a place.
Filling = Callable[..., "Call"]


def order(boundary: Boundary) -> int:
    """Return which layers are filled first where sides meet: the last ones decide.

    Mirrors leave edges to walls, and open sides read what walls let arrive in their cells.
    """
    return {FreeSlip: 0, Wall: 1}.get(type(boundary), 2)


def filling(  # noqa: PLR0913 (what fills a side, and when)
    setup: Setup,
    lattice: VelocitySet,
    side: str,
    *,
    pattern: StreamingPattern,
    when: Callable[[int], Any],
    fluid: Field | None,
    level: int = 0,
) -> Filling | None:
    """Return the kernel that fills the layer beyond a side; None at a periodic side.

    Args:
        setup: Of the flow.
        lattice: Its lattice.
        side: The side.
        pattern: Where populations are kept.
        when: Returns the time so many lattice steps later.
        fluid: Not zero where cells are fluid; None if all are.
        level: In whose cells and steps.
    """
    common: dict[str, Any] = {"velocity_set": lattice, "pattern": pattern}
    at = {"at": side, **common}
    match setup.sides[side]:
        case FreeSlip() if fluid is not None:
            kernel = partial(walls.free_slip_beside_solids, **at)
            return lambda f, on: kernel(f, fluid, on=on)
        case FreeSlip():
            return partial(walls.free_slip, **at)
        case Wall(velocity):
            links = leaving(lattice, side)
            return partial(walls.wall, links=links, velocity=tuple(velocity), **common)
        case Velocity(velocity):
            prescribed = _given("velocity", velocity, when)
            return partial(open_sides.open_side, **prescribed, **at)
        case Pressure(density):
            prescribed = _given("density", density, when)
            return partial(open_sides.open_side, **prescribed, **at)
        case Inflow(velocity, relaxation):
            prescribed = _given("velocity", velocity, when, has_past=True)
            share = _share(setup, side, relaxation) * 0.5**level
            return partial(open_sides.inflow, **prescribed, relaxation=share, **at)
        case Outflow(density, relaxation):
            prescribed = _given("density", density, when, has_past=True)
            share = _share(setup, side, relaxation) * 0.5**level
            return partial(open_sides.outflow, **prescribed, relaxation=share, **at)
        case PressureDrop():
            return None


def _given(
    name: str, value: Any, when: Callable[[int], Any], *, has_past: bool = False
) -> dict[str, Any]:
    """Return a prescribed value and its times, if it changes, as keywords of a kernel."""
    if not is_function(value):
        return {name: tuple(value) if name == "velocity" else value}
    if not changes(value):
        return {name: value}
    times = {"time": when(0)}
    if has_past:
        times["before"] = when(-1)
    return {name: value, **times}


def _share(setup: Setup, side: str, relaxation: float | None) -> float:
    if relaxation is not None:
        return relaxation
    return open_sides.usual_relaxation(setup.extent[AXES.index(side[0])])
