"""Programs as a user would write them."""

from __future__ import annotations

import inspect
import operator
from fractions import Fraction

import numpy as np
from property.oracle import change
from property.programs import (
    AXES,
    Binary,
    Callback,
    Carry,
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
    Sweep,
    Unary,
    Where,
    fields_of,
    initial,
    nodes,
    values_of,
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
            made = self._grid(field.scale).field(
                field.name,
                dtype=field.dtype,
                components=field.components,
                location=field.location,
                layout=field.layout,
                axes=_axes(program, field.axes),
            )
            for side, kind, value in field.boundaries:
                made.boundary(side, _condition(side, kind, value, made.axes, field.components))
            values = initial(program)[field.name].reshape(_shape(program, field.name))
            made.set(values if field.components > 1 else values[0])
        self.steps = [self._step(step) for step in program.steps]

    def _grid(self, scale: tuple[Fraction, ...]) -> hc.Grid:
        if not scale:
            return self.grid
        coarse = self.grid.coarsen(tuple(s.denominator for s in scale))
        return coarse.refine(tuple(s.numerator for s in scale))

    def _step(self, step: Step):
        fields = self.grid.fields
        match step:
            case Kernel():
                return self._call(step)
            case Sweep():
                return self._sweep(step)
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
        names = fields_of(kernel)
        fields = [self.grid.fields[name] for name in names]
        return hc.kernel(_function(kernel, names))(*fields, **self._options(kernel))

    def _sweep(self, sweep: Sweep):
        names = fields_of(sweep)[:: -1 if sweep.sign < 0 else 1]
        fields = [self.grid.fields[name] for name in names]
        start = [self._number(source) for source in sweep.starts]
        end = [self.grid.fields[name] for name in sweep.ends]
        made = hc.sweep(AXES[sweep.axis] + ("+" if sweep.sign > 0 else "-"))
        return made(_function(sweep, names))(
            *fields,
            start=tuple(start) if len(start) > 1 else start[0],
            end=(tuple(end) if len(end) > 1 else end[0]) if end else None,
            **self._options(sweep),
        )

    def _options(self, step: Kernel | Sweep):
        on = step.on
        if isinstance(on, str):
            on = self.grid.fields[on]
        elif on is not None:
            on = hc.Box(*on)
        return {"on": on} | {name: self._number(source) for name, source in step.keywords}

    def _number(self, source: Source):
        match source.kind:
            case "number":
                return source.value
            case "step":
                return hc.step
            case "time":
                return hc.time
            case "field":
                return self.grid.fields[source.value]
            case _:
                return self.numbers[source.value]


def _axes(program: Program, axes: tuple[int, ...]) -> str:
    return "".join(AXES[axis] for axis in axes or range(len(program.extent)))


def _shape(program: Program, name: str) -> tuple[int, ...]:
    """Return the shape of a field's values: of its components and the axes that it has."""
    space = program.space(name)
    return (program.field(name).components, *(space.size[axis] for axis in space.axes))


def _condition(side: str, kind: str, value: float, axes: str, components: int):
    if kind != "copy":
        return hc.Dirichlet(value) if kind == "dirichlet" else hc.Neumann(value)
    inward = 1 if side[1] == "-" else -1
    step = tuple(inward if axis == side[0] else 0 for axis in axes)
    here = (0,) * len(step)

    @hc.kernel
    def copied(field):
        for q in range(components):
            target = field[q] if components > 1 else field
            target[here] = target[step]

    return copied


def _reads(kernel: Kernel | Sweep) -> list[Read]:
    found = [node for value in values_of(kernel) for node in nodes(value)]
    return [node for node in found if isinstance(node, Read)]


def _function(kernel: Kernel | Sweep, names: list[str]):
    """Return the function that a user would have written."""
    carries = ["carry"] if isinstance(kernel, Sweep) else []

    def random_kernel(*symbols, **keywords):
        handed, fields = symbols[: len(carries)], symbols[len(carries) :]
        reader = _Reader(dict(zip(names, fields, strict=True)), keywords)
        if handed:
            reader.carries = handed[0] if isinstance(handed[0], tuple) else handed
        for read in _reads(kernel):
            if read.is_old:
                reader.old[read] = reader.read(read)
        for a in kernel.assignments:
            value = reader.value(a.value)
            field = reader.fields[a.field]
            place = tuple(a.place[axis] for axis in reader.axes(a.field))
            if field.components > 1:
                field[a.component][place] = value
            else:
                field[place] = value
        if handed:
            values = tuple(map(reader.value, kernel.handed))
            return values if len(values) > 1 else values[0]
        return None

    kinds = inspect.Parameter
    random_kernel.__signature__ = inspect.Signature(
        [kinds(name, kinds.POSITIONAL_OR_KEYWORD) for name in (*carries, *names)]
        + [kinds(name, kinds.KEYWORD_ONLY) for name, _ in kernel.keywords]
    )
    return random_kernel


class _Reader:
    """Makes values of expressions, from fields or from what stands for them in a kernel."""

    def __init__(self, fields, keywords=None) -> None:
        self.fields = fields
        self.keywords = keywords or {}
        self.carries = ()
        self.old = {}

    def axes(self, name: str) -> tuple[int, ...]:
        """Return the axes that a field has."""
        return self.fields[name].space.axes

    def read(self, node: Read):
        field = self.fields[node.field]
        offset = tuple(node.offset[axis] for axis in self.axes(node.field))
        return (field[node.component] if field.components > 1 else field)[offset]

    def value(self, node: Expression):
        match node:
            case Number(value):
                return value
            case Keyword(name):
                return self.keywords[name]
            case Carry(number):
                return self.carries[number]
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


def gathered(written: Written, program: Program) -> dict[str, np.ndarray | None]:
    """Return all fields, components first, with all axes: on rank 0, None elsewhere."""
    result = {}
    for field in program.fields:
        array = written.grid.fields[field.name].gather()
        if array is not None:
            shape = _shape(program, field.name)
            assert array.shape == (shape if field.components > 1 else shape[1:]), field.name
            array = array.reshape(field.components, *program.space(field.name).size)
        result[field.name] = array
    return result
