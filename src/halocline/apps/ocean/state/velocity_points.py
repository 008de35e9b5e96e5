"""The velocity points of an axis: their fields, and where the transport through them is stepped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halocline.apps.ocean.barotropic import momentum_advection
from halocline.apps.ocean.numerics.regions import region_of
from halocline.apps.ocean.physics import open_boundaries as opened
from halocline.apps.ocean.setup.domain import ALONG, BESIDE, CLOSED, INNER

if TYPE_CHECKING:
    from halocline.apps.ocean.barotropic.external_mode import ExternalMode
    from halocline.apps.ocean.numerics.axis import AxisName
    from halocline.language.grids.fields import Field
    from halocline.language.steps.steps import Step


class Points:
    """The fields at the velocity points of an axis.

    Args:
        mode: Of which.
        axis: 'x' for U points, 'y' for V points.
    """

    def __init__(self, mode: ExternalMode, axis: AxisName) -> None:
        self.axis = axis
        self.location = f"{axis}_face"
        domain, name = mode.domain, {"x": "U", "y": "V"}[axis]
        self.transport = mode.field(name, self.location, unit="m2 s-1")
        self.transport_new = mode.field(f"{name}_new", self.location)
        self.velocity = mode.field(name.lower(), self.location, unit="m s-1")
        self.bed = mode.field(f"bed_{name}", self.location, domain.face_bed(axis), unit="m")
        self.faces = domain.faces(axis)
        stepped = (self.faces == INNER) | (self.faces == BESIDE)
        self.stepped = mode.field(f"stepped_{name}", self.location, stepped, dtype="bool")
        self.where_stepped = region_of(stepped, self.stepped)
        self.still: Field | None = None
        if momentum_advection.is_carried(mode.setup):
            self.still = mode.field(f"still_{name}", self.location, ~stepped, dtype="bool")
        self.coriolis = _coriolis(mode, axis)
        # A mask spares land, and costs messages: what it leaves as it is may be read.
        self.flowing: Field | None = None
        if not domain.is_wet.all():
            flowing = self.faces != CLOSED
            self.flowing = mode.field(f"flowing_{name}", self.location, flowing, dtype="bool")
        if self.is_along:
            inward = domain.inward(axis)
            self.inward = mode.field(f"inward_{name}", self.location, inward, dtype="int8")
            self.where_along = region_of(inward != 0, self.inward)
            self.inside = mode.field(f"inside_{name}", self.location)

    @property
    def is_along(self) -> bool:
        """Whether some points lie between two open cells."""
        return bool((self.faces == ALONG).any())

    def copied_from_inside(self, transport: Field, value: Field) -> tuple[Step, ...]:
        """Return what lets points between two open cells have the transport beside them.

        Args:
            transport: At these points, of the surface or of layers.
            value: Holds what is copied.
        """
        return (
            opened.inside(value, transport, self.inward, axis=self.axis, on=self.where_along),
            opened.copy(transport, value, on=self.where_along),
        )


def _coriolis(mode: ExternalMode, axis: AxisName) -> Any:
    """Return f at U points, -f at V points: a number, a field of rows, or None for no rotation."""
    domain, sign = mode.domain, 1.0 if axis == "x" else -1.0
    if not domain.has_rows_of_f:
        return sign * domain.f or None
    location = "center" if axis == "x" else "y_face"
    rows = mode.grid.field(f"coriolis_{axis}", axes="y", location=location, dtype=mode.setup.dtype)
    rows.set(lambda y: sign * domain.coriolis(y))
    return rows
