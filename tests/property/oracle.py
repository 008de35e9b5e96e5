"""What a program means, on one array for the whole grid: no blocks, no plan, no exchange."""

from __future__ import annotations

import itertools
import math

import numpy as np

from halocline.codegen.numpy_target import evaluate
from halocline.geometry import AXES, Box
from halocline.language.boundary import Dirichlet
from halocline.language.fuse import fuse
from halocline.language.kernel import reads
from halocline.language.mask import masked
from halocline.language.steps import Call, Every, Parameter, Reduction, Repeat, Swap, step

PAD = 5


def _poison(dtype: str) -> float:
    return np.nan if dtype.startswith("float") else 99


def _assigns_next_door(kernel) -> bool:
    return any(any(statement.offset) for statement in kernel.statements)


class Oracle:
    """All fields with a frame of PAD cells; 'advance' does steps."""

    def __init__(self, grid) -> None:
        self.grid = grid
        self.step = 0
        shape = tuple(n + 2 * PAD for n in grid.extent)
        self.arrays = {
            name: np.full((field.components, *shape), _poison(field.dtype), field.dtype)
            for name, field in grid.fields.items()
        }
        self.own = (slice(None), *(slice(PAD, PAD + n) for n in grid.extent))
        for name, field in grid.fields.items():
            (values,) = field.pending
            self.arrays[name][self.own] = values

    def values(self) -> dict[str, np.ndarray]:
        return {name: array[self.own] for name, array in self.arrays.items()}

    def advance(self, steps, count: int) -> None:
        for _ in range(count):
            for one in steps:
                self._do(one)
            self.step += 1

    def _do(self, one) -> None:
        match one:
            case Call():
                for kernel in fuse(one.kernel):
                    self._launch(one, kernel)
            case Swap(first, second):
                a, b = first.name, second.name
                self.arrays[a], self.arrays[b] = self.arrays[b], self.arrays[a]
            case Repeat(count, steps):
                for _ in range(count):
                    for inner in steps:
                        self._do(inner)
            case Every(interval, steps):
                if (self.step + 1) % interval == 0:
                    for inner in steps:
                        self._do(inner)
            case Reduction():
                values = self.arrays[one.operand.field][self.own][one.operand.component].ravel()
                one.value = {"sum": math.fsum, "max": max, "min": min}[one.kind](values.tolist())

    def _launch(self, call: Call, kernel) -> None:
        dimensions = self.grid.dimensions
        names = {f.name: g.name for f, g in zip(kernel.fields, call.fields, strict=True)}
        region = call.region.intersect(self.grid.domain)
        for field in kernel.fields:
            name = names[field.name]
            offsets = [
                r.offset for s in kernel.statements for r in reads(s.value) if r.field == field.name
            ]
            self._wrap(name)
            if any(self._is_beyond(region.shift(offset)) for offset in offsets):
                self._fill_boundaries(name)
        if call.mask:
            kernel = masked(kernel, call.mask)
            names[kernel.fields[-1].name] = call.mask.name
            self._wrap(call.mask.name)
        arrays = {f.name: self.arrays[names[f.name]] for f in kernel.fields}
        scalars = dict(zip(kernel.scalars, map(self._number, call.scalars), strict=True))
        for image in self._images(region) if _assigns_next_door(kernel) else [region]:
            box = image.shift((PAD,) * dimensions)
            evaluate(kernel, arrays, scalars, box, (-PAD,) * dimensions)

    def _images(self, region: Box) -> list[Box]:
        """Return a box and what lies next to the domain of its periodic images."""
        turns = [(-n, 0, n) if p else (0,) for n, p in zip(self.grid.extent, self.grid.periodic)]
        near = self.grid.domain.grow((1,) * len(turns), (1,) * len(turns))
        images = [region.shift(turn).intersect(near) for turn in itertools.product(*turns)]
        return [image for image in images if not image.is_empty]

    def _number(self, value) -> float:
        if value is step:
            return float(self.step)
        return value.value if isinstance(value, Parameter) else value

    def _is_beyond(self, box: Box) -> bool:
        return any(
            not periodic and (box.lower[axis] < 0 or box.upper[axis] > self.grid.extent[axis])
            for axis, periodic in enumerate(self.grid.periodic)
        )

    def _wrap(self, name: str) -> None:
        array = self.arrays[name]
        for axis, n in enumerate(self.grid.extent):
            if self.grid.periodic[axis]:
                index = (np.arange(-PAD, n + PAD) % n) + PAD
                array[...] = np.take(array, index, axis=axis + 1)

    def _fill_boundaries(self, name: str) -> None:
        field = self.grid.fields[name]
        for side, condition in field.boundaries.items():
            axis, is_high = AXES.index(side[0]), side[1] == "+"
            on_side = field.location.startswith(side[0] + "_face")
            is_value = isinstance(condition, Dirichlet)
            given = condition.value if is_value else condition.gradient
            lines = np.moveaxis(self.arrays[name], axis + 1, 0)
            self._fill_side(lines, self.grid.extent[axis], is_high, on_side, is_value, given)

    def _fill_side(self, lines, extent, is_high, on_side, is_value, given) -> None:
        """Fill the frame beyond one side; 'lines' has the side's axis first."""
        h = self.grid.spacing[0]
        dtype = lines.dtype.type
        # Where the side lies, in units of cells of this field, and the direction outward.
        wall, out = (extent + PAD if is_high else PAD), (1 if is_high else -1)
        if on_side:
            inside = lines[wall - out].copy()
            lines[wall] = dtype(given) if is_value else dtype(h * given) + inside
        for distance in range(1, 4):
            beyond = wall + out * distance if on_side else wall + out * distance - is_high
            mirror = wall - out * distance if on_side else wall - out * (distance - 1) - is_high
            width = 2 * distance if on_side else 2 * distance - 1
            if is_value:
                lines[beyond] = dtype(2.0) * dtype(given) - lines[mirror]
            else:
                lines[beyond] = dtype(width * h) * dtype(given) + lines[mirror]
