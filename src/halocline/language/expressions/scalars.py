"""The numbers that a kernel is told at run time, in place of the parameters in its text."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

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
from halocline.language.expressions.parameters import Formula, Parameter
from halocline.language.expressions.promotion import WEAK, types_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from halocline.language.expressions.kernel import Statement


def with_scalars(
    statements: Sequence[Statement], known: Iterable[str] = ()
) -> tuple[tuple[Statement, ...], dict[str, Parameter]]:
    """Return statements in which scalars stand for parameters, and these by the scalars' names.

    What is computed of parameters alone is one number, computed in float64 before the cells are:
    the same whether a kernel is told it by keyword or finds it around the function.

    Args:
        statements: As written.
        known: Names that scalars have already.
    """
    taken = set(known)
    names: dict[str, Parameter] = {}
    scalars: dict[Expr, Expr] = {}
    for node in _formulas(*(s.value for s in statements)):
        number = count(len(names))
        name = next(name for n in number if (name := f"number_{n}") not in taken)
        taken.add(name)
        names[name] = node.parameter if isinstance(node, Number) else Formula(node)
        scalars[node] = Scalar(name)
    if not names:
        return tuple(statements), {}
    changed = [replace(s, value=replaced(s.value, scalars)) for s in statements]
    return tuple(changed), names


def _formulas(*roots: Expr) -> list[Expr]:
    """Return what is computed of parameters alone, whole formulas only, in a fixed order.

    Conditions and whole numbers stay as they are: scalars are floats.
    """
    nodes = walk(*roots)
    of_numbers: set[Expr] = set()
    for node in nodes:
        below = operands(node)
        is_computed = isinstance(node, Unary | Binary | Compare | Where) and all(
            isinstance(one, Const) or one in of_numbers for one in below
        )
        if isinstance(node, Number) or (is_computed and not of_numbers.isdisjoint(below)):
            of_numbers.add(node)
    told = {node for node in of_numbers if _is_float(node)}
    if not told:  # as in most kernels, however large
        return []
    used = {*roots, *(one for node in nodes if node not in told for one in operands(node))}
    wanted = told & used
    return [node for node in nodes if node in wanted]


def _is_float(node: Expr) -> bool:
    kind = types_of(node, {})[node]
    return WEAK.get(kind, kind).startswith("float")
