"""The exceptions a user can meet: what was found, what was expected, where, what to do."""

from __future__ import annotations

from difflib import get_close_matches
from reprlib import repr as short
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class HaloclineError(Exception):
    """Report a mistake that the user can mend.

    Args:
        message: What was found and what was expected; one sentence with code names in quotes.
        hint: What to do about it.
        place: The 'file:line' of the user's own code, when known.

    Example:
        >>> try:
        ...     hc.Grid((0, 8))
        ... except hc.HaloclineError as error:
        ...     print(type(error).__name__)
        GridError
    """

    def __init__(self, message: str, *, hint: str = "", place: str = "") -> None:
        self.message = message
        self.hint = hint
        self.place = place
        text = f"{place}: {message}" if place else message
        super().__init__(f"{text} {hint}" if hint else text)


class KernelError(HaloclineError):
    """Report a kernel that has no meaning."""


class GridError(HaloclineError):
    """Report a grid, field or region that cannot exist."""


class PlanError(HaloclineError):
    """Report a step that cannot be distributed as asked."""


class CompileError(HaloclineError):
    """Report a missing compiler or a kernel that it refused."""


class CaseError(HaloclineError):
    """Report a wrong or unstable case."""


class OutputError(HaloclineError):
    """Report results that could not be written."""


class DivergedError(HaloclineError):
    """Report a value in a field that is not a number, or is outside of the field's limits."""


class ConvergenceError(HaloclineError):
    """Report a loop whose condition does not come to hold."""


class OutOfMemoryError(HaloclineError):
    """Report fields that do not fit into the memory of a node or a device."""


class DeviceError(HaloclineError):
    """Report a device that is not there, cannot do what is asked, or has failed."""


class InstallationError(HaloclineError):
    """Report a package that something needs and that is not installed."""


class MpiError(HaloclineError):
    """Report a job that cannot run with the MPI at hand."""


class CoarrayError(HaloclineError):
    """Report what images cannot do, or cannot do together.

    Example:
        >>> try:
        ...     hc.coarray.co_broadcast(2.0, 3)
        ... except hc.coarray.CoarrayError as error:
        ...     print(error.message)
        There is no image 3: images are numbered from 1 to 1.
    """


class FailedImageError(CoarrayError):
    """Report that an image is needed that has failed; the rest of the operation is done.

    Example:
        >>> try:
        ...     hc.coarray.sync_all()
        ... except hc.coarray.FailedImageError:
        ...     print("go on without", hc.coarray.failed_images())
    """


class StoppedImageError(CoarrayError):
    """Report that an image is needed that has come to its end.

    Example:
        >>> try:
        ...     hc.coarray.sync_all()
        ... except hc.coarray.StoppedImageError:
        ...     print("another image has ended before this one")
    """


def nearest(name: object, known: Iterable[str]) -> str:
    """Return a hint that names the known word most like 'name', or lists all of them."""
    words = sorted(known)
    matches = get_close_matches(str(name), words, n=1)
    if matches:
        return f"Did you mean '{matches[0]}'?"
    return f"Known are: {', '.join(words)}."


def described(value: object) -> str:
    """Return what a user gave, short enough for a message."""
    shape = getattr(value, "shape", ())
    if shape and isinstance(shape, tuple):
        text = f"an array of {getattr(value, 'dtype', '')} with the shape {shape}"
        masked = int(value.mask.sum()) if hasattr(value, "mask") else 0
        return f"{text}, {masked} of its values masked" if masked else text
    if callable(value) and (name := getattr(value, "__name__", "")):
        return f"the {'class' if isinstance(value, type) else 'function'} '{name}'"
    return short(value)
