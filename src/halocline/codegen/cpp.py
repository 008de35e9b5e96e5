"""Print loop nests as readable C++: one function per kernel, over a box given by the caller.

A kernel's rows are shared among threads. Results that the kernel does not read again can be written
past the cache, a line of each stream at a time, between fetches of what is read next: the same
statements serve both ways, so both give the same bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halocline.codegen.expression import C_TYPES, Expressions, moved
from halocline.codegen.lower import IndexValue, Let, Literal, Store, lower
from halocline.codegen.names import CPP_WORDS, Names, entry_names, words
from halocline.codegen.prelude import FETCHING, HALVES, MATHS, PRELUDE, STREAMING, WIDENING
from halocline.codegen.source import Source
from halocline.codegen.text import (
    cast,
    chooses,
    folded,
    has_halves,
    heading,
    indented,
    operations,
    row_address,
    summary,
    type_of,
)
from halocline.codegen.widen import widened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.codegen.lower import Load, Nest
    from halocline.codegen.names import Row
    from halocline.language.kernel import Kernel

_AHEAD_LINES = 4  # between the cells computed and those fetched
_FOLLOWED = 8  # streams that processors follow by themselves
_TAKEN = CPP_WORDS | words(
    "x y z i row call part Part from ahead stream may_stream chunk cells count first last end",
    "std height lower upper span spans span_after share_spans",
    "origin_x origin_y origin_z share row_of is_aligned store_line Line store_past_cache",
    "prefetch fence minimum maximum magnitude Half same_bits widened narrowed",
    "fill_below fill_above bring_home fetch_row",
    "strip strip_end wide_row wide row_lower row_upper",
)


def print_source(kernels: Sequence[Kernel]) -> Source:
    """Return one translation unit with one entry point per fused kernel, in order."""
    nests = [lower(kernel) for kernel in kernels]
    entries = entry_names(nests)
    functions = [_Function(nest, entry) for nest, entry in zip(nests, entries, strict=True)]
    maths = any(_needs_maths(nest) for nest in nests)
    streaming = any(nest.streamed for nest in nests)
    parts = [
        heading(nests),
        "#include <stdint.h>\n\n" + ("#include <cmath>\n\n" if maths else ""),
        '#include "kernel_abi.h"\n\n',
        PRELUDE,
        MATHS if any(map(chooses, nests)) else "",
        HALVES if any(map(has_halves, nests)) else "",
        STREAMING if streaming else "",
        FETCHING if any(function.fetches_rows for function in functions) else "",
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
    """The text of one kernel."""

    def __init__(self, nest: Nest, entry: str) -> None:
        self._nest = nest
        self._entry = entry
        names = Names(nest, _TAKEN)
        self._fields = names.fields
        self._scalars = names.scalars
        self._rows = names.rows
        self._out = names.out
        kinds = widened(nest)
        self._wide = {key: kinds[key[:2]] for key in self._rows if key[:2] in kinds}
        self._wide_rows = {key: names.new(f"{self._rows[key]}_wide") for key in self._wide}
        self._stored_at = {(s.field, s.component): s.offset for s in nest.stores}
        self._target = {key: names.new(f"{self._out[key]}_target") for key in nest.streamed}
        self._buffer = {key: names.new(f"{self._out[key]}_line") for key in nest.streamed}
        self._next = {
            field: names.new(f"{field}_next_cell")
            for field in dict.fromkeys(key[0] for key in self._fetched())
        }
        self._names = names.values()
        self._expressions = Expressions(nest, self._names, self._scalars.__getitem__, self._load)

    @property
    def fetches_rows(self) -> bool:
        """Whether it reads many rows at once and fetches nothing else ahead."""
        return not self._target and len(self._rows) > _FOLLOWED

    def text(self) -> str:
        """Return the function that computes rows and the entry point."""
        body = [
            *self._arguments(),
            "for (int64_t row = part.first; row < part.last; ++row) {",
            "    if (call.spans) {",
            "        const halocline_span& span = call.spans[row];",
            "        lower = span.lower, upper = span.upper, y = span.y, z = span.z;",
            "    }",
            *indented(self._closing(self._fills())),
            *indented(self._strips(self._row()) if self._wide else self._row()),
            *indented(self._closing(self._returns())),
            # Counted, not divided: a division a row is the time of a thin box.
            *indented(["if (++y == call.upper[1]) {", "    y = call.lower[1];", "    ++z;", "}"]),
            "}",
            *(["if (may_stream) fence();"] if self._target else []),
        ]
        return "\n".join(
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

    def _load(self, load: Load) -> str:
        row = self._rows[load.field, load.component, load.offset[1:]]
        return f"{row}[{f'x {moved(load.offset[0])}'.strip()}]"

    def _fetched(self) -> list[Row]:
        """Return the rows to fetch from ahead; what is widened has been read already."""
        return [key for key in self._rows if key not in self._wide]

    def _arguments(self) -> list[str]:
        used = {key[0] for key in (*self._rows, *self._out)}
        lines = [
            f"const halocline_field& {self._fields[field.name]} = call.fields[{number}];"
            for number, field in enumerate(self._nest.fields)
            if field.name in used
        ]
        for value, name in self._scalars.items():
            given = f"call.scalars[{self._nest.scalars.index(value.name)}]"
            number = given if value.type == "float64" else cast(value.type, given)
            lines.append(f"const {C_TYPES[value.type]} {name} = {number};")
        axes = {value.axis for value in self._nest.values if isinstance(value, IndexValue)}
        lines += [f"const int64_t origin_{'xyz'[a]} = call.origin[{a}];" for a in sorted(axes)]
        lines += [
            "const int64_t height = call.upper[1] - call.lower[1];",
            "int64_t lower = part.lower, upper = part.upper;",
            "int64_t y = call.lower[1] + part.first % height;",
            "int64_t z = call.lower[2] + part.first / height;",
        ]
        for key, name in self._wide_rows.items():
            lower, upper = self._reach(key)
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
        return [(self._fields[name], type_of(self._nest, name)) for name in names]

    def _line(self) -> int:
        """Return the cells in a cache line of the streamed field with the smallest numbers."""
        dtypes = {field.name: np.dtype(field.dtype) for field in self._nest.fields}
        return 64 // min(dtypes[field].itemsize for field, _ in self._target)

    def _row(self) -> list[str]:
        lines: list[str] = []
        for read, name in self._rows.items():
            kind = f"const {type_of(self._nest, read[0])}"
            address = self._address(*read, kind)
            if read in self._wide:
                kind = f"const {C_TYPES[self._wide[read]]}"
                ends = zip(("lower", "upper"), self._reach(read), strict=True)
                limits = [f"{end} {moved(step)}".strip() for end, step in ends]
                address = f"wide_row({', '.join([self._wide_rows[read], address, *limits])})"
            lines.append(f"{kind}* const {name} = {address};")
        for key, name in self._out.items():
            kind = type_of(self._nest, key[0])
            address = self._address(*key, self._stored_at[key][1:], kind)
            lines.append(f"{kind}* const {self._target.get(key, name)} = {address};")
        return lines + (self._chunks() if self._target else [*self._next_rows(), *self._cells()])

    def _next_rows(self) -> list[str]:
        """Fetch the rows that come after these, one after the other."""
        if not self.fetches_rows:
            return []
        rows = [f"{self._rows[key]} + {self._fields[key[0]]}.y" for key in self._fetched()]
        fetches = [f"fetch_row({row}, lower, upper);" for row in rows]
        return ["if (call.stream != 0) {", *indented(fetches), "}"]

    def _closing(self, lines: Sequence[str]) -> list[str]:
        """Print what is done only where rows close on themselves."""
        return ["if (call.turn != 0) {", *indented(lines), "}"] if lines else []

    def _fills(self) -> list[str]:
        """Bring to a row what is read beyond its ends."""
        lines = []
        for key in self._rows:
            address = self._address(*key, type_of(self._nest, key[0]))
            first, last = self._reach(key)
            if first < 0:
                lines.append(f"fill_below({address}, lower {moved(first)}, call.turn);")
            if last > 0:
                lines.append(f"fill_above({address}, upper {moved(last)}, call.turn);")
        return lines

    def _returns(self) -> list[str]:
        """Take from a row what is assigned beyond its ends."""
        lines = []
        for (field, component), (x, *others) in self._stored_at.items():
            if x:
                address = self._address(field, component, tuple(others), type_of(self._nest, field))
                ends = f"lower {moved(x)}, upper {moved(x)}"
                lines.append(f"bring_home({address}, {ends}, call.turn);")
        return lines

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

    def _reach(self, row: Row) -> tuple[int, int]:
        """Return the first and the last offset in x at which a row is read."""
        steps = [
            load.offset[0]
            for load in self._nest.loads
            if (load.field, load.component, load.offset[1:]) == row
        ]
        return min(steps), max(steps)

    def _address(self, field: str, component: int, offset: tuple[int, ...], kind: str) -> str:
        return row_address(self._fields[field], component, offset, kind)

    def _chunks(self) -> list[str]:
        """Print the cells as a function, called plainly for the ends of a row or all of it."""
        outputs = ", ".join(
            f"{type_of(self._nest, key[0])}* const {self._out[key]}" for key in self._target
        )
        ends = ", ".join(f"{target} + from" for target in self._target.values())
        chunk = ", ".join(self._buffer.values())
        return [
            f"const auto cells = [&](const int64_t from, const int64_t count, {outputs})",
            "    __attribute__((always_inline)) {",
            *indented(self._cells()),
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
            f"prefetch<chunk>({self._rows[key]} + {self._next[key[0]]});" for key in self._fetched()
        ]
        lines = [
            f"const int64_t {self._next[field]} = from + ahead < upper ? from + ahead "
            f": from + ahead - (upper - lower) + {self._fields[field]}.y;"
            for field in self._next
        ]
        done = 0
        for number, write in enumerate(writes):
            until = len(fetches) * (number + 1) // len(writes)
            lines += [*fetches[done:until], write]
            done = until
        return lines

    def _cells(self) -> list[str]:
        if self._target:
            lines = [
                "#pragma omp simd",
                "for (int64_t i = 0; i < count; ++i) {",
                "    const int64_t x = from + i;",
            ]
        else:
            lines = ["#pragma omp simd", "for (int64_t x = lower; x < upper; ++x) {"]
        for part in self._nest.body:
            match part:
                case Let(value, _):
                    kind = C_TYPES[self._nest.values[value].type]
                    text = self._expressions.text(value)
                    lines.append(f"    const {kind} {self._names[value]} = {text};")
                case Store(field, component, value, offset):
                    here = "i" if (field, component) in self._target else "x"
                    index = f"{here} {moved(offset[0])}".strip()
                    text = self._expressions.name(value)
                    lines.append(f"    {self._out[field, component]}[{index}] = {text};")
        return [*lines, "}"]
