"""Give fields their storage, and what they were set to before to the ranks that own the cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import MpiError
from halocline.language.initial import InitialValues

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from halocline.geometry import Box
    from halocline.language.fields import Field
    from halocline.language.grid import Grid
    from halocline.language.space import Space
    from halocline.plan.decomposition import Block
    from halocline.runtime.job import Job
    from halocline.runtime.storage import BlockStorage

    Piece = tuple[Box, NDArray[Any]]


def store_initial_values(
    grid: Grid, storages: Mapping[str, BlockStorage], blocks: Sequence[Block], job: Job
) -> None:
    """Give the fields of a grid their storage, and the values they were set to; collective.

    Args:
        grid: The grid.
        storages: By the names of fields.
        blocks: Those of this rank.
        job: The ranks.

    Raises:
        MpiError: They were set before there was a simulation, by other ranks than those of it.
    """
    own = tuple(block.box for block in blocks)
    grid.own[:] = own
    elsewhere = [
        name for name, field in grid.fields.items() if field.initial and not _is_at_hand(field, own)
    ]
    moving = {name for names in job.everywhere(elsewhere) for name in names}
    for name, field in grid.fields.items():
        field.storage = storages[name]
        initial, field.initial = field.initial, None
        if name in moving:
            known = initial or InitialValues((), ())
            initial = redistributed(known, field.own_boxes(own), field.space, job)
        if initial is not None:
            field.storage.assign(initial)


def _is_at_hand(field: Field, own: Sequence[Box]) -> bool:
    """Return whether this rank has what the field was set to, in its own cells or in all."""
    assert field.initial
    everywhere = field.space.flat(field.space.domain)
    return field.initial.boxes in ((everywhere,), field.own_boxes(own))


def redistributed(
    values: InitialValues, wanted: Sequence[Box], space: Space, job: Job
) -> InitialValues:
    """Return the values of other boxes of cells than this rank has; collective.

    Args:
        values: Those that this rank has; all ranks together have each cell.
        wanted: The boxes whose values this rank is to have.
        space: The cells of the field.
        job: The ranks.

    Raises:
        MpiError: No rank has the values of some of them.
    """
    sent = [_common(values, boxes, space) for boxes in job.everywhere(tuple(wanted))]
    found = [piece for pieces in job.exchanged(sent) for piece in pieces]
    return InitialValues(tuple(wanted), tuple(_joined(box, found, space) for box in wanted))


def _joined(box: Box, pieces: Sequence[Piece], space: Space) -> NDArray[Any]:
    """Return the values of a box of cells, of which each is in one of the pieces."""
    parts = [(cells.intersect(box), cells, array) for cells, array in pieces]
    parts = [part for part in parts if not part[0].is_empty]
    if sum(common.cells for common, _, _ in parts) < box.cells:
        raise MpiError(
            "A field was set before its simulation was made, which has fewer ranks than the "
            "launcher has started.",
            hint="Set fields after the simulation is made.",
        )
    example = parts[0][2]
    extent = tuple(box.extent[axis] for axis in space.axes)
    result = np.empty((*example.shape[: -len(extent)], *extent), example.dtype)
    for common, cells, array in parts:
        place, found = space.subscript(common, box.lower), space.subscript(common, cells.lower)
        result[(..., *place)] = array[(..., *found)]
    return result


def _common(values: InitialValues, boxes: Sequence[Box], space: Space) -> list[Piece]:
    pairs = [
        (have, array, have.intersect(box))
        for have, array in zip(values.boxes, values.arrays, strict=True)
        for box in boxes
    ]
    return [
        (box, array[(..., *space.subscript(box, have.lower))])
        for have, array, box in pairs
        if not box.is_empty
    ]
