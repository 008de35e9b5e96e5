"""What lies beyond the sides of a grid, in plain NumPy on whole arrays (docs/guide/boundaries.md).

Arrays have the component first, then all axes of the grid, and REACH layers on all sides.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from property.given import Boundary, Given, Series
from property.programs import AXES, REACH, Program, is_on_faces


class Sides:
    """The layers of a program's fields as they are at a moment.

    Attributes:
        program: The program.
        arrays: (components, x, y, z) by field.
        numbers: The values of parameters and series, by name.
        time: What 'hc.time' is.
    """

    def __init__(
        self, program: Program, arrays: dict[str, np.ndarray], numbers: dict[str, float], time
    ) -> None:
        self.program, self.arrays, self.numbers, self.time = program, arrays, numbers, time

    def filled(self, name: str) -> np.ndarray:
        """Return a field with layers around it, and what is prescribed on its sides."""
        array, space = self.arrays[name], self.program.space(name)
        nothing = np.nan if array.dtype.kind == "f" else 99
        for axis, is_periodic in enumerate(space.periodic):
            width = [(REACH, REACH) if a == axis + 1 else (0, 0) for a in range(array.ndim)]
            if axis not in space.axes:
                how = {"mode": "edge"}
            else:
                how = {"mode": "wrap"} if is_periodic else {"constant_values": nothing}
            array = np.pad(array, width, **how)
        # Where layers of two sides meet, the one declared last decides.
        for boundary in self.program.field(name).boundaries:
            axis = AXES.index(boundary.side[0])
            lines = np.moveaxis(array, axis + 1, 0)
            lines = lines[::-1] if boundary.side[1] == "+" else lines
            self._fill(name, lines, boundary)
            assert len(lines) == space.size[axis] + 2 * REACH
        return array

    def _fill(self, name: str, lines: np.ndarray, boundary: Boundary) -> None:
        """Fill the layers beyond a side, and that on it.

        'lines' has the side's axis first, from that side on: REACH + n is the n-th cell inside.
        """
        field, axis = self.program.field(name), AXES.index(boundary.side[0])
        is_on_side, is_here = is_on_faces(field, axis), self._part(name, boundary)
        # Computed in 32 bits at least.
        number = np.float32 if lines.dtype == np.float16 else lines.dtype.type
        inside, last = REACH, len(lines) - REACH - 1
        width = Fraction(self.program.width(field, axis))
        given = self._given(name, boundary) if boundary.prescribes else None
        for layer in range(inside - (not is_on_side), -1, -1):
            mirror = 2 * inside - layer - (not is_on_side)
            if layer == inside:  # on the side itself: the difference to the first value inside
                mirror = inside + 1
            if mirror > last:
                break
            if boundary.kind == "copy" and layer < inside:
                value = lines[layer + 1]
            elif boundary.kind == "mirror" and layer < inside:
                value = lines[mirror]
            elif boundary.prescribes:
                factor, weight = _rule(
                    boundary, (mirror - layer) * width, is_on_side=layer == inside
                )
                value = factor * given
                if weight:
                    value = value + weight * lines[mirror].astype(number)
            else:
                continue
            # As kernels store: to 16 bits by way of a float.
            value = np.asarray(value).astype(number)
            lines[layer] = np.where(is_here, value, lines[layer])

    def _part(self, name: str, boundary: Boundary) -> np.ndarray:
        """Return where on a side a condition holds, as its layers are shaped."""
        axis, size = AXES.index(boundary.side[0]), self.program.space(name).size
        shape = tuple(n for a, n in enumerate(size) if a != axis)
        found = np.full(shape, boundary.part is None)
        if boundary.part is not None:
            ends = zip(*boundary.part, strict=True)
            found[tuple(slice(*end) for a, end in enumerate(ends) if a != axis)] = True
        return self._around(name, axis, found)

    def _around(self, name: str, across: int, values: np.ndarray) -> np.ndarray:
        """Return values of a side with layers around them: mirrored where axes do not close."""
        space, field = self.program.space(name), self.program.field(name)
        lateral = [axis for axis in range(len(space.size)) if axis != across]
        for position, axis in enumerate(lateral):
            width = [(REACH, REACH) if p == position else (0, 0) for p in range(values.ndim)]
            mode = "reflect" if is_on_faces(field, axis) else "symmetric"
            mode = "wrap" if space.periodic[axis] else mode
            mode = mode if axis in space.axes else "edge"
            values = np.pad(values, width, mode=mode)
        return values

    def _given(self, name: str, boundary: Boundary):
        """Return what is prescribed: a number, or an array shaped as the side's layers."""
        axis, given = AXES.index(boundary.side[0]), boundary.given
        match given:
            case Given("number", value):
                return value
            case Given("parameter" | "number series", value):
                return float(self.numbers[value])
            case Given("field", value):
                found = np.moveaxis(self.filled(value)[0], axis, 0)[REACH]
                return found.astype(np.float32) if found.dtype == np.float16 else found
            case Given("function", value):
                return self._function(name, boundary)
        dtype = self.arrays[name].dtype
        dtype = np.dtype(np.float32) if dtype == np.float16 else dtype
        shape = self.program.shape_of_side(name, boundary.side)
        if isinstance(given.value, Series):
            stored = given.value.values(shape)
            values = np.asarray(given.value.at(self.time, stored)).astype(dtype)
        else:
            values = array_of(given.value, shape).astype(dtype)
        size = self.program.space(name).size
        everything = tuple(n for a, n in enumerate(size) if a != axis)
        return self._around(name, axis, values.reshape(everything))

    def _function(self, name: str, boundary: Boundary):
        """Return c[0] + c[1] x + … + c[-1] t on the layers of a side."""
        field, space = self.program.field(name), self.program.space(name)
        across, factors = AXES.index(boundary.side[0]), boundary.given.value
        lateral = [axis for axis in range(len(space.size)) if axis != across]
        value = factors[0]
        for axis in space.axes:
            if not factors[1 + axis]:
                continue
            width = self.program.width(field, axis)
            if axis == across:
                place = width * (space.cells[axis] if boundary.side[1] == "+" else 0)
            else:
                index = np.arange(-REACH, space.size[axis] + REACH)
                index = index % space.cells[axis] if space.periodic[axis] else index
                place = (index + (0.0 if is_on_faces(field, axis) else 0.5)) * width
                place = place.reshape([-1 if a == axis else 1 for a in lateral])
            value = value + factors[1 + axis] * place
        return value + factors[-1] * self.time


def array_of(seed: int, shape: tuple[int, ...]) -> np.ndarray:
    """Return numbers along a side."""
    return np.random.default_rng(seed).random(shape) - 0.5


def _rule(boundary: Boundary, distance: Fraction, *, is_on_side: bool) -> tuple[float, float]:
    """Return by what the given value and that within are multiplied, rounded once.

    a u + b du/dn = c, with u the mean of the layer and its mirror image; on the side itself its
    own value.
    """
    a, b = {"dirichlet": (1, 0), "neumann": (0, 1)}.get(boundary.kind, boundary.factors)
    here, slope = Fraction(a) / (1 if is_on_side else 2), Fraction(b) / distance
    there = 0 if is_on_side else here
    return float(1 / (here + slope)), float((slope - there) / (here + slope))
