"""Encoding: programs and plans as lists, dictionaries, texts and numbers, and back.

A record becomes {"its class": {"field": value, …}} without what is as by default. What occurs again
and again, expressions above all, stands in a list, and its number elsewhere. What only exists in a
process, parameters and functions, is known by its number in the program. Parts of messages are
records for people, and columns of bytes for programs.
"""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct

from halocline.analysis.threads import Threads
from halocline.analysis.tiles import Tile
from halocline.box_array import BoxArray
from halocline.frozen import defaults
from halocline.garbage import no_search_for_cycles
from halocline.geometry import Box
from halocline.language.expressions import expr, parameters
from halocline.language.expressions.expr import Expr
from halocline.language.expressions.kernel import FieldType, InlinedKernel, Kernel, Statement
from halocline.language.expressions.parameters import Formula, Parameter
from halocline.language.points.at_points import AtPoints
from halocline.language.series.filling import Fill
from halocline.language.spaces.role import Role
from halocline.language.spaces.space import Space
from halocline.language.steps.steps import Callback
from halocline.language.steps.tree import Every, Repeat, Swap, Until
from halocline.plan.blocks.decomposition import Decomposition
from halocline.plan.blocks.levels import Levels
from halocline.plan.cells.strategy import Strategy
from halocline.plan.program.arrangement import Arrangement
from halocline.plan.program.program import (
    Called,
    Checked,
    Computed,
    Launch,
    Masked,
    Program,
    Reduced,
)
from halocline.plan.schedule.layout import FieldLayout
from halocline.plan.value import operations as ops
from halocline.plan.value.execution import Execution
from halocline.plan.value.messages import Exchange, Message
from halocline.plan.value.parts import Columns, Part, Parts
from halocline.plan.value.temporal_blocks import Pause, TemporalBlock

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

_RECORDS: dict[str, type[Struct]] = {
    kind.__name__: kind
    for kind in (
        *(expr.Const, expr.Scalar, expr.Index, expr.Read, expr.Unary, expr.Binary, expr.Compare),
        *(
            expr.Where,
            expr.Cast,
            expr.Number,
            FieldType,
            Kernel,
            InlinedKernel,
            Statement,
            Space,
            Role,
            Box,
        ),
        *(Every, Repeat, Swap, Until, Called, Checked, Computed, Launch, Masked, Program, Reduced),
        *(ops.Run, ops.Start, ops.Wait, ops.WaitAny, ops.Arrival, ops.Poll, ops.Reduce),
        *(ops.Wavefront, ops.Skew, ops.StepEnd, TemporalBlock, Pause),
        *(
            ops.Compute,
            ops.CallFunction,
            ops.Poison,
            ops.Check,
            ops.Assigned,
            Arrangement,
            Decomposition,
            Levels,
            Execution,
        ),
        *(FieldLayout, Exchange, Message, Part, Strategy, Threads, Tile),
    )
}
# What is kept in columns.
_IN_COLUMNS: dict[type[Struct], tuple[str, ...]] = {Message: ("parts",), Exchange: ("copies",)}
# What stands in the list.
_LISTED = (Expr, Kernel, Space, Launch, FieldLayout)
# Known to every program.
_CLOCKS = {"step": parameters.step, "time": parameters.time}
# What JSON knows.
_PLAIN = frozenset({type(None), bool, int, float, str})
# Its name in a section.
_LIST = "list"
# Where the user wrote something changes nothing.
_LEFT_OUT = "place"


