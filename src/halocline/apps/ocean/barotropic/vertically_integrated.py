"""The vertically integrated mode: continuity and momentum of all water between bed and surface.

Backhaus' forward-backward steps: U and V from the elevation, then the elevation from them. See
Burchard & Bolding 2002 (GETM).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import halocline as hc
from halocline.apps.ocean.numerics.axis import Axis
from halocline.apps.ocean.physics.constants import GRAVITY
from halocline.apps.ocean.physics.equation_of_state import REFERENCE_DENSITY

if TYPE_CHECKING:
    from halocline.apps.ocean.numerics.axis import AxisName
    from halocline.apps.ocean.numerics.metric import Metric
    from halocline.apps.ocean.state.layers import Sizes


@hc.kernel
def velocity(
    speed: Any, transport: Any, zeta: Any, bed: Any, *, axis: AxisName, drying: Any
) -> None:
    """Find the velocity, mean over the depth.

    Args:
        speed: Gets u or v [m/s].
        transport: U or V [m²/s].
        zeta: Elevation [m].
        bed: Depth below the mean level at velocity points [m].
        axis: 'x' for U, 'y' for V.
        drying: Depths.
    """
    speed[...] = transport / drying.face_depth(zeta, bed, Axis(axis))


@hc.kernel
def momentum(
    U_new: Any,
    U: Any,
    u: Any,
    V: Any,
    v: Any,
    zeta: Any,
    bed: Any,
    cells_bed: Any,
    *,
    axis: AxisName,
    metric: Any,
    drying: Any,
    drag: Any,
    dt: Any,
    coriolis: Any = None,
    advection: Any = None,
    advecting: Any = None,
    sizes: Any = None,
    advected: Any = None,
    viscosity: Any = None,
    forcing: Any = None,
    slow_drag: Any = None,
    pressure: Any = None,
    splitting: Any = None,
    smoothing: Any = None,
    flows_on: Any = None,
) -> None:
    """Step the transport along an axis; written for U, the same for V with the axes exchanged.

    Args:
        U_new: Gets the new transport [m²/s].
        U: Transport [m²/s].
        u: Its velocity [m/s].
        V: The other transport, as new as it is [m²/s].
        v: The other velocity, before the step [m/s].
        zeta: Elevation [m].
        bed: Depth below the mean level at the velocity points [m].
        cells_bed: The same of cells [m].
        axis: 'x' for U, 'y' for V.
        metric: Lengths.
        drying: Depths.
        drag: Of the bed, see 'drag'.
        dt: Step [s].
        coriolis: f for U, -f for V [1/s], a number or a field at the velocity points; None for 0.
        advection: Divergence of fluxes of momentum, as 'upstream' or 'mixing'; None for none.
        advecting: The other transport before the step, if V is newer [m²/s].
        sizes: Of the flows of layers, see 'upstream'; None where there are none.
        advected: The velocity advected for a step, see 'velocity_advection'; None if it is not.
        viscosity: A_M, horizontal eddy viscosity; None for none [m²/s].
        forcing: Stress of the wind and slow terms, over the density [m²/s²].
        slow_drag: What the drag on the lowest of several layers is beyond that on the mean; it
            only ever slows down [m²/s²].
        pressure: Of the air, of cells [Pa].
        splitting: See 'mode_splitting'; None without layers.
        smoothing: Diffusion of the transport, see 'Smoothing'; None for none.
        flows_on: See 'Axis.going_on'.
    """
    a = Axis(axis)
    depth = drying.face_depth(zeta, bed, a)
    force = (-GRAVITY * metric.inverse_distance(axis)) * depth
    beside = V if advecting is None else advecting
    crossing = a.crossing(v)
    friction = drag(depth, hc.sqrt(u * u + crossing * crossing))
    slope = rise(zeta, cells_bed, a, drying, pressure)
    terms: Any = 0.0
    if coriolis is not None:
        terms = terms + coriolis * a.crossing(V)
    if advection is not None:
        moved = (a.going_on(U, flows_on), beside, a.going_on(u, flows_on))
        terms = terms - advection(*moved, a, metric, sizes)
    if advected is not None:
        terms = terms + advected.gain(u, 1.0, dt)
    if metric.turns and (advection is not None or advected is not None):
        terms = terms + curvature(U, beside, 1.0 / depth, a, metric)
    if viscosity is not None:
        terms = terms + diffusion(u, v, zeta + cells_bed, depth, a, metric, viscosity)
    if smoothing is not None:
        terms = terms + smoothing.gain(U, a, metric)
    if forcing is not None:
        terms = terms + forcing
    if slow_drag is not None:
        slowing = hc.where(U > 0.0, hc.maximum(slow_drag, 0.0), hc.minimum(slow_drag, 0.0))
        terms = terms - slowing
    if splitting is not None:
        transports = (U, beside) if axis == "x" else (beside, U)
        slope = slope + splitting.damping(*transports, a, metric, dt)
        if splitting.stiffening is not None:
            terms = terms + force * splitting.following(zeta, cells_bed, a, drying)
    U_new[...] = (U + dt * (drying.factor(depth) * terms + force * slope)) / (
        1.0 + dt * friction / depth
    )


class Smoothing(NamedTuple):
    """Diffusion of transports, by which GETM makes steep beds and boundaries quiet (An).

    Attributes:
        diffusivity: In cells [m²/s].
        at_corners: The same at their south-west corners [m²/s].
        is_stepped: Where the transport is stepped; at a coast nothing passes along the others.
    """

    diffusivity: Any
    at_corners: Any
    is_stepped: Any

    def gain(self, U: Any, axis: Axis, metric: Any) -> Any:
        """Return what the transport gains [m²/s²]."""
        along = (axis(U, 1) - U) * metric.inverse_distance(axis.name, "middle")
        shear = (U - axis(U, 0, -1)) * metric.inverse_distance(axis.across, "corner")
        is_beside = self.is_stepped & axis(self.is_stepped, 0, -1)
        across = hc.where(is_beside, self.at_corners * shear, 0.0)
        return metric.divergence_of_momentum(self.diffusivity * along, across, axis)


def rise(zeta: Any, bed: Any, axis: Axis, drying: Any, pressure: Any) -> Any:
    """Return how much higher the surface is ahead of a velocity point than behind it [m].

    The pressure of the air counts as water of its weight; None for none [Pa].
    """
    rise_of_surface = drying.rise(zeta, bed, axis)
    if pressure is None:
        return rise_of_surface
    return rise_of_surface + (pressure - axis(pressure, -1)) * (1.0 / (REFERENCE_DENSITY * GRAVITY))


def upstream(U: Any, V: Any, u: Any, axis: Axis, metric: Any, sizes: Sizes | None = None) -> Any:
    """Return the divergence of the fluxes of momentum, with the velocity from upstream.

    Args:
        U: Transport along the axis, at the velocity points.
        V: The other transport.
        u: What is advected: the velocity.
        axis: That of U and u.
        metric: Lengths.
        sizes: What flows through layers beneath U and V. Fluxes from upstream are those in the
            middle and a diffusion by the size of the flow; layers that flow against each other
            diffuse the mean current as well. It has to feel that at once: felt a macro step later
            it makes waves grow that have turned round meanwhile.
    """
    through_cell = axis.in_cell(U)
    through_corner = axis.mean(V)
    if sizes is None:
        along = through_cell * hc.where(through_cell > 0.0, u, axis(u, 1))
        across = through_corner * hc.where(through_corner > 0.0, axis(u, 0, -1), u)
        return metric.divergence_of_momentum(along, across, axis)
    size_along = hc.maximum(sizes.along, abs(through_cell))
    size_across = hc.maximum(sizes.across, abs(through_corner))
    ahead, beside = axis(u, 1), axis(u, 0, -1)
    along = 0.5 * (through_cell * (u + ahead) - size_along * (ahead - u))
    across = 0.5 * (through_corner * (beside + u) - size_across * (u - beside))
    return metric.divergence_of_momentum(along, across, axis)


def curvature(U: Any, V: Any, inverse: Any, axis: Axis, metric: Metric) -> Any:
    """Return what a transport gains as axes turn from one cell to the next [m²/s²].

    A current that goes straight on has another direction against axes that turn: it acts like a
    Coriolis parameter (v d(dy) - u d(dx)) / area, with the differences of widths along x and y.

    Args:
        U: Transport along the axis, at the velocity points [m²/s].
        V: The other transport [m²/s].
        inverse: 1 / depth, or thickness of a layer [1/m].
        axis: That of U.
        metric: Widths.

    Source: Arakawa & Lamb 1977; Burchard & Bolding 2002.
    """
    crossing = axis.crossing(V)
    across_widens, along_widens = metric.widening(axis)
    return (crossing * inverse) * (crossing * across_widens - U * along_widens)


def mixing(U: Any, V: Any, u: Any, axis: Axis, metric: Any, sizes: Sizes) -> Any:
    """Return by how much more layers diffuse a velocity than their mean flow does in 'upstream'.

    Where velocities are advected by another scheme the mean current has to feel this, too.
    """
    more_along = hc.maximum(sizes.along - abs(axis.in_cell(U)), 0.0)
    more_across = hc.maximum(sizes.across - abs(axis.mean(V)), 0.0)
    along = (-0.5 * more_along) * (axis(u, 1) - u)
    across = (-0.5 * more_across) * (u - axis(u, 0, -1))
    return metric.divergence_of_momentum(along, across, axis)


def diffusion(
    u: Any, v: Any, cell_depth: Any, depth: Any, axis: Axis, metric: Any, viscosity: Any
) -> Any:
    """Return the divergence of the stresses 2 A D du/dx and A D (du/dy + dv/dx)."""
    stretch = (axis(u, 1) - u) * metric.inverse_distance(axis.name, "middle")
    along = (2.0 * viscosity) * cell_depth * stretch
    shear = (u - axis(u, 0, -1)) * metric.inverse_distance(axis.across, "corner")
    shear = shear + (v - axis(v, -1)) * metric.inverse_distance(axis.name, "corner")
    across = (0.5 * viscosity) * (depth + axis(depth, 0, -1)) * shear
    return metric.divergence_of_momentum(along, across, axis)


@hc.kernel
def continuity(zeta: Any, U: Any, V: Any, *, metric: Any, dt: Any, fresh: Any = ()) -> None:
    """Step the elevation.

    Args:
        zeta: Elevation [m].
        U: Transport [m²/s].
        V: Transport [m²/s].
        metric: Lengths.
        dt: Step [s].
        fresh: How fast rivers and rain raise the surface, a field of each [m/s].
    """
    change = metric.divergence(U, V)
    for part in fresh:
        change = change - part
    zeta[...] = zeta - dt * change


@hc.kernel
def add_transport(total: Any, transport: Any, *, share: Any) -> None:
    """Add a micro step's transport to the mean of a macro step.

    Args:
        total: The mean [m²/s].
        transport: U or V [m²/s].
        share: One over the number of micro steps.
    """
    total[...] = total + share * transport
