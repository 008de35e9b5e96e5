"""Programs like one, but smaller: to find out what of a program is at fault."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace
from property.expressions import (
    Carry,
    Difference,
    Number,
    Read,
    operands,
)
from property.given import Boundary, Given, Points, Series
from property.legal import (
    fields_given,
    is_legal,
)
from property.programs import (
    Field,
    Kernel,
    Nest,
    Program,
    Source,
    Sweep,
    Until,
    flat,
    used_by,
)


def smaller(program: Program) -> Iterator[Program]:
    """Return legal programs that lack one thing of a program."""
    used = {name for step in flat(program.steps) for name in used_by(step)} | fields_given(program)
    for field in program.fields:
        if field.name not in used and len(program.fields) > 1:
            yield replace(program, fields=tuple(f for f in program.fields if f is not field))
    for steps in _tuples(program.steps):
        found = replace(program, steps=steps)
        if steps and is_legal(found):
            yield found
    for number, field in enumerate(program.fields):
        for plainer in _plainer_fields(field):
            others = program.fields[:number], program.fields[number + 1 :]
            found = replace(program, fields=(*others[0], plainer, *others[1]))
            if is_legal(found):
                yield found


def _plainer_fields(field: Field) -> Iterator[Field]:
    for boundaries in _tuples(field.boundaries):
        yield replace(field, boundaries=boundaries)
    one = {"location": "center", "layout": "soa", "dtype": "float64", "axes": (), "scale": ()}
    one["is_replicated"] = False
    for name, plain in one.items():
        if getattr(field, name) != plain:
            yield replace(field, **{name: plain})


def _tuples(values: tuple) -> Iterator[tuple]:
    """Return tuples with one thing less, or with one made smaller."""
    for number, value in enumerate(values):
        before, after = values[:number], values[number + 1 :]
        yield before + after
        if isinstance(value, Nest | Until):
            yield before + value.steps + after
        for one in _values(value):
            yield (*before, one, *after)


def _plainer(value: Any) -> Iterator[Any]:
    match value:
        case Source(kind) if kind != "number":
            yield Source("number", 0.75)
        case Kernel() | Sweep() if value.on is not None:
            yield replace(value, on=None)
        case Boundary() if value.given.kind != "number":
            yield replace(value, given=Given("number", 0.5))
        case Carry():
            yield Number(1)
        case Read(_, _, _, True):
            yield replace(value, is_old=False)


def _values(value: Any) -> Iterator[Any]:
    if isinstance(value, Number) or not isinstance(value, Struct):
        return
    yield from _plainer(value)
    if isinstance(value, Boundary | Series | Points):
        return
    below = operands(value)
    yield from below
    if below or isinstance(value, Read):
        yield Number(1)
    if isinstance(value, Difference):
        return
    for name, part in asdict(value).items():
        if name in ("offset", "place"):
            changed = ((*part[:n], 0, *part[n + 1 :]) for n, o in enumerate(part) if o)
        elif name in {"keywords", "on"}:
            changed = ()
        elif isinstance(part, tuple):
            changed = (one for one in _tuples(part) if one or isinstance(value, Sweep))
        else:
            changed = _values(part)
        for one in changed:
            yield replace(value, **{name: one})
