"""Programs as a user would write them."""

from __future__ import annotations

import inspect
import operator
from functools import partial

import numpy as np
from property.evaluation import LIMIT, OF_ONE, OF_TWO, STEPS
from property.expressions import (
    Binary,
    Carry,
    Cast,
    Difference,
    Draw,
    Expression,
    Index,
    Keyword,
    Number,
    Power,
    Read,
    Shifted,
    Stencil,
    Unary,
    Where,
    nodes,
    operands,
)
from property.given import Fill, Inject, Record, Series
from property.oracle import change
from property.programs import (
    AXES,
    Assign,
    Callback,
    Field,
    Formula,
    Kernel,
    Nest,
    Program,
    Reduce,
    Rotate,
    Source,
    Step,
    Swap,
    Sweep,
    Tridiagonal,
    Until,
    fields_of,
    initial,
    is_around,
    values_of,
)
from property.written_sides import declare, points_of, rows_of, series_of

import halocline as hc


def _as_double(value):
    """Return a value as float64, which numbers known at run time are anyway."""
    if isinstance(value, hc.Parameter):
        return value
    return value.astype("float64") if hasattr(value, "astype") else float(value)


def _in_steps(function, *values):
    found = function(*(_as_double(v) for v in values))
    return hc.round(STEPS * hc.clip(found, -LIMIT, LIMIT))


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
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "lshift": operator.lshift,
    "rshift": operator.rshift,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
} | {
    name: getattr(hc, name)
    for name in ("floor", "ceil", "trunc", "round", "sign", "isnan", "fmod", "copysign")
}
_OPERATIONS |= {name: partial(_in_steps, getattr(hc, name)) for name in (*OF_ONE, *OF_TWO)}


class FailureError(Exception):
    """A function among the steps fails."""


class Written:
    """A program on a fresh grid.

    Attributes:
        grid: With the fields, set to their initial values.
        steps: What a simulation takes.
        records: Those among them that record at points, by name.
        numbers: Parameters and reductions by name.
        dt: How long a step is.
        is_failing: Whether functions among the steps raise an error when they have done their work.
    """

    def __init__(self, program: Program) -> None:
        self.is_failing = False
        self.grid = hc.Grid(program.extent, periodic=program.periodic, spacing=program.spacing)
        self.numbers = {name: hc.Parameter(value, name) for name, value in program.parameters}
        self._series = {
            one.name: hc.Series(one.times, one.values(), period=one.period or None, name=one.name)
            for one in program.series
        }
        self.numbers |= self._series
        for field in program.fields:
            made = self._grid(field).field(
                field.name,
                dtype=field.dtype,
                components=field.components,
                location=field.location,
                layout=field.layout,
                axes=_axes(program, field.axes),
            )
            values = initial(program)[field.name].reshape(_shape(program, field.name))
            made.set(values if field.components > 1 else values[0])
        for field in program.fields:
            declare(program, field, self.grid.fields, self.numbers)
        self.records = {}
        self.steps = [self._step(step) for step in program.steps]
        self.dt = self.numbers[program.dt] if isinstance(program.dt, str) else program.dt

    def _grid(self, field: Field) -> hc.Grid:
        grid = self.grid
        if field.scale:
            coarse = grid.coarsen(tuple(s.denominator for s in field.scale))
            grid = coarse.refine(tuple(s.numerator for s in field.scale))
        return grid.replicated() if field.is_replicated else grid

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
            case Rotate(names):
                return hc.rotate(*(fields[name] for name in names))
            case Reduce(name):
                self.numbers[name] = self._reduction(step, self.numbers)
                return self.numbers[name]
            case Assign(parameter, formula):
                return hc.assign(self.numbers[parameter], self._formula(formula))
            case Until(name, condition, most, steps):
                inner = [*map(self._step, steps)]
                loop = hc.until(
                    self._formula(condition), *inner, max_iterations=most, on_failure="ignore"
                )
                self.numbers[name] = loop.iterations
                return loop
            case Callback(field, parameter):
                return self._callback(field, parameter)
            case Record() | Inject() | Tridiagonal() | Fill():
                return self._without_kernel(step)

    def _without_kernel(self, step: Record | Inject | Tridiagonal | Fill):
        fields = self.grid.fields
        match step:
            case Record(name, field, component, points, every):
                made = points_of(points).record(fields[field], component=component, every=every)
                self.records[name] = made
                return made
            case Inject(field, component, points, amount, scales):
                amount = self.numbers[amount] if isinstance(amount, str) else amount
                if isinstance(amount, Series):
                    amount = rows_of(amount, len(scales))
                into = {"into": fields[field], "component": component}
                return points_of(points).inject(amount, scale=np.array(scales), **into)
            case Tridiagonal(axis, system, into):
                reader = _Reader(fields, self.numbers)
                names = ("lower", "diagonal", "upper", "right")
                given = dict(zip(names, map(reader.value, system), strict=True))
                return hc.tridiagonal(AXES[axis], **given, into=fields[into])
            case Fill(field, series):
                return hc.fill(fields[field], series_of(series, fields[field]))

    def _reduction(self, step: Reduce, numbers):
        value = _Reader(self.grid.fields, numbers).value(step.value)
        return getattr(hc, step.kind)(value, step.name)

    def _formula(self, formula: Formula):
        inside = {one.name: self._reduction(one, self.numbers) for one in formula.inside}
        return _Reader({}, self.numbers | inside).number(formula.value)

    def _callback(self, field: str, parameter: str):
        def called() -> None:
            for part in self.grid.fields[field].local() if field else ():
                change(part)
            if parameter:
                self.numbers[parameter].value += 1.0
            if self.is_failing:
                raise FailureError

        return called

    def _call(self, kernel: Kernel):
        names = fields_of(kernel)
        fields = [self.grid.fields[name] for name in names]
        return hc.kernel(_function(kernel, names, self._around(kernel)))(
            *fields, **self._options(kernel)
        )

    def _sweep(self, sweep: Sweep):
        names = fields_of(sweep)[:: -1 if sweep.sign < 0 else 1]
        fields = [self.grid.fields[name] for name in names]
        start = [self._number(source) for source in sweep.starts]
        end = [self.grid.fields[name] for name in sweep.ends]
        made = hc.sweep(AXES[sweep.axis] + ("+" if sweep.sign > 0 else "-"))
        return made(_function(sweep, names, self._around(sweep)))(
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
        given = {n: self._number(source) for n, source in step.keywords if not is_around(n)}
        return {"on": on} | given

    def _around(self, step: Kernel | Sweep):
        return {n: self._number(source) for n, source in step.keywords if is_around(n)}

    def _number(self, source: Source):
        match source.kind:
            case "number":
                return source.value
            case "step":
                return hc.step
            case "time":
                return hc.time
            case "formula":
                return self._formula(Formula(source.value))
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


def _reads(kernel: Kernel | Sweep) -> list[Read]:
    found = [node for value in values_of(kernel) for node in nodes(value)]
    return [node for node in found if isinstance(node, Read)]


def _function(kernel: Kernel | Sweep, names: list[str], around):
    """Return the function that a user would have written, with variables from around it."""
    carries = ["carry"] if isinstance(kernel, Sweep) else []

    def random_kernel(*symbols, **keywords):
        handed, fields = symbols[: len(carries)], symbols[len(carries) :]
        reader = _Reader(dict(zip(names, fields, strict=True)), keywords | around)
        reader.kernel_axes = sorted({axis for name in names for axis in reader.axes(name)})
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
        + [kinds(name, kinds.KEYWORD_ONLY) for name, _ in kernel.keywords if not is_around(name)]
    )
    return random_kernel


