"""Complex values as pairs of real ones.

A part that is the number 0, as of a real value, is left out of sums and products. So '1j * psi'
costs two changes of place and a sign, and does not make NaN of what is infinite.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from halocline.errors import KernelError
from halocline.language.expressions.arithmetic import Arithmetic
from halocline.language.expressions.operations import OPERATIONS
from halocline.language.place import user_place

# Largest whole power that is a product, as of real values.
_LARGEST_POWER = 16


def is_complex(value: Any) -> bool:
    """Return whether something is a complex number, or stands for one in each cell."""
    return isinstance(value, ComplexArithmetic | complex | np.complexfloating)


def refusal(what: str) -> KernelError:
    """Return the error of a complex value where there must be a real one."""
    return KernelError(
        f"{what} a complex value; expected a real one.",
        hint="Write its .real, .imag or abs(…). Complex values are added, multiplied, divided, "
        "compared by '==', chosen by hc.where, differentiated, and have whole powers, .conj() and "
        "hc.exp.",
        place=user_place(),
    )


class ComplexArithmetic(Arithmetic):
    """A value with a 'real' and an 'imag' part.

    Attributes:
        real: The real part.
        imag: The imaginary part.
    """

    real: Any
    imag: Any

    def applied(self, op: str, *values: Any) -> Any:
        """Apply an operation to this value and another one."""
        return apply_to_complex(op, *values)

    def __neg__(self) -> Complex:
        return self.mapped(lambda part: -part)

    def __pos__(self) -> Complex:
        return self.mapped(lambda part: +part)

    def __abs__(self) -> Any:
        if _is_zero(self.imag):
            return abs(self.real)
        return np.hypot(self.real, self.imag)

    def __pow__(self, power: Any) -> Any:
        """Return a whole power as a product."""
        whole = int(power) if isinstance(power, int | np.integer) else _LARGEST_POWER + 1
        if abs(whole) > _LARGEST_POWER:
            raise refusal(f"The power {power} was taken of")
        result = _product(self, abs(whole))
        return 1.0 / result if whole < 0 else result

    def __rpow__(self, base: Any) -> Any:
        raise refusal(f"{base} was taken to the power of")

    def conj(self) -> Complex:
        """Return the complex conjugate."""
        return Complex(self.real, 0 if _is_zero(self.imag) else -self.imag)

    conjugate = conj

    def astype(self, dtype: Any) -> Any:
        """Refuse to become of another type: the field to which it is assigned decides that."""
        raise refusal(f"'astype({dtype!r})' was applied to")

    def mapped(self, function: Callable[[Any], Any]) -> Complex:
        """Return what a linear function makes of both parts."""
        return Complex(*(0 if _is_zero(part) else function(part) for part in parts_of(self)))

    def __iter__(self) -> Any:
        """Refuse to be taken apart."""
        raise KernelError("A single value was used as a sequence.", place=user_place())

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Do what NumPy's function of that name does, cell by cell."""
        function = _UFUNCS.get(ufunc.__name__)
        if function is None or method != "__call__" or options:
            raise refusal(f"'np.{ufunc.__name__}' was applied to")
        return function(*inputs)

    def __array_function__(self, function: Any, _: Any, inputs: Any, options: Any) -> Any:
        """Do what NumPy's function of that name does, cell by cell."""
        if function is not np.where or options:
            raise refusal(f"'np.{function.__name__}' was applied to")
        return chosen(*inputs)

    def __array__(self, *_: Any, **__: Any) -> Any:
        """Refuse to become an array: the values are not known, or spread over ranks."""
        raise refusal("A NumPy array was to be made of")


class Complex(ComplexArithmetic):
    """A complex value in each cell.

    Args:
        real: Its real part: a number, or a value of cells.
        imag: Its imaginary part.
    """

    def __init__(self, real: Any, imag: Any) -> None:
        self.real, self.imag = real, imag

    def __getitem__(self, offset: Any) -> Complex:
        """Return the value as seen from a cell 'offset' away."""
        return Complex(*(_seen(part, offset) for part in parts_of(self)))

    def __setitem__(self, offset: Any, value: Any) -> None:
        """Assign both parts of a field."""
        # Both are read before one of them is assigned.
        assigned = as_complex(value)
        real, imag = (+part if hasattr(part, "expression") else part for part in parts_of(assigned))
        self.real[offset], self.imag[offset] = real, imag

    def __eq__(self, other: object) -> Any:
        return apply_to_complex("eq", self, other)

    def __ne__(self, other: object) -> Any:
        return apply_to_complex("ne", self, other)

    __hash__ = None  # type: ignore[assignment]

    def _no_number(self) -> Any:
        raise refusal("A function of plain numbers, or a choice by 'if', was applied to")

    __bool__ = __float__ = __int__ = __index__ = __complex__ = _no_number

    def __repr__(self) -> str:
        """Return both parts."""
        return f"<complex: {self.real}, {self.imag}>"


