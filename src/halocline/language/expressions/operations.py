"""The table of operations: what the parts of Halocline know of each is in its row, and only there.

A new function is a row here and its text in 'cpp/abi/elementary/'. Its name in the list in
'cpp/core/elementary.cpp' gives it to formulas and to NumPy's target, too.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from halocline.frozen import Frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

# To what the operands are converted: the type that they have in common; the floating type of
# functions of it; that of quotients; a type in which numbers keep their order.
Operands = Literal["common", "float", "quotient", "compared"]
# What it leaves as it is: nothing, truth values, or integers too.
Kept = Literal["nothing", "truth values", "integers"]
# What operands may be: all; no truth values; truth values or integers; integers; one a float.
Accepted = Literal["all", "numbers", "bits", "integers", "a float"]


class Operation(Frozen, kw_only=True):
    """A function of the values of a cell.

    Attributes:
        name: In expressions.
        arity: The number of operands.
        public: Its name in 'hc', if that is another one.
        sign: How Python writes it; empty for functions.
        numpy: NumPy's name; empty if only Python's 'math' has it.
        cpp: The function in C++ and CUDA; empty if these write the sign.
        cpp_of_integers: The same of integers, if that is another one.
        strength: How strongly its sign binds in C++; 0 for functions.
        includes: What defines the function: parts of 'elementary.hpp'; 'MATHS' or 'DIVIDING' of the
            preludes.
        is_elementary: Whether it has the bits of 'elementary.hpp' on every target; others are
            exact, or rounded once, whatever computes them.
        operands: To which type the operands are converted.
        accepted: Which operands have a meaning.
        keeps: Which operands it leaves as they are.
        of_truths: The operation that is the same of truth values, if that is another one.
        flops: Its cost, in additions of float64; in round numbers, as 'elementary.hpp' writes it.
    """

    name: str
    arity: int
    public: str = ""
    sign: str = ""
    numpy: str = ""
    cpp: str = ""
    cpp_of_integers: str = ""
    strength: int = 0
    includes: tuple[str, ...] = ()
    is_elementary: bool = False
    operands: Operands = "common"
    accepted: Accepted = "all"
    keeps: Kept = "nothing"
    of_truths: str = ""
    flops: int = 1

    @property
    def written(self) -> str:
        """How a program writes it, for messages."""
        return self.sign or f"hc.{self.public or self.name}"


def _sign(name: str, sign: str, strength: int, numpy: str, **columns: Any) -> Operation:
    """Return an operation that C++ writes with the sign of Python, of two values if not said."""
    usual: dict[str, Any] = {"arity": 2, "sign": sign, "strength": strength, "numpy": numpy}
    return Operation(name=name, **usual | columns)


def _function(name: str, *includes: str, **columns: Any) -> Operation:
    """Return an operation that C++ calls, of one value and named as in NumPy if not said."""
    usual: dict[str, Any] = {"arity": 1, "numpy": name, "cpp": f"elementary::{name}"}
    return Operation(name=name, includes=includes, **usual | columns)


def _elementary(name: str, include: str, flops: int, **columns: Any) -> Operation:
    """Return a function with the bits of 'elementary.hpp' on every target."""
    usual: dict[str, Any] = {"is_elementary": True, "operands": "float", "flops": flops}
    return _function(name, include, **usual | columns)


_ROWS = (
    # Name, sign, strength, NumPy's name.
    _sign("neg", "-", 15, "negative", arity=1, accepted="numbers"),
    _sign("invert", "~", 15, "invert", arity=1, accepted="bits"),
    _sign("mul", "*", 13, "multiply", of_truths="and"),
    _sign("div", "/", 13, "divide", operands="quotient"),
    _sign("add", "+", 12, "add", of_truths="or"),
    _sign("sub", "-", 12, "subtract", accepted="numbers"),
    _sign("lt", "<", 10, "less", operands="compared"),
    _sign("le", "<=", 10, "less_equal", operands="compared"),
    _sign("gt", ">", 10, "greater", operands="compared"),
    _sign("ge", ">=", 10, "greater_equal", operands="compared"),
    _sign("eq", "==", 9, "equal", operands="compared"),
    _sign("ne", "!=", 9, "not_equal", operands="compared"),
    _sign("and", "&", 8, "bitwise_and", accepted="bits"),
    _sign("xor", "^", 7, "bitwise_xor", accepted="bits", of_truths="ne"),
    _sign("or", "|", 6, "bitwise_or", accepted="bits"),
    # Python's signs that are functions in C++: there the results are not always defined.
    _function("floordiv", "DIVIDING", sign="//", arity=2, numpy="floor_divide",
              cpp="floor_quotient", accepted="numbers"),
    _function("mod", "DIVIDING", sign="%", arity=2, numpy="remainder", cpp="floor_rest",
              accepted="numbers"),
    _function("shl", "DIVIDING", sign="<<", arity=2, numpy="left_shift", cpp="shifted_left",
              accepted="integers"),
    _function("shr", "DIVIDING", sign=">>", arity=2, numpy="right_shift", cpp="shifted_right",
              accepted="integers"),
    # Name, what to include.
    _function("min", "MATHS", arity=2, public="minimum", numpy="minimum", cpp="minimum",
              of_truths="and"),
    _function("max", "MATHS", arity=2, public="maximum", numpy="maximum", cpp="maximum",
              of_truths="or"),
    _function("abs", "basics", "MATHS", numpy="absolute", cpp="elementary::size",
              cpp_of_integers="magnitude", keeps="truth values"),
    _function("sqrt", "basics", cpp="elementary::root", operands="float"),
    _function("copysign", "basics", arity=2, operands="float"),
    _function("floor", "rounding", keeps="integers"),
    _function("ceil", "rounding", keeps="integers"),
    _function("trunc", "rounding", keeps="integers"),
    _function("round", "rounding", cpp="elementary::rint", keeps="integers"),
    _function("sign", "rounding", accepted="numbers"),
    _function("fmod", "rounding", arity=2, accepted="numbers", flops=60),
    # Name, what to include, cost.
    _elementary("exp", "exponential", 30),
    _elementary("exp2", "exponential", 30),
    _elementary("expm1", "exponential", 45),
    _elementary("log", "logarithm", 35),
    _elementary("log2", "logarithm", 40),
    _elementary("log10", "logarithm", 45),
    _elementary("log1p", "logarithm", 45),
    _elementary("sin", "circular", 60),
    _elementary("cos", "circular", 60),
    _elementary("tan", "circular", 75),
    _elementary("asin", "inverse_circular", 45, numpy="arcsin"),
    _elementary("acos", "inverse_circular", 50, numpy="arccos"),
    _elementary("atan", "inverse_circular", 50, numpy="arctan"),
    _elementary("atan2", "inverse_circular", 65, arity=2, numpy="arctan2"),
    _elementary("sinh", "exponential", 60),
    _elementary("cosh", "exponential", 45),
    _elementary("tanh", "exponential", 55),
    _elementary("cbrt", "root", 45),
    _elementary("hypot", "root", 35, arity=2),
    _elementary("erf", "erf", 65, numpy=""),
    _elementary("pow", "power", 110, arity=2, numpy="power", accepted="a float"),
)  # fmt: skip
OPERATIONS: Mapping[str, Operation] = MappingProxyType({row.name: row for row in _ROWS})
