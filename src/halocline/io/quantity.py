"""What a case shows of itself: scalars of every cell, and integrals over all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace

from halocline.errors import CaseError, described
from halocline.frozen import Frozen
from halocline.geometry import AXES
from halocline.io.variable import Variable, check_names
from halocline.language.grids.composite import CompositeField
from halocline.language.grids.fields import Field
from halocline.language.grids.resampled import resampled
from halocline.runtime.storage import storage_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from halocline.geometry import Box
    from halocline.language.expressions.parameters import Formula
    from halocline.language.grids.resampled import Prolongation
    from halocline.language.steps.steps import Reduction

    # What users give to be shown.
    Shown = Iterable["Quantity | Field | CompositeField"]


class Quantity(Frozen):
    """A scalar of every cell that is read off a field, at any time of a run.

    Attributes:
        name: In files.
        field: Where it is read off; in a forest a field on all levels.
        component: Of the field.
        convert: From stored values to those shown, cell by cell; None where they are the same.
        unit: As CF conventions write it; '1' for a pure number.
        description: One phrase.
        vector: The vector whose next component it is, in files that know vectors; '' for none.
        standard_name: Of the table of CF conventions; '' if that has none.
    """

    name: str
    field: Field | CompositeField
    component: int = 0
    convert: Callable[[NDArray[Any]], NDArray[Any]] | None = None
    unit: str = "1"
    description: str = ""
    vector: str = ""
    standard_name: str = ""

    @property
    def dtype(self) -> str:
        """The type of its numbers."""
        return self.field.dtype

    @property
    def of_grid(self) -> Field:
        """Its field, which is one of a grid.

        Raises:
            CaseError: It has values on all levels of a forest.
        """
        if isinstance(self.field, CompositeField):
            name = self.field.name
            raise CaseError(
                f"'{self.name}' has values on all levels of a forest; expected a field of a grid.",
                hint=f"{name}.level(0) is that of a level.",
            )
        return self.field

    @property
    def of_forest(self) -> CompositeField:
        """Its field, which is one of a forest.

        Raises:
            CaseError: It is one of a single grid.
        """
        if not isinstance(self.field, CompositeField):
            raise CaseError(
                f"'{self.name}' has values on one grid; expected a field on all levels of the "
                "forest.",
                hint="Declare it by 'Forest.field'.",
            )
        return self.field

    def on(self, level: int) -> Quantity:
        """Return that of a level of its forest."""
        return replace(self, field=self.of_forest.level(level))

    def shown(self, stored: Any) -> NDArray[Any]:
        """Return stored values as they are shown, in the field's own type."""
        values = np.asarray(stored)
        converted = values if self.convert is None else self.convert(values)
        return np.asarray(converted, self.dtype)

    def gather(self, prolongation: Prolongation = "nearest") -> Variable:
        """Return the values of all cells; collective, with values on rank 0 only.

        Of a forest those of the finest level that there is.

        Args:
            prolongation: What cells get where a forest's leaves are coarser, see 'resampled.py'.

        Raises:
            GridError: A forest's do not live in the middle of cells.
            OutOfMemoryError: A forest's do not fit into memory.
        """
        if isinstance(self.field, CompositeField):
            level = self.field.forest.leaves.finest
            found = resampled(self.field, [self.gather_boxes], level, prolongation)
            return self.on(level).variable(found)
        stored = storage_of(self.field).gather_component(self.component)
        return self.variable(None if stored is None else self.shown(stored))

    def gather_boxes(self, level: int, boxes: Sequence[Box]) -> list[NDArray[Any]] | None:
        """Return what is shown in boxes of a level's leaves, on rank 0 alone; collective."""
        found = self.of_forest.gather_boxes(self.component, level, boxes)
        return None if found is None else [self.shown(values) for values in found]

    def variable(self, values: NDArray[Any] | None) -> Variable:
        """Return values with what a reader must know of them."""
        field = self.of_grid
        return Variable(
            self.name,
            values,
            self.unit,
            self.description,
            field.location,
            field.axes,
            field.grid,
            self.standard_name,
        )


class Integral(Frozen):
    """A number that tells of all cells together.

    Attributes:
        name: In files.
        reduction: What is summed, or the extremum, or a formula of such; exact, so the same on any
            number of ranks.
        factor: What the reduction is multiplied by, as the volume of a cell.
        unit: As CF conventions write it; '1' for a pure number.
        description: One phrase.
    """

    name: str
    reduction: Reduction | Formula
    factor: float = 1.0
    unit: str = "1"
    description: str = ""

    @property
    def value(self) -> float:
        """The number, as of when the reduction was last done."""
        return self.reduction.value * self.factor


def quantities_of(shown: Shown) -> tuple[Quantity, ...]:
    """Return what is to be shown as quantities, of a field one for each component.

    Raises:
        CaseError: It is something else, or two have the same name.
    """
    if isinstance(shown, Quantity | Field | CompositeField) or not np.iterable(shown):
        raise CaseError(
            f"{described(shown)} was given to be written; expected a list of quantities or fields.",
            hint="Write it in brackets: [T].",
        )
    found = tuple(quantity for one in shown for quantity in _quantities(one))
    check_names(quantity.name for quantity in found)
    return found


def _quantities(one: Quantity | Field | CompositeField) -> Sequence[Quantity]:
    if isinstance(one, Quantity):
        return [one]
    if not isinstance(one, Field | CompositeField):
        raise CaseError(
            f"{described(one)} was given to be written; expected a quantity or a field.",
            hint="Quantity('T', T, unit='K') is one of the field T.",
        )
    spec = one.level(0) if isinstance(one, CompositeField) else one
    whole = Quantity(one.name, one, unit=spec.unit or "1", description=spec.description)
    if one.components == 1:
        return [whole]
    is_vector = one.components <= len(AXES)
    names = AXES if is_vector else map(str, range(one.components))
    return [
        replace(whole, name=f"{one.name}_{name}", component=q, vector=one.name * is_vector)
        for q, name in zip(range(one.components), names, strict=False)
    ]
