"""Sponges: layers of cells at a side in which sound and all else dies away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.apps.lbm.lattice.links import inwards
from halocline.apps.lbm.lattice.populations import Value, equilibrium, moments
from halocline.apps.lbm.setup.place_and_time import narrow, scalar, vector
from halocline.apps.lbm.validation.arguments import returned
from halocline.geometry import AXES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from halocline.apps.lbm.collision.relaxation import Collision
    from halocline.apps.lbm.flow.flow import Setup
    from halocline.apps.lbm.lattice.velocity_set import VelocitySet


@dataclass(frozen=True, slots=True)
class Sponge:
    """Layers of cells that draw the flow towards a state, the more the nearer to a side.

    In a step the difference shrinks by the share strength s², where s grows from 0 at the inner
    edge to 1 at the side. Density and velocity are drawn alike: so sound enters without an echo. A
    sponge stands before whatever the side is; that reflects about exp(-2.3 width strength / 2) of
    a sound that has gone through.

    Attributes:
        width: How many layers [cells].
        velocity: Of the state, one component an axis [cells / step], or a function of place and
            time, see 'prescribed'.
        density: Of the state, a number or the same.
        strength: Above 0 and at most 1.

    Source: Israeli & Orszag, J. Comput. Phys. 41 (1981) 115; the difference is that of the
        equilibria, what else is in the populations stays.
    """

    width: int
    velocity: Sequence[float] | Callable[..., Sequence[Value]]
    density: float | Callable[..., Value] = 1.0
    strength: float = 0.2


def absorbing(collision: Collision, setup: Setup, time: Any, level: int = 0) -> Collision:
    """Return a collision after which the sponges of a flow act.

    Args:
        collision: The collision.
        setup: Of the flow.
        time: When it is.
        level: In whose cells and steps.
    """

    def collide(
        velocity_set: VelocitySet,
        populations: Sequence[Value],
        omega: Value,
        force: Sequence[Value] = (),
    ) -> list[Value]:
        outgoing = collision(velocity_set, populations, omega, force)
        outgoing = list(returned(collision, outgoing, len(velocity_set), "population"))
        for side, sponge in setup.sponges.items():
            share = _share(setup, side, level)
            excess, momentum = moments(velocity_set, outgoing)
            u = [j * (1.0 / (1.0 + excess)) for j in momentum]
            here = (0,) * len(u)
            held = scalar(sponge.density, here, time, setup.dtype)
            wanted = vector(sponge.velocity, here, time, setup.dtype)
            present = equilibrium(velocity_set, 1.0 + excess, u)
            target = equilibrium(velocity_set, held, wanted)
            outgoing = [
                f + share * (new - old)
                for f, new, old in zip(outgoing, target, present, strict=True)
            ]
        return outgoing

    return collide


def _share(setup: Setup, side: str, level: int) -> Value:
    """Return by which share a sponge shrinks the difference in a cell."""
    sponge, axis = setup.sponges[side], side[0]
    width, cells = sponge.width * 2**level, setup.extent[AXES.index(axis)] * 2**level
    inner = width if inwards(side) > 0 else cells - width
    depth = (hc.index(axis) + (0.5 - inner)) * (-inwards(side) / width)
    depth = hc.maximum(narrow(depth, setup.dtype), 0.0)
    return (0.5**level * sponge.strength) * (depth * depth)