class _Reader:
    """Makes values of expressions, from fields or from what stands for them in a kernel."""

    def __init__(self, fields, keywords=None) -> None:
        self.fields = fields
        self.keywords = keywords or {}
        self.carries = ()
        self.kernel_axes = ()
        self.old = {}

    def axes(self, name: str) -> tuple[int, ...]:
        """Return the axes that a field has."""
        return self.fields[name].space.axes

    def read(self, node: Read):
        field = self.fields[node.field]
        if node.component is None:
            return field
        offset = tuple(node.offset[axis] for axis in self.axes(node.field))
        return (field[node.component] if field.components > 1 else field)[offset]

    def shifted(self, value, offset):
        """Return a value as a neighbour has it: by a subscript, or by the names of axes."""
        if sum(offset) % 2:
            return hc.at(value, **{AXES[a]: cells for a, cells in enumerate(offset) if cells})
        if self.kernel_axes:
            return value[tuple(offset[axis] for axis in self.kernel_axes)]
        return value[offset]

    def number(self, node: Expression):
        """Return a formula: written numbers are floats."""
        match node:
            case Number(value):
                return float(value)
            case Unary(op, a):
                return _OPERATIONS[op](self.number(a))
            case Binary(op, a, b):
                return _OPERATIONS[op](self.number(a), self.number(b))
            case Where(condition, a, b):
                return hc.where(*map(self.number, (condition, a, b)))
        return self.value(node)

    def value(self, node: Expression):
        match node:
            case Shifted(operand, offset):
                return self.shifted(self.value(operand), offset)
            case Stencil(operand, weights):
                return hc.stencil(dict(weights))(self.value(operand))
            case Difference(operand, axis, order, weights):
                return hc.d(self.read(operand), AXES[axis], order=order, weights=weights)
            case Power(base, exponent):
                return self.value(base) ** exponent
            case Cast(operand, dtype):
                return self.value(operand).astype(dtype)
            case Where(condition, true, false):
                return hc.where(*map(self.value, (condition, true, false)))
            case Unary(op) | Binary(op):
                return _OPERATIONS[op](*map(self.value, operands(node)))
            case _:
                return self._leaf(node)

    def _leaf(self, node: Expression):
        match node:
            case Number(value):
                return value
            case Keyword(name):
                return self.keywords[name]
            case Carry(number):
                return self.carries[number]
            case Index(axis):
                return hc.index(AXES[axis])
            case Draw(seed, stream, dtype) if dtype.startswith("float"):
                return hc.random(seed=seed, stream=stream, dtype=dtype)
            case Draw(seed, stream, dtype):
                return hc.random_bits(seed=seed, stream=stream, dtype=dtype)
            case Read():
                return self.old[node] if node.is_old else self.read(node)


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
