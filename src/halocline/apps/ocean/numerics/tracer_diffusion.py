"""Horizontal diffusion of tracers along layers, by eddies that the grid does not resolve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.apps.ocean.numerics.tracer_flow import faces_of

if TYPE_CHECKING:
    from halocline.apps.ocean.numerics.metric import Metric
    from halocline.apps.ocean.numerics.tracer_flow import Flow


@hc.kernel
def diffuse(
    *, tracers: Any, diffused: Any, flow: Flow, metric: Metric, dt: Any, diffusivity: Any
) -> None:
    """Spread tracers along x and y, explicitly: through faces flows A_T h dc/dx.

    Faces are as thick as the thinner of the cells beside. So diffusion makes no new extremum over
    any bed where A_T dt (1 / dx² + 1 / dy²) is at most 1/2; nothing goes into land.

    Args:
        tracers: Before.
        diffused: After.
        flow: Its depths after the step.
        metric: Edge lengths.
        dt: Step [s].
        diffusivity: A_T [m²/s].
    """
    for c, c_new in zip(tracers, diffused, strict=True):
        gained = 0.0
        for axis in "xy":
            faces = faces_of(axis, flow, metric, dt)
            depth = hc.minimum(flow.after, faces.below(flow.after))
            conductance, _ = metric.through(axis, diffusivity * metric.inverse_distance(axis))
            gained = gained + faces.outflow(conductance * depth * faces.difference(c))
        c_new[c_new.here] = c + dt / flow.after * gained
