"""Print the prefetches of a row of a kernel as C++.

A kernel that writes whole lines by non-temporal stores, or that reads many rows, goes through its
rows line by line. After each it prefetches what it will read some lines later, unless an earlier
row has brought it to a cache.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from halocline.codegen.expression import moved, scaled
from halocline.codegen.nest import leading
from halocline.codegen.text import indented
from halocline.geometry import AXES

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from halocline.codegen.cpp_row import RowText
    from halocline.codegen.nest import Row

# Prefetching by rows, it is these rows further on: a processor with many prefetches in flight drops
# further ones, so that each row is prefetched several times.
_AHEAD_ROWS = (1, 2, 4)
_FOLLOWED = 8  # streams that processors follow by themselves


class Prefetching:
    """The prefetches of the rows of a nest.

    Args:
        row: The text of its rows.
        is_beside: Whether it does the cells of rows in order, and so prefetches by itself.
        copied: Rows that have been read already.
        streamed: Rows that it writes in whole lines, by non-temporal stores.

    Attributes:
        goes_by_lines: Whether it goes through its rows line by line, and prefetches between lines.
    """

    def __init__(
        self, row: RowText, copied: Collection[Row], *, is_beside: bool, streamed: Sequence[Row]
    ) -> None:
        self._row = row
        self._nest = row.nest
        self._is_beside = is_beside
        every = [key for key in row.rows if key not in copied and row.is_new(key)]
        self.goes_by_lines = bool(streamed) or (not is_beside and len(every) > _FOLLOWED)
        self._leading = leading(self._nest, every) if self.goes_by_lines else []
        fields = dict.fromkeys(key[0] for key in (*self._leading, *streamed))
        new = row.names.new
        self._next = {f: new(f"{f}_next_cell") for f in fields if not self._is_found_late(f)}
        self._offsets = {f: new(f"{f}_offset") for f in self._next}
        has_runs = self._nest.sweep is None and self._nest.planes == 1
        self._to_run = {f: new(f"{f}_offset_to_run") for f in self._next if has_runs}
        self._run = new("next_run")

    @property
    def prefetches_cells(self) -> bool:
        """Whether it prefetches cells that come some lines later, between lines of a row."""
        return bool(self._next)

    @property
    def prefetches(self) -> bool:
        """Whether it prefetches whole lines of any kind."""
        return self._is_beside or bool(self._leading)

    def constants(self) -> list[str]:
        """Print the prefetch distance."""
        if not self._next:
            return []
        return ["const Distance distance = prefetch_distance(part, call.fetch * chunk);"]

    def offsets(self) -> list[str]:
        """Print for each field how far the rows of prefetched cells lie from a row."""
        lines = []
        for field, name in self._offsets.items():
            view, ratio = self._row.fields[field], self._row.ratio
            row, plane = (scaled(f"{view}.{AXES[a]}", ratio(field, a)) for a in (1, 2))
            if self._nest.planes > 1:
                plane = f"{self._nest.planes} * {plane}"
            offsets = f"prefetch_offsets(call, y, distance, {row}, {plane})"
            lines.append(f"const Offsets {name} = {offsets};")
        return lines

    def next_runs(self, targets: Mapping[Row, str]) -> list[str]:
        """Fetch where a run of cells begins that comes as many runs later as lines are.

        Of runs too short to go by lines, as walls across x are, that is all that is used, and no
        processor foresees where it lies.
        """
        if not self._to_run:
            return []
        run, lines = self._run, []
        for field, name in self._to_run.items():
            view, ratio = self._row.fields[field], partial(self._row.ratio, field)
            rows, planes, cells = (
                scaled(steps, ratio(axis))
                for steps, axis in ((f"{run}.y - y", 1), (f"{run}.z - z", 2), (f"{run}.lower", 0))
            )
            offset = f"({rows}) * {view}.y + ({planes}) * {view}.z + {cells}"
            lines.append(f"const int64_t {name} = {offset};")
        for row in self._leading:
            first, _ = self._row.reach(row)
            if row[0] in self._to_run:
                there = f"{self._row.rows[row]} + {self._to_run[row[0]]} {moved(first)}".strip()
                lines.append(f"__builtin_prefetch({there});")
        for row, target in targets.items():
            if row[0] in self._to_run:
                lines.append(f"__builtin_prefetch({target} + {self._to_run[row[0]]}, 1);")
        return [
            "if (call.active_runs && !by_lines && call.fetch != 0",
            "    && row + call.fetch < part.last) {",
            f"    const halocline_active_run& {run} = call.active_runs[row + call.fetch];",
            *("    " + line for line in lines),
            "}",
        ]

    def next_ends(self) -> list[str]:
        """Print the prefetches of what fills a later row beyond its ends, and of the cells there.

        These lie in a cache line of their own. With many streams a row would wait for all these
        lines; with few streams they arrive in time.
        """
        rows = [row for row in self._leading if row[0] in self._next]
        if len(rows) <= _FOLLOWED:
            return []
        lines = []
        for row in rows:
            there = f"{self._row.rows[row]} + {self._offsets[row[0]]}.after"
            wrap = self._in_field("call.wrap", row)
            lines += [f"prefetch_{end}({there}, {wrap});" for end in self._row.filled_ends(row)]
        return ["if (call.wrap != 0 && call.fetch != 0) {", *indented(lines), "}"] if lines else []

    def next_cells(self, lower: str, upper: str) -> list[str]:
        """Print which cells are prefetched after a chunk of the cells [lower, upper)."""
        return [
            f"const int64_t {name} = from + distance.cells < {upper} "
            f"? from + distance.cells + {self._offsets[field]}.here "
            f": from + distance.cells - ({upper} - {lower}) + {self._offsets[field]}.after;"
            for field, name in self._next.items()
        ]

    def next_written(self, row: Row) -> str:
        """Print where in a row the cells lie that are written some chunks later."""
        return self._next.get(row[0], self._in_field("from", row))

    def after_line(self) -> list[str]:
        """Print the prefetches after a chunk."""
        return [line for key in self._leading for line in self._prefetches(key)]

    def _prefetches(self, row: Row) -> list[str]:
        name = self._row.rows[row]
        if not self._is_found_late(row[0]):
            cache = "cache_of_many" if len(self._leading) > _FOLLOWED else "1"
            return [f"prefetch<chunk, {cache}>({name} + {self._next[row[0]]});"]
        cells = self._in_field("chunk", row)
        here = f"{name} + {self._in_field('from', row)}"
        offsets = self._row_offsets(row[0])
        return [f"prefetch<{cells}, 2>({here} {offset});" for offset in offsets]

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

    def _row_offsets(self, field: str) -> list[str]:
        """Print how far some later rows lie away; a sweep along z goes on in other planes."""
        axis = 2 if self._nest.sweep in ((2, 1), (2, -1)) else 1
        stride = f"{self._row.fields[field]}.{'xyz'[axis]}"
        sign = "-" if self._nest.sweep == (axis, -1) else "+"
        steps = [rows * self._row.ratio(field, axis) for rows in _AHEAD_ROWS]
        return [f"{sign} {scaled(stride, step)}" for step in steps]
