"""Wetting and drying: how deep the water is, and what shallow water does to the equations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import halocline as hc
from halocline.apps.ocean.numerics.axis import Axis

if TYPE_CHECKING:
    from halocline.apps.ocean.numerics.axis import AxisName


class Drying(NamedTuple):
    """Depths that say where water is too shallow; D_min and D_crit of GETM.

    Attributes:
        least: No water is shallower [m].
        critical: In shallower water momentum equations lose all but tendency, friction and
            gradient of the surface [m].

    Example:
        >>> drying = ocean.Drying()
    """

    least: float = 0.05
    critical: float = 0.2

    def face_depth(self, zeta: Any, bed: Any, axis: Axis) -> Any:
        """Return the depth of water at a velocity point [m].

        Args:
            zeta: Elevation, of cells [m].
            bed: Depth below the mean level at velocity points [m].
            axis: That of the velocity.
        """
        return hc.maximum(axis.mean(zeta), self.least - bed) + bed

    def factor(self, depth: Any) -> Any:
        """Return alpha, from 0 in water of the least depth to 1 from the critical depth on."""
        return hc.clip((depth - self.least) * (1.0 / (self.critical - self.least)), 0.0, 1.0)

    def rise(self, zeta: Any, bed: Any, axis: Axis) -> Any:
        """Return how much higher the surface is ahead of a velocity point than behind it [m].

        A surface below the bed of the cell beside it counts as that bed: water does not flow out
        of a slope that is dry.

        Args:
            zeta: Elevation, of cells [m].
            bed: Depth below the mean level, of cells [m].
            axis: That of the velocity.
        """
        depth = hc.minimum(zeta + bed, self.least)
        ahead = hc.maximum(zeta, depth - axis(bed, -1))
        behind = hc.maximum(axis(zeta, -1), axis(depth, -1) - bed)
        return ahead - behind


@hc.kernel
def share_of_outflow(
    share: Any, U: Any, V: Any, zeta: Any, bed: Any, *, metric: Any, drying: Any, dt: Any
) -> None:
    """Find which part of the water that would leave a cell is there.

    Args:
        share: Gets the part, 1 where there is enough.
        U: Transport [m²/s].
        V: Transport [m²/s].
        zeta: Elevation [m].
        bed: Depth below the mean level [m].
        metric: Lengths.
        drying: Depths.
        dt: Step [s].
    """
    west, south = hc.minimum(U, 0.0) * metric.width("y", "u"), hc.minimum(V, 0.0) * metric.dx_v
    east, north = hc.maximum(U, 0.0) * metric.width("y", "u"), hc.maximum(V, 0.0) * metric.dx_v
    outflow = hc.at(east, x=1) - west + hc.at(north, y=1) - south
    lowering = outflow * (dt / metric.area)
    available = hc.maximum(zeta + bed - drying.least, 0.0)
    share[...] = hc.where(lowering > available, available / hc.maximum(lowering, 1e-30), 1.0)


@hc.kernel
def limit_outflow(transport: Any, share: Any, *, axis: AxisName) -> None:
    """Let a cell give away no more water than it has.

    Args:
        transport: U or V [m²/s].
        share: See 'share_of_outflow'.
        axis: 'x' or 'y'.
    """
    part = hc.where(transport > 0.0, Axis(axis)(share, -1), share)
    transport[...] = transport * part
