"""Random expressions of fields that are known."""

from __future__ import annotations

from math import floor
from random import Random

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from property.cells import (
    Region,
    is_filled,
)
from property.draw_fields import DTYPES, FLOATS, INTEGERS
from property.evaluation import OF_ONE, OF_TWO, UndefinedError, evaluate
from property.expressions import (
    Binary,
    Carry,
    Cast,
    Difference,
    Draw,
    Expression,
    Index,
    Keyword,
    Number,
    Offset,
    Power,
    Read,
    Shifted,
    Stencil,
    Unary,
    Where,
    moved,
    seen,
)
from property.programs import (
    REACH,
    Field,
    Program,
    Space,
    is_on_faces,
)

LITERALS = (1, 2, 3, 7, -3, 100, 40_000, 0.5, -0.25, 0.3, 1.5, 2.0, True)

# Of neighbours, and of derivatives for cells 1 wide: of values at whole and at half cells.
WEIGHTS = (1, -2, 3, 0.5, -0.25, 0.3)
CENTRED = (
    (1, (-0.5, 0.0, 0.5)),
    (1, (0.0, -1.0, 1.0)),
    (1, (1 / 12, -2 / 3, 0.0, 2 / 3, -1 / 12)),
    (2, (1.0, -2.0, 1.0)),
    (2, (-1 / 12, 4 / 3, -5 / 2, 4 / 3, -1 / 12)),
)
BETWEEN = ((1, (-1.0, 1.0)), (1, (1 / 24, -9 / 8, 9 / 8, -1 / 24)))

_ARITHMETIC = ("add", "add", "sub", "sub", "mul", "mul", "div", "min", "max")
_OF_WHOLE = ("floordiv", "mod", "fmod", "lshift", "rshift", "floordiv", "mod")
_OF_PARTS = ("floor", "ceil", "trunc", "round", "sign", "isnan")
_COMPARING = ("lt", "le", "gt", "ge", "eq", "ne")
_BITWISE = ("and", "or", "xor", "lshift", "rshift")
_BINARY = {
    "arithmetic": _ARITHMETIC,
    "compare": _COMPARING,
    "bitwise": _BITWISE,
    "whole": _OF_WHOLE,
}


class Place(Struct, frozen=True):
    """Where an expression stands: what it may read, and from where.

    Attributes:
        region: The cells where it is computed (lower, upper).
        space: All cells that it is written for.
        keywords: Names of numbers.
        own: The component that its statement assigns, and where; read there alone.
        apart: Where else it may be read: in cells that are not assigned meanwhile.
        assigned: Components that statements before it have assigned.
        swept: In a sweep the components that it assigns, and where; read there alone.
        hidden: Fields that must not be read.
        carries: The type of what is handed on.
        may_draw: Whether there are random numbers.
    """

    region: Region
    space: Space
    keywords: tuple[str, ...] = ()
    own: tuple[str, int, Offset] | None = None
    assigned: tuple[tuple[str, int], ...] = ()
    swept: tuple[tuple[str, int, Offset], ...] = ()
    hidden: tuple[str, ...] = ()
    carries: tuple[str, ...] = ()
    apart: tuple[Offset, ...] = ()
    may_draw: bool = False


