"""Composite fields: values on all levels of a forest, a field of each level's grid."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from halocline.errors import GridError
from halocline.language.grids.arrays import data_array
from halocline.language.grids.resampled import Prolongation, resampled
from halocline.language.numbers import Range, whole_number
from halocline.language.place import user_place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from xarray import DataArray

    from halocline.geometry import Box
    from halocline.language.grids.fields import Field
    from halocline.language.grids.forest import Forest


class CompositeField:
    """Values on all levels of a forest; made by 'Forest.field'.

    Args:
        forest: The forest.
        name: Its name.
        coupling: How the values of levels make each other's at their borders, see 'coupling.py'.
        options: Those of 'Grid.field'.

    Attributes:
        levels: The fields of all levels.
    """

    def __init__(self, forest: Forest, name: str, coupling: Any = None, **options: Any) -> None:
        self.forest = forest
        self.name = name
        self.coupling = coupling
        # Those of all levels that there may be: blocks are split and merged while they are used.
        self.levels: tuple[Field, ...] = tuple(
            forest.level(n).field(f"{name}_level{n}" if n else name, **options)
            for n in range(forest.levels)
        )

    def __repr__(self) -> str:
        """Return a short description."""
        return f"CompositeField({self.name!r}, {self.forest.levels} levels)"

    @property
    def components(self) -> int:
        """Numbers a cell."""
        return self.levels[0].components

    @property
    def dtype(self) -> str:
        """Type of its numbers."""
        return self.levels[0].dtype

    def level(self, level: int) -> Field:
        """Return the field of a level, which has values in the leaves of that level.

        Raises:
            GridError: There is no such level.
        """
        allowed = Range(least=0, most=self.forest.levels - 1)
        level = whole_number(f"'level' of field '{self.name}'", level, allowed, GridError)
        return self.levels[level]

    def __getitem__(self, component: int) -> Component:
        """Return a component, for use in a reduction."""
        return Component(self, component)

    def set(self, values: Any) -> None:
        """Give every cell of all levels a value.

        Args:
            values: A number, or a function of the coordinates, see 'Field.set'.

        Raises:
            GridError: It is neither, or does not fit the field.
        """
        if not callable(values) and not isinstance(values, float | int):
            raise GridError(
                f"Field '{self.name}' of a forest was set to {type(values).__name__}; expected a "
                "number or a function of the coordinates.",
                hint=f"The values of one level: {self.name}.level(0).set(array).",
                place=user_place(),
            )
        for field in self.levels:
            field.set(values)

    def resampled(
        self, level: int | None = None, prolongation: Prolongation = "linear"
    ) -> DataArray | None:
        """Return the values of all levels on the cells of one, as an xarray.DataArray.

        On rank 0; None on other ranks. Collective.

        Args:
            level: Which; None for the finest that the forest may have. Where leaves are finer,
                cells get means.
            prolongation: What cells get where leaves are coarser, see 'resampled.py'.

        Raises:
            GridError: There is no such level, or the field has no values in the middle of cells.
            OutOfMemoryError: They do not fit into memory.
        """
        finest = self.forest.finest
        wanted = finest if level is None else level
        what, allowed = f"'resampled' of field '{self.name}'", Range(least=0, most=finest)
        level = whole_number(what, wanted, allowed, GridError)
        gathers = [partial(self.gather_boxes, n) for n in range(self.components)]
        found = resampled(self, gathers, level, prolongation)
        if found is None:
            return None
        result: DataArray = data_array(self.level(0), found, self.forest.level(level))
        return result.rename(self.name)

    def gather_boxes(
        self, component: int, level: int, boxes: Sequence[Box]
    ) -> list[NDArray[Any]] | None:
        """Return a component in boxes of a level's leaves, on rank 0 alone; collective."""
        return self.level(level).stored().gather_boxes(boxes, component)

    def boundary(self, side: str | Sequence[str], condition: Any, **given: Any) -> None:
        """Say how the layers beyond a side are filled on all levels, see 'Field.boundary'."""
        for level, field in enumerate(self.levels):
            field.boundary(side, at_level(condition, level), **given)

    def limits(self, low: float | None = None, high: float | None = None) -> None:
        """Say which values are right on all levels, see 'Field.limits'."""
        for field in self.levels:
            field.limits(low, high)


class Component(NamedTuple):
    """A component of a field of a forest.

    Attributes:
        field: The field.
        number: Of the component.
    """

    field: CompositeField
    number: int

    @property
    def forest(self) -> Forest:
        """The forest."""
        return self.field.forest

    def level(self, level: int) -> Any:
        """Return the component on a level."""
        return self.field.level(level)[self.number]


class PerLevel(NamedTuple):
    """A number that differs from level to level.

    Attributes:
        value: Called with the level, 0 for the coarsest.
    """

    value: Callable[[int], Any]


def forest_of(values: Sequence[Any], what: str) -> Forest | None:
    """Return the forest of the composite fields among some values; None if there are none.

    Raises:
        GridError: They belong to several forests.
    """
    found = [value for value in _flat(values) if isinstance(value, CompositeField)]
    for other in found[1:]:
        if other.forest is not found[0].forest:
            raise GridError(
                f"{what} was given '{found[0].name}' and '{other.name}' of another forest; "
                "expected fields of one forest.",
                place=user_place(),
            )
    return found[0].forest if found else None


def at_level(value: Any, level: int) -> Any:
    """Return what a value is on a level: of a composite field the field there."""
    match value:
        case CompositeField():
            return value.level(level)
        case PerLevel():
            return value.value(level)
        case tuple() | list():
            return type(value)(at_level(one, level) for one in value)
        case _:
            return value


def _flat(values: Sequence[Any]) -> list[Any]:
    result: list[Any] = []
    for value in values:
        result += _flat(value) if isinstance(value, tuple | list) else [value]
    return result
