"""Regridding: which leaves a forest is to have, as a field or a function of the place says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from halocline.errors import GridError, described
from halocline.geometry import Box
from halocline.language.grids.composite import CompositeField
from halocline.language.grids.criterion import levels_at
from halocline.language.grids.forest import forest_for
from halocline.language.grids.refine import Refine, check_wanted, checked_slack
from halocline.language.place import user_place
from halocline.language.spaces.leaves import by_block, places_in
from halocline.language.spaces.regrading import regraded
from halocline.runtime.storage import storage_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from halocline.language.grids.forest import Forest
    from halocline.language.grids.grid import Grid
    from halocline.language.grids.refine import Wanted
    from halocline.language.spaces.leaves import Leaves
    from halocline.runtime.slots import Slots


def leaves_wanted(forest: Forest, wanted: Wanted, slack: float, slots: Slots) -> Leaves:
    """Return the leaves of a forest, split and merged where that is wanted; collective.

    Args:
        forest: The forest.
        wanted: The level that is wanted at a place.
        slack: See 'Refine'.
        slots: The blocks of this rank.

    Raises:
        GridError: What is wanted somewhere is no number.
    """
    if isinstance(wanted, CompositeField):
        cells_with_levels = _of_field(forest, wanted)
    else:
        cells_with_levels = _of_function(forest, wanted, slots)
    leaves = forest.leaves
    mine = [_in_leaves(cells, leaves) for cells in cells_with_levels]
    levels = [np.empty(len(places)) for places in leaves.levels]
    for part in slots.job.everywhere(mine):
        for level, numbers, values in part:
            levels[level][numbers] = values
    return regraded(leaves, levels, checked_slack(slack), forest.kept)


def checked_refine(refine: Any, grid: Grid) -> Refine | None:
    """Return when and where a simulation's blocks are split and merged, or refuse it.

    Raises:
        GridError: It is something else, or not for this grid.
    """
    if refine is None:
        return None
    if not isinstance(refine, Refine):
        raise GridError(
            f"'refine' was given {described(refine)}; expected an hc.Refine.",
            hint="Write refine=hc.Refine(wanted, every=10).",
            place=user_place(),
        )
    check_wanted(refine.wanted, forest_for(grid, "refine"))
    return refine


class _Cells(NamedTuple):
    """What is wanted in some cells of a level."""

    level: int
    grid: Grid
    box: Box
    values: NDArray[Any]


def _of_field(forest: Forest, wanted: CompositeField) -> Iterator[_Cells]:
    for level, field in enumerate(wanted.levels):
        storage = storage_of(field)
        views = storage.local(will_write=False)
        for block, values in zip(storage.blocks, views, strict=True):
            yield _Cells(level, forest.level(level), block.box, values)


def _of_function(forest: Forest, wanted: Callable[..., Any], slots: Slots) -> Iterator[_Cells]:
    for level in range(forest.levels):
        grid = forest.level(level)
        for box in slots.own_boxes(grid.space):
            yield _Cells(level, grid, box, levels_at(wanted, grid.coordinates("center", box)))


def _in_leaves(cells: _Cells, leaves: Leaves) -> tuple[int, NDArray[np.intp], NDArray[np.float64]]:
    """Return the numbers of a level's leaves that have some cells, and what is wanted in each."""
    _check(cells)
    block = leaves.block
    ends = cells.box.lower, cells.box.upper
    blocks = Box(*(tuple([n // b for n, b in zip(end, block, strict=True)]) for end in ends))
    by_blocks = by_block(cells.values, block)
    highest = by_blocks.max(axis=tuple(range(1, by_blocks.ndim, 2)))
    numbers = leaves.numbers(cells.level, places_in(blocks))
    return cells.level, numbers, highest.ravel().astype(np.float64)


def _check(cells: _Cells) -> None:
    """Refuse levels that are no numbers; any infinite one is more or less than there are."""
    values = cells.values
    missing = np.isnan(values)
    if not missing.any():
        return
    at = np.unravel_index(np.argmax(missing), values.shape)
    axes = cells.grid.coordinates("center", cells.box)
    where = tuple(float(along.ravel()[n]) for along, n in zip(axes, at, strict=True))
    raise GridError(
        f"A forest was given the level {values.dtype.name} {values[at]} at {where}; expected a "
        "number.",
        hint="Where nothing is to be refined let it be 0.",
    )
