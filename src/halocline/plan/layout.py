"""How many halo cells each field is stored with: as far as any kernel reads or writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from halocline.geometry import bounding_box
from halocline.language.tree import Every, walk
from halocline.plan.step import Chain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from halocline.geometry import Box, Offset
    from halocline.language.kernel import FieldType
    from halocline.plan.program import Launch, Program
    from halocline.plan.reach import Reach
    from halocline.plan.step import Schedule, ScheduleItem


@dataclass(frozen=True, slots=True)
class FieldLayout:
    """How a field is stored on every block.

    Attributes:
        spec: The field.
        lower: Halo cells at the low side of each axis.
        upper: Halo cells at the high side of each axis.
    """

    spec: FieldType
    lower: tuple[int, ...]
    upper: tuple[int, ...]

    @property
    def name(self) -> str:
        """The field's name."""
        return self.spec.name

    @property
    def dtype(self) -> str:
        """Its element type."""
        return self.spec.dtype

    @property
    def components(self) -> int:
        """Numbers per cell."""
        return self.spec.components

    @property
    def bytes_per_value(self) -> int:
        """Size of one number [bytes]."""
        return np.dtype(self.dtype).itemsize

    def stored(self, box: Box) -> Box:
        """Return the cells stored for a block: its own and the halo."""
        return box.grow(self.lower, self.upper)


def make_layouts(program: Program, schedule: Schedule) -> tuple[FieldLayout, ...]:
    """Return the layout of every field; fields that are swapped share theirs."""
    zero = (0,) * program.dimensions
    lower = {spec.name: zero for spec in program.fields}
    upper = dict(lower)
    for launch, extent in launched(schedule.items):
        moves = [reach.offset for reach in extent]
        somewhere = bounding_box(reach.region for reach in extent)
        if somewhere is None:
            continue
        for name, offset in _offsets(launch):
            below, above = _width(program, somewhere, moves, offset)
            lower[name] = tuple(map(max, lower[name], below))
            upper[name] = tuple(map(max, upper[name], above))
    for group in program.groups.values():
        for widths in (lower, upper):
            widest = tuple(map(max, zip(*(widths[name] for name in group), strict=True)))
            widths.update(dict.fromkeys(group, widest))
    return tuple(FieldLayout(spec, lower[spec.name], upper[spec.name]) for spec in program.fields)


def launched(items: Iterable[ScheduleItem]) -> list[tuple[Launch, frozenset[Reach]]]:
    """Return every kernel of a schedule with where it runs."""
    result: list[tuple[Launch, frozenset[Reach]]] = []
    for item in walk(items):
        if isinstance(item, Chain):
            result += zip(item.launches, item.extents, strict=True)
            result += launched(b.item for b in item.breaks if isinstance(b.item, Every))
    return result


def _offsets(launch: Launch) -> set[tuple[str, Offset]]:
    used = {(f, o) for f, _, o in (*launch.reads, *launch.assigns)}
    # A kernel may do nothing but assign next door, and in cells beyond those that it assigns.
    here = (0,) * launch.kernel.dimensions
    return used | {(f, here) for f, _ in launch.writes}


def _width(
    program: Program, somewhere: Box, moves: list[Offset], offset: Offset
) -> tuple[Offset, Offset]:
    """Return how far a kernel gets beyond a block's own cells.

    Args:
        program: The step.
        somewhere: A box around all cells where the kernel runs on any block.
        moves: How far it runs beyond a block's own cells.
        offset: Where it reads or writes.
    """
    below, above = [], []
    for axis, o in enumerate(offset):
        moved = [move[axis] for move in moves] or [0]
        if axis == 0 and program.periodic[axis]:
            # Where rows close on themselves, a kernel runs in a block's own cells of them.
            moved.append(0)
        low, high = -(min(moved) + o), max(moved) + o
        if not program.periodic[axis]:
            # At the edge of the domain a block's own cells include boundary layers.
            low = max(low, -(somewhere.lower[axis] + o))
            high = max(high, somewhere.upper[axis] + o - program.extent[axis])
        below.append(max(0, low))
        above.append(max(0, high))
    return tuple(below), tuple(above)
