"""Formulas as the steps that the runtime does, and what is said where a condition does not hold."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from halocline.errors import ConvergenceError
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
from halocline.language.expressions.parameters import described_values
from halocline.runtime import _core

if TYPE_CHECKING:
    from collections.abc import Callable

    from halocline.language.expressions.expr import Expr
    from halocline.language.expressions.parameters import Formula, Parameter
    from halocline.language.steps.tree import Until


def steps_of(formula: Formula, slot: Callable[[Parameter], int]) -> list[_core.FormulaStep]:
    """Return the steps of a formula.

    Args:
        formula: The formula.
        slot: Where the runtime has a parameter.
    """
    steps: list[_core.FormulaStep] = []
    position: dict[Expr, int] = {}
    for node in walk(formula.node):
        below = [position[one] for one in operands(node)]
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


def unmet(loop: Until[Any], iterations: int, step: int) -> ConvergenceError:
    """Return the error of a loop whose condition does not hold after its last iteration."""
    hint = "Allow more iterations (most=…), write otherwise='go on', or look at what is computed."
    lost = [p.name for p in loop.condition.parameters if math.isnan(p.value)]
    if lost:
        hint = (
            f"'{lost[0]}' is not a number, so no comparison with it ever holds: look at what it "
            "is computed of."
        )
    return ConvergenceError(
        f"The condition '{loop.condition.name}' did not hold after {iterations} iterations in step "
        f"{step}: {described_values(loop.condition)}.",
        hint=hint,
    )