class ComplexComponents:
    """The components of a complex field while a kernel is traced.

    Args:
        parts: Real and imaginary parts of the components, one after the other.
    """

    def __init__(self, parts: Any) -> None:
        self.parts = parts
        self.components = len(parts) // 2

    def __len__(self) -> int:
        return self.components

    def __getitem__(self, q: int) -> Complex:
        if not -self.components <= q < self.components:
            raise IndexError(q)
        q = q % self.components
        return Complex(self.parts[2 * q], self.parts[2 * q + 1])

    def __setitem__(self, q: int, value: Any) -> None:
        self[q][self.parts.here] = value


def parts_of(value: ComplexArithmetic) -> tuple[Any, Any]:
    """Return the real and the imaginary part."""
    return value.real, value.imag


def as_complex(value: Any) -> ComplexArithmetic:
    """Return a real or complex value with both of its parts."""
    if isinstance(value, ComplexArithmetic):
        return value
    if isinstance(value, complex | np.complexfloating):
        return Complex(value.real, value.imag)
    return Complex(value, 0)


def apply_to_complex(op: str, *values: Any) -> Any:
    """Apply an operation to values, one of them complex.

    Raises:
        KernelError: There is no such operation on complex values.
    """
    if op not in _OPERATIONS:
        raise refusal(f"'{OPERATIONS[op].written}' was applied to")
    return _OPERATIONS[op](*map(as_complex, values))


def chosen(condition: Any, a: Any, b: Any) -> Complex:
    """Return a in the cells where the condition holds, b in the others."""
    if is_complex(condition):
        raise refusal("'hc.where' was given as its condition")
    first, other = as_complex(a), as_complex(b)
    return Complex(
        np.where(condition, first.real, other.real), np.where(condition, first.imag, other.imag)
    )


def _seen(part: Any, offset: Any) -> Any:
    return part if _is_number(part) else part[offset]


def _is_number(part: Any) -> bool:
    return isinstance(part, int | float | np.number)


def _is_zero(part: Any) -> bool:
    return _is_number(part) and bool(part == 0)


def _plus(a: Any, b: Any) -> Any:
    if _is_zero(a) or _is_zero(b):
        return b if _is_zero(a) else a
    return a + b


def _minus(a: Any, b: Any) -> Any:
    if _is_zero(b):
        return a
    return -b if _is_zero(a) else a - b


def _times(a: Any, b: Any) -> Any:
    return 0 if _is_zero(a) or _is_zero(b) else a * b


def _over(a: Any, b: Any) -> Any:
    return 0 if _is_zero(a) else a / b


def _multiplied(a: ComplexArithmetic, b: ComplexArithmetic) -> Complex:
    return Complex(
        _minus(_times(a.real, b.real), _times(a.imag, b.imag)),
        _plus(_times(a.real, b.imag), _times(a.imag, b.real)),
    )


def _divided(a: ComplexArithmetic, b: ComplexArithmetic) -> Complex:
    """Return a quotient, without overflow in between (Smith 1962)."""
    if _is_zero(b.imag):
        return Complex(_over(a.real, b.real), _over(a.imag, b.real))
    is_real_larger = abs(b.real) >= abs(b.imag)

    def choice(x: Any, y: Any) -> Any:
        if isinstance(is_real_larger, bool | np.bool_):
            return x if is_real_larger else y
        return np.where(is_real_larger, x, y)

    large, small = choice(b.real, b.imag), choice(b.imag, b.real)
    share = small / large
    divisor = large + small * share
    real = choice(
        _plus(a.real, _times(a.imag, share)),
        _plus(_times(a.real, share), a.imag),
    )
    imag = choice(
        _minus(a.imag, _times(a.real, share)),
        _minus(_times(a.imag, share), a.real),
    )
    return Complex(_over(real, divisor), _over(imag, divisor))


def _product(value: ComplexArithmetic, power: int) -> Any:
    # Halving, as of real values.
    if power < 2:  # noqa: PLR2004
        return +value if power else Complex(1.0, 0)
    half = _product(value, power // 2)
    return half * half * value if power % 2 else half * half


def _exp(value: ComplexArithmetic) -> Complex:
    if _is_zero(value.imag):
        return Complex(_of(np.exp, value.real), 0)
    phase = Complex(_of(np.cos, value.imag), _of(np.sin, value.imag))
    return phase if _is_zero(value.real) else _of(np.exp, value.real) * phase


def _of(function: Any, part: Any) -> Any:
    """Return a function of a part; Python's numbers stay such, without a width."""
    return float(function(part)) if isinstance(part, int | float) else function(part)


_OPERATIONS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "add": lambda a, b: Complex(_plus(a.real, b.real), _plus(a.imag, b.imag)),
        "sub": lambda a, b: Complex(_minus(a.real, b.real), _minus(a.imag, b.imag)),
        "mul": _multiplied,
        "div": _divided,
        "eq": lambda a, b: (a.real == b.real) & (a.imag == b.imag),
        "ne": lambda a, b: (a.real != b.real) | (a.imag != b.imag),
        "neg": lambda a: -a,
        "abs": abs,
        "exp": _exp,
    }
)
_UFUNCS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        **{OPERATIONS[op].numpy: partial(apply_to_complex, op) for op in _OPERATIONS},
        "positive": lambda a: +a,
        "conjugate": lambda a: a.conj(),
        "square": lambda a: a * a,
        "power": lambda a, power: as_complex(a) ** power,
    }
)
