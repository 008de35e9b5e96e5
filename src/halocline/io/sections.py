"""Sections: the datasets of a series, each of the cells of one grid, and what fills them.

A grid has one. A forest has one for each level that there may be, as groups of one file; or, if
asked for, a single one of all levels on the cells of one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from msgspec import field

from halocline.errors import CaseError
from halocline.frozen import Frozen
from halocline.geometry import AXES
from halocline.io.constants import on_grid
from halocline.io.dataset import dataset
from halocline.io.level_means import LevelMeans
from halocline.io.level_parts import LeafMap, OnLevel, Resampled
from halocline.io.part import Mean, Part
from halocline.io.region import box_of_region
from halocline.io.times import along_time
from halocline.language.grids.forest import Forest, forest_behind
from halocline.language.grids.grid import Grid
from halocline.language.grids.resampled import check_in_cells, check_prolongation
from halocline.language.numbers import Range, whole_number

if TYPE_CHECKING:
    import xarray

    from halocline.io.axis import Axes
    from halocline.io.part import Source
    from halocline.io.quantity import Quantity
    from halocline.io.region import Region
    from halocline.io.times import Times
    from halocline.io.variable import Variable
    from halocline.language.grids.resampled import Prolongation

# A level by its number, or the finest that a forest may have.
AnyLevel = int | Literal["finest"]


class Choice(Frozen):
    """What of quantities is stored, and as what.

    Attributes:
        region: Which cells.
        axes: What coordinates mean.
        dtype: Returns as what the numbers of a quantity are stored.
        prolongation: What finer cells get of coarser ones, where levels are brought together.
        is_mean: Whether means over time are stored, instead of states.
    """

    region: Region
    axes: Axes
    dtype: Callable[[Quantity], np.dtype[Any]]
    prolongation: Prolongation
    is_mean: bool

    def level_means(self, quantities: Sequence[Quantity]) -> list[LevelMeans | None]:
        """Return what has the means of quantities of a forest, if there are to be any."""
        return [LevelMeans(q, self.dtype(q)) if self.is_mean else None for q in quantities]


class Section(Frozen):
    """A dataset of a series.

    Attributes:
        group: Its name in the file; '' for the only one.
        grid: Whose cells it has.
        sources: What fills its variables.
        about: What it is about, besides what the file is.
    """

    group: str
    grid: Grid
    sources: tuple[Source, ...]
    about: Mapping[str, Any] = field(default_factory=dict)

    def template(
        self, constants: Sequence[Variable], about: Mapping[str, Any], choice: Choice, times: Times
    ) -> xarray.Dataset:
        """Return it before its first time."""
        beside = [on_grid(constant, self.grid, choice.prolongation) for constant in constants]
        variables = [*(source.variable() for source in self.sources), *beside]
        state = dataset(self.grid, variables, {**about, **self.about}, choice.axes)
        names = [source.name for source in self.sources]
        contents = along_time(state, names, choice.region, times)
        for source in self.sources:
            if source.missing is not None:
                contents[source.name].encoding["_FillValue"] = source.missing
        return contents


def sections_of(
    grid: Grid | Forest,
    quantities: Sequence[Quantity],
    choice: Choice,
    level: AnyLevel | None,
) -> list[Section]:
    """Return the sections of a series; 'level' and the prolongation concern forests alone.

    Raises:
        CaseError: There is no such level, a region has no cells, or a quantity lives elsewhere.
        GridError: A quantity does not live in the middle of cells, or the prolongation is unknown.
    """
    forest = forest_behind(grid)
    if forest is None:
        assert isinstance(grid, Grid)
        return [_of_grid(grid, quantities, choice)]
    if level is None:
        means = choice.level_means(quantities)
        return [_of_level(forest, n, quantities, means, choice) for n in range(forest.levels)]
    return [_of_one_level(forest, quantities, choice, level)]


def _of_grid(grid: Grid, quantities: Sequence[Quantity], choice: Choice) -> Section:
    parts = [
        Part(q, box_of_region(q.of_grid, choice.region, choice.axes), choice.dtype(q))
        for q in quantities
    ]
    return Section("", grid, tuple(map(Mean, parts) if choice.is_mean else parts))


def _of_level(
    forest: Forest,
    level: int,
    quantities: Sequence[Quantity],
    means: Sequence[LevelMeans | None],
    choice: Choice,
) -> Section:
    grid = forest.level(level)
    sources: list[Source] = []
    for quantity, mean in zip(quantities, means, strict=True):
        one = quantity.on(level).of_grid
        if one.axes != AXES[: forest.dimensions]:
            raise CaseError(
                f"'{quantity.name}' has the axes {', '.join(one.axes)}; expected all those of the "
                "forest, whose levels lie beside each other along each.",
                hint=f"Leave out '{quantity.name}'.",
            )
        box = box_of_region(one, choice.region, choice.axes)
        sources.append(OnLevel(quantity, level, box, choice.dtype(quantity), mean))
    if not choice.region:
        sources.append(LeafMap(forest, level))
    blocks = {f"block_{a}": n for a, n in zip(AXES, forest.leaves.block, strict=False)}
    return Section(f"level_{level}", grid, tuple(sources), _of_cells(level, grid) | blocks)


def _of_one_level(
    forest: Forest,
    quantities: Sequence[Quantity],
    choice: Choice,
    level: AnyLevel,
) -> Section:
    finest = forest.finest
    wanted, allowed = finest if level == "finest" else level, Range(least=0, most=finest)
    number = whole_number("'level'", wanted, allowed, CaseError, f"The finest is {finest}.")
    check_prolongation(choice.prolongation)
    grid = forest.level(number)
    sources = []
    for quantity, mean in zip(quantities, choice.level_means(quantities), strict=True):
        check_in_cells(quantity.of_forest)
        box = box_of_region(quantity.on(number).of_grid, choice.region, choice.axes)
        how = (number, choice.prolongation)
        sources.append(Resampled(quantity, how, box, choice.dtype(quantity), mean))
    about = _of_cells(number, grid) | {"prolongation": choice.prolongation}
    return Section("", grid, tuple(sources), about)


def _of_cells(level: int, grid: Grid) -> dict[str, Any]:
    """Return what a section says of its cells."""
    return {
        "level": level,
        **{f"spacing_{a}": h for a, h in zip(AXES, grid.spacing, strict=False)},
    }
