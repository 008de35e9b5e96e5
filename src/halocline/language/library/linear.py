"""Whether an expression is linear in the values of a field."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.language.expressions.expr import (
    Binary,
    Cast,
    Const,
    Expr,
    Read,
    Unary,
    Where,
    operands,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


def is_linear(root: Expr, field: str) -> bool:
    """Return whether an expression is a sum of a field's values, each times what does not read it.

    Args:
        root: The expression, without derivatives.
        field: What it calls the field.
    """
    linear_in: dict[Expr, bool | None] = {}
    for node in walk(root):
        linear_in[node] = _is_linear(node, field, linear_in)
    return linear_in[root] is True


def _is_linear(node: Expr, field: str, linear_in: Mapping[Expr, bool | None]) -> bool | None:
    """Return whether a node is linear; None if it does not read the field."""
    inside = [linear_in[operand] for operand in operands(node)]
    match node:
        case Read():
            return True if node.field == field else None
        case _ if all(is_operand_linear is None for is_operand_linear in inside):
            return None
        case Unary("neg") | Cast():
            return inside[0]
        case Binary("mul"):
            return None in inside and True in inside
        case Binary("div"):
            return inside[0] is True and inside[1] is None
        case Binary("add" | "sub"):
            return all(_may_be_added(*pair) for pair in zip(inside, operands(node), strict=True))
        case Where():
            chosen = zip(inside[1:], operands(node)[1:], strict=True)
            return inside[0] is None and all(_may_be_added(*pair) for pair in chosen)
        case _:
            return False


def _may_be_added(is_linear: bool | None, node: Expr) -> bool:  # noqa: FBT001
    is_nothing = isinstance(node, Const) and node.value == 0
    return is_linear is True or is_nothing