class Encoder:
    """Encodes a program, then what refers to it: each section by itself.

    Args:
        program: What gives parameters and functions their numbers.

    Attributes:
        fingerprint: A digest of the program, the same for programs that compute the same.
    """

    def __init__(self, program: Program) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._objects: list[Any] = []
        self._entries: list[Any] = []
        self._outside: list[Any] = []
        self._parts: Callable[[Parts], Any] = _records
        encoded = self.encoded(program)
        places = [one.points.digest for one in self._outside if isinstance(one, AtPoints)]
        text = json.dumps([self._entries, encoded, places], sort_keys=True)
        self.fingerprint = hashlib.sha256(text.encode()).hexdigest()[:32]

    @no_search_for_cycles()
    def section(self, values: Mapping[str, Any], *, are_columns: bool = False) -> dict[str, Any]:
        """Return some values, with a list of what they need besides what is in the program.

        Args:
            values: The values.
            are_columns: Whether parts of messages are columns of bytes, which JSON does not know.
        """
        first = len(self._entries)
        self._parts = _columns if are_columns else _records
        encoded = {name: self.encoded(value) for name, value in values.items()}
        section = {_LIST: self._entries[first:], **encoded}
        for key in list(self._numbers)[first:]:
            del self._numbers[key]
        del self._entries[first:], self._objects[first:]
        return section

    def encoded(self, value: Any) -> Any:
        """Return a value that JSON knows."""
        kind = type(value)  # told at once of what most of a plan is
        if kind in _PLAIN:
            return value
        if kind is Box:
            return {"Box": {"lower": list(value.lower), "upper": list(value.upper)}}
        if kind is tuple:
            return [self.encoded(one) for one in value]
        return self._encoded(value)

    def _encoded(self, value: Any) -> Any:
        match value:
            case None | bool() | int() | float() | str():
                return value
            case np.generic():  # a number of an option
                return value.item()
            case Parts() | BoxArray():
                return self._parts(value) if isinstance(value, Parts) else _boxes(value)
            case Fraction():
                return {"Fraction": str(value)}
            case tuple():
                return [self.encoded(one) for one in value]
            case frozenset():
                return {"set": [self.encoded(one) for one in sorted(value)]}
            case Formula():
                return self._listed(value)
            case Parameter() | Callback() | AtPoints() | Fill():
                return {"given": self._place(value)}
            case Expr():
                return self._expression(value)
            case _ if isinstance(value, _LISTED):
                return self._listed(value)
            case Struct():
                return self._record(value)
            case _:
                items = sorted(value.items(), key=_order)
                return {"map": [[self.encoded(key), self.encoded(one)] for key, one in items]}

    def _record(self, value: Any) -> Any:
        kind: type = type(value)
        parts = {
            name: self.encoded(part)
            for name, default in _written(kind)
            for part in [getattr(value, name)]
            if type(part) is not type(default) or part != default
        }
        return {kind.__name__: parts}

    def _expression(self, value: Expr) -> Any:
        if _key(value) not in self._numbers:  # else all below it is in the list, too
            for node in expr.walk(value):
                self._listed(node)
        return self._listed(value)

    def _listed(self, value: Any) -> dict[str, int]:
        key = _key(value)
        if key not in self._numbers:
            is_formula = isinstance(value, Formula)
            entry = {"Formula": self.encoded(value.node)} if is_formula else self._record(value)
            self._numbers[key] = len(self._entries)
            self._entries.append(entry)
            self._objects.append(value)
        return {"at": self._numbers[key]}

    def _place(self, value: Parameter | Callback | AtPoints | Fill) -> int | str:
        for name, clock in _CLOCKS.items():
            if value is clock:
                return name
        for number, known in enumerate(self._outside):
            if known is value:
                return number
        self._outside.append(value)
        return len(self._outside) - 1

    @no_search_for_cycles()
    def decoded(self, section: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of a section of another encoder with the same fingerprint.

        Raises:
            KeyError, TypeError, ValueError, IndexError, AttributeError, PlanError: Of some value
                that stands for nothing.
        """
        known = list(self._objects)
        inner = _decoder(known, self._outside)
        for entry in section[_LIST]:
            known.append(inner(entry))  # noqa: PERF401 (later ones refer to earlier ones)
        return {name: inner(value) for name, value in section.items() if name != _LIST}


def decoded(value: Any) -> Any:
    """Return what an encoded value stands for that refers to nothing else.

    'Encoder.decoded' says what it raises.
    """
    return _decoder((), ())(value)


def _decoder(known: Sequence[Any], outside: Sequence[Any]) -> Callable[[Any], Any]:
    """Return what decodes values.

    Args:
        known: The list.
        outside: Parameters and functions by their numbers.
    """

    def inner(value: Any) -> Any:
        kind = type(value)  # told at once of what most of a plan is
        if kind is list:
            return tuple([one if type(one) in _PLAIN else inner(one) for one in value])
        if kind is not dict:
            return value
        ((name, inside),) = value.items()
        match name:
            case "at":
                return known[inside]
            case "Formula":
                return Formula(inner(inside))
            case "Fraction":
                return Fraction(inside)
            case "set":
                return frozenset(map(inner, inside))
            case "map":
                return {inner(key): inner(one) for key, one in inside}
            case "given":
                return _CLOCKS[inside] if isinstance(inside, str) else outside[inside]
            case "BoxArray":
                return BoxArray(*(np.array(end, np.int64) for end in inside))
            case "Parts":
                return _of_columns(*inside)
            case _:
                return _made(_RECORDS[name], {n: inner(one) for n, one in inside.items()})

    return inner


def _boxes(boxes: BoxArray) -> dict[str, Any]:
    return {"BoxArray": [end.tolist() for end in boxes]}


def _columns(parts: Parts) -> dict[str, Any]:
    """Return parts in columns: names of fields, numbers of axes, and the bytes of an array."""
    field, component, source, target, direction, box, shift, held = parts.columns
    rows = [field, component, source, target, held, *direction, *box.lower, *box.upper, *shift]
    return {"Parts": [list(parts.names), len(shift), np.array(rows, "<i8").tobytes()]}


def _of_columns(names: list[str], axes: int, content: bytes) -> Parts:
    """Return parts from columns; raise ValueError if these cannot be."""
    field, component, source, target, held, *rest = np.frombuffer(content, "<i8").reshape(
        5 + 4 * axes, -1
    )
    for some in (field, held) if len(field) else ():
        if not 0 <= some.min() <= some.max() < len(names):
            raise ValueError(f"a part is of another field than {names}")
    direction, lower, upper, shift = np.array(rest, np.int64).reshape(4, axes, len(field))
    box = BoxArray(lower, upper)
    columns = Columns(field, component, source, target, direction, box, shift, held)
    return Parts(tuple(names), columns)


def _records(parts: Parts) -> list[Any]:
    """Return the records of parts, of which most of a forest's plan consists."""
    field, component, source, target, direction, box, shift, held = parts.columns
    boxes = zip(box.lower.T.tolist(), box.upper.T.tolist(), strict=True)
    rows = zip(
        [parts.names[n] for n in field.tolist()],
        *(component.tolist(), source.tolist(), target.tolist(), direction.T.tolist()),
        [{"Box": {"lower": lower, "upper": upper}} for lower, upper in boxes],
        shift.T.tolist(),
        strict=True,
    )
    *names, last = Part.__struct_fields__
    records = [dict(zip(names, row, strict=True)) for row in rows]
    for n in np.flatnonzero(held != field).tolist():
        records[n][last] = parts.names[held[n]]
    return [{"Part": record} for record in records]


@cache
def _written(kind: type[Struct]) -> list[tuple[str, Any]]:
    """Return the fields of a record that are written, with their defaults."""
    return [(name, default) for name, default in defaults(kind).items() if name != _LEFT_OUT]


def _order(item: tuple[Any, Any]) -> tuple[int, str]:
    """Return a place among the items of a map, that in which they were found aside."""
    text = repr(item[0])
    # Numbers by their size.
    return len(text), text


def _key(value: Any) -> Hashable:
    """Return what equal things in the list have in common, and others have not."""
    match value:
        case Expr() | Formula():
            return id(value)
        case Launch():
            # As numbers, 1 and 1.0, and zeros of both signs are equal.
            return value, value.where, repr(value.scalars)
        case _:
            return type(value), value


def _made(kind: type[Struct], parts: dict[str, Any]) -> Any:
    """Return a record with some of its fields, the others as by default."""
    if issubclass(kind, Expr):
        # Interned nodes are made of all their operands in order.
        return kind(*({**defaults(kind), **parts}.values()))
    for name in _IN_COLUMNS.get(kind, ()):
        if not isinstance(parts[name], Parts):
            parts[name] = Parts.of(parts[name])
    left_out = {_LEFT_OUT: ""} if _LEFT_OUT in kind.__struct_fields__ else {}
    return kind(**left_out, **parts)
