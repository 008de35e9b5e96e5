"""Advection: the steps in which the transports of layers advect tracers.

A fractional step of dt changes the thickness h of a cell to h', and its tracer c to c':

    h' = h - dt div F,    h' c' = h c - dt div (F c̃),    so    c' = c - dt / h' div (F (c̃ - c)).

The last form is what is computed. A constant stays what it is, bit by bit; and of thicknesses only
that after the step is needed, which follows from the depths before and after the whole sequence and
from what has flowed since. None is stored or sent, and the last one is the new one.

Limited schemes keep tracers between their neighbours in each fractional step, as long as Courant
numbers are below 1 and water at faces is no deeper than in the cells beside.

Source: Pietrzak 1998; Burchard and Bolding 2002 (GETM); Zalesak 1979.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import halocline as hc
from halocline.apps.ocean.numerics.flux_correction import correct, limit
from halocline.apps.ocean.numerics.sides import bounded
from halocline.apps.ocean.numerics.tracer_diffusion import diffuse
from halocline.apps.ocean.numerics.tracer_flow import (
    SubstepTime,
    faces_of,
    layer_faces,
    on_control_volumes,
    thickness_of,
)
from halocline.frozen import Frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from halocline.apps.ocean.numerics.axis import AxisName
    from halocline.apps.ocean.numerics.limiters import Scheme
    from halocline.apps.ocean.numerics.metric import Metric
    from halocline.apps.ocean.numerics.tracer_flow import Flow
    from halocline.language.grids.fields import Field
    from halocline.language.steps.steps import Step


# The ways of 'Advection' to split steps along x, y and z.
Splitting = Literal["strang", "full", "unsplit", "flux_corrected"]
# What flows along an axis, by its name in 'SubstepTime'.
_FLOWS: Mapping[AxisName, str] = {"x": "p", "y": "q"}


@hc.kernel
def advect(
    *,
    axes: str,
    tracers: Any,
    advected: Any,
    flow: Flow,
    time: SubstepTime,
    metric: Metric,
    dt: Any,
    scheme: Scheme,
) -> None:
    """Advect tracers along one axis, or along several at once.

    Of 'flow' a field comes by position, too, because a kernel needs one.
    """
    flow, metric = on_control_volumes(flow, metric)
    weight = dt / thickness_of(time, flow, metric)
    for c, c_new in zip(tracers, advected, strict=True):
        outflow = 0.0
        for axis in axes:
            faces = faces_of(axis, flow, metric, dt)
            outflow = outflow + faces.upstream(c) + faces.outflow(faces.correction(c, scheme))
        c_new[c_new.here] = c - weight * outflow


@hc.kernel
def hold(*, tracers: Any, others: Any) -> None:
    """Let other fields have the values of tracers."""
    for c, other in zip(tracers, others, strict=True):
        other[...] = c


@hc.sweep("z+")
def advect_up(
    below: Any,
    w: Any,
    *,
    tracers: Any,
    advected: Any,
    flow: Flow,
    time: SubstepTime,
    metric: Metric,
    dt: Any,
    scheme: Scheme,
) -> Any:
    """Advect tracers through the faces of layers; what passes one is made once and handed on.

    No more than a whole layer passes a face; what is left of larger w 'eliminate' advects upstream,
    implicitly: conservative and stable for any w.

    Args:
        below: What came through the lower faces beyond the value upstream.
        w: Of 'flow'.
        tracers: Before.
        advected: After.
        flow: The flow.
        time: Before the step.
        metric: Edge lengths.
        dt: Time step [s].
        scheme: One of 'SCHEMES'.
    """
    flow, metric = on_control_volumes(flow._replace(w=w), metric)
    faces = layer_faces(flow._replace(w=_explicit(flow, dt)), dt)
    thickness = thickness_of(time, flow, metric) - dt * faces.outflow(faces.flow)
    above = tuple(faces.above(faces.correction(c, scheme)) for c in tracers)
    for c, c_new, lower, upper in zip(tracers, advected, below, above, strict=True):
        c_new[c_new.here] = c - dt / thickness * (faces.upstream(c) + (upper - lower))
    return above


def _explicit(flow: Flow, dt: Any) -> Any:
    """Return the part of w with which nothing passes a whole layer within a step."""
    return flow.w / hc.maximum(1.0, layer_faces(flow, dt).courant)


@hc.sweep("z+")
def eliminate(
    below: Any,
    ratio: Any,
    *,
    tracers: Any,
    flow: Flow,
    time: SubstepTime,
    metric: Metric,
    dt: Any,
) -> Any:
    """Begin what the rest of w does, implicitly and upstream: c[k] = ratio[k] c[k + 1] + rest[k].

    Nothing is subtracted, so tracers stay between their least and their largest value.

    Args:
        below: What is left of 1 without the ratio, and the rests.
        ratio: See above; rests are where tracers were.
        tracers: After the explicit part.
        flow: The flow.
        time: The end.
        metric: Edge lengths.
        dt: Time step [s].
    """
    flow, metric = on_control_volumes(flow, metric)
    kept, *rests = below
    swift = flow.w - _explicit(flow, dt)
    # What follows from implicit fluxes is divided by the thickness before them.
    ended = thickness_of(time, flow, metric)
    weight = dt / (ended + dt * (hc.at(swift, z=1) - swift))
    if flow.inner is not None:  # what comes from beyond the last face is as it is there
        swift = hc.where(flow.inner, swift, 0.0)
    from_below = weight * hc.maximum(swift, 0.0)
    from_above = weight * hc.maximum(-hc.at(swift, z=1), 0.0)
    own = 1.0 + from_below * kept
    pivot = 1.0 / (own + from_above)
    ratio[0, 0, 0] = from_above * pivot
    rests = [(c + from_below * rest) * pivot for c, rest in zip(tracers, rests, strict=True)]
    for c, rest in zip(tracers, rests, strict=True):
        c[0, 0, 0] = rest
    return (own * pivot, *rests)


@hc.sweep("z-")
def substitute(above: Any, ratio: Any, *, tracers: Any) -> Any:
    """End what 'eliminate' has begun."""
    values = [rest + ratio * value for rest, value in zip(tracers, above, strict=True)]
    for c, value in zip(tracers, values, strict=True):
        c[0, 0, 0] = value
    return tuple(values)


class Advection(Frozen):
    """Tracers advected by a flow: each method returns the steps of one way to do it.

    Attributes:
        flow: The flow; what it is when the steps are done counts.
        metric: Edge lengths of cells.
        dt: Time step, a number or a parameter [s].
        scheme: One of 'SCHEMES'.
        on: Cells with water, if not all.
        kept: Cells beside them whose tracers stay as they are, as at open boundaries.
        first: Which of x and y comes first where both do not come at once.
    """

    flow: Flow
    metric: Metric
    dt: Any
    scheme: Scheme = "P2_PDM"
    on: Any = None
    kept: Any = None
    first: AxisName = "x"

    def strang(self, *tracers: Field) -> tuple[Step, ...]:
        """Return half a step along x, half along y, one along z, then y and x again (HALF).

        Without z: half along x, one along y, half along x. With y 'first' these change places.
        """
        half, (first, second) = 0.5 * self.dt, self._order
        flow = _FLOWS[first]
        if self.flow.w is None:
            return (
                *self._hold(tracers, "advected"),
                *self._along(first, tracers, half, SubstepTime("before", **{flow: half})),
                *self._along(second, tracers, self.dt, SubstepTime("after", **{flow: -half})),
                *self._along(first, tracers, half, SubstepTime("after")),
            )
        # By the middle of z layers have changed by half of what they will. So steps along y need
        # nothing of p, which is not sent for them.
        back = SubstepTime("middle", w=half, **{_FLOWS[second]: half})
        return (
            *self._hold(tracers, "advected"),
            *self._along(first, tracers, half, SubstepTime("before", **{flow: half})),
            *self._along(second, tracers, half, SubstepTime("middle", w=-half)),
            *self._up(tracers, "middle", half),
            *self._along(second, tracers, half, back),
            *self._along(first, tracers, half, SubstepTime("after")),
        )

    def full(self, *tracers: Field) -> tuple[Step, ...]:
        """Return a step along x, or 'first' along y, one along the other, one along z (FULL)."""
        dt, (first, second) = self.dt, self._order
        return (
            *self._hold(tracers, "advected"),
            *self._along(first, tracers, dt, SubstepTime("before", **{_FLOWS[first]: dt})),
            *self._along(second, tracers, dt, self._before_w()),
            *self._up(tracers, "after", 0.0),
        )

    def unsplit(self, *tracers: Field) -> tuple[Step, ...]:
        """Return one step along all axes at once (NOSPLIT).

        Corners are not accounted for: even limited schemes make new extrema, 'UPSTREAM' apart.
        """
        axes = "xy" if self.flow.w is None else "xyz"
        step = self._along(axes, tracers, self.dt, SubstepTime("after"))
        return (*self._hold(tracers, "advected"), *step)

    def flux_corrected(self, *tracers: Field) -> tuple[Step, ...]:
        """Return a step along x and y at once that makes no new extremum, then one along z (FCT).

        Source: Zalesak 1979.
        """
        low, gains, losses = (fields_beside(tracers, name) for name in ("low", "gain", "loss"))
        for field in (*low, *gains, *losses):
            bounded(field, is_flow=False)
        advected = fields_beside(tracers, "advected")
        arguments = {
            "axes": "xy",
            "tracers": tracers,
            "flow": self.flow,
            "time": self._before_w(),
            "metric": self.metric,
            "dt": self.dt,
            "on": self.on,
        }
        limits = {"low": low, "gains": gains, "losses": losses, "scheme": self.scheme, **arguments}
        return (
            *self._hold(tracers, "advected"),
            *self._hold(tracers, "low"),
            advect(advected=low, scheme="UPSTREAM", **arguments),
            limit(**limits),
            correct(advected=advected, **limits),
            *map(hc.swap, tracers, advected),
            *self._up(tracers, "after", 0.0),
        )

    def diffused(self, *tracers: Field, diffusivity: float) -> tuple[Step, ...]:
        """Return a step of horizontal diffusion, after those of advection [m²/s]."""
        others = fields_beside(tracers, "advected")
        step = diffuse(
            tracers=tracers,
            diffused=others,
            flow=self.flow,
            metric=self.metric,
            dt=self.dt,
            diffusivity=diffusivity,
            on=self.on,
        )
        return (*self._hold(tracers, "advected"), step, *map(hc.swap, tracers, others))

    @property
    def _order(self) -> tuple[AxisName, AxisName]:
        return ("x", "y") if self.first == "x" else ("y", "x")

    def _hold(self, tracers: tuple[Field, ...], name: str) -> tuple[Step, ...]:
        """Return what gives fields beside tracers those of cells that nothing steps."""
        if self.kept is None:
            return ()
        return (hold(tracers=tracers, others=fields_beside(tracers, name), on=self.kept),)

    def _before_w(self) -> SubstepTime:
        """Return the end of a step along x and y, before that along z."""
        return SubstepTime("after", w=None if self.flow.w is None else -self.dt)

    def _along(
        self, axes: str, tracers: tuple[Field, ...], dt: Any, end: SubstepTime
    ) -> tuple[Step, ...]:
        """Return a step along x or y, or along several axes at once."""
        advected = fields_beside(tracers, "advected")
        step = advect(
            axes=axes,
            tracers=tracers,
            advected=advected,
            flow=self.flow,
            time=end,
            metric=self.metric,
            dt=dt,
            scheme=self.scheme,
            on=self.on,
        )
        return (step, *map(hc.swap, tracers, advected))

    def _up(self, tracers: tuple[Field, ...], base: str, end: Any) -> tuple[Step, ...]:
        """Return a step along z, which ends so long after a base; none in two dimensions."""
        if self.flow.w is None:
            return ()
        advected = fields_beside(tracers, "advected")
        (ratio,) = fields_beside(tracers[:1], "ratio")
        nothing = (0.0,) * len(tracers)
        arguments = {"tracers": tracers, "flow": self.flow, "metric": self.metric, "on": self.on}
        begun, ended = SubstepTime(base, w=end - self.dt), SubstepTime(base, w=end)
        return (
            *advect_up(
                self.flow.w,
                advected=advected,
                time=begun,
                dt=self.dt,
                scheme=self.scheme,
                start=nothing,
                **arguments,
            ),
            *map(hc.swap, tracers, advected),
            *eliminate(ratio, time=ended, dt=self.dt, start=(0.0, *nothing), **arguments),
            *substitute(ratio, tracers=tracers, start=nothing, on=self.on),
        )


def fields_beside(tracers: tuple[Field, ...], name: str) -> tuple[Field, ...]:
    """Return a field of some name beside each tracer, for a while; 'advected' to swap with it."""
    return tuple(
        c.grid.hidden_field(f"{name}_{number}", dtype=c.dtype, axes=c.axes, location=c.location)
        for number, c in enumerate(tracers)
    )
