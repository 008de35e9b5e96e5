"""Mode splitting: what keeps waves of the surface stable beside layers, stepped less often.

The internal pressure is found once a macro step and acts on all its micro steps. A wave of the
surface raises the layers, too, so part of the internal pressure is its own, but felt up to a macro
step late: that makes it grow, most of all if it turns by half a period or more in a macro step. Two
terms in the momentum of the micro steps prevent it.

- The internal pressure follows the surface: that part of it which belongs to the change of the
  elevation since the macro step began is added in each micro step. It is the exact one where layers
  are raised evenly.
- Divergence is damped: the slope is that of zeta + DAMPING (zeta - zeta of the last micro step). A
  wave that turns by the angle c in a micro step loses the share DAMPING c² / 2 in it.

Neither changes what continuity is computed with, so volume and tracers are conserved as before, and
both vanish at rest.

Sources: Higdon & de Szoeke 1997; Shchepetkin & McWilliams 2005, for the instability and for the
density that the surface feels; docs/decisions/0066-mode-splitting.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import halocline as hc
from halocline.apps.ocean.physics.equation_of_state import REFERENCE_DENSITY

if TYPE_CHECKING:
    from halocline.apps.ocean.numerics.axis import Axis
    from halocline.apps.ocean.numerics.metric import Metric
    from halocline.apps.ocean.physics.drying import Drying

# By which share of its change in a micro step the elevation counts as further on.
DAMPING = 0.1
# With it, the longest micro step over that of the forward-backward scheme by itself.
LONGEST = 0.8


class DampedSplitting(NamedTuple):
    """What the momentum of micro steps needs beside layers; given to kernels by keyword.

    Attributes:
        wet: Whether the elevation of a cell is stepped.
        zeta_before: Elevation with which the macro step began [m].
        stiffening: See 'stiffening'; None if water is everywhere as heavy.
    """

    wet: Any
    zeta_before: Any
    stiffening: Any = None

    def damping(self, U: Any, V: Any, axis: Axis, metric: Metric, dt: Any) -> Any:
        """Return by how much higher the surface counts ahead of a velocity point than it is [m].

        Args:
            U: Transport along x with which the elevation was stepped last [m²/s].
            V: Along y [m²/s].
            axis: That of the velocity.
            metric: Lengths.
            dt: Micro step [s].
        """
        rising = hc.where(self.wet, (-DAMPING * dt) * metric.divergence(U, V), 0.0)
        return rising - axis(rising, -1)

    def following(self, zeta: Any, bed: Any, axis: Axis, drying: Drying) -> Any:
        """Return the rise of the surface to which the internal pressure of its change amounts [m].

        Args:
            zeta: Elevation [m].
            bed: Depth below the mean level, of cells [m].
            axis: That of the velocity.
            drying: Depths.
        """
        change = drying.rise(zeta, bed, axis) - drying.rise(self.zeta_before, bed, axis)
        return axis.mean(self.stiffening) * change


@hc.sweep("z-")
def stiffening(above: Any, density: Any, *, middle: Any, fraction: Any, last: int) -> Any:
    """Find by which share stratification strengthens the force of a slope of the surface.

    Layers are fractions of the depth, so a surface that slopes makes them slope. The force on a
    column is that of the slope times 2 / rho_0 times the integral of s (rho(s) - rho(1)) over the
    share s of the depth that lies below.

    Args:
        above: The integral over the layers above, and the density of the highest layer [kg/m³].
        density: Of cells, less that of reference [kg/m³].
        middle: Share of the depth that lies below the middle of a layer.
        fraction: Of a layer.
        last: The highest layer.
    """
    integral, surface = above
    surface = hc.where(hc.index("z") == last, density, surface)
    weight = (2.0 / REFERENCE_DENSITY) * middle * fraction
    return integral + weight * (density - surface), surface
