"""How many halo cells each field is stored with: as far as any kernel reads or writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from halocline.geometry import bounding_box
from halocline.language.steps.tree import Every, walk
from halocline.plan.reach import Reach
from halocline.plan.step import Chain

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from halocline.geometry import Box, Offset
    from halocline.language.expressions.kernel import FieldType
    from halocline.language.spaces.space import Space
    from halocline.plan.access import Access
    from halocline.plan.block import Block
    from halocline.plan.program import Launch, Program
    from halocline.plan.step import Schedule, ScheduleItem


@dataclass(frozen=True, slots=True)
class FieldLayout:
    """How a field is stored on every block.

    Attributes:
        spec: The field.
        lower: Halo cells at the low side of each axis.
        upper: Halo cells at the high side of each axis.
        space: Its cells.
    """

    spec: FieldType
    lower: tuple[int, ...]
    upper: tuple[int, ...]
    space: Space

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
        return self.space.flat(box).grow(self.lower, self.upper)

    def kept(self, block: Block) -> Box:
        """Return the cells that a block has itself: its own and stored layers beyond the domain."""
        return self.space.flat(block.owned).intersect(self.stored(block.box))


def make_layouts(program: Program, schedule: Schedule) -> tuple[FieldLayout, ...]:
    """Return the layout of every field; fields that are swapped share theirs."""
    zero = (0,) * program.dimensions
    lower = {spec.name: zero for spec in program.fields}
    upper = dict(lower)
    for launch, extent in launched(schedule.items):
        somewhere = bounding_box(reach.region for reach in extent)
        if somewhere is None:
            continue
        furthest = Reach(
            tuple(map(min, zip(*(reach.lower for reach in extent), strict=True))),
            tuple(map(max, zip(*(reach.upper for reach in extent), strict=True))),
            somewhere,
        )
        for access in _accesses(launch):
            below, above = _width(access, furthest)
            lower[access.field] = tuple(map(max, lower[access.field], below))
            upper[access.field] = tuple(map(max, upper[access.field], above))
    for group in program.groups.values():
        for widths in (lower, upper):
            widest = tuple(map(max, zip(*(widths[name] for name in group), strict=True)))
            widths.update(dict.fromkeys(group, widest))
    return tuple(
        FieldLayout(spec, lower[spec.name], upper[spec.name], program.spaces[spec.name])
        for spec in program.fields
    )


def layouts_without_halo(program: Program, known: Container[str]) -> list[FieldLayout]:
    """Return layouts of a program's fields that are not known yet, for kernels in own cells."""
    none = (0,) * program.dimensions
    return [
        FieldLayout(spec, none, none, program.spaces[spec.name])
        for spec in program.fields
        if spec.name not in known
    ]


def launched(items: Iterable[ScheduleItem]) -> list[tuple[Launch, frozenset[Reach]]]:
    """Return every kernel of a schedule with where it runs."""
    result: list[tuple[Launch, frozenset[Reach]]] = []
    for item in walk(items):
        if isinstance(item, Chain):
            result += zip(item.launches, item.extents, strict=True)
            result += launched(b.item for b in item.breaks if isinstance(b.item, Every))
    return result


def _accesses(launch: Launch) -> list[Access]:
    used = {(a.field, a.offset): a for a in (*launch.reads, *launch.assigns)}
    # A kernel may do nothing but assign next door, and in cells beyond those that it assigns.
    here = (0,) * launch.kernel.dimensions
    used |= {(a.field, here): a._replace(offset=here) for a in launch.assigns}
    return list(used.values())


def _width(access: Access, furthest: Reach) -> tuple[Offset, Offset]:
    """Return how far beyond a block's own cells of a field a kernel gets.

    Args:
        access: How it uses the field.
        furthest: Around all that it computes.
    """
    space = access.space
    if space.periodic[0]:
        # Where rows close on themselves, a kernel runs in a block's own cells of them.
        lower, upper = min(furthest.lower[0], 0), max(furthest.upper[0], 0)
        furthest = Reach(
            (lower, *furthest.lower[1:]), (upper, *furthest.upper[1:]), furthest.region
        )
    reach = access.used_from(furthest)
    below, above = [], []
    for axis, (lower, upper) in enumerate(zip(reach.lower, reach.upper, strict=True)):
        # Beyond a whole space lie layers alone.
        is_closed = space.is_whole and not space.periodic[axis]
        low, high = ([0], [0]) if is_closed else ([0, -lower], [0, upper])
        if not space.periodic[axis]:
            # At the edge of the domain a block's own cells include boundary layers.
            low.append(-reach.region.lower[axis])
            high.append(reach.region.upper[axis] - space.domain.upper[axis])
        below.append(0 if space.lacks[axis] else max(low))
        above.append(0 if space.lacks[axis] else max(high))
    return tuple(below), tuple(above)
