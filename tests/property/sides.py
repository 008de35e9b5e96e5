"""What lies beyond the sides of a grid, in plain NumPy on whole arrays."""

from __future__ import annotations

import numpy as np
from property.programs import AXES, REACH, Program, is_on_faces


def filled(program: Program, name: str, arrays: dict[str, np.ndarray]) -> np.ndarray:
    """Return a field with layers around it, and what is prescribed on its sides."""
    array, space = arrays[name], program.space(name)
    nothing = np.nan if array.dtype.kind == "f" else 99
    for axis, is_periodic in enumerate(space.periodic):
        width = [(REACH, REACH) if a == axis + 1 else (0, 0) for a in range(array.ndim)]
        if axis not in space.axes:
            how = {"mode": "edge"}
        else:
            how = {"mode": "wrap"} if is_periodic else {"constant_values": nothing}
        array = np.pad(array, width, **how)
    field = program.field(name)
    # Where layers of two sides meet, the one declared last decides.
    for side, kind, given in field.boundaries:
        axis = AXES.index(side[0])
        lines = np.moveaxis(array, axis + 1, 0)
        spacing = program.spacing[axis] / float(space.scale[axis])
        rule = (kind, given * (spacing if kind == "neumann" else 1))
        _fill_side(lines, side, rule, is_on_side=is_on_faces(field, axis))
        assert len(lines) == space.size[axis] + 2 * REACH
    return array


def _fill_side(lines: np.ndarray, side: str, rule: tuple[str, float], *, is_on_side: bool) -> None:
    """Fill the layers beyond a side, and that on it; 'lines' has the side's axis first."""
    kind, given = rule
    # From the high side as from the low one: line REACH + n is the n-th cell inside, n from 0.
    if side[1] == "+":
        lines = lines[::-1]
    # Computed in 32 bits at least.
    number = np.float32 if lines.dtype == np.float16 else lines.dtype.type
    inside, last = REACH, len(lines) - REACH - 1
    if kind == "copy":
        lines[inside - 1] = lines[inside]
        return
    if is_on_side:
        first = number(lines[inside + 1]) if kind == "neumann" else 0
        lines[inside] = number(given) if kind == "dirichlet" else first + number(given)
    for layer in range(inside - 1, -1, -1):
        mirror = 2 * inside - layer - (not is_on_side)
        if mirror > last:
            break
        if kind == "dirichlet":
            lines[layer] = number(2 * given) - number(lines[mirror])
        else:
            lines[layer] = number((mirror - layer) * given) + number(lines[mirror])
