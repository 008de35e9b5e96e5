"""Arithmetic on symbols: what a user's function does to its arguments becomes expressions."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import KernelError, nearest
from halocline.language.expr import (
    Binary,
    Cast,
    Compare,
    Const,
    Expr,
    Read,
    Unary,
    Where,
    shifted,
    walk,
)
from halocline.language.place import user_place
from halocline.language.promotion import COMPUTED
from halocline.language.subscripts import parse_component, parse_offset, parse_offset_of_field

if TYPE_CHECKING:
    from collections.abc import Callable

    from halocline.language.space import Space

_LARGEST_POWER = 16


class Operand:
    """Something that stands for a value in each cell and can be computed with."""

    # Whether it is the same in all cells: what is computed of such alone is, too.
    is_number = False

    def expression(self) -> Expr:
        """Return the value as an expression."""
        raise NotImplementedError

    def made(self, node: Expr) -> Any:
        """Return what an operation gives whose operands are all like this one."""
        return Value(node)

    def astype(self, dtype: Any) -> Any:
        """Return the value as a number of another element type, as NumPy converts it.

        Floats lose what follows the point; beyond the range of an integer type the result is not
        defined.

        Args:
            dtype: 'float64', 'float32', 'int64', 'int32', 'uint8' or 'bool', or NumPy's.
        """
        try:
            name = np.dtype(dtype).name
        except TypeError:
            name = str(dtype)
        if name not in COMPUTED:
            raise KernelError(
                f"A value was to become of type '{name}'.",
                hint=nearest(name, COMPUTED),
                place=user_place(),
            )
        return self.made(Cast(name, self.expression()))

    def __add__(self, other: Any) -> Any:
        return binary("add", self, other)

    def __radd__(self, other: Any) -> Any:
        return binary("add", other, self)

    def __sub__(self, other: Any) -> Any:
        return binary("sub", self, other)

    def __rsub__(self, other: Any) -> Any:
        return binary("sub", other, self)

    def __mul__(self, other: Any) -> Any:
        return binary("mul", self, other)

    def __rmul__(self, other: Any) -> Any:
        return binary("mul", other, self)

    def __truediv__(self, other: Any) -> Any:
        return binary("div", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return binary("div", other, self)

    def __pow__(self, power: Any) -> Any:
        """Return a power as products, roots and a quotient."""
        return _power(self, power)

    def __rpow__(self, base: Any) -> Any:
        """Refuse a power that differs from cell to cell."""
        return _power(base, self)

    def __neg__(self) -> Any:
        return self.made(Unary("neg", self.expression()))

    def __pos__(self) -> Any:
        return self.made(self.expression())

    def __abs__(self) -> Any:
        return self.made(Unary("abs", self.expression()))

    def __lt__(self, other: Any) -> Any:
        return _compare("lt", self, other)

    def __le__(self, other: Any) -> Any:
        return _compare("le", self, other)

    def __gt__(self, other: Any) -> Any:
        return _compare("gt", self, other)

    def __ge__(self, other: Any) -> Any:
        return _compare("ge", self, other)

    def __and__(self, other: Any) -> Any:
        return binary("and", self, other)

    def __rand__(self, other: Any) -> Any:
        return binary("and", other, self)

    def __or__(self, other: Any) -> Any:
        return binary("or", self, other)

    def __ror__(self, other: Any) -> Any:
        return binary("or", other, self)

    def __xor__(self, other: Any) -> Any:
        return binary("xor", self, other)

    def __rxor__(self, other: Any) -> Any:
        return binary("xor", other, self)

    def __invert__(self) -> Any:
        return self.made(Unary("invert", self.expression()))

    def _no_operation(self, *_: Any) -> Any:
        """Refuse what Python can write and the language cannot say."""
        raise KernelError(
            "'%', '//', '<<', '>>', '@' or a rounding was applied to a value that differs from "
            "cell to cell.",
            hint="There are + - * / ** and, for integers and truth values, & | ^ ~; "
            "value.astype('int64') cuts off what follows the point.",
            place=user_place(),
        )

    __mod__ = __rmod__ = __floordiv__ = __rfloordiv__ = __divmod__ = __rdivmod__ = _no_operation
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __matmul__ = __rmatmul__ = _no_operation
    __round__ = __trunc__ = __floor__ = __ceil__ = _no_operation

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Do what NumPy's function of that name does, cell by cell."""
        function = _UFUNCS.get(ufunc.__name__)
        if function is None or method != "__call__" or options:
            raise _no_function(f"np.{ufunc.__name__}")
        return function(*inputs)

    def __array_function__(self, function: Any, _: Any, inputs: Any, options: Any) -> Any:
        """Do what NumPy's function of that name does, cell by cell."""
        if function is not np.where or options or len(inputs) != _ARGUMENTS_OF_WHERE:
            raise _no_function(f"np.{function.__name__}")
        return choice(*inputs)

    def __array__(self, *_: Any, **__: Any) -> Any:
        """Refuse to become an array: the values are not known, or spread over ranks."""
        raise KernelError(
            "A NumPy array was to be made of something that stands for a value in each cell.",
            hint="In a kernel compute with it as it is; elsewhere field.gather() returns the "
            "values of all cells on rank 0, field.local() those of this rank.",
            place=user_place(),
        )


