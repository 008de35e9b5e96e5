"""What kernels are given by keyword: fields, numbers that are read at run time, and all else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import KernelError
from halocline.language.expressions import operators
from halocline.language.expressions.expr import Cast, Expr, Scalar
from halocline.language.expressions.parameters import Parameter
from halocline.language.grids.fields import Field
from halocline.language.place import user_place

if TYPE_CHECKING:
    from collections.abc import Mapping


class SymbolScalar(operators.Symbol):
    """A run-time scalar while tracing; one of NumPy has a width, Python's takes that of others."""

    def __init__(self, name: str, value: float | np.floating | Parameter) -> None:
        self.name = name
        self.width = operators.width_of(value) if isinstance(value, np.floating) else None

    def expression(self) -> Expr:
        """Return the scalar, of its width."""
        scalar = Scalar(self.name)
        return Cast(self.width, scalar) if self.width else scalar

    def _no_whole_number(self) -> int:
        raise KernelError(
            f"The scalar '{self.name}' is known only at run time but was used as a whole number.",
            hint="Pass an int instead of a float, then it is known when the kernel is traced.",
            place=user_place(),
        )

    __index__ = __int__ = _no_whole_number

    def __bool__(self) -> bool:
        raise KernelError(
            f"The scalar '{self.name}' is known only at run time but was used in 'if'.",
            hint="Use hc.where, or pass a bool, which is known when the kernel is traced.",
            place=user_place(),
        )


def _is_dynamic(value: Any) -> bool:
    return isinstance(value, float | np.floating | Parameter)


def _is_dynamic_entry(value: Any) -> bool:
    """Return whether an entry of a tuple is read at run time: a zero says that there is none."""
    return isinstance(value, Parameter) or (_is_dynamic(value) and value != 0.0)


def differs_from_cell_to_cell(value: Any) -> bool:
    """Return whether a keyword's value is neither a number nor a field, but made of fields."""
    return isinstance(value, operators.Operand) and not (
        value.is_number or isinstance(value, Field)
    )


def entries(name: str, value: Any) -> list[tuple[str, Any]]:
    """Return a keyword's value, or those of a tuple, by the kernel's names of them."""
    if isinstance(value, tuple):
        names = getattr(value, "_fields", range(len(value)))
        return [(f"{name}_{own}", entry) for own, entry in zip(names, value, strict=True)]
    return [(name, value)]


def read_at_run_time(values: dict[str, Any]) -> dict[str, Any]:
    """Return what is read at run time, by the names of the kernel's scalars."""
    return {
        own: entry
        for name, value in values.items()
        for own, entry in entries(name, value)
        if (_is_dynamic_entry(entry) if isinstance(value, tuple) else _is_dynamic(entry))
    }


def as_traced(name: str, value: Any, symbol_of: Mapping[Field, Any]) -> Any:
    """Return a keyword's value as the traced function sees it.

    Args:
        name: The keyword.
        value: What was given for it.
        symbol_of: What stands for each field.
    """
    if isinstance(value, Field):
        return symbol_of[value]
    if isinstance(value, tuple):
        seen = [
            symbol_of[entry]
            if isinstance(entry, Field)
            else SymbolScalar(own, entry)
            if _is_dynamic_entry(entry)
            else entry
            for own, entry in entries(name, value)
        ]
        # A named tuple keeps its names.
        return type(value)._make(seen) if hasattr(value, "_make") else tuple(seen)
    return SymbolScalar(name, value) if _is_dynamic(value) else value
