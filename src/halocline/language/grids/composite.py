"""Composite fields: values on all levels of a forest, a field of each; and expressions of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from numbers import Number
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict, replace

from halocline.errors import GridError, KernelError
from halocline.geometry import Box
from halocline.language.expressions.expr import renamed
from halocline.language.expressions.kernel import reads
from halocline.language.expressions.operators import Operand, Value
from halocline.language.expressions.show import show_formula
from halocline.language.expressions.subscripts import parse_component
from halocline.language.grids.arrays import data_array
from halocline.language.grids.resampled import Prolongation, resampled
from halocline.language.numbers import Range, whole_number
from halocline.language.place import user_place

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from xarray import DataArray

    from halocline.language.expressions.expr import Expr
    from halocline.language.grids.fields import Field
    from halocline.language.grids.forest import Forest


class Composite(Operand):
    """Something that stands for a value in each cell of all levels of a forest.

    Computing with such gives expressions in the fields of the coarsest level, which stand for those
    of every level.

    Attributes:
        forest: The forest.
    """

    forest: Forest
    is_on_levels = True

    def made(self, node: Expr) -> Any:
        """Return what an operation gives."""
        return CompositeValue(self.forest, node)

    def level(self, level: int) -> Any:
        """Return what it is on a level."""
        raise NotImplementedError

    def __getitem__(self, key: Any) -> Any:
        """Refuse to be read next door, where another level may be."""
        raise KernelError(
            f"An expression of fields of a forest was given the subscript {key!r}; expected none: "
            "beside a cell there may be another level's.",
            hint="Read there in a kernel; values of one level: field.level(0)[…].",
            place=user_place(),
        )


class CompositeField(Composite):
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

    def expression(self) -> Expr:
        """Return the value in a cell, as of the coarsest level."""
        return self.levels[0].expression()

    def __getitem__(self, component: int) -> Component:
        """Return a component, for use in a reduction.

        Raises:
            HaloclineError: It is no number of a component.
        """
        if isinstance(component, bool) or not isinstance(component, int | np.integer):
            raise GridError(
                f"Field '{self.name}' of a forest was given the subscript {component!r}; expected "
                "the number of a component.",
                hint=f"The values of a level: {self.name}.level(0)[…]; of all levels on the cells "
                f"of one: {self.name}.resampled(). In a kernel any cell beside may be read.",
                place=user_place(),
            )
        return Component(self, parse_component(self.name, self.components, component))

    def __iter__(self) -> Iterator[Component]:
        """Yield each component, for use in a reduction."""
        return (self[q] for q in range(self.components))

    def _is_of_one_level(self, call: str) -> GridError:
        return GridError(
            f"'{call}' was called for field '{self.name}' of a forest, which has values on "
            f"{self.forest.levels} level(s); expected the field of one.",
            hint=f"Write {self.name}.level(0).{call}(…); {self.name}.resampled() returns the "
            "values of all levels on the cells of one.",
            place=user_place(),
        )

    def gather(self, *_: Any) -> NoReturn:
        """Refuse to be one array: each level has its own, 'resampled' brings them together."""
        raise self._is_of_one_level("gather")

    def local(self) -> NoReturn:
        """Refuse to be arrays of one level."""
        raise self._is_of_one_level("local")

    def on_device(self) -> NoReturn:
        """Refuse to be arrays of one level."""
        raise self._is_of_one_level("on_device")

    def to_xarray(self) -> NoReturn:
        """Refuse to be one array."""
        raise self._is_of_one_level("to_xarray")

    def set(self, values: Any) -> None:
        """Give every cell of all levels a value.

        Args:
            values: A number, or a function of the coordinates, see 'Field.set'.

        Raises:
            GridError: It is neither, or does not fit the field.
        """
        if not callable(values) and not isinstance(values, Number):
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
        first = self.level(0)
        result: DataArray = data_array(first, first.joined(found), self.forest.level(level))
        return result.rename(self.name)

    def gather_boxes(
        self, component: int, level: int, boxes: Sequence[Box]
    ) -> list[NDArray[Any]] | None:
        """Return a component in boxes of a level's leaves, on rank 0 alone; collective."""
        return self.level(level).stored().gather_boxes(boxes, component)

    def boundary(self, side: str | Sequence[str], condition: Any, **given: Any) -> None:
        """Say how the layers beyond a side are filled on all levels, see 'Field.boundary'.

        Fields of the forest, boxes and 'PerLevel' stand for what they are on each level.

        Raises:
            GridError: An array was given, which has the cells of one level; or see there.
        """
        shapes = [getattr(v, "shape", ()) for v in (*given.values(), *_values(condition).values())]
        if any(shapes) and self.forest.levels > 1:
            sides = side if isinstance(side, str) else ", ".join(side)
            raise GridError(
                f"The boundary of '{self.name}' of a forest on side '{sides}' was given an array "
                f"of shape {next(filter(None, shapes))}, which has cells of one level; expected "
                f"what holds on all {self.forest.levels} levels.",
                hint="Give a function of the coordinates, a field of the forest, or for 'where' a "
                "box of cells of the coarsest level.",
                place=user_place(),
            )
        for level, field in enumerate(self.levels):
            there = {name: at_level(value, level) for name, value in given.items()}
            field.boundary(side, _condition_on(condition, level), **there)

    def limits(self, low: float | None = None, high: float | None = None) -> None:
        """Say which values are right on all levels, see 'Field.limits'."""
        for field in self.levels:
            field.limits(low, high)


