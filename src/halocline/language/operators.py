"""Arithmetic on symbols: what a user's function does to its arguments becomes expressions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from halocline.errors import KernelError
from halocline.language.expr import (
    Binary,
    Compare,
    Const,
    Expr,
    Index,
    Read,
    Unary,
    Where,
    shifted,
    walk,
)
from halocline.language.place import user_place

_LARGEST_POWER = 16


class Operand:
    """Something that stands for a value in each cell and can be computed with."""

    __array_ufunc__ = None  # so that a NumPy number on the left asks us

    def expression(self) -> Expr:
        """Return the value as an expression."""
        raise NotImplementedError

    def __add__(self, other: Any) -> Value:
        return _binary("add", self, other)

    def __radd__(self, other: Any) -> Value:
        return _binary("add", other, self)

    def __sub__(self, other: Any) -> Value:
        return _binary("sub", self, other)

    def __rsub__(self, other: Any) -> Value:
        return _binary("sub", other, self)

    def __mul__(self, other: Any) -> Value:
        return _binary("mul", self, other)

    def __rmul__(self, other: Any) -> Value:
        return _binary("mul", other, self)

    def __truediv__(self, other: Any) -> Value:
        return _binary("div", self, other)

    def __rtruediv__(self, other: Any) -> Value:
        return _binary("div", other, self)

    def __pow__(self, power: Any) -> Any:
        """Return a whole power as a product, 0.5 as a root."""
        return _power(self, power)

    def __neg__(self) -> Value:
        return Value(Unary("neg", self.expression()))

    def __pos__(self) -> Value:
        return Value(self.expression())

    def __abs__(self) -> Value:
        return Value(Unary("abs", self.expression()))

    def __lt__(self, other: Any) -> Value:
        return _compare("lt", self, other)

    def __le__(self, other: Any) -> Value:
        return _compare("le", self, other)

    def __gt__(self, other: Any) -> Value:
        return _compare("gt", self, other)

    def __ge__(self, other: Any) -> Value:
        return _compare("ge", self, other)

    def __and__(self, other: Any) -> Value:
        return _binary("and", self, other)

    def __or__(self, other: Any) -> Value:
        return _binary("or", self, other)

    def __invert__(self) -> Value:
        return Value(Unary("not", self.expression()))


class Symbol(Operand):
    """An operand whose value is not known while a kernel is traced; '==' compares in each cell."""

    def __eq__(self, other: object) -> Value:  # type: ignore[override]
        return _compare("eq", self, other)

    def __ne__(self, other: object) -> Value:  # type: ignore[override]
        return _compare("ne", self, other)

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        """Refuse to choose: the value is not known while the kernel is traced."""
        raise KernelError(
            "'if', 'and', 'or' or 'not' was applied to a value that differs from cell to cell.",
            hint="Write hc.where(condition, a, b), '&', '|' and '~' instead.",
            place=user_place(),
        )

    def __float__(self) -> float:
        """Refuse to become a number."""
        raise KernelError(
            "A function of plain numbers was applied to a value that differs from cell to cell.",
            hint="Use Halocline's own functions: hc.sqrt, hc.exp, hc.sin, …",
            place=user_place(),
        )


class Value(Symbol):
    """An expression under construction.

    'value[1, 0, 0]' is the same expression seen from the cell one further in x.
    """

    def __init__(self, node: Expr) -> None:
        self.node = node

    def expression(self) -> Expr:
        """Return the expression."""
        return self.node

    def __getitem__(self, offset: Any) -> Value:
        """Return the expression as seen from a cell 'offset' away."""
        read = next((n for n in walk(self.node) if isinstance(n, Read)), None)
        dimensions = len(read.offset) if read else len(np.atleast_1d(offset))
        return Value(shifted(self.node, parse_offset("the expression", dimensions, offset)))

    def __iter__(self) -> Any:
        """Refuse to be taken apart."""
        raise KernelError("A single value was used as a sequence.", place=user_place())


def to_expression(value: Any) -> Expr:
    """Return a number or symbol as an expression."""
    if isinstance(value, Operand):
        return value.expression()
    if isinstance(value, bool | np.bool_):
        return Const(bool(value))
    if isinstance(value, int | np.integer):
        return Const(int(value))
    if isinstance(value, float | np.floating):
        return Const(float(value))
    raise KernelError(
        f"A value of type '{type(value).__name__}' was used in a kernel; expected a number or a "
        "value of a field.",
        place=user_place(),
    )


def parse_offset(name: str, dimensions: int, key: Any) -> tuple[int, ...]:
    """Return a subscript as an offset, or say what is wrong with it."""
    offset = key if isinstance(key, tuple) else (key,)
    if not all(isinstance(o, int | np.integer) for o in offset):
        raise KernelError(
            f"'{name}' was read at {key!r}; expected whole numbers relative to the cell.",
            place=user_place(),
        )
    if len(offset) != dimensions:
        raise KernelError(
            f"'{name}' was used with {len(offset)} offsets {offset}; expected {dimensions}, one "
            "for each axis of the grid.",
            hint=f"Write {name}[{', '.join('0' * dimensions)}] for the cell itself.",
            place=user_place(),
        )
    return tuple(int(o) for o in offset)


def access(name: str, components: int, dimensions: int, key: Any) -> Any:
    """Return what 'field[key]' means: a component of several, or the value at an offset."""
    if components == 1:
        return Value(Read(name, 0, parse_offset(name, dimensions, key)))
    return Value(Read(name, parse_component(name, components, key), (0,) * dimensions))


def parse_component(name: str, components: int, key: Any) -> int:
    """Return a subscript as a component, or say what is wrong with it."""
    if not isinstance(key, int | np.integer):
        raise KernelError(
            f"'{name}' has {components} components but was subscripted with {key!r}; expected a "
            "component first.",
            hint=f"Write {name}[component][offsets].",
            place=user_place(),
        )
    if not 0 <= key < components:
        raise KernelError(
            f"Component {key} of '{name}' was used; it has components 0 to {components - 1}.",
            place=user_place(),
        )
    return int(key)


def _binary(op: str, left: Any, right: Any) -> Value:
    return Value(Binary(op, to_expression(left), to_expression(right)))


def _compare(op: str, left: Any, right: Any) -> Value:
    return Value(Compare(op, to_expression(left), to_expression(right)))


def _power(base: Operand, power: Any) -> Any:
    if not isinstance(power, Operand) and power == 0.5:  # noqa: PLR2004 (the root)
        return sqrt(base)
    if not isinstance(power, int) or not 1 <= power <= _LARGEST_POWER:
        raise KernelError(
            f"The power {power!r} was used; expected 0.5 or a whole number from 1 to "
            f"{_LARGEST_POWER}.",
            hint="Write hc.exp(p * hc.log(x)) for other powers.",
            place=user_place(),
        )
    # Halving, so that x**4 is (x*x)*(x*x): the order is part of the result's bits.
    if power == 1:
        return Value(base.expression())
    half = _power(base, power // 2)
    return half * half * base if power % 2 else half * half


def _function(op: str, x: Any) -> Any:
    if isinstance(x, Operand):
        return Value(Unary(op, x.expression()))
    if isinstance(x, np.ndarray):
        # The same function serves for an initial state, computed with arrays.
        return getattr(np, op)(x)
    return abs(x) if op == "abs" else getattr(math, op)(x)


def sqrt(x: Any) -> Any:
    """Return the square root, correctly rounded."""
    return _function("sqrt", x)


def exp(x: Any) -> Any:
    """Return e to the power x."""
    return _function("exp", x)


def log(x: Any) -> Any:
    """Return the natural logarithm."""
    return _function("log", x)


def sin(x: Any) -> Any:
    """Return the sine of an angle [rad]."""
    return _function("sin", x)


def cos(x: Any) -> Any:
    """Return the cosine of an angle [rad]."""
    return _function("cos", x)


def tanh(x: Any) -> Any:
    """Return the hyperbolic tangent."""
    return _function("tanh", x)


def minimum(a: Any, b: Any) -> Value:
    """Return b where b < a, else a."""
    return _binary("min", a, b)


def maximum(a: Any, b: Any) -> Value:
    """Return b where a < b, else a."""
    return _binary("max", a, b)


def where(condition: Any, a: Any, b: Any) -> Value:
    """Return a in the cells where the condition holds, b in the others."""
    return Value(Where(to_expression(condition), to_expression(a), to_expression(b)))


def index(axis: str) -> Value:
    """Return the global index of the cell along 'x', 'y' or 'z'."""
    if axis not in ("x", "y", "z"):
        raise KernelError(f"There is no axis '{axis}'.", place=user_place())
    return Value(Index("xyz".index(axis), 0))
