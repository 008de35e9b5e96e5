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


def is_function(given: Any) -> bool:
    """Return whether what is given is a function of place and time, and no number."""
    return callable(given) and not isinstance(given, Operand)


def asked(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of what a function must be given."""
    wanted = inspect.signature(function).parameters.values()
    return tuple(
        str(one).partition(":")[0]
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
        else one.name
        for one in wanted
        if one.default is one.empty
    )


def check_place_and_time(name: str, function: Callable[..., Any], axes: int) -> None:
    """Refuse a function that asks for something else than coordinates and the time.

    Raises:
        CaseError: The message names the argument and what is asked for.
    """
    known = (*AXES[:axes], TIME)
    try:
        strange = [one for one in asked(function) if one not in known]
    except (TypeError, ValueError):  # written in C: its arguments have no names
        strange = ["arguments without names"]
    if strange:
        raise CaseError(
            f"'{name}' was given {described(function)} of {listed(strange)}; expected a function "
            f"of some of {listed(known)}.",
            hint="Arguments go by these names: coordinates are those of the grid, with its "
            "'spacing' and 'origin', t is the time.",
        )


def changes(given: Any) -> bool:
    """Return whether what is given depends on the time."""
    return is_function(given) and TIME in asked(given)
