"""Values between rank 0 and the ranks that own them: one component at a time, or single cells.

Rank 0 never holds more than the component it is asked for. All functions are collective.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from halocline.geometry import Box
    from halocline.language.fields import Field
    from halocline.runtime.storage import BlockStorage

Cell = tuple[int, ...]


def gather_component(field: Field, component: int = 0) -> NDArray[Any] | None:
    """Return one component of all cells, along the axes that it has, on rank 0; None elsewhere."""
    storage = storage_of(field)
    job, mine = storage.job, _local(storage, component)
    boxes = _boxes_of_all(storage, f"gather_component of '{field.name}'")
    if boxes is None:
        for _, values in mine:
            job.collective.communicator.Send(np.ascontiguousarray(values), dest=0)
        return None
    result = np.empty(field.space.shape, field.dtype)
    for box, values in mine:
        result[_cut(field, box)] = values
    for box, rank in _of_others(boxes):
        part = np.empty(tuple(box.extent[axis] for axis in field.space.axes), field.dtype)
        job.collective.communicator.Recv(part, source=rank)
        result[_cut(field, box)] = part
    return result


def scatter_component(field: Field, component: int, values: NDArray[Any] | None) -> None:
    """Give one component of all cells the values (nx, ny, nz) that rank 0 has."""
    storage = storage_of(field)
    job, mine = storage.job, _local(storage, component)
    boxes = _boxes_of_all(storage, f"scatter_component of '{field.name}'")
    if boxes is None:
        for _, view in mine:
            part = np.empty(view.shape, field.dtype)
            job.collective.communicator.Recv(part, source=0)
            view[...] = part
        return
    assert values is not None
    for box, view in mine:
        view[...] = values[_cut(field, box)]
    for box, rank in _of_others(boxes):
        part = np.ascontiguousarray(values[_cut(field, box)])
        job.collective.communicator.Send(part, dest=rank)


def gather_cells(places: Sequence[tuple[Field, int, Cell]]) -> list[Any] | None:
    """Return the values of single cells on rank 0, in the order asked for; None elsewhere.

    Args:
        places: Field, component and cell of each.
    """
    if not places:
        return []
    found: dict[int, Any] = {}
    for number, (field, component, cell) in enumerate(places):
        for box, view in _local(storage_of(field), component):
            if all(l <= c < u for l, c, u in zip(box.lower, cell, box.upper, strict=True)):
                place = np.subtract(cell, box.lower)
                found[number] = view[tuple(place[axis] for axis in field.space.axes)]
    job = storage_of(places[0][0]).job
    with job.call("gather_cells"):
        parts = job.gather(found)
    if parts is None:
        return None
    everything = {number: value for part in parts for number, value in part.items()}
    return [everything[number] for number in range(len(places))]


def storage_of(field: Field) -> BlockStorage:
    """Return where a field's values are, which its simulation must have made."""
    field.local()  # says so if there are none yet
    return cast("BlockStorage", field.storage)


def _boxes_of_all(storage: BlockStorage, call: str) -> list[list[Box]] | None:
    """Return the blocks of all ranks on rank 0, None elsewhere; all of them take part in a call."""
    with storage.job.call(call):
        return storage.job.gather([block.box for block in storage.blocks])


def _local(storage: BlockStorage, component: int) -> list[tuple[Box, NDArray[Any]]]:
    """Return the rank's own cells of one component, a view a block."""
    many = storage.layout.components > 1
    views = [view[component] if many else view for view in storage.local(will_write=False)]
    return [(block.box, view) for block, view in zip(storage.blocks, views, strict=True)]


def _of_others(boxes: list[list[Box]]) -> Iterator[tuple[Box, int]]:
    """Yield the blocks of the other ranks with their owners, in the order in which each sends."""
    for rank, owned in enumerate(boxes[1:], start=1):
        for box in owned:
            yield box, rank


def _cut(field: Field, box: Box) -> tuple[slice, ...]:
    return field.space.subscript(box, (0,) * field.dimensions)
