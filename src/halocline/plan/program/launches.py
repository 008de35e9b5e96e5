"""Called kernels as launches: fused, cut where spaces or boundaries ask for it, and placed."""

from __future__ import annotations

from functools import cache, reduce
from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.errors import KernelError
from halocline.geometry import Box
from halocline.language.boundaries.boundary import boundary_calls, is_on_side, unprescribed
from halocline.language.expressions.fuse import fuse, separate, with_statements
from halocline.language.expressions.kernel import reads
from halocline.language.expressions.verify import refuse_past
from halocline.language.grids.mask import masked
from halocline.language.grids.sides import layer
from halocline.language.steps.calls import swept_fields
from halocline.plan.cells.access import Access
from halocline.plan.program.program import Launch, Masked, beyond

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from halocline.geometry import Offset
    from halocline.language.expressions.expr import Read
    from halocline.language.expressions.kernel import Kernel, Statement
    from halocline.language.grids.fields import Field
    from halocline.language.grids.grid import Grid
    from halocline.language.spaces.space import Space
    from halocline.language.steps.steps import Call


def launches_of(
    call: Call, *, on_demand: bool = False, is_listed: bool = False
) -> tuple[Launch, ...]:
    """Return a call's kernel as fused kernels, each where it runs.

    On a boundary layer each statement becomes a kernel of its own: a layer is thin, and so each
    can run on just the cells where its result is read. Where some of the fields that are assigned
    have a face more than the others, these faces are computed beside all else.

    Args:
        call: The call.
        on_demand: See 'Launch'.
        is_listed: Whether the cells of the call's mask can be listed once for many steps.
    """
    return tuple(
        _launch(call, piece, region, on_demand=on_demand, is_listed=is_listed)
        for part in _parts(call)
        for piece, region in _pieces(call, part)
    )


def _ratio_of_mask(call: Call) -> tuple[int, ...]:
    """Return how many of a mask's cells a cell of the kernel spans: none along axes it lacks."""
    assert call.mask is not None
    space = call.mask.space
    if space.is_beside(call.space):
        return ()
    return tuple(map(int, space.ratio_to(call.space) or ()))


def _has_cells(space: Space, region: Box) -> bool:
    """Return whether a space has the cells of a region, along the axes that it has."""
    return all(
        space.inside.lower[axis] <= region.lower[axis]
        and region.upper[axis] <= space.inside.upper[axis]
        for axis in space.axes
    )


def _launch(call: Call, part: Kernel, region: Box, *, on_demand: bool, is_listed: bool) -> Launch:
    used = {s.field for s in part.statements}
    used |= {r.field for r in reads(*(s.value for s in part.statements))}
    plain = replace(part, fields=tuple(f for f in part.fields if f.name in used))
    fields = [call.field(spec.name) for spec in plain.fields]
    fields += [] if call.mask is None else [call.mask]
    # The cells of a mask are listed row by row; a sweep goes column by column. Beyond the domain
    # a boundary says what the mask is, before each time that it is read.
    is_listed = (
        is_listed
        and part.sweep is None
        and call.mask is not None
        and _has_cells(call.mask.space, region)
    )
    return Launch(
        kernel=plain if call.mask is None else masked(plain, call.mask, ratio=_ratio_of_mask(call)),
        names=tuple(field.name for field in fields),
        scalars=call.scalars,
        region=region,
        on_demand=on_demand or _is_for_others(call, plain),
        is_layer=call.is_layer,
        place=call.place,
        body=None if call.mask is None else Masked(plain, is_listed),
        role=call.role,
        of_leaves=call.of_leaves,
        if_leaves=call.if_leaves,
        towards_leaves=call.towards_leaves,
        space=call.space,
        spaces=tuple(field.space for field in fields),
    )


def _pieces(call: Call, part: Kernel) -> list[tuple[Kernel, Box]]:
    """Return a fused kernel as kernels where they run.

    Of one that runs in some cells first, each statement becomes one of its own if a boundary may
    fill what it reads in the others from what it has assigned there.
    """
    pieces = _placed(call, part)
    assigned = {s.field for s in part.statements}
    read = {r.field for r in reads(*(s.value for s in part.statements))}
    is_filled = any(call.field(name).boundaries for name in assigned & read)
    if not is_filled or part.sweep or len(pieces) == 1:
        return pieces
    parts = separate(part)
    refuse_past(parts, part.name, [call.place] * len(part.statements))
    return [piece for one in parts for piece in _placed(call, one)]


def _placed(call: Call, part: Kernel) -> list[tuple[Kernel, Box]]:
    """Return a fused kernel where all its statements run, and some of these where only they do."""
    regions = [_region(call, part, statement) for statement in part.statements]
    common = reduce(Box.intersect, regions)
    result = [(part, common)]
    rest: dict[Box, list[int]] = {}
    for number, region in enumerate(regions):
        for box in region.subtract(common):
            rest.setdefault(box, []).append(number)
    if rest and part.sweep:
        raise KernelError(
            f"The sweep '{part.name}' assigns fields with different numbers of cells along an "
            "axis, or on faces of a grid while it uses a coarser one; expected the same for all "
            "that one cell does.",
            hint="A field located on faces has one more than there are cells: write a sweep for "
            "each, or bring what it reads to a field of its own grid before.",
            place=call.place,
        )
    result += [(with_statements(part, some), box) for box, some in rest.items()]
    return result


