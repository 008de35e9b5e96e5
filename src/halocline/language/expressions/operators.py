"""Arithmetic on symbols: what a user's function does to its arguments becomes expressions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import KernelError, nearest
from halocline.language.expressions.arithmetic import Arithmetic
from halocline.language.expressions.complex_values import (
    ComplexArithmetic,
    apply_to_complex,
    as_complex,
    chosen,
    is_complex,
    refusal,
)
from halocline.language.expressions.expr import (
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
from halocline.language.expressions.operations import OPERATIONS
from halocline.language.expressions.plain import plain
from halocline.language.expressions.promotion import COMPUTED, LARGEST_POWER
from halocline.language.expressions.show import show_formula
from halocline.language.expressions.subscripts import parse_offset
from halocline.language.expressions.tracing import Traced, traced
from halocline.language.place import user_place

if TYPE_CHECKING:
    from collections.abc import Callable


class Operand(Arithmetic):
    """Something that stands for a value in each cell and can be computed with."""

    # Whether it is the same in all cells: what is computed of such alone is, too.
    is_number = False
    # Whether it has values on all levels of a forest: what is computed of such has, too.
    is_on_levels = False

    def expression(self) -> Expr:
        """Return the value as an expression."""
        raise NotImplementedError

    def made(self, node: Expr) -> Any:
        """Return what an operation gives whose operands are all like this one."""
        return Value(node)

    def astype(self, dtype: Any) -> Any:
        """Return the value as a number of another element type, as NumPy converts it.

        Floats lose their fraction; beyond the range of an integer type the result is not
        defined.

        Args:
            dtype: 'float64', 'float32', 'int8' to 'int64', 'uint8' to 'uint64' or 'bool', or
                NumPy's.
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

    def applied(self, op: str, *values: Any) -> Any:
        """Apply an operation to this value and another one."""
        return _of_cells(op, *values)

    def __pow__(self, power: Any) -> Any:
        """Return a power: of whole and half numbers as products, roots and a quotient."""
        return power_of(self, power)

    def __rpow__(self, base: Any) -> Any:
        return power_of(base, self)

    def __pos__(self) -> Any:
        return self.made(self.expression())

    def _no_operation(self, *_: Any) -> Any:
        """Refuse what Python can write and the language cannot say."""
        raise KernelError(
            "'@' was applied to a value that differs from cell to cell.",
            hint="There are + - * / // % ** and, for integers, & | ^ ~ << >>; "
            "value.astype('int64') drops the fraction.",
            place=user_place(),
        )

    __matmul__ = __rmatmul__ = _no_operation

    def __round__(self, digits: int | None = None) -> Any:
        """Return the nearest whole number, of two equally near the even one, in its own type."""
        if digits:
            raise KernelError(
                f"A value was to be rounded to {digits} digits; expected whole numbers.",
                hint="Write round(100 * value) / 100.",
                place=user_place(),
            )
        return apply("round", self)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Do what NumPy's function of that name does, cell by cell."""
        function = _UFUNCS.get(ufunc.__name__)
        if function is None or method != "__call__" or options:
            raise _no_function(f"np.{ufunc.__name__}")
        return function(*inputs)

    def __array_function__(self, function: Any, _: Any, inputs: Any, options: Any) -> Any:
        """Do what NumPy's function of that name does, cell by cell."""
        supported = _FUNCTIONS.get(function.__name__)
        if supported is None or options or len(inputs) != supported[0]:
            raise _no_function(f"np.{function.__name__}")
        return supported[1](*inputs)

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
        return apply("eq", self, other)

    def __ne__(self, other: object) -> Any:
        return apply("ne", self, other)

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
        """Return the expression as seen from a cell 'offset' away, along the axes of the kernel."""
        cells = cells_of(self.node, np.size(offset))
        place = parse_offset("the expression", cells.axes, cells.dimensions, offset)
        return Value(shifted(self.node, place))

    def __repr__(self) -> str:
        """Return how it is computed in each cell."""
        return f"<{show_formula(self.node)} in each cell>"

    def __iter__(self) -> Any:
        """Refuse to be taken apart."""
        raise KernelError("A single value was used as a sequence.", place=user_place())


