"""Functions of place and time that users prescribe in place of numbers: what they may ask for.

Functions name what they want: some of x, y and z, the coordinates of a cell's middle in the unit
of the setup's spacing, and t, the time in the unit of its step time.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from halocline.apps.lbm.validation.arguments import listed
from halocline.errors import CaseError, described
from halocline.geometry import AXES
from halocline.language.expressions.operators import Operand

if TYPE_CHECKING:
    from collections.abc import Callable

TIME = "t"


def is_function(value: Any) -> bool:
    """Return whether a prescribed value is a function of place and time."""
    return callable(value) and not isinstance(value, Operand)


def asked(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of the required arguments of a function."""
    parameters = inspect.signature(function).parameters.values()
    return tuple(
        str(parameter).partition(":")[0]
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        else parameter.name
        for parameter in parameters
        if parameter.default is parameter.empty
    )


def check_place_and_time(name: str, function: Callable[..., Any], axes: int) -> None:
    """Raise if a function has arguments other than coordinates and the time.

    Raises:
        CaseError: The message names the argument and the unknown ones of the function.
    """
    allowed = (*AXES[:axes], TIME)
    try:
        strange = [argument for argument in asked(function) if argument not in allowed]
    except (TypeError, ValueError):  # written in C: its arguments have no names
        strange = ["arguments without names"]
    if strange:
        raise CaseError(
            f"'{name}' was given {described(function)} of {listed(strange)}; expected a function "
            f"of some of {listed(allowed)}.",
            hint="Arguments go by these names: coordinates are those of the grid, with its "
            "'spacing' and 'origin', t is the time.",
        )


def changes(value: Any) -> bool:
    """Return whether a prescribed value depends on the time."""
    return is_function(value) and TIME in asked(value)
