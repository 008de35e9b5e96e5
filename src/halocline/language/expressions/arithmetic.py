"""Python's operators: each applies an operation of the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def _both(op: str) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    """Return the methods of an operand before an operation's sign, and of one behind it."""
    return lambda a, b: a.applied(op, a, b), lambda a, b: a.applied(op, b, a)


def _of_one(op: str) -> Callable[[Any], Any]:
    return lambda a: a.applied(op, a)


class Arithmetic:
    """What Python's operators are applied to."""

    def applied(self, op: str, *values: Any) -> Any:
        """Apply an operation, by its name in the table, to this value and another one."""
        raise NotImplementedError

    __neg__ = _of_one("neg")
    __abs__ = _of_one("abs")
    __invert__ = _of_one("invert")
    __trunc__ = _of_one("trunc")
    __floor__ = _of_one("floor")
    __ceil__ = _of_one("ceil")
    __add__, __radd__ = _both("add")
    __sub__, __rsub__ = _both("sub")
    __mul__, __rmul__ = _both("mul")
    __truediv__, __rtruediv__ = _both("div")
    __floordiv__, __rfloordiv__ = _both("floordiv")
    __mod__, __rmod__ = _both("mod")
    __and__, __rand__ = _both("and")
    __or__, __ror__ = _both("or")
    __xor__, __rxor__ = _both("xor")
    __lshift__, __rlshift__ = _both("shl")
    __rshift__, __rrshift__ = _both("shr")
    __lt__ = _both("lt")[0]
    __le__ = _both("le")[0]
    __gt__ = _both("gt")[0]
    __ge__ = _both("ge")[0]

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self
