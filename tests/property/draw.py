"""Random programs: legal ones, with everything that the language has.

The choices are those of a 'random.Random', which may be one of Hypothesis' own, so that it can
make a failing program smaller.
"""

from __future__ import annotations

from itertools import product
from operator import attrgetter
from random import Random

import numpy as np
from msgspec.structs import replace
from property.cells import (
    Region,
    boxed,
    finest,
    region,
)
from property.draw_fields import FLOATS, draw_extent, draw_fields, draw_scales
from property.draw_others import Others
from property.draw_sides import draw_series, with_sides
from property.draw_values import Place
from property.expressions import (
    Binary,
    Cast,
    Expression,
    Index,
    Number,
    Offset,
    Read,
    Where,
)
from property.legal import (
    is_computable,
    is_sweep,
    may_carry,
    may_swap,
)
from property.programs import (
    REACH,
    Assignment,
    Callback,
    Field,
    Kernel,
    Nest,
    Program,
    Reduce,
    Rotate,
    Source,
    Space,
    Step,
    Swap,
    Sweep,
    Until,
    assigned_by,
    flat,
)


def draw_program(random: Random) -> Program:
    """Draw a program of one to three dimensions."""
    dimensions = random.choice((1, 1, 2, 2, 3, 3))
    scales = draw_scales(random, dimensions)
    periodic = tuple(random.random() < 0.6 for _ in range(dimensions))
    extent = draw_extent(random, scales, periodic)
    spacing = tuple(random.choice((1.0, 0.5, 2.0)) for _ in range(dimensions))
    fields = draw_fields(random, periodic, scales)
    parameters = (("p", 0.1), ("r", 2.0))[: random.randint(0, 2)]
    dt = random.choice((0.5, 0.25, *(name for name, _ in parameters)))
    names = ("a", "b")[: random.choice((0, 1, 1, 2))]
    series = tuple(draw_series(random, name, may_end=isinstance(dt, float)) for name in names)
    program = Program(extent, periodic, spacing, fields, (), parameters, dt, series)
    program = with_sides(random, program)
    drawing = _Drawing(random, program)
    steps = drawing.steps(random.randint(1, 5), [], depth=0) or [drawing.kernel([])]
    # Others keep the values on a side that they were set to.
    assigned = {name for step in flat(tuple(steps)) for name in assigned_by(step)}
    for field in program.fields:
        if field.location != "center" and field.name not in assigned:
            steps.append(drawing.kernel([], field))
    return replace(program, steps=tuple(steps))


