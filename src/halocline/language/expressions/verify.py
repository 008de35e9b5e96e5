"""Which kernels are legal: checked after tracing, with the user's own line in the message."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from halocline.errors import KernelError
from halocline.geometry import AXES, added, opposite
from halocline.language.expressions.expr import (
    Binary,
    Cast,
    Compare,
    Const,
    Index,
    Read,
    Scalar,
    Unary,
    Where,
    operands,
    walk,
)
from halocline.language.expressions.fuse import fuse, separate
from halocline.language.expressions.kernel import reads
from halocline.language.expressions.operations import OPERATIONS
from halocline.language.expressions.parted import are_parted
from halocline.language.expressions.promotion import COMPUTED, add_types, check_assigned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.language.expressions.apart import Cells
    from halocline.language.expressions.expr import Expr
    from halocline.language.expressions.kernel import Kernel, Statement


def verify(
    kernel: Kernel, places: Sequence[str], place: str, cells: Cells, *, is_layer: bool
) -> None:
    """Refuse a kernel that has no meaning.

    Args:
        kernel: The traced kernel.
        places: 'file:line' of each statement.
        place: 'file:line' of the function.
        cells: Where it runs.
        is_layer: Whether that is a layer beyond a side, where each statement runs by itself.

    Raises:
        KernelError: What a statement reads would depend on chance, or types do not fit.
    """
    for statement, line in zip(kernel.statements, places, strict=True):
        if kernel.sweep is None:
            _no_chance(kernel, statement, line, cells)
        else:
            _nothing_ahead(kernel, statement, line)
    _verify_types(kernel, tuple(places))
    refuse_past(separate(kernel) if is_layer else fuse(kernel), kernel.name, places)


# All levels of a forest have the same kernels.
@lru_cache(maxsize=256)
def _verify_types(kernel: Kernel, places: tuple[str, ...]) -> None:
    """Refuse operations and assignments that have no meaning for the types of their values."""
    for node in walk(*(statement.value for statement in kernel.statements)):
        assert is_legal(kernel, node), node
    dtypes = {field.name: field.dtype for field in kernel.fields}
    types: dict[Expr, str] = {}
    for statement, line in zip(kernel.statements, places, strict=True):
        value = statement.value
        add_types(types, value, dtypes, line)
        check_assigned(dtypes[statement.field], statement.field, value, types[value], line)


def refuse_nothing(kernel: Kernel, place: str) -> None:
    """Refuse a kernel that assigns to no field."""
    if not kernel.statements:
        raise KernelError(
            f"Kernel '{kernel.name}' assigns nothing.",
            hint="Assign to a field: field[0, 0, 0] = ….",
            place=place,
        )


def refuse_strangers(kernel: Kernel, places: Sequence[str]) -> None:
    """Refuse fields that are none of the kernel's own, and axes that the grid lacks."""
    for statement, place in zip(kernel.statements, places, strict=True):
        for node in walk(statement.value):
            _no_stranger(kernel, node, place)


def _no_stranger(kernel: Kernel, node: Expr, place: str) -> None:
    if isinstance(node, Read) and node.field not in [field.name for field in kernel.fields]:
        raise KernelError(
            f"Kernel '{kernel.name}' reads the field '{node.field}', which it was not given.",
            hint="Make it a parameter of the function and pass it by position.",
            place=place,
        )
    if isinstance(node, Index) and node.axis >= kernel.dimensions:
        raise KernelError(
            f"Kernel '{kernel.name}' uses the index along '{AXES[node.axis]}' of a grid of "
            f"{kernel.dimensions} axes.",
            place=place,
        )


def _no_chance(kernel: Kernel, statement: Statement, place: str, cells: Cells) -> None:
    """Refuse a read of what other cells overwrite in the same statement."""
    for read in reads(statement.value):
        own = (read.field, read.component) == (statement.field, statement.component)
        field = kernel.field(statement.field)
        (there, child), (here, assigned_child) = map(field.parted, (read.offset, statement.offset))
        if not own or child != assigned_child or there == here:
            continue
        way = added(there, opposite(here))
        if not (cells.are_apart(statement, way) or are_parted(kernel, statement, read)):
            colours = (
                "The colours do not fit where the periodic grid closes: choose another number of "
                "cells."
            )
            assigned = f" at {statement.offset}" if any(statement.offset) else ""
            raise KernelError(
                f"Kernel '{kernel.name}' reads '{read.field}' at the offset {read.offset} in the "
                f"statement that assigns it{assigned}; the neighbour's value would be old or new "
                "by chance.",
                hint=colours
                if cells.are_apart(statement, way, closes=False)
                else "Assign to a second field and swap the two, assign where you read, or only in "
                "cells that do not read each other: in a layer, or those of one colour, as "
                f"hc.where((hc.index('x') + …) % 2 == 0, …, {read.field}[…]).",
                place=place,
            )


def _nothing_ahead(kernel: Kernel, statement: Statement, place: str) -> None:
    """Refuse a sweep that uses in one cell what it assigns in another."""
    uses: tuple[Read | Statement, ...] = (*reads(statement.value), statement)
    for use in uses:
        for other in kernel.statements:
            if (use.field, use.component) != (other.field, other.component):
                continue
            _, child = kernel.field(use.field).parted(use.offset)
            _, assigned = kernel.field(use.field).parted(other.offset)
            if child == assigned and use.offset != other.offset:
                verb = "assigns" if use is statement else "reads"
                raise KernelError(
                    f"Kernel '{kernel.name}' {verb} '{use.field}' at the offset {use.offset}, "
                    f"which the sweep assigns at {other.offset}: cells ahead have not been "
                    "computed, and cells of other columns may or may not have been.",
                    hint="Pass what the next cell needs on as the carry.",
                    place=place,
                )


def refuse_past(kernels: Sequence[Kernel], name: str, places: Sequence[str]) -> None:
    """Refuse a read of values that an earlier statement has overwritten in all cells.

    Args:
        kernels: The fused kernels that a kernel was cut into.
        name: The kernel's name.
        places: 'file:line' of each statement.

    Raises:
        KernelError: There is such a read.
    """
    statements = [statement for fused in kernels for statement in fused.statements]
    for statement, place in zip(statements, places, strict=True):
        for read in reads(statement.value):
            if read.version < 0:
                raise KernelError(
                    f"Kernel '{name}' uses '{read.field}' at the offset {read.offset} as it "
                    "was before an earlier statement, which has assigned it in all cells by then.",
                    hint="Put this statement before that one, or assign to a second field.",
                    place=place,
                )


def is_legal(kernel: Kernel, node: Expr) -> bool:
    """Return whether a node may stand in the kernel."""
    match node:
        case Const(value):
            return isinstance(value, bool | int | float)
        case Scalar(name):
            return name in kernel.scalars
        case Index(axis, _):
            return 0 <= axis < kernel.dimensions
        case Read(field, component, offset, _):
            components = {f.name: f.components for f in kernel.fields}
            return component < components.get(field, 0) and len(offset) == kernel.dimensions
        case Unary(op, _) | Binary(op, _, _) | Compare(op, _, _):
            return op in OPERATIONS and OPERATIONS[op].arity == len(operands(node))
        case Where(_, _, _):
            return True
        case Cast(dtype, _):
            return dtype in COMPUTED
        case _:
            return False
