"""Open boundaries: cells whose elevation comes from the sea beyond them.

Velocity points between two open cells copy what is next to them inside the domain. Nothing crosses
the outer faces of open cells; only momentum is advected there, where the current beyond is given,
as if these had the current of the inner faces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.apps.ocean.numerics.axis import EAST, SOUTH, WEST, Axis
from halocline.apps.ocean.physics.constants import GRAVITY
from halocline.apps.ocean.physics.tides import tide

if TYPE_CHECKING:
    from halocline.apps.ocean.numerics.axis import AxisName


@hc.kernel
def clamped(
    zeta: Any, bed: Any, *, waves: Any, given: Any = None, time: Any, ramp: Any, drying: Any
) -> None:
    """Give the elevation.

    Args:
        zeta: Elevation [m].
        bed: Depth below the mean level [m].
        waves: See 'prescribed'.
        given: See 'prescribed'.
        time: Of the elevation [s].
        ramp: See 'prescribed'.
        drying: Depths.
    """
    zeta[...] = hc.maximum(prescribed(waves, given, time, ramp), drying.least - bed)


@hc.kernel
def radiating(
    beyond: Any, zeta: Any, bed: Any, outward: Any, *, metric: Any, drying: Any, dt: Any
) -> None:
    """Let waves leave at the speed of long waves (Sommerfeld).

    Args:
        beyond: Gets the new elevation of open cells [m].
        zeta: Elevation [m].
        bed: Depth below the mean level [m].
        outward: See 'inner'.
        metric: Lengths.
        drying: Depths.
        dt: Step [s].
    """
    depth = hc.maximum(zeta + bed, drying.least)
    along_x = hc.where(outward <= EAST, 1.0, 0.0)
    distance = along_x * metric.inverse_distance("x") + (1.0 - along_x) * metric.inverse_distance(
        "y"
    )
    share = hc.minimum(dt * hc.sqrt(GRAVITY * depth) * distance, 1.0)
    beyond[...] = hc.maximum(zeta - share * (zeta - inner(zeta, outward)), drying.least - bed)


@hc.kernel
def without_gradient(beyond: Any, zeta: Any, bed: Any, outward: Any, *, drying: Any) -> None:
    """Continue the elevation of the cell inside.

    Args:
        beyond: Gets the new elevation of open cells [m].
        zeta: Elevation [m].
        bed: Depth below the mean level [m].
        outward: See 'inner'.
        drying: Depths.
    """
    beyond[...] = hc.maximum(inner(zeta, outward), drying.least - bed)


@hc.kernel
def flather(
    zeta: Any,
    bed: Any,
    outward: Any,
    U: Any,
    V: Any,
    *,
    waves: Any,
    given: Any = None,
    current: Any = None,
    time: Any,
    ramp: Any,
    drying: Any,
) -> None:
    """Give the elevation, and let through what the current shows of other waves (Flather 1976).

    Args:
        zeta: Elevation [m].
        bed: Depth below the mean level [m].
        outward: See 'inner'.
        U: Transport [m²/s].
        V: Transport [m²/s].
        waves: See 'prescribed'.
        given: See 'prescribed'.
        current: Out of the domain, that of the sea beyond, as 'given'; None for none [m/s].
        time: Of the elevation [s].
        ramp: See 'prescribed'.
        drying: Depths.
    """
    depth = hc.maximum(zeta + bed, drying.least)
    surplus = leaving(U, V, outward)
    if current is not None:
        surplus = surplus - depth * prescribed((), current, time, ramp)
    level = prescribed(waves, given, time, ramp) + surplus / hc.sqrt(GRAVITY * depth)
    zeta[...] = hc.maximum(level, drying.least - bed)


def inner(value: Any, outward: Any, away: int = 1) -> Any:
    """Return the value of a cell inwards of an open cell.

    Args:
        value: Of cells.
        outward: WEST, EAST, SOUTH or NORTH in open cells.
        away: How many cells inwards; below 0 outwards.
    """
    along_y = hc.where(outward == SOUTH, hc.at(value, y=away), hc.at(value, y=-away))
    along_x = hc.where(outward == WEST, hc.at(value, x=away), hc.at(value, x=-away))
    return hc.where(outward <= EAST, along_x, along_y)


def leaving(U: Any, V: Any, outward: Any) -> Any:
    """Return the transport from the cell inside the domain into an open cell.

    Args:
        U: Transport [m²/s].
        V: Transport [m²/s].
        outward: See 'inner'.
    """
    along_y = hc.where(outward == SOUTH, -hc.at(V, y=1), V)
    return hc.where(outward == WEST, -hc.at(U, x=1), hc.where(outward == EAST, U, along_y))


def prescribed(waves: Any, given: Any, time: Any, ramp: Any) -> Any:
    """Return the elevation of the sea beyond, or another number of it.

    Args:
        waves: Frequency, cosine and sine of each wave, one after the other, see 'tides'.
        given: More of it: what it has at the begin and at the end of a macro step [m], and which
            part of the step has passed; None for none.
        time: Of the elevation [s].
        ramp: Time in which it grows from nothing; None for no time [s].
    """
    of_each = [tuple(waves[n : n + 3]) for n in range(0, len(waves), 3)]
    level = tide(of_each, time)
    if given is not None:
        begin, end, passed = given
        level = level + begin + passed * (end - begin)
    return ramped(level, time, ramp)


def ramped(value: Any, time: Any, ramp: Any) -> Any:
    """Return what has become at a time of a value that grows from nothing, see 'prescribed'."""
    return value if ramp is None else value * hc.minimum(time / ramp, 1.0)


@hc.kernel
def inside(value: Any, transport: Any, inward: Any, *, axis: AxisName) -> None:
    """Find what a velocity point between two open cells is to copy.

    Args:
        value: Gets it [m²/s].
        transport: U or V [m²/s].
        inward: See 'Domain.inward'.
        axis: 'x' for U, 'y' for V.
    """
    a = Axis(axis)
    value[...] = hc.where(inward == 1, a(transport, 0, -1), a(transport, 0, 1))


@hc.kernel
def copy(target: Any, source: Any) -> None:
    """Assign what another field has."""
    target[...] = source


@hc.kernel
def clear(value: Any) -> None:
    """Assign nothing."""
    value[...] = 0.0


@hc.kernel
def brought(value: Any, tracer: Any, outward: Any, p: Any, q: Any, *, beyond: Any) -> None:
    """Find what open cells have: where water comes in that of the sea beyond, else what leaves.

    Args:
        value: Gets it.
        tracer: Of layers.
        outward: See 'inner'.
        p: Transport of layers [m²/s].
        q: Transport of layers [m²/s].
        beyond: A number, or a field of layers.
    """
    value[...] = hc.where(leaving(p, q, outward) > 0.0, inner(tracer, outward), beyond)


@hc.kernel
def relax(tracer: Any, weight: Any, *, beyond: Any) -> None:
    """Draw a tracer to that of the sea beyond (flow relaxation).

    Args:
        tracer: Of layers.
        weight: See 'Domain.sponge'.
        beyond: What it is there, a number, or a field of layers.
    """
    tracer[...] = tracer + weight * (beyond - tracer)


@hc.kernel
def relax_layers(
    p: Any, weight: Any, mean: Any, depth: Any, shear: Any, *, fraction: Any, time: Any, ramp: Any
) -> None:
    """Draw the transports of layers to those of the sea beyond; their sum stays the mean current's.

    Args:
        p: Of layers, along an axis [m²/s].
        weight: See 'SeaCurrent'.
        mean: Their sum [m²/s].
        depth: At these points [m].
        shear: Velocity beyond less its mean over the depth [m/s].
        fraction: Of the depth that a layer takes.
        time: Of the velocity [s].
        ramp: See 'prescribed'.
    """
    beyond = fraction * (mean + depth * ramped(shear, time, ramp))
    p[...] = p + weight * (beyond - p)


@hc.kernel
def mix_outermost(
    outermost: Any,
    tracer: Any,
    outward: Any,
    inwards: Any,
    p: Any,
    q: Any,
    depth: Any,
    *,
    beyond: Any,
    fraction: Any,
    weights: tuple[float, ...],
    relaxation: Any,
) -> None:
    """Find what open cells have: the sea beyond, and the mean of the sponge inwards of them.

    Args:
        outermost: Gets it.
        tracer: Of layers.
        outward: See 'inner'.
        inwards: How many cells inwards are water.
        p: Transport of layers [m²/s].
        q: Transport of layers [m²/s].
        depth: Of cells [m].
        beyond: A number, or a field of layers.
        fraction: Of the depth that a layer takes.
        weights: Of the cells inwards in the mean, the next one first.
        relaxation: Shares of the sea beyond, see 'Relaxation'.

    Source: GETM, bdy_3d.F90 of version 2.5 (temporal relaxation).
    """
    counted = [
        (hc.where(inwards >= away, weight, 0.0), inner(tracer, outward, away))
        for away, weight in enumerate(weights, start=1)
    ]
    total = sum(weight for weight, _ in counted)
    mean = sum(weight * value for weight, value in counted) / hc.maximum(total, weights[-1])
    speed = -leaving(p, q, outward) / (depth * fraction)
    share = hc.where(inwards > 0, relaxation.share(speed), 1.0)
    outermost[...] = mean + share * (beyond - mean)


@hc.kernel
def relax_to_outermost(
    tracer: Any, weight: Any, outermost: Any, outward: Any, away: Any, *, width: int
) -> None:
    """Draw a tracer in a sponge to that of its open cell.

    Args:
        tracer: Of layers.
        weight: See 'Domain.sponge'.
        outermost: The value of open cells.
        outward: On which side the open cell of a cell lies.
        away: How many cells that is.
        width: Of the sponge [cells].
    """
    target = outermost
    for cells in range(1, width):
        target = hc.where(away == cells, inner(outermost, outward, -cells), target)
    tracer[...] = tracer + weight * (target - tracer)
