"""Sums and extremes: of all cells as a number, or along axes as a field."""

from __future__ import annotations

import functools
import math
import operator
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from halocline.errors import KernelError, described
from halocline.geometry import AXES
from halocline.language.expressions import operators
from halocline.language.expressions.complex_values import is_complex, refusal
from halocline.language.expressions.functions import maximum, minimum
from halocline.language.expressions.kernel import reads
from halocline.language.expressions.parameters import Formula
from halocline.language.grids.composite import Composite
from halocline.language.grids.fields import Field
from halocline.language.grids.grid import same_family
from halocline.language.place import user_place
from halocline.language.steps.steps import Reduction
from halocline.language.steps.sweep import begin
from halocline.language.steps.trace import recorded

if TYPE_CHECKING:
    from collections.abc import Callable

    from halocline.language.steps.steps import Call

_COMBINED: dict[str, Callable[[Any, Any], Any]] = {
    "sum": operator.add,
    "min": minimum,
    "max": maximum,
}


class Combination:
    """Combine the values of all cells to a number, or those along axes to a field.

    'hc.sum', 'hc.min' and 'hc.max' are such.

    Args:
        kind: 'sum', 'min' or 'max'.

    Example:
        >>> T = hc.Grid((8, 8)).field("T")
        >>> total, warmest = hc.sum(T), hc.max(T[0, 0])
    """

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def __repr__(self) -> str:
        """Return what it is, by its name."""
        return f"<reduction {self._kind}>"

    @overload
    def __call__(  # type: ignore[overload-overlap]  # the narrower one stands first
        self, operand: Composite, name: str = ""
    ) -> Reduction | Formula: ...

    @overload
    def __call__(self, operand: operators.Operand, name: str = "") -> Reduction: ...

    @overload
    def __call__(
        self, operand: operators.Operand, name: str = "", *, over: str, into: Field
    ) -> tuple[Call, ...]: ...

    def __call__(
        self,
        operand: Any,
        name: str = "",
        *,
        over: str = "",
        into: Field | None = None,
    ) -> Any:
        """Return the sum, the least or the greatest value of an expression.

        Args:
            operand: A field, with all its components, or an expression of fields. In the sum of
                fields of a forest a cell counts as much of one of the coarsest level's as it has of
                its volume.
            name: What messages call the number.
            over: Axes along which to combine, as 'z' or 'xy': the result is a field without them.
                Then cells are combined one after the other, upwards, in the field's type; a sum of
                all cells is exact and rounded once.
            into: That field.

        Returns:
            The reduction; with 'over' steps that give the field its values.

        Raises:
            KernelError: What is combined is no expression, or does not fit the field.
        """
        if is_complex(operand):
            raise refusal(f"'hc.{self._kind}' was given")
        if isinstance(operand, Composite):
            if over or into is not None:
                raise KernelError(
                    f"'hc.{self._kind}' over axes was given fields of a forest; expected those of "
                    "a grid, whose cells are of one size.",
                    hint="Bring the levels together with field.resampled().",
                    place=user_place(),
                )
            return _of_levels(self._kind, operand, name)
        if isinstance(operand, Field) and operand.components > 1 and not over and into is None:
            return _of_components(self._kind, operand, name)
        return _reduced(self._kind, operand, name, over, into)


sum = Combination("sum")  # noqa: A001 (the field's word)
min = Combination("min")  # noqa: A001 (the field's word)
max = Combination("max")  # noqa: A001 (the field's word)


def _of_levels(kind: str, operand: Composite, name: str) -> Reduction | Formula:
    """Return a formula of the reductions on all levels of a forest."""
    if is_complex(operand.level(0)):
        raise KernelError(
            f"'hc.{kind}' was given complex values of a forest; expected real ones.",
            hint="Let a kernel compute them: density[...] = abs(psi)**2.",
            place=user_place(),
        )
    share = 0.5**operand.forest.dimensions
    on_levels: list[Any] = []
    for level in range(operand.forest.levels):
        named, own = f"{name or kind} of level {level}", operand.level(level)
        is_all = isinstance(own, Field) and own.components > 1
        on_levels.append(
            _of_components(kind, own, named) if is_all else Reduction(kind, own, named)
        )
    if kind == "sum":
        on_levels = [reduction * share**level for level, reduction in enumerate(on_levels)]
    result = functools.reduce(_COMBINED[kind], on_levels)
    assert isinstance(result, Reduction | Formula)
    return result


