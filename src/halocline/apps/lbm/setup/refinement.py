"""Refinement: where a flow has smaller cells, and its parameters on each level."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from halocline.apps.arguments import check_kind
from halocline.apps.lbm.setup.place_and_time import is_function
from halocline.errors import CaseError
from halocline.frozen import Frozen


class Refinement(Frozen):
    """Where a flow has smaller cells, and steps more often; see 'hc.Forest'.

    Attributes:
        wanted: A function of the coordinates of the grid that returns the required level, 0 for
            the coarsest.
        finest: The finest level: how often blocks of cells may be halved.
        block: Cells of a block, along all axes or along each.

    Example:
        >>> refinement = lbm.Refinement(lambda x, y: np.hypot(x - 20, y - 20) < 10)
    """

    wanted: Callable[..., Any]
    finest: int = 1
    block: int | tuple[int, ...] = 16


def check_refinement(refinement: Any, lattice: str, streaming: str) -> None:
    """Raise if a lattice or streaming does not support several levels.

    Raises:
        CaseError: The message names it.
    """
    if refinement is None:
        return
    check_kind("refinement", refinement, Refinement, "a 'Refinement'")
    for what, is_there in {
        "lattice='D3Q15'": lattice == "D3Q15",
        "streaming='in-place'": streaming != "two-grids",
    }.items():
        if is_there:
            raise CaseError(
                f"A flow with a refinement was given {what}, which is not done on several levels.",
                hint="Leave out one of the two.",
            )


def force_on(level: int, force: Any) -> Any:
    """Return a body force on a level, whose cells and steps are halved [lattice units].

    Args:
        level: The level.
        force: On the coarsest level: one component an axis, or a function of place and time.
    """
    share = 0.5**level
    if not is_function(force):
        return tuple(share * g for g in force)
    if level == 0:
        return force

    @wraps(force)
    def scaled(**place: Any) -> list[Any]:
        return [share * g for g in force(**place)]

    return scaled


def omega_on(level: int, omega: float) -> float:
    """Return the relaxation rate of a level [1 / its step] for the same viscosity.

    Args:
        level: The level.
        omega: Of the coarsest level [1 / step].
    """
    if level == 0:
        return omega
    return 1.0 / (float(2**level) * (1.0 / omega - 0.5) + 0.5)