def cells_of(node: Expr, dimensions: int) -> Traced:
    """Return the cells in which an expression has values, along whose axes it is read.

    Args:
        node: The expression.
        dimensions: Those of the grid, where that is not known: for an expression outside of kernels
            that reads no field.
    """
    kernel = traced()
    if kernel is not None:
        return kernel
    read = next((n for n in walk(node) if isinstance(n, Read)), None)
    dimensions = dimensions if read is None else len(read.offset)
    return Traced(dimensions, tuple(range(dimensions)))


def to_expression(value: Any) -> Expr:
    """Return a number or symbol as an expression; a NumPy number has a width, Python's has none."""
    if isinstance(value, Operand):
        return value.expression()
    if is_complex(value):
        raise refusal("There is")
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
    if isinstance(value, np.integer):
        return value.dtype.name
    return "float32" if np.can_cast(value.dtype, "float32") else "float64"


def _made(node: Expr, *operands: Any) -> Any:
    """Return what an operation gives: a number if all operands are, else a value in each cell."""
    symbols = [operand for operand in operands if isinstance(operand, Operand)]
    return max(symbols, key=lambda symbol: (symbol.is_on_levels, not symbol.is_number)).made(node)


def power_of(base: Any, power: Any) -> Any:
    """Return a power: of whole and half numbers as products, roots and a quotient."""
    if is_complex(base) or is_complex(power):
        return as_complex(base) ** power
    is_known = isinstance(power, int | float | np.integer)
    if not is_known or abs(power) > LARGEST_POWER or not float(2 * power).is_integer():
        return apply("pow", base, power)
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
    if any(map(is_complex, (condition, a, b))):
        return chosen(condition, a, b)
    node = Where(to_expression(condition), to_expression(a), to_expression(b))
    return _made(node, condition, a, b)


def is_symbolic(*values: Any) -> bool:
    """Return whether one of some values differs from cell to cell."""
    return any(isinstance(value, Operand | ComplexArithmetic) for value in values)


def apply(op: str, *values: Any) -> Any:
    """Apply an operation to values; Python or NumPy does it for plain numbers and arrays.

    Args:
        op: Its name in the table of operations.
        values: Its operands.
    """
    return _of_cells(op, *values) if is_symbolic(*values) else plain(op, *values)


def _of_cells(op: str, *values: Any) -> Any:
    """Apply an operation to values, one of which differs from cell to cell."""
    if any(map(is_complex, values)):
        return apply_to_complex(op, *values)
    operation = OPERATIONS[op]
    binary = Compare if operation.operands == "compared" else Binary
    node: Any = Unary if operation.arity == 1 else binary
    return _made(node(op, *map(to_expression, values)), *values)


def limited(value: Any, lower: Any, upper: Any) -> Any:
    """Return the value, or the limit beyond which it lies; None is no limit."""
    above = value if lower is None else apply("max", value, lower)
    return above if upper is None else apply("min", above, upper)


def _truth(value: Any) -> Any:
    return apply("ne", value, 0)


# What NumPy's functions of these names do to values of cells.
_UFUNCS: dict[str, Callable[..., Any]] = {
    **{row.numpy: partial(apply, op) for op, row in OPERATIONS.items() if row.numpy},
    "fabs": partial(apply, "abs"),
    "isnan": lambda a: apply("ne", a, a),
    "divmod": divmod,
    "positive": lambda a: +a,
    "square": lambda a: a * a,
    "power": power_of,
    "rint": partial(apply, "round"),
    "logical_and": lambda a, b: _truth(a) & _truth(b),
    "logical_or": lambda a, b: _truth(a) | _truth(b),
    "logical_xor": lambda a, b: _truth(a) ^ _truth(b),
    "logical_not": lambda a: apply("eq", a, 0),
}

# The same of those that are no universal functions, with the number of their arguments.
_FUNCTIONS: dict[str, tuple[int, Callable[..., Any]]] = {
    "where": (3, choice),
    "clip": (3, limited),
    "round": (1, partial(apply, "round")),
}


def _no_function(name: str) -> KernelError:
    """Return the refusal of a function that the language does not have."""
    return KernelError(
        f"'{name}' was applied to a value that differs from cell to cell.",
        hint="The language has hc.sqrt, exp, log, sin, cos, tanh, abs, minimum, maximum, where and "
        "others (docs/guide/language.md names all), under NumPy's names too.",
        place=user_place(),
    )
