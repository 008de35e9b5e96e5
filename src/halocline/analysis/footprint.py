"""The footprint of a kernel: for each field which components are read where, and which written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.frozen import Frozen
from halocline.geometry import AXES
from halocline.language.expressions.kernel import reads

if TYPE_CHECKING:
    from halocline.geometry import Offset
    from halocline.language.expressions.kernel import FieldType, Kernel


class ComponentUse(Frozen):
    """How a kernel uses one component of one field.

    Attributes:
        field: The kernel's name of the field.
        component: The component.
        offsets: Where it is read, relative to the cell, in cells of the field.
        written: Where it is assigned, alike.
        type: The field's type.
    """

    field: str
    component: int
    offsets: tuple[Offset, ...]
    written: tuple[Offset, ...]
    type: FieldType


class Footprint(Frozen):
    """All accesses of a kernel, by field and component."""

    kernel: str
    dimensions: int
    accesses: tuple[ComponentUse, ...]

    def width(self, axis: int, sign: int) -> int:
        """Return how far the kernel gets across a side of a block, in its own cells."""
        reach = [
            sign * a.type.parted(o)[0][axis]
            for a in self.accesses
            for o in (*a.offsets, *a.written)
        ]
        return max([0, *reach])

    def __str__(self) -> str:
        """Return a table: field, components, read at, written."""
        lines = [f"footprint of {self.kernel}"]
        for field in dict.fromkeys(access.field for access in self.accesses):
            lines += [f"  {field}", *_rows([a for a in self.accesses if a.field == field])]
        sides = [
            f"{AXES[axis]}{'-+'[sign > 0]} {self.width(axis, sign)}"
            for axis in range(self.dimensions)
            for sign in (-1, 1)
        ]
        return "\n".join([*lines, f"  halo width: {', '.join(sides) or 'none'}"])


def _rows(accesses: list[ComponentUse]) -> list[str]:
    """Describe the accesses to one field, components that are used alike on one line."""
    groups: dict[tuple[tuple[Offset, ...], ...], list[int]] = {}
    for access in accesses:
        groups.setdefault((access.offsets, access.written), []).append(access.component)
    rows = []
    for (offsets, written), components in groups.items():
        what = [f"read at {' '.join(map(_offset_text, offsets))}"] if offsets else []
        if any(any(offset) for offset in written):
            what += [f"written at {' '.join(map(_offset_text, written))}"]
        elif written:
            what += ["written"]
        rows.append(f"    component {', '.join(map(str, components))}: {'; '.join(what)}")
    return rows


def _offset_text(offset: Offset) -> str:
    return "(" + ",".join(f"{o:+d}" if o else "0" for o in offset) + ")"


def footprint(kernel: Kernel) -> Footprint:
    """Return what a kernel reads and writes."""
    offsets: dict[tuple[str, int], set[Offset]] = {}
    for read in reads(*(statement.value for statement in kernel.statements)):
        offsets.setdefault((read.field, read.component), set()).add(read.offset)
    written: dict[tuple[str, int], set[Offset]] = {}
    for statement in kernel.statements:
        key = (statement.field, statement.component)
        written.setdefault(key, set()).add(statement.offset)
    order = {field.name: number for number, field in enumerate(kernel.fields)}
    keys = sorted({*offsets, *written}, key=lambda key: (order[key[0]], key[1]))
    return Footprint(
        kernel.name,
        kernel.dimensions,
        tuple(
            ComponentUse(
                *key,
                tuple(sorted(offsets.get(key, ()))),
                tuple(sorted(written.get(key, ()))),
                kernel.field(key[0]),
            )
            for key in keys
        ),
    )
