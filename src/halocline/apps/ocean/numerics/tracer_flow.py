"""The flow that advects tracers and velocities, and what kernels know of it at cell faces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import halocline as hc
from halocline.apps.ocean.numerics.axis import Axis
from halocline.apps.ocean.numerics.limiters import SCHEMES

if TYPE_CHECKING:
    from halocline.apps.ocean.numerics.axis import AxisName
    from halocline.apps.ocean.numerics.limiters import Scheme
    from halocline.apps.ocean.numerics.metric import Metric
    from halocline.language.grids.fields import Field


class Flow(NamedTuple):
    """A flow that advects tracers.

    A layer is a fraction of the water's depth; depths are without z.

    Beyond the sides of the domain depths, fractions and tracers go on as they are ('hc.Neumann()');
    the outermost faces are closed.

    Attributes:
        p: Transport through a metre of west faces, of each layer; 0 at a coast [m²/s].
        q: Through south faces.
        before: Depth before the step [m].
        after: After it: before - dt div of the sums of p and q over layers [m].
        depth_u: Depth at U points, for Courant numbers [m].
        depth_v: At V points.
        fraction: Of each layer; 1 in two dimensions.
        fraction_u: At U points, as 'depth_u'.
        fraction_v: At V points.
        w: Velocity through moving lower faces, 0 at bed and surface [m/s].
        open_u: Whether there is water on both sides of west faces; None if there is no land.
        open_v: Of south faces.
        around: Of velocities, which are advected as tracers are, in control volumes around their
            points: 'x' for U points. Depths are those of these points then, and of 'open_u' and
            'open_v' the one along the axis tells which cells are water, the other one at which
            points it flows. Of turbulence: 'z', around the faces of layers.
        inner: Of turbulence, at which faces of layers it is stepped; beyond them it is as at the
            last one.
        least: No column counts as shallower [m].
        flows_on: Of velocities, see 'Axis.going_on'.
    """

    p: Field
    q: Field
    before: Field
    after: Field
    depth_u: Field
    depth_v: Field
    fraction: Any = 1
    fraction_u: Any = 1
    fraction_v: Any = 1
    w: Any = None
    open_u: Any = None
    open_v: Any = None
    around: AxisName | Literal["z"] | None = None
    inner: Any = None
    least: Any = None
    flows_on: Any = None


class SubstepTime(NamedTuple):
    """A time within a step, at which layers have some thickness.

    Attributes:
        base: Where they have a known one: 'before' or 'after' the step; 'middle' is their mean.
        p: For how long p has flowed since; negative before that, None if not at all [s].
        q: Likewise.
        w: Likewise.
    """

    base: str
    p: Any = None
    q: Any = None
    w: Any = None


class Faces(NamedTuple):
    """What is known of the faces across an axis, in a kernel: of those on the lower sides of cells.

    Attributes:
        axis: The axis.
        flow: Through a face; times 'inverse', for each area of the cell [m/s].
        inverse: What lengths of faces are divided by.
        courant: Courant numbers.
        is_open: Whether there is water on both sides; None if there is everywhere.
    """

    axis: str
    flow: Any
    inverse: Any
    courant: Any
    is_open: Any

    def above(self, value: Any) -> Any:
        """Return a value of the face or the cell that comes next."""
        return hc.at(value, **{self.axis: 1})

    def below(self, value: Any) -> Any:
        """Return a value of the face or the cell before."""
        return hc.at(value, **{self.axis: -1})

    def outflow(self, flux: Any) -> Any:
        """Return what flows out of a cell, less what flows in [m/s]."""
        return (self.above(flux) - flux) * self.inverse

    def difference(self, c: Any) -> Any:
        """Return what a tracer gains across a face; across a closed one nothing."""
        difference = c - self.below(c)
        return difference if self.is_open is None else hc.where(self.is_open, difference, 0.0)

    def beside(self, c: Any) -> tuple[Any, Any]:
        """Return the values of the cells before and after, that of the cell across closed faces."""
        before, after = self.below(c), self.above(c)
        if self.is_open is None:
            return before, after
        return (
            hc.where(self.is_open, before, c),
            hc.where(self.above(self.is_open), after, c),
        )

    def upstream(self, c: Any) -> Any:
        """Return the outflow of F (c_u - c), c_u upstream of a face and c in the cell itself."""
        # Only what flows in differs from the cell.
        inward, difference = hc.maximum(self.flow, 0.0), self.difference(c)
        back = self.above(hc.minimum(self.flow, 0.0) * difference)
        return (back + inward * difference) * self.inverse

    def correction(self, c: Any, scheme: Scheme) -> Any:
        """Return the flux F (c̃ - c_u), by which a scheme improves on the value upstream."""
        ahead = self.difference(c)
        behind = hc.where(self.flow > 0.0, self.below(ahead), self.above(ahead))
        # Against the axis all three differences have the other sign.
        return abs(self.flow) * SCHEMES[scheme](ahead, behind, self.courant)


def on_control_volumes(flow: Flow, metric: Metric) -> tuple[Flow, Metric]:
    """Return flow and lengths of the control volumes of what is advected, in a kernel.

    Through the faces of cells around velocity points flows the mean of what does so beside them.
    """
    if flow.around is None:
        return flow, metric
    if flow.around == "z":
        return _around_faces(flow), metric
    along = Axis(flow.around)
    is_x = along.name == "x"
    cells, points = (flow.open_u, flow.open_v) if is_x else (flow.open_v, flow.open_u)
    middle = None if cells is None else along(cells, -1)
    corner = None if points is None else points & along(points, 0, -1)
    moved = flow._replace(
        p=along.mean(along.going_on(flow.p, flow.flows_on) if is_x else flow.p),
        q=along.mean(flow.q if is_x else along.going_on(flow.q, flow.flows_on)),
        w=None if flow.w is None else along.mean(flow.w),
        depth_u=Axis("x").mean(flow.depth_u),
        depth_v=Axis("y").mean(flow.depth_v),
        fraction_u=Axis("x").mean(flow.fraction_u),
        fraction_v=Axis("y").mean(flow.fraction_v),
        open_u=middle if is_x else corner,
        open_v=corner if is_x else middle,
    )
    return moved, metric.around(along)


def _around_faces(flow: Flow) -> Flow:
    """Return a flow as cells around the faces of layers see it: means of the layers beside."""

    def mean(value: Any) -> Any:
        return 0.5 * (hc.at(value, z=-1) + value)

    of_layers = ("p", "q", "fraction", "fraction_u", "fraction_v", "w")
    means = {name: mean(getattr(flow, name)) for name in of_layers}
    return flow._replace(**means, inner=hc.at(flow.inner, z=-1) & flow.inner)


def faces_of(axis: str, flow: Flow, metric: Metric, dt: Any) -> Faces:
    """Return the faces across an axis."""
    if axis == "z":
        return layer_faces(flow, dt)
    if axis == "x":
        courant = abs(flow.p) * (dt / (flow.fraction_u * metric.width("x", "u"))) / flow.depth_u
        return Faces(axis, *metric.through(axis, flow.p), courant, flow.open_u)
    courant = abs(flow.q) * (dt / (flow.fraction_v * metric.width("y", "v"))) / flow.depth_v
    return Faces(axis, *metric.through(axis, flow.q), courant, flow.open_v)


def layer_faces(flow: Flow, dt: Any) -> Faces:
    """Return the faces between layers."""
    distance = 0.5 * (hc.at(flow.fraction, z=-1) + flow.fraction)
    courant = abs(flow.w) * (dt / distance) * (1.0 / (0.5 * (flow.before + flow.after)))
    return Faces("z", flow.w, 1.0, courant, flow.inner)


def thickness_of(time: SubstepTime, flow: Flow, metric: Metric) -> Any:
    """Return how thick layers are [m]."""
    depth = {
        "before": flow.before,
        "middle": 0.5 * (flow.before + flow.after),
        "after": flow.after,
    }[time.base]
    thickness = flow.fraction * depth
    for axis, seconds in zip("xyz", time[1:], strict=True):
        if seconds is not None:
            faces = faces_of(axis, flow, metric, 1.0)
            thickness = thickness - seconds * faces.outflow(faces.flow)
    if flow.least is not None:
        thickness = hc.maximum(thickness, flow.fraction * flow.least)
    return thickness
