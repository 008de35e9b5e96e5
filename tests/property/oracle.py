"""What a program means, in plain NumPy on whole arrays: no blocks, no plan, nothing of Halocline.

Each assignment runs over all of its cells before the next begins. What it reads beyond a side is
filled from the field as it then is: rolled on periodic axes, else by the rule of the boundary.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from property.programs import (
    AXES,
    REACH,
    Assignment,
    Binary,
    Callback,
    Cast,
    Expression,
    Field,
    Index,
    Kernel,
    Keyword,
    Nest,
    Number,
    Offset,
    Power,
    Program,
    Read,
    Reduce,
    Shifted,
    Step,
    Swap,
    Unary,
    Where,
    initial,
    moved,
)


def _where(condition, a, b) -> np.ndarray:
    """Return a where the condition holds, else b; unlike np.where, refuse numbers too large."""
    dtype = np.result_type(a, b)
    return np.where(condition, np.asarray(a, dtype), np.asarray(b, dtype))


_OPERATIONS: dict[str, Callable] = {
    "neg": lambda a: -a,
    "abs": abs,
    "sqrt": np.sqrt,
    "not": lambda a: ~a,
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "min": lambda a, b: _where(b < a, b, a),
    "max": lambda a, b: _where(a < b, b, a),
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
}


class UndefinedError(Exception):
    """The program converts a float to a whole number that cannot hold it."""


# What a read or an index is, seen from the cell at an offset.
Look = Callable[[Read | Index, Offset], np.ndarray]


def evaluate(node: Expression, look: Look, keywords: dict[str, float], shift: Offset):
    """Return an expression in some cells; Python numbers are left to NumPy's rules for them."""
    match node:
        case Number(value):
            return value
        case Keyword(name):
            return keywords[name]
        case Index():
            return look(node, shift)
        case Read(_, _, offset):
            return look(node, moved(offset, shift))
        case Shifted(operand, offset):
            return evaluate(operand, look, keywords, moved(shift, offset))
        case Power(base, exponent):
            return _power(evaluate(base, look, keywords, shift), exponent)
        case Cast(operand, dtype):
            return _cast(evaluate(operand, look, keywords, shift), dtype)
        case Where(condition, true, false):
            return _where(*(evaluate(a, look, keywords, shift) for a in (condition, true, false)))
        case Unary(op, operand):
            return _OPERATIONS[op](evaluate(operand, look, keywords, shift))
        case Binary(op, left, right):
            return _OPERATIONS[op](
                evaluate(left, look, keywords, shift), evaluate(right, look, keywords, shift)
            )


