"""Advection of momentum: velocities are carried as tracers are, in cells around their points.

What flows through the faces of such a cell is the mean of what does so beside its point, and its
depth changes by that. A step in which nothing but this happens takes a velocity u in water of the
depth D to u' in D'. Momentum gains (D' u' - D u) / dt: the sum of all fluxes, so none is lost.

'UPSTREAM' with all directions at once needs none of this, see 'vertically_integrated.upstream'.

Source: Burchard & Bolding 2002 (GETM).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import halocline as hc
from halocline.apps.ocean.numerics.advection import Advection
from halocline.apps.ocean.numerics.axis import Axis
from halocline.apps.ocean.numerics.sides import bounded
from halocline.apps.ocean.numerics.tracer_flow import Flow

if TYPE_CHECKING:
    from halocline.apps.ocean.barotropic.external_mode import ExternalMode
    from halocline.apps.ocean.numerics.axis import AxisName
    from halocline.apps.ocean.numerics.limiters import MomentumScheme
    from halocline.apps.ocean.setup.setup import Setup, Splitting
    from halocline.apps.ocean.state.velocity_points import Points
    from halocline.language.grids.fields import Field
    from halocline.language.steps.steps import Step


def is_carried(setup: Setup) -> bool:
    """Return whether velocities are carried in steps of their own, in both modes alike."""
    ways = {_way(setup, is_layered=False), _way(setup, is_layered=setup.sigma is not None)}
    return setup.advection != "none" and ways != {("UPSTREAM", "unsplit")}


def _way(setup: Setup, *, is_layered: bool) -> tuple[MomentumScheme, Splitting]:
    """Return by which scheme and splitting the mean velocity, or that of layers, is carried."""
    same = setup.advection, setup.advection_splitting
    if not is_layered:
        return same
    own = setup.layer_advection, setup.layer_advection_splitting
    return own[0] or same[0], own[1] or same[1]


class Carried(NamedTuple):
    """A velocity along an axis, carried for a step.

    Attributes:
        velocity: In the end [m/s].
        before: Depth at its points before [m].
        after: In the end [m].
    """

    velocity: Field
    before: Field
    after: Field

    def gain(self, u: Any, fraction: Any, dt: Any) -> Any:
        """Return what the transport of a layer gains, in a kernel [m²/s²].

        Args:
            u: The velocity before [m/s].
            fraction: Of the layer.
            dt: The step [s].
        """
        return (self.after * self.velocity - self.before * u) * (fraction * (1.0 / dt))


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
) -> None:
    """Begin to carry the velocity of the vertically integrated mode.

    Args:
        velocity: Gets the velocity [m/s].
        before: See 'Carried' [m].
        after: See 'Carried' [m].
        u: The velocity [m/s].
        U: Transport along the axis [m²/s].
        V: The other one [m²/s].
        zeta: Elevation [m].
        bed: Depth below the mean level at velocity points [m].
        axis: 'x' for U, 'y' for V.
        metric: Lengths.
        drying: Depths.
        dt: Step [s].
    """
    velocity[...] = u
    depth = drying.face_depth(zeta, bed, Axis(axis))
    before[...], after[...] = _depths(depth, U, V, axis, metric, drying, dt)


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
) -> None:
    """Begin to carry the mean velocity of layers, as these are carried for a macro step.

    Args:
        velocity: Gets the mean velocity [m/s].
        before: See 'Carried' [m].
        after: See 'Carried' [m].
        U: Sum of the transports of layers along the axis [m²/s].
        V: Of the other ones [m²/s].
        depth: At velocity points [m].
        inverse: 1 / depth [1/m].
        axis: 'x' for U, 'y' for V.
        metric: Lengths.
        drying: Depths.
        dt: Step [s].
    """
    velocity[...] = U * inverse
    before[...], after[...] = _depths(depth, U, V, axis, metric, drying, dt)


@hc.kernel
def begin_layers(velocity: Any, p: Any, inverse: Any, *, fraction: Any) -> None:
    """Begin to carry the velocities of layers.

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


def fields_of(points: Points, like: Field) -> Carried:
    """Return the fields of what is carried: that of a transport, of the surface or of layers."""
    grid = like.grid

    def made(name: str, axes: str) -> Field:
        return grid.hidden_field(name, dtype=like.dtype, axes=axes, location=points.location)

    return Carried(
        bounded(made("carried", like.axes)),
        *(bounded(made(f"depth_{when}", "xy"), is_flow=False) for when in ("before", "after")),
    )


def carry(
    carried: Carried,
    mode: ExternalMode,
    points: Points,
    transports: tuple[Field, Field],
    dt: float,
    *,
    first: AxisName,
    fraction: Any = 1,
    w: Field | None = None,
) -> tuple[Step, ...]:
    """Return the steps that carry a velocity, after it has begun.

    Args:
        carried: The velocity.
        mode: The vertically integrated one.
        points: Where it is.
        transports: Through U and V points, of the surface or of layers [m²/s].
        dt: The step [s].
        first: Along which axis it is carried first, if directions take turns.
        fraction: Of each layer; 1 without layers.
        w: Velocity through lower faces of layers; None without layers [m/s].
    """
    setup = mode.setup
    scheme, splitting = _way(setup, is_layered=w is not None)
    assert scheme != "none"
    cells = mode.wet if mode.domain.open else None
    u_is_here = points.axis == "x"
    flow = Flow(
        *transports,
        carried.before,
        carried.after,
        carried.after,
        carried.after,
        fraction,
        w,
        open_u=cells if u_is_here else points.flowing,
        open_v=points.flowing if u_is_here else cells,
        around=points.axis,
        least=setup.drying.least,
    )
    advection = Advection(
        flow,
        mode.metric,
        dt,
        scheme=scheme,
        on=points.where_stepped,
        kept=points.still,
        first=first,
    )
    steps: tuple[Step, ...] = getattr(advection, splitting)(carried.velocity)
    return steps
