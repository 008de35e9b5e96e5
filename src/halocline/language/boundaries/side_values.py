"""What a boundary prescribes on a side: numbers, arrays, fields or functions of place and time."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import field
from msgspec.structs import replace

from halocline.errors import GridError, described
from halocline.frozen import Frozen
from halocline.geometry import AXES
from halocline.language.differences.differences import with_differences
from halocline.language.expressions import operators, parameters
from halocline.language.expressions.expr import (
    Const,
    Expr,
    Metric,
    Number,
    Read,
    Scalar,
    replaced,
    walk,
)
from halocline.language.expressions.kernel import Kernel, Statement
from halocline.language.expressions.parameters import numbers_in
from halocline.language.grids.complex_fields import ComplexField
from halocline.language.grids.fields import Field
from halocline.language.grids.sides import mirror_at_walls, parse_side, shape_of_side
from halocline.language.numbers import is_masked
from halocline.language.place import user_place
from halocline.language.series.filling import fill
from halocline.language.series.series import Series

if TYPE_CHECKING:
    from collections.abc import Callable


class SideValues(Frozen):
    """An expression for each component, in a kernel on the layers of a side.

    Attributes:
        nodes: The expressions.
        scalars: What they read at run time.
        fields: What they read of fields without the axis across the side.
    """

    nodes: list[Expr] = field(default_factory=list)
    scalars: dict[str, float | parameters.Parameter] = field(default_factory=dict)
    fields: dict[str, Field] = field(default_factory=dict)


def ratio_of(other: Field) -> tuple[int, ...]:
    """Return how many of a field's cells a cell of a layer beside it spans along each axis."""
    return tuple(0 if is_lacking else 1 for is_lacking in other.space.lacks)


def values_on_side(target: Field, side: str, given: Any) -> SideValues:
    """Return what a side prescribes for each component of a field.

    Raises:
        GridError: It is no such thing, or does not fit the field.
    """
    result = SideValues()
    for q, entry in enumerate(_for_each(target, side, given)):
        result.nodes.append(_node(target, side, given, entry, q, result))
    return result


def _for_each(target: Field, side: str, given: Any) -> list[Any]:
    """Return what is given for each component; of a complex field for both parts of each."""
    entries = _for_each_value(target, side, given)
    if not isinstance(target, ComplexField):
        return entries
    called = (_called(target, side, entry) if _is_function(entry) else entry for entry in entries)
    return [part for value in called for part in target.parts_on_side(value)]


def _for_each_value(target: Field, side: str, given: Any) -> list[Any]:
    """Return what is given for each of the values that a cell has."""
    count = target.per_cell
    if _is_function(given):
        returned = _called(target, side, given)
        entries = list(returned) if isinstance(returned, list | tuple) else [returned] * count
    elif isinstance(given, list | tuple):
        entries = list(given)
    elif isinstance(given, np.ndarray) and given.ndim:
        shape = shape_of_side(target, side)
        # As many numbers as the side has cells are those of its cells.
        is_for_each = given.shape != shape and given.shape in ((count,), (count, *shape))
        entries = list(given) if is_for_each or not shape else [given] * count
    else:
        entries = [given] * count
    if len(entries) != count:
        raise _refused(target, side, given)
    return entries


def _is_function(given: Any) -> bool:
    return callable(given) and not isinstance(given, operators.Operand)


def _node(target: Field, side: str, given: Any, entry: Any, q: int, into: SideValues) -> Expr:
    here = (0,) * target.dimensions
    if _is_function(entry):
        entry = _called(target, side, entry)
    if is_masked(entry):
        raise _refused(target, side, entry)
    if isinstance(entry, np.ndarray) and entry.ndim:
        entry = _stored(target, side, entry)
    if isinstance(entry, Series) and entry.shape:
        entry = _followed(target, side, entry, into)
    if isinstance(entry, Field):
        _check_field(target, side, entry)
        name = f"on_side_{entry.name}"
        into.fields[name] = entry
        return Read(name, q if entry.components > 1 else 0, here)
    if isinstance(entry, parameters.Parameter) or _is_number(target, entry):
        name = f"value_{q}"
        into.scalars[name] = entry if isinstance(entry, parameters.Parameter) else float(entry)
        return Scalar(name)
    if isinstance(entry, operators.Operand):
        return _expanded(target, side, entry.expression(), into)
    raise _refused(target, side, given)


def _is_number(target: Field, value: Any) -> bool:
    value = value[()] if isinstance(value, np.ndarray) and not value.ndim else value
    if not isinstance(value, int | float | np.number | np.bool_) or not np.isfinite(value):
        return False
    return np.dtype(target.dtype).kind == "f" or float(value).is_integer()


