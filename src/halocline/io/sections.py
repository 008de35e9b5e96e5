"""Sections: the datasets of a series, each of the cells of one grid, and what fills them.

A grid has one. A forest has one for each level that there may be, as groups of one file; or, if
asked for, a single one of all levels on the cells of one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from halocline.errors import CaseError
from halocline.geometry import AXES
from halocline.io.dataset import dataset
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


@dataclass(frozen=True, slots=True)
class Choice:
    """What of quantities is stored, and as what.

    Attributes:
        region: Which cells.
        axes: What coordinates mean.
        dtype: Returns as what the numbers of a quantity are stored.
    """

    region: Region
    axes: Axes
    dtype: Callable[[Quantity], np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class Section:
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

    def with_means(self) -> Section:
        """Return it with means of its parts."""
        means = (Mean(one) if isinstance(one, Part) else one for one in self.sources)
        return replace(self, sources=tuple(means))

    def template(
        self, constants: Sequence[Variable], about: Mapping[str, Any], choice: Choice, times: Times
    ) -> xarray.Dataset:
        """Return it before its first time."""
        variables = [*(source.variable() for source in self.sources), *constants]
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
    prolongation: Prolongation,
) -> list[Section]:
    """Return the sections of a series; 'level' and 'prolongation' concern forests alone.

    Raises:
        CaseError: There is no such level, a region has no cells, or a quantity lives elsewhere.
        GridError: A quantity does not live in the middle of cells, or the prolongation is unknown.
    """
    forest = forest_behind(grid)
    if forest is None:
        assert isinstance(grid, Grid)
        return [_of_grid(grid, quantities, choice)]
    if level is None:
        return [_of_level(forest, each, quantities, choice) for each in range(forest.finest + 1)]
    return [_of_one_level(forest, quantities, choice, level, prolongation)]


def _of_grid(grid: Grid, quantities: Sequence[Quantity], choice: Choice) -> Section:
    parts = [
        Part(q, box_of_region(q.of_grid, choice.region, choice.axes), choice.dtype(q))
        for q in quantities
    ]
    return Section("", grid, tuple(parts))


def _of_level(
    forest: Forest, level: int, quantities: Sequence[Quantity], choice: Choice
) -> Section:
    grid = forest.level(level)
    sources: list[Source] = []
    for quantity in quantities:
        on_level = quantity.on(level)
        one = on_level.of_grid
        if one.axes != AXES[: forest.dimensions]:
            raise CaseError(
                f"'{quantity.name}' has the axes {', '.join(one.axes)}; expected all those of the "
                "forest, whose levels lie beside each other along each.",
                hint=f"Leave out '{quantity.name}'.",
            )
        box = box_of_region(one, choice.region, choice.axes)
        sources.append(OnLevel(on_level, forest, box, choice.dtype(quantity)))
    if not choice.region:
        sources.append(LeafMap(forest, level))
    blocks = {f"block_{a}": n for a, n in zip(AXES, forest.leaves.block, strict=False)}
    return Section(f"level_{level}", grid, tuple(sources), _of_cells(level, grid) | blocks)


def _of_one_level(
    forest: Forest,
    quantities: Sequence[Quantity],
    choice: Choice,
    level: AnyLevel,
    prolongation: Prolongation,
) -> Section:
    finest = forest.finest
    wanted, allowed = finest if level == "finest" else level, Range(least=0, most=finest)
    number = whole_number("'level'", wanted, allowed, CaseError, f"The finest is {finest}.")
    check_prolongation(prolongation)
    grid = forest.level(number)
    sources = []
    for quantity in quantities:
        check_in_cells(quantity.of_forest)
        box = box_of_region(quantity.on(number).of_grid, choice.region, choice.axes)
        sources.append(Resampled(quantity, (number, prolongation), box, choice.dtype(quantity)))
    about = _of_cells(number, grid) | {"prolongation": prolongation}
    return Section("", grid, tuple(sources), about)


def _of_cells(level: int, grid: Grid) -> dict[str, Any]:
    """Return what a section says of its cells."""
    return {
        "level": level,
        **{f"spacing_{a}": h for a, h in zip(AXES, grid.spacing, strict=False)},
    }
