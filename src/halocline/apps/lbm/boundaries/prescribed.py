"""Prescribed numbers and functions of place and time as values in a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.apps.lbm.setup.place_and_time import TIME, asked, is_function
from halocline.apps.lbm.validation.arguments import returned, returned_number
from halocline.language.expressions.operators import Operand

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from halocline.apps.lbm.lattice.populations import Value
    from halocline.geometry import Offset


def vector(value: Any, cell: Offset, time: Value, dtype: str) -> tuple[Value, ...]:
    """Return a prescribed vector, or evaluate the function that gives it.

    Args:
        value: One component an axis, or a function; maybe empty.
        cell: The offset of the cell where.
        time: When.
        dtype: Of the populations.

    Raises:
        CaseError: The function returns something else.
    """
    if not is_function(value):
        return tuple(value)
    components = value(**_places(asked(value), cell, time))
    return tuple(
        cast_to_compute(component, dtype)
        for component in returned(value, components, len(cell), "axis")
    )


def scalar(value: Any, cell: Offset, time: Value, dtype: str) -> Value:
    """Return a prescribed number, or evaluate the function that gives it; see 'vector'."""
    if not is_function(value):
        return value
    result = value(**_places(asked(value), cell, time))
    return cast_to_compute(returned_number(value, result), dtype)


def _places(names: Sequence[str], cell: Offset, time: Value) -> Mapping[str, Value]:
    return {name: time if name == TIME else hc.coordinate(name)[cell] for name in names}


def cast_to_compute(value: Value, dtype: str) -> Value:
    """Cast a value to the precision in which populations are computed; coordinates are wider."""
    if not isinstance(value, Operand) or value.is_number or dtype == "float64":
        return value
    return value.astype("float32")
