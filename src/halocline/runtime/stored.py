"""Store the fields of a grid, with what they were set to or the values that they have elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from halocline.language.grids.initial import InitialValues
from halocline.language.steps.coupling import is_set_anew
from halocline.plan.blocks.regridding import Forested, Regridding
from halocline.runtime.regridding import take_over_levels

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from halocline.language.grids.composite import CompositeField
    from halocline.language.grids.fields import Field
    from halocline.language.grids.forest import Forest
    from halocline.language.grids.grid import Grid
    from halocline.plan.schedule.layout import FieldLayout
    from halocline.runtime.job import Job
    from halocline.runtime.slots import Slots
    from halocline.runtime.storage import BlockStorage


def store_fields(
    layouts: Iterable[FieldLayout], grid: Grid, slots: Slots, before: Slots | None
) -> None:
    """Store fields with their values; collective.

    One after the other: a field is given up on its old blocks before the next one is stored.

    Args:
        layouts: How they are stored.
        grid: Whose fields they are.
        slots: Where they are stored.
        before: Where they have been stored so far, and are given up; None at first.

    Raises:
        MpiError: They were set before there was a simulation, by other ranks than those of it.
    """
    job = slots.job
    grid.state.own_boxes = slots.own_boxes
    layouts = tuple(layouts)
    fields = {
        layout.name: grid.fields[layout.name] for layout in layouts if layout.name in grid.fields
    }
    regridding = None if before is None else _regridding(before, slots)
    groups = _together(layouts, None if regridding is None else grid.state.forest)
    anew = _apart(groups) if regridding is not None else set()
    elsewhere = [
        name
        for name, field in fields.items()
        if field.initial and not _is_at_hand(field, field.initial)
        if name not in anew or field.given is None
    ]
    moving = {name for names in job.everywhere(elsewhere) for name in names}
    if before is not None:
        before.remove(*sorted(before.storages.keys() - {layout.name for layout in layouts}))
    for group in groups:
        names = [layout.name for layout in group.layouts]
        storages = [slots.store(layout) for layout in group.layouts]
        own = [(fields[n], s) for n, s in zip(names, storages, strict=True) if n in fields]
        for field, storage in own:
            field.storage = storage
        _set_anew(field for field, _ in own if field.name in anew)
        if before is not None:
            _take_over(storages, group.field, grid, before, regridding)
        for field, storage in own:
            _set_initial(field, storage, job, is_moving=field.name in moving)
            # Memory begins with zeros.
            if field.given is not None:
                field.set_beside()


class _Group(NamedTuple):
    """Fields that are stored together.

    Attributes:
        layouts: How; of a forest's field that of each level, the coarsest first.
        field: That field, if its levels make each other's values; else None.
    """

    layouts: list[FieldLayout]
    field: CompositeField | None


def _together(layouts: Sequence[FieldLayout], changed: Forest | None) -> list[_Group]:
    """Return layouts as groups, one after the other, those of a forest that has changed together.

    Args:
        layouts: Of all fields.
        changed: The forest, if it has other leaves than before.
    """
    composite = {
        level.name: field
        for field in (() if changed is None else changed.fields.values())
        if not is_set_anew(field)
        for level in field.levels
    }
    groups: dict[str, _Group] = {}
    for layout in layouts:
        field = composite.get(layout.name)
        name = layout.name if field is None else field.name
        groups.setdefault(name, _Group([], field)).layouts.append(layout)
    for group in groups.values():
        group.layouts.sort(key=lambda layout: layout.space.level)
    return list(groups.values())


def _apart(groups: Iterable[_Group]) -> set[str]:
    """Return the names of fields of which levels do not make each other's values."""
    return {layout.name for group in groups if group.field is None for layout in group.layouts}


def _regridding(before: Slots, slots: Slots) -> Regridding | None:
    """Return what becomes of a forest's leaves; None if they are the same."""
    old, new = before.leaves, slots.leaves
    if old is None or new is None or old == new:
        return None
    return Regridding(Forested(old, before.decomposition), Forested(new, slots.decomposition))


def _set_anew(fields: Iterable[Field]) -> None:
    """Give fields what they were set to, where that is known as a function or number."""
    for field in fields:
        if field.given is not None:
            field.set(field.given)


def _take_over(
    storages: Sequence[BlockStorage],
    field: CompositeField | None,
    grid: Grid,
    before: Slots,
    regridding: Regridding | None,
) -> None:
    """Take over the values of fields, and give up where they were; collective.

    What steps need beside the user's fields says where levels meet: it is not taken over by others.
    """
    pairs = [
        (before.storages[s.layout.name], s) for s in storages if s.layout.name in before.storages
    ]
    if field is not None and regridding is not None and pairs:
        take_over_levels(field, pairs, regridding, before.job)
    for old, new in pairs if field is None else ():
        known = grid.fields.get(new.layout.name)
        if regridding is None or (known is not None and not known.is_hidden):
            new.take_over(old)
    before.remove(*(new.layout.name for _, new in pairs))


def _is_at_hand(field: Field, initial: InitialValues) -> bool:
    """Return whether this rank has what the field was set to, in its own cells or in all."""
    everywhere = field.space.flat(field.space.domain)
    return initial.boxes in ((everywhere,), field.own_boxes())


def _set_initial(field: Field, storage: BlockStorage, job: Job, *, is_moving: bool) -> None:
    initial, field.initial = field.initial, None
    if is_moving:
        values = initial or InitialValues((), ())
        storage.fill(values, job.everywhere(list(values.boxes)))
    elif initial is not None:
        storage.assign(initial)
