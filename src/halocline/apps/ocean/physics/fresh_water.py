"""Fresh water: rain and evaporation through the surface, and rivers at all depths.

Rain is part of the highest layer first, which it dilutes. Then the faces between layers, which are
shares of the depth, move to where they are in the deeper water.
"""

from __future__ import annotations

from typing import Any

import halocline as hc


@hc.kernel
def fall(
    rain: Any, zeta: Any, bed: Any, *, given: Any, evaporation: Any = None, drying: Any
) -> None:
    """Let rain fall; evaporation ends as water becomes shallow.

    Args:
        rain: Gets how fast it raises the surface [m/s].
        zeta: Elevation [m].
        bed: Depth below the mean level [m].
        given: Rain, less what evaporates [m/s].
        evaporation: What evaporates beside that; None for nothing [m/s].
        drying: Depths.
    """
    net = given if evaporation is None else given - evaporation
    rain[...] = hc.where(net < 0.0, drying.factor(zeta + bed) * net, net)


@hc.kernel
def dilute(
    tracer: Any, rain: Any, zeta: Any, bed: Any, *, fraction: Any, least: float, dt: Any
) -> None:
    """Mix rain without a tracer into the highest layer.

    Args:
        tracer: Of that layer.
        rain: How fast it raises the surface [m/s].
        zeta: Elevation before it rains [m].
        bed: Depth below the mean level [m].
        fraction: Of the layer.
        least: No water is shallower [m].
        dt: Macro step [s].
    """
    thickness = fraction * hc.maximum(zeta + bed, least)
    tracer[...] = tracer * (thickness / (thickness + dt * rain))


@hc.kernel
def move_faces(
    moved: Any,
    tracer: Any,
    rain: Any,
    zeta: Any,
    bed: Any,
    *,
    below: Any,
    fraction: Any,
    least: float,
    dt: Any,
) -> None:
    """Find tracers of layers whose faces have moved with the surface, since it has rained.

    Rain raises a face by the share of the depth that lies below it: what was above becomes part of
    the layer below. Evaporation lowers faces.

    Args:
        moved: Gets the tracer of layers.
        tracer: Before.
        rain: How fast it raises the surface [m/s].
        zeta: Elevation before it rains [m].
        bed: Depth below the mean level [m].
        below: Share of the depth that lies below a layer, a profile.
        fraction: Of a layer.
        least: No water is shallower [m].
        dt: Macro step [s].
    """
    raised = dt * rain
    # Beyond bed and surface tracers go on as they are, so that nothing comes from there.
    from_above = (below + fraction) * hc.maximum(raised, 0.0) * (hc.at(tracer, z=1) - tracer)
    from_below = below * hc.maximum(-raised, 0.0) * (hc.at(tracer, z=-1) - tracer)
    thickness = fraction * (hc.maximum(zeta + bed, least) + raised)
    moved[...] = tracer + (from_above + from_below) / thickness


@hc.kernel
def pour(fresh: Any, *, rate: Any) -> None:
    """Say how fast rivers raise a cell.

    Args:
        fresh: Gets it [m/s].
        rate: A number, or a series of numbers [m/s].
    """
    fresh[...] = rate


@hc.kernel
def mix(tracer: Any, fresh: Any, before: Any, *, value: Any, dt: Any) -> None:
    """Mix the water of a river into a column, before it flows away.

    Args:
        tracer: Of layers.
        fresh: How fast the river raises the cell [m/s].
        before: Depth with the river's water, before all else flows [m].
        value: The river's tracer, a number, or a series of numbers.
        dt: Macro step [s].
    """
    # What is taken away is as the cell is.
    tracer[...] = tracer + (dt * hc.maximum(fresh, 0.0) / before) * (value - tracer)
