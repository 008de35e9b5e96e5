"""Boundary conditions as kernels: written in the language, as a user would."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import GridError, described
from halocline.geometry import AXES
from halocline.language.expr import Binary, Cast, Const, Expr, Read, Scalar
from halocline.language.kernel import Kernel, Statement
from halocline.language.parameters import Parameter
from halocline.language.place import user_place
from halocline.language.sides import layer, parse_side
from halocline.language.steps import Call

if TYPE_CHECKING:
    from halocline.geometry import Box
    from halocline.language.fields import Field


@dataclass(frozen=True)
class Dirichlet:
    """Prescribe the value at the side of the domain.

    At a location in the middle between two cells the layer gets the mirrored value, so that the
    mean of the two sides is the prescribed one (second order); a field located on the side itself
    gets the value there.

    Args:
        value: A number or parameter, or one for each component.
    """

    value: Any

    def check(self, field: Field, side: str) -> None:
        """Refuse values that do not fit the field."""
        _values(field, side, self.value)

    def calls(self, field: Field, side: str, depth: int) -> tuple[Call, ...]:
        """Return the kernels that fill 'depth' layers."""
        return _calls(field, side, depth, self.value, _dirichlet)


@dataclass(frozen=True)
class Neumann:
    """Prescribe the derivative along the outward normal [field unit / length unit].

    Args:
        gradient: A number or parameter, or one for each component.
    """

    gradient: Any = 0.0

    def check(self, field: Field, side: str) -> None:
        """Refuse values that do not fit the field."""
        _values(field, side, self.gradient)

    def calls(self, field: Field, side: str, depth: int) -> tuple[Call, ...]:
        """Return the kernels that fill 'depth' layers."""
        return _calls(field, side, depth, self.gradient, _neumann)


@dataclass(frozen=True)
class Mirror:
    """Mirror what lies within; on the side itself a field has its own values."""

    def calls(self, field: Field, side: str, depth: int) -> tuple[Call, ...]:
        """Return the kernels that fill 'depth' layers."""
        calls = _calls(field, side, depth, 0.0, _neumann)
        return calls[1:] if is_on_side(field, side) else calls


def boundary_calls(field: Field, side: str, depth: int) -> tuple[Call, ...]:
    """Return the kernels that fill 'depth' layers of a field beyond a side."""
    condition = field.boundaries[side]
    if hasattr(condition, "calls"):
        return tuple(condition.calls(field, side, depth))
    if depth == 0:
        return ()
    if depth > 1:
        raise GridError(
            f"The kernel given as boundary of '{field.name}' on side '{side}' fills one layer, but "
            f"{depth} are read.",
            hint="Use hc.Dirichlet or hc.Neumann, or read no further than one cell.",
        )
    return (condition(field, on=side),)


def is_on_side(field: Field, side: str) -> bool:
    """Return whether the field has values on a side itself, which its boundary prescribes."""
    axis, _ = parse_side(field.dimensions, side)
    return field.is_on_faces(axis)


def unprescribed(field: Field) -> Box:
    """Return a field's cells but those on a side itself that a boundary prescribes."""
    cells = field.space.inside
    for side in field.boundaries:
        for call in boundary_calls(field, side, 0):
            assert call.region
            axis, sign = parse_side(field.dimensions, side)
            place = call.region.lower[axis]
            ends = (place + 1, cells.upper[axis]) if sign < 0 else (cells.lower[axis], place)
            cells = cells.clip(axis, *ends)
    return cells


def _calls(field: Field, side: str, depth: int, value: Any, rule: Any) -> tuple[Call, ...]:
    on_side = is_on_side(field, side)
    values = _values(field, side, value)
    layers = range(0 if on_side else 1, depth + 1)
    return tuple(_call(field, side, n, depth, values, rule(n, on_side=on_side)) for n in layers)


def _values(field: Field, side: str, given: Any) -> tuple[float | Parameter, ...]:
    """Return what a boundary prescribes for each component, or refuse what is no such thing."""
    is_row = isinstance(given, np.ndarray) and given.ndim == 1
    is_list = is_row or isinstance(given, list | tuple)
    values = tuple(given) if is_list else (given,) * field.components
    is_right = len(values) == field.components and all(map(_is_value, values))
    if is_right and np.dtype(field.dtype).kind in "iub":
        is_right = all(isinstance(v, Parameter) or float(v).is_integer() for v in values)
    if not is_right:
        kind = "whole number" if np.dtype(field.dtype).kind in "iub" else "number"
        each = f"one {kind} for each of its {field.components} components"
        raise GridError(
            f"The boundary of '{field.name}' on side '{side}' was given {described(given)}; "
            f"expected a {kind} or an hc.Parameter"
            f"{f', or {each}' if field.components > 1 else ''}.",
            hint="A value that changes with time is a parameter; for one that changes from place "
            "to place give a kernel that runs on the layer.",
            place=user_place(),
        )
    return values


