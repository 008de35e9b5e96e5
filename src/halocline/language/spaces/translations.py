"""Periodic translations: once around a grid along an axis, maybe further along the others.

What leaves the domain across x+ at y enters across x- at y + s: so the cell 'nx' further along x is
seen s cells further back along y. Cells and their images lie on a lattice, of which the
translations are a basis: one for each periodic axis.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from halocline.errors import GridError, described
from halocline.geometry import AXES, Offset, by_axes
from halocline.language.place import user_place

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction


class Translation(NamedTuple):
    """Once around along an axis: a cell and the one 'way' further along are the same."""

    axis: int
    way: Offset

    @property
    def is_straight(self) -> bool:
        """Whether it ends where it began."""
        return not any(way for axis, way in enumerate(self.way) if axis != self.axis)


def translations_of(
    extent: Sequence[int], periodic: Sequence[bool], shifts: Sequence[Offset] = ()
) -> tuple[Translation, ...]:
    """Return the translations of a grid, none of which moves along the axis of one before it.

    Args:
        extent: Cells along each axis.
        periodic: Whether the grid closes on itself, for each axis.
        shifts: For each axis how far along each what crosses its high side is moved; empty for not.
    """
    axes = range(len(extent))
    left = [axis for axis in axes if periodic[axis]]
    result: list[Translation] = []
    while left:
        # Turns that are not moved along by any other one.
        first = [a for a in left if not shifts or not any(shifts[b][a] for b in left)]
        axis = (first or left)[0]
        left.remove(axis)
        shift = shifts[axis] if shifts else (0,) * len(extent)
        result.append(Translation(axis, tuple(extent[a] if a == axis else -shift[a] for a in axes)))
    return tuple(result)


def shifts_of(
    shift: Any, extent: tuple[int, ...], periodic: tuple[bool, ...], stretched: Sequence[int]
) -> tuple[Offset, ...]:
    """Return what a user says of shifts: for each axis one, less than once around; empty for none.

    Args:
        shift: By the axis across which it shifts, cells along each axis; None for no shift.
        extent: Cells along each axis.
        periodic: Whether the grid closes on itself, for each axis.
        stretched: Axes along which cells differ in width.

    Raises:
        GridError: It is no such thing, or the grid does not close so.
    """
    if shift is None:
        return ()
    axes = AXES[: len(extent)]
    if not isinstance(shift, Mapping):
        raise GridError(
            f"'shift' was given {described(shift)}; expected the shift of each side by its axis.",
            hint='Write, for example, shift={"x": (0, 8)}.',
        )
    result = [(0,) * len(extent)] * len(extent)
    for axis, cells in shift.items():
        if axis not in axes:
            raise GridError(f"'shift' names the axis {axis!r}; expected one of '{''.join(axes)}'.")
        across = axes.index(axis)
        result[across] = _cells(axis, cells, across, len(extent))
        for along, moved in enumerate(result[across]):
            _check_closes(across, along, moved, periodic)
            if moved and along in stretched:
                raise GridError(
                    f"'shift' across {axis} is along {axes[along]}, where cells differ in width: "
                    "they would not fit together.",
                    hint=f"Give {axes[along]} a spacing that is one number.",
                )
    return _less_than_once_around(result, extent, periodic)


def _cells(axis: str, cells: Any, across: int, dimensions: int) -> Offset:
    values = tuple(cells) if isinstance(cells, tuple | list) else ()
    is_whole = all(isinstance(n, int) and not isinstance(n, bool) for n in values)
    if len(values) != dimensions or not is_whole or values[across]:
        example = tuple(0 if a == across else 8 for a in range(dimensions))
        raise GridError(
            f"'shift' across {axis} was given {cells!r}; expected {dimensions} whole numbers of "
            f"cells, one for each axis, and 0 for {axis} itself.",
            hint=f"Write, for example, {example}.",
        )
    return values


def _check_closes(across: int, along: int, moved: int, periodic: Sequence[bool]) -> None:
    for axis in (across, along) if moved else ():
        if not periodic[axis]:
            raise GridError(
                f"'shift' across {AXES[across]} is along {AXES[along]}, but the grid is not "
                f"periodic in {AXES[axis]}.",
                hint=f"Make the grid periodic in {AXES[across]} and {AXES[along]}.",
            )


def _less_than_once_around(
    shifts: list[Offset], extent: tuple[int, ...], periodic: tuple[bool, ...]
) -> tuple[Offset, ...]:
    """Return the shifts of the same lattice that are not negative and shorter than the grid."""
    translations = translations_of(extent, periodic, shifts)
    for position, (_, way) in enumerate(translations):
        for axis, _ in translations[:position]:
            if way[axis]:
                across = AXES[translations[position].axis]
                raise GridError(
                    f"'shift' is along {AXES[axis]} across {across}, and the "
                    "other way round: blocks of the extent "
                    f"{by_axes(extent)} would not fit together.",
                    hint="Shift along each pair of axes in one way only.",
                )
    for position in reversed(range(len(translations))):
        axis, way = translations[position]
        for other, step in translations[position + 1 :]:
            around = -((-way[other]) // extent[other])
            way = tuple(w - around * s for w, s in zip(way, step, strict=True))
        shifts[axis] = tuple(0 if a == axis else -w for a, w in enumerate(way))
        translations = translations_of(extent, periodic, shifts)
    return tuple(shifts) if any(map(any, shifts)) else ()


def scaled_shifts(shifts: tuple[Offset, ...], scale: Sequence[Fraction]) -> tuple[Offset, ...]:
    """Return shifts in cells of another grid of the family.

    Args:
        shifts: Those of its first grid.
        scale: Cells for one of that grid, along each axis.

    Raises:
        GridError: They are no whole cells.
    """
    for across, shift in enumerate(shifts):
        for along, (cells, s) in enumerate(zip(shift, scale, strict=True)):
            if (cells * s).denominator > 1:
                raise GridError(
                    f"The grid shifts {cells} cells along {AXES[along]} across {AXES[across]}, "
                    f"which are no whole cells of a grid that is coarser by {1 / s}.",
                    hint=f"Shift by a multiple of {s.denominator}.",
                    place=user_place(),
                )
    return tuple(
        tuple(int(cells * s) for cells, s in zip(shift, scale, strict=True)) for shift in shifts
    )
