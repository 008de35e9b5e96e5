"""Expressions of random programs, as plain values: what a kernel computes in a cell."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce

from msgspec import Struct

Offset = tuple[int, ...]


class Number(Struct, frozen=True):
    """A number written in the program."""

    value: int | float | bool


class Keyword(Struct, frozen=True):
    """A number given to the kernel by keyword."""

    name: str


class Index(Struct, frozen=True):
    """The index of the cell along an axis."""

    axis: int


class Draw(Struct, frozen=True):
    """A random number of the cell in this step and pass: of [0, 1), or an integer of any bits."""

    seed: int
    stream: int
    dtype: str


class Read(Struct, frozen=True):
    """A component of a field; 'is_old': read at the top of the function, used here.

    A reduction of a whole field, which is no expression, has the component None: it takes all.
    Offsets have all axes of the grid; they are zero along those that the field lacks.
    """

    field: str
    component: int | None
    offset: Offset
    is_old: bool = False


class Carry(Struct, frozen=True):
    """What the cell before has handed on in a sweep."""

    number: int


class Unary(Struct, frozen=True):
    """'neg', 'abs', 'not', … of a value; a function in steps: see 'evaluation'."""

    op: str
    operand: Expression


class Binary(Struct, frozen=True):
    """Arithmetic ('add', …), bitwise ('and', …), comparing ('lt', …), 'min', 'max' or 'fmod'."""

    op: str
    left: Expression
    right: Expression


class Where(Struct, frozen=True):
    """One of two values, chosen in each cell."""

    condition: Expression
    true: Expression
    false: Expression


class Power(Struct, frozen=True):
    """A whole power."""

    base: Expression
    exponent: int


class Cast(Struct, frozen=True):
    """A value converted to another type."""

    operand: Expression
    dtype: str


class Shifted(Struct, frozen=True):
    """A whole expression as seen from the kernel's cell 'offset' away."""

    operand: Expression
    offset: Offset


class Stencil(Struct, frozen=True):
    """A weighted sum of an expression as neighbours have it, in the order of the weights."""

    operand: Expression
    weights: tuple[tuple[Offset, float], ...]


class Difference(Struct, frozen=True):
    """A derivative of a component along an axis, with weights for cells 1 wide.

    Attributes:
        operand: What is differentiated.
        axis: Along which.
        order: Of the derivative.
        weights: From the lowest value up.
        first: How many cells away the lowest value is.
        width: Of a cell.
    """

    operand: Read
    axis: int
    order: int
    weights: tuple[float, ...]
    first: int
    width: float


Expression = (
    Number | Keyword | Carry | Index | Draw | Read | Unary | Binary | Where | Power | Cast | Shifted
    | Stencil | Difference
)  # fmt: skip


def operands(node: Expression) -> tuple[Expression, ...]:
    """Return the expressions directly below one."""
    match node:
        case Unary(_, a) | Power(a, _) | Cast(a, _) | Shifted(a, _):
            return (a,)
        case Binary(_, a, b):
            return (a, b)
        case Where(a, b, c):
            return (a, b, c)
        case Stencil() | Difference():
            return (written_out(node),)
        case _:
            return ()


def written_out(node: Stencil | Difference) -> Expression:
    """Return a weighted sum as its meaning is documented.

    Of a difference values of one weight, but for the sign, are added up before they are
    multiplied; sums of small weights come first.
    """
    if isinstance(node, Stencil):
        terms = [Binary("mul", Shifted(node.operand, way), Number(w)) for way, w in node.weights]
        return reduce(lambda total, term: Binary("add", total, term), terms)
    exact = Fraction(node.width) ** node.order
    groups: dict[Fraction, list[tuple[Offset, bool]]] = {}
    for n, weight in enumerate(node.weights):
        way = tuple((a == node.axis) * (node.first + n) for a in range(len(node.operand.offset)))
        if weight:
            group = groups.setdefault(abs(Fraction(weight) / exact), [])
            group.append((way, weight > 0))
    total: Expression | None = None
    for weight, members in sorted(groups.items()):
        members.sort(key=lambda member: not member[1])
        part: Expression | None = None
        is_added = members[0][1]
        for way, sign in members:
            term = Shifted(node.operand, way)
            part = (
                term if part is None else Binary("add" if sign == is_added else "sub", part, term)
            )
        factor = Number(float(weight) if total is not None or is_added else -float(weight))
        part = Binary("mul", factor, part)
        total = part if total is None else Binary("add" if is_added else "sub", total, part)
    return total


def nodes(root: Expression) -> list[Expression]:
    """Return an expression and all below it."""
    return [root, *(node for below in operands(root) for node in nodes(below))]


def seen(root: Expression, shift: Offset) -> list[tuple[Read | Index | Draw, Offset]]:
    """Return what an expression has in a cell, with the cells from where that is seen."""
    if isinstance(root, Read | Index | Draw):
        return [(root, shift)]
    if isinstance(root, Shifted):
        shift = moved(shift, root.offset)
    return [found for below in operands(root) for found in seen(below, shift)]


def moved(offset: Offset, shift: Offset) -> Offset:
    return tuple(a + b for a, b in zip(offset, shift, strict=True))


def fields_read(value: Expression) -> set[str]:
    return {node.field for node in nodes(value) if isinstance(node, Read)}
