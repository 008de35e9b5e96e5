"""Random programs: legal ones, with everything that the language has.

The choices are those of a 'random.Random', which may be one of Hypothesis' own, so that it can
make a failing program smaller.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor, lcm
from random import Random

import numpy as np
from property.oracle import UndefinedError, evaluate
from property.programs import (
    AXES,
    REACH,
    Assignment,
    Binary,
    Callback,
    Carry,
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
    Region,
    Shifted,
    Source,
    Space,
    Step,
    Swap,
    Sweep,
    Unary,
    Where,
    assigned_by,
    boxed,
    finest,
    flat,
    is_computable,
    is_filled,
    is_on_faces,
    is_sweep,
    may_carry,
    may_swap,
    moved,
    region,
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
    dimensions = random.choice((1, 1, 2, 2, 3, 3))
    scales = _draw_scales(random, dimensions)
    extent = tuple(_draw_extent(random, dimensions, along) for along in zip(*scales, strict=True))
    periodic = tuple(random.random() < 0.6 for _ in range(dimensions))
    spacing = tuple(random.choice((1.0, 0.5, 2.0)) for _ in range(dimensions))
    fields = _draw_fields(random, periodic, scales)
    parameters = (("p", 0.1), ("r", 2.0))[: random.randint(0, 2)]
    drawing = _Drawing(random, Program(extent, periodic, spacing, fields, (), parameters))
    steps = drawing.steps(random.randint(1, 5), [], depth=0) or [drawing.kernel([])]
    # Others keep the values on a side that they were set to.
    assigned = {name for step in flat(tuple(steps)) for name in assigned_by(step)}
    for field in fields:
        if field.location != "center" and field.name not in assigned:
            steps.append(drawing.kernel([], field))
    return Program(extent, periodic, spacing, fields, tuple(steps), parameters)


# Cells of a grid for one of the first, along each axis.
Scale = tuple[Fraction, ...]


def _draw_scales(random: Random, dimensions: int) -> list[Scale]:
    """Draw a family of grids: the first, and some coarser or finer, by other ratios each axis."""
    scales = [(Fraction(1),) * dimensions]
    for _ in range(random.choice((0, 0, 1, 1, 1, 2))):
        ratio = random.choice((Fraction(1, 2), Fraction(1, 2), Fraction(1, 3), 2, 3))
        base = random.choice(scales)
        scale = tuple(s * ratio if random.random() < 0.6 else s for s in base)
        if all(Fraction(1, 6) <= s <= 4 for s in scale):
            scales.append(scale)
    return scales


def _draw_extent(random: Random, dimensions: int, scales: tuple[Fraction, ...]) -> int:
    grain, finest = lcm(*(s.denominator for s in scales)), max(scales)
    longest = {1: 14, 2: 9, 3: 6}[dimensions]
    # So many parts that four blocks can be made of them.
    least = max(4 if dimensions == 1 else 2, -(-4 // grain))
    # Not many cells, also on finer grids.
    return grain * random.randint(least, max(least, int(longest / finest) // grain))


def _draw_fields(random: Random, periodic: tuple[bool, ...], scales: list[Scale]):
    """Draw two fields of one type, some of others, some without an axis, and a mask."""
    kinds = [random.choice(FLOATS[:2] + DTYPES)]
    kinds = [kinds[0], kinds[0], *(random.choice(DTYPES) for _ in range(random.randint(1, 2)))]
    everything = tuple(range(len(periodic)))
    components, layout = random.choice((1, 1, 2)), random.choice(("soa", "aos"))
    location = _draw_location(random, everything)
    scale, axes = random.choice(scales), _draw_axes(random, everything, 0.1)
    fields = []
    for number, dtype in enumerate(kinds):
        if number > 1:
            components, layout = random.choice((1, 1, 2)), random.choice(("soa", "aos"))
            scale, axes = random.choice(scales), _draw_axes(random, everything, 0.25)
        if number > 1 or random.random() < 0.3 or not _lies(location, axes or everything):
            location = _draw_location(random, axes or everything)
        boundaries = _draw_boundaries(random, periodic, dtype, axes)
        fields.append(
            Field(f"F{number}", dtype, components, location, boundaries, layout, axes, _(scale))
        )
    fields += _draw_columns(random, periodic, scales)
    dtype = random.choice(("uint8", "bool", "int32", "float32"))
    axes, location = _draw_axes(random, everything, 0.15), "center"
    scale = random.choice(scales) if random.random() < 0.3 else scales[0]
    if random.random() < 0.2:
        location = _draw_location(random, axes or everything)
    boundaries = () if random.random() < 0.7 else _draw_boundaries(random, periodic, dtype, axes)
    return (*fields, Field("M", dtype, 1, location, boundaries, "soa", axes, _(scale)))


def _draw_columns(random: Random, periodic: tuple[bool, ...], scales: list[Scale]) -> list[Field]:
    """Draw fields without an axis, that may be carries of sweeps."""
    everything = tuple(range(len(periodic)))
    if len(everything) == 1 or random.random() < 0.3:
        return []
    missing, scale = random.choice(everything), random.choice(scales)
    axes = tuple(axis for axis in everything if axis != missing)
    fields = []
    for number in range(random.randint(1, 2)):
        dtype = random.choice(DTYPES + FLOATS[:2])
        location = _draw_location(random, axes) if random.random() < 0.15 else "center"
        boundaries = _draw_boundaries(random, periodic, dtype, axes)
        fields.append(Field(f"C{number}", dtype, 1, location, boundaries, "soa", axes, _(scale)))
    return fields


def _(scale: Scale) -> Scale:
    """Return a scale; that of the first grid needs not be said."""
    return scale if set(scale) != {1} else ()


def _draw_axes(random: Random, axes: tuple[int, ...], chance: float) -> tuple[int, ...]:
    """Draw some of the axes; nothing for all."""
    if random.random() > chance or len(axes) == 1:
        return ()
    return tuple(sorted(random.sample(axes, random.randint(1, len(axes) - 1))))


def _draw_location(random: Random, axes: tuple[int, ...]) -> str:
    names = [AXES[axis] for axis in axes]
    edges = (f"{names[0]}{names[-1]}_edge",) if len(names) > 1 else ()
    faces = (*(f"{axis}_face" for axis in names), *edges)
    return random.choice(("center", random.choice(faces)))


def _lies(location: str, axes: tuple[int, ...]) -> bool:
    found = Field("", "", location=location)
    return all(axis in axes for axis in range(len(AXES)) if is_on_faces(found, axis))


def _draw_boundaries(random: Random, periodic, dtype, axes) -> tuple[tuple[str, str, float], ...]:
    axes = axes or range(len(periodic))
    sides = [AXES[axis] + sign for axis in axes if not periodic[axis] for sign in "-+"]
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
        space: All cells that it is written for.
        keywords: Names of numbers.
        own: The component that its statement assigns, and where; read there alone.
        assigned: Components that statements before it have assigned.
        swept: In a sweep the components that it assigns, and where; read there alone.
        hidden: Fields that must not be read.
        carries: The type of what is handed on.
    """

    region: Region
    space: Space
    keywords: tuple[str, ...] = ()
    own: tuple[str, int, Offset] | None = None
    assigned: tuple[tuple[str, int], ...] = ()
    swept: tuple[tuple[str, int, Offset], ...] = ()
    hidden: tuple[str, ...] = ()
    carries: tuple[str, ...] = ()