class Symbol(Operand):
    """An operand whose value is not known while a kernel is traced; '==' compares in each cell."""

    def __eq__(self, other: object) -> Any:
        return _compare("eq", self, other)

    def __ne__(self, other: object) -> Any:
        return _compare("ne", self, other)

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        """Refuse to choose: the value is not known while the kernel is traced."""
        raise KernelError(
            "'if', 'and', 'or' or 'not' was applied to a value that differs from cell to cell.",
            hint="Write hc.where(condition, a, b), '&', '|' and '~' instead.",
            place=user_place(),
        )

    def _no_number(self) -> Any:
        """Refuse to become a number."""
        raise KernelError(
            "A function of plain numbers was applied to a value that differs from cell to cell.",
            hint="Use Halocline's own functions: hc.sqrt, hc.exp, hc.sin, …",
            place=user_place(),
        )

    __float__ = __int__ = __complex__ = __index__ = _no_number


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


class _Component(Value):
    """One component of a field outside of a kernel; its subscript is an offset of the field."""

    def __init__(self, name: str, component: int, space: Space) -> None:
        super().__init__(Read(name, component, (0,) * len(space.extent)))
        self._name, self._component, self._space = name, component, space

    def __getitem__(self, offset: Any) -> Value:
        """Return its value at an offset."""
        place = parse_offset_of_field(self._name, self._space, offset)
        return Value(Read(self._name, self._component, place))


def to_expression(value: Any) -> Expr:
    """Return a number or symbol as an expression; a NumPy number has a width, Python's has none."""
    if isinstance(value, Operand):
        return value.expression()
    if isinstance(value, bool | np.bool_):
        return Const(bool(value))
    if isinstance(value, np.number) and not isinstance(value, np.complexfloating):
        kind = int if isinstance(value, np.integer) else float
        return Cast(width_of(value), Const(kind(value)))
    if isinstance(value, int):
        return Const(int(value))
    if isinstance(value, float):
        return Const(float(value))
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return to_expression(value[()])
    if isinstance(value, np.ndarray):
        raise KernelError(
            f"A NumPy array of shape {value.shape} was used in a kernel; expected a number or a "
            "value of a field.",
            hint="Put its values into a field with 'set', and pass that to the kernel.",
            place=user_place(),
        )
    raise KernelError(
        f"A value of type '{type(value).__name__}' was used in a kernel; expected a number or a "
        "value of a field.",
        place=user_place(),
    )


def width_of(value: np.number[Any]) -> str:
    """Return the narrowest type to compute in that holds all numbers of a NumPy number's type."""
    kinds = ("uint8", "int32", "int64") if isinstance(value, np.integer) else ("float32", "float64")
    return next((kind for kind in kinds if np.can_cast(value.dtype, kind)), kinds[-1])


def access(name: str, components: int, space: Space, key: Any) -> Any:
    """Return what 'field[key]' means: a component of several, or the value at an offset."""
    if components == 1:
        return Value(Read(name, 0, parse_offset_of_field(name, space, key)))
    return _Component(name, parse_component(name, components, key), space)


