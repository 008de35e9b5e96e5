"""Interpret a kernel on NumPy arrays: slow, and needs no compiler.

NumPy itself promotes the types of operands. Sums, differences, products, quotients, roots,
comparisons, 'where', 'min', 'max' and 'abs' give the same bits as generated code; the other
functions are those of NumPy.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.codegen.call import Call, KernelFunction
from halocline.geometry import Box, opposite
from halocline.language.expr import (
    Binary,
    Cast,
    Compare,
    Const,
    Index,
    Read,
    Scalar,
    Unary,
    Where,
    operands,
    walk,
)
from halocline.language.kernel import reads

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from halocline.geometry import Offset
    from halocline.language.expr import Expr
    from halocline.language.kernel import FieldType, Kernel

    Array = NDArray[Any]


def _minimum(a: Array, b: Array) -> Array:
    return np.where(b < a, b, a)


def _maximum(a: Array, b: Array) -> Array:
    return np.where(a < b, b, a)


def _of_numbers(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """Return a function that takes single bytes as floats of 32 bits, not of 16 as NumPy does."""
    return lambda a: function(a.astype(np.float32) if np.asarray(a).itemsize == 1 else a)


_FUNCTIONS: Mapping[str, Callable[..., Array]] = {
    "neg": np.negative,
    "abs": np.abs,
    "invert": np.invert,
    "sqrt": _of_numbers(np.sqrt),
    "exp": _of_numbers(np.exp),
    "log": _of_numbers(np.log),
    "sin": _of_numbers(np.sin),
    "cos": _of_numbers(np.cos),
    "tanh": _of_numbers(np.tanh),
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "min": _minimum,
    "max": _maximum,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}


def evaluate(
    kernel: Kernel,
    arrays: Mapping[str, Array],
    scalars: Mapping[str, float],
    box: Box,
    origin: Sequence[int],
    period: Sequence[int] = (0, 0, 0),
) -> None:
    """Run a fused kernel over a box of cells, in place.

    Args:
        kernel: What to run.
        arrays: By field name, (components, x, y, z) with halo, one axis per dimension.
        scalars: By name.
        box: The cells to compute, in coordinates of the arrays.
        origin: Global index of cell (0, 0, 0) of the arrays.
        period: After how many cells indices begin again along each axis; 0 for never.
    """
    if box.is_empty:
        return
    with np.errstate(all="ignore"):
        # Everything is computed before anything is overwritten.
        assigned: dict[tuple[str, int], list[Array]] = {}
        for s in kernel.statements:
            around = _Around(arrays, scalars, box, origin, period, assigned)
            value = _evaluate(s.value, around)
            target = arrays[s.field].dtype
            # As generated code: to 16 bits by way of a float.
            rounded = value.astype(np.float32) if target == np.float16 else value
            kept = rounded.astype(target, copy=True)
            assigned.setdefault((s.field, s.component), []).append(kept)
        for s in kernel.statements:
            target = arrays[s.field][s.component]
            target[_slices(box.shift(s.offset))] = assigned[s.field, s.component][-1]


@dataclass(frozen=True, slots=True)
class _Around:
    """What an expression refers to: see 'evaluate'; 'assigned' by earlier statements, in order."""

    arrays: Mapping[str, Array]
    scalars: Mapping[str, float]
    box: Box
    origin: Sequence[int]
    period: Sequence[int]
    assigned: Mapping[tuple[str, int], list[Array]]


def callback(kernel: Kernel) -> ctypes._CFunctionType:
    """Return the kernel as a C function with the signature of generated code.

    The caller keeps the object alive for as long as its address is in use.
    """

    def run(pointer: ctypes._Pointer[Call]) -> None:
        call = pointer.contents
        # An empty box moves no memory, and its corners may lie outside the block.
        box = Box(tuple(call.lower), tuple(call.upper))
        if box.is_empty:
            return
        for cells in _cells(call, box):
            for number, feeder in enumerate(kernel.feeders) if call.layers else ():
                offset = (*feeder.offset, 0, 0)[:3]
                for fed in _fed(call, number, cells.shift(offset)):
                    _run(feeder.kernel, call, fed)
            _run(kernel, call, cells)

    return KernelFunction(run)


def _fed(call: Call, number: int, cells: Box) -> list[Box]:
    """Return those of some cells where a feeder runs, through the ends of rows that close."""
    layer = call.layers[number]
    whole = Box(tuple(layer.lower), tuple(layer.upper))
    turns = (-call.turn, 0, call.turn) if call.turn else (0,)
    found = [cells.shift((turn, 0, 0)).intersect(whole) for turn in turns]
    return [box for box in found if not box.is_empty]


def _run(kernel: Kernel, call: Call, cells: Box) -> None:
    """Run a kernel without its feeders in some cells of a block."""
    lower, upper = _halo(kernel)
    # Rows that close on themselves are seen whole.
    row = cells.clip(0, 0, call.turn) if call.turn else cells
    grown = row.grow(lower, upper)
    axes: tuple[Any, ...] = (..., *(0,) * (3 - kernel.dimensions))
    used = {s.field for s in kernel.statements}
    used |= {read.field for read in reads(*(s.value for s in kernel.statements))}
    arrays = {
        field.name: _view(call, number, field, grown)[axes]
        for number, field in enumerate(kernel.fields)
        if field.name in used
    }
    scalars = {name: call.scalars[i] for i, name in enumerate(kernel.scalars)}
    origin = [a + b for a, b in zip(call.origin, grown.lower, strict=True)]
    inner = cells.shift(opposite(grown.lower))
    flat = Box(inner.lower[: kernel.dimensions], inner.upper[: kernel.dimensions])
    ends = (lower[0], lower[0] + call.turn)
    if call.turn:
        _fill(kernel, arrays, flat, ends)
    evaluate(kernel, arrays, scalars, flat, origin, call.period)
    if call.turn:
        _bring_home(kernel, arrays, flat, ends)


def _fill(kernel: Kernel, arrays: Mapping[str, Array], cells: Box, ends: tuple[int, int]) -> None:
    """Bring to rows that close on themselves what is read beyond their ends."""
    for read in reads(*(s.value for s in kernel.statements)):
        for beyond, turn in _beyond(cells.shift(read.offset), ends):
            values = arrays[read.field][read.component]
            values[_slices(beyond)] = values[_slices(beyond.shift(turn))]


def _bring_home(
    kernel: Kernel, arrays: Mapping[str, Array], cells: Box, ends: tuple[int, int]
) -> None:
    """Take from rows that close on themselves what was assigned beyond their ends."""
    for statement in kernel.statements:
        for beyond, turn in _beyond(cells.shift(statement.offset), ends):
            values = arrays[statement.field][statement.component]
            values[_slices(beyond.shift(turn))] = values[_slices(beyond)]


def _beyond(cells: Box, ends: tuple[int, int]) -> list[tuple[Box, Offset]]:
    """Return the cells below and above the ends of rows, and how far it is to their places."""
    first, last = ends
    still = (0,) * (len(cells.lower) - 1)
    below = cells.clip(0, cells.lower[0], min(cells.upper[0], first))
    above = cells.clip(0, max(cells.lower[0], last), cells.upper[0])
    found = [(below, (last - first, *still)), (above, (first - last, *still))]
    return [(box, turn) for box, turn in found if not box.is_empty]


def _cells(call: Call, box: Box) -> list[Box]:
    """Return the cells of a call: its box, or its spans as boxes."""
    if not call.spans:
        return [box]
    spans = [call.spans[i] for i in range(call.span_count)]
    return [Box((s.lower, s.y, s.z), (s.upper, s.y + 1, s.z + 1)) for s in spans]


def _evaluate(root: Expr, around: _Around) -> Array:
    known: dict[Expr, Any] = {}
    for node in walk(root):
        below = [known[operand] for operand in operands(node)]
        known[node] = _apply(node, below) if below else _leaf(node, around)
    return np.broadcast_to(np.asarray(known[root]), around.box.extent)


def _leaf(node: Expr, around: _Around) -> Any:
    match node:
        case Const(value):
            return value
        case Scalar(name):
            return around.scalars[name]
        case Index(axis, offset):
            return _index(around, axis, offset)
        case Read(name, component, offset, 0):
            return _computed(around.arrays[name][component][_slices(around.box.shift(offset))])
        case Read(name, component, _, version):
            return _computed(around.assigned[name, component][version - 1])
        case _:
            raise AssertionError(node)


def _computed(found: Array) -> Array:
    """Return numbers as they are computed with: those of 16 bits are for storage only."""
    return found.astype(np.float32) if found.dtype == np.float16 else found


def _apply(node: Expr, below: list[Any]) -> Any:
    match node:
        case Where():
            condition, true, false = below
            return np.where(np.asarray(condition).astype(bool), true, false)
        case Cast(dtype, _):
            return np.asarray(below[0]).astype(dtype)
        case Unary(op, _) | Binary(op, _, _) | Compare(op, _, _):
            result = _FUNCTIONS[op](*below)
            # Of numbers without a width comes another one: NumPy would give it one.
            return result if any(isinstance(b, np.ndarray) for b in below) else result.item()
        case _:
            raise AssertionError(node)


def _index(around: _Around, axis: int, offset: int) -> Array:
    shape = [1] * len(around.box.lower)
    shape[axis] = -1
    cells = np.arange(around.box.lower[axis], around.box.upper[axis], dtype=np.int64)
    index = cells + around.origin[axis] + offset
    period = around.period[axis]
    return (index % period if period else index).reshape(shape)


def _slices(box: Box) -> tuple[slice, ...]:
    return tuple(slice(l, u) for l, u in zip(box.lower, box.upper, strict=True))


def _halo(kernel: Kernel) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return how far the kernel gets below and above its box, along three axes."""
    places = [read.offset for read in reads(*(s.value for s in kernel.statements))]
    places += [statement.offset for statement in kernel.statements]
    offsets = [(*place, 0, 0)[:3] for place in places]
    lower = tuple(max(0, *(-offset[axis] for offset in offsets), 0) for axis in range(3))
    upper = tuple(max(0, *(offset[axis] for offset in offsets), 0) for axis in range(3))
    return lower, upper


def _view(call: Call, number: int, field: FieldType, box: Box) -> Array:
    """Return the cells of a box of a field (components, x, y, z) without a copy."""
    memory = call.fields[number]
    dtype = np.dtype(field.dtype)
    size = dtype.itemsize
    shape = (field.components, *box.extent)
    across = (memory.x, memory.y, memory.z)
    strides = tuple(step * size for step in (memory.component, *across))
    first = sum(lower * step for lower, step in zip(box.lower, across, strict=True)) * size
    span = size + sum((n - 1) * stride for n, stride in zip(shape, strides, strict=True))
    raw = (ctypes.c_char * span).from_address((memory.data or 0) + first)
    return np.ndarray(shape, dtype, raw, strides=strides)
