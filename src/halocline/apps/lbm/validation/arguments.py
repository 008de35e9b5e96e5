"""Checks of arguments, each with one message."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from math import sqrt
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.apps.arguments import check_number, shown, wrong
from halocline.errors import CaseError
from halocline.geometry import AXES
from halocline.language.expressions.operators import Operand
from halocline.language.expressions.parameters import Parameter
from halocline.language.grids.of_place import values_at
from halocline.language.numbers import ANY, Range, is_masked

if TYPE_CHECKING:
    from numpy.typing import NDArray

# A lattice carries nothing faster than sound [cells / step].
_SOUND = 1.0 / sqrt(3.0)
SUBSONIC = Range(above=-_SOUND, below=_SOUND)
# Densities beyond which no velocity that follows is slow beside sound.
NEAR_REST = Range(above=0.5, below=2.0)
# The kinds of arrays that hold numbers: bool, whole, real.
_NUMBERS = "buif"


def components(name: str, value: Any, axes: int, what: str = "numbers") -> Sequence[Any]:
    """Return a sequence with one component per axis, or raise."""
    if not _is_listed(value) or len(value) != axes:
        raise wrong(name, value, f"{axes} {what}, one an axis")
    return value  # type: ignore[no-any-return]


def check_vector(name: str, value: Any, axes: int, allowed: Range = ANY) -> None:
    """Raise unless a value is one number or parameter of an interval per axis."""
    for axis, number in zip(AXES, components(name, value, axes), strict=False):
        check_number(f"{name} along {axis}", current(number), allowed)


def current(value: Any) -> Any:
    """Return a value, or that of a parameter, which may change later."""
    return value.value if isinstance(value, Parameter) else value


def check_word(name: str, value: Any, words: Sequence[str]) -> None:
    """Raise unless a value is one of some words."""
    if not isinstance(value, str) or value not in words:
        raise wrong(name, value, f"one of: {', '.join(words)}")


def check_function(
    name: str, function: Callable[..., Any], arguments: Sequence[str], hint: str = ""
) -> None:
    """Raise unless a function can be called with some positional arguments."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # written in C: only a call can tell
        return
    try:
        signature.bind(*arguments)
    except TypeError:
        raise wrong(name, function, f"a function of {listed(arguments)}", hint) from None


def check_profile(name: str, value: Any, axes: int, allowed: Range = ANY) -> None:
    """Raise unless a value is a number of an interval or a function of the coordinates."""
    if callable(value):
        check_function(name, value, AXES[:axes])
    elif not isinstance(value, Real):
        hint = "Every rank asks for its own cells: write a function of the coordinates."
        raise wrong(name, value, "a number or a function of the coordinates", hint)
    else:
        check_number(name, value, allowed)


def check_profiles(name: str, value: Any, axes: int, allowed: Range = ANY) -> None:
    """Raise unless a value is one number of an interval, or one function, per axis."""
    profiles = components(name, value, axes, "numbers or functions of the coordinates")
    for axis, component in zip(AXES, profiles, strict=False):
        check_profile(f"{name} along {axis}", component, axes, allowed)


def returned(function: Callable[..., Any], result: Any, count: int, each: str) -> tuple[Any, ...]:
    """Check and return the values that a function has computed for a cell.

    Raises:
        CaseError: They are not so many, or not numbers; the message names the function.
    """
    values = tuple(result) if _is_listed(result) else ()
    if len(values) == count and all(isinstance(value, Real | Operand) for value in values):
        return values
    is_count = values and len(values) != count
    what = f"{len(values)} value(s)" if is_count else shown(result)
    raise _wrong_return(function, what, f"{count} numbers, one for each {each}")


def returned_number(function: Callable[..., Any], result: Any) -> Any:
    """Check and return the single value that a function has computed for a cell.

    Raises:
        CaseError: It is none; the message names the function.
    """
    if isinstance(result, Real | Operand):
        return result
    what = f"{len(result)} value(s)" if _is_listed(result) else shown(result)
    raise _wrong_return(function, what, "1 number")


def evaluated(profile: Any, coordinates: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Evaluate a number or a function of the coordinates in every cell.

    Raises:
        CaseError: The function returns an array of another shape.
        GridError: It takes one number at a time.
    """
    shape = np.broadcast_shapes(*(c.shape for c in coordinates))
    values = profile
    if callable(profile):
        name = getattr(profile, "__name__", type(profile).__name__)
        values = values_at(f"'{name}' is a function", profile, coordinates)
    try:
        array = np.asarray(values)
        if array.dtype.kind in _NUMBERS:
            return np.broadcast_to(array, shape)
    except ValueError:  # another shape, or rows of different lengths
        pass
    raise _wrong_return(
        profile,
        shown(values),
        f"one number for each of {shape} cells",
        "Compute with the arrays of coordinates that it is given.",
    )


def as_mask(name: str, value: Any, extent: Sequence[int]) -> NDArray[np.bool_]:
    """Return an array of True and False, or of 1 and 0, as the former.

    Raises:
        CaseError: It has another shape, or other values.
    """
    expected = "True or 1 where a cell is solid, False or 0 elsewhere"
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        raise wrong(name, value, f"an array of {expected}") from None
    if array.dtype.kind not in _NUMBERS or is_masked(value):
        raise wrong(name, value, f"an array of {expected}")
    if array.shape != tuple(extent):
        raise CaseError(
            f"'{name}' has the shape {array.shape}; expected {tuple(extent)}, that of the grid.",
            hint="Axes come in the order x, y, z.",
        )
    mask = array.astype(bool, copy=False)
    if (others := array != mask).any():
        cell = tuple(map(int, np.argwhere(others)[0]))
        raise CaseError(
            f"'{name}' was given {array[cell]} in cell {cell}; expected {expected}.",
            hint=f"Write {name}=array != 0 if all else means solid.",
        )
    return mask


def _wrong_return(
    function: Callable[..., Any], result: str, expected: str, hint: str = ""
) -> CaseError:
    return CaseError(f"'{_named(function)}' returned {result}; expected {expected}.", hint=hint)


def _is_listed(value: Any) -> bool:
    return isinstance(value, Sequence | np.ndarray) and not isinstance(value, str)


def _named(value: Any) -> str:
    """Return the name of a function or class."""
    return str(getattr(value, "__name__", type(value).__name__))


def listed(words: Sequence[str]) -> str:
    """Return words with commas and an 'and'."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
