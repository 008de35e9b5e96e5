"""What is seen of every ocean: elevation and velocity of cells, volume and energy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import halocline as hc
from halocline.apps.ocean.barotropic.vertically_integrated import GRAVITY, velocity
from halocline.apps.ocean.diagnostics.coordinates import velocity_names
from halocline.apps.ocean.numerics.axis import Axis
from halocline.apps.ocean.physics.equation_of_state import REFERENCE_DENSITY
from halocline.io.quantity import Integral, Quantity

if TYPE_CHECKING:
    from halocline.apps.ocean.model import Model
    from halocline.language.steps.steps import Step


class Seen(NamedTuple):
    """What is seen of an ocean.

    Attributes:
        quantities: Elevation and velocity, missing (NaN) on land.
        integrals: Volume and energy; on land there is neither.
        refresh: Brings up to date what these read.
    """

    quantities: tuple[Quantity, ...]
    integrals: tuple[Integral, ...]
    refresh: tuple[Step, ...]


def seen_of(model: Model) -> Seen:
    """Return what is seen of an ocean."""
    names = (f"barotropic_{name}" for name in velocity_names(model))
    level, u, v = (
        shown_in_cells(
            model, name, seen, unit, standard_name, vector="velocity" if name in "uv" else ""
        )
        for name, seen, unit, standard_name in (
            ("zeta", "surface", "m", "sea_surface_height_above_geoid"),
            *zip("uv", ("eastward", "northward"), ("m s-1", "m s-1"), names, strict=True),
        )
    )
    at_u, at_v = model.free.values()
    is_seen = model.grid.field("seen", axes="xy", dtype="bool")
    is_seen.set(model.setup.domain.is_wet)
    drying = model.setup.drying
    return Seen(
        (level, u, v),
        (_volume(model), _energy(model)),
        (
            velocity(at_u, model.U, model.zeta, model.bed_u, axis="x", drying=drying),
            velocity(at_v, model.V, model.zeta, model.bed_v, axis="y", drying=drying),
            show(level.of_grid, u.of_grid, v.of_grid, model.zeta, at_u, at_v, on=is_seen),
        ),
    )


def shown_in_cells(
    model: Model,
    name: str,
    seen: str,
    unit: str,
    standard_name: str,
    *,
    vector: str = "",
    axes: str = "xy",
) -> Quantity:
    """Return a quantity of cells that is missing on land.

    Args:
        model: The ocean.
        name: Of the quantity.
        seen: Name of its field.
        unit: Of its values.
        standard_name: Of the table of CF conventions.
        vector: Of which it is a component; '' for none.
        axes: Of the field: 'xy', or 'xyz' for layers.
    """
    made = model.grid.field(seen, axes=axes, dtype=str(model.zeta.dtype))
    missing = np.where(model.setup.domain.is_wet, 0.0, np.nan)
    made.set(missing if axes == "xy" else np.broadcast_to(missing[..., None], made.grid.extent))
    return Quantity(
        name,
        made,
        unit=unit,
        description=standard_name.replace("_", " "),
        vector=vector,
        standard_name=standard_name,
    )


@hc.kernel
def show(level: Any, east: Any, north: Any, zeta: Any, u: Any, v: Any) -> None:
    """Bring elevation and velocity to the middle of cells.

    Args:
        level: Gets the elevation [m].
        east: Gets the velocity along x, mean over the depth [m/s].
        north: The same along y.
        zeta: Elevation [m].
        u: Velocity at U points [m/s].
        v: Velocity at V points [m/s].
    """
    level[...] = zeta
    east[...] = Axis("x").in_cell(u)
    north[...] = Axis("y").in_cell(v)


def _volume(model: Model) -> Integral:
    area = model.metric.dx * model.metric.dy
    volume = hc.sum((model.zeta + model.bed) * area)
    return Integral("volume", volume, unit="m3", description="volume of the water")


def _energy(model: Model) -> Integral:
    """Return the energy, the kinetic one at low faces of cells: outermost faces are closed."""
    zeta, metric, face_depth = model.zeta, model.metric, model.setup.drying.face_depth
    squares_u = model.U * model.U / face_depth(zeta, model.bed_u, Axis("x"))
    squares_v = model.V * model.V / face_depth(zeta, model.bed_v, Axis("y"))
    # Dry beds above the mean level are where water has no energy to give.
    of_cells = GRAVITY * (zeta * zeta - hc.minimum(model.bed, 0.0) ** 2) + squares_u
    energy = of_cells * (metric.dx * metric.dy) + squares_v * (metric.dx_v * metric.dy)
    return Integral(
        "energy",
        hc.sum(energy),
        0.5 * REFERENCE_DENSITY,
        "J",
        "potential energy over that at rest, and kinetic energy",
    )