class _Drawing(Others):
    """Draws the steps of one program, whose fields and parameters are known."""

    def steps(self, count: int, known: list[str], *, depth: int) -> list[Step]:
        """Draw steps; 'known' are the reductions that have been evaluated before them."""
        known, result = list(known), []
        kinds = ["kernel"] * 7 + ["reduce", "reduce", "callback", "swap"]
        kinds += ["rotate"] + ["assign"] * 2 * bool(self.program.parameters)
        kinds += ["fill"] * bool(self.fillable())
        kinds += ["record", "inject"] * 2 * bool(self.fillable()) * (depth == 0)
        kinds += ["tridiagonal"] * 3 * (depth == 0) * (len(self.here) > 1)
        kinds += ["repeat", "every", "until"] if depth == 0 else ["until"]
        kinds += ["sweep"] * 3 if len(self.here) > 1 else []
        for _ in range(count):
            kind = self.random.choice(kinds)
            if kind == "kernel":
                result.append(self.kernel(known))
            elif kind == "reduce":
                result.append(self._reduce(known))
                known.append(result[-1].name)
            elif kind == "callback":
                result.append(self._callback())
            elif kind in ("swap", "rotate"):
                result += self._swap() if kind == "swap" else self._rotate()
            elif kind in ("fill", "record", "inject", "tridiagonal"):
                result += self.other(kind)
            elif kind == "assign":
                result.append(self.assign(known, self._reduce(known)))
            elif kind == "until":
                result += self._until(known, depth)
                known += [one.name for one in result[-1:] if isinstance(one, Until)]
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

    def _rotate(self) -> list[Step]:
        fields = self.program.fields
        first = self.random.choice(fields)
        alike = [field for field in fields if may_swap(self.program, first, field)]
        self.random.shuffle(alike)
        return [Rotate((first.name, *(f.name for f in alike[:2])))] if alike else []

    def _until(self, known: list[str], depth: int) -> list[Step]:
        inner = self.steps(self.random.randint(1, 3), known, depth=depth + 2)
        if not inner or depth > 2:
            return []
        inside = [s.name for s in inner if isinstance(s, Reduce | Until)]
        condition = self.with_inside([*known, *inside], self.condition, self._reduce(known))
        return [Until(self.name("n"), condition, self.random.randint(1, 4), tuple(inner))]

    def _callback(self) -> Callback:
        if self.program.parameters and self.random.random() < 0.5:
            return Callback(parameter=self.random.choice(self.program.parameters)[0])
        return Callback(field=self.random.choice(self.program.fields).name)

    def _reduce(self, known: list[str]) -> Reduce:
        name, kind = self.name("s"), self.random.choice(("sum", "min", "max"))
        fields = [field.name for field in self.program.fields]
        if self.random.random() < 0.2:
            return Reduce(name, kind, Read(self.random.choice(fields), None, self.here))
        for _attempt in range(5):
            used = self.random.sample(fields, self.random.randint(1, min(3, len(fields))))
            space = finest(self.program, used)
            hidden = tuple({*fields} - {*used})
            keywords = self.numbers(known)
            self.keywords = dict.fromkeys(keywords, 1.0)
            place = Place((self.here, space.size), space, keywords, hidden=hidden)
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
        if space.is_replicated and self.random.random() < 0.5:
            hidden += self.cut()
        elif space.is_replicated:  # of others' cells each block computes its own
            step = self.here
        assignments: list[Assignment] = []
        for number in range(self.random.choice((1, 1, 2, 3))):
            aim = first if number == 0 else self._target(where, space)
            assigned = tuple((a.field, a.component) for a in assignments)
            place = Place(
                (), space, tuple(keywords), assigned=assigned, hidden=hidden, may_draw=True
            )
            assignments.append(self._assignment(place, aim, on, step))
        kernel = Kernel(tuple(assignments), on, tuple(keywords.items()))
        masked = replace(kernel, on="M")
        is_masked = where == "mask" and is_computable(self.program, masked)
        return masked if is_masked else kernel

    def _target(self, where: str, space: Space | None = None) -> Field:
        """Draw a field to assign, with the same cells as others, faces aside."""
        fields = [f for f in self.program.fields if not (where == "mask" and f.name == "M")]
        kind = attrgetter("scale", "axes", "is_replicated")
        spaces = [self.program.space(field.name) for field in fields]
        return self.random.choice(
            [
                field
                for field, own in zip(fields, spaces, strict=True)
                if space is None or kind(own) == kind(space)
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
        keywords = {f"k{n}": self.source(known) for n in range(self.random.randint(0, 2))}
        if self.numbers(known) and self.random.random() < 0.3:
            keywords["c0"] = Source("formula", self.formula(self.numbers(known), 1))
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
        axis = self.random.randrange(len(cuts))
        if self.random.random() < 0.4 and grain[axis] == 1:
            first = self.random.randrange(space.cells[axis])
            cuts[axis] = [first, first + 1]
        return tuple(a for a, _ in cuts), tuple(b for _, b in cuts)

    def _apart(self, space: Space, on: Region | None):
        """Draw the offsets of cells that are not assigned meanwhile, and maybe a condition."""
        ways = list(product(*(self._near(space, axis) for axis in range(len(space.size)))))
        thin = [a for a in space.axes if on and on[1][a] - on[0][a] == 1 and space.size[a] > REACH]
        if thin and self.random.random() < 0.7:
            axis = self.random.choice(thin)
            return tuple(way for way in ways if way[axis]), None
        if any(n % 2 for a, n in enumerate(space.size) if space.periodic[a] and a in space.axes):
            return None
        if self.random.random() < 0.8:
            return None
        total = Index(space.axes[0])
        for axis in space.axes[1:]:
            total = Binary("add", total, Index(axis))
        colour = Binary("eq", Binary("mod", total, Number(2)), Number(self.random.randrange(2)))
        return tuple(way for way in ways if sum(way) % 2), colour

    def _near(self, space: Space, axis: int) -> range:
        return range(-REACH + 1, REACH) if axis in space.axes else range(1)

    def _in_place(self, place: Place, to: Assignment, colour: Expression | None) -> Assignment:
        """Draw a value made of others of the same field."""
        dtype = self.program.field(to.field).dtype
        value = self.fitting(self.expression(place, self.random.randint(1, 3), self.here), dtype)
        if colour is not None:
            if dtype not in FLOATS:
                value = Cast(value, dtype)  # together with the old value it might be a float
            value = Where(colour, value, Read(to.field, to.component, self.here))
        return replace(to, value=value)

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
        hidden += tuple(ends) + self.cut() * space.is_replicated
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
        common = Place(
            boxed(space, on), space, tuple(keywords), None, (),
            tuple((*key, aim) for key, aim in aims.items()), hidden, self.carries,
        )  # fmt: skip
        assignments = []
        for (name, component), aim in aims.items():
            assigned = tuple((a.field, a.component) for a in assignments)
            value = self.expression(
                replace(common, assigned=assigned), self.random.randint(0, 2), self.here
            )
            value = self.fitting(value, self.program.field(name).dtype)
            assignments.append(Assignment(name, component, aim, value))
        common = replace(common, assigned=tuple(aims))
        handed = [
            self.fitting(self.expression(common, self.random.randint(0, 2), self.here), dtype)
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
                starts.append(self.source(known))
            else:
                starts.append(Source("number", self.random.choice((0, 1, 5))))
        return ends, tuple(starts)

    def _fits(self, kind: str, dtype: str) -> bool:
        """Return whether a value of one type may be assigned to a field of another as it is."""
        if dtype == "bool":
            return kind == "bool"
        return dtype in FLOATS or kind not in FLOATS

    def _assignment(
        self, place: Place, target: Field, on: Region | None, step: Offset
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
        apart = self._apart(place.space, on) if aim == self.here else None
        if apart:
            return self._in_place(replace(place, apart=apart[0]), result, apart[1])
        value = self.expression(place, self.random.randint(0, 3), self.here)
        if self.random.random() < 0.05:
            value = Number({"f": 0.3, "i": -3, "u": 7, "b": True}[np.dtype(target.dtype).kind])
        return replace(result, value=self.fitting(value, target.dtype))
