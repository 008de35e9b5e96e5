"""Values of single cells on rank 0."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.runtime.storage import storage_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from halocline.geometry import Box
    from halocline.language.grids.fields import Field
    from halocline.runtime.storage import BlockStorage

Cell = tuple[int, ...]


def gather_cells(places: Sequence[tuple[Field, int, Cell]]) -> list[Any] | None:
    """Return the values of single cells on rank 0, in the order asked for; None elsewhere.

    Collective.

    Args:
        places: Field, component and cell of each.
    """
    if not places:
        return []
    mine: dict[int, Any] = {}
    for number, (field, component, cell) in enumerate(places):
        for box, view in _local(storage_of(field), component):
            if all(l <= c < u for l, c, u in zip(box.lower, cell, box.upper, strict=True)):
                place = np.subtract(cell, box.lower)
                mine[number] = view[tuple(place[axis] for axis in field.space.axes)]
    job = storage_of(places[0][0]).job
    with job.call("gather_cells"):
        parts = job.gather(mine)
    if parts is None:
        return None
    everything = {number: value for part in parts for number, value in part.items()}
    return [everything[number] for number in range(len(places))]


def _local(storage: BlockStorage, component: int) -> list[tuple[Box, NDArray[Any]]]:
    """Return the rank's own cells of one component, a view a block."""
    many = storage.layout.components > 1
    views = [view[component] if many else view for view in storage.local(will_write=False)]
    return [(block.box, view) for block, view in zip(storage.blocks, views, strict=True)]