def _of_components(kind: str, field: Field, name: str) -> Formula:
    """Return a formula of the reductions of all components."""
    reductions = [
        Reduction(kind, field[q], f"{name or kind} of component {q}")
        for q in range(field.components)
    ]
    result = functools.reduce(_COMBINED[kind], reductions)
    assert isinstance(result, Formula)
    return result


def _reduced(
    kind: str, operand: operators.Operand, name: str, over: str, into: Field | None
) -> Reduction | tuple[Call, ...]:
    reduction = Reduction(kind, operand, name)
    if not over and into is None:
        return reduction
    if not isinstance(into, Field):
        raise KernelError(
            f"'hc.{kind}' over '{over}' was given {described(into)} for its result; expected a "
            "field without these axes.",
            hint=f"Write hc.{kind}(…, over={over!r}, into=field).",
            place=user_place(),
        )
    fields = _fields(kind, reduction, into)
    grid = into.grid
    axes = AXES[: grid.dimensions]
    present = "".join(a for a in axes if any(a in field.axes for field in fields.values()))
    if not over or any(axis not in present for axis in over) or len(set(over)) != len(over):
        raise KernelError(
            f"'hc.{kind}' was given over={over!r}; expected some of the axes '{present}' of "
            "what it combines.",
            place=user_place(),
        )
    left = "".join(axis for axis in present if axis not in over)
    if into.axes != left:
        raise KernelError(
            f"'hc.{kind}' over '{over}' gives a field on '{left}'; '{into.name}' is one on "
            f"'{into.axes}'.",
            place=user_place(),
        )
    return _steps(kind, operators.Value(reduction.operand), fields, over, into)


def _fields(kind: str, reduction: Reduction, into: Field) -> dict[str, Field]:
    names = dict.fromkeys(read.field for read in reads(reduction.operand))
    missing = [name for name in names if name not in into.grid.fields]
    if missing:
        raise KernelError(
            f"'hc.{kind}' combines the field '{missing[0]}', which is not on the grid of "
            f"'{into.name}'.",
            place=user_place(),
        )
    fields = {name: into.grid.fields[name] for name in names}
    same_family((into, *fields.values()), f"'hc.{kind}'")
    return fields


def _steps(
    kind: str, value: operators.Value, fields: dict[str, Field], over: str, into: Field
) -> tuple[Call, ...]:
    """Return sweeps along one axis after the other; all but the last into hidden fields."""
    place, combined = user_place(), _COMBINED[kind]
    result: list[Call] = []
    for position, axis in enumerate(over):
        target = into
        if position + 1 < len(over):
            present = {a for field in fields.values() for a in field.axes}
            axes = "".join(a for a in AXES if a in present and a != axis)
            name = f"{kind}_over_{axis}_{into.name}"
            target = into.grid.hidden_field(name, dtype=into.dtype, axes=axes)

        def body(total: Any, *_: Any, value: operators.Value = value) -> None:
            total[total.here] = combined(total[total.here], value)

        result += begin((target,), (_first(kind, target.dtype),))
        named = {"result": target, **fields}
        sweep = (AXES.index(axis), 1)
        result.append(recorded(f"{kind}_over_{axis}", place, named, body, {}, sweep=sweep))
        fields = {target.name: target}
        value = operators.Value(target.expression())
    return tuple(result)


def _first(kind: str, dtype: str) -> float:
    """Return what the first cell of a column is combined with: it changes no number of the type."""
    if kind == "sum":
        return 0
    if dtype.startswith("float"):
        return math.inf if kind == "min" else -math.inf
    if dtype == "bool":
        return kind == "min"
    limits = np.iinfo(dtype)
    return int(limits.max if kind == "min" else limits.min)
