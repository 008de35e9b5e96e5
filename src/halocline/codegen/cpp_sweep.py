"""Print what differs in C++ where cells are done in order: columns at once, rows beside."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halocline.codegen.cpp_row import RowText
from halocline.codegen.expression import moved, scaled
from halocline.codegen.text import at, indented, type_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from halocline.codegen.cpp_inlined import InlinedCalls
    from halocline.codegen.nest import IndexValue, Load, Nest, Row, Store

# What columns carry from cell to cell while they are done [bytes].
_CARRIED = 1 << 16
_LINE = 64  # bytes
# Prefetch distances in groups of rows: each is prefetched repeatedly, as in 'cpp_prefetching.py'.
_AHEAD = (1, 2)


def columns_at_once(nest: Nest) -> int:
    """Return of how many columns what is carried stays in a near cache."""
    assert nest.sweep is not None
    axis, _ = nest.sweep
    carried = {row[:2] for row in (store.row for store in nest.stores)}
    fields = [nest.field(field) for field, _ in carried]
    size = sum(np.dtype(f.dtype).itemsize for f in fields if f.ratio_along(axis) == 0)
    return max(64, _CARRIED // max(8, size) // 64 * 64)


class RowsBeside(RowText):
    """The text of a sweep along x, in as many rows beside each other as 'rows' says.

    'beside' is the number of one of them. What they read and assign is turned piece by piece, so
    that vectors hold one cell of each; what is no whole row stays where it is. What rows have one
    of, as a carry, is taken once.
    """

    def __init__(self, nest: Nest) -> None:
        super().__init__(nest)
        new = self.names.new
        used = dict.fromkeys(row[0] for row in (*self.rows, *self.out))
        self._steps = {field: new(f"{field}_step") for field in used}
        singles = [row for row in (*self.rows, *self.out) if self.ratio(row[0]) == 0]
        self._singles = {row: new(f"{row[0]}_{row[1]}_each") for row in dict.fromkeys(singles)}
        self._turned_rows = {
            row: new(f"{name}_turned")
            for row, name in self.rows.items()
            if row not in self._singles and nest.field(row[0]).x_step == 1
        }
        self._turned_out = {
            row: new(f"{self.out[row]}_turned") for row in self.out if row in nest.whole_rows
        }
        turned = (*self._turned_rows.values(), *self._turned_out.values())
        self._memory = {name: new(f"{name}_memory") for name in turned}

    def load(self, load: Load) -> str:
        """Print a value in memory."""
        return self._place(load, "x", self._turned_rows, self.rows)

    def target(self, store: Store, here: str) -> str:
        """Print where a value of the cell that is 'here' in its row is stored."""
        return self._place(store, here, self._turned_out, self.out)

    def index(self, index: IndexValue) -> str:
        """Print the index of a cell."""
        if self._is_named(index):
            return super().index(index)
        cell = f"y + beside + call.origin[1] {moved(index.offset)}".strip()
        return f"wrapped({cell}, call.period[1])"

    def arguments(self) -> list[str]:
        """Print what a call gives, how far rows are apart, and memory for what is turned."""
        lines = super().arguments()
        for field, name in self._steps.items():
            step = scaled(f"{self.fields[field]}.y", self.ratio(field, 1))
            lines.append(f"const int64_t {name} = {step};")
        lines.append(f"constexpr int64_t piece = {self._piece()};  // cells turned at once")
        for row, name in self._singles.items():
            lines.append(f"alignas(64) {type_of(self.nest, row[0])} {name}[lanes];")
        for row, name in (*self._turned_rows.items(), *self._turned_out.items()):
            first, last = self._ends(row) if name in self._turned_rows.values() else (0, 0)
            count = scaled("piece", self.ratio(row[0]), last - first)
            count = count if count.isidentifier() else f"({count})"
            kind = type_of(self.nest, row[0])
            lines.append(f"alignas(64) {kind} {self._memory[name]}[{count} * lanes];")
        return lines

    def lines(self, inlined: InlinedCalls) -> list[str]:
        """Print what is done in the rows of a part."""
        assert self.nest.sweep is not None
        if self.nest.sweep[1] > 0:
            pieces = "int64_t first = lower, last; first < upper; first = last"
            end = "last = lesser((first & -piece) + piece, upper);"
            along = "x = first; x < last; ++x"
        else:
            pieces = "int64_t last = upper, first; last > lower; last = first"
            end = "first = greater((last - 1) & -piece, lower);"
            along = "x = last - 1; x >= first; --x"
        return [
            "for (int64_t row = part.first, rows = 0; row < part.last; row += rows) {",
            "    rows = lesser(lanes, lesser(part.last - row, call.upper[1] - y));",
            *indented(_each([*inlined.calls(), *self.fills()])),
            *indented(self.indices("lower")),
            *indented(self.reads().values()),
            *indented(self._writes()),
            *indented(self._take_singles()),
            f"    for ({pieces}) {{",
            f"        {end}",
            *indented(indented(self._turn())),
            "        const auto cells = [&](const int64_t count) __attribute__((always_inline)) {",
            f"            for (int64_t {along}) {{",
            *indented(indented(indented(indented(self._prefetches())))),
            "#pragma omp simd",
            "                for (int64_t beside = 0; beside < count; ++beside) {",
            *indented(indented(indented(indented(indented(self.cell()))))),
            "                }",
            "            }",
            "        };",
            "        if (rows == lanes) {",
            "            cells(lanes);",
            "        } else {",
            "            cells(rows);",
            "        }",
            *indented(indented(self._turn_back())),
            "    }",
            *indented(self._return_singles()),
            *indented(_each(self.returns())),
            "    if ((y += rows) == call.upper[1]) {",
            "        y = call.lower[1];",
            "        ++z;",
            "    }",
            "}",
        ]

    def _is_named(self, index: IndexValue) -> bool:
        return index.axis != 1

    def _is_one_value(self, row: Row) -> bool:
        return False  # rows beside each other have one each

    def _place(
        self, part: Load | Store, here: str, turned: Mapping[Row, str], rows: Mapping[Row, str]
    ) -> str:
        """Print where a value of the row 'beside' is: in its lane, or else in memory."""
        if single := self._singles.get(part.row):
            return f"{single}[beside]"
        cell = scaled(here, self.ratio(part.field), part.offset[0])
        if name := turned.get(part.row):
            return f"{name}[{cell if cell.isidentifier() else f'({cell})'} * lanes + beside]"
        step = self._steps[part.field]
        return f"{rows[part.row]}[{at(self.nest, part.field, cell)} + beside * {step}]"

    def _ends(self, row: Row) -> tuple[int, int]:
        """Return how far beyond the ends of a piece a row is read."""
        first, last = self.reach(row)
        return min(first, 0), max(0, last - self.ratio(row[0]) + 1)

    def _piece(self) -> int:
        """Return how many cells are whole lines of all rows that are turned back."""
        rows = self._turned_out or self._turned_rows
        sizes = [np.dtype(self.nest.field(row[0]).dtype).itemsize for row in rows]
        return _LINE // min(sizes, default=_LINE)

    def _writes(self) -> list[str]:
        return [
            f"{type_of(self.nest, row[0])}* const {name} = {self.out_row(row)};"
            for row, name in self.out.items()
        ]

    def _take_singles(self) -> list[str]:
        return [
            f"take_each({name}, {self.rows[row]}, {self._steps[row[0]]}, rows);"
            for row, name in self._singles.items()
            if row in self.rows
        ]

    def _return_singles(self) -> list[str]:
        return [
            f"return_each({self.out[row]}, {name}, {self._steps[row[0]]}, rows);"
            for row, name in self._singles.items()
            if row in self.out
        ]

    def _turn(self) -> list[str]:
        lines = []
        for row, name in self._turned_rows.items():
            kind, ratio = type_of(self.nest, row[0]), self.ratio(row[0])
            first, last = (
                scaled(end, ratio, step)
                for end, step in zip(("first", "last"), self._ends(row), strict=True)
            )
            given = f"{self._memory[name]}, {self.rows[row]}, {self._steps[row[0]]}"
            lines.append(f"const {kind}* const {name} = turn({given}, rows, {first}, {last});")
        for row, name in self._turned_out.items():
            start = scaled("first", self.ratio(row[0]))
            address = f"{self._memory[name]} - {start} * lanes"
            lines.append(f"{type_of(self.nest, row[0])}* const {name} = {address};")
        return lines

    def _turn_back(self) -> list[str]:
        lines = []
        for row, name in self._turned_out.items():
            first, last = (scaled(end, self.ratio(row[0])) for end in ("first", "last"))
            way = "may_stream" if row in self.nest.streamed else "false"
            given = f"{self.out[row]}, {name}, {self._steps[row[0]]}, rows, {first}, {last}, {way}"
            lines.append(f"turn_back({given});")
        return lines

    def _prefetches(self) -> list[str]:
        """Print how each cell prefetches its share of a piece of the rows that come after these."""
        rows = {row: name for row, name in self.rows.items() if self.is_new(row)}
        stored = {row: self.out[row] for row in self.out if self.is_new(row)}
        rows |= {row: name for row, name in stored.items() if row not in self.nest.streamed}
        lines = []
        for row, name in rows.items():
            ratio, step = self.ratio(row[0]), self._steps[row[0]]
            start = f"{name} + {scaled('first', ratio)}"
            count = scaled("piece", ratio)
            lines += [
                f"prefetch<{count}, 2>({start} + (beside + {ahead} * lanes) * {step});"
                for ahead in _AHEAD
            ]
        if not lines:
            return []
        return [
            "if (call.stream != 0) {",
            "    const int64_t end = (x - first + 1) * lanes / piece;",
            "    for (int64_t beside = (x - first) * lanes / piece; beside < end; ++beside) {",
            *indented(indented(lines)),
            "    }",
            "}",
        ]


def _each(lines: Sequence[str]) -> list[str]:
    """Print what is done in each of the rows."""
    if not lines:
        return []
    return [
        "for (int64_t beside = 0; beside < rows; ++beside, ++y) {",
        *indented(lines),
        "}",
        "y -= rows;",
    ]
