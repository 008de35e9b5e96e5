"""Print what differs in C++ where cells are done in order: columns at once, rows beside."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halocline.codegen.expression import scaled
from halocline.codegen.text import indented, type_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.codegen.cpp_producers import ProducerTexts
    from halocline.codegen.cpp_row import RowText
    from halocline.codegen.nest import Nest

# What columns carry from cell to cell while they are done [bytes].
_CARRIED = 1 << 16
# Rows beside each other, each of which waits for its own cell before: together none waits.
_ROWS = 4
_LINE = 64  # bytes

SWEEPING = """\
namespace {

inline int64_t lesser(int64_t a, int64_t b) {
    return a < b ? a : b;
}

inline int64_t greater(int64_t a, int64_t b) {
    return a < b ? b : a;
}

// How many parts of at most so many make up a whole.
inline int64_t parts_of(int64_t whole, int64_t part) {
    return (whole + part - 1) / part;
}

// Computes a sweep along an axis on the threads of a call: each column as a whole, by one thread.
// What columns pass on from cell to cell should stay in a near cache: so many columns are done at
// once. They are cut where cache lines begin.
template <int axis, int64_t columns>
inline void share_columns(const halocline_call& call, Compute compute) {
    constexpr int other = axis == 1 ? 2 : 1;
    const int64_t width = call.upper[0] - call.lower[0];
    const int64_t height = call.upper[1] - call.lower[1];
    const int64_t depth = call.upper[2] - call.lower[2];
    if (width <= 0 || height <= 0 || depth <= 0) return;
    const int64_t threads = greater(call.threads, 1);
    if (axis == 0) {
        halocline_call rows = call;
        rows.threads = static_cast<int32_t>(lesser(height * depth, threads));
        return share(rows, compute);
    }
    const int64_t count = axis == 1 ? depth : height;
    const int64_t cuts = greater(parts_of(width, columns), parts_of(threads, count));
    const int64_t cut = parts_of(parts_of(width, cuts), 64) * 64;
    const int64_t before = call.lower[0] & 63;
    const int64_t across = parts_of(before + width, cut);
    // Rows side by side are one stretch of memory; along y they follow each other in any case.
    const int64_t beside = axis == 1 ? 1
                         : lesser(greater(columns / width, 1), parts_of(count, threads));
    const int64_t pieces = parts_of(count, beside);
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int64_t i = 0; i < across * pieces; ++i) {
        halocline_call piece = call;
        const int64_t x = call.lower[0] - before + i % across * cut;
        const int64_t first = call.lower[other] + i / across * beside;
        piece.lower[0] = greater(x, call.lower[0]);
        piece.upper[0] = lesser(x + cut, call.upper[0]);
        piece.lower[other] = first;
        piece.upper[other] = lesser(first + beside, call.upper[other]);
        const int64_t rows = (piece.upper[1] - piece.lower[1]) * (piece.upper[2] - piece.lower[2]);
        compute(piece, {0, rows, piece.lower[0], piece.upper[0]});
    }
}

}  // namespace

"""


def columns_at_once(nest: Nest) -> int:
    """Return of how many columns what is carried stays in a near cache."""
    assert nest.sweep is not None
    axis, _ = nest.sweep
    carried = {row[:2] for row in (store.row for store in nest.stores)}
    fields = [nest.field(field) for field, _ in carried]
    size = sum(np.dtype(f.dtype).itemsize for f in fields if f.ratio_along(axis) == 0)
    return max(64, _CARRIED // max(8, size) // 64 * 64)


def rows_beside(text: RowText, producers: ProducerTexts) -> list[str]:
    """Print the rows of a sweep along x, some beside each other at once."""
    assert text.nest.sweep is not None
    is_up = text.nest.sweep[1] > 0
    along = "x = lower; x < upper; ++x" if is_up else "x = upper - 1; x >= lower; --x"
    writes = (
        f"{type_of(text.nest, row[0])}* const {name} = {text.out_row(row)};"
        for row, name in text.out.items()
    )
    return [
        "for (int64_t row = part.first, rows = 0; row < part.last; row += rows) {",
        f"    rows = lesser({_ROWS}, lesser(part.last - row, call.upper[1] - y));",
        *indented(_each([*producers.calls(), *text.fills()])),
        *indented(text.indices("lower")),
        *indented(text.reads().values()),
        *indented(writes),
        "    const auto cells = [&](const int64_t count) __attribute__((always_inline)) {",
        f"        for (int64_t {along}) {{",
        *indented(indented(indented(_fetches(text)))),
        "            for (int64_t beside = 0; beside < count; ++beside) {",
        *indented(indented(indented(indented(text.cell())))),
        "            }",
        "        }",
        "    };",
        f"    if (rows == {_ROWS}) {{",
        f"        cells({_ROWS});",
        "    } else {",
        "        cells(rows);",
        "    }",
        *indented(_each(text.returns())),
        "    if ((y += rows) == call.upper[1]) {",
        "        y = call.lower[1];",
        "        ++z;",
        "    }",
        "}",
    ]


def _fetches(text: RowText) -> list[str]:
    """Print how lines of the rows that come after these are fetched: processors follow too few."""
    rows = {**dict.fromkeys(text.rows, ""), **dict.fromkeys(text.out, ", 1")}
    fields = {row: text.nest.field(row[0]) for row in rows if text.is_new(row)}
    if not fields:
        return []
    cells = _LINE // max(np.dtype(field.dtype).itemsize for field in fields.values())
    names = {**text.rows, **text.out}
    lines = []
    for row, field in fields.items():
        ratio, step = field.ratio_along(0), text.steps[field.name]
        lines.append(
            f"fetch_rows_to_come<{cells * ratio}{rows[row]}>"
            f"({names[row]} + {scaled('x', ratio)} + beside * {step});"
        )
    return [
        f"if (call.stream != 0 && x % {cells} == 0) {{",
        "    for (int64_t beside = rows; beside < 2 * rows; ++beside) {",
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
