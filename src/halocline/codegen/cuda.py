"""Print loop nests as readable CUDA: one function per kernel, one thread per cell of a box.

The arithmetic is that of the C++ target, to the bit where the compiler keeps expressions as they
are written: NVRTC's '--fmad=false --prec-div=true --prec-sqrt=true --ftz=false'.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from halocline.codegen.cuda_prelude import FEEDING, HALVES, MATHS, PRELUDE
from halocline.codegen.expression import C_TYPES, Expressions, moved
from halocline.codegen.lower import IndexValue, lower, place
from halocline.codegen.names import CPP_WORDS, Names, entry_names, words
from halocline.codegen.source import Source
from halocline.codegen.text import (
    at,
    cast,
    cell_lines,
    chooses,
    folded,
    has_halves,
    heading,
    indented,
    row_address,
    summary,
    type_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.codegen.lower import Load, Nest, Store
    from halocline.language.kernel import Kernel

# In a block, at most; all registers of a multiprocessor may go to one block: a kernel that spills
# is slower than one of which few threads run at a time.
THREADS = 256
_TAKEN = CPP_WORDS | words(
    "x y z box Box Field Span Layer row_of lies_in turned find_piece find_in_spans find_cell",
    "origin_x origin_y origin_z",
    "threadIdx blockIdx blockDim gridDim warpSize __ldg __global__ __device__ __host__",
    "sqrt fabs exp log sin cos tanh memcpy INFINITY NAN INT64_C INT64_MIN",
    "int32_t int64_t uint8_t uint16_t uint32_t",
    "minimum maximum magnitude Half same_bits widened narrowed",
)


def print_cuda(kernels: Sequence[Kernel]) -> Source:
    """Return one translation unit with one '__global__' function per fused kernel, in order."""
    nests = [lower(kernel) for kernel in kernels]
    entries = entry_names(nests)
    functions = [
        _Function(kernel, nest, entry)
        for kernel, nest, entry in zip(kernels, nests, entries, strict=True)
    ]
    every = [nest for function in functions for nest in function.nests]
    parts = [
        heading(nests),
        PRELUDE,
        FEEDING if len(every) > len(nests) else "",
        MATHS if any(map(chooses, every)) else "",
        HALVES if any(map(has_halves, every)) else "",
        *(function.text() for function in functions),
    ]
    return Source("cuda", "".join(parts), entries)


class _Function:
    """The text of one kernel and its feeders.

    Attributes:
        nests: What they do, the kernel first.
    """

    def __init__(self, kernel: Kernel, nest: Nest, entry: str) -> None:
        feeders = [lower(feeder.kernel) for feeder in kernel.feeders]
        self.nests = (nest, *feeders)
        written = {store.field for one in self.nests for store in one.stores}
        self._cell = _CellText(nest, written)
        self._feeders = [(f"{entry}_feeder_{n}", one) for n, one in enumerate(feeders)]
        self._feeder_cells = [_CellText(one, written) for one in feeders]
        self._ways = [(*feeder.offset, 0, 0)[:3] for feeder in kernel.feeders]
        self._entry = entry

    def text(self) -> str:
        """Return the functions."""
        feeders = zip(self._feeders, self._feeder_cells, strict=True)
        before = "".join(self._feeder(name, cell) for (name, _), cell in feeders)
        body = [
            "int64_t x, y, z;",
            "if (!find_cell(box, x, y, z)) return;",
            *self._feeds(),
            *self._cell.lines(),
        ]
        return before + "\n".join(
            [
                summary(self._cell.nest),
                f'extern "C" __global__ void __launch_bounds__({THREADS}, 1)',
                *folded([f"{self._entry}(const Box box, {', '.join(self._cell.signature())}) {{"]),
                *folded(indented(body)),
                "}",
                "",
                "",
            ]
        )

    def _feeder(self, name: str, cell: _CellText) -> str:
        parameters = ", ".join(["const Box& box", *cell.signature()])
        return "\n".join(
            [
                summary(cell.nest),
                *folded([f"__device__ inline void {name}({parameters},"]),
                "    int64_t x, int64_t y, int64_t z) {",
                *folded(indented(cell.lines())),
                "}",
                "",
                "",
            ]
        )

    def _feeds(self) -> list[str]:
        """Print the calls of the feeders, each of which finds whether its cell is in its layer."""
        given = ", ".join(self._cell.arguments())
        lines = []
        for number, ((name, _), way) in enumerate(zip(self._feeders, self._ways, strict=True)):
            x, y, z = (f"{a} {moved(s)}".strip() for a, s in zip("xyz", way, strict=True))
            place = f"turned({x}, box.turn), {y}, {z}"
            lines += [
                f"if (lies_in(box.layers[{number}], {place}))",
                f"    {name}(box, {given}, {place});",
            ]
        return ["if (box.layers) {", *indented(lines), "}"] if lines else []


class _CellText:
    """What a thread does in the cell (x, y, z).

    Args:
        nest: What to print.
        written: The fields that any thread writes meanwhile.
    """

    def __init__(self, nest: Nest, written: set[str]) -> None:
        self.nest = nest
        self._written = written
        self._names = names = Names(nest, _TAKEN, _in_ascii)
        used = {
            value.name: name for value, name in names.scalars.items() if value.type == "float64"
        }
        self._parameters = {name: used.get(name) or names.new(name) for name in nest.scalars}
        steps = {load.offset[0] for load in nest.loads} | {s.offset[0] for s in nest.stores}
        self._columns = {0: "x"} | {
            step: names.new(place("x", step)) for step in sorted(steps - {0})
        }
        self._values = names.values()
        self._expressions = Expressions(
            nest, self._values, names.scalars.__getitem__, self._load, functions=""
        )

    def lines(self) -> list[str]:
        """Print it."""
        return [*self._numbers(), *self._places(), *self._cell()]

    def signature(self) -> list[str]:
        """Print the parameters: all fields and scalars."""
        fields = (self._names.fields[field.name] for field in self.nest.fields)
        return [
            *(f"const Field {name}" for name in fields),
            *(f"const double {name}" for name in self._parameters.values()),
        ]

    def arguments(self) -> list[str]:
        """Print the names of the parameters."""
        fields = (self._names.fields[field.name] for field in self.nest.fields)
        return [*fields, *self._parameters.values()]

    def _numbers(self) -> list[str]:
        """Print the scalars in the types that they are used in, and the place of the block."""
        lines = [
            f"const {C_TYPES[value.type]} {name} = "
            f"{cast(value.type, self._parameters[value.name])};"
            for value, name in self._names.scalars.items()
            if value.type != "float64"
        ]
        axes = {value.axis for value in self.nest.values if isinstance(value, IndexValue)}
        return lines + [f"const int64_t origin_{'xyz'[a]} = box.origin[{a}];" for a in sorted(axes)]

    def _places(self) -> list[str]:
        """Print the cells along x and the rows that are read and written."""
        lines = [
            f"const int64_t {name} = turned(x {moved(step)}, box.turn);"
            for step, name in self._columns.items()
            if step
        ]
        for (field, component, across), name in self._names.rows.items():
            kind = f"const {type_of(self.nest, field)}"
            address = row_address(self._names.fields[field], component, across, kind)
            lines.append(f"{kind}* const {name} = {address};")
        for store in self.nest.stores:
            name = self._names.out[store.field, store.component]
            kind = type_of(self.nest, store.field)
            field = self._names.fields[store.field]
            address = row_address(field, store.component, store.offset[1:], kind)
            lines.append(f"{kind}* const {name} = {address};")
        return lines

    def _cell(self) -> list[str]:
        def target(store: Store) -> str:
            row = self._names.out[store.field, store.component]
            return f"{row}[{at(self.nest, store.field, self._columns[store.offset[0]])}]"

        return cell_lines(self.nest, self._values, self._expressions, target)

    def _load(self, load: Load) -> str:
        row = self._names.rows[load.field, load.component, load.offset[1:]]
        cell = f"{row}[{at(self.nest, load.field, self._columns[load.offset[0]])}]"
        # What no thread of the kernel writes may be fetched early and by way of the texture cache.
        return cell if load.field in self._written else f"__ldg(&{cell})"


def _in_ascii(name: str) -> str:
    """Return a name without letters that NVRTC does not know: 'omega' for 'ω'."""
    return "".join(c if c.isascii() else _spoken(c) for c in name)


def _spoken(letter: str) -> str:
    return unicodedata.name(letter).split()[-1].lower().replace("-", "_")
