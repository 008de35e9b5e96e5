"""What a generated C++ function does in one row: its names, addresses, cells and closed ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.codegen.expression import C_TYPES, Expressions, moved
from halocline.codegen.lower import place
from halocline.codegen.names import CPP_WORDS, Names, words
from halocline.codegen.nest import IndexValue
from halocline.codegen.text import at, cast, cell_lines, constant_lines, indented, type_of, x_step

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from halocline.codegen.names import Row
    from halocline.codegen.nest import Load, Nest, Store

_TAKEN = CPP_WORDS | words(
    "x y z i row call part Part from ahead stream may_stream chunk cells count first last end",
    "std height lower upper span spans span_after share_spans",
    "period wrapped wrapped_on share row_of is_aligned store_line Line store_past_cache",
    "prefetch fence minimum maximum magnitude Half same_bits widened narrowed",
    "fill_below fill_above bring_home fetch_row feed",
    "strip strip_end wide_row wide row_lower row_upper",
)


class RowText:
    """The text of one nest in the cells [lower, upper) of the row (y, z)."""

    def __init__(self, nest: Nest) -> None:
        self.nest = nest
        self.names = Names(nest, _TAKEN)
        self.fields = self.names.fields
        self.rows = self.names.rows
        self.out = self.names.out
        self._values = self.names.values()
        self._scalars = self.names.scalars
        self._stored_at = {(s.field, s.component): s.offset for s in nest.stores}
        self._indices = {
            value: self.names.new(f"index_{place('xyz'[value.axis], value.offset)}")
            for value in nest.values
            if isinstance(value, IndexValue)
        }
        self._expressions = Expressions(
            nest, self._values, self._scalars.__getitem__, self.load, self._index
        )

    def load(self, load: Load) -> str:
        """Print a value in memory."""
        row = self.rows[load.field, load.component, load.offset[1:]]
        cell = f"x {moved(load.offset[0])}".strip()
        return f"{row}[{at(self.nest, load.field, cell)}]"

    def arguments(self) -> list[str]:
        """Print what a call gives: fields, scalars, where the block lies."""
        used = {key[0] for key in (*self.rows, *self.out)}
        lines = [
            f"const halocline_field& {self.fields[field.name]} = call.fields[{number}];"
            for number, field in enumerate(self.nest.fields)
            if field.name in used
        ]
        for value, name in self._scalars.items():
            given = f"call.scalars[{self.nest.scalars.index(value.name)}]"
            number = given if value.type == "float64" else cast(value.type, given)
            lines.append(f"const {C_TYPES[value.type]} {name} = {number};")
        return lines + constant_lines(self.nest, self._values, self._expressions)

    def indices(self, first: str) -> list[str]:
        """Print the indices of a row's cells along y and z, and along x how far beyond x they are.

        Args:
            first: The first of its cells.
        """
        lines = []
        for value, name in self._indices.items():
            axis, offset = value.axis, value.offset
            cell = first if axis == 0 else "xyz"[axis]
            index = f"{cell} + call.origin[{axis}] {moved(offset)}".strip()
            less = f" - {first}" if axis == 0 else ""
            lines.append(f"const int64_t {name} = wrapped({index}, call.period[{axis}]){less};")
        if any(value.axis == 0 for value in self._indices):
            lines.append("const int64_t period = call.period[0] ? call.period[0] : INT64_MAX;")
        return lines

    def _index(self, index: IndexValue) -> str:
        name = self._indices[index]
        return name if index.axis else f"wrapped_on(x + {name}, period)"

    def read_row(self, row: Row) -> str:
        """Print the address of a row that is read."""
        return self._address(*row, f"const {type_of(self.nest, row[0])}")

    def out_row(self, key: tuple[str, int]) -> str:
        """Print the address of a row that is written."""
        return self._address(*key, self._stored_at[key][1:], type_of(self.nest, key[0]))

    def reach(self, row: Row) -> tuple[int, int]:
        """Return the first and the last offset in x at which a row is read."""
        steps = [
            load.offset[0]
            for load in self.nest.loads
            if (load.field, load.component, load.offset[1:]) == row
        ]
        return min(steps), max(steps)

    def fills(self) -> list[str]:
        """Bring to a row what is read beyond its ends."""
        lines = []
        for key in self.rows:
            address = self._address(*key, type_of(self.nest, key[0]))
            step = x_step(self.nest, key[0])
            first, last = self.reach(key)
            if first < 0:
                start = f"lower {moved(first)}"
                lines.append(f"fill_below<{step}>({address}, {start}, call.turn);")
            if last > 0:
                end = f"upper {moved(last)}"
                lines.append(f"fill_above<{step}>({address}, {end}, call.turn);")
        return _closing(lines)

    def returns(self) -> list[str]:
        """Take from a row what is assigned beyond its ends."""
        lines = []
        for (field, component), (x, *others) in self._stored_at.items():
            if x:
                address = self._address(field, component, tuple(others), type_of(self.nest, field))
                ends = f"lower {moved(x)}, upper {moved(x)}"
                step = x_step(self.nest, field)
                lines.append(f"bring_home<{step}>({address}, {ends}, call.turn);")
        return _closing(lines)

    def cells(self, buffered: Collection[tuple[str, int]] = ()) -> list[str]:
        """Print the loop over the cells; what is buffered counts from the first of 'count'."""
        lines = ["#pragma omp simd", "for (int64_t x = lower; x < upper; ++x) {"]
        if buffered:
            lines = [
                "#pragma omp simd",
                "for (int64_t i = 0; i < count; ++i) {",
                "    const int64_t x = from + i;",
            ]
        return [*lines, *indented(self.cell(buffered)), "}"]

    def cell(self, buffered: Collection[tuple[str, int]] = ()) -> list[str]:
        """Print what is done in the cell x."""

        def target(store: Store) -> str:
            here = "i" if (store.field, store.component) in buffered else "x"
            cell = f"{here} {moved(store.offset[0])}".strip()
            return f"{self.out[store.field, store.component]}[{at(self.nest, store.field, cell)}]"

        return cell_lines(self.nest, self._values, self._expressions, target)

    def _address(self, field: str, component: int, offset: tuple[int, ...], kind: str) -> str:
        """Return the address of cell x = 0 in a row."""
        steps = zip("yz", (*offset, 0, 0), strict=False)
        y, z = (f"{axis} {moved(step)}".strip() for axis, step in steps)
        return f"row_of<{kind}>({self.fields[field]}, {component}, {y}, {z})"


def _closing(lines: Sequence[str]) -> list[str]:
    """Print what is done only where rows close on themselves."""
    return ["if (call.turn != 0) {", *indented(lines), "}"] if lines else []
