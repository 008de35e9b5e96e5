"""Print what a thread of a device does in a cell: where its values are, and its arithmetic."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from halocline.codegen import cuda_prelude
from halocline.codegen.expression import C_TYPES, Expressions, moved, scaled
from halocline.codegen.lower import place
from halocline.codegen.names import Names
from halocline.codegen.text import at, cast, cell_lines, constant_lines, type_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from halocline.codegen.nest import IndexValue, Load, Nest, Store


class CellText:
    """What a thread does in the cell (x, y, z), or in the n-th cell of the run that begins there.

    Args:
        nest: What to print.
        written: The fields that any thread writes meanwhile.
        run: Cells of a thread along x, y and z.

    Attributes:
        run_axis: Along which a thread has a run of cells; 0 if it has one cell.
        carried: Names of what a thread passes from cell to cell, in registers, by field,
            component and offset.
    """

    def __init__(
        self, nest: Nest, written: Collection[str], run: tuple[int, int, int] = (1, 1, 1)
    ) -> None:
        self.nest = nest
        self.run_axis = run.index(max(run))
        self._written = written
        self._names = names = Names(nest, cuda_prelude.TAKEN, _in_ascii)
        doubles = {
            value.name: name for value, name in names.scalars.items() if value.type == "float64"
        }
        self._parameters = {name: doubles.get(name) or names.new(name) for name in nest.scalars}
        self.carried = {
            (store.field, store.component, store.offset): names.new(
                f"{store.field}_{store.component}_carried"
            )
            for store in nest.stores
            if nest.sweep and not nest.field(store.field).ratio_along(nest.sweep[0])
        }
        self._owners = {name: names.new(f"{name}_to") for name in self.carried.values()}
        loads = [load for load in nest.loads if not self._carry(load)]
        stores = [store for store in nest.stores if not self._carry(store)]
        parts: tuple[Load | Store, ...] = (*loads, *stores)
        steps = {self._step(part) for part in parts} - {(1, 0), (0, 0)}
        # By the ratio and the offset of what is there.
        self._columns = {(1, 0): "x", (0, 0): "0"} | {
            (ratio, step): names.new(place("x", step) + (f"_{ratio}" if ratio > 1 else ""))
            for ratio, step in sorted(steps)
        }
        self._loaded = dict.fromkeys(load.row for load in loads)
        self._stored = dict.fromkeys(store.row for store in stores)
        used = dict.fromkeys(row[0] for row in (*self._loaded, *self._stored))
        self._bases = {field: names.new(f"{field}_row") for field in used}
        self._values = names.values()
        self._expressions = Expressions(
            nest, self._values, names.scalars.__getitem__, self._load, self._index
        )

    def lines(self) -> list[str]:
        """Print it."""
        return [*self._numbers(), *self._places(), *self._cell()]

    def signature(self, kind: str) -> list[str]:
        """Print the parameters: all fields, as this kind of parameter, and scalars."""
        fields = (self._names.fields[field.name] for field in self.nest.fields)
        return [
            *(f"{kind}{name}" for name in fields),
            *(f"const double {name}" for name in self._parameters.values()),
        ]

    def arguments(self) -> list[str]:
        """Print the names of the parameters."""
        fields = (self._names.fields[field.name] for field in self.nest.fields)
        return [*fields, *self._parameters.values()]

    def handed(self) -> list[str]:
        """Print the parameters that pass values from cell to cell."""
        return [f"{type_of(self.nest, key[0])}& {name}" for key, name in self.carried.items()]

    def loaded(self) -> list[str]:
        """Print how what passes from cell to cell is loaded before the first one."""
        lines = []
        for (field, component, offset), name in self.carried.items():
            kind, ratio = type_of(self.nest, field), self._ratio(field, 0)
            row = f"{self._base(field, kind)} {self._further(field, component, offset[1:])}"
            cell = at(self.nest, field, turned(offset[0], ratio))
            lines.append(f"{kind}* const {self._owners[name]} = {row.strip()} + {cell};")
            lines.append(f"{kind} {name} = *{self._owners[name]};")
        return lines

    def returned(self) -> list[str]:
        """Print how it is returned to memory after the last one."""
        return [f"*{owner} = {name};" for name, owner in self._owners.items()]

    def _carry(self, part: Load | Store) -> str | None:
        return self.carried.get((part.field, part.component, part.offset))

    def _numbers(self) -> list[str]:
        """Print the scalars in the types that they are used in, and what they make alone."""
        lines = [
            f"const {C_TYPES[value.type]} {name} = "
            f"{cast(value.type, self._parameters[value.name])};"
            for value, name in self._names.scalars.items()
            if value.type != "float64"
        ]
        return lines + constant_lines(self.nest, self._values, self._expressions)

    def _places(self) -> list[str]:
        """Print the cells along x and the rows that are read and written."""
        lines = [
            f"const int {name} = {turned(step, ratio)};"
            for (ratio, step), name in self._columns.items()
            if step or ratio > 1
        ]
        stored = {store.field for store in self.nest.stores}
        for field, name in self._bases.items():
            kind = f"{'' if field in stored else 'const '}{type_of(self.nest, field)}"
            lines.append(f"{kind}* const {name} = {self._base(field, kind)};")
        for key in self._loaded:
            kind = f"const {type_of(self.nest, key[0])}"
            lines.append(f"{kind}* const {self._names.rows[key]} = {self._row(*key)};")
        for key in self._stored:
            kind = type_of(self.nest, key[0])
            lines.append(f"{kind}* const {self._names.out[key]} = {self._row(*key)};")
        return lines

    def _base(self, field: str, kind: str) -> str:
        y, z = (scaled("yz"[axis - 1], self._ratio(field, axis)) for axis in (1, 2))
        return f"row_of<{kind}>({self._names.fields[field]}, {y}, {z})"

    def _row(self, field: str, component: int, across: Sequence[int]) -> str:
        """Return a row as that of component 0 and how far it is from there.

        All threads go as far, and the compiler need not multiply again for each row; nor does it
        load twice what two cells of a run read.
        """
        return f"{self._bases[field]} {self._further(field, component, across)}".strip()

    def _further(self, field: str, component: int, across: Sequence[int]) -> str:
        name = self._names.fields[field]
        counts = dict(zip(("component", "y", "z"), (component, *across), strict=False))
        run, ratio = "xyz"[self.run_axis], self._ratio(field, self.run_axis)
        steps = scaled("n", ratio) if ratio else ""
        terms = [
            _term(number, steps if stride == run else "", f"{name}.{stride}")
            for stride, number in counts.items()
            if number or (stride == run and ratio)
        ]
        further = " ".join(sorted(terms, key=lambda term: term[0]))  # what is added comes first
        if len(terms) > 1:
            further = f"+ ({further.removeprefix('+ ')})"
        return further

    def _cell(self) -> list[str]:
        return cell_lines(self.nest, self._values, self._expressions, self._target)

    def _target(self, store: Store) -> str:
        """Return what something is assigned to."""
        return self._carry(store) or self._memory(store)

    def _memory(self, store: Store) -> str:
        cell = at(self.nest, store.field, self._columns[self._step(store)])
        return f"{self._names.out[store.row]}[{cell}]"

    def _ratio(self, field: str, axis: int) -> int:
        return self.nest.field(field).ratio_along(axis)

    def _step(self, part: Load | Store) -> tuple[int, int]:
        return self._ratio(part.field, 0), part.offset[0]

    def _index(self, index: IndexValue) -> str:
        axis, offset = index.axis, index.offset
        run = " + n" if axis == self.run_axis > 0 else ""
        cell = f"{'xyz'[axis]}{run} + box.origin[{axis}] {moved(offset)}".strip()
        return f"wrapped({cell}, box.period[{axis}])"

    def _load(self, load: Load) -> str:
        if name := self._carry(load):
            return name
        place = at(self.nest, load.field, self._columns[self._step(load)])
        cell = f"{self._names.rows[load.row]}[{place}]"
        # What no thread of the kernel writes may be fetched early and by way of the texture cache.
        return cell if load.field in self._written else f"__ldg(&{cell})"


class InlinedText(CellText):
    """What a thread does for an inlined kernel: it says what is to be stored and where.

    All inlined kernels of a thread read before one of them stores: none reads what another assigns.

    Args:
        nest: What to print.
        written: The fields that any thread writes meanwhile.
    """

    def __init__(self, nest: Nest, written: Collection[str]) -> None:
        super().__init__(nest, written)
        self._made = [
            self._names.new(f"{store.field}_{store.component}_made") for store in nest.stores
        ]

    @property
    def types(self) -> list[str]:
        """The types of what it makes."""
        return [f"Made<{type_of(self.nest, store.field)}>" for store in self.nest.stores]

    def handed(self) -> list[str]:
        """Print the parameters that take what it makes."""
        return [f"{kind}& {name}" for kind, name in zip(self.types, self._made, strict=True)]

    def lines(self) -> list[str]:
        """Print it, and where it is to be stored."""
        places = zip(self.nest.stores, self._made, strict=True)
        return [*super().lines(), *(f"{name}.to = &{self._memory(s)};" for s, name in places)]

    def _target(self, store: Store) -> str:
        return f"{self._made[self.nest.stores.index(store)]}.value"


def turned(step: int, ratio: int = 1) -> str:
    """Return the cell so many steps along x from a thread's, which may be at the other end."""
    cell, wrap = scaled("x", ratio, step), scaled("box.wrap", ratio)
    if 0 <= step < max(1, ratio):
        return cell
    return f"wrapped_{'on' if step > 0 else 'back'}({cell}, {wrap})"


def _term(number: int, variable: str, stride: str) -> str:
    """Return so many strides, or a variable number and so many: '+ (n + 1) * f.z', '- f.y'."""
    if variable:
        cells = f"{variable} {moved(number)}".strip()
        return f"+ {cells if cells.isidentifier() else f'({cells})'} * {stride}"
    factor = f"{abs(number)} * " if abs(number) > 1 else ""
    return f"{'-' if number < 0 else '+'} {factor}{stride}"


def _in_ascii(name: str) -> str:
    """Return a name without letters that NVRTC does not know: 'omega' for 'ω'."""
    return "".join(c if c.isascii() else _spoken(c) for c in name)


def _spoken(letter: str) -> str:
    return unicodedata.name(letter).split()[-1].lower().replace("-", "_")
