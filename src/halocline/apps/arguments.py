"""Checks of what users give to applications, each with one message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import UnionType
from typing import Any

from halocline.errors import CaseError, described
from halocline.frozen import defaults
from halocline.language.expressions.operators import Operand
from halocline.language.expressions.parameters import Parameter
from halocline.language.numbers import ANY, Range, finite_number

Needs = Sequence[tuple[str, Callable[[Any], bool], tuple[str, ...]]]


def wrong(name: str, value: Any, expected: str, hint: str = "") -> CaseError:
    """Return the error for an argument with an unexpected value."""
    return CaseError(f"'{name}' was given {shown(value)}; expected {expected}.", hint=hint)


def check_kind(name: str, value: Any, kind: type | UnionType, expected: str) -> None:
    """Raise a CaseError unless a value is of a type."""
    if not isinstance(value, kind):
        raise wrong(name, value, expected)


def check_needs(given: Any, needs: Needs, where: str) -> None:
    """Raise a CaseError for fields that mean nothing without others.

    Args:
        given: Whose fields.
        needs: What fields mean nothing without, whether it is there, and these fields.
        where: What messages call 'given', as 'an ocean'.
    """
    for needed, is_there, names in needs:
        given_names = () if is_there(given) else (n for n in names if not _is_default(given, n))
        for name in given_names:
            raise CaseError(
                f"'{name}' was given to {where} without {needed}, where it means nothing.",
                hint=f"Give {needed}, too, or leave it out.",
            )


def _is_default(given: Any, name: str) -> bool:
    """Return whether a field is what it is if it is left out."""
    default, value = defaults(type(given))[name], getattr(given, name)
    return value is None if default is None else bool(value == default)


def check_number(name: str, value: Any, allowed: Range = ANY, hint: str = "") -> None:
    """Raise a CaseError unless a value is a finite number of an interval."""
    finite_number(f"'{name}'", value, allowed, CaseError, hint)


def shown(value: Any) -> str:
    """Return a value as a message shows it."""
    if isinstance(value, Parameter):
        return f"the parameter '{value.name}'"
    return "an expression" if isinstance(value, Operand) else described(value)
