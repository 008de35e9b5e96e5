"""Boundary conditions as kernels: written in the language, as a user would."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace

from halocline.errors import GridError, described
from halocline.frozen import Frozen
from halocline.geometry import AXES
from halocline.language.boundaries.side_values import SideValues, ratio_of, values_on_side
from halocline.language.boundaries.traced_layer import tracing_layer
from halocline.language.expressions.expr import Binary, Cast, Const, Expr, Read
from halocline.language.expressions.kernel import Kernel, Statement
from halocline.language.grids.mask import masked
from halocline.language.grids.sides import Mirror, layer, parse_side
from halocline.language.place import user_place
from halocline.language.steps.steps import Call

if TYPE_CHECKING:
    from halocline.geometry import Box
    from halocline.language.grids.fields import Field
    from halocline.language.grids.sides import Part


class Robin(Frozen):
    """Prescribe a sum at the side of the domain: a * u + b * du/dn = c, n the outward normal.

    At a location in the middle between two cells, u on the side is the mean of the layer and its
    mirror image, and du/dn their difference (second order). On the side itself, du/dn is the
    difference to the first value inside.

    Args:
        a: A number.
        b: A number [length unit].
        c: Numbers, parameters, arrays of the side's cells, fields without the axis across the side
            or functions of place and time, as 'lambda y, z, t: hc.sin(y) * hc.cos(t)', whose
            arguments are some of x, y, z and t; one of these, or one for each component. Arrays
            have the shape of all cells without the axis across the side; of a field with as many
            components as such a row has cells, a row is that of the cells.

    Example:
        >>> T = hc.Grid((8, 8)).field("T")
        >>> T.boundary("y-", hc.Robin(1.0, 0.5, 2.0))
    """

    a: float
    b: float
    c: Any

    def homogeneous(self) -> Robin:
        """Return the condition of a difference of two fields that fulfil this one."""
        return Robin(self.a, self.b, 0.0)

    def bound(self, field: Field, side: str) -> _Prescribed:
        """Return what is prescribed for a field, or refuse what does not fit it."""
        for factor in (self.a, self.b):
            is_number = isinstance(factor, int | float | np.number)
            if not is_number or not np.isfinite(factor):
                raise GridError(
                    f"The boundary of '{field.name}' on side '{side}' was given the factor "
                    f"{described(factor)}; expected numbers a and b of a * u + b * du/dn = c.",
                    place=user_place(),
                )
        if self.a == 0 == self.b or self.a * self.b < 0:
            raise GridError(
                f"The boundary of '{field.name}' on side '{side}' was given {self.a} * u + "
                f"{self.b} * du/dn = c; expected factors of one sign, not both 0.",
                hint="With others the layer may have no value.",
                place=user_place(),
            )
        given = values_on_side(field, side, self.c)
        return _Prescribed(field, side, Fraction(self.a), Fraction(self.b), given)


class Dirichlet(Frozen):
    """Prescribe the value at the side of the domain.

    At a location in the middle between two cells the layer gets the mirrored value, so that the
    mean of the two sides is the prescribed one (second order); a field located on the side itself
    gets the value there. Layers of integers and truth values get the value as it is.

    Args:
        value: What 'Robin' takes for c.

    Example:
        >>> T = hc.Grid((8, 8)).field("T")
        >>> T.boundary("x-", hc.Dirichlet(1.0))
    """

    value: Any

    def homogeneous(self) -> Dirichlet:
        """Return the condition of a difference of two fields that fulfil this one."""
        return Dirichlet(0.0)

    def bound(self, field: Field, side: str) -> _Prescribed:
        """Return what is prescribed for a field, or refuse what does not fit it."""
        return Robin(1, 0, self.value).bound(field, side)


class Neumann(Frozen):
    """Prescribe the derivative along the outward normal [field unit / length unit].

    Args:
        gradient: What 'Robin' takes for c.

    Example:
        >>> T = hc.Grid((8, 8)).field("T")
        >>> T.boundary(["x-", "x+"], hc.Neumann(0.0))
    """

    gradient: Any = 0.0

    def homogeneous(self) -> Neumann:
        """Return the condition of a difference of two fields that fulfil this one."""
        return Neumann(0.0)

    def bound(self, field: Field, side: str) -> _Prescribed:
        """Return what is prescribed for a field, or refuse what does not fit it."""
        return Robin(0, 1, self.gradient).bound(field, side)


def boundary_calls(field: Field, side: str, depth: int) -> tuple[Call, ...]:
    """Return the kernels that fill 'depth' layers of a field beyond a side."""
    parts = field.boundaries[side]
    calls_of_parts = [_calls_of(field, side, part.condition, depth) for part in parts]
    if any(calls_of_parts):
        _check_covered(field, side, parts)
    if depth == 0 and any(calls_of_parts) and not all(calls_of_parts):
        raise GridError(
            f"Field '{field.name}' lies on side '{side}' itself, and a kernel is given as its "
            "boundary on a part of that; expected conditions for all parts, or kernels.",
            hint="Use hc.Dirichlet, hc.Neumann or hc.Robin.",
        )
    return tuple(
        call if part.mask is None else _only_where(call, part.mask)
        for part, calls in zip(parts, calls_of_parts, strict=True)
        for call in calls
    )


def is_on_side(field: Field, side: str) -> bool:
    """Return whether the field has values on a side itself, which its boundary prescribes."""
    axis, _ = parse_side(field.dimensions, side)
    return field.location.is_on_faces(axis)


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


def _calls_of(field: Field, side: str, condition: Any, depth: int) -> tuple[Call, ...]:
    """Return the kernels of one condition, from the innermost layer to the outermost."""
    match condition:
        case _Prescribed():
            return condition.calls(depth)
        case Mirror(value):
            is_even = value is None
            given = values_on_side(field, side, 0.0 if is_even else value)
            rule = (Fraction(0), Fraction(1)) if is_even else (Fraction(1), Fraction(0))
            calls = _Prescribed(field, side, *rule, given).calls(depth)
            # On the side itself it has its own values, unless one is given.
            return calls[1:] if is_even and is_on_side(field, side) else calls
        case _:
            return tuple(_traced(field, side, condition, n, depth) for n in range(1, depth + 1))


def _traced(field: Field, side: str, kernel: Any, n: int, depth: int) -> Call:
    """Return the call of a user's kernel that fills the n-th layer."""
    with tracing_layer(n):
        call: Call = kernel(field, on=side)
    return replace(call, region=layer(field.space, side, n, depth))


