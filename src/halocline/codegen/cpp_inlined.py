"""Print the kernels inlined in one as C++: functions that it calls for each row, before it."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.codegen.cpp_row import RowText
from halocline.codegen.expression import moved
from halocline.codegen.lower import lower
from halocline.codegen.text import folded, indented, summary, type_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from halocline.codegen.nest import Load, Nest
    from halocline.language.expressions.kernel import InlinedKernel, Kernel


class InlinedFunctions:
    """The functions of all inlined kernels of a kernel.

    Args:
        kernel: Their consumer.
        nest: What it does.
        entry: Its function.

    Attributes:
        nests: What they do.
    """

    def __init__(self, kernel: Kernel, nest: Nest, entry: str) -> None:
        self._texts = [
            (_InlinedCell if inlined.layer[0] == 0 else _InlinedRow)(
                inlined, nest, f"{entry}_inlined_{number}", number
            )
            for number, inlined in enumerate(kernel.inlined)
        ]
        self.nests = [text.nest for text in self._texts]

    def text(self) -> str:
        """Return the functions."""
        return "".join(text.function() for text in self._texts)

    def called(self, new: Callable[[str], str]) -> InlinedCalls:
        """Return their calls; 'new' gives names that nothing else has there."""
        return InlinedCalls(self._texts, new)


class InlinedCalls:
    """The calls of inlined kernels in a function that computes rows.

    Those on one layer run in almost the same rows. Across x these are almost all rows, and in each
    one cell: the row is asked once whether all of them run there.
    """

    def __init__(self, texts: Iterable[_InlinedText], new: Callable[[str], str]) -> None:
        # In their order: where two assign the same cell, the later one's value stays.
        layers = [list(layer) for _, layer in groupby(texts, _InlinedText.place)]
        self._layers = {new(f"layer_{number}"): layer for number, layer in enumerate(layers)}

    def rows(self) -> list[str]:
        """Print in which rows the inlined kernels on each layer run."""
        lines = []
        for name, layer in self._layers.items():
            ways = ", ".join(text.way() for text in layer)
            lines.append(f"const InlinedRows {name} = inlined_rows(call.layers, {{{ways}}});")
        return lines

    def calls(self) -> list[str]:
        """Print the calls for a row of the kernel."""
        lines: list[str] = []
        for name, layer in self._layers.items():
            lines += [
                f"if ({layer[0].is_fed(name)}) {{",
                *indented(line for text in layer for line in text.call(name)),
                "}",
            ]
        return lines


class _InlinedText:
    """The text of an inlined kernel; in 'row' it runs in the cells [lower, upper) or the cell x."""

    parameters: str
    first: str  # the first cell of what it runs in

    def __init__(self, inlined: InlinedKernel, consumer: Nest, name: str, number: int) -> None:
        # What stands on a layer is read at once: non-temporal stores would evict it.
        self.nest = replace(lower(inlined.kernel), streamed=())
        self.inlined = inlined
        self.name = name
        self.number = number
        # From the cell of the consumer that is next to it.
        self.offset = (*min(inlined.offsets, key=lambda o: abs(o[0])), 0, 0)[:3]
        self._consumer = consumer

    def function(self) -> str:
        """Return the function for a row of the layer."""
        row = RowText(self.nest)
        writes = (
            f"{type_of(self.nest, key[0])}* const {name} = {row.out_row(key)};"
            for key, name in row.out.items()
        )
        return "\n".join(
            [
                summary(self.nest),
                f"static inline void {self.name}(const halocline_call& call, {self.parameters}) {{",
                *folded(
                    indented(
                        [
                            *row.arguments(),
                            *row.indices(self.first),
                            *row.reads().values(),
                            *writes,
                            *self.cells(row),
                        ]
                    )
                ),
                "}",
                "",
                "",
            ]
        )

    def place(self) -> tuple[tuple[int, int], tuple[int, ...]]:
        """Return its layer, and the ways to it across that."""
        axis, _ = self.inlined.layer
        return self.inlined.layer, tuple(offset[axis] for offset in self.inlined.offsets)

    def is_fed(self, layer: str) -> str:
        """Print whether inlined kernels at the same place run for a row."""
        return f"{layer}.some.hold(y, z)"

    def way(self) -> str:
        """Print its number, and the offset of its layer from the rows of its consumer."""
        return f"{{{self.number}, {self.offset[1]}, {self.offset[2]}}}"

    def row(self) -> str:
        """Print which row of the layer belongs to a row."""
        places = zip("yz", self.offset[1:], strict=True)
        return ", ".join(f"{axis} {moved(step)}".strip() for axis, step in places)

    def cells(self, row: RowText) -> list[str]:
        """Print what is done."""
        raise NotImplementedError

    def call(self, layer: str) -> list[str]:
        """Print the call for what a row of the consumer reads, given its layer's name."""
        raise NotImplementedError


class _InlinedRow(_InlinedText):
    """An inlined kernel on a layer across y or z."""

    parameters = "int64_t lower, int64_t upper, int64_t y, int64_t z"
    first = "lower"

    def cells(self, row: RowText) -> list[str]:
        return [*row.fills(), *row.cells(), *row.returns()]

    def call(self, layer: str) -> list[str]:
        ends = ", ".join(f"{end} {moved(self.offset[0])}".strip() for end in ("lower", "upper"))
        return [f"run_inlined(call, {self.number}, {self.name}, {ends}, {self.row()});"]


class _InlinedCell(_InlinedText):
    """An inlined kernel on a layer across x: one cell a row; the row does not close on itself."""

    parameters = "int64_t x, int64_t y, int64_t z"
    first = "x"

    def cells(self, row: RowText) -> list[str]:
        return [*self._prefetches(row), *row.cell()]

    def is_fed(self, layer: str) -> str:
        steps = [-offset[0] for offset in self.inlined.offsets]
        first, last = (f"{layer}.x {moved(step)}".strip() for step in (min(steps), max(steps)))
        return f"lower <= {last} && {first} < upper && {super().is_fed(layer)}"

    def call(self, layer: str) -> list[str]:
        return [
            f"if ({layer}.all.hold(y, z) || lies_in(call.layers[{self.number}], {self.row()})) {{",
            f"    {self.name}(call, {layer}.x, {self.row()});",
            "}",
        ]

    def _prefetches(self, row: RowText) -> list[str]:
        """Prefetch values of the next row that are in no line the kernel is about to use."""
        return [
            f"__builtin_prefetch(&{row.load(load)} + {row.fields[load.field]}.y);"
            for load in self.nest.loads
            # Of other index spaces a cell reads many rows, or the same again.
            if set(self.nest.field(load.field).ratio) <= {1} and self._is_far(load)
        ]

    def _is_far(self, load: Load) -> bool:
        """Return whether the kernel reads no line near: in the plane, as far beyond the row."""
        x, _, z = (a + b for a, b in zip((*load.offset, 0, 0), self.offset, strict=False))
        return all(
            (*other.offset, 0, 0)[2] != z or x not in (0, other.offset[0])
            for other in self._consumer.loads
            if (other.field, other.component) == (load.field, load.component)
        )
