"""Parted: a field that is zero where a statement assigns and not where it reads, or the reverse.

So may walls of bodies be written: they assign to what lies in solid cells and read what lies in
fluid ones, of the same component, and no cell reads what another one assigns.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from halocline.geometry import added, opposite
from halocline.language.expressions.apart import Chosen, conditions
from halocline.language.expressions.expr import Binary, Compare, Const, Read, Unary, Where, operands

if TYPE_CHECKING:
    from halocline.language.expressions.expr import Expr
    from halocline.language.expressions.kernel import Kernel, Statement

# A field, its component, an offset, and whether it is zero there.
_Zero = tuple[str, int, tuple[int, ...], bool]


def are_parted(kernel: Kernel, statement: Statement, read: Read) -> bool:
    """Return whether a statement surely reads no cell that it assigns elsewhere.

    Args:
        kernel: The kernel.
        statement: It assigns only where a field that the kernel leaves alone is zero (or is not).
        read: A read of the component that it assigns, chosen only where that field, seen from the
            cell that is read, is not zero (or is).
    """
    assigned = {s.field for s in kernel.statements}
    way = added(read.offset, opposite(statement.offset))
    for chosen in conditions(statement):
        for field, component, offset, is_zero in _zeros(chosen):
            if field in assigned or set(kernel.field(field).ratio) - {1}:
                continue
            other = (field, component, added(offset, way), not is_zero)
            if not _reaches(statement.value, read, other):
                return True
    return False


def _zeros(chosen: Chosen) -> Iterator[_Zero]:
    """Yield what a condition that holds, or does not, tells of zeros of fields."""
    match chosen:
        case Chosen(Binary("and", left, right), True) | Chosen(Binary("or", left, right), False):
            yield from _zeros(Chosen(left, chosen.holds))
            yield from _zeros(Chosen(right, chosen.holds))
        case Chosen(Unary("invert", operand), holds):
            yield from _zeros(Chosen(operand, not holds))
        case Chosen(Compare("eq" | "ne" as op, Read() as read, Const(0)), holds):
            yield read.field, read.component, read.offset, (op == "eq") == holds
        case Chosen(Read() as read, holds):
            yield read.field, read.component, read.offset, not holds


def _reaches(root: Expr, read: Read, zero: _Zero) -> bool:
    """Return whether a value may depend on a read where something of zeros is not told."""
    ahead, reached = [root], {root}
    while ahead:
        node = ahead.pop()
        if node is read:
            return True
        reachable = operands(node)
        if isinstance(node, Where):
            if zero in _zeros(Chosen(node.condition, holds=True)):
                reachable = (node.condition, node.false)
            elif zero in _zeros(Chosen(node.condition, holds=False)):
                reachable = (node.condition, node.true)
        ahead += [part for part in reachable if part not in reached]
        reached.update(reachable)
    return False
