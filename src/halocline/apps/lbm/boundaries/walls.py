"""Boundaries: what is at the sides of a domain; and walls, at sides or around solid cells.

Each is written for the cell beyond: what it lets arrive along each link that leads from it to the
fluid. They say only where populations come from and go to ('streaming'), so one text serves on two
grids and in place. Open sides are in 'open_sides'.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.apps.lbm.lattice.links import leaving, normal
from halocline.apps.lbm.lattice.populations import Value, dot
from halocline.apps.lbm.lattice.streaming import POST_COLLISION, Places
from halocline.geometry import AXES

if TYPE_CHECKING:
    from halocline.apps.lbm.lattice.velocity_set import VelocitySet


@dataclass(frozen=True, slots=True)
class Wall:
    """A wall half a cell outside the last cells, at rest or moving within its own plane.

    Attributes:
        velocity: One component an axis [cells / step]; empty at rest.

    Source: halfway bounce-back; Ladd, J. Fluid Mech. 271 (1994) 285, with wall density 1.
    """

    velocity: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class FreeSlip:
    """A frictionless wall half a cell outside the last cells: what arrives is a mirror image."""


@dataclass(frozen=True, slots=True)
class Velocity:
    """Prescribed velocity in the last cells, whatever comes: sound is reflected.

    Attributes:
        velocity: One component an axis [cells / step], or a function of place and time that returns
            them, see 'prescribed'; arithmetic and 'hc' functions only.

    Source: Zou & He, Phys. Fluids 9 (1997) 1591.
    """

    velocity: tuple[float, ...] | Callable[..., Sequence[Value]]


@dataclass(frozen=True, slots=True)
class Pressure:
    """Prescribed density in the last cells, and no velocity along the side: sound is reflected.

    Attributes:
        density: 1 at rest; the pressure is a third of it [lattice units]. A number, or a function
            of place and time.

    Source: as 'Velocity'.
    """

    density: float | Callable[..., Value] = 1.0


# The 'relaxation' of an inflow of which the velocity matters more than that sound leaves: it is
# nearly that of 'Velocity', but what alternates from cell to cell goes out.
HELD = 0.05


@dataclass(frozen=True, slots=True)
class Inflow:
    """A side through which fluid comes in and sound goes out.

    Attributes:
        velocity: As for 'Velocity': followed where no sound arrives, and else on average.
        relaxation: By which share of its difference the velocity across the side comes back to what
            is prescribed in a step, above 0 and below 1; None for what suits the length of the
            domain, see 'open_sides'. More of it reflects low notes.

    Source: see 'open_sides'.
    """

    velocity: tuple[float, ...] | Callable[..., Sequence[Value]]
    relaxation: float | None = None


@dataclass(frozen=True, slots=True)
class Outflow:
    """A side through which whatever comes goes out: what the flow carries, and sound.

    Attributes:
        density: As for 'Pressure': held on average.
        relaxation: By which share of its difference the density comes back to that in a step; else
            as for 'Inflow'.

    Source: see 'open_sides'.
    """

    density: float | Callable[..., Value] = 1.0
    relaxation: float | None = None


@dataclass(frozen=True, slots=True)
class PressureDrop:
    """A periodic side through which populations come with another density.

    Attributes:
        difference: By how much the density of what arrives is raised [lattice units]. The other
            side takes the opposite.

    Source: after Kim & Pitsch, Phys. Fluids 19 (2007) 108101: the equilibrium is changed, the rest
        is not; at constant momentum, so that the mass in the domain stays.
    """

    difference: float


Boundary = Wall | FreeSlip | Velocity | Inflow | Pressure | Outflow | PressureDrop
# Through which fluid enters and leaves, and does not come back on the other side.
Open = Velocity | Inflow | Pressure | Outflow


@hc.kernel
def wall(
    f: Any, *, velocity_set: Any, links: Any, places: Any = POST_COLLISION, velocity: Any = ()
) -> None:
    """Send back along some links what has come to a solid cell.

    Args:
        f: Populations.
        velocity_set: The lattice.
        links: Populations that leave the wall.
        places: Where populations are kept, see 'streaming'.
        velocity: Of the wall, one component an axis; empty at rest.
    """
    for i in links:
        c = velocity_set.velocities[i]
        returned = places.outgoing(f, velocity_set, velocity_set.opposites[i], c)
        if moving := [(c[a], velocity[a]) for a in range(len(velocity)) if c[a]]:
            along = dot(tuple(n for n, _ in moving), [v for _, v in moving])
            returned = returned + (6.0 * velocity_set.weights[i]) * along
        places.deliver(f, velocity_set, i, c, returned)


@hc.kernel
def free_slip(f: Any, *, velocity_set: Any, at: Any, places: Any = POST_COLLISION) -> None:
    """Send back from the layer beyond a side the mirror images of what has come to it."""
    for i in leaving(velocity_set, at):
        image = _mirrored(f, velocity_set, at, places, i)
        places.deliver(f, velocity_set, i, velocity_set.velocities[i], image)


@hc.kernel
def free_slip_beside_solids(
    f: Any, fluid: Any, *, velocity_set: Any, at: Any, places: Any = POST_COLLISION
) -> None:
    """Do the same, but send back as a wall what would be the mirror image of a solid cell's.

    Args:
        f: Populations.
        fluid: Not zero in fluid cells, nor in the layers beyond other sides (see 'no_solid').
        velocity_set: The lattice.
        at: The side.
        places: Where populations are kept, see 'streaming'.
    """
    for i in leaving(velocity_set, at):
        c, opposite = velocity_set.velocities[i], velocity_set.opposites[i]
        image = _mirrored(f, velocity_set, at, places, i)
        returned = places.outgoing(f, velocity_set, opposite, c)
        is_solid = fluid[normal(velocity_set, at)] == 0
        places.deliver(f, velocity_set, i, c, hc.where(is_solid, returned, image))


@hc.kernel
def no_solid(fluid: Any) -> None:
    """Say of the layer beyond a side that its cells are no solid ones."""
    fluid[(0,) * fluid.dimensions] = True


def _mirrored(f: Any, velocity_set: VelocitySet, at: str, places: Places, i: int) -> Value:
    """Return the mirror image of population i that has left the cell in front of a layer's."""
    axis = AXES.index(at[0])
    c = velocity_set.velocities[i]
    mirrored = tuple(-n if a == axis else n for a, n in enumerate(c))
    image = velocity_set.velocities.index(mirrored)
    return places.outgoing(f, velocity_set, image, normal(velocity_set, at))
