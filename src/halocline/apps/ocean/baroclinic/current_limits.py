"""Limits of the currents of layers, which are computed for them alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import halocline as hc

if TYPE_CHECKING:
    from halocline.apps.ocean.state.layers import Columns, LayerState
    from halocline.apps.ocean.state.surface import Surface
    from halocline.language.steps.steps import Step

# Macro steps between two checks.
_INTERVAL = 10


def check_currents(surface: Surface, layers: LayerState) -> Step:
    """Return the step that computes the currents whose limits are checked."""
    columns = layers.columns.values()
    steps = [step for of_axis in columns for step in _farthest(surface, of_axis)]
    return hc.every(_INTERVAL, *steps)


def _farthest(surface: Surface, columns: Columns) -> tuple[Step, ...]:
    """Return what finds the currents that are farthest from the middle of their limits."""
    name, limits = {"x": "layer_u", "y": "layer_v"}[columns.axis], surface.setup.limits.velocity
    middle = 0.5 * sum(limits)
    current = surface.fields.surface(name, columns.location, unit="m s-1")
    current.limits(*limits)
    return farthest(
        columns.transport,
        columns.inverse,
        fraction=columns.fraction,
        middle=middle,
        start=middle,
        end=current,
        on=columns.points.flowing,
    )


@hc.sweep("z+")
def farthest(below: Any, transport: Any, inverse: Any, *, fraction: Any, middle: float) -> Any:
    """Find the velocity of a column's layers that is farthest from a value.

    Args:
        below: That of the layers below [m/s].
        transport: Of layers [m²/s].
        inverse: One over the depth [1/m].
        fraction: Of a layer.
        middle: The value [m/s].
    """
    velocity = transport * inverse / fraction
    return hc.where(abs(velocity - middle) > abs(below - middle), velocity, below)
