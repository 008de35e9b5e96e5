"""Rain and evaporation: fresh water that comes through the surface, or goes.

It is part of the highest layer first, which it dilutes. Then the faces between layers, which are
shares of the depth, move to where they are in the deeper water.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import halocline as hc
from halocline.apps.ocean.numerics.advection import fields_beside
from halocline.apps.ocean.physics.open_boundaries import copy

if TYPE_CHECKING:
    from halocline.apps.ocean.baroclinic.internal_mode import InternalMode
    from halocline.apps.ocean.barotropic.external_mode import ExternalMode
    from halocline.language.grids.fields import Field
    from halocline.language.steps.steps import Step


def rain_on(mode: ExternalMode) -> Field:
    """Return how fast rain raises the surface, found at the begin of each macro step [m/s]."""
    rain = mode.field("rain", "center", unit="m s-1")
    given = mode.from_outside("rain_given", mode.setup.rain)
    mode.weather.append(
        fall(rain, given, mode.zeta, mode.bed, drying=mode.setup.drying, on=mode.where_wet)
    )
    return rain


def mixed_into_layers(mode: InternalMode, tracers: tuple[Field, ...]) -> tuple[Step, ...]:
    """Return what rain does to tracers: it has no salt, and the temperature of the surface."""
    rain = mode.external.rain
    if rain is None:
        return ()
    nx, ny, levels = mode.grid.extent
    below = mode.grid.field("below", axes="z", dtype=mode.setup.dtype)
    below.set(np.cumsum(mode.fractions) - mode.fractions)
    given = {"fraction": mode.fraction, "least": mode.least, "dt": mode.dt}
    surface = (rain, mode.zeta_before, mode.external.bed)
    highest = hc.Box((0, 0, levels - 1), (nx, ny, levels))
    steps: list[Step] = []
    for tracer, moved in zip(tracers, fields_beside(tracers, "advected"), strict=True):
        if tracer.name == "salinity":
            steps.append(dilute(tracer, *surface, **given, on=highest))
        steps += [
            move_faces(moved, tracer, *surface, below=below, **given, on=mode.external.where_wet),
            copy(tracer, moved, on=mode.external.where_wet),
        ]
    return tuple(steps)


@hc.kernel
def fall(rain: Any, given: Any, zeta: Any, bed: Any, *, drying: Any) -> None:
    """Let rain fall; evaporation ends as water becomes shallow.

    Args:
        rain: Gets how fast it raises the surface [m/s].
        given: Rain, less what evaporates [m/s].
        zeta: Elevation [m].
        bed: Depth below the mean level [m].
        drying: Depths.
    """
    rain[...] = hc.where(given < 0.0, drying.factor(zeta + bed) * given, given)


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
