"""Print values of a loop nest as C++ or CUDA, with the fewest parentheses that keep order."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from halocline.codegen.nest import (
    IndexValue,
    Literal,
    Load,
    Operation,
    ScalarValue,
    stores_side_by_side,
)
from halocline.language.expressions.expr import COMPARE, ELEMENTARY, OF_TWO, ROUNDINGS
from halocline.language.expressions.kernel import INTEGERS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from halocline.codegen.nest import Nest

C_TYPES = {
    "float64": "double",
    "float32": "float",
    "float16": "Half",
    **{name: f"{name}_t" for name in INTEGERS},
    "bool": "bool",
}
_INFIX = {
    "mul": ("*", 13),
    "div": ("/", 13),
    "add": ("+", 12),
    "sub": ("-", 12),
    "lt": ("<", 10),
    "le": ("<=", 10),
    "gt": (">", 10),
    "ge": (">=", 10),
    "eq": ("==", 9),
    "ne": ("!=", 9),
    "bitand": ("&", 8),
    "bitxor": ("^", 7),
    "bitor": ("|", 6),
    "and": ("&&", 5),
    "or": ("||", 4),
}
# Names of 'elementary.hpp' by operation, and the parts of it that have them.
FUNCTIONS = {op: op for op in (*ELEMENTARY, *OF_TWO, *ROUNDINGS, "sign")} | {
    "round": "rint",
    "sqrt": "root",
}
_PARTS = {
    "basics": ("copysign", "sqrt", "abs"),
    "circular": ("sin", "cos", "tan"),
    "erf": ("erf",),
    "exponential": ("exp", "exp2", "expm1", "sinh", "cosh", "tanh"),
    "inverse_circular": ("asin", "acos", "atan", "atan2"),
    "logarithm": ("log", "log2", "log10", "log1p"),
    "power": ("pow",),
    "root": ("cbrt", "hypot"),
    "rounding": (*ROUNDINGS, "sign", "fmod"),
}
PART_OF_FUNCTION = {op: part for part, ops in _PARTS.items() for op in ops}
_SIGNS = {"neg": "-", "not": "!", "invert": "~"}
_FUNCTIONS = {
    "min": "minimum",
    "max": "maximum",
    "floordiv": "floor_quotient",
    "mod": "floor_rest",
    "shl": "shifted_left",
    "shr": "shifted_right",
}
# What C++ computes with ints instead.
_NARROW = ("int8", "int16", "uint8", "uint16")
# Numbers whose text without the sign is none of their type.
_LEAST = {"int64": str(-(1 << 63)), "int32": str(-(1 << 31))}
_ATOM, _PREFIX, _COMPARED, _CHOICE = 20, 15, 11, 3


class Expressions:
    """Texts of the values of one nest.

    Args:
        nest: The nest.
        names: Named values by their position.
        scalar: Gives the name of a scalar in a type.
        load: Gives the text of a load.
        index: Gives the text of a cell's index.
    """

    def __init__(
        self,
        nest: Nest,
        names: Mapping[int, str],
        scalar: Callable[[ScalarValue], str],
        load: Callable[[Load], str],
        index: Callable[[IndexValue], str],
    ) -> None:
        self._nest = nest
        self._names = names
        self._scalar = scalar
        self._load = load
        self._index = index
        self._rounds = stores_side_by_side(nest)

    def text(self, value: int) -> str:
        """Return the definition of a value; named values below it appear by name."""
        return self._define(value)[0]

    def name(self, value: int) -> str:
        """Return the name of a value, or its definition where it has none."""
        return self._names.get(value) or self.text(value)

    def _define(self, number: int) -> tuple[str, int]:
        value = self._nest.values[number]
        match value:
            case Literal(dtype, text):
                return _literal(dtype, text)
            case ScalarValue():
                return self._scalar(value), _ATOM
            case IndexValue():
                return self._index(value), _ATOM
            case Load():
                return self._load(value), _ATOM
            case Operation():
                return self._operation(value)
            case _:
                assert_never(value)

    def _operation(self, value: Operation) -> tuple[str, int]:
        text, strength = self._plain(value)
        if value.type in _NARROW and value.op not in ("where", "cast"):
            return f"static_cast<{C_TYPES[value.type]}>({text})", _ATOM
        return text, strength

    def _plain(self, value: Operation) -> tuple[str, int]:
        below = value.operands
        if value.op in _INFIX:
            sign, strength = _INFIX[value.op]
            if value.op == "or":
                # Compilers want to see parentheses around '&&' within '||'.
                return " || ".join(self._inside(i, _CHOICE + 3) for i in below), strength
            # And around what is compared if it is a comparison, and around all within '&' and '^'.
            least = (
                _PREFIX
                if value.op.startswith("bit")
                else max(strength, _COMPARED if value.op in COMPARE else 0)
            )
            left = self._inside(below[0], least)
            right = self._inside(below[1], max(least, strength + 1))
            if self._rounds and value.op in ("mul", "div") and value.type.startswith("float"):
                return f"rounded({left} {sign} {right})", _ATOM
            return f"{left} {sign} {right}", strength
        if value.op in _SIGNS:
            return f"{_SIGNS[value.op]}{self._inside(below[0], _PREFIX + 1)}", _PREFIX
        if value.op == "where":
            condition, true, false = (self._inside(i, _CHOICE + 2) for i in below)
            return f"{condition} ? {true} : {false}", _CHOICE
        if value.op == "cast":
            return self._cast(
                self._inside(below[0], 0), self._nest.values[below[0]].type, value.type
            )
        arguments = ", ".join(self._inside(i, 0) for i in below)
        return f"{self._function(value)}({arguments})", _ATOM

    def _function(self, value: Operation) -> str:
        match value.op:
            case op if op in _FUNCTIONS:
                return _FUNCTIONS[op]
            case "abs":
                return "elementary::size" if value.type.startswith("float") else "magnitude"
            case op:
                return f"elementary::{FUNCTIONS[op]}"

    @staticmethod
    def _cast(text: str, source: str, target: str) -> tuple[str, int]:
        """Return a value as another type; numbers of 16 bits become floats on the way."""
        if source == "float16":
            text, source = f"widened({text})", "float32"
        if target == "float16" and source != "float32":
            text = f"static_cast<float>({text})"
        if target == "float16":
            return f"narrowed({text})", _ATOM
        if source.startswith("float") and target in INTEGERS and target.startswith("int"):
            # The signs keep GCC from making one function of this and a cast back to the float:
            # that would know a negative zero.
            wide = "int64" if target == "int64" else "int32"
            text = f"-static_cast<{C_TYPES[wide]}>(-({text}))"
            if target == wide:
                return text, _PREFIX
        return text if source == target else f"static_cast<{C_TYPES[target]}>({text})", _ATOM

    def _inside(self, number: int, strength: int) -> str:
        if number in self._names:
            return self._names[number]
        text, own = self._define(number)
        return text if own >= strength else f"({text})"


def moved(offset: int) -> str:
    """Return '+ 1', '- 1' or nothing."""
    if offset == 0:
        return ""
    return f"{'+' if offset > 0 else '-'} {abs(offset)}"


def scaled(cell: str, ratio: int, offset: int = 0) -> str:
    """Return where a kernel's cell or an end of a row is in a field: 'x - 1', 'x * 2 + 1', '0'."""
    if ratio == 0:
        return str(offset)
    place = cell if cell.replace(".", "_").isidentifier() else f"({cell})"
    return f"{cell if ratio == 1 else f'{place} * {ratio}'} {moved(offset)}".strip()


def _of_integer(dtype: str, digits: str) -> str:
    """Return digits as an integer of 32 or 64 bits."""
    match dtype:
        case "int64" | "uint64":
            return f"{dtype.upper()}_C({digits})"
        case "uint32":
            return f"{digits}u"
        case _:
            return digits


def _literal(dtype: str, text: str) -> tuple[str, int]:
    number = text.lstrip("-")
    sign = text[: len(text) - len(number)]
    if dtype == "bool":
        return ("true" if text == "1" else "false"), _ATOM
    if dtype in _NARROW:
        return f"{C_TYPES[dtype]}({text})", _ATOM
    if text == _LEAST.get(dtype):
        return f"({_literal(dtype, str(int(text) + 1))[0]} - 1)", _ATOM
    if dtype in INTEGERS:
        number = _of_integer(dtype, number)
    elif number in ("inf", "nan"):
        number = {"inf": "ELEMENTARY_INFINITY", "nan": "ELEMENTARY_NAN"}[number]
        number = number if dtype == "float32" else f"double({number})"
    else:
        number = number if any(c in number for c in ".e") else number + ".0"
        number += "f" if dtype == "float32" else ""
    return sign + number, _PREFIX if sign else _ATOM
