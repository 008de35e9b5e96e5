"""Sponges: collisions after which layers of cells draw the flow towards a state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.apps.lbm.boundaries.prescribed import cast_to_compute, scalar, vector
from halocline.apps.lbm.lattice.links import inwards
from halocline.apps.lbm.lattice.populations import Value, equilibrium, moments
from halocline.apps.lbm.validation.arguments import returned
from halocline.geometry import AXES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.apps.lbm.collision.relaxation import Collision
    from halocline.apps.lbm.lattice.velocity_set import VelocitySet
    from halocline.apps.lbm.setup.setup import Setup


def absorbing(collision: Collision, setup: Setup, time: Any, level: int = 0) -> Collision:
    """Return a collision followed by the sponges of a flow.

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
            prescribed = vector(sponge.velocity, here, time, setup.dtype)
            present = equilibrium(velocity_set, 1.0 + excess, u)
            target = equilibrium(velocity_set, held, prescribed)
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
    depth = hc.maximum(cast_to_compute(depth, setup.dtype), 0.0)
    return (0.5**level * sponge.strength) * (depth * depth)
