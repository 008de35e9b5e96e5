"""Sponges: layers of cells at a side in which sound, and all else if asked for, dies away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import halocline as hc
from halocline.apps.lbm.arguments import returned
from halocline.apps.lbm.links import inwards
from halocline.apps.lbm.populations import Value, equilibrium, moments
from halocline.apps.lbm.prescribed import moment, narrow, scalar, vector
from halocline.geometry import AXES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from halocline.apps.lbm.collision import Collision
    from halocline.apps.lbm.flow import Setup
    from halocline.apps.lbm.velocity_set import VelocitySet


@dataclass(frozen=True, slots=True)
class Sponge:
    """Layers of cells that draw the flow towards a state, the more the nearer to a side.

    In a step the difference shrinks by the share strength s², where s grows from 0 at the inner
    edge to 1 at the side. It stands before whatever the side is.

    Attributes:
        width: How many layers [cells]; sound of a few times this wavelength still comes back.
        strength: Above 0 and at most 1.
        density: Of the state: a number, or a function of place and time, see 'prescribed'.
        velocity: Of the state, the same with one component an axis; None to leave velocities as
            they are, so that vortices pass.

    Source: Israeli & Orszag, J. Comput. Phys. 41 (1981) 115; the difference is that of the
        equilibria, what else is in the populations stays.
    """

    width: int
    strength: float = 0.1
    density: float | Callable[..., Value] = 1.0
    velocity: Sequence[float] | Callable[..., Sequence[Value]] | None = None


def absorbing(collision: Collision, setup: Setup, later: int) -> Collision:
    """Return a collision after which the sponges of a flow act.

    Args:
        collision: The collision.
        setup: Of the flow.
        later: How many lattice steps after the time of the step it is.
    """
    time = moment(setup, later)

    def collide(
        velocity_set: VelocitySet,
        populations: Sequence[Value],
        omega: Value,
        force: Sequence[Value] = (),
    ) -> list[Value]:
        outgoing = collision(velocity_set, populations, omega, force)
        outgoing = list(returned(collision, outgoing, len(velocity_set), "population"))
        for side, sponge in setup.sponges.items():
            share = _share(setup, side)
            excess, momentum = moments(velocity_set, outgoing)
            u = [j * (1.0 / (1.0 + excess)) for j in momentum]
            here = (0,) * len(u)
            held = scalar(sponge.density, here, time, setup.dtype)
            aim = () if sponge.velocity is None else sponge.velocity
            wanted = vector(aim, here, time, setup.dtype) or u
            present = equilibrium(velocity_set, 1.0 + excess, u)
            target = equilibrium(velocity_set, held, wanted)
            outgoing = [
                f + share * (new - old)
                for f, new, old in zip(outgoing, target, present, strict=True)
            ]
        return outgoing

    return collide


def _share(setup: Setup, side: str) -> Value:
    """Return by which share a sponge shrinks the difference in a cell."""
    sponge, axis = setup.sponges[side], side[0]
    cells = setup.extent[AXES.index(axis)]
    inner = sponge.width if inwards(side) > 0 else cells - sponge.width
    depth = (hc.index(axis) + (0.5 - inner)) * (-inwards(side) / sponge.width)
    depth = hc.maximum(narrow(depth, setup.dtype), 0.0)
    return sponge.strength * (depth * depth)
