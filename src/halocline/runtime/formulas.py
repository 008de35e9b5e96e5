"""Formulas as the steps by which the C++ runtime computes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.language.expressions.expr import (
    Binary,
    Cast,
    Compare,
    Const,
    Number,
    Unary,
    operands,
    walk,
)
from halocline.runtime import _core

if TYPE_CHECKING:
    from collections.abc import Callable

    from halocline.language.expressions.expr import Expr
    from halocline.language.expressions.parameters import Formula, Parameter


def steps_of(formula: Formula, slot: Callable[[Parameter], int]) -> list[_core.FormulaStep]:
    """Return the steps of a formula.

    Args:
        formula: The formula.
        slot: Where the runtime has a parameter.
    """
    steps: list[_core.FormulaStep] = []
    position: dict[Expr, int] = {}
    for node in walk(formula.node):
        below = [position[operand] for operand in operands(node)]
        if isinstance(node, Cast):
            position[node] = below[0]
            continue
        position[node] = len(steps)
        match node:
            case Const(value):
                steps.append(_core.FormulaStep("constant", float(value)))
            case Number(parameter):
                used = [slot(parameter)]
                steps.append(_core.FormulaStep("scalar", operands=used))
            case Unary(op, _) | Binary(op, _, _) | Compare(op, _, _):
                steps.append(_core.FormulaStep(op, operands=below))
            case _:
                steps.append(_core.FormulaStep("where", operands=below))
    return steps
