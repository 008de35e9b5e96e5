"""A field of a forest on one uniform resolution.

Blocks that have been refined get the mean of the finer cells that each of theirs spans, so that
content is kept. Where leaves are coarser than asked for, cells get the value of the cell that spans
them ('nearest'), or that with the central difference along each axis ('linear'): exact for linear
functions, and the mean stays that of the leaf. Constants stay the same to the bit. Whole numbers
and truth values are no means: there the first of the finer cells counts, or the nearest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from halocline.errors import GridError, OutOfMemoryError, nearest
from halocline.free_memory import free_memory, size_text
from halocline.geometry import AXES, by_axes
from halocline.language.grids.refining import both_children, computed_in, merged
from halocline.language.place import user_place
from halocline.language.spaces.leaves import Position, box_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.geometry import Box
    from halocline.language.grids.composite import CompositeField
    from halocline.language.spaces.leaves import Leaves

Prolongation = Literal["linear", "nearest"]
# The values of blocks of a level, by their position.
Blocks = Mapping[Position, "NDArray[Any]"]
# Returns the values of boxes within the leaves of a level on rank 0, None elsewhere; collective.
Gather = Callable[[int, Sequence["Box"]], "list[NDArray[Any]] | None"]


def check_prolongation(prolongation: str) -> None:
    """Refuse an unknown way to fill cells that are finer than leaves."""
    known = get_args(Prolongation)
    if prolongation not in known:
        raise GridError(
            f"The prolongation {prolongation!r} is unknown.",
            hint=nearest(str(prolongation), known),
            place=user_place(),
        )


def check_in_cells(field: CompositeField) -> None:
    """Refuse a field whose values are not those of cells with all axes."""
    coarsest = field.level(0)
    if coarsest.location != "center" or coarsest.axes != AXES[: coarsest.dimensions]:
        raise GridError(
            f"Field '{field.name}' has values at '{coarsest.location}' along "
            f"{', '.join(coarsest.axes)}; expected values in the middle of cells to "
            "bring levels together.",
            hint=f"The values of one level: {field.name}.level(0).",
            place=user_place(),
        )


def check_memory(name: str, extent: Sequence[int], dtype: Any, components: int = 1) -> None:
    """Refuse what does not fit into the memory that is free.

    Raises:
        OutOfMemoryError: It does not fit.
    """
    # One component is made in two halves, which are then put together.
    size = np.dtype(dtype).itemsize * int(np.prod(extent, dtype=object)) * (components + 1)
    if size > (free := free_memory()):
        raise OutOfMemoryError(
            f"Field '{name}' resampled to {by_axes(tuple(extent))} cells takes {size_text(size)} "
            f"on rank 0, where {size_text(free)} are free.",
            hint="Ask for a coarser level.",
            place=user_place(),
        )


def gather_leaves(leaves: Leaves, gather: Gather) -> list[Blocks] | None:
    """Return the leaves' values of all levels on rank 0, None elsewhere; collective."""
    gathered = [gather(level, leaves.boxes(level)) for level in range(len(leaves.levels))]
    values: list[Blocks] = [
        dict(zip(map(tuple, places.tolist()), of, strict=True))
        for places, of in zip(leaves.levels, gathered, strict=True)
        if of is not None
    ]
    return values or None


def resampled(
    field: CompositeField, gathers: Sequence[Gather], level: int, prolongation: Prolongation
) -> NDArray[Any] | None:
    """Return values of all leaves on the cells of a level, on rank 0; collective.

    Args:
        field: Whose values.
        gathers: Where they come from; of several, as of components, there is a first axis.
        level: Any that the forest may have.
        prolongation: What cells get where leaves are coarser.

    Raises:
        GridError: They do not live in the middle of cells, or the prolongation is unknown.
        OutOfMemoryError: They do not fit into memory.
    """
    check_prolongation(prolongation)
    check_in_cells(field)
    forest, job = field.forest, field.level(0).stored().job
    extent = forest.level(level).extent
    with job.call(f"resampled of '{field.name}'"):
        job.on_first(lambda: check_memory(field.name, extent, field.dtype, len(gathers)))
        components = []
        for gather in gathers:
            values = gather_leaves(forest.leaves, gather)
            if values is not None:
                components.append(uniform(forest.leaves, values, level, prolongation))
    if not components:
        return None
    return components[0] if len(components) == 1 else np.stack(components)


def with_refined(values: Sequence[Blocks]) -> list[Blocks]:
    """Return the values of leaves, and of the blocks that have been refined."""
    result = [dict(of_level) for of_level in values]
    for level in range(len(result) - 1, 0, -1):
        for position, fine in result[level].items():
            parent = tuple([n // 2 for n in position])
            coarse = result[level - 1].setdefault(parent, np.empty_like(fine))
            halves = tuple([n % 2 for n in position])
            block = tuple([n // 2 for n in fine.shape])
            within = box_at(halves, block).slices((0,) * len(block))
            coarse[within] = merged(fine, [False] * fine.ndim)
    return list(result)


def uniform(
    leaves: Leaves, values: Sequence[Blocks], level: int, prolongation: Prolongation
) -> NDArray[Any]:
    """Return the values of all cells of a level.

    Args:
        leaves: The forest.
        values: Of the leaves.
        level: Any.
        prolongation: What finer cells get.
    """
    blocks = with_refined(values)
    first = next(iter(blocks[0].values()))
    result = np.empty(leaves.extent(0), first.dtype)
    for finer in range(level + 1):
        if finer:
            result = on_cells_of(result, 1, leaves.periodic, prolongation)
        for position, block in blocks[finer].items() if finer < len(blocks) else ():
            result[leaves.box(position).slices((0,) * result.ndim)] = block
    return result


def on_cells_of(
    values: NDArray[Any], finer: int, periodic: Sequence[bool], prolongation: Prolongation
) -> NDArray[Any]:
    """Return the values of all cells of a level on those of another one.

    Args:
        values: Of all cells.
        finer: How many levels finer the other one is; negative if it is coarser.
        periodic: Whether the domain closes on itself, for each axis.
        prolongation: What finer cells get.
    """
    dtype = values.dtype
    if finer > 0 and prolongation == "linear" and dtype.kind == "f":
        values = values.astype(computed_in(dtype))
        for axis, is_periodic in [*enumerate(periodic)] * finer:
            values = both_children(values, _slope(values, axis, is_periodic=is_periodic), axis)
        return values.astype(dtype)
    for axis in [*range(values.ndim)] * finer:
        values = both_children(values, None, axis)
    for _ in range(-finer):
        values = merged(values, [False] * values.ndim)
    return values


def _slope(values: NDArray[Any], axis: int, *, is_periodic: bool) -> NDArray[Any]:
    """Return half the difference of the cells beside each; beyond a side as the last two differ."""
    cells = np.moveaxis(values, axis, 0)
    beyond = (cells[-1], cells[0])
    if not is_periodic:
        beyond = (2 * cells[0] - cells[1], 2 * cells[-1] - cells[-2])
    padded = np.concatenate([beyond[0][None], cells, beyond[1][None]])
    return np.moveaxis(0.5 * (padded[2:] - padded[:-2]), 0, axis)
