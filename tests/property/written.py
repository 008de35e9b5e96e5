"""Programs as a user would write them."""

from __future__ import annotations

import inspect
import operator

import numpy as np
from property.oracle import change
from property.programs import (
    AXES,
    Binary,
    Callback,
    Cast,
    Expression,
    Index,
    Kernel,
    Keyword,
    Nest,
    Number,
    Power,
    Program,
    Read,
    Reduce,
    Shifted,
    Source,
    Step,
    Swap,
    Unary,
    Where,
    initial,
    nodes,
)

import halocline as hc

_OPERATIONS = {
    "neg": operator.neg,
    "abs": abs,
    "sqrt": hc.sqrt,
    "not": operator.invert,
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "min": hc.minimum,
    "max": hc.maximum,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
}


class Written:
    """A program on a fresh grid.

    Attributes:
        grid: With the fields, set to their initial values.
        steps: What a simulation takes.
        numbers: Parameters and reductions by name.
    """

    def __init__(self, program: Program) -> None:
        self.grid = hc.Grid(program.extent, periodic=program.periodic, spacing=program.spacing)
        self.numbers = {name: hc.Parameter(value, name) for name, value in program.parameters}
        for field in program.fields:
            made = self.grid.field(
                field.name,
                dtype=field.dtype,
                components=field.components,
                location=field.location,
                layout=field.layout,
            )
            for side, kind, value in field.boundaries:
                made.boundary(side, _condition(side, kind, value, program, field.components))
            values = initial(program)[field.name]
            made.set(values if field.components > 1 else values[0])
        self.steps = [self._step(step) for step in program.steps]

    def _step(self, step: Step):
        fields = self.grid.fields
        match step:
            case Kernel():
                return self._call(step)
            case Swap(first, second):
                return hc.swap(fields[first], fields[second])
            case Nest("repeat", count, steps):
                return hc.repeat(count, *map(self._step, steps))
            case Nest("every", count, steps):
                return hc.every(count, *map(self._step, steps))
            case Reduce(name, kind, value):
                made = getattr(hc, kind)(_Reader(fields).value(value), name)
                self.numbers[name] = made
                return made
            case Callback(field, parameter):
                return self._callback(field, parameter)

    def _callback(self, field: str, parameter: str):
        def called() -> None:
            for part in self.grid.fields[field].local() if field else ():
                change(part)
            if parameter:
                self.numbers[parameter].value += 1.0

        return called

    def _call(self, kernel: Kernel):
        names = dict.fromkeys(a.field for a in kernel.assignments)
        names |= dict.fromkeys(read.field for read in _reads(kernel))
        on = kernel.on
        if isinstance(on, str):
            on = self.grid.fields[on]
        elif on is not None:
            on = hc.Box(*on)
        scalars = {name: self._number(source) for name, source in kernel.keywords}
        function = _function(kernel, tuple(names))
        return hc.kernel(function)(*(self.grid.fields[name] for name in names), on=on, **scalars)

    def _number(self, source: Source):
        match source.kind:
            case "number":
                return source.value
            case "step":
                return hc.step
            case "time":
                return hc.time
            case _:
                return self.numbers[source.value]


def _condition(side: str, kind: str, value: float, program: Program, components: int):
    if kind != "copy":
        return hc.Dirichlet(value) if kind == "dirichlet" else hc.Neumann(value)
    inward = 1 if side[1] == "-" else -1
    step = tuple(inward if axis == side[0] else 0 for axis in AXES[: len(program.extent)])
    here = (0,) * len(step)

    @hc.kernel
    def copied(field):
        for q in range(components):
            target = field[q] if components > 1 else field
            target[here] = target[step]

    return copied


def _reads(kernel: Kernel) -> list[Read]:
    found = [node for a in kernel.assignments for node in nodes(a.value)]
    return [node for node in found if isinstance(node, Read)]


def _function(kernel: Kernel, names: tuple[str, ...]):
    """Return the function that a user would have written."""

    def random_kernel(*symbols, **keywords):
        reader = _Reader(dict(zip(names, symbols, strict=True)), keywords)
        for read in _reads(kernel):
            if read.is_old:
                reader.old[read] = reader.read(read)
        for a in kernel.assignments:
            value = reader.value(a.value)
            field = reader.fields[a.field]
            if field.components > 1:
                field[a.component][a.place] = value
            else:
                field[a.place] = value

    kinds = inspect.Parameter
    random_kernel.__signature__ = inspect.Signature(
        [kinds(name, kinds.POSITIONAL_OR_KEYWORD) for name in names]
        + [kinds(name, kinds.KEYWORD_ONLY) for name, _ in kernel.keywords]
    )
    return random_kernel


class _Reader:
    """Makes values of expressions, from fields or from what stands for them in a kernel."""

    def __init__(self, fields, keywords=None) -> None:
        self.fields = fields
        self.keywords = keywords or {}
        self.old = {}

    def read(self, node: Read):
        field = self.fields[node.field]
        return (field[node.component] if field.components > 1 else field)[node.offset]

    def value(self, node: Expression):
        match node:
            case Number(value):
                return value
            case Keyword(name):
                return self.keywords[name]
            case Index(axis):
                return hc.index(AXES[axis])
            case Read():
                return self.old[node] if node.is_old else self.read(node)
            case Shifted(operand, offset):
                return self.value(operand)[offset]
            case Power(base, exponent):
                return self.value(base) ** exponent
            case Cast(operand, dtype):
                return self.value(operand).astype(dtype)
            case Where(condition, true, false):
                return hc.where(*map(self.value, (condition, true, false)))
            case Unary(op, operand):
                return _OPERATIONS[op](self.value(operand))
            case Binary(op, left, right):
                return _OPERATIONS[op](self.value(left), self.value(right))


def gathered(written: Written) -> dict[str, np.ndarray | None]:
    """Return all fields, components first: on rank 0, None elsewhere."""
    found = {name: field.gather() for name, field in written.grid.fields.items()}
    return {
        name: array[None]
        if array is not None and written.grid.fields[name].components == 1
        else array
        for name, array in found.items()
    }
