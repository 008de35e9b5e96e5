"""Print loop nests as readable C++: one function per kernel, over a box given by the caller.

A kernel's rows are shared among threads. Results that the kernel does not read again can be written
by non-temporal stores, a line of each stream at a time, between prefetches of what is read next.
The same statements serve both ways, so both give the same bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halocline.codegen.cpp_inlined import InlinedFunctions
from halocline.codegen.cpp_narrow import NarrowText, may_be_narrow
from halocline.codegen.cpp_prefetching import Prefetching
from halocline.codegen.cpp_reductions import ReductionTexts
from halocline.codegen.cpp_row import RowText
from halocline.codegen.cpp_sweep import RowsBeside, columns_at_once
from halocline.codegen.expression import C_TYPES, moved, scaled
from halocline.codegen.halves import assigns_many_halves, half_rows
from halocline.codegen.lower import lower
from halocline.codegen.names import entry_names
from halocline.codegen.nest import is_along_x, stores_side_by_side
from halocline.codegen.prelude import (
    INDEXING,
    INLINING,
    MATHS,
    NARROW,
    PRELUDE,
    ROUNDING,
    STRIPS,
    WIDENING,
)
from halocline.codegen.prelude_division import DIVIDING
from halocline.codegen.prelude_halves import HALVES, SCHEDULING, VECTORS_OF_HALVES
from halocline.codegen.prelude_memory import (
    PREFETCHING,
    PREFETCHING_ENDS,
    PREFETCHING_LATER,
    STREAMING,
)
from halocline.codegen.prelude_reductions import REDUCTIONS
from halocline.codegen.prelude_sweep import SWEEPING, TURNING
from halocline.codegen.source import Source
from halocline.codegen.text import (
    folded,
    functions_included,
    has_halves,
    heading,
    includes,
    indented,
    summary,
    type_of,
    uses_indices,
)
from halocline.codegen.together import planes_together, together
from halocline.codegen.widen import row_copies

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.codegen.nest import Nest, Row
    from halocline.language.expressions.kernel import Kernel

_STRIP = 1024  # cells of a row that are copied at once, into memory that stays in the cache


def print_source(kernels: Sequence[Kernel]) -> Source:
    """Return one translation unit with one entry point per fused kernel, in order."""
    nests = [lower(kernel) for kernel in kernels]
    entries = entry_names(nests)
    functions = [
        _Function(kernel, nest, entry)
        for kernel, nest, entry in zip(kernels, nests, entries, strict=True)
    ]
    every = [nest for function in functions for nest in function.nests]
    prefetching = [loop.prefetching for function in functions for loop in function.loops]
    included = includes(every)
    parts = [
        heading(nests),
        SCHEDULING if any(map(assigns_many_halves, nests)) else "",
        "#include <stdint.h>\n\n",
        functions_included(every),
        '#include "kernel_abi.h"\n\n',
        PRELUDE,
        MATHS if "MATHS" in included else "",
        DIVIDING if "DIVIDING" in included else "",
        INDEXING if any(map(uses_indices, every)) else "",
        HALVES if any(map(has_halves, every)) else "",
        VECTORS_OF_HALVES if any(map(half_rows, every)) else "",
        ROUNDING if any(map(stores_side_by_side, every)) else "",
        STREAMING if any(nest.streamed or is_along_x(nest) for nest in nests) else "",
        PREFETCHING if any(loop.prefetches for loop in prefetching) else "",
        PREFETCHING_LATER if any(loop.prefetches_cells for loop in prefetching) else "",
        NARROW if any(function.narrow for function in functions) else "",
        PREFETCHING_ENDS if any(loop.next_ends() for loop in prefetching) else "",
        INLINING if len(every) > len(nests) else "",
        REDUCTIONS if any(kernel.reduced for kernel in kernels) else "",
        STRIPS if any(loop.has_strips for function in functions for loop in function.loops) else "",
        WIDENING if any(row_copies(nest) for nest in nests) else "",
        SWEEPING if any(nest.sweep for nest in nests) else "",
        TURNING if any(map(is_along_x, nests)) else "",
        *(function.text() for function in functions),
    ]
    return Source("c++", "".join(parts), entries)


class _Function:
    """The text of one kernel: what computes rows, also of several planes together, and its entry.

    Attributes:
        nests: What it and its inlined kernels do.
        loops: What computes rows.
        narrow: What computes boxes with few cells along x, if there may be such.
    """

    def __init__(self, kernel: Kernel, nest: Nest, entry: str) -> None:
        self._entry = entry
        self._inlined = InlinedFunctions(kernel, nest, entry)
        self._rows = _Rows(nest, self._inlined, f"{entry}_rows")
        planes = 1 if self._rows.has_strips else planes_together(nest)
        several = f"{entry}_rows_of_{planes}_planes"
        rows = _Rows(together(nest, planes), self._inlined, several) if planes > 1 else None
        # Of several planes more rows may be worth a copy: strips are for single ones.
        self._several = None if rows and rows.has_strips else rows
        is_narrow = may_be_narrow(kernel, nest)
        self.narrow = NarrowText(nest, f"{entry}_narrow") if is_narrow else None
        self.nests = (nest, *self._inlined.nests)
        self.loops = [loop for loop in (self._rows, self._several) if loop]

    def text(self) -> str:
        """Return the functions."""
        functions = [loop.text() for loop in self.loops]
        return "\n".join(
            [
                self._inlined.text() + functions[0],
                *functions[1:],
                *([self.narrow.text()] if self.narrow else []),
                f'extern "C" void {self._entry}(const halocline_call* call) {{',
                *self._if_narrow(),
                f"    {self._share()};",
                "}",
                "",
                "",
            ]
        )

    def _if_narrow(self) -> list[str]:
        if self.narrow is None:
            return []
        return [f"    if (is_narrow(*call)) return share_narrow(*call, {self.narrow.name});"]

    def _share(self) -> str:
        nest, rows = self._rows.nest, self._rows.name
        if nest.sweep is not None:
            return f"share_columns<{nest.sweep[0]}, {columns_at_once(nest)}>(*call, {rows})"
        if self._several is None:
            return f"share(*call, {{{rows}, nullptr, 1}})"
        return f"share(*call, {{{rows}, {self._several.name}, {self._several.nest.planes}}})"


class _Rows:
    """The text of a function that computes rows.

    Args:
        nest: What is done.
        inlined: The kernel's.
        name: Of the function.

    Attributes:
        nest: What is done.
        name: Of the function.
        prefetching: What it prefetches.
    """

    def __init__(self, nest: Nest, inlined: InlinedFunctions, name: str) -> None:
        self.nest = nest
        self.name = name
        self._beside = RowsBeside(nest) if is_along_x(nest) else None
        self._row_text = text = self._beside or RowText(nest)
        new, out = text.names.new, text.out
        self._inlined = inlined.called(new)
        kinds = {} if self._beside else row_copies(nest)
        self._wide = {key: kinds[key] for key in text.rows if key in kinds}
        self._wide_rows = {key: new(f"{text.rows[key]}_wide") for key in self._wide}
        self._reduced = ReductionTexts(nest, out, new)
        streamed = () if self._beside else nest.streamed
        self._target = {key: new(f"{out[key]}_target") for key in streamed}
        self._buffer = {key: new(f"{out[key]}_line") for key in streamed}
        self.prefetching = Prefetching(
            text, self._wide, is_beside=self._beside is not None, streamed=tuple(self._target)
        )

    @property
    def has_strips(self) -> bool:
        """Whether it computes one strip of a row after the other."""
        return bool(self._wide or self._reduced.rows)

    def text(self) -> str:
        """Return the function."""
        body = [
            *self._arguments(),
            *(self._beside.lines(self._inlined) if self._beside else self._rows()),
            *self._reduced.end(),
            *(["if (may_stream) fence();"] if self.nest.streamed else []),
        ]
        return "\n".join(
            [
                summary(self.nest),
                f"static void {self.name}(const halocline_call& call, const Part& part) {{",
                *folded(indented(body)),
                "}",
                "",
            ]
        )

    def _rows(self) -> list[str]:
        """Print the loop over rows, which follow each other along y and then z."""
        return [
            "for (int64_t row = part.first; row < part.last; ++row) {",
            *indented(self._active_runs()),
            *indented(self._run_inlined()),
            *indented(self._row_text.fills()),
            *indented(self._strips(self._row()) if self.has_strips else self._row()),
            *indented(self._row_text.returns()),
            # Counted, not divided: a division a row is the time of a thin box.
            *indented(self._next_row()),
            "}",
        ]

    def _run_inlined(self) -> list[str]:
        """Print the calls of inlined kernels for a row, or for those of several planes."""
        calls = self._inlined.calls()
        if self.nest.planes == 1:
            return calls
        loop = f"for (int64_t z = plane; z < plane + {self.nest.planes}; ++z) {{"
        made = [loop, *indented(calls), "}"] if calls else []
        return [*made, "const int64_t z = plane;"]

    def _active_runs(self) -> list[str]:
        if self.nest.sweep is not None or self.nest.planes > 1:
            return []  # a mask is a choice in every cell there, or its runs are not of all planes
        return [
            "if (call.active_runs) {",
            "    const halocline_active_run& run = call.active_runs[row];",
            "    lower = run.lower, upper = run.upper, y = run.y, z = run.z;",
            "}",
        ]

    def _next_row(self) -> list[str]:
        if self.nest.sweep == (1, -1):
            return ["if (--y < call.lower[1]) {", "    y = call.upper[1] - 1;", "    ++z;", "}"]
        if self.nest.planes > 1:
            step = f"plane += {self.nest.planes}"
        else:
            step = "--z" if self.nest.sweep == (2, -1) else "++z"
        return ["if (++y == call.upper[1]) {", "    y = call.lower[1];", f"    {step};", "}"]

    def _arguments(self) -> list[str]:
        lines = [
            *self._row_text.arguments(),
            *self._inlined.rows(),
            "const int64_t height = call.upper[1] - call.lower[1];",
            *self._first_row(),
        ]
        if self.has_strips:
            strip = self._reduced.strip if self._reduced.rows else _STRIP
            lines.append(f"constexpr int64_t strip = {strip};  // cells of a row at once")
        for key, name in self._wide_rows.items():
            lower, upper = self._row_text.reach(key)
            count = f"strip {moved(upper - lower)}".strip()
            lines.append(f"alignas(64) {C_TYPES[self._wide[key]]} {name}[{count}];")
        if self.prefetching.goes_by_lines:
            line = f"constexpr int64_t chunk = {self._line()};  // cells in whole cache lines"
            lines += [line, *self.prefetching.constants()]
        lines += [
            f"alignas(64) {type_of(self.nest, key[0])} {name}[{self._in_field('chunk', key)}];"
            for key, name in self._buffer.items()
        ]
        return [*lines, *self._reduced.begin(), *self._may_stream()]

    def _may_stream(self) -> list[str]:
        """Print whether results are written by non-temporal stores, if they may be at all."""
        if not self.nest.streamed:
            return []
        checks = [
            f"    && is_aligned<{type_of(self.nest, name)}>({self._row_text.fields[name]})"
            for name in dict.fromkeys(row[0] for row in self.nest.streamed)
        ]
        lines = ["const bool may_stream = call.stream != 0", *checks[:-1], f"{checks[-1]};"]
        return [*lines, "const bool non_temporal = call.stream == 1;"] if self._target else lines

    def _line(self) -> int:
        """Return the cells in a cache line of the field with the smallest numbers.

        Of those that are written by non-temporal stores, if there are any.
        """
        dtypes = {field.name: np.dtype(field.dtype) for field in self.nest.fields}
        rows = self._target or {**self._row_text.rows, **self._row_text.out}
        return 64 // min(dtypes[row[0]].itemsize for row in rows)

    def _first_row(self) -> list[str]:
        """Print the cells of the first row, or of the first one of several planes."""
        cells = "int64_t lower = part.lower, upper = part.upper;"
        y = f"int64_t y = {self._first(1)} part.first % height;"
        plane = f"{self._first(2)} part.first / height"
        if self.nest.planes == 1:
            return [cells, y, f"int64_t z = {plane};"]
        return [f"const {cells}", y, f"int64_t plane = {plane} * {self.nest.planes};"]

    def _first(self, axis: int) -> str:
        """Print what the rows of a part are counted from along y or z."""
        is_down = self.nest.sweep == (axis, -1)
        return f"call.upper[{axis}] - 1 -" if is_down else f"call.lower[{axis}] +"

    def _in_field(self, cells: str, row: Row) -> str:
        """Print a number of cells, or a place in a row, as one of the row's field."""
        return scaled(cells, self._row_text.ratio(row[0]))

    def _row(self) -> list[str]:
        text = self._row_text
        lines = [*text.indices("lower"), *self.prefetching.offsets()]
        for read, line in text.reads().items():
            lines.append(self._wide_row(read) if read in self._wide else line)
        for key, name in text.out.items():
            kind = type_of(self.nest, key[0])
            row = self._reduced.row(key) if key in self._reduced.rows else text.out_row(key)
            lines.append(f"{kind}* const {self._target.get(key, name)} = {row};")
        lines += self._chunks() if self.prefetching.goes_by_lines else text.cells()
        return lines + self._reduced.after_strip()

    def _wide_row(self, row: Row) -> str:
        kind, text = C_TYPES[self._wide[row]], self._row_text
        ends = zip(("lower", "upper"), text.reach(row), strict=True)
        limits = [f"{end} {moved(step)}".strip() for end, step in ends]
        address = f"wide_row({', '.join([self._wide_rows[row], text.read_row(row), *limits])})"
        return f"const {kind}* const {text.rows[row]} = {address};"

    def _strips(self, body: Sequence[str]) -> list[str]:
        """Print what is done in a row as done in one strip after the other."""
        return [
            "const int64_t row_lower = lower, row_upper = upper;",
            "for (; lower < row_upper; lower = upper) {",
            "    upper = strip_end<strip>(lower, row_upper);",
            *indented(body),
            "}",
            "lower = row_lower;",
        ]

    def _chunks(self) -> list[str]:
        """Print the cells as a function, called plainly for the ends of a row or all of it."""
        outputs = [
            f"{type_of(self.nest, key[0])}* const {self._row_text.out[key]}" for key in self._target
        ]
        cells = ["const int64_t from", "const int64_t count", *outputs]
        ends = [f"{target} + {self._in_field('from', key)}" for key, target in self._target.items()]
        by_lines = "may_stream" if self._target else "call.fetch != 0"
        return [
            f"const auto cells = [&]({', '.join(cells)})",
            "    __attribute__((always_inline)) {",
            *indented(self._row_text.some_cells(self._target)),
            "};",
            # Of a few cells that are no whole lines most are done one by one, one way or the other.
            "const bool is_whole = ((lower | upper) & (chunk - 1)) == 0;",
            f"const bool by_lines = {by_lines} && (is_whole || upper - lower >= 2 * chunk);",
            *self.prefetching.next_runs(self._target),
            *self.prefetching.next_ends(),
            "const int64_t first = by_lines ? (lower + chunk - 1) & -chunk : upper;",
            "const int64_t last = by_lines ? upper & -chunk : upper;",
            "for (int end = 0; end < 2; ++end) {",
            "    const int64_t from = end == 0 ? lower : last;",
            "    const int64_t count = (end == 0 ? first : upper) - from;",
            f"    cells({', '.join(['from', 'count', *ends])});",
            "}",
            "for (int64_t from = first; from < last; from += chunk) {",
            f"    cells({', '.join(['from', 'chunk', *self._buffer.values()])});",
            *indented(self._after_chunk()),
            "}",
        ]

    def _after_chunk(self) -> list[str]:
        """Write one chunk of the results, with prefetches between the lines."""
        writes = [
            f"store_lines<{self._in_field('chunk', key)}>(non_temporal, "
            f"{target} + {self._in_field('from', key)}, {self._buffer[key]}, "
            f"{target} + {self.prefetching.next_written(key)});"
            for key, target in self._target.items()
        ]
        prefetches = self.prefetching.after_line()
        lower, upper = ("row_lower", "row_upper") if self.has_strips else ("lower", "upper")
        lines = self.prefetching.next_cells(lower, upper)
        if not writes:
            return [*lines, *prefetches]
        done = 0
        for number, write in enumerate(writes):
            until = len(prefetches) * (number + 1) // len(writes)
            lines += [*prefetches[done:until], write]
            done = until
        return lines
