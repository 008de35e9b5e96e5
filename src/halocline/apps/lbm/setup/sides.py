"""Sides of a domain: the boundary at each side, and sponges in front of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from halocline.apps.lbm.lattice.populations import Value
from halocline.frozen import Frozen


class Wall(Frozen):
    """A wall half a cell outside the last cells, at rest or moving within its own plane.

    Attributes:
        velocity: One component an axis [cells / step]; empty at rest.

    Source: halfway bounce-back; Ladd, J. Fluid Mech. 271 (1994) 285, with wall density 1.

    Example:
        >>> lbm.Wall((0.05, 0.0))
        Wall(velocity=(0.05, 0.0))
    """

    velocity: tuple[float, ...] = ()


class FreeSlip(Frozen):
    """A frictionless wall half a cell outside the last cells: what arrives is a mirror image.

    Example:
        >>> lbm.FreeSlip()
        FreeSlip()
    """


class Velocity(Frozen):
    """Prescribed velocity in the last cells, whatever comes: sound is reflected.

    Attributes:
        velocity: One component an axis [cells / step], or a function of place and time that returns
            them, see 'place_and_time'; arithmetic and 'hc' functions only.

    Source: Zou & He, Phys. Fluids 9 (1997) 1591.

    Example:
        >>> side = lbm.Velocity((0.05, 0.0))
    """

    velocity: tuple[float, ...] | Callable[..., Sequence[Value]]


class Pressure(Frozen):
    """Prescribed density in the last cells, and no velocity along the side: sound is reflected.

    Attributes:
        density: 1 at rest; the pressure is a third of it [lattice units]. A number, or a function
            of place and time.

    Source: as 'Velocity'.

    Example:
        >>> side = lbm.Pressure(1.0)
    """

    density: float | Callable[..., Value] = 1.0


# The 'relaxation' of an inflow of which the velocity matters more than that sound leaves: it is
# nearly that of 'Velocity', but what alternates from cell to cell goes out.
HELD = 0.05


class Inflow(Frozen):
    """A side through which fluid enters and sound leaves.

    Attributes:
        velocity: As for 'Velocity': followed where no sound arrives, and else on average.
        relaxation: The share of its deviation by which the velocity across the side returns to the
            prescribed one in a step, above 0 and below 1; None for one that suits the length of the
            domain, see 'open_sides'. Larger values reflect low frequencies.

    Source: see 'open_sides'.

    Example:
        >>> side = lbm.Inflow((0.05, 0.0))
    """

    velocity: tuple[float, ...] | Callable[..., Sequence[Value]]
    relaxation: float | None = None


class Outflow(Frozen):
    """A side through which the flow and sound leave.

    Attributes:
        density: As for 'Pressure': held on average.
        relaxation: The share of its deviation by which the density returns to that in a step; else
            as for 'Inflow'.

    Source: see 'open_sides'.

    Example:
        >>> side = lbm.Outflow()
    """

    density: float | Callable[..., Value] = 1.0
    relaxation: float | None = None


class PressureDrop(Frozen):
    """A periodic side that changes the density of the populations that cross it.

    Attributes:
        difference: By how much the density of what arrives is raised [lattice units]. The other
            side takes the opposite.

    Source: after Kim & Pitsch, Phys. Fluids 19 (2007) 108101: the equilibrium is changed, the rest
        is not; at constant momentum, so that the mass in the domain stays.

    Example:
        >>> side = lbm.PressureDrop(0.001)
    """

    difference: float


Boundary = Wall | FreeSlip | Velocity | Inflow | Pressure | Outflow | PressureDrop
# Through which fluid enters and leaves, and does not come back on the other side.
Open = Velocity | Inflow | Pressure | Outflow


class Sponge(Frozen):
    """Layers of cells that relax the flow towards a state, most strongly at a side.

    In a step the difference shrinks by the share strength s², where s grows from 0 at the inner
    edge to 1 at the side. Density and velocity are drawn alike: so sound enters without an echo. A
    sponge stands before whatever the side is; that reflects about exp(-2.3 width strength / 2) of
    a sound that has gone through.

    Attributes:
        width: Number of layers [cells].
        velocity: Of the state, one component an axis [cells / step], or a function of place and
            time, see 'place_and_time'.
        density: Of the state, a number or the same.
        strength: Above 0 and at most 1.

    Source: Israeli & Orszag, J. Comput. Phys. 41 (1981) 115; the difference is that of the
        equilibria, what else is in the populations stays.

    Example:
        >>> sponge = lbm.Sponge(16, velocity=(0.05, 0.0))
    """

    width: int
    velocity: Sequence[float] | Callable[..., Sequence[Value]]
    density: float | Callable[..., Value] = 1.0
    strength: float = 0.2
