"""Diagnostics of every ocean: elevation and velocity of cells, volume and energy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import halocline as hc
from halocline.apps.ocean.barotropic.vertically_integrated import velocity
from halocline.apps.ocean.diagnostics.coordinates import velocity_names
from halocline.apps.ocean.numerics.axis import Axis
from halocline.apps.ocean.physics.constants import GRAVITY
from halocline.apps.ocean.physics.equation_of_state import REFERENCE_DENSITY
from halocline.io.quantity import Integral, Quantity

if TYPE_CHECKING:
    from halocline.apps.ocean.model import Model
    from halocline.apps.ocean.numerics.turning import Turning
    from halocline.language.steps.steps import Step


class Diagnostics(NamedTuple):
    """What is read off an ocean.

    Attributes:
        quantities: Elevation and velocity, missing (NaN) on land.
        refresh: Brings up to date what these read.
    """

    quantities: tuple[Quantity, ...]
    refresh: tuple[Step, ...]


def surface_diagnostics(model: Model) -> Diagnostics:
    """Return elevation and velocity of cells."""
    names = (f"barotropic_{name}" for name in velocity_names(model))
    level, u, v = (
        shown_in_cells(
            model, name, field, unit, standard_name, vector="velocity" if name in "uv" else ""
        )
        for name, field, unit, standard_name in (
            ("zeta", "surface", "m", "sea_surface_height_above_geoid"),
            *zip("uv", ("eastward", "northward"), ("m s-1", "m s-1"), names, strict=True),
        )
    )
    points = model.surface.points.values()
    at_u, at_v = (of_axis.transport_new for of_axis in points)
    is_shown = model.surface.fields.surface("shown", values=model.setup.domain.is_wet, dtype="bool")
    return Diagnostics(
        (level, u, v),
        (
            *(
                velocity(
                    of_axis.transport_new,
                    of_axis.transport,
                    model.zeta,
                    of_axis.bed,
                    axis=of_axis.axis,
                    drying=model.setup.drying,
                )
                for of_axis in points
            ),
            show(
                *(level.of_grid, u.of_grid, v.of_grid, model.zeta, at_u, at_v),
                turning=model.surface.turning,
                on=is_shown,
            ),
        ),
    )


def surface_integrals(model: Model) -> tuple[Integral, ...]:
    """Return volume and energy; on land there is neither."""
    return _volume(model), _energy(model)


def shown_in_cells(
    model: Model,
    name: str,
    field: str,
    unit: str,
    standard_name: str = "",
    *,
    description: str = "",
    vector: str = "",
    axes: str = "xy",
    location: str = "center",
) -> Quantity:
    """Return a quantity of cells that is missing on land.

    Args:
        model: The ocean.
        name: Of the quantity.
        field: Name of its field.
        unit: Of its values.
        standard_name: Of the table of CF conventions; '' if that has none.
        description: One phrase; '' for the words of the standard name.
        vector: Of which it is a component; '' for none.
        axes: Of the field: 'xy', or 'xyz' for layers.
        location: Where in a cell its values lie.
    """
    stored = model.grid.field(field, axes=axes, location=location, dtype=str(model.zeta.dtype))
    domain = model.setup.domain
    is_there = domain.with_water(location)
    missing = np.where(is_there, 0.0, np.nan)
    stored.set(missing if axes == "xy" else np.broadcast_to(missing[..., None], stored.space.shape))
    return Quantity(
        name,
        stored,
        unit=unit,
        description=description or standard_name.replace("_", " "),
        vector=vector,
        standard_name=standard_name,
    )


@hc.kernel
def show(
    level: Any, east: Any, north: Any, zeta: Any, u: Any, v: Any, *, turning: Any = None
) -> None:
    """Bring elevation and velocity to the middle of cells.

    Args:
        level: Gets the elevation [m].
        east: Gets the velocity along east, or along x without 'turning', mean over depth [m/s].
        north: The same along north, or along y.
        zeta: Elevation [m].
        u: Velocity at U points [m/s].
        v: Velocity at V points [m/s].
        turning: Of x against east; None if it points there.
    """
    level[...] = zeta
    east[...], north[...] = in_cells(u, v, turning)


def in_cells(u: Any, v: Any, turning: Turning | None) -> tuple[Any, Any]:
    """Return a vector of velocity points in the middle of cells, along east and north."""
    x, y = Axis("x").in_cell(u), Axis("y").in_cell(v)
    return (x, y) if turning is None else turning.to_east(x, y)


def _volume(model: Model) -> Integral:
    volume = hc.sum((model.zeta + model.bed) * model.metric.area)
    return Integral("volume", volume, unit="m3", description="volume of the water")


def _energy(model: Model) -> Integral:
    """Return the energy, the kinetic one at low faces of cells: outermost faces are closed."""
    zeta, metric, face_depth = model.zeta, model.metric, model.setup.drying.face_depth
    squares_u = model.U * model.U / face_depth(zeta, model.surface.points["x"].bed, Axis("x"))
    squares_v = model.V * model.V / face_depth(zeta, model.surface.points["y"].bed, Axis("y"))
    # Dry beds above the mean level are where water has no energy to give.
    of_cells = GRAVITY * (zeta * zeta - hc.minimum(model.bed, 0.0) ** 2)
    at_u, at_v = (
        squares * metric.area_around(axis)
        for squares, axis in ((squares_u, Axis("x")), (squares_v, Axis("y")))
    )
    energy = of_cells * metric.area + at_u + at_v
    return Integral(
        "energy",
        hc.sum(energy),
        0.5 * REFERENCE_DENSITY,
        "J",
        "potential energy over that at rest, and kinetic energy",
    )
