"""Interpret a kernel on NumPy arrays: slow, and needs no compiler.

NumPy itself promotes the types of operands. What it computes gives the same bits as generated code:
sums, products, quotients, roots, comparisons, whole numbers near others. Functions whose bits NumPy
would choose itself are the caller's, see 'callback'.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace

from halocline.codegen.call import Call, KernelFunction
from halocline.frozen import Frozen
from halocline.geometry import Box, opposite
from halocline.language.expressions.expr import (
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
from halocline.language.expressions.kernel import reads
from halocline.language.expressions.operations import OPERATIONS
from halocline.language.expressions.plain import numpy_function

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from halocline.geometry import Offset
    from halocline.language.expressions.expr import Expr
    from halocline.language.expressions.kernel import FieldType, Kernel, Statement

    Array = NDArray[Any]
    Subscript = tuple[slice, ...]
    Elementary = Callable[..., Array]


def _floats(values: Sequence[Any]) -> list[Array]:
    """Return numbers in the floating type of functions of them.

    Single bytes become floats of 32 bits, not of 16 as in NumPy; Python's numbers have no width.
    """
    has_width = any(hasattr(value, "dtype") for value in values)
    kind = np.result_type(*values, np.float32) if has_width else np.dtype(float)
    return [np.asarray(value, kind) for value in values]


def _missing(name: str, *_: Array) -> Array:
    raise NotImplementedError(name)


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
        arrays: By field name, (components, x, y, z) with halo, one axis per dimension; an axis that
            a field lacks has one cell.
        scalars: By name.
        box: The cells to compute, in coordinates of the arrays; those of a field in another index
            space are its ratio times these.
        origin: Global index of cell (0, 0, 0).
        period: After how many cells indices begin again along each axis; 0 for never.
    """
    _evaluate_in(_Around(kernel, arrays, scalars, box, origin, period))


def _evaluate_in(whole: _Around) -> None:
    kernel, arrays = whole.kernel, whole.arrays
    if whole.box.is_empty:
        return
    with np.errstate(all="ignore"):
        for cells in _in_order(kernel, whole.box):
            # Everything is computed before anything is overwritten.
            assigned: list[tuple[Statement, Array]] = []
            around = replace(whole, box=cells, assigned=assigned)
            for s in kernel.statements:
                value = _evaluate(s.value, around)
                target = arrays[s.field].dtype
                # As generated code: to 16 bits by way of a float.
                rounded = value.astype(np.float32) if target == np.float16 else value
                assigned.append((s, rounded.astype(target, copy=True)))
            for s, kept in assigned:
                values = arrays[s.field][s.component]
                values[_places(kernel.field(s.field), cells, s.offset)] = kept


def _in_order(kernel: Kernel, box: Box) -> list[Box]:
    """Return the cells to compute at once: all, or in a sweep one plane after the other."""
    if kernel.sweep is None:
        return [box]
    axis, sign = kernel.sweep
    planes = range(box.lower[axis], box.upper[axis])
    return [box.clip(axis, k, k + 1) for k in planes[::sign]]


def _places(field: FieldType, box: Box, offset: Offset) -> Subscript:
    """Return the cells of a field at an offset from the cells of a box, as a subscript."""
    cells = []
    for axis, (lower, upper, step) in enumerate(zip(box.lower, box.upper, offset, strict=True)):
        ratio = field.ratio_along(axis)
        first, last = ratio * lower + step, ratio * (upper - 1) + step
        cells.append(slice(first, last + 1, max(1, ratio)))
    return tuple(cells)


class _Around(Frozen):
    """What an expression refers to: see 'evaluate', 'callback'; 'assigned' in order."""

    kernel: Kernel
    arrays: Mapping[str, Array]
    scalars: Mapping[str, float]
    box: Box
    origin: Sequence[int]
    period: Sequence[int]
    elementary: Elementary = _missing
    assigned: Sequence[tuple[Statement, Array]] = ()

    def read(self, read: Read) -> Array:
        """Return the values of a read in all cells."""
        field = self.kernel.field(read.field)
        own = [
            (s.offset, value)
            for s, value in self.assigned
            if (s.field, s.component) == (read.field, read.component)
        ]
        before = [value for offset, value in own[: read.version] if offset == read.offset]
        if before:
            return before[-1]
        values: Array = self.arrays[read.field][read.component]
        return values[_places(field, self.box, read.offset)]