def _check_covered(field: Field, side: str, parts: tuple[Part, ...]) -> None:
    """Refuse a boundary that leaves out cells of a side."""
    if any(part.mask is None for part in parts):
        return
    masks = [part.cells for part in parts if part.cells is not None]
    left = np.argwhere(~np.any(masks, axis=0)) if masks else [[0] * (len(field.axes) - 1)]
    if len(left):
        axes = [axis for axis in field.axes if axis != side[0]]
        cell = ", ".join(f"{axis} = {int(i)}" for axis, i in zip(axes, left[0], strict=True))
        raise GridError(
            f"The boundary of '{field.name}' on side '{side}' is given on parts of it; the cell "
            f"{cell} is in none that is known before the run.",
            hint=f"Write {field.name}.boundary('{side}', …) without 'where' for the rest.",
        )


def _only_where(call: Call, mask: Field) -> Call:
    """Return a kernel on a layer that keeps what is there outside of a part."""
    kernel = masked(call.kernel, mask, ratio=ratio_of(mask))
    return replace(call, kernel=kernel, fields=(*call.fields, mask))


class _Prescribed(Frozen):
    """What a side prescribes for a field: a * u + b * du/dn = value."""

    field: Field
    side: str
    a: Fraction
    b: Fraction
    values: SideValues

    def calls(self, depth: int) -> tuple[Call, ...]:
        """Return the kernels that fill 'depth' layers, and what lies on the side itself."""
        first = 0 if is_on_side(self.field, self.side) else 1
        return tuple(self._call(n, depth) for n in range(first, depth + 1))

    def _call(self, n: int, depth: int) -> Call:
        field, side = self.field, self.side
        axis, sign = parse_side(field.dimensions, side)
        rule = self._rule(n)
        _check_mirror(field, side, n, rule)
        here = (0,) * field.dimensions
        way = tuple(-sign * rule.distance if a == axis else 0 for a in range(field.dimensions))
        filled = [
            rule.value(node, Read("field", q, way)) for q, node in enumerate(self.values.nodes)
        ]
        if np.dtype(field.dtype).kind != "f":
            filled = [Cast(field.dtype, value) for value in filled]
        others = self.values.fields
        kernel = Kernel(
            f"boundary_{side[0]}{'low' if sign < 0 else 'high'}_{n}",
            field.dimensions,
            (field.type_as("field"), *(f.type_as(o, ratio_of(f)) for o, f in others.items())),
            tuple(self.values.scalars),
            tuple(Statement("field", q, value, here) for q, value in enumerate(filled)),
        )
        return Call(
            kernel,
            (field, *others.values()),
            tuple(self.values.scalars.values()),
            # Layer 0 is that on the side itself, where the field has one.
            layer(field.space, side, n, depth),
            n > 0,
            f"boundary of '{field.name}' on side '{side}'",
            None,
            field.space,
        )

    def _rule(self, n: int) -> _Rule:
        a, b = self.a, self.b
        on_side = is_on_side(self.field, self.side)
        if not b and np.dtype(self.field.dtype).kind != "f":
            # Nothing lies between two integers: a mean of both would prescribe none of them.
            return _Rule(float(1 / a), 0.0, 0)
        if n == 0:
            # The one-sided difference to the first value inside.
            slope = b / _distance(self.field, self.side, 1, on_side=True) * 2
            return _Rule(float(1 / (a + slope)), float(slope / (a + slope)), 1 if b else 0)
        slope = b / _distance(self.field, self.side, n, on_side=on_side)
        total = a / 2 + slope
        return _Rule(float(1 / total), float((slope - a / 2) / total), 2 * n - (not on_side))


