"""Which kernels are legal: checked after tracing, with the user's own line in the message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.errors import KernelError
from halocline.language.expr import (
    BINARY,
    COMPARE,
    UNARY,
    Binary,
    Compare,
    Const,
    Index,
    Read,
    Scalar,
    Unary,
    Where,
    walk,
)
from halocline.language.kernel import reads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.language.expr import Expr
    from halocline.language.kernel import Kernel, Statement


def verify(kernel: Kernel, places: Sequence[str], place: str) -> None:
    """Refuse a kernel that has no meaning.

    Args:
        kernel: The traced kernel.
        places: 'file:line' of each statement.
        place: 'file:line' of the function.

    Raises:
        KernelError: It assigns nothing, or a statement reads a neighbour of what it assigns.
    """
    if not kernel.statements:
        raise KernelError(
            f"Kernel '{kernel.name}' assigns nothing.",
            hint="Assign to a field: field[0, 0, 0] = ….",
            place=place,
        )
    for statement, line in zip(kernel.statements, places, strict=True):
        _no_own_neighbour(kernel, statement, line)
        for node in walk(statement.value):
            assert is_legal(kernel, node), node


def _no_own_neighbour(kernel: Kernel, statement: Statement, place: str) -> None:
    for read in reads(statement.value):
        own = (read.field, read.component) == (statement.field, statement.component)
        if own and any(read.offset):
            raise KernelError(
                f"Kernel '{kernel.name}' reads '{read.field}' at the offset {read.offset} in the "
                "statement that assigns it; the neighbour's value would be old or new by chance.",
                hint="Assign to a second field and swap the two.",
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
        case Read(field, component, offset):
            known = {f.name: f.components for f in kernel.fields}
            return component < known.get(field, 0) and len(offset) == kernel.dimensions
        case Unary(op, _):
            return op in UNARY
        case Binary(op, _, _):
            return op in BINARY
        case Compare(op, _, _):
            return op in COMPARE
        case Where(_, _, _):
            return True
        case _:
            return False
