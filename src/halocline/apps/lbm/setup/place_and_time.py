"""What users prescribe: numbers, or functions of place and time, the same everywhere in a setup.

Functions name what they want: some of x, y and z, the coordinates of a cell's middle in the unit
of the setup's spacing, and t, the time in the unit of its step time.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.apps.lbm.lattice.streaming import STREAMINGS
from halocline.apps.lbm.validation.arguments import listed, returned, returned_number
from halocline.errors import CaseError, described
from halocline.geometry import AXES
from halocline.language.expressions.operators import Operand

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from halocline.apps.lbm.flow.flow import Setup
    from halocline.apps.lbm.lattice.populations import Value
    from halocline.geometry import Offset

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


def moment(setup: Setup, later: int, level: int = 0, begin: Any = 0.0) -> Any:
    """Return the time so many lattice steps after that of a step.

    It is a whole number of lattice steps times the length of one, rounded once: so it is the same
    however many of them make a step of the simulation.

    Args:
        setup: Of the flow.
        later: How many steps, of a level.
        level: Which.
        begin: When that level's step begins, in steps of the coarsest level after that one's.
    """
    if level:
        return (hc.step + (begin + later * 0.5**level)) * setup.step_time
    collisions = STREAMINGS[setup.streaming].collisions
    return (hc.step * float(collisions) + float(later)) * setup.step_time


def vector(given: Any, cell: Offset, time: Value, dtype: str) -> tuple[Value, ...]:
    """Return a vector that was given, or what a function makes of place and time.

    Args:
        given: One component an axis, or a function; maybe empty.
        cell: The offset of the cell where.
        time: When.
        dtype: Of the populations.

    Raises:
        CaseError: The function returns something else.
    """
    if not is_function(given):
        return tuple(given)
    found = given(**_places(asked(given), cell, time))
    return tuple(narrow(one, dtype) for one in returned(given, found, len(cell), "axis"))


def scalar(given: Any, cell: Offset, time: Value, dtype: str) -> Value:
    """Return a number that was given, or what a function makes of place and time; see 'vector'."""
    if not is_function(given):
        return given
    found = given(**_places(asked(given), cell, time))
    return narrow(returned_number(given, found), dtype)


def _places(names: Sequence[str], cell: Offset, time: Value) -> Mapping[str, Value]:
    return {name: time if name == TIME else hc.coordinate(name)[cell] for name in names}


def narrow(value: Value, dtype: str) -> Value:
    """Return a value as wide as the populations are computed: coordinates are wider."""
    if not isinstance(value, Operand) or value.is_number or dtype == "float64":
        return value
    return value.astype("float32")