class _Rule(Frozen):
    """factor * value + weight * (the field 'distance' cells further in)."""

    factor: float
    weight: float
    distance: int

    def value(self, given: Expr, inside: Expr) -> Expr:
        """Return it as an expression."""
        scaled = given if self.factor == 1.0 else Binary("mul", Const(self.factor), given)
        if self.weight == 0.0:
            return scaled
        size = abs(self.weight)
        part = inside if size == 1.0 else Binary("mul", Const(size), inside)
        return Binary("add" if self.weight > 0 else "sub", scaled, part)


def _distance(field: Field, side: str, n: int, *, on_side: bool) -> Fraction:
    """Return how far the n-th layer is from what it mirrors [length unit]."""
    axis, sign = parse_side(field.dimensions, side)
    widths = field.grid.spacing[axis]
    if not field.grid.is_stretched(axis):
        return (2 * n - (not on_side)) * Fraction(widths)
    # Layers are as wide as the cells that they mirror.
    inwards = [Fraction(width) for width in (widths[::-1] if sign > 0 else widths)[:n]]
    return 2 * sum(inwards, Fraction(0)) - (0 if on_side or not inwards else inwards[-1])


def _check_mirror(field: Field, side: str, n: int, rule: _Rule) -> None:
    """Refuse a layer that would mirror a value beyond the opposite side, or on it.

    What lies on that is prescribed, too: which comes first would decide.
    """
    axis, sign = parse_side(field.dimensions, side)
    extent = field.space.domain.upper[axis]
    position = extent + n - 1 if sign > 0 else -n
    on_side = 1 if n and is_on_side(field, side) else 0
    first, end = (on_side, extent) if sign > 0 else (0, extent - on_side)
    if rule.weight and not first <= position - sign * rule.distance < end:
        cells = field.grid.extent[axis]
        raise GridError(
            f"Field '{field.name}' is read {n} cells beyond side '{side}', where its boundary "
            f"mirrors what lies within, but the grid has only {cells} cells along {AXES[axis]}.",
            hint="Use a wider grid, or a kernel that reads less far.",
        )
