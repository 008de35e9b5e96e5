"""Print loop nests as readable C++: one function per kernel, over a box given by the caller.

A kernel's rows are shared among threads. Results that the kernel does not read again can be written
past the cache, a line of each stream at a time, between fetches of what is read next: the same
statements serve both ways, so both give the same bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halocline.codegen.cpp_feeders import FeederTexts
from halocline.codegen.cpp_row import RowText
from halocline.codegen.expression import C_TYPES, moved
from halocline.codegen.lower import lower
from halocline.codegen.names import entry_names
from halocline.codegen.nest import Literal
from halocline.codegen.prelude import (
    FEEDING,
    FETCHING,
    HALVES,
    INDEXING,
    MATHS,
    PRELUDE,
    STREAMING,
    WIDENING,
)
from halocline.codegen.source import Source
from halocline.codegen.text import (
    chooses,
    folded,
    has_halves,
    heading,
    indented,
    operations,
    summary,
    type_of,
    uses_indices,
    x_step,
)
from halocline.codegen.widen import widened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.codegen.names import Row
    from halocline.codegen.nest import Nest
    from halocline.language.kernel import Kernel

_AHEAD_LINES = 4  # between the cells computed and those fetched
_FOLLOWED = 8  # streams that processors follow by themselves


def print_source(kernels: Sequence[Kernel]) -> Source:
    """Return one translation unit with one entry point per fused kernel, in order."""
    nests = [lower(kernel) for kernel in kernels]
    entries = entry_names(nests)
    functions = [
        _Function(kernel, nest, entry)
        for kernel, nest, entry in zip(kernels, nests, entries, strict=True)
    ]
    every = [nest for function in functions for nest in function.nests]
    maths = any(_needs_maths(nest) for nest in every)
    parts = [
        heading(nests),
        "#include <stdint.h>\n\n" + ("#include <cmath>\n\n" if maths else ""),
        '#include "kernel_abi.h"\n\n',
        PRELUDE,
        MATHS if any(map(chooses, every)) else "",
        INDEXING if any(map(uses_indices, every)) else "",
        HALVES if any(map(has_halves, every)) else "",
        STREAMING if any(nest.streamed for nest in nests) else "",
        FETCHING if any(function.fetches_rows for function in functions) else "",
        FEEDING if len(every) > len(nests) else "",
        WIDENING if any(widened(nest) for nest in nests) else "",
        *(function.text() for function in functions),
    ]
    return Source("c++", "".join(parts), entries)


def _needs_maths(nest: Nest) -> bool:
    functions = {"abs", "sqrt", "exp", "log", "sin", "cos", "tanh"}
    special = ("inf", "-inf", "nan", "-nan")
    return bool(operations(nest) & functions) or any(
        isinstance(value, Literal) and value.text in special for value in nest.values
    )


class _Function:
    """The text of one kernel.

    Attributes:
        nests: What it and its feeders do.
    """

    def __init__(self, kernel: Kernel, nest: Nest, entry: str) -> None:
        self._nest = nest
        self._entry = entry
        self._row_text = text = RowText(nest)
        new, out = text.names.new, text.out
        self._feeders = FeederTexts(kernel, nest, entry, new)
        self.nests = (nest, *self._feeders.nests)
        kinds = widened(nest)
        self._wide = {key: kinds[key[:2]] for key in text.rows if key[:2] in kinds}
        self._wide_rows = {key: new(f"{text.rows[key]}_wide") for key in self._wide}
        self._target = {key: new(f"{out[key]}_target") for key in nest.streamed}
        self._buffer = {key: new(f"{out[key]}_line") for key in nest.streamed}
        self._next = {
            field: new(f"{field}_next_cell")
            for field in dict.fromkeys(key[0] for key in self._fetched())
        }

    @property
    def fetches_rows(self) -> bool:
        """Whether it reads many rows at once and fetches nothing else ahead."""
        return not self._target and len(self._fetched()) > _FOLLOWED

    def text(self) -> str:
        """Return the function that computes rows and the entry point."""
        body = [
            *self._arguments(),
            "for (int64_t row = part.first; row < part.last; ++row) {",
            "    if (call.spans) {",
            "        const halocline_span& span = call.spans[row];",
            "        lower = span.lower, upper = span.upper, y = span.y, z = span.z;",
            "    }",
            *indented(self._feeders.calls()),
            *indented(self._row_text.fills()),
            *indented(self._strips(self._row()) if self._wide else self._row()),
            *indented(self._row_text.returns()),
            # Counted, not divided: a division a row is the time of a thin box.
            *indented(["if (++y == call.upper[1]) {", "    y = call.lower[1];", "    ++z;", "}"]),
            "}",
            *(["if (may_stream) fence();"] if self._target else []),
        ]
        return self._feeders.functions() + "\n".join(
            [
                summary(self._nest),
                f"static void {self._entry}_rows(const halocline_call& call, const Part& part) {{",
                *folded(indented(body)),
                "}",
                "",
                f'extern "C" void {self._entry}(const halocline_call* call) {{',
                f"    share(*call, {self._entry}_rows);",
                "}",
                "",
                "",
            ]
        )

    def _fetched(self) -> list[Row]:
        """Return the rows to fetch from ahead.

        What is widened has been read already, and rows of cells whose components lie side by side
        are the same stretch of memory.
        """
        return [
            key
            for key in self._row_text.rows
            if key not in self._wide and x_step(self._nest, key[0]) == 1
        ]

    def _arguments(self) -> list[str]:
        lines = [
            *self._row_text.arguments(),
            *self._feeders.rows(),
            "const int64_t height = call.upper[1] - call.lower[1];",
            "int64_t lower = part.lower, upper = part.upper;",
            "int64_t y = call.lower[1] + part.first % height;",
            "int64_t z = call.lower[2] + part.first / height;",
        ]
        for key, name in self._wide_rows.items():
            lower, upper = self._row_text.reach(key)
            count = f"strip {moved(upper - lower)}".strip()
            lines.append(f"alignas(64) {C_TYPES[self._wide[key]]} {name}[{count}];")
        if self._target:
            lines.append(
                f"constexpr int64_t chunk = {self._line()};  // cells in whole cache lines"
            )
            if self._fetched():
                lines.append(f"constexpr int64_t ahead = {_AHEAD_LINES} * chunk;")
            lines += [
                f"alignas(64) {type_of(self._nest, key[0])} {name}[chunk];"
                for key, name in self._buffer.items()
            ]
            lines += [
                "const bool may_stream = call.stream != 0",
                *(f"    && is_aligned<{kind}>({name})" for name, kind in self._streamed_fields()),
            ]
            lines[-1] += ";"
        return lines

    def _streamed_fields(self) -> list[tuple[str, str]]:
        names = dict.fromkeys(field for field, _ in self._target)
        return [(self._row_text.fields[name], type_of(self._nest, name)) for name in names]

    def _line(self) -> int:
        """Return the cells in a cache line of the streamed field with the smallest numbers."""
        dtypes = {field.name: np.dtype(field.dtype) for field in self._nest.fields}
        return 64 // min(dtypes[field].itemsize for field, _ in self._target)

    def _row(self) -> list[str]:
        text = self._row_text
        lines = text.indices("lower")
        for read, name in text.rows.items():
            kind = f"const {type_of(self._nest, read[0])}"
            address = text.read_row(read)
            if read in self._wide:
                kind = f"const {C_TYPES[self._wide[read]]}"
                ends = zip(("lower", "upper"), text.reach(read), strict=True)
                limits = [f"{end} {moved(step)}".strip() for end, step in ends]
                address = f"wide_row({', '.join([self._wide_rows[read], address, *limits])})"
            lines.append(f"{kind}* const {name} = {address};")
        for key, name in text.out.items():
            kind = type_of(self._nest, key[0])
            lines.append(f"{kind}* const {self._target.get(key, name)} = {text.out_row(key)};")
        return lines + (self._chunks() if self._target else [*self._next_rows(), *text.cells()])

    def _next_rows(self) -> list[str]:
        """Fetch the rows that come after these, one after the other."""
        if not self.fetches_rows:
            return []
        rows = [
            f"{self._row_text.rows[key]} + {self._row_text.fields[key[0]]}.y"
            for key in self._fetched()
        ]
        fetches = [f"fetch_row({row}, lower, upper);" for row in rows]
        return ["if (call.fetch != 0) {", *indented(fetches), "}"]

    def _strips(self, body: Sequence[str]) -> list[str]:
        """Print what is done in a row as done in one strip after the other."""
        return [
            "const int64_t row_lower = lower, row_upper = upper;",
            "for (; lower < row_upper; lower = upper) {",
            "    upper = strip_end(lower, row_upper);",
            *indented(body),
            "}",
            "lower = row_lower;",
        ]

    def _chunks(self) -> list[str]:
        """Print the cells as a function, called plainly for the ends of a row or all of it."""
        outputs = ", ".join(
            f"{type_of(self._nest, key[0])}* const {self._row_text.out[key]}"
            for key in self._target
        )
        ends = ", ".join(f"{target} + from" for target in self._target.values())
        chunk = ", ".join(self._buffer.values())
        return [
            f"const auto cells = [&](const int64_t from, const int64_t count, {outputs})",
            "    __attribute__((always_inline)) {",
            *indented(self._row_text.cells(self._target)),
            "};",
            "const bool stream = may_stream && upper - lower >= 2 * chunk;",
            "const int64_t first = stream ? (lower + chunk - 1) & -chunk : upper;",
            "const int64_t last = stream ? upper & -chunk : upper;",
            "for (int end = 0; end < 2; ++end) {",
            "    const int64_t from = end == 0 ? lower : last;",
            "    const int64_t count = (end == 0 ? first : upper) - from;",
            f"    cells(from, count, {ends});",
            "}",
            "for (int64_t from = first; from < last; from += chunk) {",
            f"    cells(from, chunk, {chunk});",
            *indented(self._flush()),
            "}",
        ]

    def _flush(self) -> list[str]:
        """Write one chunk of the results, and between them fetch what comes next."""
        writes = [
            f"store_past_cache<chunk>({target} + from, {self._buffer[key]});"
            for key, target in self._target.items()
        ]
        fetches = [
            f"prefetch<chunk>({self._row_text.rows[key]} + {self._next[key[0]]});"
            for key in self._fetched()
        ]
        lines = [
            f"const int64_t {self._next[field]} = from + ahead < upper ? from + ahead "
            f": from + ahead - (upper - lower) + {self._row_text.fields[field]}.y;"
            for field in self._next
        ]
        done = 0
        for number, write in enumerate(writes):
            until = len(fetches) * (number + 1) // len(writes)
            lines += [*fetches[done:until], write]
            done = until
        return lines
