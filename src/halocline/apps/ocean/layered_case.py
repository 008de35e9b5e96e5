"""What the cases of oceans with layers have in common: what is shown of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

import halocline as hc
from halocline.apps.ocean.ocean_case import OceanCase, OceanProblem
from halocline.io.quantity import Integral, Quantity
from halocline.language.numbers import Range

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.apps.ocean.internal_mode import InternalMode
    from halocline.apps.ocean.model import Model
    from halocline.language.grids.fields import Field
    from halocline.language.steps.steps import Step

_NAMES = {
    "temperature": "sea water potential temperature",
    "salinity": "sea water practical salinity",
    "eastward": "sea water x velocity",
    "northward": "sea water y velocity",
}


@dataclass(frozen=True)
class LayeredCase(OceanCase):
    """Parameters of an ocean with layers.

    Attributes:
        layers: How many.
    """

    layers: Annotated[int, Range(least=2)] = 20

    def describe(self) -> str:
        """Return the parameters and what follows from them, as text."""
        return f"{super().describe()}\n{self.layers} layers"

    def bytes_stored(self) -> int:
        """Return about how much the stored fields will take, before compression [bytes]."""
        cells = int(np.prod(self.setup.domain.extent))
        return super().bytes_stored() + int(np.dtype(self.dtype).itemsize) * cells * 3 * self.layers

    def problem(self) -> OceanProblem:
        """Return grid, boundaries, first values and steps."""
        problem = super().problem()
        shown, update = _what_is_shown(problem.model)
        return replace(
            problem,
            quantities=(*problem.quantities, *shown),
            refresh=(*problem.refresh, update),
        )


def layers_of(model: Model) -> InternalMode:
    """Return the mode of layers."""
    assert model.layers is not None
    return model.layers


def tracers_of(model: Model) -> tuple[Field, ...]:
    """Return temperature and salinity, as far as there are such."""
    return layers_of(model).tracers


def content(model: Model, tracer: Field) -> Integral:
    """Return the content of a tracer, with what stands on land, which never changes."""
    layers = layers_of(model)
    volume = layers.fraction * layers.after * (model.metric.dx * model.metric.dy)
    return Integral(
        f"{tracer.name}_content",
        hc.sum(tracer * volume),
        unit=f"{tracer.unit} m3",
        description=f"{tracer.name} times volume",
    )


def below_faces(model: Model) -> NDArray[np.float64]:
    """Return which share of the depth lies below the faces of layers (layers + 1)."""
    return np.append(0.0, np.cumsum(layers_of(model).fractions))


def _what_is_shown(model: Model) -> tuple[tuple[Quantity, ...], Step]:
    """Return tracers and velocity of layers, missing (NaN) on land, and what updates them."""
    layers, is_wet = layers_of(model), model.setup.domain.is_wet
    missing = np.where(is_wet, 0.0, np.nan)[..., np.newaxis]

    def field(name: str, values: Any, dtype: Any, axes: str = "xyz") -> Field:
        made = model.grid.field(name, axes=axes, dtype=str(dtype))
        made.set(values)
        return made

    def shown(name: str, unit: str, vector: str = "") -> Quantity:
        values = np.broadcast_to(missing, model.grid.extent)
        made = field(f"shown_{name}", values, model.zeta.dtype)
        return Quantity(
            f"layer_{name}" if vector else name,
            made,
            unit=unit,
            description=_NAMES[name],
            vector=vector,
        )

    tracers = tuple(shown(tracer.name, tracer.unit) for tracer in layers.tracers)
    current = tuple(shown(name, "m s-1", "current") for name in ("eastward", "northward"))
    update = show_layers(
        *(columns.transport for columns in layers.columns.values()),
        shown=tuple(quantity.field for quantity in (*tracers, *current)),
        tracers=layers.tracers,
        depth=layers.after,
        fraction=layers.fraction,
        on=field("seen_layers", is_wet, "bool", "xy"),
    )
    return (*tracers, *current), update


@hc.kernel
def show_layers(p: Any, q: Any, *, shown: Any, tracers: Any, depth: Any, fraction: Any) -> None:
    """Bring tracers and velocity to where they are seen.

    Args:
        p: Transport of layers along x [m²/s].
        q: Along y [m²/s].
        shown: Gets the tracers, and the velocity along x and y in the middle of cells [m/s].
        tracers: Of cells.
        depth: Of cells [m].
        fraction: Of a layer.
    """
    *copies, east, north = shown
    for copy, tracer in zip(copies, tracers, strict=True):
        copy[...] = tracer
    per_thickness = 1.0 / (depth * fraction)
    east[...] = 0.5 * (p + hc.at(p, x=1)) * per_thickness
    north[...] = 0.5 * (q + hc.at(q, y=1)) * per_thickness
