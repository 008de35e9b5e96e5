"""The velocity points of an axis: their fields, and where the transport through them is stepped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.apps.ocean.numerics.held import held
from halocline.apps.ocean.numerics.regions import region_of
from halocline.apps.ocean.physics import open_boundaries as opened
from halocline.apps.ocean.setup.domain import ALONG, BESIDE, CLOSED, INNER
from halocline.apps.ocean.state.advected_velocity import AdvectedVelocity, advected_velocity
from halocline.frozen import Frozen

if TYPE_CHECKING:
    import halocline as hc
    from halocline.apps.ocean.numerics.axis import AxisName
    from halocline.apps.ocean.setup.setup import Setup
    from halocline.apps.ocean.state.fields import Fields
    from halocline.language.grids.fields import Field
    from halocline.language.steps.steps import Step


class PointsAlong(Frozen, eq=False):
    """Velocity points between two open cells, which copy the transport beside them.

    Attributes:
        axis: 'x' for U points, 'y' for V points.
        inward: See 'Domain.inward'.
        inside: Holds what is copied, of the surface.
        where: The points.
    """

    axis: AxisName
    inward: Field
    inside: Field
    where: Field | hc.Box

    def copy_from_inside(self, transport: Field, inside: Field) -> tuple[Step, ...]:
        """Return the steps that copy.

        Args:
            transport: At these points, of the surface or of layers.
            inside: Holds what is copied.
        """
        return (
            opened.inside(inside, transport, self.inward, axis=self.axis, on=self.where),
            opened.copy(transport, inside, on=self.where),
        )


class VelocityPoints(Frozen, eq=False):
    """The fields at the velocity points of an axis.

    Attributes:
        axis: 'x' for U points, 'y' for V points.
        transport: Through them [m²/s].
        transport_new: After a micro step [m²/s]. Steps write it before they read it, but at closed
            faces, where it is 0: diagnostics may pass through its halo.
        velocity: Mean over the depth [m/s].
        bed: Depth below the mean level [m].
        stepped: Where the transport is stepped.
        where_stepped: The same, a box if it is one.
        still: Where it is not, for velocities that are advected; None if they are not.
        coriolis: f at U points, -f at V points: a number, a field, or None.
        flowing: Where water may flow; None for everywhere. A mask spares land, and costs messages:
            what it leaves as it is may be read.
        along: The points between two open cells; None if there are none.
        advected: The velocity, advected in steps of its own; None if it is not.
    """

    axis: AxisName
    transport: Field
    transport_new: Field
    velocity: Field
    bed: Field
    stepped: Field
    where_stepped: Field | hc.Box
    still: Field | None
    coriolis: Any
    flowing: Field | None
    along: PointsAlong | None
    advected: AdvectedVelocity | None

    @property
    def location(self) -> str:
        """Of their fields."""
        return f"{self.axis}_face"


def velocity_points(fields: Fields, setup: Setup, axis: AxisName) -> VelocityPoints:
    """Return the velocity points of an axis, with their first values."""
    domain, location, name = setup.domain, f"{axis}_face", {"x": "U", "y": "V"}[axis]
    faces = domain.faces(axis)
    is_stepped = (faces == INNER) | (faces == BESIDE)

    def mask(what: str, points: Any) -> Field:
        return fields.surface(f"{what}_{name}", location, points, dtype="bool")

    transport = fields.surface(name, location, unit="m2 s-1")
    transport_new = fields.surface(f"{name}_new", location)
    velocity = fields.surface(name.lower(), location, unit="m s-1")
    velocity.limits(*setup.limits.velocity)
    bed = fields.surface(f"bed_{name}", location, domain.face_bed(axis), unit="m")
    stepped = mask("stepped", is_stepped)
    return VelocityPoints(
        axis,
        transport,
        transport_new,
        velocity,
        bed,
        stepped,
        region_of(is_stepped, stepped),
        still=mask("still", ~is_stepped) if setup.has_velocity_steps else None,
        coriolis=_coriolis(fields, setup, axis),
        flowing=None if domain.is_wet.all() else mask("flowing", faces != CLOSED),
        along=_points_along(fields, setup, axis, name) if (faces == ALONG).any() else None,
        advected=advected_velocity(transport) if setup.has_velocity_steps else None,
    )


def _points_along(fields: Fields, setup: Setup, axis: AxisName, name: str) -> PointsAlong:
    location, points = f"{axis}_face", setup.domain.inward(axis)
    inward = fields.surface(f"inward_{name}", location, points, dtype="int8")
    inside = fields.surface(f"inside_{name}", location)
    return PointsAlong(axis, inward, inside, region_of(points != 0, inward))


def _coriolis(fields: Fields, setup: Setup, axis: AxisName) -> Any:
    """Return f at U points, -f at V points: a number, a field, or None for no rotation."""
    f = (1.0 if axis == "x" else -1.0) * setup.domain.coriolis(axis)
    if np.ndim(f) == 0:
        return f or None
    return held(fields.grid, f"coriolis_{axis}", f, f"{axis}_face", fields.dtype, "s-1")
