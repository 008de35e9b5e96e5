"""Conditions that fields are given on sides of the domain."""

from __future__ import annotations

from inspect import isfunction, signature
from typing import TYPE_CHECKING, Any

from halocline.errors import GridError, described
from halocline.geometry import AXES
from halocline.language.grids.side_parts import part_of_side
from halocline.language.grids.sides import Mirror, Part, parse_side
from halocline.language.place import user_place

if TYPE_CHECKING:
    from collections.abc import Callable

    from halocline.language.grids.fields import Field


def declare(field: Field, side: str, condition: Any, where: Any, scalars: dict[str, Any]) -> None:
    """Give a field a condition on a side, or on a part of it; see 'Field.boundary'."""
    _check_side(field, side)
    _check_condition(field, side, condition, scalars)
    bound = condition
    if hasattr(condition, "bound"):
        bound = condition.bound(field, side)
    elif scalars:
        bound = _bind_later(condition, scalars)
    field.grid.state.boundaries += 1
    mask, cells = part_of_side(field, side, where)
    # The rest comes first: parts are filled over it.
    parts = [p for p in field.boundaries.pop(side, ()) if p.mask is not None or mask is not None]
    new = Part(condition, bound, mask, cells)
    field.boundaries[side] = (new, *parts) if mask is None else (*parts, new)


def _check_side(field: Field, side: str) -> None:
    """Refuse a side on which a field needs no condition."""
    axis, _ = parse_side(field.dimensions, side)
    if AXES[axis] not in field.axes:
        raise GridError(
            f"Field '{field.name}' was given a boundary on side '{side}', but it has the axes "
            f"'{field.axes}' only.",
            place=user_place(),
        )
    if field.grid.periodic[axis]:
        raise GridError(
            f"Field '{field.name}' was given a boundary on side '{side}', but the grid is "
            f"periodic in {AXES[axis]}.",
            hint="Make the grid non-periodic on that axis or drop the boundary.",
        )


def _check_condition(field: Field, side: str, condition: Any, scalars: dict[str, Any]) -> None:
    """Refuse what is no boundary condition, and numbers for one that is no kernel."""
    is_class = isinstance(condition, type)
    # A function that takes 'on' may call a kernel with other fields, too.
    is_plain = isfunction(condition) and "on" not in signature(condition).parameters
    is_kernel = callable(condition) and not is_plain
    is_known = is_kernel or hasattr(condition, "bound") or isinstance(condition, Mirror)
    if is_class or not is_known:
        hint = "Write @hc.kernel before a function that is one." if is_plain else ""
        raise GridError(
            f"Field '{field.name}' was given {described(condition)} as boundary on side "
            f"'{side}'; expected hc.Dirichlet(value), hc.Neumann(gradient), hc.Robin(a, b, c) "
            "or a kernel of one field.",
            hint=f"Write {condition.__name__}(…)." if is_class else hint,
            place=user_place(),
        )
    if scalars and not is_kernel:
        raise GridError(
            f"The boundary of '{field.name}' on side '{side}' was given "
            f"{', '.join(f'{name}=' for name in scalars)} beside {described(condition)}; only a "
            "kernel takes numbers by keyword.",
            place=user_place(),
        )


def _bind_later(condition: Callable[..., Any], scalars: dict[str, Any]) -> Callable[..., Any]:
    """Return a condition that passes its keyword arguments when called."""
    return lambda field, **region: condition(field, **region, **scalars)
