"""The mode of layers: momentum and continuity of each layer.

A layer is a fraction of the water's depth, so its transports p = u h and q = v h move with it. See
Burchard & Bolding 2002 (GETM). z = 0 is the lowest layer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.apps.ocean.barotropic.vertically_integrated import curvature, rise
from halocline.apps.ocean.numerics.axis import Axis
from halocline.apps.ocean.physics.constants import GRAVITY

if TYPE_CHECKING:
    from halocline.apps.ocean.numerics.axis import AxisName


@hc.kernel
def depths(
    before: Any,
    after: Any,
    zeta_before: Any,
    zeta: Any,
    bed: Any,
    *,
    drying: Any,
    dt: Any,
    fresh: Any = (),
) -> None:
    """Find the depth of cells before and after a macro step; above 0 on land, too.

    Args:
        before: Gets the depth before the step, with what rivers and rain bring in it [m].
        after: After it [m].
        zeta_before: Elevation [m].
        zeta: Elevation [m].
        bed: Depth below the mean level [m].
        drying: Depths.
        dt: Macro step [s].
        fresh: How fast these raise the surface, a field of each [m/s].
    """
    depth = hc.maximum(zeta_before + bed, drying.least)
    for part in fresh:
        depth = depth + dt * part
    before[...] = depth
    after[...] = hc.maximum(zeta + bed, drying.least)


@hc.kernel
def column(
    before: Any,
    depth: Any,
    inverse: Any,
    surface_pressure_gradient: Any,
    zeta_before: Any,
    zeta: Any,
    bed: Any,
    cells_bed: Any,
    *,
    axis: AxisName,
    metric: Any,
    drying: Any,
    pressure: Any = None,
) -> None:
    """Find what all layers of a column at a velocity point have in common.

    Args:
        before: Gets the depth that the last step ended with [m].
        depth: The depth now, in the middle of the macro step as transports are [m].
        inverse: 1 / depth [1/m].
        surface_pressure_gradient: Acceleration by the slope of the surface and the pressure of
            the air [m/s²].
        zeta_before: Elevation before the macro step [m].
        zeta: After it [m].
        bed: Depth below the mean level [m].
        cells_bed: The same of cells [m].
        axis: 'x' for U points, 'y' for V points.
        metric: Lengths.
        drying: Depths.
        pressure: Of the air [Pa].
    """
    a = Axis(axis)
    before[...] = depth
    depth_now = drying.face_depth(0.5 * (zeta_before + zeta), bed, a)
    depth[...] = depth_now
    inverse[...] = 1.0 / depth_now
    slope = rise(zeta_before, cells_bed, a, drying, pressure)
    surface_pressure_gradient[...] = (-GRAVITY * metric.inverse_distance(axis)) * slope


@hc.kernel
def accelerate(
    p: Any,
    q: Any,
    explicit: Any,
    before: Any,
    depth: Any,
    surface_pressure_gradient: Any,
    *,
    axis: AxisName,
    fraction: Any,
    drying: Any,
    dt: Any,
    coriolis: Any = None,
) -> None:
    """Add to the transport of a layer all but what viscosity, wind and bed do.

    Args:
        p: Transport along the axis [m²/s].
        q: The other one, as new as it is [m²/s].
        explicit: What 'explicit_terms' has found [m²/s²].
        before: Depth before [m].
        depth: Depth [m].
        surface_pressure_gradient: See 'column' [m/s²].
        axis: 'x' for p at U points, 'y' for V points.
        fraction: Of a layer.
        drying: Depths.
        dt: Macro step [s].
        coriolis: See 'vertically_integrated.momentum'.
    """
    terms = explicit
    if coriolis is not None:
        terms = terms + coriolis * Axis(axis).crossing(q)
    thickness = (0.5 * fraction) * (before + depth)
    p[...] = p + dt * (drying.factor(depth) * terms + thickness * surface_pressure_gradient)


@hc.sweep("z+")
def vertical_velocity(
    below: Any,
    w: Any,
    p: Any,
    q: Any,
    *,
    before: Any,
    after: Any,
    fraction: Any,
    metric: Any,
    dt: Any,
) -> Any:
    """Find the velocity through the moving faces between layers, from continuity.

    Args:
        below: That of the face below [m/s].
        w: Gets it [m/s].
        p: Transport [m²/s].
        q: Transport [m²/s].
        before: Depth of cells before the step [m].
        after: After it [m].
        fraction: Of a layer.
        metric: Lengths.
        dt: Macro step [s].
    """
    growth = fraction * ((after - before) * (1.0 / dt))
    passing = below - hc.at(growth + metric.divergence(p, q), z=-1)
    velocity = hc.where(hc.index("z") > 0, passing, 0.0)
    w[...] = velocity
    return velocity


@hc.sweep("z-")
def explicit_terms(
    above: Any,
    explicit: Any,
    p: Any,
    q: Any,
    w: Any,
    *,
    axis: AxisName,
    metric: Any,
    inverse: Any,
    depth: Any,
    fraction: Any,
    pressure: Any = None,
    advection: Any = None,
    advected: Any = None,
    dt: Any = None,
    flows_on: Any = None,
) -> Any:
    """Find what advection and the internal pressure do to the transport of a layer.

    Args:
        above: Of the layer above: momentum that passes down, the sum of what is found, and what
            'pressure' needs.
        explicit: Gets it [m²/s²].
        p: Transport along the axis [m²/s].
        q: The other one [m²/s].
        w: Velocity through the lower faces of layers [m/s].
        axis: 'x' for p at U points, 'y' for V points.
        metric: Lengths.
        inverse: 1 / depth at these points [1/m].
        depth: Depth there [m].
        fraction: Of a layer.
        pressure: See 'internal_pressure'; None if the density is everywhere the same.
        advection: Fluxes of momentum, as 'vertically_integrated.upstream'; None for none.
        advected: Velocities advected for a macro step, see 'velocity_advection', in place of
            'advection'; None if they are not.
        dt: Macro step [s].
        flows_on: See 'Axis.going_on'.
    """
    a = Axis(axis)
    passing_down, total, *handed = above
    terms: Any = 0.0
    if pressure is not None:
        handed, terms = pressure(handed, a, metric.inverse_distance(axis), depth * fraction)
    passing = passing_down
    u = p * (inverse * (1.0 / fraction))
    if advected is not None:
        terms = terms + advected.gain(u, fraction, dt)
    if advection is not None:
        through = a.mean(w)
        passing = through * hc.where(through > 0.0, hc.at(u, z=-1), u)
        moved = (a.going_on(p, flows_on), q, a.going_on(u, flows_on))
        terms = terms - advection(*moved, a, metric) - (passing_down - passing)
    if metric.turns and (advection is not None or advected is not None):
        terms = terms + curvature(p, q, inverse * (1.0 / fraction), a, metric)
    explicit[...] = terms
    return (passing, total + terms, *handed)


@hc.sweep("z+")
def friction_of_bed(
    below: Any,
    p: Any,
    q: Any,
    *,
    axis: AxisName,
    drag: Any,
    inverse: Any,
    other_inverse: Any,
    depth: Any,
    fraction: Any,
    other_fraction: Any,
) -> Any:
    """Find the drag of the bed on the lowest layer, on which this is to run.

    Args:
        below: Not looked at.
        p: Transport along the axis [m²/s].
        q: The other one [m²/s].
        axis: 'x' for p at U points, 'y' for V points.
        drag: See 'drag'.
        inverse: 1 / depth [1/m].
        other_inverse: The same at the other velocity points [1/m].
        depth: Depth [m].
        fraction: Of a layer.
        other_fraction: The same at the other velocity points.

    Returns:
        Stress over velocity [m/s], and the stress over the density [m²/s²].
    """
    u = p * (inverse * (1.0 / fraction))
    v = Axis(axis).crossing(q * (other_inverse * (1.0 / other_fraction)))
    rate = drag(depth * fraction, hc.sqrt(u * u + v * v))
    return rate, rate * u


@hc.sweep("z+")
def sizes_of_flows(below: Any, p: Any, q: Any, *, axis: AxisName, flows_on: Any = None) -> Any:
    """Sum how much flows through layers, whichever way; see 'Sizes'.

    Args:
        below: The sums of the layers below [m²/s].
        p: Transport along the axis [m²/s].
        q: The other one [m²/s].
        axis: 'x' for p at U points, 'y' for V points.
        flows_on: See 'Axis.going_on'.
    """
    a = Axis(axis)
    along, across = below
    return along + abs(a.in_cell(a.going_on(p, flows_on))), across + abs(a.mean(q))


@hc.kernel
def slow_terms(
    forcing: Any,
    slow_drag: Any,
    U: Any,
    V: Any,
    total: Any,
    stress_of_bed: Any,
    inverse: Any,
    other_inverse: Any,
    depth: Any,
    *,
    axis: AxisName,
    metric: Any,
    drag: Any,
    sizes: Any,
    advection: Any = None,
    advected: Any = None,
    dt: Any = None,
    wind: Any = None,
    flows_on: Any = None,
) -> None:
    """Find what the layers add to the vertically integrated mode during the next macro step.

    Args:
        forcing: Gets the wind, and what advection and pressure of layers do beyond the advection
            of the mean transport [m²/s²].
        slow_drag: Drag of the bed on the lowest layer beyond that on the mean [m²/s²].
        U: Mean transport of the macro step along the axis [m²/s].
        V: The other one [m²/s].
        total: Sum of 'explicit_terms' [m²/s²].
        stress_of_bed: See 'friction_of_bed' [m²/s²].
        inverse: 1 / depth [1/m].
        other_inverse: The same at the other velocity points [1/m].
        depth: Depth [m].
        axis: 'x' for U points, 'y' for V points.
        metric: Lengths.
        drag: Of the mean, see 'drag'.
        sizes: Of the flows of layers, see 'vertically_integrated.upstream'.
        advection: Of the mean, see 'vertically_integrated.momentum'.
        advected: The mean velocity advected for a macro step; None if it is not.
        dt: Macro step [s].
        wind: Stress over the density [m²/s²].
        flows_on: See 'Axis.going_on'.
    """
    a = Axis(axis)
    u, v = U * inverse, a.crossing(V * other_inverse)
    terms = total
    if advection is not None:
        moved = (a.going_on(U, flows_on), V, a.going_on(u, flows_on))
        terms = terms + advection(*moved, a, metric, sizes)
    if advected is not None:
        terms = terms - advected.gain(u, 1.0, dt)
    if metric.turns and (advection is not None or advected is not None):
        terms = terms - curvature(U, V, inverse, a, metric)
    if wind is not None:
        terms = terms + wind
    forcing[...] = terms
    slow_drag[...] = stress_of_bed - drag(depth, hc.sqrt(u * u + v * v)) * u


@hc.kernel
def begin(zeta_before: Any, zeta: Any, U: Any, V: Any) -> None:
    """Keep the elevation with which a macro step begins.

    Args:
        zeta_before: Gets it [m].
        zeta: Elevation [m].
        U: Mean transport, set to 0 [m²/s].
        V: Mean transport, set to 0 [m²/s].
    """
    zeta_before[...] = zeta
    U[...] = 0.0
    V[...] = 0.0
