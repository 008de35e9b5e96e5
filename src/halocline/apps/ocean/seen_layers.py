"""What is seen of the layers of an ocean: tracers and velocity of cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import halocline as hc
from halocline.apps.ocean.coordinates import velocity_names
from halocline.apps.ocean.domain import CLOSED
from halocline.apps.ocean.open_boundaries import copy
from halocline.io.quantity import Quantity

if TYPE_CHECKING:
    from halocline.apps.ocean.model import Model
    from halocline.language.grids.fields import Field
    from halocline.language.steps.steps import Step

# What CF calls tracers, and their units there: practical salinity is a pure number.
_TRACERS = {
    "temperature": ("sea_water_potential_temperature", "degC"),
    "salinity": ("sea_water_practical_salinity", "1"),
}


def seen_layers(model: Model) -> tuple[tuple[Quantity, ...], tuple[Step, ...]]:
    """Return tracers and velocity of layers, missing (NaN) on land, and what updates them.

    Nothing of an ocean without layers.
    """
    layers, is_wet = model.layers, model.setup.domain.is_wet
    if layers is None:
        return (), ()
    missing = np.where(is_wet, 0.0, np.nan)[..., np.newaxis]

    def field(name: str, values: Any, dtype: Any, **kind: Any) -> Field:
        made = model.grid.field(name, dtype=str(dtype), **kind)
        made.set(values)
        return made

    def shown(name: str, standard_name: str, unit: str, vector: str = "") -> Quantity:
        values = np.broadcast_to(missing, model.grid.extent)
        made = field(f"shown_{name}", values, model.zeta.dtype)
        return Quantity(
            f"layer_{name}" if vector else name,
            made,
            unit=unit,
            description=standard_name.replace("_", " "),
            vector=vector,
            standard_name=standard_name,
        )

    tracers = tuple(shown(tracer.name, *_TRACERS[tracer.name]) for tracer in layers.tracers)
    current = tuple(
        shown(name, standard_name, "m s-1", "current")
        for name, standard_name in zip(
            ("eastward", "northward"), velocity_names(model), strict=True
        )
    )
    update = show_layers(
        *(columns.transport for columns in layers.columns.values()),
        *model.free.values(),
        shown=tuple(quantity.field for quantity in (*tracers, *current)),
        tracers=layers.tracers,
        fraction=layers.fraction,
        on=field("seen_layers", is_wet, "bool", axes="xy"),
    )
    inverses = (
        copy(
            model.free[axis],
            columns.inverse,
            on=field(
                f"open_{axis}",
                columns.points.faces != CLOSED,
                "bool",
                axes="xy",
                location=columns.location,
            ),
        )
        for axis, columns in layers.columns.items()
    )
    return (*tracers, *current), (*inverses, update)


@hc.kernel
def show_layers(
    p: Any, q: Any, inverse_u: Any, inverse_v: Any, *, shown: Any, tracers: Any, fraction: Any
) -> None:
    """Bring tracers and velocity to where they are seen.

    Args:
        p: Transport of layers along x [m²/s].
        q: Along y [m²/s].
        inverse_u: One over the depth at U points [1/m].
        inverse_v: At V points [1/m].
        shown: Gets the tracers, and the velocity along x and y in the middle of cells [m/s].
        tracers: Of cells.
        fraction: Of a layer.
    """
    *copies, east, north = shown
    for copied, tracer in zip(copies, tracers, strict=True):
        copied[...] = tracer
    u, v = p * inverse_u, q * inverse_v
    east[...] = 0.5 * (u + hc.at(u, x=1)) / fraction
    north[...] = 0.5 * (v + hc.at(v, y=1)) / fraction
