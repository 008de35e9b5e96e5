"""Random programs: legal ones, with everything that the language has.

The choices are those of a 'random.Random', which may be one of Hypothesis' own, so that it can
make a failing program smaller.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

import numpy as np
from property.oracle import evaluate
from property.programs import (
    AXES,
    REACH,
    Assignment,
    Binary,
    Callback,
    Cast,
    Expression,
    Field,
    Index,
    Kernel,
    Keyword,
    Nest,
    Number,
    Offset,
    Power,
    Program,
    Read,
    Reduce,
    Shifted,
    Source,
    Step,
    Swap,
    Unary,
    Where,
    is_filled,
    may_swap,
    moved,
    surely_assigned,
)

FLOATS = ("float64", "float32", "float16")
DTYPES = (*FLOATS, "int64", "int32", "uint8", "bool")
LITERALS = (1, 2, 3, 7, -3, 0.5, -0.25, 0.3, 1.5, 2.0, True)
# Dyadic, so that a product with a distance is exact in any type.
GIVEN = (0.5, -0.25, 1.0, 0.125, -2.0)

_ARITHMETIC = ("add", "add", "sub", "sub", "mul", "mul", "div", "min", "max")
_COMPARING = ("lt", "le", "gt", "ge", "eq", "ne")
_BITWISE = ("and", "or", "xor")


def draw_program(random: Random) -> Program:
    """Draw a program of one to three dimensions."""
    dimensions = random.choice((1, 1, 2, 2, 3))
    longest = {1: 14, 2: 9, 3: 6}[dimensions]
    extent = tuple(random.randint(4, longest) for _ in range(dimensions))
    periodic = tuple(random.random() < 0.6 for _ in range(dimensions))
    spacing = tuple(random.choice((1.0, 0.5, 2.0)) for _ in range(dimensions))
    fields = _draw_fields(random, periodic)
    parameters = (("p", 0.1), ("r", 2.0))[: random.randint(0, 2)]
    drawing = _Drawing(random, Program(extent, periodic, spacing, fields, (), parameters))
    steps = drawing.steps(random.randint(1, 5), [], depth=0) or [drawing.kernel([])]
    assigned = surely_assigned(steps)
    fields = tuple(f if f.name in assigned else replace(f, location="center") for f in fields)
    return Program(extent, periodic, spacing, fields, tuple(steps), parameters)


def _draw_fields(random: Random, periodic: tuple[bool, ...]) -> tuple[Field, ...]:
    """Draw two fields of one type, some of others, and a mask."""
    kinds = [random.choice(FLOATS[:2] + DTYPES)]
    kinds = [kinds[0], kinds[0], *(random.choice(DTYPES) for _ in range(random.randint(1, 2)))]
    components, layout = random.choice((1, 1, 2)), random.choice(("soa", "aos"))
    location = _draw_location(random, len(periodic))
    fields = []
    for number, dtype in enumerate(kinds):
        if number > 1:
            components, layout = random.choice((1, 1, 2)), random.choice(("soa", "aos"))
        if number > 1 or random.random() < 0.3:
            location = _draw_location(random, len(periodic))
        boundaries = _draw_boundaries(random, periodic, dtype)
        fields.append(Field(f"F{number}", dtype, components, location, boundaries, layout))
    masks = [dtype for dtype in ("uint8", "bool", "int32", "float32") if dtype in DTYPES]
    return (*fields, Field("M", random.choice(masks)))


def _draw_location(random: Random, dimensions: int) -> str:
    edges = ("xy_edge",) if dimensions > 1 else ()
    faces = (*(f"{axis}_face" for axis in AXES[:dimensions]), *edges)
    return random.choice(("center", random.choice(faces)))


def _draw_boundaries(random: Random, periodic, dtype) -> tuple[tuple[str, str, float], ...]:
    sides = [a + s for a, p in zip(AXES, periodic, strict=False) if not p for s in "-+"]
    random.shuffle(sides)
    # Prescribed numbers are floats; whole numbers are copied.
    kinds = ("dirichlet", "neumann") if dtype in FLOATS and random.random() < 0.8 else ("copy",)
    return tuple(
        (side, random.choice(kinds), random.choice(GIVEN))
        for side in sides
        if random.random() < 0.85
    )


@dataclass(frozen=True)
class _Place:
    """Where an expression stands: what it may read, and from where.

    Attributes:
        region: The cells where it is computed (lower, upper).
        keywords: Names of numbers.
        own: The component that its statement assigns, and where; read there alone.
        assigned: Components that statements before it have assigned.
    """

    region: tuple[Offset, Offset]
    keywords: tuple[str, ...] = ()
    own: tuple[str, int, Offset] | None = None
    assigned: tuple[tuple[str, int], ...] = ()


class _Drawing:
    """Draws the steps of one program, whose fields and parameters are known."""

    def __init__(self, random: Random, program: Program) -> None:
        self.random = random
        self.program = program
        self.here = (0,) * len(program.extent)
        self.reductions = 0
        # Numbers like those of the kernel being drawn, by keyword.
        self.keywords: dict[str, int | float] = {}

    def steps(self, count: int, known: list[str], *, depth: int) -> list[Step]:
        """Draw steps; 'known' are the reductions that have been evaluated before them."""
        known, result = list(known), []
        kinds = ["kernel"] * 7 + ["reduce", "reduce", "callback", "swap"]
        kinds += ["repeat", "every"] if depth == 0 else []
        for _ in range(count):
            kind = self.random.choice(kinds)
            if kind == "kernel":
                result.append(self.kernel(known))
            elif kind == "reduce":
                result.append(self._reduce())
                known.append(result[-1].name)
            elif kind == "callback":
                result.append(self._callback())
            elif kind == "swap":
                result += self._swap()
            else:
                inner = self.steps(self.random.randint(1, 2), known, depth=depth + 1)
                if inner:
                    result.append(Nest(kind, self.random.randint(1, 3), tuple(inner)))
        return result

    def _swap(self) -> list[Step]:
        return [Swap("F0", "F1")] if may_swap(*self.program.fields[:2]) else []

    def _callback(self) -> Callback:
        if self.program.parameters and self.random.random() < 0.5:
            return Callback(parameter=self.random.choice(self.program.parameters)[0])
        return Callback(field=self.random.choice(self.program.fields).name)

    def _reduce(self) -> Reduce:
        self.reductions += 1
        place = _Place((self.here, self.program.extent))
        value = self.expression(place, self.random.randint(0, 2), self.here)
        return Reduce(f"s{self.reductions}", self.random.choice(("sum", "min", "max")), value)

    def kernel(self, known: list[str]) -> Kernel:
        """Draw a kernel, with the numbers of reductions that are known."""
        where = self.random.choice(("all", "all", "all", "box", "mask", "mask"))
        on = {"all": None, "mask": "M"}.get(where) or (self._box() if where == "box" else None)
        region = on if isinstance(on, tuple) else (self.here, self.program.extent)
        keywords = {f"k{n}": self._source(known) for n in range(self.random.randint(0, 2))}
        self.keywords = {
            name: source.value if source.kind == "number" else 1.0
            for name, source in keywords.items()
        }
        assignments: list[Assignment] = []
        for _ in range(self.random.choice((1, 1, 2, 3))):
            assigned = tuple((a.field, a.component) for a in assignments)
            place = _Place(region, tuple(keywords), assigned=assigned)
            assignments.append(self._assignment(place, is_masked=where == "mask"))
        return Kernel(tuple(assignments), on, tuple(keywords.items()))

    def _box(self) -> tuple[Offset, Offset]:
        cuts = [sorted(self.random.sample(range(n + 1), 2)) for n in self.program.extent]
        return tuple(a for a, _ in cuts), tuple(b for _, b in cuts)

    def _source(self, known: list[str]) -> Source:
        kinds = ["number", "number", "step", "time"]
        kinds += ["parameter"] * 2 if self.program.parameters else []
        kinds += ["reduction"] * 3 if known else []
        kind = self.random.choice(kinds)
        if kind == "number":
            return Source(kind, self.random.choice((0.75, 0.1, -1.5, 2)))
        if kind == "parameter":
            return Source(kind, self.random.choice(self.program.parameters)[0])
        return Source(kind, self.random.choice(known) if kind == "reduction" else "")

    def _assignment(self, place: _Place, *, is_masked: bool) -> Assignment:
        targets = [f for f in self.program.fields if not (is_masked and f.name == "M")]
        target = self.random.choice(targets)
        component = self.random.randrange(target.components)
        aim = self.here
        if self.random.random() < 0.3:
            aim = tuple(self.random.choice((0, 1, -1)) for _ in self.here)
        own = (target.name, component, aim)
        place = _Place(place.region, place.keywords, own, place.assigned)
        value = self.expression(place, self.random.randint(0, 3), self.here)
        if self.random.random() < 0.05:
            value = Number({"f": 0.3, "i": -3, "u": 7, "b": True}[np.dtype(target.dtype).kind])
        return Assignment(target.name, component, aim, self._fitting(value, target.dtype))

    def _fitting(self, value: Expression, dtype: str) -> Expression:
        """Return a value that may be assigned to a field: said how, where it is not plain."""
        kind = self._type(value)
        if dtype == "bool" and kind != "bool":
            return Cast(value, "bool")
        if dtype in ("int64", "int32", "uint8") and kind.startswith("float"):
            scaled = self.random.choice((value, Binary("mul", value, Number(8))))
            # From a float only into what can hold it; from there it wraps.
            return Cast(scaled, self.random.choice(("int64", "int32")))
        return value

    def expression(self, place: _Place, depth: int, shift: Offset) -> Expression:
        """Draw a value that differs from cell to cell, as seen from the cell at 'shift'."""
        if depth == 0:
            return self._leaf(place, shift)
        kind = self.random.choice(
            ["leaf"] + ["arithmetic"] * 6 + ["compare", "bitwise", "where", "where", "unary"]
            + ["power", "cast", "cast", "shifted", "shifted"]
        )  # fmt: skip
        if kind == "leaf":
            return self._leaf(place, shift)
        if kind == "shifted":
            by = self._offset()
            return Shifted(self.expression(place, depth - 1, moved(shift, by)), by)
        first = self.expression(place, depth - 1, shift)
        made = self._above(kind, first, lambda: self._second(place, depth - 1, shift))
        return made if self._is_sound(made) else first

    def _above(self, kind: str, first: Expression, second) -> Expression:
        choice = self.random.choice
        match kind:
            case "arithmetic" | "compare" | "bitwise":
                known = {"arithmetic": _ARITHMETIC, "compare": _COMPARING, "bitwise": _BITWISE}
                pair = (first, second())
                return Binary(
                    choice(known[kind]), *(pair if choice((0, 0, 1)) == 0 else pair[::-1])
                )
            case "where":
                condition = first if self._type(first) == "bool" else Binary("lt", first, second())
                return Where(condition, second(), second())
            case "unary":
                op = choice(("neg", "abs", "not", "sqrt"))
                return Unary(op, Unary("abs", first) if op == "sqrt" else first)
            case "power":
                return Power(first, choice((2, 3, 4)))
            case "cast":
                is_float = self._type(first).startswith("float")
                aims = ("int64", "int32", "float64", "float32") if is_float else DTYPES
                aim = choice([dtype for dtype in aims if dtype != "float16"])
                if is_float and aim.startswith("int"):
                    return Cast(Binary("mul", first, Number(8)), aim)
                return Cast(first, aim)

    def _second(self, place: _Place, depth: int, shift: Offset) -> Expression:
        """Draw the other operand, which may be a number."""
        kind = self.random.choice(("value", "value", "value", "number", "keyword"))
        if kind == "keyword" and place.keywords:
            keyword = Keyword(self.random.choice(place.keywords))
            square = Binary("add", Number(1.0), Binary("mul", keyword, keyword))
            return self.random.choice((keyword, keyword, square))
        if kind == "number":
            return Number(self.random.choice(LITERALS))
        return self.expression(place, depth, shift)

    def _leaf(self, place: _Place, shift: Offset) -> Expression:
        if self.random.random() < 0.15:
            return Index(self.random.randrange(len(self.here)))
        field = self.random.choice(self.program.fields)
        component = self.random.randrange(field.components)
        if place.own is not None and (field.name, component) == place.own[:2]:
            # What a statement assigns it may read only there.
            total = place.own[2]
            if not is_filled(self.program, field, total, place.region):
                return self._leaf(place, shift)
        else:
            total = moved(shift, self._offset())
            total = tuple(max(-REACH, min(REACH, o)) for o in total)
            while not is_filled(self.program, field, total, place.region):
                axis = self.random.choice([axis for axis, o in enumerate(total) if o])
                total = tuple(0 if a == axis else o for a, o in enumerate(total))
        is_old = (field.name, component) in place.assigned and self.random.random() < 0.15
        offset = tuple(t - s for t, s in zip(total, shift, strict=True))
        return Read(field.name, component, offset, is_old)

    def _offset(self) -> Offset:
        far = (0, 0, 0, 1, -1, 1, -1, REACH, -REACH)
        if self.random.random() < 0.6:
            axis = self.random.randrange(len(self.here))
            return tuple(self.random.choice(far) if a == axis else 0 for a in range(len(self.here)))
        return tuple(self.random.choice(far) for _ in self.here)

    def _is_sound(self, value: Expression) -> bool:
        """Return whether NumPy has such an operation, and computes it in a type of ours."""
        try:
            return self._type(value) in DTYPES and self._type(value) != "float16"
        except (TypeError, OverflowError):
            return False

    def _type(self, value: Expression) -> str:
        """Return the type of an expression, as NumPy computes it."""

        def look(node: Read | Index, _: Offset) -> np.ndarray:
            dtype = "int64" if isinstance(node, Index) else self.program.field(node.field).dtype
            return np.ones(1, "float32" if dtype == "float16" else dtype)

        with np.errstate(all="ignore"):
            return np.asarray(evaluate(value, look, self.keywords, self.here)).dtype.name
