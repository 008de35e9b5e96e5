"""Apart: which cells of a kernel surely do not assign what another one reads.

A kernel may read its neighbours in the field that it assigns if it assigns none of these: since it
runs in a region that does not reach so far (a layer of cells, from the one before), or since it
keeps the old value there (the cells of one colour, from those of the others). A colour is what a
sum of indices leaves over: (hc.index("x") + hc.index("y")) % 2 == 0.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from halocline.frozen import Frozen
from halocline.geometry import added
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
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from halocline.geometry import Box, Offset
    from halocline.language.expressions.expr import Expr
    from halocline.language.expressions.kernel import Statement
    from halocline.language.spaces.space import Space

_TWO = 2


class Cells(Frozen):
    """Where a kernel runs.

    Attributes:
        space: Its cells.
        region: Which of them; None for all.
    """

    space: Space
    region: Box | None

    def are_apart(self, statement: Statement, way: Offset, *, closes: bool = True) -> bool:
        """Return whether no two cells, one 'way' from the other, both assign by a statement.

        Args:
            statement: It may keep the value in some cells.
            way: From where it assigns to where it reads.
            closes: Whether what lies across a periodic side counts.
        """
        if self.region is not None:
            seen = self.region.shift(way)
            if not any(image.meets(seen) for image in self.space.images(self.region)):
                return True
        return any(
            all(change % colours.count for change in self._changes(colours, way, closes=closes))
            for chosen in conditions(statement)
            for colours in _colours(chosen)
        )

    def _changes(self, colours: _Colours, way: Offset, *, closes: bool) -> Iterator[int]:
        """Yield by how much the sum of indices changes on a way, maybe across a periodic side."""
        ways = {way}
        for axis, around in self.space.translations if closes else ():
            back = tuple(-step for step in around)
            ways |= {added(step, back if step[axis] > 0 else around) for step in ways if step[axis]}
        for step in ways:
            yield sum(factor * step[index.axis] for index, factor in colours.factors.items())


class _Colours(Frozen):
    """Cells parted by what the sum of factors times indices leaves over, divided by a number."""

    factors: Mapping[Index, int]
    count: int


class Chosen(Frozen):
    """A condition that must hold, or must not, for a cell to assign a new value.

    Attributes:
        condition: It.
        holds: Whether it must hold.
    """

    condition: Expr
    holds: bool


def conditions(statement: Statement) -> Iterator[Chosen]:
    """Yield what must all hold, or must not, for a statement to assign a new value."""
    value = statement.value
    while isinstance(value, Cast | Where):
        if isinstance(value, Cast):
            value = value.operand
        elif _is_old(value.false, statement):
            yield Chosen(value.condition, holds=True)
            value = value.true
        elif _is_old(value.true, statement):
            yield Chosen(value.condition, holds=False)
            value = value.false
        else:
            return


def _is_old(value: Expr, statement: Statement) -> bool:
    while isinstance(value, Cast):
        value = value.operand
    target = (statement.field, statement.component, statement.offset)
    return isinstance(value, Read) and (value.field, value.component, value.offset) == target


def _colours(chosen: Chosen) -> Iterator[_Colours]:
    """Yield colours that are all the same in cells for which a condition holds, or does not."""
    match chosen:
        case Chosen(Binary("and", left, right), True) | Chosen(Binary("or", left, right), False):
            yield from _colours(Chosen(left, chosen.holds))
            yield from _colours(Chosen(right, chosen.holds))
        case Chosen(Unary("invert", operand), holds):
            yield from _colours(Chosen(operand, not holds))
        case Chosen(Compare("eq" | "ne" as op, left, right), holds):
            for value, other in ((left, right), (right, left)):
                colours = _left_over(value)
                # Of two colours, not to be of one is to be of the other.
                is_one = (op == "eq") == holds
                if colours and _is_alike(other) and (is_one or colours.count == _TWO):
                    yield colours


def _left_over(value: Expr) -> _Colours | None:
    """Return the colours that a value tells, if it is what a sum of indices leaves over."""
    match value:
        case Binary("mod", total, Const(int(count))) if count > 1:
            pass
        case Binary("and", total, Const(int(bits))) | Binary("and", Const(int(bits)), total) if (
            bits > 0 and bits & (bits + 1) == 0
        ):
            count = bits + 1
        case _:
            return None
    factors = _factors(total)
    return _Colours(factors, count) if factors else None


def _factors(value: Expr) -> Counter[Index] | None:
    """Return by what indices are multiplied in a sum; None if it is no such sum."""
    match value:
        case Index():
            return Counter({value: 1})
        case _ if _is_alike(value):
            return Counter()
        case Binary("add" | "sub" as op, left, right):
            first, second = _factors(left), _factors(right)
            if first is None or second is None:
                return None
            result = Counter(first)
            for index, factor in second.items():
                result[index] += factor if op == "add" else -factor
            return result
        case Binary("mul", Const(int(n)), other) | Binary("mul", other, Const(int(n))):
            factors = _factors(other)
            return None if factors is None else Counter({i: n * f for i, f in factors.items()})
        case _:
            return None


def _is_alike(value: Expr) -> bool:
    """Return whether a value is the same in all cells."""
    return isinstance(value, Const | Scalar)
