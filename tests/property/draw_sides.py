"""What sides of random programs prescribe: more than a number for all of a side."""

from __future__ import annotations

from random import Random

from msgspec.structs import replace
from property.given import Boundary, Given, Series
from property.programs import AXES, Field, Program

KINDS = ("dirichlet", "neumann", "robin", "copy", "mirror")
GIVEN_KINDS = ("number", "parameter", "number series", "array", "series", "field", "function")


def draw_series(random: Random, name: str, *, may_end: bool = True) -> Series:
    """Draw numbers that change with time; only some may end, which lasts for all steps."""
    begin, count = random.choice((0.0, -0.7)), random.randint(1, 4)
    times = tuple(begin + 0.6 * n for n in range(count))
    if may_end and random.random() < 0.5:
        return Series(name, (*times, 4.0), random.randrange(100))
    return Series(name, times, random.randrange(100), times[-1] - begin + random.choice((0.3, 2.0)))


def with_sides(random: Random, program: Program) -> Program:
    """Return a program some of whose sides prescribe more than a number."""
    return replace(
        program,
        fields=tuple(
            replace(field, boundaries=tuple(_more(random, program, field)))
            for field in program.fields
        ),
    )


def _more(random: Random, program: Program, field: Field):
    """Return the boundaries of a field; parts follow the rest of their side."""
    for boundary in field.boundaries:
        yield _given(random, program, field, boundary)
        shape = program.shape_of_side(field.name, boundary.side)
        while shape and random.random() < 0.25:
            kinds = ("dirichlet", "neumann", "robin") if boundary.prescribes else ("copy", "mirror")
            kind = random.choice(kinds)
            part = _part(random, program, field)
            other = replace(boundary, kind=kind, factors=(0.5, 1.5), part=part[0], said=part[1])
            yield _given(random, program, field, other)


def _part(random: Random, program: Program, field: Field):
    """Draw cells of a side, and how they are said."""
    space = program.space(field.name)
    cuts = [sorted(random.sample(range(n + 1), 2)) for n in space.size]
    return tuple(zip(*map(tuple, cuts), strict=True)), random.choice(("box", "array", "function"))


def _given(random: Random, program: Program, field: Field, boundary: Boundary) -> Boundary:
    """Draw what is prescribed."""
    if not boundary.prescribes or random.random() < 0.4:
        return boundary
    axis, series = AXES.index(boundary.side[0]), program.series
    shape = program.shape_of_side(field.name, boundary.side)
    kinds = ["array", "series", "array"] * bool(shape)
    kinds += ["parameter"] * bool(program.parameters) + ["number series"] * bool(series)
    # Coordinates are exact.
    is_dyadic = all(s.numerator % 3 and s.denominator % 3 for s in program.space(field.name).scale)
    fitting = [one.name for one in program.fields if _fits(program, field, one, axis)]
    kinds += ["function"] * 2 * is_dyadic + ["field"] * bool(fitting)
    if not kinds:
        return boundary
    kind = "field" if fitting and random.random() < 0.7 else random.choice(kinds)
    value = {
        "array": lambda: random.randrange(100),
        "series": lambda: draw_series(random, "along", may_end=isinstance(program.dt, float)),
        "parameter": lambda: random.choice(program.parameters)[0],
        "number series": lambda: random.choice(series).name,
        "function": lambda: tuple(
            random.choice((0.0, 0.5, 0.3, -1.0)) for _ in range(len(program.extent) + 2)
        ),
        "field": lambda: random.choice(fitting),
    }[kind]()
    return replace(boundary, given=Given(kind, value))


def _fits(program: Program, field: Field, other: Field, axis: int) -> bool:
    """Return whether a field has the cells of a side, and values wherever that may be asked."""
    space, own = program.space(field.name), program.space(other.name)
    axes = tuple(a for a in space.axes if a != axis)
    size = tuple(1 if a == axis else n for a, n in enumerate(space.size))
    sides = {b.side for b in other.boundaries}
    return (
        other.components == 1
        and other.dtype.startswith("float")
        and (own.axes, own.scale, own.size) == (axes, space.scale, size)
        and own.is_replicated == space.is_replicated
        and all({AXES[a] + "-", AXES[a] + "+"} <= sides or space.periodic[a] for a in axes)
    )
