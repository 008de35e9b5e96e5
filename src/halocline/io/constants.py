"""Constants of a forest: given on the cells of a level, stored on those of others, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.errors import CaseError
from halocline.geometry import AXES, by_axes
from halocline.language.grids.forest import Forest, forest_behind
from halocline.language.grids.resampled import Prolongation, on_cells_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.io.variable import Variable
    from halocline.language.grids.grid import Grid


def check_constants(grid: Grid | Forest, constants: Sequence[Variable]) -> None:
    """Refuse constants that a forest cannot have.

    Raises:
        CaseError: One has values elsewhere than in all cells of a level.
    """
    forest = forest_behind(grid)
    for constant in constants if forest is not None else ():
        assert forest is not None
        axes = AXES[: forest.dimensions]
        if constant.location != "center" or not constant.axes.startswith(axes):
            raise CaseError(
                f"The constant '{constant.name}' has values at '{constant.location}' along "
                f"{', '.join(constant.axes)}; expected values in the middle of cells of a forest."
            )
        extent = forest.level(_level_of(constant, forest)).extent
        if constant.values is not None and constant.values.shape != extent:
            raise CaseError(
                f"The constant '{constant.name}' has {by_axes(constant.values.shape)} values; "
                f"expected {by_axes(extent)}, one in each cell of its level.",
                hint="Without 'grid' that is the coarsest level.",
            )


def on_grid(constant: Variable, grid: Grid, prolongation: Prolongation) -> Variable:
    """Return a constant on the cells of a forest's level; of a grid as it is (rank 0).

    Coarser cells have means.

    Args:
        constant: With values.
        grid: A grid, or that of a level.
        prolongation: What it has in cells that are finer than those where it is given.
    """
    forest = forest_behind(grid)
    if forest is None:
        return constant
    assert constant.values is not None
    finer = grid.space.level - _level_of(constant, forest)
    values = on_cells_of(constant.values, finer, forest.grid.periodic, prolongation)
    return replace(constant, values=values, grid=grid)


def _level_of(constant: Variable, forest: Forest) -> int:
    """Return on whose cells a constant is given: if it does not say, on those of the coarsest."""
    for level in range(forest.levels):
        if constant.grid in (None, forest.level(level)):
            return level
    raise CaseError(
        f"The constant '{constant.name}' is of another grid; expected one of a level.",
        hint="Give it grid=forest.level(1), or that of another level.",
    )
