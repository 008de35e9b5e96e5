"""The scalars of a kernel: the numbers that it reads at run time, for parameters in its text."""

from __future__ import annotations

from itertools import count, filterfalse
from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.language.expressions.expr import (
    Binary,
    Compare,
    Const,
    Expr,
    Number,
    Scalar,
    Unary,
    Where,
    operands,
    replaced,
    walk,
)
from halocline.language.expressions.parameters import Parameter, parameter_of
from halocline.language.expressions.promotion import WEAK, types_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from halocline.language.expressions.kernel import Statement


def with_scalars(
    statements: Sequence[Statement], taken: Iterable[str] = ()
) -> tuple[tuple[Statement, ...], dict[str, Parameter]]:
    """Return statements in which scalars stand for parameters, and these by the scalars' names.

    An expression of parameters alone is one number, computed in float64 before the cells. It is
    the same whether a kernel gets it by keyword or finds it around the function.

    Args:
        statements: As written.
        taken: Names that scalars have already.
    """
    free = filterfalse(set(taken).__contains__, map("number_{}".format, count()))
    formulas = _formulas(*(s.value for s in statements))
    names = dict(zip(formulas, free, strict=False))
    if not names:
        return tuple(statements), {}
    scalars: dict[Expr, Expr] = {node: Scalar(name) for node, name in names.items()}
    changed = [replace(s, value=replaced(s.value, scalars)) for s in statements]
    return tuple(changed), {name: parameter_of(node) for node, name in names.items()}


def _formulas(*roots: Expr) -> list[Expr]:
    """Return the largest expressions of parameters alone, in a fixed order.

    Conditions and whole numbers stay as they are: scalars are floats.
    """
    nodes = walk(*roots)
    of_numbers: set[Expr] = set()
    for node in nodes:
        below = operands(node)
        is_computed = isinstance(node, Unary | Binary | Compare | Where) and all(
            isinstance(operand, Const) or operand in of_numbers for operand in below
        )
        if isinstance(node, Number) or (is_computed and not of_numbers.isdisjoint(below)):
            of_numbers.add(node)
    scalars = {node for node in of_numbers if _is_float(node)}
    if not scalars:  # as in most kernels, however large
        return []
    others = [node for node in nodes if node not in scalars]
    scalars &= {*roots, *(operand for node in others for operand in operands(node))}
    return [node for node in nodes if node in scalars]


def _is_float(node: Expr) -> bool:
    kind = types_of(node, {})[node]
    return WEAK.get(kind, kind).startswith("float")