def _made(node: Expr, *operands: Any) -> Any:
    """Return what an operation gives: a number if all operands are, else a value in each cell."""
    symbols = [one for one in operands if isinstance(one, Operand)]
    return next((one for one in symbols if not one.is_number), symbols[0]).made(node)


def binary(op: str, left: Any, right: Any) -> Any:
    """Return a function of two values."""
    return _made(Binary(op, to_expression(left), to_expression(right)), left, right)


def _compare(op: str, left: Any, right: Any) -> Any:
    return _made(Compare(op, to_expression(left), to_expression(right)), left, right)


def _power(base: Any, power: Any) -> Any:
    is_known = isinstance(power, int | float | np.integer)
    if not is_known or abs(power) > _LARGEST_POWER or not float(2 * power).is_integer():
        found = f"The power {power!r}" if is_known else "A power that is known only at run time"
        raise KernelError(
            f"{found} was used; expected a whole or half number from -{_LARGEST_POWER} to "
            f"{_LARGEST_POWER}.",
            hint="Write hc.exp(p * hc.log(x)) for other powers of what is greater than zero.",
            place=user_place(),
        )
    whole, has_root = divmod(int(abs(2 * power)), 2)
    result = _product(base, whole)
    if has_root:
        root = apply("sqrt", base)
        result = result * root if whole else root
    return 1.0 / result if power < 0 else result


def _product(base: Operand, power: int) -> Any:
    # Halving, so that x**4 is (x*x)*(x*x): the order is part of the result's bits.
    if power == 0:
        return base.made(Where(Const(1), Const(1), to_expression(base)))
    if power == 1:
        return base.made(base.expression())
    half = _product(base, power // 2)
    return half * half * base if power % 2 else half * half


def choice(condition: Any, a: Any, b: Any) -> Any:
    """Return a in the cells where the condition holds, b in the others."""
    node = Where(to_expression(condition), to_expression(a), to_expression(b))
    return _made(node, condition, a, b)


def is_symbolic(*values: Any) -> bool:
    """Return whether one of some values differs from cell to cell."""
    return any(isinstance(value, Operand) for value in values)


def apply(op: str, x: Any) -> Any:
    """Return a function of one value; of a plain number what Python or NumPy makes of it."""
    if isinstance(x, Operand):
        return x.made(Unary(op, x.expression()))
    if isinstance(x, np.ndarray | np.number):
        # The same function serves for an initial state, computed with arrays.
        return getattr(np, op)(x)
    return abs(x) if op == "abs" else getattr(math, op)(x)


def _truth(value: Any) -> Any:
    return _compare("ne", value, 0)


_ARGUMENTS_OF_WHERE = 3
_BINARY_UFUNCS = {
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "div",
    "minimum": "min", "maximum": "max",
    "bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor",
}  # fmt: skip
_COMPARING_UFUNCS = {
    "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge",
    "equal": "eq", "not_equal": "ne",
}  # fmt: skip
# What NumPy's functions of these names do to values of cells.
_UFUNCS: dict[str, Callable[..., Any]] = {
    **{name: partial(binary, op) for name, op in _BINARY_UFUNCS.items()},
    **{name: partial(_compare, op) for name, op in _COMPARING_UFUNCS.items()},
    **{name: partial(apply, name) for name in ("sqrt", "exp", "log", "sin", "cos", "tanh")},
    "absolute": partial(apply, "abs"),
    "negative": lambda a: -a,
    "positive": lambda a: +a,
    "invert": lambda a: ~a,
    "square": lambda a: a * a,
    "power": _power,
    "logical_and": lambda a, b: _truth(a) & _truth(b),
    "logical_or": lambda a, b: _truth(a) | _truth(b),
    "logical_xor": lambda a, b: _truth(a) ^ _truth(b),
    "logical_not": lambda a: _compare("eq", a, 0),
}


def _no_function(name: str) -> KernelError:
    """Return the refusal of a function that the language does not have."""
    return KernelError(
        f"'{name}' was applied to a value that differs from cell to cell.",
        hint="The language has hc.sqrt, exp, log, sin, cos, tanh, abs, minimum, maximum and where, "
        "under NumPy's names too.",
        place=user_place(),
    )