def _power(base, exponent: int):
    if exponent == 1:
        return base
    half = _power(base, exponent // 2)
    return half * half * base if exponent % 2 else half * half


def _cast(value: np.ndarray, dtype: str) -> np.ndarray:
    if np.issubdtype(value.dtype, np.floating) and np.issubdtype(dtype, np.integer):
        limits = np.iinfo(dtype)
        # Exact in float64, but for the highest int64, which is rounded up.
        whole = np.trunc(value.astype(np.float64))
        if not np.all((whole >= float(limits.min)) & (whole < float(limits.max))):
            raise UndefinedError
    return value.astype(dtype)


class Oracle:
    """The state of a program; 'advance' does steps.

    Attributes:
        arrays: (components, x, y, z) by field.
        numbers: The values of parameters and reductions, by name.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.arrays = initial(program)
        self.numbers = dict(program.parameters)
        self.step = 0

    def advance(self, count: int) -> None:
        """Do steps.

        Raises:
            UndefinedError: A value has no meaning in the type it is converted to.
        """
        with np.errstate(all="ignore"):
            for _ in range(count):
                self._do_all(self.program.steps)
                self.step += 1
            for name in self.arrays:
                self._prescribe(name)

    def _do_all(self, steps: Sequence[Step]) -> None:
        for one in steps:
            self._do(one)

    def _do(self, step: Step) -> None:
        match step:
            case Kernel():
                self._launch(step)
            case Swap(first, second):
                arrays = self.arrays
                arrays[first], arrays[second] = arrays[second], arrays[first]
            case Nest("repeat", count, steps):
                for _ in range(count):
                    self._do_all(steps)
            case Nest("every", interval, steps):
                if (self.step + 1) % interval == 0:
                    self._do_all(steps)
            case Reduce(name, kind, value):
                self.numbers[name] = self._reduced(kind, value)
            case Callback(field, parameter):
                if field:
                    change(self.arrays[field])
                if parameter:
                    self.numbers[parameter] += 1.0

    def _launch(self, kernel: Kernel) -> None:
        lower, upper = (0,) * len(self.program.extent), self.program.extent
        if isinstance(kernel.on, tuple):
            lower, upper = kernel.on
        cells = [np.arange(l, u) for l, u in zip(lower, upper, strict=True)]
        is_chosen = np.array(True)
        if isinstance(kernel.on, str):
            is_chosen = self.arrays[kernel.on][0][np.ix_(*cells)] != 0
        keywords = {name: self._number(source) for name, source in kernel.keywords}
        before = {name: self._filled(name) for name in self.arrays}
        for assignment in kernel.assignments:
            now = {name: self._filled(name) for name in self.arrays}

            def look(node: Read | Index, offset: Offset, now=now) -> np.ndarray:
                if isinstance(node, Index):
                    return self._index(node.axis, cells, offset)
                found = (before if node.is_old else now)[node.field][node.component]
                return _readable(found[_moved(cells, offset, REACH)])

            value = evaluate(assignment.value, look, keywords, (0,) * len(cells))
            self._assign(assignment, value, is_chosen, cells)

    def _assign(self, to: Assignment, value, is_chosen: np.ndarray, cells: list) -> None:
        """Give the cells 'place' away their values; what falls beyond a side is lost."""
        shape = tuple(map(len, cells))
        value, is_chosen = np.broadcast_to(value, shape), np.broadcast_to(is_chosen, shape)
        places, kept = [], []
        grid = zip(cells, to.place, self.program.extent, self.program.periodic, strict=True)
        for line, place, extent, is_periodic in grid:
            aim = (line + place) % extent if is_periodic else line + place
            inside = np.flatnonzero((aim >= 0) & (aim < extent))
            places.append(aim[inside])
            kept.append(inside)
        target = self.arrays[to.field][to.component]
        if target.dtype == np.float16:
            # Computed in float32 at least, to 16 bits by way of that.
            value = value.astype(np.float32)
        new, old = value[np.ix_(*kept)].astype(target.dtype), target[np.ix_(*places)]
        target[np.ix_(*places)] = np.where(is_chosen[np.ix_(*kept)], new, old)

    def _reduced(self, kind: str, value: Expression) -> float:
        cells = [np.arange(n) for n in self.program.extent]
        filled = {name: self._filled(name) for name in self.arrays}

        def look(node: Read | Index, offset: Offset) -> np.ndarray:
            if isinstance(node, Index):
                return self._index(node.axis, cells, offset)
            return _readable(filled[node.field][node.component][_moved(cells, offset, REACH)])

        found = evaluate(value, look, {}, (0,) * len(cells))
        numbers = np.broadcast_to(found, self.program.extent).astype(np.float64).ravel().tolist()
        if any(map(math.isnan, numbers)):
            return math.nan
        if kind == "sum" and any(map(math.isinf, numbers)):
            raise UndefinedError
        # A zero has no sign.
        return {"sum": math.fsum, "min": min, "max": max}[kind](numbers) + 0.0

    def _index(self, axis: int, cells: list, offset: Offset) -> np.ndarray:
        index = cells[axis] + offset[axis]
        if self.program.periodic[axis]:
            index %= self.program.extent[axis]
        shape = [1] * len(cells)
        shape[axis] = -1
        return index.reshape(shape)

    def _number(self, source) -> float:
        match source.kind:
            case "number":
                return source.value
            case "step":
                return float(self.step)
            case "time":
                return self.step * self.program.dt
            case _:
                return self.numbers[source.value]

    def _prescribe(self, name: str) -> None:
        """Give the cells that lie on a side themselves the values that its boundary prescribes."""
        inner = (slice(None), *(slice(REACH, REACH + n) for n in self.program.extent))
        self.arrays[name] = self._filled(name)[inner].copy()

    def _filled(self, name: str) -> np.ndarray:
        """Return a field with layers around it, and what is prescribed on its sides."""
        array = self.arrays[name]
        nothing = np.nan if array.dtype.kind == "f" else 99
        for axis, is_periodic in enumerate(self.program.periodic):
            width = [(REACH, REACH) if a == axis + 1 else (0, 0) for a in range(array.ndim)]
            how = {"mode": "wrap"} if is_periodic else {"constant_values": nothing}
            array = np.pad(array, width, **how)
        field = self.program.field(name)
        # Where layers of two sides meet, the one declared last decides.
        for side, kind, given in field.boundaries:
            axis = AXES.index(side[0])
            lines = np.moveaxis(array, axis + 1, 0)
            spacing, extent = self.program.spacing[axis], self.program.extent[axis]
            _fill_side(lines, field, side, (kind, given * (spacing if kind == "neumann" else 1)))
            assert len(lines) == extent + 2 * REACH
        return array


def _fill_side(lines: np.ndarray, field: Field, side: str, rule: tuple[str, float]) -> None:
    """Fill the layers beyond a side, and that on it; 'lines' has the side's axis first."""
    kind, given = rule
    # From the low side as from the high one: line REACH + n is the n-th cell inside, n from 0.
    is_high = side[1] == "+"
    if is_high:
        lines = lines[::-1]
    number = lines.dtype.type
    inside = REACH
    if kind == "copy":
        lines[inside - 1] = lines[inside]
        return
    wall = None
    if side[0] in field.location.split("_")[0] and field.location != "center":
        # The first line beyond the high side, and the first inside the low one, lie on the side.
        wall = inside - 1 if is_high else inside
        lines[wall] = number(given) if kind == "dirichlet" else lines[wall + 1] + number(given)
    for layer in range(inside - 1 if wall is None else wall - 1, -1, -1):
        mirror = 2 * inside - 1 - layer if wall is None else 2 * wall - layer
        if kind == "dirichlet":
            lines[layer] = number(2 * given) - lines[mirror]
        else:
            lines[layer] = number((mirror - layer) * given) + lines[mirror]


def _moved(cells: list, offset: Offset, border: int) -> tuple[np.ndarray, ...]:
    return np.ix_(*(line + o + border for line, o in zip(cells, offset, strict=True)))


def _readable(values: np.ndarray) -> np.ndarray:
    """Return numbers as kernels read them: 16 bits are for storage only."""
    return values.astype(np.float32) if values.dtype == np.float16 else values


def change(values: np.ndarray) -> None:
    """Do what the functions called by random programs do to some values."""
    if values.dtype == bool:
        np.logical_not(values, out=values)
    elif np.issubdtype(values.dtype, np.integer):
        values += 1
    else:
        values *= 0.5