class Component(Composite):
    """A component of a field of a forest.

    Args:
        field: The field.
        number: Of the component.
    """

    def __init__(self, field: CompositeField, number: int) -> None:
        self.field, self.number = field, number
        self.forest = field.forest

    def expression(self) -> Expr:
        """Return the value in a cell, as of the coarsest level."""
        node: Expr = self.level(0).expression()
        return node

    def level(self, level: int) -> Any:
        """Return the component on a level."""
        own = self.field.level(level)
        return own[self.number] if own.components > 1 else own


class CompositeValue(Composite):
    """An expression of fields of a forest.

    Args:
        forest: The forest.
        node: The expression, of fields of the coarsest level.
    """

    def __init__(self, forest: Forest, node: Expr) -> None:
        self.forest, self._node = forest, node

    def __repr__(self) -> str:
        """Return how it is computed in each cell."""
        return f"<{show_formula(self._node)} in each cell of all levels>"

    def expression(self) -> Expr:
        """Return the expression, as of the coarsest level."""
        return self._node

    def level(self, level: int) -> Value:
        """Return the expression on a level.

        Raises:
            KernelError: It reads something else than the cell itself of fields of the forest.
        """
        fields = {
            field.level(0).name: field.level(level).name for field in self.forest.fields.values()
        }
        for read in reads(self._node):
            if read.field not in fields or any(read.offset) or read.shift:
                what = "of a neighbour" if read.field in fields else "of one level alone"
                raise KernelError(
                    f"An expression of all levels of a forest reads '{read.field}' {what}; "
                    "expected fields of the forest, in the cell itself.",
                    hint="Assign it to a field in a kernel, and combine that.",
                    place=user_place(),
                )
        return Value(renamed(self._node, fields, {}))


class PerLevel(NamedTuple):
    """A number that differs from level to level.

    Attributes:
        value: Called with the level, 0 for the coarsest.

    Example:
        >>> rate = hc.PerLevel(lambda level: 0.1 * 2**level)
    """

    value: Callable[[int], Any]


def forest_of(values: Sequence[Any], what: str) -> Forest | None:
    """Return the forest of the composite fields among some values; None if there are none.

    Raises:
        GridError: They belong to several forests.
    """
    fields = [value for value in _flat(values) if isinstance(value, CompositeField)]
    for other in fields[1:]:
        if other.forest is not fields[0].forest:
            raise GridError(
                f"{what} was given '{fields[0].name}' and '{other.name}' of another forest; "
                "expected fields of one forest.",
                place=user_place(),
            )
    return fields[0].forest if fields else None


def at_level(value: Any, level: int) -> Any:
    """Return what a value is on a level: of a composite field the field there.

    A box is one of cells of the coarsest level; on others it has their cells of the same place.
    """
    match value:
        case CompositeField():
            return value.level(level)
        case Box(lower, upper):
            return Box(*(tuple(end * 2**level for end in ends) for ends in (lower, upper)))
        case PerLevel():
            return value.value(level)
        case tuple() | list():
            return type(value)(at_level(entry, level) for entry in value)
        case _:
            return value


def _condition_on(condition: Any, level: int) -> Any:
    """Return a boundary condition on a level, with what it prescribes there."""
    if values := _values(condition):
        there = {name: at_level(value, level) for name, value in values.items()}
        return replace(condition, **there)
    return at_level(condition, level)


def _values(condition: Any) -> dict[str, Any]:
    """Return what a boundary condition prescribes, by name; nothing of what has no names."""
    return asdict(condition) if isinstance(condition, Struct) else {}


def _flat(values: Sequence[Any]) -> list[Any]:
    result: list[Any] = []
    for value in values:
        result += _flat(value) if isinstance(value, tuple | list) else [value]
    return result
