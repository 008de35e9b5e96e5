"""Diagnostics of the layers of an ocean: tracers and velocity of cells."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.apps.ocean.diagnostics.coordinates import velocity_names
from halocline.apps.ocean.diagnostics.surface import in_cells, shown_in_cells
from halocline.apps.ocean.physics.open_boundaries import copy
from halocline.apps.ocean.setup.domain import CLOSED

if TYPE_CHECKING:
    from halocline.apps.ocean.model import Model
    from halocline.io.quantity import Quantity
    from halocline.language.steps.steps import Step

# What CF calls tracers, and their units there: practical salinity is a pure number.
_TRACERS = {
    "temperature": ("sea_water_potential_temperature", "degC"),
    "salinity": ("sea_water_practical_salinity", "1"),
}


def layer_diagnostics(model: Model) -> tuple[tuple[Quantity, ...], tuple[Step, ...]]:
    """Return tracers and velocity of layers, missing (NaN) on land, and what updates them.

    Nothing of an ocean without layers.
    """
    layers, domain = model.layers, model.setup.domain
    if layers is None:
        return (), ()

    mask = partial(model.surface.fields.surface, dtype="bool")
    tracers = tuple(
        shown_in_cells(model, name, f"shown_{name}", unit, standard_name, axes="xyz")
        for name, (standard_name, unit) in _TRACERS.items()
        if name in layers.tracers_by_name
    ) + tuple(
        shown_in_cells(
            model,
            passive.name,
            f"shown_{passive.name}",
            passive.unit,
            description=passive.description or passive.name,
            axes="xyz",
        )
        for passive in model.setup.tracers
    )
    current = tuple(
        shown_in_cells(
            model,
            f"layer_{name}",
            f"shown_{name}",
            "m s-1",
            standard_name,
            vector="current",
            axes="xyz",
        )
        for name, standard_name in zip(
            ("eastward", "northward"), velocity_names(model), strict=True
        )
    )
    update = show_layers(
        *(columns.transport for columns in layers.columns.values()),
        *(of_axis.transport_new for of_axis in model.surface.points.values()),
        shown=tuple(quantity.field for quantity in (*tracers, *current)),
        tracers=layers.tracers,
        fractions=tuple(columns.fraction for columns in layers.columns.values()),
        turning=model.surface.turning,
        on=mask("shown_layers", values=domain.is_wet),
    )
    inverses = (
        copy(
            columns.points.transport_new,
            columns.inverse,
            on=mask(f"open_{axis}", columns.location, domain.faces(columns.axis) != CLOSED),
        )
        for axis, columns in layers.columns.items()
    )
    return (*tracers, *current), (*inverses, update)


@hc.kernel
def show_layers(
    p: Any,
    q: Any,
    inverse_u: Any,
    inverse_v: Any,
    *,
    shown: Any,
    tracers: Any,
    fractions: Any,
    turning: Any = None,
) -> None:
    """Bring tracers and velocity to where they are seen.

    Args:
        p: Transport of layers along x [m²/s].
        q: Along y [m²/s].
        inverse_u: One over the depth at U points [1/m].
        inverse_v: At V points [1/m].
        shown: Gets the tracers, and the velocity in the middle of cells along east and north, or
            along x and y without 'turning' [m/s].
        tracers: Of cells.
        fractions: Of a layer, at U points and at V points.
        turning: Of x against east; None if it points there.
    """
    *copies, east, north = shown
    for copied, tracer in zip(copies, tracers, strict=True):
        copied[...] = tracer
    u, v = p * inverse_u, q * inverse_v
    at_u, at_v = fractions
    east[...], north[...] = in_cells(u / at_u, v / at_v, turning)
