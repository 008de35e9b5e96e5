"""Store the fields of a grid, with what they were set to or the values that they have elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.language.grids.initial import InitialValues

if TYPE_CHECKING:
    from collections.abc import Iterable

    from halocline.language.grids.fields import Field
    from halocline.plan.layout import FieldLayout
    from halocline.runtime.executor import Executor
    from halocline.runtime.job import Job
    from halocline.runtime.storage import BlockStorage


def store_fields(
    layouts: Iterable[FieldLayout], executor: Executor, before: Executor | None, job: Job
) -> None:
    """Store fields with their values; collective.

    One after the other: a field is given up on its old blocks before the next one is stored.

    Args:
        layouts: How they are stored.
        executor: Stores them.
        before: What has stored them so far, and gives them up; None at first.
        job: The ranks.

    Raises:
        MpiError: They were set before there was a simulation, by other ranks than those of it.
    """
    grid = executor.grid
    grid.held.own = executor.own_boxes
    layouts = tuple(layouts)
    fields = {one.name: grid.fields[one.name] for one in layouts if one.name in grid.fields}
    elsewhere = [
        name
        for name, field in fields.items()
        if field.initial and not _is_at_hand(field, field.initial)
    ]
    moving = {name for names in job.everywhere(elsewhere) for name in names}
    if before is not None:
        before.remove(*sorted(before.storages.keys() - {one.name for one in layouts}))
    for layout in layouts:
        storage = executor.store(layout)
        if before is not None and layout.name in before.storages:
            storage.take_over(before.storages[layout.name])
            before.remove(layout.name)
        if layout.name in fields:
            field = fields[layout.name]
            field.storage = storage
            _set_initial(field, storage, job, is_moving=layout.name in moving)
            field.set_beside()


def _is_at_hand(field: Field, initial: InitialValues) -> bool:
    """Return whether this rank has what the field was set to, in its own cells or in all."""
    everywhere = field.space.flat(field.space.domain)
    return initial.boxes in ((everywhere,), field.own_boxes())


def _set_initial(field: Field, storage: BlockStorage, job: Job, *, is_moving: bool) -> None:
    initial, field.initial = field.initial, None
    if is_moving:
        known = initial or InitialValues((), ())
        storage.fill(known, job.everywhere(list(known.boxes)))
    elif initial is not None:
        storage.assign(initial)