class Values:
    """Draws expressions of the fields of one program."""

    def __init__(self, random: Random, program: Program) -> None:
        self.random = random
        self.program = program
        self.here = (0,) * len(program.extent)
        # Numbers like those of the kernel being drawn, by keyword.
        self.keywords: dict[str, int | float] = {}
        # Types of what is handed on in the sweep being drawn.
        self.carries: tuple[str, ...] = ()

    def fitting(self, value: Expression, dtype: str) -> Expression:
        """Return a value that may be assigned to a field: said how, where it is not plain."""
        kind = self._type(value)
        if dtype == "bool" and kind != "bool":
            return Cast(value, "bool")
        if dtype in INTEGERS and kind.startswith("float"):
            scaled = self.random.choice((value, Binary("mul", value, Number(8))))
            # From a float only into what can hold it; from there it wraps.
            return Cast(scaled, self.random.choice(("int64", "int32")))
        return value

    def expression(self, place: Place, depth: int, shift: Offset) -> Expression:
        """Draw a value that differs from cell to cell, as seen from the cell at 'shift'."""
        if depth == 0:
            return self._leaf(place, shift)
        kind = self.random.choice(
            ["leaf"] + ["arithmetic"] * 6 + ["whole", "parts", "function", "compare", "bitwise"]
            + ["where", "where", "unary", "power", "cast", "cast", "shifted", "shifted"]
            + ["stencil", "difference", "difference"]
        )  # fmt: skip
        if kind == "leaf":
            return self._leaf(place, shift)
        if kind == "difference":
            return self._difference(place, shift)
        if kind == "stencil":
            return self._stencil(place, depth, shift)
        if kind == "shifted":
            by = tuple(o if a in place.space.axes else 0 for a, o in enumerate(self._offset()))
            return Shifted(self.expression(place, depth - 1, moved(shift, by)), by)
        first = self.expression(place, depth - 1, shift)
        made = self._above(kind, first, lambda: self._second(place, depth - 1, shift))
        return made if self._is_sound(made) else first

    def _stencil(self, place: Place, depth: int, shift: Offset) -> Expression:
        """Draw a weighted sum of neighbours' values; of one that all of them have."""
        ways = {
            tuple(o if a in place.space.axes else 0 for a, o in enumerate(self._offset()))
            for _ in range(self.random.randint(1, 4))
        }
        first, *others = sorted(ways, key=lambda _: self.random.random())
        operand = self.expression(place, depth - 1, moved(shift, first))
        common = [first, *(w for w in others if self._is_seen(place, operand, moved(shift, w)))]
        weights = tuple((way, self.random.choice(WEIGHTS)) for way in common)
        made = Stencil(operand, weights)
        return made if self._is_sound(made) else Shifted(operand, first)

    def _is_seen(self, place: Place, value: Expression, shift: Offset) -> bool:
        """Return whether an expression has values as seen from a cell: of what is not assigned."""
        here = [
            (node, node_shift)
            for node, node_shift in seen(value, shift)
            if isinstance(node, Read | Carry)
        ]
        own = [key[:2] for key in (*place.swept, *((place.own,) if place.own else ()))]
        return not place.carries and all(
            (node.field, node.component) not in own
            and is_filled(
                self.program, self.program.field(node.field), node.offset, node_shift,
                place.region, place.space,
            )
            for node, node_shift in here
        )  # fmt: skip

    def _difference(self, place: Place, shift: Offset) -> Expression:
        """Draw a derivative of a component for what is assigned, or another value."""
        fields = [f for f in self.program.fields if self._is_differentiable(place, f)]
        if not fields or len(place.space.axes) < len(self.here):
            return self._leaf(place, shift)
        field, target = self.random.choice(fields), self.program.field(place.own[0])
        places = [[int(is_on_faces(f, a)) for a in place.space.axes] for f in (field, target)]
        apart = [a for a, (own, to) in enumerate(zip(*places, strict=True)) if own != to]
        axis = apart[0] if apart else self.random.randrange(len(self.here))
        order, weights = self.random.choice(BETWEEN if apart else CENTRED)
        first = -(len(weights) // 2) + (places[1][axis] == 0 if apart else 0)
        read = Read(field.name, self.random.randrange(field.components), self.here)
        made = Difference(read, axis, order, weights, first, self.program.width(field, axis))
        return made if self._is_seen(place, made, shift) else self._leaf(place, shift)

    def _is_differentiable(self, place: Place, field: Field) -> bool:
        """Return whether a field lies as what is assigned does, but along one axis at most."""
        if place.own is None or field.name in (*place.hidden, place.own[0]):
            return False
        space, target = self.program.space(field.name), self.program.field(place.own[0])
        apart = [a for a in space.axes if is_on_faces(field, a) != is_on_faces(target, a)]
        is_alike = (space.scale, space.axes) == (place.space.scale, place.space.axes)
        return is_alike and field.dtype in FLOATS and len(apart) < 2

    def _above(self, kind: str, first: Expression, second) -> Expression:
        choice = self.random.choice
        match kind:
            case "arithmetic" | "compare" | "bitwise" | "whole":
                pair = (first, second())
                return Binary(
                    choice(_BINARY[kind]), *(pair if choice((0, 0, 1)) == 0 else pair[::-1])
                )
            case "where":
                condition = first if self._type(first) == "bool" else Binary("lt", first, second())
                return Where(condition, second(), second())
            case "unary":
                op = choice(("neg", "abs", "not", "sqrt"))
                return Unary(op, Unary("abs", first) if op == "sqrt" else first)
            case "parts":
                return Unary(choice(_OF_PARTS), first)
            case "function" if choice((True, False, False)):
                return Binary(choice(("copysign", *OF_TWO)), first, second())
            case "function":
                return Unary(choice(tuple(OF_ONE)), first)
            case "power":
                return Power(first, choice((2, 3, 4)))
            case "cast":
                is_float = self._type(first).startswith("float")
                aims = ("int64", "int32", "float64", "float32") if is_float else DTYPES
                aim = choice([dtype for dtype in aims if dtype != "float16"])
                if is_float and aim.startswith("int"):
                    return Cast(Binary("mul", first, Number(8)), aim)
                return Cast(first, aim)

    def _second(self, place: Place, depth: int, shift: Offset) -> Expression:
        """Draw the other operand, which may be a number."""
        kind = self.random.choice(("value", "value", "value", "number", "keyword"))
        if kind == "keyword" and place.keywords:
            keyword = Keyword(self.random.choice(place.keywords))
            square = Binary("add", Number(1.0), Binary("mul", keyword, keyword))
            return self.random.choice((keyword, keyword, square))
        if kind == "number":
            return Number(self.random.choice(LITERALS))
        return self.expression(place, depth, shift)

    def _leaf(self, place: Place, shift: Offset) -> Expression:
        if place.carries and not any(shift) and self.random.random() < 0.4:
            return Carry(self.random.randrange(len(place.carries)))
        if self.random.random() < 0.15:
            return Index(self.random.choice(place.space.axes))
        if place.may_draw and self.random.random() < 0.04:
            return self._draw()
        names = [f.name for f in self.program.fields if f.name not in place.hidden]
        is_own = place.apart and self.random.random() < 0.5
        field = self.program.field(place.own[0] if is_own else self.random.choice(names))
        component = place.own[1] if is_own else self.random.randrange(field.components)
        known = [aim for *key, aim in place.swept if tuple(key) == (field.name, component)]
        if place.own is not None and (field.name, component) == place.own[:2]:
            known = [place.own[2]]
            if place.apart and self.random.random() < 0.8:
                known = [self.random.choice(place.apart)]
        offset = self._read_at(place, field, shift, known)
        if offset is None:
            return self._leaf(place, shift)
        is_old = (field.name, component) in place.assigned and self.random.random() < 0.15
        return Read(field.name, component, offset, is_old and not place.swept)

    def _draw(self) -> Draw:
        types = ("float64", "float64", "float32", *INTEGERS)
        seed = self.random.choice((0, 7, 2**40 + 5))
        return Draw(seed, self.random.randrange(5), self.random.choice(types))

    def _read_at(
        self, place: Place, field: Field, shift: Offset, known: list[Offset]
    ) -> Offset | None:
        """Draw where to read a field; 'known' are the places of what is assigned meanwhile."""
        space = self.program.space(field.name)
        ratios = [a / b for a, b in zip(space.scale, place.space.scale, strict=True)]
        if known:
            # What a statement assigns it may read only there.
            offset = tuple(t - s for t, s in zip(known[0], shift, strict=True))
            if place.swept and (any(known[0]) or field.boundaries):
                # It is not filled while a sweep runs.
                if any(is_on_faces(field, axis) for axis in space.axes):
                    return None
                field = replace(field, boundaries=())
            is_found = is_filled(self.program, field, offset, shift, place.region, place.space)
            return offset if is_found else None
        away = [o if axis in space.axes else 0 for axis, o in enumerate(self._offset())]
        # As far beyond the last of the cells that the kernel's cell spans as before the first.
        away = [
            o + (max(1, floor(r)) - 1 if o == REACH else 0)
            for o, r in zip(away, ratios, strict=True)
        ]
        while True:
            offset = tuple(
                o - floor(r * s) if axis in space.axes else 0
                for axis, (o, r, s) in enumerate(zip(away, ratios, shift, strict=True))
            )
            if is_filled(self.program, field, offset, shift, place.region, place.space):
                return offset
            if not any(away):
                return None
            away[self.random.choice([axis for axis, o in enumerate(away) if o])] = 0

    def _offset(self) -> Offset:
        far = (0, 0, 0, 1, -1, 1, -1, REACH, -REACH)
        way = self.random.random()
        if way < 0.1:  # a diagonal
            return tuple(self.random.choice((-1, 1)) for _ in self.here)
        if way < 0.6:
            axis = self.random.randrange(len(self.here))
            return tuple(self.random.choice(far) if a == axis else 0 for a in range(len(self.here)))
        return tuple(self.random.choice(far) for _ in self.here)

    def _is_sound(self, value: Expression) -> bool:
        """Return whether NumPy has such an operation, and computes it in a type of ours."""
        try:
            return self._type(value) in DTYPES and self._type(value) != "float16"
        except (TypeError, OverflowError, UndefinedError):
            return False

    def _type(self, value: Expression) -> str:
        """Return the type of an expression, as NumPy computes it."""

        def look(node: Read | Index | Draw | Carry, _: Offset) -> np.ndarray:
            if isinstance(node, Carry):
                dtype = self.carries[node.number]
            elif isinstance(node, Draw):
                dtype = node.dtype
            else:
                dtype = "int64" if isinstance(node, Index) else self.program.field(node.field).dtype
            return np.ones(1, "float32" if dtype == "float16" else dtype)

        with np.errstate(all="ignore"):
            return np.asarray(evaluate(value, look, self.keywords, self.here)).dtype.name
