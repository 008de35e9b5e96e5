"""The upward velocity of the water in layers, which themselves rise, fall and slope."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.apps.ocean.numerics.axis import Axis
from halocline.apps.ocean.numerics.sides import bounded

if TYPE_CHECKING:
    from halocline.apps.ocean.model import Model
    from halocline.language.grids.fields import Field
    from halocline.language.steps.steps import Step


def upward_velocity(model: Model, target: Field) -> tuple[Step, ...]:
    """Return the steps that find the upward velocity in the middles of layers [m/s].

    Open cells have none, since the flow through their outer faces is unknown.

    Args:
        model: The ocean; it has layers.
        target: Gets it.

    Source: Burchard & Bolding 2002, section on the vertical velocity for output.
    """
    layers, surface = model.layers, model.surface
    assert layers is not None
    # Also on land and beyond the domain: a flow of 0 is multiplied by it. Hidden fields get
    # the halos that these steps need; other fields have those of the time step.
    height, rise = (
        bounded(model.grid.hidden_field(f"middle_{name}", dtype=surface.fields.dtype, axes="xyz"))
        for name in ("height", "rise")
    )
    return (
        find_middles(
            *(height, rise, layers.before, layers.after, surface.bed),
            below=surface.fields.shares("below_middle", layers.below_middles),
            dt=model.setup.macro_step,
        ),
        *follow_water(
            *(target, height, rise, layers.w, layers.after),
            *(columns.transport for columns in layers.columns.values()),
            fraction=layers.fraction,
            metric=surface.metric,
            start=0.0,
            on=surface.where_wet,
        ),
    )


@hc.kernel
def find_middles(
    height: Any, rise: Any, before: Any, after: Any, bed: Any, *, below: Any, dt: Any
) -> None:
    """Find where the middles of layers are, and how fast they rise.

    Args:
        height: Gets the height over the mean level [m].
        rise: Gets the velocity [m/s].
        before: Depth before the last macro step [m].
        after: After it [m].
        bed: Depth below the mean level [m].
        below: Share of the depth below the middle.
        dt: Macro step [s].
    """
    height[...] = after * below - bed
    rise[...] = below * ((after - before) * (1.0 / dt))


@hc.sweep("z-")
def follow_water(
    above: Any,
    target: Any,
    height: Any,
    rise: Any,
    w: Any,
    after: Any,
    p: Any,
    q: Any,
    *,
    fraction: Any,
    metric: Any,
) -> Any:
    """Find dz/dt of the water: with its layer, along the slope of this, and through its faces.

    Args:
        above: Velocity through the upper face of a layer [m/s].
        target: Gets dz/dt in the middle of layers [m/s].
        height: Of the middles of layers [m].
        rise: How fast these rise [m/s].
        w: Velocity through the lower faces of layers [m/s].
        after: Depth of the water [m].
        p: Transport of layers along x [m²/s].
        q: Along y [m²/s].
        fraction: Of a layer.
        metric: Lengths.
    """
    carried = metric.divergence(p * Axis("x").mean(height), q * Axis("y").mean(height))
    along = carried - height * metric.divergence(p, q)
    below = w[w.here]
    target[target.here] = rise + along / (after * fraction) + 0.5 * (below + above)
    return below
