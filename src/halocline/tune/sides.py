"""Sides: what it costs a block to have a neighbour along each axis, to choose the process grid by.

A side across the unit-stride axis is packed value by value; and not every axis carries as many
components. So the shape with the least surface is not always the cheapest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halocline.language.steps.tree import Every, Repeat, Until
from halocline.plan.platform import Platform
from halocline.plan.schedule.schedule import make_schedule
from halocline.plan.schedule.steps import Chain, Refresh
from halocline.tune.iterations import assumed_iterations

if TYPE_CHECKING:
    from collections.abc import Iterable

    from halocline.plan.cells.reach import Needs
    from halocline.plan.cells.strategy import Strategy
    from halocline.plan.program.program import Program
    from halocline.plan.schedule.steps import ScheduleItem
    from halocline.tune.machine import Machine

# Of rows as long as this the price of a value is taken.
_ROW_VALUES = 64


def side_prices(
    program: Program, strategy: Strategy, machine: Machine, *, is_same_node: bool = True
) -> tuple[float, ...]:
    """Return what one cell of a block's side costs in a step, for the two sides of each axis [s].

    It counts every value that the step needs across both sides: packed, moved, and unpacked.

    Args:
        program: The step.
        strategy: How communication is done.
        machine: The machine.
        is_same_node: Whether most neighbours are on the block's own node.
    """
    size = {field.name: np.dtype(field.dtype).itemsize for field in program.fields}
    # Deep halos make all sides dearer alike, and are slow to plan.
    schedule = make_schedule(program, strategy.narrow)
    transport = Platform().transport(strategy.transport, is_same_node=is_same_node)
    times = machine.times(transport, is_same_node=is_same_node)
    byte_s = max(r.byte_s for r in times.ranges)
    packing = machine.far_packing or machine.packing
    prices = [0.0] * program.dimensions
    for weight, needs in _exchanged(schedule.items, 1.0 / len(program.steps)):
        for (field, axis), layers in _layers(needs).items():
            copied = packing.value_s if axis == 0 else packing.byte_s * size[field]
            copied += 0.0 if axis == 0 else packing.row_s / _ROW_VALUES
            moved = 0.0 if transport.startswith("shared") else byte_s * size[field]
            prices[axis] += weight * layers * (2 * copied + moved)
    return tuple(prices)


def _exchanged(items: Iterable[ScheduleItem], weight: float) -> list[tuple[float, Needs]]:
    """Return what is exchanged in a step, and how often."""
    result: list[tuple[float, Needs]] = []
    for item in items:
        match item:
            case Chain():
                sent = (item.fetch, item.send, *item.early)
                result += [(weight, needs) for needs in sent if needs]
            case Refresh(needs):
                result.append((weight, needs))
            case Repeat(count, inner):
                result += _exchanged(inner, weight * count)
            case Until(_, inner):
                result += _exchanged(inner, weight * assumed_iterations(item))
            case Every(interval, inner):
                result += _exchanged(inner, weight / interval)
            case _:
                pass
    return result


def _layers(needs: Needs) -> dict[tuple[str, int], int]:
    """Return how many values a cell of the two sides across an axis stands for, by field."""
    widths: dict[tuple[str, int, int, int], int] = {}
    for need in needs:
        for axis, (low, high) in enumerate(zip(need.reach.lower, need.reach.upper, strict=True)):
            for sign, width in ((-1, -low), (1, high)):
                key = (need.field, need.component, axis, sign)
                widths[key] = max(width, widths.get(key, 0))
    layers: dict[tuple[str, int], int] = {}
    for (field, _, axis, _), width in widths.items():
        layers[field, axis] = layers.get((field, axis), 0) + width
    return layers
