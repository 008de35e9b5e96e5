"""Kernels of walls, at sides or around solid cells, and of mirrors.

Each is written for the cell beyond: what it lets arrive along each link that leads from it to the
fluid. They say only where populations come from and go to ('streaming'), so one text serves on two
grids and in place. Open sides are in 'open_sides'.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.apps.lbm.lattice.links import leaving, normal
from halocline.apps.lbm.lattice.populations import Value, dot
from halocline.apps.lbm.lattice.streaming import POST_COLLISION, StreamingPattern
from halocline.geometry import AXES

if TYPE_CHECKING:
    from halocline.apps.lbm.lattice.velocity_set import VelocitySet


@hc.kernel
def wall(
    f: Any, *, velocity_set: Any, links: Any, pattern: Any = POST_COLLISION, velocity: Any = ()
) -> None:
    """Reflect along some links the populations that have reached a solid cell.

    Args:
        f: Populations.
        velocity_set: The lattice.
        links: Populations that leave the wall.
        pattern: Where populations are kept, see 'streaming'.
        velocity: Of the wall, one component an axis; empty at rest.
    """
    for i in links:
        c = velocity_set.velocities[i]
        returned = pattern.outgoing(f, velocity_set, velocity_set.opposites[i], c)
        if velocity:
            returned = returned + (6.0 * velocity_set.weights[i]) * dot(c, velocity)
        pattern.deliver(f, velocity_set, i, c, returned)


@hc.kernel
def free_slip(f: Any, *, velocity_set: Any, at: Any, pattern: Any = POST_COLLISION) -> None:
    """Reflect as in a mirror the populations that have reached the layer beyond a side."""
    for i in leaving(velocity_set, at):
        image = _mirrored(f, velocity_set, at, pattern, i)
        pattern.deliver(f, velocity_set, i, velocity_set.velocities[i], image)


@hc.kernel
def free_slip_beside_solids(
    f: Any, fluid: Any, *, velocity_set: Any, at: Any, pattern: Any = POST_COLLISION
) -> None:
    """Do the same, but reflect as a wall where the mirror image is that of a solid cell.

    Args:
        f: Populations.
        fluid: Not zero in fluid cells, nor in the layers beyond other sides (see 'no_solid').
        velocity_set: The lattice.
        at: The side.
        pattern: Where populations are kept, see 'streaming'.
    """
    for i in leaving(velocity_set, at):
        c, opposite = velocity_set.velocities[i], velocity_set.opposites[i]
        image = _mirrored(f, velocity_set, at, pattern, i)
        returned = pattern.outgoing(f, velocity_set, opposite, c)
        is_solid = fluid[normal(velocity_set, at)] == 0
        pattern.deliver(f, velocity_set, i, c, hc.where(is_solid, returned, image))


@hc.kernel
def no_solid(fluid: Any) -> None:
    """Mark the layer beyond a side as fluid."""
    fluid[(0,) * fluid.dimensions] = True


def _mirrored(
    f: Any, velocity_set: VelocitySet, at: str, pattern: StreamingPattern, i: int
) -> Value:
    """Return the mirror image of population i that has left the cell in front of a layer's."""
    axis = AXES.index(at[0])
    c = velocity_set.velocities[i]
    mirrored = tuple(-n if a == axis else n for a, n in enumerate(c))
    image = velocity_set.velocities.index(mirrored)
    return pattern.outgoing(f, velocity_set, image, normal(velocity_set, at))
