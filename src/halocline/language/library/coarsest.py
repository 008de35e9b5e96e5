"""The coarsest grid of a multigrid: few enough cells that relaxation alone solves there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halocline.errors import GridError
from halocline.language.library.balance import balanced, is_held
from halocline.language.place import user_place
from halocline.language.steps.steps import repeat

if TYPE_CHECKING:
    from halocline.language.grids.fields import Field
    from halocline.language.library.relaxation import System

Steps = tuple[Any, ...]

# More cells along an axis would take too many relaxations.
_WIDEST = 40
_LEAST_RELAXATIONS = 4


def relaxed_out(system: System, given: Field) -> Steps:
    """Return the steps that solve a system on the coarsest grid.

    Args:
        system: The system there.
        given: The solution on the finest grid, whose sides say whether it is held.

    Raises:
        GridError: There are too many cells along an axis.
    """
    grid = system.u.grid
    widest = max(grid.extent[axis] for axis in system.u.space.axes)
    if widest > _WIDEST:
        raise GridError(
            f"'hc.Multigrid' was given '{given.name}' on a grid of {given.grid.extent} cells, "
            f"which can be coarsened by two as far as {grid.extent}; expected {_WIDEST} cells "
            "or fewer along each axis then.",
            hint="Choose numbers of cells that a high power of two divides.",
            place=user_place(),
        )
    count = max(_LEAST_RELAXATIONS, widest * widest // 2)
    constant = () if is_held(given) else balanced(system)
    return (repeat(count, *system.relax()), *constant)