class _Drawing:
    """Draws the steps of one program, whose fields and parameters are known."""

    def __init__(self, random: Random, program: Program) -> None:
        self.random = random
        self.program = program
        self.here = (0,) * len(program.extent)
        self.reductions = 0
        # Numbers like those of the kernel being drawn, by keyword.
        self.keywords: dict[str, int | float] = {}
        # Types of what is handed on in the sweep being drawn.
        self.carries: tuple[str, ...] = ()

    def steps(self, count: int, known: list[str], *, depth: int) -> list[Step]:
        """Draw steps; 'known' are the reductions that have been evaluated before them."""
        known, result = list(known), []
        kinds = ["kernel"] * 7 + ["reduce", "reduce", "callback", "swap"]
        kinds += ["repeat", "every"] if depth == 0 else []
        kinds += ["sweep"] * 3 if len(self.here) > 1 else []
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
            elif kind == "sweep":
                result += self._sweep(known)
            else:
                inner = self.steps(self.random.randint(1, 2), known, depth=depth + 1)
                if inner:
                    result.append(Nest(kind, self.random.randint(1, 3), tuple(inner)))
        return result

    def _swap(self) -> list[Step]:
        fields = self.program.fields
        pairs = [(a, b) for a in fields for b in fields if may_swap(self.program, a, b)]
        if not pairs:
            return []
        first, second = self.random.choice(pairs)
        return [Swap(first.name, second.name)]

    def _callback(self) -> Callback:
        if self.program.parameters and self.random.random() < 0.5:
            return Callback(parameter=self.random.choice(self.program.parameters)[0])
        return Callback(field=self.random.choice(self.program.fields).name)

    def _reduce(self) -> Reduce:
        self.reductions += 1
        name, kind = f"s{self.reductions}", self.random.choice(("sum", "min", "max"))
        fields = [field.name for field in self.program.fields]
        for _attempt in range(5):
            used = self.random.sample(fields, self.random.randint(1, min(3, len(fields))))
            space = finest(self.program, used)
            hidden = tuple({*fields} - {*used})
            place = _Place((self.here, space.size), space, hidden=hidden)
            value = self.expression(place, self.random.randint(0, 2), self.here)
            # It may read fewer fields than it could, and then has other cells.
            if is_computable(self.program, Reduce(name, kind, value)):
                return Reduce(name, kind, value)
        return Reduce(name, kind, Read(self.random.choice(fields), 0, self.here))

    def kernel(self, known: list[str], target: Field | None = None) -> Kernel:
        """Draw a kernel, with the numbers of reductions that are known, maybe one for a field."""
        where = self.random.choice(("all", "all", "all", "box", "mask", "mask"))
        where = where if target is None else "all"
        first = target or self._target(where)
        space = self.program.space(first.name)
        on = self._box(space) if where == "box" else None
        keywords = self._keywords(known)
        step, hidden = self._steps(space)
        assignments: list[Assignment] = []
        for number in range(self.random.choice((1, 1, 2, 3))):
            aim = first if number == 0 else self._target(where, space)
            assigned = tuple((a.field, a.component) for a in assignments)
            place = _Place((), space, tuple(keywords), assigned=assigned, hidden=hidden)
            assignments.append(self._assignment(place, aim, on, step))
        kernel = Kernel(tuple(assignments), on, tuple(keywords.items()))
        masked = replace(kernel, on="M")
        is_masked = where == "mask" and is_computable(self.program, masked)
        return masked if is_masked else kernel

    def _target(self, where: str, space: Space | None = None) -> Field:
        """Draw a field to assign, with the same cells as others, faces aside."""
        fields = [f for f in self.program.fields if not (where == "mask" and f.name == "M")]
        spaces = [self.program.space(field.name) for field in fields]
        return self.random.choice(
            [
                field
                for field, own in zip(fields, spaces, strict=True)
                if space is None or (own.scale, own.axes) == (space.scale, space.axes)
            ]
        )

    def _steps(self, space: Space) -> tuple[Offset, tuple[str, ...]]:
        """Draw how far next door is: whole cells of all grids, or those of coarser are not used."""
        fields = self.program.fields
        spaces = {field.name: self.program.space(field.name) for field in fields}
        coarse = [
            name
            for name, own in spaces.items()
            if any((own.scale[a] / space.scale[a]).denominator > 1 for a in own.axes)
        ]
        if self.random.random() < 0.7:
            return self.program.grain(space.scale), ()
        return (1,) * len(self.here), tuple(coarse)

    def _keywords(self, known: list[str]) -> dict[str, Source]:
        keywords = {f"k{n}": self._source(known) for n in range(self.random.randint(0, 2))}
        self.keywords = {
            name: source.value if source.kind == "number" else 1.0
            for name, source in keywords.items()
        }
        return keywords

    def _box(self, space: Space) -> Region:
        """Draw a box of whole cells of all grids."""
        grain = self.program.grain(space.scale)
        cuts = [
            sorted(g * c for c in self.random.sample(range(n // g + 1), 2))
            for n, g in zip(space.cells, grain, strict=True)
        ]
        return tuple(a for a, _ in cuts), tuple(b for _, b in cuts)

    def _sweep(self, known: list[str]) -> list[Step]:
        """Draw a sweep, or nothing where there are no fields for it."""
        axis, sign = self.random.randrange(len(self.here)), self.random.choice((1, -1))
        spaces = {field.name: self.program.space(field.name) for field in self.program.fields}
        over = [
            name for name, space in spaces.items() if axis in space.axes and len(space.axes) > 1
        ]
        if not over:
            return []
        space = spaces[self.random.choice(over)]
        where = self.random.choice(("all", "all", "box", "mask"))
        on = self._box(space) if where == "box" else None
        alike = [n for n in over if spaces[n] == space and not (where == "mask" and n == "M")]
        ends, starts = self._carries(space, axis, known)
        step, hidden = self._steps(space)
        hidden += tuple(ends)
        aims = {}
        for _ in range(self.random.choice((0, 1, 1, 1, 2)) if alike else 0):
            field = self.program.field(self.random.choice(alike))
            is_beside = self.random.random() < 0.1
            aim = tuple(
                self.random.choice((0, n, -n)) if is_beside and a in space.axes else 0
                for a, n in enumerate(step)
            )
            aims[field.name, self.random.randrange(field.components)] = aim
        keywords = self._keywords(known)
        types = [self.program.field(name).dtype for name in ends]
        self.carries = tuple(types) or ("float64",) * len(starts)
        common = _Place(
            boxed(space, on), space, tuple(keywords), None, (),
            tuple((*key, aim) for key, aim in aims.items()), hidden, self.carries,
        )  # fmt: skip
        assignments = []
        for (name, component), aim in aims.items():
            assigned = tuple((a.field, a.component) for a in assignments)
            value = self.expression(
                replace(common, assigned=assigned), self.random.randint(0, 2), self.here
            )
            value = self._fitting(value, self.program.field(name).dtype)
            assignments.append(Assignment(name, component, aim, value))
        common = replace(common, assigned=tuple(aims))
        handed = [
            self._fitting(self.expression(common, self.random.randint(0, 2), self.here), dtype)
            for dtype in self.carries
        ]
        self.carries = ()
        sweep = Sweep(
            axis, sign, tuple(assignments), tuple(handed), starts, tuple(ends), on,
            tuple(keywords.items()),
        )  # fmt: skip
        masked = replace(sweep, on="M")
        for one in (masked, sweep) if where == "mask" else (sweep,):
            if is_sweep(self.program, one) and is_computable(self.program, one):
                return [one]
        return []

    def _carries(self, space: Space, axis: int, known: list[str]):
        """Draw the fields that get the last carries, if any, and where the first come from."""
        fields = [f for f in self.program.fields if may_carry(self.program, f.name, space, axis)]
        count = self.random.choice((1, 1, 2))
        ends: list[str] = []
        if len(fields) >= count and self.random.random() < 0.6:
            ends = [field.name for field in self.random.sample(fields, count)]
        starts = []
        for number in range(count):
            dtype = self.program.field(ends[number]).dtype if ends else "float64"
            fitting = [f for f in fields if self._fits(f.dtype, dtype)]
            if fitting and (self.random.random() < 0.5 or dtype == "bool"):
                starts.append(Source("field", self.random.choice(fitting).name))
            elif dtype == "bool":
                return [], (Source("number", 0.5),)
            elif dtype in FLOATS:
                starts.append(self._source(known))
            else:
                starts.append(Source("number", self.random.choice((0, 1, 5))))
        return ends, tuple(starts)

    def _fits(self, kind: str, dtype: str) -> bool:
        """Return whether a value of one type may be assigned to a field of another as it is."""
        if dtype == "bool":
            return kind == "bool"
        return dtype in FLOATS or kind not in FLOATS

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

    def _assignment(
        self, place: _Place, target: Field, on: Region | None, step: Offset
    ) -> Assignment:
        component = self.random.randrange(target.components)
        aim = self.here
        # Values that lie far from home make plans long where all axes are cut or close.
        if self.random.random() < (0.1 if max(step) > 1 and len(step) > 2 else 0.3):
            axes = self.program.space(target.name).axes
            aim = tuple(
                self.random.choice((0, far, -far)) if axis in axes else 0
                for axis, far in enumerate(step)
            )
        result = Assignment(target.name, component, aim, Number(0))
        own = (target.name, component, aim)
        place = replace(place, region=region(self.program, result, on), own=own)
        value = self.expression(place, self.random.randint(0, 3), self.here)
        if self.random.random() < 0.05:
            value = Number({"f": 0.3, "i": -3, "u": 7, "b": True}[np.dtype(target.dtype).kind])
        return replace(result, value=self._fitting(value, target.dtype))

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
            by = tuple(o if a in place.space.axes else 0 for a, o in enumerate(self._offset()))
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
        if place.carries and not any(shift) and self.random.random() < 0.4:
            return Carry(self.random.randrange(len(place.carries)))
        if self.random.random() < 0.15:
            return Index(self.random.choice(place.space.axes))
        field = self.random.choice([f for f in self.program.fields if f.name not in place.hidden])
        component = self.random.randrange(field.components)
        known = [aim for *key, aim in place.swept if tuple(key) == (field.name, component)]
        if place.own is not None and (field.name, component) == place.own[:2]:
            known = [place.own[2]]
        offset = self._read_at(place, field, shift, known)
        if offset is None:
            return self._leaf(place, shift)
        is_old = (field.name, component) in place.assigned and self.random.random() < 0.15
        return Read(field.name, component, offset, is_old and not place.swept)

    def _read_at(
        self, place: _Place, field: Field, shift: Offset, known: list[Offset]
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
        if self.random.random() < 0.6:
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

        def look(node: Read | Index | Carry, _: Offset) -> np.ndarray:
            if isinstance(node, Carry):
                dtype = self.carries[node.number]
            else:
                dtype = "int64" if isinstance(node, Index) else self.program.field(node.field).dtype
            return np.ones(1, "float32" if dtype == "float16" else dtype)

        with np.errstate(all="ignore"):
            return np.asarray(evaluate(value, look, self.keywords, self.here)).dtype.name
