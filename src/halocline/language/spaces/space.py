"""Index spaces: which cells a field has, and how those of related fields lie to each other.

Boxes of cells are written with the axes of the grid. Along an axis that a space lacks it has a
single cell, number 0, which stands for all places there: sets of cells that hold for every block,
such as a domain, have no bounds along it. Of a replicated space every block has all cells.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace

from halocline.box_array import BoxArray
from halocline.frozen import Frozen
from halocline.geometry import AXES, UNBOUNDED, Box, Offset, box_of, by_axes
from halocline.language.spaces.translations import Translation, translations_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# How many cells of a field one cell of a kernel spans along each axis; 0 where the field has none.
Ratio = tuple[int, ...]


class Space(Frozen, dict=True):
    """The cells that a field has values in.

    Attributes:
        extent: Cells of its grid along each axis.
        periodic: Whether the grid closes on itself, for each axis.
        scale: Cells of its grid for one of the grid that the family began with, along each axis.
        lacks: Whether it has no such axis, for each axis of the grid.
        closing: 1 along axes where it has a face more than there are cells, else 0.
        shifts: For each axis how far along each what crosses its high side is moved; empty for not.
        is_replicated: Whether every block has all cells, instead of some that no other has.
    """

    extent: tuple[int, ...]
    periodic: tuple[bool, ...]
    scale: tuple[Fraction, ...]
    lacks: tuple[bool, ...]
    closing: tuple[int, ...]
    shifts: tuple[Offset, ...] = ()
    is_replicated: bool = False

    def __hash__(self) -> int:
        """Return a hash that is computed once: plans look spaces up again and again."""
        return self._hash

    @cached_property
    def _hash(self) -> int:
        cells = (self.extent, self.periodic, self.scale, self.lacks, self.closing, self.shifts)
        return hash((*cells, self.is_replicated))

    @cached_property
    def own_shifts(self) -> tuple[Offset, ...]:
        """The shifts across and along axes that it has."""
        return tuple(
            tuple(0 if self.lacks[a] or self.lacks[b] else cells for b, cells in enumerate(shift))
            for a, shift in enumerate(self.shifts)
        )

    @cached_property
    def translations(self) -> tuple[Translation, ...]:
        """Its translations, of which none moves along the axis of one before it."""
        return translations_of(self.extent, self.periodic, self.own_shifts)

    @cached_property
    def domain(self) -> Box:
        """All cells; without bounds along axes that it lacks."""
        extent = tuple(map(sum, zip(self.extent, self.closing, strict=True)))
        return self.open_where_lacking(box_of(extent))

    @cached_property
    def is_first(self) -> bool:
        """Whether its grid is as wide as that which the family began with."""
        return all(s == 1 for s in self.scale)

    @cached_property
    def level(self) -> int:
        """How often the cells of its grid have been halved, of a forest's; negative if doubled."""
        finest = max(self.scale)
        return finest.numerator.bit_length() - finest.denominator.bit_length()

    @cached_property
    def inside(self) -> Box:
        """All cells and their periodic images."""
        return self.unbounded_where_whole(self.domain)

    @cached_property
    def axes(self) -> tuple[int, ...]:
        """The axes that it has."""
        return tuple(axis for axis, is_lacking in enumerate(self.lacks) if not is_lacking)

    @property
    def shape(self) -> tuple[int, ...]:
        """The extent of all its cells along the axes that it has."""
        return tuple(self.domain.extent[axis] for axis in self.axes)

    @property
    def size(self) -> str:
        """That extent as messages write it: '8x6x4', '8x6x4 replicated'."""
        return by_axes(self.shape) + " replicated" * self.is_replicated

    @property
    def is_everywhere(self) -> bool:
        """Whether every block has all cells: those of a replicated space, or the only one."""
        return self.is_replicated or all(self.lacks)

    @property
    def label(self) -> str:
        """How its cells are called in names: 'x8_y4_faces' for 8 by 4, with faces across y."""
        cells = (
            f"{AXES[axis]}{self.extent[axis]}{'_faces' * self.closing[axis]}" for axis in self.axes
        )
        return "_".join(cells) + "_whole" * self.is_replicated

    def unbounded_where_whole(self, box: Box) -> Box:
        """Return a box without bounds on each periodic axis that it spans.

        What has bounds along an axis along which a turn moves is not the same after that turn.
        """
        for axis, way in reversed(self.translations):
            is_whole = box.lower[axis] <= 0 and box.upper[axis] >= self.extent[axis]
            others = (a for a, step in enumerate(way) if step and a != axis)
            if is_whole and not any(_is_bounded(box, a) for a in others):
                box = box.clip(axis, -UNBOUNDED, UNBOUNDED)
        return box

    def open_where_lacking(self, box: Box) -> Box:
        """Return a box without bounds along the axes that the space lacks."""
        return box.open_along(self.lacks) if any(self.lacks) else box

    def images(self, region: Box) -> tuple[Box, ...]:
        """Return a region and its images next to the domain along periodic axes that bound it."""
        result: tuple[Box, ...] = (region,)
        for translation in self.translations:
            if _is_bounded(region, translation.axis):
                # A turn that is not straight may have moved it once around already.
                most = 1 if all(other.is_straight for other in self.translations) else 2
                result = tuple(
                    _moved(box, translation.way, times)
                    for box in result
                    for times in range(-most, most + 1)
                )
        return result

    def flat(self, box: Box) -> Box:
        """Return a box with the only cell along each axis that the space lacks."""
        for axis, is_lacking in enumerate(self.lacks):
            if is_lacking and not box.is_empty:
                box = box.clip(axis, 0, 1)
        return box

    def all_flat(self, boxes: BoxArray) -> BoxArray:
        """Return boxes with cells, each with the only one along each axis that the space lacks."""
        if not any(self.lacks):
            return boxes
        lacks = np.array(self.lacks)[:, np.newaxis]
        return BoxArray(np.where(lacks, 0, boxes.lower), np.where(lacks, 1, boxes.upper))

    def with_closing(self, box: Box) -> Box:
        """Return a box of its grid's cells with the faces that close the domain beside it."""
        ends = zip(box.upper, self.extent, self.closing, strict=True)
        return Box(box.lower, tuple(u + (more if u == n else 0) for u, n, more in ends))

    def cells_of(self, box: Box) -> Box:
        """Return the cells that a box of the family's first grid holds.

        Boxes that tile that grid give boxes that tile this space, but for axes that it lacks; of
        a replicated space any box gives all cells.
        """
        if self.is_replicated:
            return self.flat(self.domain)
        lower = tuple(int(l * s // 1) for l, s in zip(box.lower, self.scale, strict=True))
        upper = tuple(
            int(u * s // 1) + (more if u * s == n else 0)
            for u, s, n, more in zip(box.upper, self.scale, self.extent, self.closing, strict=True)
        )
        return self.flat(Box(lower, upper))

    def subscript(self, box: Box, lower: Sequence[int]) -> tuple[Any, ...]:
        """Return a box as a subscript of an array of its own axes that begins at 'lower'."""
        return tuple(
            slice(box.lower[axis] - lower[axis], box.upper[axis] - lower[axis])
            for axis in self.axes
        )

    def without(self, axis: int) -> Space:
        """Return the space that lacks one more axis."""
        lacks = tuple(is_lacking or a == axis for a, is_lacking in enumerate(self.lacks))
        closing = tuple(0 if a == axis else more for a, more in enumerate(self.closing))
        return replace(self, lacks=lacks, closing=closing)

    def is_beside(self, other: Space) -> bool:
        """Return whether two spaces differ in nothing but faces."""
        mine = (self.scale, self.lacks, self.is_replicated)
        return mine == (other.scale, other.lacks, other.is_replicated)

    def is_of_grid(self, other: Space) -> bool:
        """Return whether two spaces have cells of one size, whatever axes they have."""
        return (self.scale, self.is_replicated) == (other.scale, other.is_replicated)

    def ratio_to(self, other: Space) -> tuple[Fraction, ...] | None:
        """Return how many cells one cell of another space spans; None if that has fewer axes."""
        if any(o and not s for s, o in zip(self.lacks, other.lacks, strict=True)):
            return None
        pairs = zip(self.scale, other.scale, strict=True)
        return tuple(
            s / o if not is_lacking else Fraction(also)
            for (s, o), is_lacking, also in zip(pairs, self.lacks, other.lacks, strict=True)
        )


def _is_bounded(box: Box, axis: int) -> bool:
    return box.upper[axis] - box.lower[axis] < UNBOUNDED


def _moved(box: Box, way: Offset, times: int) -> Box:
    """Return a box moved several times along the axes that bound it."""
    for axis, step in enumerate(way):
        if step and _is_bounded(box, axis):
            box = box.clip(axis, box.lower[axis] + times * step, box.upper[axis] + times * step)
    return box


def finest(spaces: Sequence[Space]) -> Space:
    """Return the cells of the finest of some grids along each axis.

    They have all axes that any of the spaces has, and faces if all of those that have the axis do.
    They are replicated if all cells of all spaces are everywhere.
    """
    axes = range(len(spaces[0].extent))
    finest_along = [max(spaces, key=lambda space: space.scale[axis]) for axis in axes]
    return replace(
        spaces[0],
        extent=tuple(space.extent[axis] for axis, space in enumerate(finest_along)),
        scale=tuple(space.scale[axis] for axis, space in enumerate(finest_along)),
        lacks=tuple(map(all, zip(*(space.lacks for space in spaces), strict=True))),
        closing=tuple(
            min((space.closing[axis] for space in spaces if not space.lacks[axis]), default=0)
            for axis in axes
        ),
        shifts=tuple(
            tuple(finest_along[along].shifts[axis][along] for along in axes)
            for axis in (axes if spaces[0].shifts else ())
        ),
        is_replicated=are_everywhere(spaces),
    )


def are_everywhere(spaces: Iterable[Space]) -> bool:
    """Return whether some spaces are replicated, and all others have one cell without axes."""
    all_spaces = tuple(spaces)
    return any(s.is_replicated for s in all_spaces) and all(s.is_everywhere for s in all_spaces)
