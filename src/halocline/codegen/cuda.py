"""Print loop nests as readable CUDA: one function per kernel, a thread for each cell or few cells.

The arithmetic is that of the C++ target, to the bit where the compiler keeps expressions as they
are written: NVRTC's '--fmad=false --prec-div=true --prec-sqrt=true --ftz=false'.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from halocline.analysis.threads import THREADS, threads_for
from halocline.codegen import cuda_prelude
from halocline.codegen.cuda_cell import CellText, InlinedText, turned
from halocline.codegen.expression import moved
from halocline.codegen.lower import lower
from halocline.codegen.names import entry_names
from halocline.codegen.nest import stores_side_by_side
from halocline.codegen.source import Source
from halocline.codegen.text import (
    folded,
    functions_included,
    has_halves,
    heading,
    includes,
    indented,
    summary,
    uses_indices,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from halocline.analysis.threads import Threads
    from halocline.codegen.nest import Nest
    from halocline.geometry import Offset
    from halocline.language.expressions.kernel import InlinedKernel, Kernel


def print_cuda(kernels: Sequence[Kernel], said: Mapping[Kernel, Threads] | None = None) -> Source:
    """Return one translation unit with one '__global__' function per fused kernel, in order.

    Threads share cells as is said, or else as suits the kernel best.
    """
    nests = [lower(kernel) for kernel in kernels]
    entries = entry_names(nests)
    shapes = [(said or {}).get(kernel) or threads_for(kernel) for kernel in kernels]
    functions = list(map(_Function, kernels, nests, entries, shapes))
    every = [nest for function in functions for nest in function.nests]
    included = includes(every)
    parts = [
        heading(nests),
        cuda_prelude.PRELUDE,
        functions_included(every),
        cuda_prelude.BATCHING if any(shape.is_batched for shape in shapes) else "",
        cuda_prelude.INLINING if len(every) > len(nests) else "",
        cuda_prelude.MATHS if "MATHS" in included else "",
        cuda_prelude.DIVIDING if "DIVIDING" in included else "",
        cuda_prelude.INDEXING if any(map(uses_indices, every)) else "",
        cuda_prelude.HALVES if any(map(has_halves, every)) else "",
        cuda_prelude.ROUNDING if any(map(stores_side_by_side, every)) else "",
        *(function.text() for function in functions),
    ]
    return Source("cuda", "".join(parts), entries)


class _Way:
    """An inlined kernel and where it runs, seen from the cell that it feeds.

    Args:
        number: Of its layer.
        name: Of its function.
        text: What it does.
        inlined: The inlined kernel.
        offset: From the cell that it feeds to its own.

    Attributes:
        made: What it makes, type and name.
    """

    def __init__(
        self, number: int, name: str, text: InlinedText, inlined: InlinedKernel, offset: Offset
    ) -> None:
        x, y, z = (*offset, 0, 0)[:3]
        across = (f"{axis} {moved(step)}".strip() for axis, step in (("y", y), ("z", z)))
        self._number, self._name, self._layer = number, name, inlined.layer
        self._place = ", ".join((turned(x), *across))
        way = f"made_{number}_{inlined.offsets.index(offset)}"
        names = (f"{way}_{n}" for n in range(len(text.types)))
        self.made = list(zip(text.types, names, strict=True))

    def may_run(self) -> str:
        """Print whether the cell that it feeds is near its side at all."""
        axis, side = self._layer
        relation, end = ("<", "lower") if side < 0 else (">=", "upper")
        return f"{'xyz'[axis]} {relation} static_cast<int>(box.free_of_inlined.{end}[{axis}])"

    def runs(self) -> str:
        """Print whether its cell is in its layer."""
        return f"lies_in(box.layers[{self._number}], {self._place})"

    def call(self, given: Sequence[str]) -> str:
        """Print how it makes what it makes."""
        values = (name for _, name in self.made)
        return f"{self._name}({', '.join(['box', *given, *values, self._place])});"

    def put(self) -> str:
        """Print how that is stored."""
        return " ".join(f"*{name}.to = {name}.value;" for _, name in self.made)


class _Function:
    """The text of one kernel and its inlined kernels.

    Attributes:
        nests: What they do, the kernel first.
    """

    def __init__(self, kernel: Kernel, nest: Nest, entry: str, threads: Threads) -> None:
        nests = [lower(inlined.kernel) for inlined in kernel.inlined]
        self.nests = (nest, *nests)
        written = {store.field for nest in self.nests for store in nest.stores}
        self._run, self._is_batched = threads.cells, threads.is_batched
        self._cell = CellText(nest, written, (1, 1, 1) if nest.sweep else threads.cells)
        self._inlined = {
            f"{entry}_inlined_{n}": InlinedText(nest, written) for n, nest in enumerate(nests)
        }
        self._ways = [
            _Way(number, name, text, inlined, offset)
            for number, ((name, text), inlined) in enumerate(
                zip(self._inlined.items(), kernel.inlined, strict=True)
            )
            for offset in inlined.offsets
        ]
        self._entry = entry

    def text(self) -> str:
        """Return the functions."""
        before = "".join(_function(name, cell) for name, cell in self._inlined.items())
        if self._cell.nest.sweep:
            name = f"{self._entry}_cell"
            before += _function(name, self._cell)
            comment, body = "// The same in a column of cells a thread.", self._column(name)
        elif not self._cell.run_axis:
            comment, body = summary(self._cell.nest), self._one_cell()
        else:
            name = f"{self._entry}_cell"
            before += _function(name, self._cell)
            comment, body = "// The same in a run of cells a thread.", self._cells(name)
        signature, given = self._given()
        return before + "\n".join(
            [
                comment,
                f'extern "C" __global__ void __launch_bounds__({THREADS}, 1)',
                *folded([f"{self._entry}({signature}) {{"]),
                *folded(indented([*given, "int x, y, z;", *body])),
                "}",
                "",
                "",
            ]
        )

    def _given(self) -> tuple[str, list[str]]:
        """Print the parameters, and what is read of a table.

        That is copied at once: no store to a field may change it, which the compiler cannot know.
        """
        parameters = self._cell.signature("const Field ")
        if not self._is_batched:
            return ", ".join(["const Box box", *parameters]), []
        count = len(self._cell.nest.fields)
        fields, scalars = parameters[:count], parameters[count:]
        piece = f"Piece<{count}>"
        return ", ".join([f"const Tile* tiles, const {piece}* pieces", *scalars]), [
            "const Tile tile = tiles[blockIdx.x];",
            f"const {piece} piece = pieces[tile.piece];",
            "const Box& box = piece.box;",
            *(f"{field} = piece.field[{n}];" for n, field in enumerate(fields)),
        ]

    def _one_cell(self) -> list[str]:
        return [self._find("find_cell"), *self._run_inlined(), *self._cell.lines()]

    def _find_cells(self) -> str:
        _, along_y, along_z = self._run
        return self._find(f"find_cell<{along_y}, {along_z}>")

    def _find(self, function: str) -> str:
        place = "piece, tile" if self._is_batched else "box"
        return f"if (!{function}({place}, x, y, z)) return;"

    def _cells(self, function: str) -> list[str]:
        """Print what a thread does that has a run of cells."""
        axis = self._cell.run_axis
        count, place = self._run[axis], "xyz"[axis]
        call = f"{function}(box, {', '.join(self._cell.arguments())}, x, y, z, n);"
        return [
            self._find_cells(),
            f"const int end = box.active_runs ? {place} + 1 : static_cast<int>(box.upper[{axis}]);",
            f"if ({place} + {count} <= end) {{  // all of a run is read before any is assigned",
            "#pragma unroll",
            f"    for (int n = 0; n < {count}; ++n) {call}",
            "} else {",
            f"    for (int n = 0; {place} + n < end; ++n) {call}",
            "}",
        ]

    def _column(self, function: str) -> list[str]:
        """Print what a thread does that has a whole column of cells, in order."""
        assert self._cell.nest.sweep
        axis, sign = self._cell.nest.sweep
        place, end = "xyz"[axis], f"static_cast<int>(box.upper[{axis}])"
        first = [] if sign > 0 else [f"const int first = {place};"]
        loop = f"{place} < {end}; ++{place}" if sign > 0 else f"{place} >= first; --{place}"
        start = "" if sign > 0 else f"{place} = {end} - 1"
        given = ", ".join([*self._cell.arguments(), *self._cell.carried.values()])
        return [
            self._find_cells(),
            *self._cell.loaded(),
            *first,
            f"for ({start}; {loop}) {{",
            *indented(self._run_inlined()),
            f"    {function}(box, {given}, x, y, z);",
            "}",
            *self._cell.returned(),
        ]

    def _run_inlined(self) -> list[str]:
        """Print how inlined kernels run where their cells are in their layers.

        A warp at one side does not ask for the layers of the others. All layers of a side are read
        at once, then all that inlined kernels read, and then what they make is stored: threads wait
        for memory three times, not three times for each of them.
        """
        if not self._ways:
            return []
        lines = []
        for condition, ways in groupby(self._ways, key=_Way.may_run):
            lines += [f"if ({condition}) {{", *indented(self._at_side(list(ways))), "}"]
        return [
            "if (box.layers && !lies_in(box.free_of_inlined, x, y, z)) {",
            *indented(lines),
            "}",
        ]

    def _at_side(self, ways: Sequence[_Way]) -> list[str]:
        given = self._cell.arguments()
        return [
            *(f"{kind} {name};" for way in ways for kind, name in way.made),
            "const bool runs[] = {",
            *(f"    {way.runs()}," for way in ways),
            "};",
            *(f"if (runs[{n}]) {way.call(given)}" for n, way in enumerate(ways)),
            *(f"if (runs[{n}]) {{ {way.put()} }}" for n, way in enumerate(ways)),
        ]


def _function(name: str, cell: CellText) -> str:
    """Return a function that does what is to be done in one cell."""
    given = [*cell.signature("const Field& "), *cell.handed()]
    parameters = ", ".join(["const Box& box", *given])
    places = "int x, int y, int z" + (", int n" if cell.run_axis else "")
    return "\n".join(
        [
            summary(cell.nest),
            *folded([f"__device__ inline void {name}({parameters},"]),
            f"    {places}) {{",
            *folded(indented(cell.lines())),
            "}",
            "",
            "",
        ]
    )
