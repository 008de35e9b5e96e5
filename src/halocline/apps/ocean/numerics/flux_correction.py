"""Flux-corrected transport: as much of a correction of high order as makes no new extremum.

Source: Zalesak 1979.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.apps.ocean.numerics.tracer_flow import faces_of, on_control_volumes, thickness_of

if TYPE_CHECKING:
    from halocline.apps.ocean.numerics.limiters import Scheme
    from halocline.apps.ocean.numerics.metric import Metric
    from halocline.apps.ocean.numerics.tracer_flow import Flow, SubstepTime


@hc.kernel
def limit(
    *,
    axes: str,
    tracers: Any,
    low: Any,
    gains: Any,
    losses: Any,
    flow: Flow,
    time: SubstepTime,
    metric: Metric,
    dt: Any,
    scheme: Scheme,
) -> None:
    """Find the parts of all corrections that a cell can gain and lose without a new extremum."""
    flow, metric = on_control_volumes(flow, metric)
    weight = dt / thickness_of(time, flow, metric)
    for c, c_low, gain, loss in zip(tracers, low, gains, losses, strict=True):
        highest, lowest = hc.maximum(c, c_low), hc.minimum(c, c_low)
        into, out = 0.0, 0.0
        for axis in axes:
            faces = faces_of(axis, flow, metric, dt)
            correction = faces.correction(c, scheme)
            up, down = hc.maximum(correction, 0.0), hc.minimum(correction, 0.0)
            into = into + (up - faces.above(down)) * faces.inverse
            out = out + (faces.above(up) - down) * faces.inverse
            for value in (c, c_low):
                for beside in faces.beside(value):
                    highest, lowest = hc.maximum(highest, beside), hc.minimum(lowest, beside)
        # Where nothing comes the quotient is no number, and the minimum is 1.
        gain[gain.here] = hc.minimum(1.0, (highest - c_low) / (weight * into))
        loss[loss.here] = hc.minimum(1.0, (c_low - lowest) / (weight * out))


@hc.kernel
def correct(
    *,
    axes: str,
    tracers: Any,
    low: Any,
    gains: Any,
    losses: Any,
    advected: Any,
    flow: Flow,
    time: SubstepTime,
    metric: Metric,
    dt: Any,
    scheme: Scheme,
) -> None:
    """Add to the solution of low order of each correction the part that both its cells allow."""
    flow, metric = on_control_volumes(flow, metric)
    weight = dt / thickness_of(time, flow, metric)
    fields = zip(tracers, low, gains, losses, advected, strict=True)
    for c, c_low, gain, loss, c_new in fields:
        outflow = 0.0
        for axis in axes:
            faces = faces_of(axis, flow, metric, dt)
            correction = faces.correction(c, scheme)
            along, against = (
                hc.minimum(faces.below(loss), gain),
                hc.minimum(faces.below(gain), loss),
            )
            part = hc.where(correction > 0.0, along, against)
            outflow = outflow + faces.outflow(part * correction)
        c_new[c_new.here] = c_low - weight * outflow