def _called(target: Field, side: str, function: Callable[..., Any]) -> Any:
    """Return what a function of place and time makes of symbols."""
    axis, sign = parse_side(target.dimensions, side)
    known: dict[str, Expr] = {a: Metric("coordinate", AXES.index(a), 0) for a in target.axes}
    known[AXES[axis]] = Const(float(target.grid.faces(axis)[-1 if sign > 0 else 0]))
    known["t"] = parameters.time.expression()
    try:
        asked = inspect.signature(function).parameters.values()
        names = [one.name for one in asked if one.default is one.empty]
    except (TypeError, ValueError):
        names = ["?"]
    if any(name not in known for name in names):
        raise GridError(
            f"The boundary of '{target.name}' on side '{side}' was given a function of "
            f"{', '.join(names)}; expected some of {', '.join(known)}.",
            hint="Other numbers are parameters, or variables of the function that it is made in.",
            place=user_place(),
        )
    return function(*(operators.Value(known[name]) for name in names))


def _expanded(target: Field, side: str, node: Expr, into: SideValues) -> Expr:
    """Return the value of a function, its coordinates spelled out."""
    strange = next((n for n in walk(node) if isinstance(n, Read)), None)
    if strange is not None:
        raise GridError(
            f"The function given as boundary of '{target.name}' on side '{side}' reads the field "
            f"'{strange.field}'; expected a function of place and time.",
            hint="Give a field without the axis across the side, or a kernel that runs on it.",
            place=user_place(),
        )
    for number in numbers_in(node):
        name = f"number_{len(into.scalars)}"
        into.scalars[name] = number
        node = replaced(node, {Number(number): Scalar(name)})
    here = (0,) * target.dimensions
    statement = Statement("field", 0, node, here)
    kernel = Kernel("boundary", len(here), (target.type_as("field"),), (), (statement,))
    space = replace(target.space, closing=here)
    found, fields, _ = with_differences(
        kernel, {"field": target}, target.grid, space, [user_place()]
    )
    into.fields.update({name: f for name, f in fields.items() if f is not target})
    return found.statements[0].value


def _stored(target: Field, side: str, values: Any) -> Field:
    """Return an array of the side's cells as a hidden field."""
    shape = shape_of_side(target, side)
    if values.shape != shape or not shape:
        raise GridError(
            f"The boundary of '{target.name}' on side '{side}' was given values of shape "
            f"{values.shape}; expected {shape or 'a number'}.",
            place=user_place(),
        )
    result = _hidden_on(target, side)
    result.set(values)
    return result


def _followed(target: Field, side: str, series: Series, into: SideValues) -> Field:
    """Return a hidden field that is filled with a series of the side's cells."""
    for known in into.fields.values():
        if known.filled_by is not None and known.filled_by.series is series:
            return known
    shape, count = shape_of_side(target, side), target.components
    is_for_each = count > 1 and series.shape == (count, *shape)
    if not shape or (series.shape != shape and not is_for_each):
        raise GridError(
            f"The boundary of '{target.name}' on side '{side}' was given the series "
            f"'{series.name}' with values of shape {series.shape} at each time; expected "
            f"{shape or 'a number'}.",
            place=user_place(),
        )
    result = _hidden_on(target, side, count if is_for_each else 1)
    result.filled_by = fill(result, series)
    return result


def _hidden_on(target: Field, side: str, components: int = 1) -> Field:
    """Return a new hidden field of a side's cells."""
    dtype = {"float16": "float32"}.get(target.dtype, target.dtype)
    result: Field = target.grid.hidden_field(
        f"given_{len(target.grid.fields)}",
        dtype=dtype,
        axes="".join(a for a in target.axes if a != side[0]),
        location=target.location.without(AXES.index(side[0])),
        components=components,
    )
    mirror_at_walls(result)
    return result


def _check_field(target: Field, side: str, given: Field) -> None:
    axis, _ = parse_side(target.dimensions, side)
    wanted = target.space.without(axis)
    if given.space != wanted or given.components not in (1, target.components):
        axes = "".join(a for a in target.axes if a != side[0])
        raise GridError(
            f"The boundary of '{target.name}' on side '{side}' was given '{given.name}', a field "
            f"on '{given.axes}' of {given.space.size} cells; expected one on '{axes}' of "
            f"{wanted.size} cells.",
            place=user_place(),
        )


def _refused(target: Field, side: str, given: Any) -> GridError:
    kind = "whole number" if np.dtype(target.dtype).kind in "iub" else "number"
    each = f"one {kind} for each of its {target.per_cell} components"
    shape = shape_of_side(target, side)
    more = f", an array of shape {shape}, a field or a function of place and time" if shape else ""
    return GridError(
        f"The boundary of '{target.name}' on side '{side}' was given {described(given)}; "
        f"expected a {kind} or an hc.Parameter{f', or {each}' if target.per_cell > 1 else ''}"
        f"{more}.",
        hint="A value that changes with time is a parameter or a function of t; for one that "
        "depends on the field give a kernel that runs on the layer.",
        place=user_place(),
    )
