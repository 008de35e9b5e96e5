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
from halocline.language.expressions.kernel import INTEGERS
from halocline.language.expressions.operations import OPERATIONS

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
# How C++ writes operations of truth values that have another sign there, and how strongly it binds.
_OF_TRUTHS = {"invert": ("!", 15), "and": ("&&", 5), "or": ("||", 4)}
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
        if value.op == "where":
            condition, true, false = (self._inside(i, _CHOICE + 2) for i in below)
            return f"{condition} ? {true} : {false}", _CHOICE
        if value.op == "cast":
            return self._cast(
                self._inside(below[0], 0), self._nest.values[below[0]].type, value.type
            )
        operation = OPERATIONS[value.op]
        of_numbers = operation.sign, operation.strength
        is_of_truths = value.type == "bool" and value.op in _OF_TRUTHS
        sign, strength = _OF_TRUTHS[value.op] if is_of_truths else of_numbers
        if not strength:
            of_integers = "" if value.type.startswith("float") else operation.cpp_of_integers
            arguments = ", ".join(self._inside(i, 0) for i in below)
            return f"{of_integers or operation.cpp}({arguments})", _ATOM
        if operation.arity == 1:
            return f"{sign}{self._inside(below[0], _PREFIX + 1)}", _PREFIX
        if sign == "||":
            # Compilers want to see parentheses around '&&' within '||'.
            return " || ".join(self._inside(i, _CHOICE + 3) for i in below), strength
        least = strength
        # And around what is compared if it is a comparison, and around all within '&' and '^'.
        if operation.operands == "compared":
            least = _COMPARED
        elif operation.accepted == "bits" and not is_of_truths:
            least = _PREFIX
        left = self._inside(below[0], least)
        right = self._inside(below[1], max(least, strength + 1))
        if self._rounds and value.op in ("mul", "div") and value.type.startswith("float"):
            return f"rounded({left} {sign} {right})", _ATOM
        return f"{left} {sign} {right}", strength

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
