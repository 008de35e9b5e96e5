"""Across: what kernels may do where a periodic side shifts, and the indices that they see there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.errors import KernelError
from halocline.geometry import AXES
from halocline.language.expressions.expr import Binary, Const, Expr, Index, replaced, walk
from halocline.language.place import user_place

if TYPE_CHECKING:
    from halocline.language.expressions.kernel import Kernel
    from halocline.language.spaces.space import Space


def across_sides(kernel: Kernel, space: Space) -> Kernel:
    """Return a kernel with the indices that cells beside its own have across sides that shift.

    Args:
        kernel: As written for the cells of a space.
        space: That space.
    """
    indices: dict[Expr, Expr] = {
        node: _index(node, space)
        for statement in kernel.statements
        for node in walk(statement.value)
        if isinstance(node, Index) and node.aside
    }
    if not indices:
        return kernel
    statements = (replace(s, value=replaced(s.value, indices)) for s in kernel.statements)
    return replace(kernel, statements=tuple(statements))


def _index(node: Index, space: Space) -> Expr:
    """Return an index along one axis of a cell that lies further along others."""
    axis, offset, aside = node.axis, node.offset, node.aside
    moved: dict[int, Expr] = {}
    for translation in space.translations:
        # Who has been moved by an earlier turn may go around by that alone.
        goes_around = (
            aside[translation.axis]
            or translation.axis in moved
            or (translation.axis == axis and offset)
        )
        if translation.is_straight or not goes_around:
            continue
        step = offset if translation.axis == axis else aside[translation.axis]
        at = moved.get(translation.axis, _add(Index(translation.axis, 0), step))
        times = Binary("floordiv", at, Const(space.extent[translation.axis]))
        for other, way in enumerate(translation.way):
            if way and other != translation.axis:
                step = offset if other == axis else aside[other]
                before = moved.get(other, _add(Index(other, 0), step))
                moved[other] = Binary("sub", before, Binary("mul", times, Const(way)))
    if axis not in moved:
        return Index(axis, offset)
    return Binary("mod", moved[axis], Const(space.extent[axis]))


def _add(index: Expr, step: int) -> Expr:
    return Binary("add", index, Const(step)) if step else index


def refuse_sweep(what: str, axis: int, space: Space) -> None:
    """Refuse a sweep across a side that shifts: its columns have no ends."""
    for translation in space.translations:
        if translation.axis == axis and not translation.is_straight:
            along = next(a for a, step in enumerate(translation.way) if step and a != axis)
            raise KernelError(
                f"{what} goes along {AXES[axis]}, but the grid shifts along "
                f"{AXES[along]} across {AXES[axis]}: a column would go on in another one.",
                hint="Sweep along an axis across which the grid does not shift.",
                place=user_place(),
            )