def _is_value(value: Any) -> bool:
    if isinstance(value, Parameter):
        return True
    return isinstance(value, int | float | np.number | np.bool_) and bool(np.isfinite(value))


@dataclass(frozen=True)
class _Rule:
    """factor * value + weight * (the field 'distance' cells further in)."""

    factor: float
    weight: float
    distance: int


def _dirichlet(n: int, *, on_side: bool) -> _Rule:
    if not on_side:
        return _Rule(2.0, -1.0, 2 * n - 1)
    return _Rule(1.0, 0.0, 0) if n == 0 else _Rule(2.0, -1.0, 2 * n)


def _neumann(n: int, *, on_side: bool) -> _Rule:
    if not on_side:
        return _Rule(2 * n - 1.0, 1.0, 2 * n - 1)
    # On the side itself the one-sided difference to the first cell inside.
    return _Rule(1.0, 1.0, 1) if n == 0 else _Rule(2.0 * n, 1.0, 2 * n)


def _call(
    field: Field, side: str, n: int, depth: int, values: tuple[Any, ...], rule: _Rule
) -> Call:
    axis, sign = parse_side(field.dimensions, side)
    _check_mirror(field, side, n, rule)
    inward = tuple(-sign * rule.distance if a == axis else 0 for a in range(field.grid.dimensions))
    factor = rule.factor
    if rule.weight > 0:
        factor *= _distance(field, side, n, rule)
    here = (0,) * field.grid.dimensions
    names = tuple(f"value_{q}" for q in range(field.components))
    inside = [Read("field", q, inward) for q in range(field.components)]
    filled = [_rule_value(Scalar(n), factor, i, rule) for n, i in zip(names, inside, strict=True)]
    if np.dtype(field.dtype).kind != "f":
        filled = [Cast(field.dtype, one) for one in filled]
    statements = tuple(Statement("field", q, one, here) for q, one in enumerate(filled))
    return Call(
        Kernel(
            f"boundary_{side[0]}{'low' if sign < 0 else 'high'}_{n}",
            field.grid.dimensions,
            (field.type_as("field"),),
            names,
            statements,
        ),
        (field,),
        tuple(v if isinstance(v, Parameter) else float(v) for v in values),
        # Layer 0 is that on the side itself, where the field has one.
        layer(field.space, side, n, depth),
        n > 0,
        f"boundary of '{field.name}' on side '{side}'",
        None,
        field.space,
    )


def _distance(field: Field, side: str, n: int, rule: _Rule) -> float:
    """Return what the gradient is multiplied by, but for the rule's factor: the spacing."""
    axis, sign = parse_side(field.dimensions, side)
    spacing = field.grid.spacing[axis]
    if not field.grid.is_stretched(axis):
        return float(spacing)
    # Layers are as wide as the cells that they mirror.
    widths = spacing[::-1] if sign > 0 else spacing
    if n == 0:
        return float(widths[0])
    if is_on_side(field, side):
        return float(2 * widths[:n].sum() / rule.factor)
    return float((2 * widths[: n - 1].sum() + widths[n - 1]) / rule.factor)


def _check_mirror(field: Field, side: str, n: int, rule: _Rule) -> None:
    """Refuse a layer that would mirror a cell beyond the opposite side."""
    axis, sign = parse_side(field.dimensions, side)
    extent = field.space.domain.upper[axis]
    position = extent + n - 1 if sign > 0 else -n
    if rule.weight and not 0 <= position - sign * rule.distance < extent:
        raise GridError(
            f"Field '{field.name}' is read {n} cells beyond side '{side}', where its boundary "
            f"mirrors what lies within, but the grid has only {extent} cells along {AXES[axis]}.",
            hint="Use a wider grid, or a kernel that reads less far.",
        )


def _rule_value(value: Expr, factor: float, inside: Expr, rule: _Rule) -> Expr:
    scaled = value if factor == 1.0 else Binary("mul", Const(factor), value)
    if rule.weight == 0.0:
        return scaled
    return Binary("add" if rule.weight > 0 else "sub", scaled, inside)
