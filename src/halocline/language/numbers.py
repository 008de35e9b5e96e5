"""Numbers that users give: taken as what they are, or refused."""

from __future__ import annotations

import sys
from contextlib import suppress
from math import inf, isfinite
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import asdict

from halocline.errors import HaloclineError, PlanError, described
from halocline.frozen import Frozen
from halocline.language.place import user_place

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Range(Frozen):
    """An interval of numbers: closed at 'least' and 'most', open at 'above' and 'below'."""

    least: float = -inf
    above: float = -inf
    most: float = inf
    below: float = inf

    def __contains__(self, value: float) -> bool:
        """Return whether a finite number lies inside."""
        return self.least <= value <= self.most and self.above < value < self.below

    def __str__(self) -> str:
        """Return the ends: 'at least 1', 'above 0 and below 2', or nothing."""
        words = {"least": "at least", "above": "above", "most": "at most", "below": "below"}
        ends = ((words[name], end) for name, end in asdict(self).items())
        return " and ".join(f"{word} {end:g}" for word, end in ends if isfinite(end))

    def described(self, kind: str) -> str:
        """Return what is expected: 'a whole number of at least 1', 'a number above 0'."""
        ends = str(self)
        return f"{kind} {'of ' if ends.startswith('at') else ''}{ends}".rstrip()


ANY = Range()
# Beyond these whole numbers have no place in the runtime; unless a range says how far they go.
_LARGEST = 2**63 - 1


def is_masked(given: Any) -> bool:
    """Return whether values are masked; without 'numpy.ma', which takes long to load, none are."""
    masked = sys.modules.get("numpy.ma")
    return masked is not None and bool(masked.is_masked(given))


def real_array(given: Any, dtype: Any = np.float64) -> NDArray[Any]:
    """Return numbers as an array of their own, whose rows lie side by side.

    Raises:
        TypeError, ValueError: They are none: text, dates or complex ones; or some are masked.
    """
    if np.asarray(given).dtype.kind in "mMcSU" or is_masked(given):
        raise TypeError
    return np.array(given, dtype=dtype, order="C")


def whole_number(
    what: str,
    value: Any,
    allowed: Range,
    kind: type[HaloclineError] = PlanError,
    hint: str = "",
) -> int:
    """Return a whole number of an interval.

    Raises:
        HaloclineError: It is something else; of the given kind.
    """
    with suppress(TypeError):
        found = index(value)
        fits = isfinite(allowed.most) or abs(found) <= _LARGEST
        if fits and found in allowed and not _is_truth(value):
            return found
    raise kind(
        f"{what} was given {described(value)}; expected {allowed.described('a whole number')}.",
        hint=hint,
        place=user_place(),
    )


def number(what: str, value: Any, kind: type[HaloclineError]) -> float:
    """Return a number, which may be infinite or none at all.

    Raises:
        HaloclineError: It is something else; of the given kind.
    """
    # Python would read a text.
    if not isinstance(value, str | bytes | bytearray):
        with suppress(TypeError, ValueError, OverflowError):
            return float(value)
    raise kind(f"{what} was given {described(value)}; expected a number.", place=user_place())


def finite_number(
    what: str,
    value: Any,
    allowed: Range = ANY,
    kind: type[HaloclineError] = PlanError,
    hint: str = "",
) -> float:
    """Return a number of an interval that is neither infinite nor none at all.

    Raises:
        HaloclineError: It is something else; of the given kind.
    """
    with suppress(HaloclineError):
        found = number(what, value, kind)
        if isfinite(found) and found in allowed and not _is_truth(value):
            return found
    kind_expected = "a number" if str(allowed) else "a finite number"
    raise kind(
        f"{what} was given {described(value)}; expected {allowed.described(kind_expected)}.",
        hint=hint,
        place=user_place(),
    )


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool | np.bool_)