def _region(call: Call, kernel: Kernel, statement: Statement) -> Box:
    """Return where a statement runs: as called, or so that it assigns to all cells of its field."""
    if call.region is not None:
        return call.region
    access = _access(call, kernel, statement)
    if kernel.sweep and not _is_swept(access, kernel):
        return _columns(call, kernel)
    if any(access.displacement):
        return call.space.inside
    if kernel.sweep:
        # Also on sides that boundaries prescribe: there, too, something is handed on.
        return access.users(access.space.inside)
    return access.users(unprescribed(call.field(statement.field)))


def _columns(call: Call, kernel: Kernel) -> Box:
    """Return where a sweep runs: where it assigns to fields with that axis, or else reads them."""
    assert kernel.sweep
    used = [_access(call, kernel, s) for s in kernel.statements]
    assigned = [access for access in used if _is_swept(access, kernel)]
    if any(any(access.displacement) for access in assigned):
        return call.space.inside
    if assigned:
        return reduce(Box.intersect, (a.users(a.space.inside) for a in assigned))
    field = swept_fields(kernel.sweep[0], (), call.fields)[0]
    ratio = kernel.fields[call.fields.index(field)].ratio
    access = Access(field.name, 0, (0,) * field.dimensions, ratio, field.space)
    return access.users(field.space.inside)


def _is_swept(access: Access, kernel: Kernel) -> bool:
    """Return whether a field has the axis along which a kernel sweeps: carries lack it."""
    assert kernel.sweep
    return not access.ratio or access.ratio[kernel.sweep[0]] > 0


def _access(call: Call, kernel: Kernel, use: Read | Statement) -> Access:
    field, ratio = call.field(use.field), kernel.field(use.field).ratio
    return Access(field.name, use.component, use.offset, ratio, field.space)


def _parts(call: Call) -> tuple[Kernel, ...]:
    """Return a call's kernel as fused kernels, between which boundaries can run."""
    if call.is_layer:
        return separate(call.kernel)
    kernel = call.kernel
    regions = dict.fromkeys(_region(call, kernel, statement) for statement in kernel.statements)

    def is_refilled(name: str, offset: Offset) -> bool:
        field = call.field(name)
        access = Access(name, 0, offset, kernel.field(name).ratio, field.space)
        seen = [access.cells(region) for region in regions]
        sides = [side for side in field.boundaries if is_on_side(field, side)]
        inner = [layer(field.space, side, 0, 0) for side in sides]
        return bool(field.boundaries) and any(
            bool(cells.subtract(field.space.inside)) or any(map(cells.meets, inner))
            for cells in seen
        )

    parts = fuse(kernel, is_refilled)
    refuse_past(parts, kernel.name, [call.place] * len(kernel.statements))
    return parts


def _is_for_others(call: Call, kernel: Kernel) -> bool:
    """Return whether a kernel of few cells assigns next door, where others may own what it assigns.

    Then whoever owns that computes it, and nothing needs to be returned. Of kernels on masks those
    are meant that do not work in place: these run in most cells.
    """
    if not any(any(_access(call, kernel, s).displacement) for s in kernel.statements):
        return False
    read = {(r.field, r.component) for r in reads(*(s.value for s in kernel.statements))}
    written = {(s.field, s.component) for s in kernel.statements}
    return call.is_layer or (call.mask is not None and not read & written)


def boundaries_of(grid: Grid, used: Sequence[Launch]) -> dict[str, tuple[Launch, ...]]:
    """Return the boundary kernels of fields that some kernels read beyond the domain.

    Boundaries may read other fields beyond it, too.
    """

    @cache
    def filling(name: str, depth: int) -> tuple[Launch, ...]:
        return tuple(boundary_launches(grid.fields[name], depth))

    def read_by(launches: Sequence[Launch]) -> dict[str, tuple[Launch, ...]]:
        depths = {name: _depth_beyond(field, launches) for name, field in list(grid.fields.items())}
        return {name: filling(name, depth) for name, depth in depths.items()}

    layers = [one for found in read_by(used).values() for one in found]
    return {name: found for name, found in read_by([*used, *layers]).items() if found}


def boundary_launches(field: Field, depth: int) -> list[Launch]:
    """Return the boundary kernels of a field that fill so many layers, and what lies on sides."""
    return [
        launch
        for side in field.boundaries
        for call in boundary_calls(field, side, depth)
        for launch in launches_of(call, on_demand=True)
    ]


def _depth_beyond(field: Field, launches: Iterable[Launch]) -> int:
    """Return how many layers beyond the domain are read of a field."""
    depth, space = 0, field.space
    for launch in launches:
        if field.name not in launch.names:
            continue
        boxes = beyond(launch, field.name)
        # What lacks an axis may be given for the layer itself: it is read all along it.
        if launch.is_layer and not any(space.lacks):
            is_other = field.name not in {name for name, _ in launch.writes}
            if is_other and boxes:
                # Nearly all of a layer lies beyond other sides only where it meets theirs.
                depth = max(depth, 1)
            continue
        for box in boxes:
            for axis in space.axes:
                if not space.periodic[axis]:
                    above = box.upper[axis] - space.domain.upper[axis]
                    depth = max(depth, -box.lower[axis], above)
    return depth
