"""Numbers that users give: taken as what they are, or refused."""

from __future__ import annotations

import math
from contextlib import suppress
from operator import index
from typing import Any

from halocline.errors import HaloclineError, PlanError


def whole_number(what: str, value: Any, least: int) -> int:
    """Return a whole number of at least so much.

    Raises:
        PlanError: It is something else.
    """
    try:
        found = index(value)
    except TypeError:
        found = least - 1
    if found < least:
        raise PlanError(f"{what} was given {value!r}; expected a whole number of at least {least}.")
    return found


def number(what: str, value: Any, kind: type[HaloclineError]) -> float:
    """Return a number, which may be infinite or none at all.

    Raises:
        HaloclineError: It is something else; of the given kind.
    """
    # Python would read a text.
    if not isinstance(value, str | bytes | bytearray):
        with suppress(TypeError, ValueError):
            return float(value)
    raise kind(f"{what} was given {value!r}; expected a number.")


def finite_number(what: str, value: Any) -> float:
    """Return a number that is neither infinite nor none at all.

    Raises:
        PlanError: It is something else.
    """
    found = number(what, value, PlanError)
    if not math.isfinite(found):
        raise PlanError(f"{what} was given {value!r}; expected a finite number.")
    return found
