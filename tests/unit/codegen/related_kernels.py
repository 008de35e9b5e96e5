"""Random kernels of fields in related index spaces, and what they mean, cell by cell."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
from driver import HALO

from halocline.geometry import AXES
from halocline.language.expressions.expr import Binary, Compare, Const, Index, Read, Where
from halocline.language.expressions.kernel import FieldType, Kernel, Statement

OPERATIONS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "lt": lambda a, b: a < b,
}


class Maker:
    """Makes one kernel; reproducible from the seed.

    A plain one is in 3-D, and neither sweeps nor uses indices.
    """

    def __init__(self, seed: int, *, is_plain: bool = False) -> None:
        self.random = random.Random(seed)
        self.is_plain = is_plain
        self.dimensions = 3 if is_plain else self.random.choice((1, 2, 3, 3))
        self.dtype = self.random.choice(("float64", "float32"))
        self.sweep = None
        if self.random.random() < 0.6 and not is_plain:
            self.sweep = (self.random.randrange(self.dimensions), self.random.choice((1, -1)))
        self.versions = {}
        self.assigned = {}
        self.fields = [
            self.field("same", (1,)),
            self.field("finer", (1, 2, 3)),
            self.field("missing", (0, 1, 1)),
            self.field("flags", (0, 1, 2), dtype="uint8"),
            self.field("result", (1,)),
            self.field("children", (1, 2, 3)),
        ]
        if self.sweep:
            self.fields += [self.field(name, (1, 1, 2), swept=0) for name in ("carry", "other")]

    def field(self, name, ratios, *, dtype=None, swept=None):
        ratio = [self.random.choice(ratios) for _ in range(self.dimensions)]
        if swept is not None:
            ratio[self.sweep[0]] = swept
        components = self.random.choice((1, 1, 2))
        layout = self.random.choice(("soa", "aos")) if components > 1 else "soa"
        ratio = () if all(r == 1 for r in ratio) else tuple(ratio)
        return FieldType(name, dtype or self.dtype, components, layout, ratio=ratio)

    def kernel(self, name):
        """Return a kernel that assigns results, children and carries."""
        targets = []
        for field in self.fields[4:]:
            ratios = [max(1, field.ratio_along(axis)) for axis in range(self.dimensions)]
            places = list(product(*map(range, ratios)))
            # Each child is read where it is assigned, now and then in another cell.
            moved = [self.moved(field, place, ratios) for place in places]
            for component in range(field.components):
                some = moved
                if self.random.random() < 0.4:
                    some = self.random.sample(moved, self.random.randint(0, len(moved)))
                targets += [(field.name, component, place) for place in some]
        if not targets:
            targets = [("result", 0, (0,) * self.dimensions)]
        self.random.shuffle(targets)
        self.targets = targets[:20]
        self.offsets = {}
        for field, component, place in self.targets:
            key = (field, component, self.type(field).parted(place)[1])
            self.offsets[key] = place
        statements = []
        for field, component, place in [*self.targets, self.random.choice(self.targets)]:
            statements.append(Statement(field, component, self.value(), place))
            key = (field, component)
            self.versions[key] = self.versions.get(key, 0) + 1
        fields = tuple(self.fields)
        return Kernel(name, self.dimensions, fields, (), tuple(statements), sweep=self.sweep)

    def moved(self, field, place, ratios):
        if self.random.random() < 0.8 or 0 in field.ratio:
            return place
        axis = self.random.randrange(self.dimensions)
        step = self.random.choice((-1, 1)) * ratios[axis]
        return tuple(o + step * (a == axis) for a, o in enumerate(place))

    def type(self, name):
        return next(f for f in self.fields if f.name == name)

    def value(self):
        value = self.term()
        for _ in range(self.random.randint(1, 4)):
            value = Binary(self.random.choice(("add", "sub")), value, self.term())
        if self.random.random() < 0.3:
            value = Binary("div", value, Binary("add", Const(3.0), Binary("mul", value, value)))
        return value

    def term(self):
        factor = Const(self.random.choice((0.5, -0.25, 0.3)))
        kind = self.random.randrange(8)
        if kind == 0 and not self.is_plain:
            index = Index(self.random.randrange(self.dimensions), self.random.choice((-1, 0, 1)))
            return Binary("mul", factor, index)
        if kind == 1:
            condition = Compare("lt", self.read(), Const(0.5))
            return Where(condition, Binary("mul", factor, self.read()), self.read())
        return Binary("mul", factor, self.read())

    def read(self):
        field = self.random.choice(self.fields)
        component = self.random.randrange(field.components)
        ratios = [field.ratio_along(axis) for axis in range(self.dimensions)]
        offset = tuple(self.random.randint(-r, 2 * r) if r else 0 for r in ratios)
        key = (field.name, component, field.parted(offset)[1])
        offset = self.offsets.get(key, offset)
        return Read(field.name, component, offset, self.versions.get(key[:2], 0))


def random_kernel(seed: int, *, is_plain: bool = False) -> Kernel:
    """Return the kernel of a seed; see 'Maker'."""
    return Maker(seed, is_plain=is_plain).kernel(f"related_{seed}")


def value_of(node, read, index):
    """Return what an expression means where 'read' tells the values of its reads."""
    match node:
        case Const(number):
            return number
        case Index(axis, offset):
            return np.int64(index[axis] + offset)
        case Read():
            return read(node)
        case Binary(op, left, right) | Compare(op, left, right):
            return OPERATIONS[op](value_of(left, read, index), value_of(right, read, index))
        case Where(condition, true, false):
            a, b = value_of(true, read, index), value_of(false, read, index)
            common = np.result_type(a, b)
            return common.type(a if value_of(condition, read, index) else b)
        case _:
            raise AssertionError(node)


def run_cell_by_cell(kernel, arrays, box, origin, wrap=0) -> None:
    """Do what a kernel says in arrays with a halo, one cell after the other, at once.

    Rows go on at their other end after 'wrap' cells, if any.
    """
    cells = list(product(*(range(l, u) for l, u in list(zip(*box))[: kernel.dimensions])))
    if kernel.sweep is not None:
        axis, sign = kernel.sweep
        cells.sort(key=lambda cell: sign * cell[axis])

    def place(field, cell, offset):
        found = []
        for axis, (i, o) in enumerate(zip(cell, offset)):
            ratio = field.ratio[axis] if field.ratio else 1
            at = ratio * i + o
            if axis == 0 and wrap and ratio:
                at %= ratio * wrap
            found.append(at + HALO * ratio)
        return (*found, 0, 0)[:3]

    with np.errstate(all="ignore"):
        for cell in cells:

            def read(node, cell=cell):
                found = next(f for f in kernel.fields if f.name == node.field)
                return arrays[node.field][(node.component, *place(found, cell, node.offset))]

            for s in kernel.statements:
                field = next(f for f in kernel.fields if f.name == s.field)
                result = value_of(s.value, read, [i + o for i, o in zip(cell, origin)])
                arrays[s.field][(s.component, *place(field, cell, s.offset))] = result


def describe(kernel) -> str:
    """Return what a failing test should tell."""
    ratios = {f.name: (f.ratio, f.components, f.layout) for f in kernel.fields}
    return f"{kernel.name}: {kernel.dimensions}-D, sweep {kernel.sweep}, {ratios}, {AXES}"
