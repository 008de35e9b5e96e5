"""What was recorded of a kernel's function, as a kernel over the cells where it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.errors import GridError, KernelError, described
from halocline.frozen import Frozen
from halocline.geometry import UNBOUNDED, Box, by_axes
from halocline.language.differences.differences import with_differences
from halocline.language.expressions.apart import Cells
from halocline.language.expressions.verify import refuse_nothing, refuse_strangers, verify
from halocline.language.grids.fields import Field
from halocline.language.grids.grid import same_family
from halocline.language.grids.mask import masked
from halocline.language.grids.related import resolved, space_of
from halocline.language.grids.sides import layer
from halocline.language.place import user_place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.language.expressions.kernel import Kernel
    from halocline.language.grids.grid import Grid
    from halocline.language.spaces.space import Ratio, Space

# Where a kernel runs: everywhere, on a layer beyond a side, in a box, where a field is not zero,
# where it is not in a box.
On = str | Box | Field | tuple[Field, Box] | None


class Traced(Frozen):
    """A kernel and where it runs.

    Attributes:
        kernel: What one cell does.
        fields: The fields in the order of the kernel's.
        space: The cells over which it runs, faces aside.
        region: Which of them; None for all that assign to a cell.
        mask: If given, it runs only where this field is not zero; else the kernel says all.
    """

    kernel: Kernel
    fields: tuple[Field, ...]
    space: Space
    region: Box | None
    mask: Field | None


def over_cells(
    kernel: Kernel, fields: Sequence[Field], places: Sequence[str], place: str, on: On
) -> Traced:
    """Return a kernel, as it was written for the cells that it assigns, over those where it runs.

    Args:
        kernel: As recorded.
        fields: Its fields.
        places: 'file:line' of each statement.
        place: 'file:line' of the function.
        on: See 'KernelFunction.__call__'.

    Raises:
        KernelError: It has no meaning.
    """
    refuse_nothing(kernel, place)
    refuse_strangers(kernel, places)
    bound = dict(zip((f.name for f in kernel.fields), fields, strict=True))
    names = dict.fromkeys(s.field for s in kernel.statements)
    assigned = [bound[name] for name in names]
    swept = assigned if kernel.sweep is None else swept_fields(kernel.sweep[0], assigned, fields)
    mask, cells = _mask_and_rest(on)
    if mask is not None:
        _check_mask(kernel.name, mask)
        same_family((*fields, mask), f"Kernel '{kernel.name}'")
    used = fields if mask is None or mask in fields else (*fields, mask)
    written_for = space_of(kernel.name, used, swept, place)
    grid = _grid_of(written_for, fields[0].grid)
    kernel, bound, places = with_differences(kernel, bound, grid, written_for, places)
    fields = tuple(bound.values())
    used = fields if mask is None or mask in fields else (*fields, mask)
    region = _region(kernel.name, grid, swept[0].space, cells)
    if mask is not None and not _is_listable(mask, fields, assigned):
        # The choice in every cell is part of what a cell does for each that it spans.
        name_of_mask = next((name for name, field in bound.items() if field is mask), "")
        kernel, fields = masked(kernel, mask, name_of_mask), tuple(used)
        bound[name_of_mask or kernel.fields[-1].name], mask = mask, None
    spaces = {name: field.space for name, field in bound.items()}
    over = resolved(kernel, spaces, written_for, places)
    _refuse_parts(kernel, over.children, places)
    if region is not None and set(over.children) != {1}:
        region = _coarsened(kernel.name, region, over.children, grid)
    if not over.space.is_replicated and any(field.space.is_replicated for field in assigned):
        _check_gathered(over.kernel, on, places)
    where = Cells(over.space, region)
    verify(over.kernel, over.places, place, where, is_layer=isinstance(on, str))
    return Traced(over.kernel, tuple(fields), over.space, region, mask)


def _grid_of(space: Space, grid: Grid) -> Grid:
    """Return the grid of a family that has some cells, rather whole if these are."""
    grids = [g for g in grid.family if g.scale == space.scale]
    return next((g for g in grids if g.is_replicated == space.is_replicated), grids[0])


def _check_gathered(kernel: Kernel, on: On, places: Sequence[str]) -> None:
    """Refuse a kernel that assigns a replicated field in a way that blocks cannot share.

    Each block does its own cells, and has to end up with those that others have done.
    """
    found = {
        "sweeps": kernel.sweep is not None,
        "assigns at an offset": any(
            any(kernel.field(s.field).parted(s.offset)[0]) for s in kernel.statements
        ),
        "runs beyond a side": isinstance(on, str),
    }
    for what in (what for what, is_done in found.items() if is_done):
        raise KernelError(
            f"Kernel '{kernel.name}' {what} to give a replicated field values of fields that are "
            "cut into blocks; expected that each cell assigns itself, in the domain.",
            hint="Let it assign a field that is cut, too, and give its values to the replicated "
            "one in a kernel of its own.",
            place=places[0],
        )


def swept_fields(axis: int, assigned: Sequence[Field], fields: Sequence[Field]) -> list[Field]:
    """Return the fields for whose cells a sweep along an axis is written.

    Those with this axis that it assigns; if it assigns carries alone, the finest of all.
    """
    swept = [field for field in assigned if not field.space.lacks[axis]]
    read = [field for field in fields if not field.space.lacks[axis]]
    return swept or [max(read, key=lambda field: (len(field.axes), field.space.scale))]


def _is_listable(mask: Field, fields: Sequence[Field], assigned: Sequence[Field]) -> bool:
    """Return whether a kernel's cells are those of a mask, faces and axes that it lacks aside.

    Fields may lack axes, too, but not those that are assigned: they would be assigned by several
    cells.
    """
    space = assigned[0].space
    pairs = zip(mask.space.lacks, space.lacks, strict=True)
    return (
        all(lacks or not also for lacks, also in pairs)
        and all(field.space.is_beside(space) for field in assigned)
        and all(f.space.is_of_grid(mask.space) for f in fields)
    )


def _check_mask(name: str, mask: Field) -> None:
    """Refuse a mask of which a cell has several values."""
    if mask.components > 1:
        raise KernelError(
            f"Kernel '{name}' was given on={mask!r}, of which a cell has {mask.components} values; "
            "expected a field of one.",
            hint="Let a kernel compute such a field.",
            place=user_place(),
        )


def _mask_and_rest(on: On) -> tuple[Field | None, On]:
    """Return the mask of where a kernel runs, and what else is said of it."""
    match on:
        case Field():
            return on, None
        case (Field() as mask, Box() as box):
            return mask, box
        case _:
            return None, on


def _region(name: str, grid: Grid, space: Space, on: On) -> Box | None:
    if on is None:
        return None
    if isinstance(on, str):
        return layer(space, on, distance=1, depth=1)
    if not isinstance(on, Box):
        raise KernelError(
            f"Kernel '{name}' was given on={described(on)}; expected a side ('x-'), "
            "an hc.Box of cells, or a field that is not zero where it is to run.",
            hint="Of an array make a field: mask = grid.field('mask', dtype='bool'); "
            "mask.set(array).",
            place=user_place(),
        )
    if len(on.lower) != grid.dimensions or not space.domain.contains(on) or on.is_empty:
        raise GridError(
            f"Kernel '{name}' was given on={on}; expected a box of cells within {grid.domain}.",
        )
    # NumPy's integers are as good, but plans are kept as text.
    box = Box(tuple(map(int, on.lower)), tuple(map(int, on.upper)))
    return space.open_where_lacking(space.unbounded_where_whole(box))


def _refuse_parts(kernel: Kernel, children: Ratio, places: Sequence[str]) -> None:
    """Refuse to assign to a part of what other cells assign, where one does so for several."""
    for statement, place in zip(kernel.statements, places, strict=True):
        if any(o % count for o, count in zip(statement.offset, children, strict=True)):
            raise KernelError(
                f"Kernel '{kernel.name}' assigns '{statement.field}' at the offset "
                f"{statement.offset} and uses fields of a grid coarser by "
                f"{by_axes(children)}; expected multiples of that.",
                hint="Assign to the cell itself, and read from where the value is to come.",
                place=place,
            )


def _coarsened(name: str, region: Box, children: tuple[int, ...], grid: Grid) -> Box:
    """Return a region of cells as one of the coarser cells that span them."""
    ends = zip((*region.lower, *region.upper), (*children, *children), strict=True)
    if any(abs(end) < UNBOUNDED and end % count for end, count in ends):
        raise KernelError(
            f"Kernel '{name}' was given on={region} and reads fields of a grid coarser by "
            f"{by_axes(children)}; expected whole cells of that.",
            hint=f"The grid has {by_axes(grid.extent)} cells: choose a box whose bounds "
            "the ratio divides, or a mask.",
            place=user_place(),
        )
    lower, upper = (
        tuple(
            end if abs(end) >= UNBOUNDED else end // count
            for end, count in zip(corner, children, strict=True)
        )
        for corner in (region.lower, region.upper)
    )
    return Box(lower, upper)
