"""Print values of a loop nest as C++ or CUDA, with the fewest parentheses that keep order."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from halocline.codegen.lower import IndexValue, Literal, Load, Operation, ScalarValue

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from halocline.codegen.lower import Nest

C_TYPES = {
    "float64": "double",
    "float32": "float",
    "float16": "Half",
    "int64": "int64_t",
    "int32": "int32_t",
    "uint8": "uint8_t",
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
    "and": ("&&", 5),
    "or": ("||", 4),
}
_SIGNS = {"neg": "-", "not": "!"}
_ATOM, _PREFIX, _CHOICE = 20, 15, 3


class Expressions:
    """Texts of the values of one nest.

    Args:
        nest: The nest.
        names: Named values by their position.
        scalar: Gives the name of a scalar in a type.
        load: Gives the text of a load.
        functions: What stands before the names of functions.
    """

    def __init__(
        self,
        nest: Nest,
        names: Mapping[int, str],
        scalar: Callable[[ScalarValue], str],
        load: Callable[[Load], str],
        *,
        functions: str = "std::",
    ) -> None:
        self._nest = nest
        self._names = names
        self._scalar = scalar
        self._load = load
        self._functions = functions

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
            case IndexValue(axis, offset):
                text = f"{'xyz'[axis]} + origin_{'xyz'[axis]}"
                return (f"{text} {moved(offset)}".strip(), 12)
            case Load():
                return self._load(value), _ATOM
            case Operation():
                return self._operation(value)
            case _:
                assert_never(value)

    def _operation(self, value: Operation) -> tuple[str, int]:
        below = value.operands
        if value.op in _INFIX:
            sign, strength = _INFIX[value.op]
            if value.op == "or":
                # Compilers want to see parentheses around '&&' within '||'.
                return " || ".join(self._inside(i, _CHOICE + 3) for i in below), strength
            left, right = self._inside(below[0], strength), self._inside(below[1], strength + 1)
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
            case "min" | "max":
                return f"{value.op}imum"
            case "abs":
                return "magnitude" if value.type == "int64" else f"{self._functions}fabs"
            case op:
                return f"{self._functions}{op}"

    @staticmethod
    def _cast(text: str, source: str, target: str) -> tuple[str, int]:
        """Return a value as another type; numbers of 16 bits become floats on the way."""
        if source == "float16":
            text, source = f"widened({text})", "float32"
        if target == "float16" and source != "float32":
            text = f"static_cast<float>({text})"
        if target == "float16":
            return f"narrowed({text})", _ATOM
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


def _literal(dtype: str, text: str) -> tuple[str, int]:
    number = text.lstrip("-")
    sign = text[: len(text) - len(number)]
    if dtype == "int64":
        if text == str(-(1 << 63)):
            return "INT64_MIN", _ATOM
        number = f"INT64_C({number})"
    elif number in ("inf", "nan"):
        number = {"inf": "INFINITY", "nan": "NAN"}[number]
        number = number if dtype == "float32" else f"double({number})"
    else:
        number = number if any(c in number for c in ".e") else number + ".0"
        number += "f" if dtype == "float32" else ""
    return sign + number, _PREFIX if sign else _ATOM
