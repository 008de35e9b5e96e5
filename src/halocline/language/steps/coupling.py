"""Coupling: how the values of a field on the levels of a forest make each other's at borders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from halocline.errors import GridError, nearest
from halocline.language.place import user_place
from halocline.language.steps.flux_correction import FLUX
from halocline.language.steps.parabolas import prolong_parabolas, restrict_parabolas
from halocline.language.steps.transfer import prolong, restrict

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.language.grids.composite import CompositeField
    from halocline.language.grids.fields import Field
    from halocline.language.steps.steps import Call
    from halocline.language.steps.tree import OnLevels

Transfer = Callable[["Field", "Field"], "Call | Sequence[Call]"]
Correction = Callable[["NDArray[Any]"], "NDArray[Any]"]


class Coupling(NamedTuple):
    """What makes the values of a level of another one's.

    The first four do so at a border, on the coarse and the fine field. Each is called with the
    field to read and that to assign, and returns a kernel called with them, or several. The others
    say what is added where blocks have been split or merged; None for nothing.

    Attributes:
        prolong: Makes what the finer level reads beyond its own cells, before its first sub-step.
        restrict: Makes what the coarser level reads in place of the finer, before its step.
        returned: The same, after the sub-steps of the finer level.
        at_corners: Then changes that beside edges and corners of the finer level.
        split: Called with the values of cells and of one more on each side, components first;
            returns what is added to those of all children of a cell, beside slopes.
        merged: Called with the values of children, components first; returns what is added to
            their means.
    """

    prolong: Transfer | None = None
    restrict: Transfer | None = None
    returned: Transfer | None = None
    at_corners: Transfer | None = None
    split: Correction | None = None
    merged: Correction | None = None


def beyond(step: OnLevels[Call], instead: OnLevels[Call]) -> OnLevels[Call]:
    """Return what is done on all levels, with something else in ghost cells.

    Args:
        step: A kernel called with fields of a forest.
        instead: What is done between two levels instead, with the same fields; such as streaming
            without collision.
    """
    return replace(step, beyond=instead.levels)


def inner(step: OnLevels[Call]) -> OnLevels[Call]:
    """Return what is done on all levels, but not along borders between them.

    Args:
        step: A kernel called with fields of a forest, on a mask without cells beside borders.
    """
    return replace(step, levels=tuple(replace(level, is_inner=True) for level in step.levels))


COUPLINGS = {
    "constant": Coupling(partial(prolong, order=1), restrict),
    "linear": Coupling(partial(prolong, order=2), restrict),
    "quadratic": Coupling(prolong_parabolas, restrict_parabolas),
    "none": Coupling(),
    # See 'flux_correction.py'.
    FLUX: Coupling(),
}


def coupling_of(field: CompositeField) -> Coupling:
    """Return how the levels of a field are coupled.

    Raises:
        GridError: There is no such coupling.
    """
    found = field.coupling
    if found is None:
        found = "linear" if field.level(0).dtype.startswith("float") else "constant"
    if isinstance(found, Coupling):
        return found
    if found not in COUPLINGS:
        raise GridError(
            f"Field '{field.name}' was given the unknown coupling {found!r}.",
            hint=nearest(str(found), COUPLINGS),
            place=user_place(),
        )
    own = field.level(0)
    if found == "quadratic" and (own.location != "center" or not own.dtype.startswith("float")):
        raise GridError(
            f"Field '{field.name}' of {own.dtype} values at '{own.location}' was given the "
            "coupling 'quadratic'; expected floats in the middle of cells.",
            hint="Take 'linear', or 'constant' for integers.",
            place=user_place(),
        )
    return COUPLINGS[found]


def is_coupled(field: CompositeField) -> bool:
    """Return whether the values of one level make another's at its border, either way."""
    found = coupling_of(field)
    return any((found.prolong, found.restrict, found.returned))


def is_set_anew(field: CompositeField) -> bool:
    """Return whether new leaves of a field get what it was set to, and nothing of other levels.

    Where a field lacks an axis, leaves of several levels have the same cells of it.
    """
    return field.coupling == "none" or any(field.level(0).space.lacks)


def differs_within_cells(field: CompositeField) -> bool:
    """Return whether the children of a cell that is split get different values."""
    return bool(field.level(0).dtype.startswith("float") and field.coupling != "constant")
