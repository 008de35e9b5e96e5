"""The state of the surface: elevation, bed, and the velocity points of both axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import halocline as hc
from halocline.apps.ocean.numerics.metric import as_fields
from halocline.apps.ocean.numerics.regions import region_of
from halocline.apps.ocean.numerics.turning import turning
from halocline.apps.ocean.physics.drag import LogarithmicDrag
from halocline.apps.ocean.setup.arguments import in_cells
from halocline.apps.ocean.setup.domain import WATER
from halocline.apps.ocean.state.fields import Fields
from halocline.apps.ocean.state.velocity_points import VelocityPoints, velocity_points
from halocline.frozen import Frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from halocline.apps.ocean.numerics.metric import Metric
    from halocline.apps.ocean.numerics.turning import Turning
    from halocline.apps.ocean.setup.domain import Domain
    from halocline.apps.ocean.setup.setup import Setup
    from halocline.language.grids.fields import Field


class Surface(Frozen, eq=False):
    """What is known of the water as a whole, between bed and surface.

    Attributes:
        setup: What the ocean is.
        fields: Makes more of them.
        metric: Lengths of cells.
        clock: Time within a macro step [s].
        zeta: Elevation [m].
        bed: Depth below the mean level [m].
        wet: Where elevations are stepped.
        where_wet: The same, a box if it is one.
        points: Velocity points, by axis.
        first_depth: Depth of cells at the beginning, 0 on land [m].
        transport_diffusivity: In cells, and at their south-west corners: numbers, or fields; None
            for none [m²/s].
        turning: Of x against east; None if it points there.
        flows_on: By axis, see 'Domain.flows_on'; None where no current beyond is given along it.
    """

    setup: Setup
    fields: Fields
    metric: Metric
    clock: hc.Parameter
    zeta: Field
    bed: Field
    wet: Field
    where_wet: Field | hc.Box
    points: Mapping[str, VelocityPoints]
    first_depth: NDArray[np.float64]
    transport_diffusivity: tuple[Any, Any] | None
    turning: Turning | None
    flows_on: Mapping[str, Field | None]

    @property
    def domain(self) -> Domain:
        """The bathymetry."""
        return self.setup.domain

    @property
    def drag(self) -> Any:
        """Of the bed; layers resolve the current above it."""
        drag = self.setup.drag
        is_resolved = self.setup.layers is not None and isinstance(drag, LogarithmicDrag)
        return drag._replace(viscosity=None) if is_resolved else drag

    def beside(self, axis: str) -> VelocityPoints:
        """Return the velocity points of the other axis."""
        return self.points["y" if axis == "x" else "x"]


def make_surface(setup: Setup) -> Surface:
    """Return the state of the surface at the beginning, on a new grid."""
    domain, deep = setup.domain, (setup.layers.count,) if setup.layers else ()
    grid = hc.Grid(
        (*domain.extent, *deep),
        periodic=(*domain.periodic, *(False for _ in deep)),
        spacing=(*domain.spacing, *(1.0 / n for n in deep)),
        origin=(*domain.origin, *(0.0 for _ in deep)),
    )
    fields = Fields(grid, setup.dtype)
    elevation, is_stepped = _first_elevation(setup), domain.cells == WATER
    metric = as_fields(grid, domain.metric, setup.dtype)
    bed = fields.surface("bed", values=domain.bed, unit="m")
    zeta = fields.surface("zeta", values=elevation, unit="m")
    low, high = setup.limits.elevation
    zeta.limits(low + min(0.0, elevation.min()), high + max(0.0, elevation.max()))
    wet = fields.surface("wet", values=is_stepped, dtype="bool")
    return Surface(
        setup,
        fields,
        metric,
        hc.Parameter(0.0, "clock"),
        zeta,
        bed,
        wet,
        region_of(is_stepped, wet),
        {axis: velocity_points(fields, setup, axis) for axis in ("x", "y")},
        domain.bed + elevation,
        _transport_diffusivity(fields, setup),
        turning(grid, domain.angle, setup.dtype),
        _flows_on(fields, setup),
    )


def _flows_on(fields: Fields, setup: Setup) -> Mapping[str, Field | None]:
    """Return where the sea beyond flows on; None where it is still, or nothing is advected."""
    domain = setup.domain
    is_given = setup.current is not None or setup.layer_current is not None
    axes = {line.axis for line in domain.open if is_given and setup.advection != "none"}
    if not axes:
        return {"x": None, "y": None}
    field = fields.surface("flows_on", values=domain.flows_on(), dtype="int8")
    return {axis: field if axis in axes else None for axis in ("x", "y")}


def _first_elevation(setup: Setup) -> NDArray[np.float64]:
    """Return the elevation at the beginning, nowhere below the least depth over the bed."""
    domain = setup.domain
    zeta = in_cells("zeta", setup.zeta, domain.is_wet)
    dry = np.where(domain.is_wet, setup.drying.least - domain.bed, 0.0)
    return np.where(domain.is_wet, np.maximum(zeta, dry), 0.0)


def _transport_diffusivity(fields: Fields, setup: Setup) -> tuple[Any, Any] | None:
    """Return it in cells, and at corners as the mean of the cells with water around them."""
    if not np.any(setup.transport_diffusivity):
        return None
    if np.ndim(setup.transport_diffusivity) == 0:
        return setup.transport_diffusivity, setup.transport_diffusivity
    domain = setup.domain
    of_cells = in_cells("transport_diffusivity", setup.transport_diffusivity, domain.is_wet)
    total, count = np.where(domain.is_wet, of_cells, 0.0), domain.is_wet.astype(float)
    for axis, closes in enumerate(domain.periodic):
        before = [np.roll(values, 1, axis) for values in (total, count)]
        if not closes:
            for values in before:
                np.moveaxis(values, axis, 0)[0] = 0.0
        total, count = total + before[0], count + before[1]
    at_corners = total / np.maximum(count, 1.0)
    return (
        fields.surface("transport_diffusivity", values=of_cells, unit="m2 s-1"),
        fields.surface("corner_diffusivity", values=at_corners, unit="m2 s-1"),
    )
