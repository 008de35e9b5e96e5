"""Print what a kernel does in boxes with one or two cells along x, along the longest axis.

Ghost patches along borders of levels are so thin. Across x what computes rows takes longer to
prepare a row than to compute its cells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.codegen.cpp_row import RowText
from halocline.codegen.expression import scaled
from halocline.codegen.lower import place
from halocline.codegen.nest import IndexValue, Load
from halocline.codegen.text import cell_lines, folded, indented, summary, type_of
from halocline.geometry import VOLUME

if TYPE_CHECKING:
    from halocline.codegen.nest import Nest, Store
    from halocline.language.expressions.kernel import Kernel


def may_be_narrow(kernel: Kernel, nest: Nest) -> bool:
    """Return whether a kernel runs along borders of levels, and does its cells in any order.

    Only there fields of two levels are used. Other kernels have long rows almost everywhere: a
    second function would take as long to compile as the first.
    """
    is_between = any(max(field.ratio, default=1) > 1 for field in nest.fields)
    has_more = bool(nest.sweep or kernel.inlined or kernel.reduced)
    has_indices = any(isinstance(value, IndexValue) for value in nest.values)
    return is_between and nest.dimensions == VOLUME and not (has_more or has_indices)


class NarrowText:
    """The text of a function that computes the cells of a box along its longest axis.

    Args:
        nest: The loop nest.
        name: Of the function.
    """

    def __init__(self, nest: Nest, name: str) -> None:
        self.name = name
        self._nest = nest
        self._row = row = RowText(nest)
        new = row.names.new
        # Of the first cell of a line.
        self._firsts: dict[Load | Store, str] = {}
        for load in dict.fromkeys(nest.loads):
            self._firsts[load] = new(f"{row.rows[load.row]}_{place('x', load.offset[0])}")
        for store in nest.stores:
            self._firsts[store] = new(f"{row.out[store.row]}_{place('x', store.offset[0])}")
        fields = dict.fromkeys(one.field for one in self._firsts)
        self._steps = {field: new(f"{field}_step") for field in fields}
        self._expressions = row.expressions(self._place)

    def text(self) -> str:
        """Return the function."""
        body = [
            *self._row.arguments(),
            "const int axis = longest_axis(call), other = 3 - axis;",
            "const int64_t count = call.upper[axis] - call.lower[axis];",
            *(self._step(field, name) for field, name in self._steps.items()),
            "int64_t cell[3] = {0, call.lower[1], call.lower[2]};",
            "for (int64_t plane = part.first; plane < part.last; ++plane) {",
            "    cell[other] = call.lower[other] + plane;",
            "    for (cell[0] = call.lower[0]; cell[0] < call.upper[0]; ++cell[0]) {",
            *indented(indented(self._line())),
            "    }",
            "}",
        ]
        return "\n".join(
            [
                summary(self._nest),
                f"static void {self.name}(const halocline_call& call, const Part& part) {{",
                *folded(indented(body)),
                "}",
                "",
            ]
        )

    def _step(self, field: str, name: str) -> str:
        y, z = (self._row.ratio(field, axis) for axis in (1, 2))
        ratio = str(y) if y == z else f"(axis == 1 ? {y} : {z})"
        description = self._row.fields[field]
        step = f"(axis == 1 ? {description}.y : {description}.z)"
        return f"const int64_t {name} = {step} * {ratio};"

    def _line(self) -> list[str]:
        """Print the loop over the cells of a line, which begins at 'cell'."""
        return [
            *(self._first(one, name) for one, name in self._firsts.items()),
            "for (int64_t i = 0; i < count; ++i) {",
            *indented(cell_lines(self._nest, self._row.values, self._expressions, self._place)),
            '    asm volatile("");  // no vectors of cells that lie apart',
            "}",
        ]

    def _first(self, one: Load | Store, name: str) -> str:
        cells = (
            scaled(f"cell[{axis}]", self._row.ratio(one.field, axis), offset)
            for axis, offset in enumerate(one.offset)
        )
        constant = "const " if isinstance(one, Load) else ""
        kind = f"{constant}{type_of(self._nest, one.field)}"
        arguments = ", ".join([self._row.fields[one.field], str(one.component), *cells])
        return f"{kind}* const {name} = cell_of<{kind}>({arguments});"

    def _place(self, one: Load | Store) -> str:
        return f"{self._firsts[one]}[i * {self._steps[one.field]}]"
