"""Advection of momentum: velocities are advected as tracers are, in cells around their points.

What flows through the faces of such a cell is the mean of what does so beside its point, and its
depth changes by that. A step in which nothing but this happens takes a velocity u in water of the
depth D to u' in D'. Momentum gains (D' u' - D u) / dt: the sum of all fluxes, so none is lost.

'UPSTREAM' with all directions at once needs none of this, see 'vertically_integrated.upstream'.

Source: Burchard & Bolding 2002 (GETM).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.apps.ocean.numerics.advection import Advection
from halocline.apps.ocean.numerics.axis import Axis
from halocline.apps.ocean.numerics.tracer_flow import Flow

if TYPE_CHECKING:
    from halocline.apps.ocean.numerics.axis import AxisName
    from halocline.apps.ocean.state.advected_velocity import AdvectedVelocity
    from halocline.apps.ocean.state.surface import Surface
    from halocline.apps.ocean.state.velocity_points import VelocityPoints
    from halocline.language.grids.fields import Field
    from halocline.language.steps.steps import Step


@hc.kernel
def begin(
    velocity: Any,
    before: Any,
    after: Any,
    u: Any,
    U: Any,
    V: Any,
    zeta: Any,
    bed: Any,
    *,
    axis: AxisName,
    metric: Any,
    drying: Any,
    dt: Any,
    flows_on: Any = None,
) -> None:
    """Begin to advect the velocity of the vertically integrated mode.

    Args:
        velocity: Gets the velocity [m/s].
        before: See 'AdvectedVelocity' [m].
        after: See 'AdvectedVelocity' [m].
        u: The velocity [m/s].
        U: Transport along the axis [m²/s].
        V: The other one [m²/s].
        zeta: Elevation [m].
        bed: Depth below the mean level at velocity points [m].
        axis: 'x' for U, 'y' for V.
        metric: Lengths.
        drying: Depths.
        dt: Step [s].
        flows_on: See 'Axis.going_on'.
    """
    velocity[...] = u
    depth, along = drying.face_depth(zeta, bed, Axis(axis)), Axis(axis).going_on(U, flows_on)
    before[...], after[...] = _depths(depth, along, V, axis, metric, drying, dt)


@hc.kernel
def begin_mean(
    velocity: Any,
    before: Any,
    after: Any,
    U: Any,
    V: Any,
    depth: Any,
    inverse: Any,
    *,
    axis: AxisName,
    metric: Any,
    drying: Any,
    dt: Any,
    flows_on: Any = None,
) -> None:
    """Begin to advect the mean velocity of layers, as these are advected for a macro step.

    Args:
        velocity: Gets the mean velocity [m/s].
        before: See 'AdvectedVelocity' [m].
        after: See 'AdvectedVelocity' [m].
        U: Sum of the transports of layers along the axis [m²/s].
        V: Of the other ones [m²/s].
        depth: At velocity points [m].
        inverse: 1 / depth [1/m].
        axis: 'x' for U, 'y' for V.
        metric: Lengths.
        drying: Depths.
        dt: Step [s].
        flows_on: See 'Axis.going_on'.
    """
    velocity[...] = U * inverse
    along = Axis(axis).going_on(U, flows_on)
    before[...], after[...] = _depths(depth, along, V, axis, metric, drying, dt)


@hc.kernel
def begin_layers(velocity: Any, p: Any, inverse: Any, *, fraction: Any) -> None:
    """Begin to advect the velocities of layers.

    Args:
        velocity: Gets them [m/s].
        p: Their transports [m²/s].
        inverse: 1 / depth [1/m].
        fraction: Of a layer.
    """
    velocity[...] = p * (inverse * (1.0 / fraction))


def _depths(
    depth: Any, U: Any, V: Any, axis: AxisName, metric: Any, drying: Any, dt: Any
) -> tuple[Any, Any]:
    """Return the depths before and after; that after is nowhere below the least one."""
    a = Axis(axis)
    lowering = dt * metric.divergence_of_momentum(a.in_cell(U), a.mean(V), a)
    after = hc.maximum(depth - lowering, drying.least)
    return after + lowering, after


def advect_velocity(
    advected: AdvectedVelocity,
    surface: Surface,
    points: VelocityPoints,
    transports: tuple[Field, Field],
    dt: float,
    *,
    first: AxisName,
    fraction: Any = 1,
    w: Field | None = None,
) -> tuple[Step, ...]:
    """Return the steps that advect a velocity, after it has begun.

    Args:
        advected: The velocity.
        surface: Of the water.
        points: Where the velocity is.
        transports: Through U and V points, of the surface or of layers [m²/s].
        dt: The step [s].
        first: Along which axis it is advected first, if directions take turns.
        fraction: Of each layer; 1 without layers.
        w: Velocity through lower faces of layers; None without layers [m/s].
    """
    scheme, splitting = surface.setup.velocity_advection(is_layered=w is not None)
    assert scheme != "none"
    cells = surface.wet if surface.domain.open else None
    u_is_here = points.axis == "x"
    flow = Flow(
        *transports,
        advected.before,
        advected.after,
        advected.after,
        advected.after,
        fraction,
        fraction,
        fraction,
        w,
        open_u=cells if u_is_here else points.flowing,
        open_v=points.flowing if u_is_here else cells,
        around=points.axis,
        least=surface.setup.drying.least,
        flows_on=surface.flows_on[points.axis],
    )
    advection = Advection(
        flow,
        surface.metric,
        dt,
        scheme=scheme,
        on=points.where_stepped,
        kept=points.still,
        first=first,
    )
    steps: tuple[Step, ...] = getattr(advection, splitting)(advected.velocity)
    return steps
