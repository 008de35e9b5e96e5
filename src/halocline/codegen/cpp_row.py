"""What a generated C++ function does in one row: its names, addresses, cells and closed ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.codegen.expression import C_TYPES, Expressions, moved, scaled
from halocline.codegen.halves import computed_in_floats, half_rows
from halocline.codegen.lower import place
from halocline.codegen.names import CPP_WORDS, Names, words
from halocline.codegen.nest import IndexValue
from halocline.codegen.prelude_division import NAMES
from halocline.codegen.text import at, cast, cell_lines, constant_lines, indented, type_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from halocline.codegen.nest import Load, Nest, Row, ScalarValue, Store

_RESERVED = CPP_WORDS | words(
    "x y z i row call part Part from distance may_stream chunk cells count first last end",
    "elementary height lower upper run active_runs active_run_after share_active_runs",
    "plane period wrapped wrapped_on share row_of is_aligned store_line Line store_lines",
    "non_temporal prefetch cache_of_many fence minimum maximum magnitude Half same_bits",
    "widened narrowed rounded lesser greater parts_of",
    "fill_below fill_above prefetch_below prefetch_above wrap_back by_lines Distance Offsets",
    "run_inlined",
    "prefetch_distance prefetch_offsets",
    "Eight EightAnywhere EightWords Fold begun fold_eight fold_values pass_values",
    "strip strip_end wide_row wide row_lower row_upper",
    "widen_cells narrow_cells most_lanes Vectors compute at lane done",
    "is_narrow share_narrow longest_axis cell_of axis other cell",
    NAMES,
    "share_columns rows beside lanes piece turn turn_back take_each return_each square",
)


class RowText:
    """The text of one nest in the cells [lower, upper) of the row (y, z).

    Attributes:
        nest: The nest.
        names: All names in it, 'fields', 'rows', 'out' and 'values' among them.
    """

    def __init__(self, nest: Nest) -> None:
        self.nest = nest
        self.names = Names(nest, _RESERVED)
        self.fields = self.names.fields
        self.rows = self.names.rows
        self.out = self.names.out
        self.values = self.names.values()
        self._scalars = self.names.scalars
        self._indices = {
            value: self.names.new(f"index_{place('xyz'[value.axis], value.offset)}")
            for value in nest.values
            if isinstance(value, IndexValue) and self._is_named(value)
        }
        self._expressions = self.expressions(self.load)
        self._halves = (
            CellsOfHalves(self, self.values, self._scalars.__getitem__) if half_rows(nest) else None
        )

    def expressions(self, load: Callable[[Load], str]) -> Expressions:
        """Return what prints values; 'load' prints a value in memory."""
        return Expressions(self.nest, self.values, self._scalars.__getitem__, load, self.index)

    def ratio(self, field: str, axis: int = 0) -> int:
        """Return how many cells of a field a cell of the kernel spans along an axis."""
        return self.nest.field(field).ratio_along(axis)

    def load(self, load: Load) -> str:
        """Print a value in memory."""
        name = self.rows[load.row]
        if self._is_one_value(load.row):
            return name
        cell = scaled("x", self.ratio(load.field), load.offset[0])
        return f"{name}[{at(self.nest, load.field, cell)}]"

    def arguments(self) -> list[str]:
        """Print what a call gives: fields, scalars, where the block lies."""
        used = {key[0] for key in (*self.rows, *self.out)}
        lines = [
            f"const halocline_field& {self.fields[field.name]} = call.fields[{number}];"
            for number, field in enumerate(f for f in self.nest.fields if not f.is_reduced)
            if field.name in used
        ]
        for value, name in self._scalars.items():
            given = f"call.scalars[{self.nest.scalars.index(value.name)}]"
            number = given if value.type == "float64" else cast(value.type, given)
            lines.append(f"const {C_TYPES[value.type]} {name} = {number};")
        return lines + constant_lines(self.nest, self.values, self._expressions)

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

    def index(self, index: IndexValue) -> str:
        """Print the index of a cell."""
        name = self._indices[index]
        return name if index.axis else f"wrapped_on(x + {name}, period)"

    def _is_named(self, index: IndexValue) -> bool:
        """Return whether 'indices' gives a name to what an index is made of."""
        del index
        return True

    def reads(self) -> dict[Row, str]:
        """Print the rows that are read."""
        return {row: self._read(row, name) for row, name in self.rows.items()}

    def _read(self, row: Row, name: str) -> str:
        kind = f"const {type_of(self.nest, row[0])}"
        if self._is_one_value(row):
            return f"{kind} {name} = {self.read_row(row)}[0];"
        return f"{kind}* const {name} = {self.read_row(row)};"

    def _is_one_value(self, row: Row) -> bool:
        """Return whether all cells of a row read one value, which is loaded once."""
        return self.ratio(row[0]) == 0 and row not in self.out

    def read_row(self, row: Row) -> str:
        """Print the address of a row that is read."""
        return self._address(row, f"const {type_of(self.nest, row[0])}")

    def out_row(self, row: Row) -> str:
        """Print the address of a row that is written."""
        return self._address(row, type_of(self.nest, row[0]))

    def reach(self, row: Row) -> tuple[int, int]:
        """Return the first and the last offset in x at which a row is read."""
        steps = [load.offset[0] for load in self.nest.loads if load.row == row]
        return min(steps), max(steps)

    def is_new(self, row: Row) -> bool:
        """Return whether no other row brings it to the cache.

        Those of cells whose components lie side by side are one stretch of memory, and what lacks
        an axis is used again and again.
        """
        field = self.nest.field(row[0])
        return field.x_step == 1 and 0 not in field.ratio

    def fills(self) -> list[str]:
        """Bring to a row what is read beyond its ends."""
        lines = []
        for row in self.rows:
            address = self._address(row, type_of(self.nest, row[0]))
            step, ratio = self.nest.field(row[0]).x_step, self.ratio(row[0])
            wrap = scaled("call.wrap", ratio)
            for end, until in self.filled_ends(row).items():
                lines.append(f"fill_{end}<{step}>({address}, {until}, {wrap});")
        return _closing(lines)

    def filled_ends(self, row: Row) -> dict[str, str]:
        """Return the ends beyond which a row is read, and until which of its cells, as C++."""
        ratio, (first, last) = self.ratio(row[0]), self.reach(row)
        ends = {}
        if first < 0:
            ends["below"] = scaled("lower", ratio, first)
        if ratio and last >= ratio:
            ends["above"] = scaled("upper", ratio, last - ratio + 1)
        return ends

    def returns(self) -> list[str]:
        """Take from a row what is assigned beyond its ends."""
        lines = []
        for store in self.nest.stores:
            field = self.nest.field(store.field)
            # The children at one place in their cells: a row with as many cells as the kernel's.
            cells, child = (offset[0] for offset in field.parted(store.offset))
            if cells:
                address = self._address(store.row, type_of(self.nest, store.field))
                ends = f"lower {moved(cells)}, upper {moved(cells)}"
                start = f"{address} {moved(child * field.x_step)}".strip()
                step = field.x_step * self.ratio(store.field)
                lines.append(f"wrap_back<{step}>({start}, {ends}, call.wrap);")
        return _closing(lines)

    def cells(self) -> list[str]:
        """Print the loop over the cells."""
        if self._halves:
            return ["const int64_t from = lower, count = upper - lower;", *self._halves.lines(())]
        loop = "for (int64_t x = lower; x < upper; ++x) {"
        return ["#pragma omp simd", loop, *indented(self.cell()), "}"]

    def some_cells(self, buffered: Collection[Row]) -> list[str]:
        """Print the loop over 'count' cells from a first one; what is buffered counts from that."""
        if self._halves:
            return self._halves.lines(buffered)
        return [
            "#pragma omp simd",
            "for (int64_t i = 0; i < count; ++i) {",
            "    const int64_t x = from + i;",
            *indented(self.cell(buffered)),
            "}",
        ]

    def cell(self, buffered: Collection[Row] = ()) -> list[str]:
        """Print what is done in the cell x."""

        def target(store: Store) -> str:
            return self.target(store, "i" if store.row in buffered else "x")

        return cell_lines(self.nest, self.values, self._expressions, target)

    def target(self, store: Store, here: str) -> str:
        """Print where a value of the cell that is 'here' in its row is stored."""
        cell = scaled(here, self.ratio(store.field), store.offset[0])
        return f"{self.out[store.row]}[{at(self.nest, store.field, cell)}]"

    def _address(self, row: Row, kind: str) -> str:
        """Return the address of cell x = 0 in a row."""
        field, component, across = row
        y, z = (
            scaled("yz"[axis - 1], self.ratio(field, axis), step)
            for axis, step in enumerate((*across, 0, 0)[:2], 1)
        )
        return f"row_of<{kind}>({self.fields[field]}, {component}, {y}, {z})"


class CellsOfHalves:
    """The text of cells of a row, several at a time, where the nest has rows of halves.

    GCC up to 12 makes no vectors of conversions. It takes as many cells at once as halves fit into
    a vector, so that each float needs several registers. Arrays of 16 or 8 floats,
    converted by single instructions, become one register each.

    Args:
        row: The text of its rows.
        values: The names of its values.
        scalar: Gives the name of a scalar in a type.
    """

    def __init__(
        self, row: RowText, values: Mapping[int, str], scalar: Callable[[ScalarValue], str]
    ) -> None:
        halves = half_rows(row.nest)
        self._row = row
        self._values = values
        self._nest = nest = computed_in_floats(row.nest, halves)
        new = row.names.new
        self._read = {
            load: new(f"{row.rows[load.row]}_{place('x', load.offset[0])}")
            for load in nest.loads
            if load.row in halves
        }
        self._written = {
            store: new(f"{row.out[store.row]}_{place('x', store.offset[0])}")
            for store in nest.stores
            if store.row in halves
        }
        self._expressions = Expressions(nest, values, scalar, self._load, row.index)

    def lines(self, buffered: Collection[Row]) -> list[str]:
        """Print the loop over 'count' cells from a first one; what is buffered counts from that."""
        names = (*self._read.values(), *self._written.values())

        def target(store: Store) -> str:
            if store in self._written:
                return f"{self._written[store]}[lane]"
            return self._row.target(store, "i" if store.row in buffered else "x")

        return [
            "const auto compute = [&](const int64_t at, const int64_t lanes)",
            "    __attribute__((always_inline)) {",
            *(f"    float {name}[most_lanes];" for name in names),
            *indented(self._widened()),
            "#pragma omp simd",
            "    for (int64_t lane = 0; lane < lanes; ++lane) {",
            "        const int64_t i = at + lane, x = from + i;",
            *indented(indented(cell_lines(self._nest, self._values, self._expressions, target))),
            "    }",
            *indented(self._narrowed(buffered)),
            "};",
            "int64_t done = 0;",
            "for (; done + most_lanes <= count; done += most_lanes) compute(done, most_lanes);",
            "if constexpr (most_lanes > 8) {",
            "    for (; done + 8 <= count; done += 8) compute(done, 8);",
            "}",
            "for (; done < count; ++done) {",
            "    compute(done, 1);",
            '    asm volatile("");  // no vectors of single cells',
            "}",
        ]

    def _widened(self) -> list[str]:
        return [
            f"widen_cells({name}, &{self._row.rows[load.row]}"
            f"[{scaled('from + at', 1, load.offset[0])}], lanes);"
            for load, name in self._read.items()
        ]

    def _narrowed(self, buffered: Collection[Row]) -> list[str]:
        lines = []
        for store, name in self._written.items():
            target = self._row.target(store, "at" if store.row in buffered else "from + at")
            lines.append(f"narrow_cells(&{target}, {name}, lanes);")
        return lines

    def _load(self, load: Load) -> str:
        name = self._read.get(load)
        return f"{name}[lane]" if name else self._row.load(load)


def _closing(lines: Sequence[str]) -> list[str]:
    """Print what is done only where rows close on themselves."""
    return ["if (call.wrap != 0) {", *indented(lines), "}"] if lines else []
