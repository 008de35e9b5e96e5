"""Values of neighbours, by the names of axes instead of subscripts."""

from __future__ import annotations

from typing import Any

import numpy as np

from halocline.errors import KernelError, nearest
from halocline.geometry import AXES
from halocline.language.expressions.complex_values import ComplexArithmetic
from halocline.language.expressions.expr import shifted
from halocline.language.expressions.operators import Operand, Value, cells_of
from halocline.language.place import user_place


def at(value: Any, **cells: int) -> Any:
    """Return a value as a neighbour has it: 'hc.at(u, x=1)' is u one cell further along x.

    The same as a subscript, for kernels whose axis is a keyword, 'hc.at(u, **{axis: -1})', or that
    serve grids of any number of axes: a field that lacks an axis is the same all along it.

    Args:
        value: A field of a kernel, one of its components or any expression; a number stays as it
            is.
        cells: How many cells further, by axes: x, y, z.

    Raises:
        KernelError: There is no such axis, or the cells are no whole numbers.

    Example:
        >>> T = hc.Grid((8, 8)).field("T")
        >>> slope = hc.at(T, x=1) - hc.at(T, x=-1)
    """
    for axis, count in cells.items():
        if axis not in AXES:
            raise KernelError(
                f"'hc.at' was given the axis '{axis}'; expected x, y or z.",
                hint=nearest(axis, AXES),
                place=user_place(),
            )
        if isinstance(count, bool) or not isinstance(count, int | np.integer):
            raise KernelError(
                f"'hc.at' was given {axis}={count!r}; expected a whole number of cells.",
                place=user_place(),
            )
    if isinstance(value, ComplexArithmetic):
        return value.mapped(lambda part: at(part, **cells))
    if not isinstance(value, Operand):
        return value
    node = value.expression()
    axes = AXES[: cells_of(node, len(AXES)).dimensions]
    beyond = [axis for axis in cells if axis not in axes]
    if beyond:
        raise KernelError(
            f"'hc.at' was given the axis '{beyond[0]}'; the grid has {', '.join(axes)}.",
            place=user_place(),
        )
    neighbour = shifted(node, tuple(int(cells.get(axis, 0)) for axis in axes))
    return Value(neighbour) if value.is_number else value.made(neighbour)
