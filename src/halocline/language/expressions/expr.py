"""The grammar of a cell expression: frozen, interned nodes, one page.

    expr  = Const(value)                        a number written in the kernel
          | Scalar(name)                        a run-time scalar, given by keyword
          | Number(parameter)                   a parameter of the user's, until the expression is
                                                part of a kernel; then one of its scalars
          | Index(axis, offset)                 the global index of the cell 'offset' further along
                                                an axis, which wraps where the grid is periodic
          | Read(field, component, offset,      a neighbour's value, relative to the cell, as the
                 version)                       kernel's version-th assignment to the component
                                                has left it; 0: as the kernel found it; the offset
                                                counts cells of the field ('FieldType.ratio')
          | Unary(op, a)                        an operation of the table in 'operations.py'
          | Binary(op, a, b)
          | Compare(op, a, b)                   a truth value
          | Where(condition, a, b)              a where the condition holds, else b
          | Cast(dtype, a)                      a as a number of another element type

    Only while a kernel is traced, until 'differences.py' knows the places of its fields:

          | Derivative(a, terms, accuracy)      a sum of derivatives of a, as differences
          | Metric(kind, axis, offset)          where the cell lies along an axis, or how wide it is

Semantics: each operation is done in the type that 'promotion.py' says. Floats are IEEE 754, rounded
once, in the order written; nothing is reassociated or contracted. Integers wrap; divided by 0 they
are 0. Both branches of 'Where' are evaluated. Equal trees are one object, so compare with 'is'; the
key keeps 1, 1.0, True, 0.0 and -0.0 apart, which '==' does not.
"""

from __future__ import annotations

from operator import attrgetter
from struct import pack
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakValueDictionary

from msgspec.structs import astuple

from halocline.frozen import Frozen, FrozenType, defaults
from halocline.geometry import added
from halocline.memo import MemoSlot, memoised

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


def _exact(value: object) -> object:
    """Return a key that keeps 1, 1.0, True, 0.0 and -0.0 apart, which '==' does not."""
    return type(value), pack("<d", value) if isinstance(value, float) else value


class _Interned(FrozenType):
    """Give equal nodes one identity, so that 'is' compares whole expressions."""

    _pool: ClassVar[WeakValueDictionary[tuple[object, ...], Any]] = WeakValueDictionary()

    def __call__(cls, *operands: object) -> Any:  # noqa: N805 (a class is made of it)
        if len(operands) < len(cls.__struct_fields__):
            operands += tuple(defaults(cls).values())[len(operands) :]
        key = (cls, *map(_exact, operands))
        node = cls._pool.get(key)
        if node is None:
            node = cls._pool[key] = super().__call__(*operands)
        return node


class Expr(Frozen, MemoSlot, metaclass=_Interned, eq=False, weakref=True):
    """A value at one cell."""

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        """Pickle as a constructor call, so that a loaded node is interned again."""
        return type(self), astuple(self)


class Const(Expr):
    """A number written in Python: of a kind, but of no width of its own."""

    value: float | int | bool


class Scalar(Expr):
    """A number that is the same in all cells and may change between steps."""

    name: str


class Number(Expr):
    """A parameter in an expression that is no kernel's yet: see 'parameters.py'."""

    parameter: Any

    @property
    def name(self) -> str:
        """What messages call it."""
        return str(self.parameter.name)


class Index(Expr):
    """The global index of the cell 'offset' further along one axis.

    Along a periodic axis all images of a cell have its own, from 0 to n - 1; elsewhere it goes on
    beyond the sides. 'aside' is how far along the others, while an expression is written: where a
    periodic side shifts, this matters (see 'across.py').
    """

    axis: int
    offset: int
    aside: tuple[int, ...] = ()


class Read(Expr):
    """The value of a field's component at a relative offset.

    'version' says how many of the kernel's assignments to the component it sees. 'shift' says from
    which cell it is seen, while an expression is written and not known of which space that is one.
    """

    field: str
    component: int
    offset: tuple[int, ...]
    version: int = 0
    shift: tuple[int, ...] = ()


class Unary(Expr):
    """A function of one value."""

    op: str
    operand: Expr


class Binary(Expr):
    """A function of two values."""

    op: str
    left: Expr
    right: Expr


class Compare(Expr):
    """A truth value from two numbers."""

    op: str
    left: Expr
    right: Expr


class Where(Expr):
    """A choice made in each cell."""

    condition: Expr
    true: Expr
    false: Expr


class Cast(Expr):
    """A value as a number of another element type."""

    dtype: str
    operand: Expr


class Derivative(Expr):
    """A sum of derivatives, each an axis and an order; order 0: the value half a cell further.

    'layers' are what absorbs waves at some sides: see 'absorbing.PML'; 'weights' are the user's, of
    cells 1 wide.
    """

    operand: Expr
    terms: tuple[tuple[int, int], ...]
    accuracy: int
    layers: Any = None
    weights: tuple[float, ...] = ()


