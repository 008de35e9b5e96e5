"""Limits: elevations, currents, temperatures and salinities with which a run fails.

Drying, drag and limiters often bound an unstable run: its values stay numbers and do not grow to
infinity.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.apps.ocean.setup.arguments import check_number, wrong

if TYPE_CHECKING:
    from collections.abc import Iterator

    from halocline.apps.ocean.baroclinic.internal_mode import Columns, InternalMode
    from halocline.apps.ocean.barotropic.external_mode import ExternalMode
    from halocline.language.grids.fields import Field
    from halocline.language.steps.steps import Step

# A limit has a lowest value and a highest.
_ENDS = 2
# Macro steps between two checks of the currents of layers.
_INTERVAL = 10


@dataclass(frozen=True, slots=True)
class Limits:
    """Values beyond which a run fails, each a lowest and a highest one.

    Fields are searched for them every 'check_every' steps (see 'Simulation') and at the end of a
    run.

    Attributes:
        elevation: Counted from the lowest and the highest elevation at the beginning, that of dry
            beds included, or from 0 [m].
        velocity: Of each component of the depth-averaged current and of the currents of layers;
            these are computed every 10 steps [m/s].
        temperature: [degC].
        salinity: [1e-3].

    Raises:
        CaseError: A pair is no two numbers, or the first is not less than the second.
    """

    elevation: tuple[float, float] = (-20.0, 20.0)
    velocity: tuple[float, float] = (-20.0, 20.0)
    temperature: tuple[float, float] = (-10.0, 60.0)
    salinity: tuple[float, float] = (-5.0, 400.0)

    def __post_init__(self) -> None:
        for name in (field.name for field in fields(self)):
            given = getattr(self, name)
            if not isinstance(given, tuple) or len(given) != _ENDS:
                raise wrong(f"limits.{name}", given, "two numbers, the lowest and the highest")
            for number in given:
                check_number(f"limits.{name}", number)
            if not given[0] < given[1]:
                raise wrong(f"limits.{name}", given, "the lowest value, then a greater one")


def watched(
    limits: Limits, external: ExternalMode, internal: InternalMode | None
) -> tuple[Step, ...]:
    """Set the limits of an ocean's fields, and return the steps that compute limited quantities.

    Args:
        limits: Of the setup.
        external: The vertically integrated mode.
        internal: The mode of layers; None if there is none.
    """
    first = external.first_depth - external.domain.bed
    low, high = limits.elevation
    external.zeta.limits(low + min(0.0, first.min()), high + max(0.0, first.max()))
    for points in external.points.values():
        points.velocity.limits(*limits.velocity)
    if internal is None:
        return ()
    for tracer in internal.tracers:
        tracer.limits(*getattr(limits, tracer.name))
    steps = [
        step
        for columns in internal.columns.values()
        for step in _currents(limits.velocity, external, internal, columns)
    ]
    return (hc.every(_INTERVAL, *steps),)


def _currents(
    limits: tuple[float, float], external: ExternalMode, internal: InternalMode, columns: Columns
) -> Iterator[Step]:
    """Find the currents of layers that are farthest from the middle of their limits."""
    name = {"x": "layer_u", "y": "layer_v"}[columns.axis]
    middle = 0.5 * sum(limits)
    found: Field = external.field(name, columns.location, unit="m s-1")
    found.limits(*limits)
    yield from farthest(
        columns.transport,
        columns.inverse,
        fraction=internal.fraction,
        middle=middle,
        start=middle,
        end=found,
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
