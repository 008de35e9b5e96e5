"""Print what a row of a kernel fetches ahead, as C++.

A kernel that writes whole lines past the cache fetches between them what it reads next; one that
does not, but reads many rows, fetches its next rows at once. Only what no earlier row has brought
to a cache is fetched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.codegen.expression import scaled
from halocline.codegen.nest import leading
from halocline.codegen.text import indented
from halocline.geometry import AXES, VOLUME

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from halocline.codegen.cpp_row import RowText
    from halocline.codegen.nest import Row

# Cache lines between the cells computed and those fetched: of all rows together, and of each.
_AHEAD_LINES, _LEAST_AHEAD = 32, 4
# The same where rows are fetched: a processor with many fetches at work drops further ones, so that
# each row is fetched several times.
_AHEAD_ROWS = (1, 2, 4)
_FOLLOWED = 8  # streams that processors follow by themselves


class Fetching:
    """What is fetched for the rows of a nest.

    Args:
        row: The text of its rows.
        is_beside: Whether it does the cells of rows in order, and so fetches by itself.
        copied: Rows that have been read already.
        streamed: Rows that it writes in whole lines, past the cache.
    """

    def __init__(
        self, row: RowText, copied: Collection[Row], *, is_beside: bool, streamed: Sequence[Row]
    ) -> None:
        self._row = row
        self._nest = row.nest
        self._is_beside = is_beside
        self._every = [key for key in row.rows if key not in copied and row.is_new(key)]
        self._leading = leading(self._nest, self._every) if streamed else []
        fields = dict.fromkeys(key[0] for key in (*self._leading, *streamed))
        new = row.names.new
        self._next = {f: new(f"{f}_next_cell") for f in fields if not self._is_found_late(f)}
        self.fetches_rows = not streamed and len(self._every) > _FOLLOWED
        followed = [key[0] for key in self._every] if self.fetches_rows else self._next
        self._to_next_row = {f: new(f"{f}_next_row") for f in dict.fromkeys(followed)}

    @property
    def fetches_rows_to_come(self) -> bool:
        """Whether it fetches cells of later rows, between whole lines that it writes or reads."""
        return self._is_beside or any(self._is_found_late(key[0]) for key in self._leading)

    def constants(self) -> list[str]:
        """Print how many cells ahead each row is fetched: the fewer rows, the more."""
        if not self._next:
            return []
        lines = max(_LEAST_AHEAD, _AHEAD_LINES // max(1, len(self._leading)))
        return [f"constexpr int64_t ahead = {lines} * chunk;"]

    def ways_to_next_row(self) -> list[str]:
        """Print the way from a row of each field that is fetched to that of the next row of cells.

        After the last row of a plane that is the first one of the next plane.
        """
        lines = []
        for field, name in self._to_next_row.items():
            view, ratio = self._row.fields[field], self._row.ratio
            row, plane = (scaled(f"{view}.{AXES[a]}", ratio(field, a)) for a in (1, 2))
            if self._nest.dimensions == VOLUME:
                way = plane if self._nest.planes == 1 else f"{self._nest.planes} * {plane}"
                row = f"y + 1 < call.upper[1] ? {row} : {way} - (height - 1) * {row}"
            lines.append(f"const int64_t {name} = {row};")
        return lines

    def next_rows(self) -> list[str]:
        """Fetch the rows that come after these, one after the other."""
        if not self.fetches_rows:
            return []
        fetches = [
            f"fetch_row({self._row.rows[key]} + {self._to_next_row[key[0]]}, "
            f"{self._in_field('lower', key)}, {self._in_field('upper', key)});"
            for key in self._every
        ]
        return ["if (call.fetch != 0) {", *indented(fetches), "}"]

    def next_cells(self, lower: str, upper: str) -> list[str]:
        """Print where the cells lie that are fetched after a chunk of the cells [lower, upper)."""
        return [
            f"const int64_t {name} = from + ahead < {upper} ? from + ahead "
            f": from + ahead - ({upper} - {lower}) + {self._to_next_row[field]};"
            for field, name in self._next.items()
        ]

    def next_written(self, row: Row) -> str:
        """Print where in a row the cells lie that are written some chunks later."""
        return self._next.get(row[0], self._in_field("from", row))

    def between_lines(self) -> list[str]:
        """Fetch what comes next, after a chunk."""
        return [fetch for key in self._leading for fetch in self._fetches(key)]

    def _fetches(self, row: Row) -> list[str]:
        name = self._row.rows[row]
        if not self._is_found_late(row[0]):
            return [f"prefetch<chunk>({name} + {self._next[row[0]]});"]
        cells = self._in_field("chunk", row)
        here = f"{name} + {self._in_field('from', row)}"
        ways = self._to_rows_to_come(row[0])
        return [f"fetch_rows_to_come<{cells}>({here} {way});" for way in ways]

    def _in_field(self, cells: str, row: Row) -> str:
        """Print a number of cells, or a place in a row, as one of the row's field."""
        return scaled(cells, self._row.ratio(row[0]))

    def _is_found_late(self, field: str) -> bool:
        """Return whether processors follow the rows of a field too late by themselves.

        Of finer fields many are read beside each other; those of some sweeps do not follow each
        other in memory.
        """
        is_finer = max(self._row.ratio(field, axis) for axis in (0, 1)) > 1
        return is_finer or self._nest.sweep not in (None, (1, 1))

    def _to_rows_to_come(self, field: str) -> list[str]:
        """Print the ways to some rows to come; a sweep along z goes on in other planes."""
        axis = 2 if self._nest.sweep in ((2, 1), (2, -1)) else 1
        stride = f"{self._row.fields[field]}.{'xyz'[axis]}"
        sign = "-" if self._nest.sweep == (axis, -1) else "+"
        steps = [rows * self._row.ratio(field, axis) for rows in _AHEAD_ROWS]
        return [f"{sign} {scaled(stride, step)}" for step in steps]