class Metric(Expr):
    """The 'coordinate' or the 'spacing' of the cell 'offset' further along an axis; see 'Index'."""

    kind: str
    axis: int
    offset: int
    aside: tuple[int, ...] = ()


# A table is faster than a match statement, and every walk asks for the operands of every node.
_OPERANDS: dict[type, Callable[[Any], tuple[Expr, ...]]] = {
    **dict.fromkeys((Unary, Cast, Derivative), lambda node: (node.operand,)),
    **dict.fromkeys((Binary, Compare), attrgetter("left", "right")),
    Where: attrgetter("condition", "true", "false"),
}


def operands(node: Expr) -> tuple[Expr, ...]:
    """Return the expressions directly below a node."""
    below = _OPERANDS.get(type(node))
    return below(node) if below else ()


def walk(*roots: Expr, below: Callable[[Expr], tuple[Expr, ...]] = operands) -> tuple[Expr, ...]:
    """Return every distinct node below the roots once, operands before their users.

    Args:
        roots: Where to begin.
        below: Returns the nodes directly below one.
    """
    if len(roots) != 1 or below is not operands:
        return _ordered(roots, below)
    return (*_below(roots[0]), roots[0])


@memoised
def _below(root: Expr) -> tuple[Expr, ...]:
    """Return the nodes below an expression, operands before their users."""
    return _ordered((root,), operands)[:-1]


def _ordered(roots: Sequence[Expr], below: Callable[[Expr], tuple[Expr, ...]]) -> tuple[Expr, ...]:
    order: list[Expr] = []
    seen: set[Expr] = set()
    # Nodes, and in a tuple those whose operands come before.
    stack: list[Any] = list(reversed(roots))
    while stack:
        node = stack.pop()
        if type(node) is tuple:
            order += node
        elif node not in seen:
            seen.add(node)
            if operands_of := below(node):
                stack.append((node,))
                stack += reversed(operands_of)
            else:
                order.append(node)
    return tuple(order)


def rebuild(node: Expr, below: tuple[Expr, ...]) -> Expr:
    """Return the node with other operands."""
    if below == operands(node):
        return node
    match node:
        case Unary(op, _):
            return Unary(op, *below)
        case Binary(op, _, _):
            return Binary(op, *below)
        case Compare(op, _, _):
            return Compare(op, *below)
        case Where(_, _, _):
            return Where(*below)
        case Cast(dtype, _):
            return Cast(dtype, *below)
        case Derivative(_, terms, accuracy, layers, weights):
            return Derivative(below[0], terms, accuracy, layers, weights)
        case _:
            return node


def rewrite(
    root: Expr, rule: Callable[[Expr], Expr | None], results: dict[Expr, Expr] | None = None
) -> Expr:
    """Return the expression with other nodes in the place of some.

    Args:
        root: The expression.
        rule: Returns what replaces a node; None for the node with rewritten operands.
        results: What nodes have become so far; the others are added.
    """
    results = {} if results is None else results
    for node in walk(root):
        if node not in results:
            result = rule(node)
            if result is None:
                result = rebuild(node, tuple([results[below] for below in operands(node)]))
            results[node] = result
    return results[root]


def shifted(root: Expr, offset: tuple[int, ...]) -> Expr:
    """Return the expression as seen from a cell 'offset' away."""
    if not any(offset):
        return root

    def moved(node: Expr) -> Expr | None:
        match node:
            case Read(field, component, place, version, shift):
                total = added(shift, offset) if shift else offset
                return Read(field, component, place, version, total if any(total) else ())
            # That the grid lacks an axis is said where the kernel is verified.
            case Index(axis, old, aside) if axis < len(offset):
                return Index(axis, old + offset[axis], _aside(axis, aside, offset))
            case Metric(kind, axis, old, aside) if axis < len(offset):
                return Metric(kind, axis, old + offset[axis], _aside(axis, aside, offset))
            case _:
                return None

    return rewrite(root, moved)


def _aside(axis: int, aside: tuple[int, ...], offset: tuple[int, ...]) -> tuple[int, ...]:
    """Return how far an index lies along other axes than its own; nothing if on its own line."""
    total = added(aside or (0,) * len(offset), offset)
    others = tuple(0 if a == axis else cells for a, cells in enumerate(total))
    return others if any(others) else ()


def replaced(root: Expr, others: Mapping[Expr, Expr]) -> Expr:
    """Return the expression with other nodes in the place of some."""
    return rewrite(root, others.get)


def renamed(root: Expr, fields: Mapping[str, str], scalars: Mapping[str, str]) -> Expr:
    """Return the expression with other names of fields and scalars."""

    def other(node: Expr) -> Expr | None:
        match node:
            case Read(field, component, offset, version, shift):
                return Read(fields[field], component, offset, version, shift)
            case Scalar(name):
                return Scalar(scalars[name])
            case _:
                return None

    return rewrite(root, other)
