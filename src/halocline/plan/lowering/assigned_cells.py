"""Which cells of a field kernels assign: the others keep what a user gave them, NaN too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.geometry import without
from halocline.plan.program.program import Masked, all_launches, kept_with_program
from halocline.plan.value.operations import Assigned

if TYPE_CHECKING:
    from halocline.geometry import Box
    from halocline.language.spaces.space import Space
    from halocline.plan.cells.access import Access
    from halocline.plan.program.program import Launch, Program


@kept_with_program
def assigned_cells(program: Program, field: str) -> tuple[Assigned, ...]:
    """Return boxes and masks that hold the cells of a field that kernels may assign.

    Empty if those may be all of its cells.
    """
    space, storages = program.spaces[field], program.groups.get(field, {field})
    found = {
        Assigned(box, mask)
        for storage in storages
        for cells, mask in _assigned(program).get(storage, ())
        for image in space.images(cells)
        for box in [image.intersect(space.domain)]
        if not box.is_empty
    }
    unmasked = [one.box for one in found if one.mask is None]
    if not without([space.domain], unmasked):
        return ()
    return tuple(sorted(found, key=lambda one: (one.box.lower, one.box.upper, one.mask or "")))


@kept_with_program
def _assigned(program: Program) -> dict[str, set[tuple[Box, str | None]]]:
    """Return for each storage which cells kernels assign, and in which mask."""
    found: dict[str, set[tuple[Box, str | None]]] = {}
    for launch in (*all_launches(program.steps), *_of_boundaries(program)):
        for access in {(access.field, access.offset): access for access in launch.assigns}.values():
            mask = _constant_mask(program, launch, access)
            found.setdefault(access.field, set()).add((access.cells(launch.region), mask))
    return found


def _of_boundaries(program: Program) -> list[Launch]:
    return [
        launch
        for fields in program.boundaries.values()
        for launches in fields.values()
        for launch in launches
    ]


def _constant_mask(program: Program, launch: Launch, access: Access) -> str | None:
    """Return the mask outside of which a kernel never assigns a field; None if there is none.

    A mask that changes may follow from the field itself: it would hide where that is lost.
    """
    if not isinstance(launch.body, Masked) or any(access.offset):
        return None
    mask, cells = launch.names[-1], launch.spaces[-1]
    is_changed = mask in program.groups or any(
        name == mask for one in all_launches(program.steps) for name, _ in one.writes
    )
    return None if is_changed or not _covers(cells, access.space) else mask


def _covers(mask: Space, space: Space) -> bool:
    """Return whether a mask has a value for each cell of a space, maybe one along an axis."""
    return mask.is_of_grid(space) and all(
        mask.lacks[axis] or (mask.closing[axis] >= space.closing[axis] and not space.lacks[axis])
        for axis in range(len(space.lacks))
    )
