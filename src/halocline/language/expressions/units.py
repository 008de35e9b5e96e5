"""Values in other units: numbers that memory holds as multiples of a power of two.

A product with a power of two is exact. So such factors may pass sums, products, quotients and roots
without a change of any bit, as long as values stay in the range of normal numbers. A kernel that
multiplies what it reads by the unit, and divides what it assigns by it, then needs neither; only
numbers that are added change.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from halocline.language.expressions.expr import (
    Binary,
    Compare,
    Const,
    Expr,
    Read,
    Unary,
    Where,
    operands,
    rebuild,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

_ALIKE = frozenset({"add", "sub", "min", "max"})  # of numbers in one unit
_KEEPING = frozenset({"neg", "abs"})


class _Scaled(NamedTuple):
    """A value: an expression times a power of two."""

    node: Expr
    unit: float = 1.0

    def to(self, unit: float) -> Expr:
        """Return the expression that times another unit is the value."""
        factor = self.unit / unit
        if factor == 1.0:
            return self.node
        if isinstance(self.node, Const):
            return Const(self.node.value * factor)
        return Binary("mul", self.node, Const(factor))


def in_units(value: Expr, unit: float) -> Expr:
    """Return an expression that times the unit is the value.

    Args:
        value: Computed from reads times the unit, and from others.
        unit: A power of two.
    """
    known: dict[Expr, _Scaled] = {}
    for node in walk(value):
        known[node] = _scaled(node, unit, known)
    return known[value].to(unit)


def _scaled(node: Expr, unit: float, known: Mapping[Expr, _Scaled]) -> _Scaled:
    below = [known[operand] for operand in operands(node)]
    match node:
        case Binary("mul", Read() as read, Const(factor)) if factor == unit:
            return _Scaled(read, unit)
        case Binary("mul", _, _):
            return _Scaled(_over(node, below), below[0].unit * below[1].unit)
        case Binary("div", _, _):
            return _Scaled(_over(node, below), below[0].unit / below[1].unit)
        case Binary(op, _, _) if op in _ALIKE:
            common = _common(*below)
            return _Scaled(rebuild(node, tuple(part.to(common) for part in below)), common)
        case Compare(_, _, _):
            common = _common(*below)
            return _Scaled(rebuild(node, tuple(part.to(common) for part in below)))
        case Where(_, _, _):
            condition, *choices = below
            common = _common(*choices)
            parts = [part.to(common) for part in choices]
            return _Scaled(Where(condition.to(1.0), *parts), common)
        case Unary(op, _) if op in _KEEPING:
            return _Scaled(_over(node, below), below[0].unit)
        case Unary("sqrt", _) if (root := math.sqrt(below[0].unit)) ** 2 == below[0].unit:
            return _Scaled(_over(node, below), root)
        case _:
            return _Scaled(rebuild(node, tuple(part.to(1.0) for part in below)))


def _over(node: Expr, below: list[_Scaled]) -> Expr:
    """Return an operation on the expressions, without their units."""
    return rebuild(node, tuple(part.node for part in below))


def _common(a: _Scaled, b: _Scaled) -> float:
    """Return a unit for two values: numbers take that of others, and plain values that of reads."""
    is_plain = isinstance(a.node, Const) or (a.unit == 1.0 and not isinstance(b.node, Const))
    return b.unit if is_plain else a.unit