def callback(kernel: Kernel, elementary: Elementary = _missing) -> ctypes._CFunctionType:
    """Return the kernel as a C function with the signature of generated code.

    The caller keeps the object alive for as long as its address is in use.

    Args:
        kernel: What to run.
        elementary: Functions of arrays of floats, by their names in the table of operations.
    """

    def run(pointer: ctypes._Pointer[Call]) -> None:
        call = pointer.contents
        # An empty box moves no memory, and its corners may lie outside the block.
        box = Box(tuple(call.lower), tuple(call.upper))
        if box.is_empty:
            return
        for cells in _cells(call, box):
            for number, inlined in enumerate(kernel.inlined) if call.layers else ():
                for offset in inlined.offsets:
                    for part in _in_layer(call, number, cells.shift((*offset, 0, 0)[:3])):
                        _run(inlined.kernel, call, part, elementary)
            _run(kernel, call, cells, elementary)

    return KernelFunction(run)


def _in_layer(call: Call, number: int, cells: Box) -> list[Box]:
    """Return those of some cells where an inlined kernel runs, beyond ends of closed rows, too."""
    layer = call.layers[number]
    whole = Box(tuple(layer.lower), tuple(layer.upper))
    n = call.wrap
    turns = range(-((cells.upper[0] - 1) // n), 1 - cells.lower[0] // n) if n else (0,)
    parts = [cells.shift((turn * n, 0, 0)).intersect(whole) for turn in turns]
    return [box for box in parts if not box.is_empty]


def _run(kernel: Kernel, call: Call, cells: Box, elementary: Elementary) -> None:
    """Run a kernel without its inlined kernels in some cells of a block."""
    lower, upper = _halo(kernel)
    # Rows that close on themselves are seen whole.
    row = cells.clip(0, 0, call.wrap) if call.wrap else cells
    grown = row.grow(lower, upper)
    axes: tuple[Any, ...] = (..., *(0,) * (3 - kernel.dimensions))
    used = {s.field for s in kernel.statements}
    used |= {read.field for read in reads(*(s.value for s in kernel.statements))}
    arrays = {
        field.name: _view(call, number, field, grown)[axes]
        for number, field in enumerate(kernel.stored)
        if field.name in used
    }
    # Inlined kernels have the fields of their kernel, but pass no values to its reductions.
    reduced = {
        field.name: np.empty((1, *grown.extent))[axes]
        for field in kernel.reduced
        if field.name in used
    }
    arrays |= reduced
    scalars = {name: call.scalars[i] for i, name in enumerate(kernel.scalars)}
    origin = [a + b for a, b in zip(call.origin, grown.lower, strict=True)]
    inner = cells.shift(opposite(grown.lower))
    flat = Box(inner.lower[: kernel.dimensions], inner.upper[: kernel.dimensions])
    around = (arrays, flat, (lower[0], lower[0] + call.wrap))
    uses = reads(*(s.value for s in kernel.statements))
    for values, beyond, owned in _beyond_ends(kernel, uses, *around) if call.wrap else ():
        values[beyond] = values[owned]
    _evaluate_in(_Around(kernel, arrays, scalars, flat, origin, call.period, elementary))
    for values, beyond, owned in (
        _beyond_ends(kernel, kernel.statements, *around) if call.wrap else ()
    ):
        values[owned] = values[beyond]
    for sink, values in zip(
        call.sinks[: len(reduced)] if reduced else (), reduced.values(), strict=True
    ):
        computed = np.ascontiguousarray(values[0][flat.slices((0,) * kernel.dimensions)])
        sink.take(ctypes.addressof(sink), computed.ctypes.data, computed.size, None)


def _beyond_ends(
    kernel: Kernel,
    uses: Iterable[Read | Statement],
    arrays: Mapping[str, Array],
    cells: Box,
    ends: tuple[int, int],
) -> Iterator[tuple[Array, Subscript, Subscript]]:
    """Yield what is used beyond the ends of rows that close on themselves.

    That is values, the places beyond an end, and those of the same cells at their owner's.
    """
    for use in uses:
        values = arrays[use.field][use.component]
        field = kernel.field(use.field)
        way, child = field.parted(use.offset)
        for beyond, wrap in _beyond(cells.shift(way), ends):
            yield values, _places(field, beyond, child), _places(field, beyond.shift(wrap), child)


def _beyond(cells: Box, ends: tuple[int, int]) -> list[tuple[Box, Offset]]:
    """Return the cells below and above the ends of rows, and how far it is to their places."""
    first, last = ends
    still, n = (0,) * (len(cells.lower) - 1), last - first
    turns = range((cells.lower[0] - first) // n, -(-(cells.upper[0] - first) // n))
    parts = [
        (
            cells.clip(
                0,
                max(cells.lower[0], first + turn * n),
                min(cells.upper[0], last + turn * n),
            ),
            (-turn * n, *still),
        )
        for turn in turns
        if turn
    ]
    return [(box, wrap) for box, wrap in parts if not box.is_empty]


def _cells(call: Call, box: Box) -> list[Box]:
    """Return the cells of a call: its box, or its active runs as boxes."""
    if not call.active_runs:
        return [box]
    runs = [call.active_runs[i] for i in range(call.active_run_count)]
    return [Box((s.lower, s.y, s.z), (s.upper, s.y + 1, s.z + 1)) for s in runs]


def _evaluate(root: Expr, around: _Around) -> Array:
    values: dict[Expr, Any] = {}
    for node in walk(root):
        below = [values[operand] for operand in operands(node)]
        values[node] = _apply(node, below, around) if below else _leaf(node, around)
    return np.broadcast_to(np.asarray(values[root]), around.box.extent)


def _leaf(node: Expr, around: _Around) -> Any:
    match node:
        case Const(value):
            return value
        case Scalar(name):
            return around.scalars[name]
        case Index(axis, offset):
            return _index(around, axis, offset)
        case Read():
            return _computed(around.read(node))
        case _:
            raise AssertionError(node)


def _computed(found: Array) -> Array:
    """Return numbers as they are computed with: those of 16 bits are for storage only."""
    return found.astype(np.float32) if found.dtype == np.float16 else found


def _apply(node: Expr, below: list[Any], around: _Around) -> Any:
    match node:
        case Where():
            condition, true, false = below
            return np.where(np.asarray(condition).astype(bool), true, false)
        case Cast(dtype, _):
            return np.asarray(below[0]).astype(dtype)
        case Unary(op, _) | Binary(op, _, _) | Compare(op, _, _):
            operation = OPERATIONS[op]
            values = _floats(below) if operation.operands == "float" else below
            if operation.is_elementary:
                result = around.elementary(op, *values)
            else:
                result = numpy_function(op)(*values)
            # Of numbers without a width comes another one: NumPy would give it one.
            has_width = any(isinstance(b, np.ndarray | np.generic) for b in below)
            return result if has_width else result.item()
        case _:
            raise AssertionError(node)


def _index(around: _Around, axis: int, offset: int) -> Array:
    shape = [1] * len(around.box.lower)
    shape[axis] = -1
    cells = np.arange(around.box.lower[axis], around.box.upper[axis], dtype=np.int64)
    index = cells + around.origin[axis] + offset
    period = around.period[axis]
    return (index % period if period else index).reshape(shape)


def _halo(kernel: Kernel) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return how far the kernel gets below and above its box, along three axes."""
    read = reads(*(s.value for s in kernel.statements))
    uses: tuple[Read | Statement, ...] = (*read, *kernel.statements)
    places = [kernel.field(use.field).parted(use.offset)[0] for use in uses]
    offsets = [(*place, 0, 0)[:3] for place in places]
    lower = tuple(max(0, *(-offset[axis] for offset in offsets), 0) for axis in range(3))
    upper = tuple(max(0, *(offset[axis] for offset in offsets), 0) for axis in range(3))
    return lower, upper


def _view(call: Call, number: int, field: FieldType, box: Box) -> Array:
    """Return a field's part of some of the kernel's cells (components, x, y, z) without a copy."""
    ratio = [field.ratio_along(axis) for axis in range(3)]
    lower = [r * l for r, l in zip(ratio, box.lower, strict=True)]
    extent = [max(1, r * n) for r, n in zip(ratio, box.extent, strict=True)]
    memory = call.fields[number]
    dtype = np.dtype(field.dtype)
    size = dtype.itemsize
    shape = (field.components, *extent)
    across = (memory.x, memory.y, memory.z)
    strides = tuple(step * size for step in (memory.component, *across))
    first = sum(l * step for l, step in zip(lower, across, strict=True)) * size
    span = size + sum((n - 1) * stride for n, stride in zip(shape, strides, strict=True))
    raw = (ctypes.c_char * span).from_address((memory.data or 0) + first)
    return np.ndarray(shape, dtype, raw, strides=strides)
