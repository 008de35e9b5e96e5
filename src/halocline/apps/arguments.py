"""Checks of what users give to applications, each with one message."""

from __future__ import annotations

from typing import Any

from halocline.errors import CaseError, described
from halocline.language.expressions.operators import Operand
from halocline.language.expressions.parameters import Parameter
from halocline.language.numbers import ANY, Range, finite_number


def wrong(name: str, value: Any, expected: str, hint: str = "") -> CaseError:
    """Return the error for an argument with an unexpected value."""
    return CaseError(f"'{name}' was given {shown(value)}; expected {expected}.", hint=hint)


def check_kind(name: str, value: Any, kind: type | tuple[type, ...], expected: str) -> None:
    """Raise a CaseError unless a value is of a type."""
    if not isinstance(value, kind):
        raise wrong(name, value, expected)


def check_number(name: str, value: Any, allowed: Range = ANY, hint: str = "") -> None:
    """Raise a CaseError unless a value is a finite number of an interval."""
    finite_number(f"'{name}'", value, allowed, CaseError, hint)


def shown(value: Any) -> str:
    """Return a value as a message shows it."""
    if isinstance(value, Parameter):
        return f"the parameter '{value.name}'"
    return "an expression" if isinstance(value, Operand) else described(value)
