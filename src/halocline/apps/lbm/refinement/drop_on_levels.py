"""A pressure drop between periodic sides on several levels.

Differences of density are the same on all levels. What crosses the sides is raised where it is
collided, not by a pass that assigns next door (see 'open_sides.pressure_drop'). Sides lie within
one level: at a border some populations of a coarse cell have crossed them in one sub-step, others
have not.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import halocline as hc
from halocline.apps.lbm.boundaries.solid_cells import known_field
from halocline.apps.lbm.setup.sides import PressureDrop
from halocline.errors import CaseError
from halocline.geometry import AXES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.apps.lbm.boundaries.solid_cells import SolidCells
    from halocline.apps.lbm.boundaries.solids import Solids
    from halocline.apps.lbm.setup.setup import Setup


def drops(setup: Setup) -> dict[str, PressureDrop]:
    """Return the sides of a flow with a pressure drop."""
    return {side: b for side, b in setup.sides.items() if isinstance(b, PressureDrop)}


def check_drops(setup: Setup, forest: hc.Forest, solids: Solids) -> None:
    """Refuse sides with a pressure drop that are not what they should be on levels.

    Raises:
        CaseError: Cells there are of several levels, or beside a body.
    """
    for side in drops(setup):
        axis = AXES.index(side[0])
        for level in range(forest.levels):
            cells = [np.arange(n) for n in forest.level(level).extent]
            cells[axis] = cells[axis][[0, -1]]
            is_refined = forest.is_refined_at(level, cells)
            if is_refined.any() and not is_refined.all():
                raise CaseError(
                    f"Cells at the sides of axis {side[0]}, with a pressure drop, are of level "
                    f"{level} and of finer ones; expected one level at both sides.",
                    hint="Refine all along these sides or nothing, or drive the flow by a force.",
                )
        if any(map(partial(_is_at_sides, axis), solids.levels, solids.curved)):
            raise CaseError(
                f"A body lies at the sides of axis {side[0]}, with a pressure drop, of a flow with "
                "a refinement.",
                hint="Leave a layer of cells between them, or drive the flow by a force.",
            )


def _is_at_sides(axis: int, level: SolidCells, cells: NDArray[np.bool_]) -> bool:
    """Return whether some cells of a level's window lie at the sides of an axis."""
    ends = [0] * (level.window.lower[axis] == 0)
    ends += [-1] * (level.window.upper[axis] == level.grid.extent[axis])
    return bool(np.take(cells, ends, axis).any())


def reaching_through(setup: Setup, forest: Any, solids: Solids) -> Any:
    """Return a field that is not zero in fluid cells and zero beyond walls at sides."""
    if solids.levels:
        fluid = [~cells.solid for cells in solids.levels]
        through = known_field(solids.levels, "through", fluid, dtype="bool")
    else:
        through = forest.field("through", coupling="none", dtype="bool")
        through.set(1)
    for side in setup.sides:
        if side not in drops(setup):
            through.boundary(side, _nothing)
    return through


@hc.kernel
def _nothing(through: Any) -> None:
    through[(0,) * through.dimensions] = False
