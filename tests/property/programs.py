"""Programs as plain values: what a user may write, before anything is made of it.

From one value 'written' makes a Halocline program and 'oracle' plain NumPy. Nothing here, nor in
'oracle', nor in 'draw', knows Halocline.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import lcm

import numpy as np
from msgspec import Struct
from property.expressions import Expression, Offset, Read, fields_read, nodes
from property.given import Boundary, Fill, Inject, Record, Series

AXES = "xyz"
# How far programs read.
REACH = 2


class Assignment(Struct, frozen=True):
    """Give a component a value, 'place' away from the cell that computes it."""

    field: str
    component: int
    place: Offset
    value: Expression


class Source(Struct, frozen=True):
    """Where a keyword's number comes from.

    Attributes:
        kind: 'number', 'step', 'time', 'parameter', 'reduction' or 'formula'; for carries also
            'field'.
        value: The number, the name of the parameter, reduction or field, or an expression of
            numbers whose keywords are such names.
    """

    kind: str
    value: int | float | str | Expression = ""


class Kernel(Struct, frozen=True):
    """Assignments in the cells of a box (lower, upper), of a mask (a field's name), or in all.

    A keyword 'c…' is none: the function knows such a number as a variable from around it.
    """

    assignments: tuple[Assignment, ...]
    on: tuple[Offset, Offset] | str | None = None
    keywords: tuple[tuple[str, Source], ...] = ()


class Sweep(Struct, frozen=True):
    """Assignments in cells one after the other along an axis; each cell hands something on.

    Attributes:
        axis: Along which.
        sign: 1 upwards, -1 downwards.
        assignments: All to fields of the same cells; of none, those of 'over' are swept.
        handed: What each cell hands on, for each carry.
        starts: What the first cell of each column gets: a number, or one from elsewhere, or a
            field without the axis.
        ends: Fields without the axis that get the last carries; or none.
        on: As of a kernel.
        keywords: As of a kernel.
    """

    axis: int
    sign: int
    assignments: tuple[Assignment, ...]
    handed: tuple[Expression, ...]
    starts: tuple[Source, ...]
    ends: tuple[str, ...] = ()
    on: tuple[Offset, Offset] | str | None = None
    keywords: tuple[tuple[str, Source], ...] = ()


class Swap(Struct, frozen=True):
    first: str
    second: str


class Rotate(Struct, frozen=True):
    """Each field gets the contents of the next, the last those of the first."""

    fields: tuple[str, ...]


class Reduce(Struct, frozen=True):
    """'kind' is 'sum', 'min' or 'max'; keywords are names of parameters and reductions."""

    name: str
    kind: str
    value: Expression


class Formula(Struct, frozen=True):
    """A number computed of others.

    Attributes:
        value: How; keywords are names of parameters, reductions and passes.
        inside: Reductions that are no steps: they are evaluated where the formula is needed.
    """

    value: Expression
    inside: tuple[Reduce, ...] = ()


class Assign(Struct, frozen=True):
    """Give a parameter the value of a formula."""

    parameter: str
    formula: Formula


class Nest(Struct, frozen=True):
    """'kind' is 'repeat' or 'every'."""

    kind: str
    count: int
    steps: tuple[Step, ...]


class Until(Struct, frozen=True):
    """Passes until a condition holds, at most so many; 'name' is what their number is called."""

    name: str
    condition: Formula
    most: int
    steps: tuple[Step, ...]


class Callback(Struct, frozen=True):
    """A Python function that changes all values of a field, or a parameter."""

    field: str = ""
    parameter: str = ""


class Tridiagonal(Struct, frozen=True):
    """Solve a system along an axis: lower x[k - 1] + diagonal x[k] + upper x[k + 1] = right.

    Attributes:
        system: What lower, diagonal, upper and right are in a cell.
        into: The field that gets the solution.
    """

    axis: int
    system: tuple[Expression, ...]
    into: str


Step = (
    Kernel | Sweep | Swap | Rotate | Reduce | Assign | Nest | Until | Callback | Fill | Record
    | Inject | Tridiagonal
)  # fmt: skip


class Field(Struct, frozen=True):
    """A field.

    Attributes:
        boundaries: In the order in which sides are filled; on a side parts follow the rest.
        axes: Those that it has; empty for all.
        scale: Cells of its grid for one of the first grid, along each axis; empty for one.
        is_replicated: Whether its grid is replicated: every block has all of its cells.
    """

    name: str
    dtype: str
    components: int = 1
    location: str = "center"
    boundaries: tuple[Boundary, ...] = ()
    layout: str = "soa"
    axes: tuple[int, ...] = ()
    scale: tuple[Fraction, ...] = ()
    is_replicated: bool = False


class Space(Struct, frozen=True):
    """The cells of a field.

    Attributes:
        cells: Of its grid along each axis.
        size: Its own along each axis: with the last faces; one where it lacks the axis.
        periodic: Whether it closes, for each axis.
        scale: Cells of its grid for one of the first grid.
        axes: Those that it has.
        is_replicated: Whether every block has all cells.
    """

    cells: Offset
    size: Offset
    periodic: tuple[bool, ...]
    scale: tuple[Fraction, ...]
    axes: tuple[int, ...]
    is_replicated: bool = False

    def place(self, cell, shift: int, offset: int, axis: int, ratio: Fraction):
        """Return which of its cells is read along an axis, from a cell seen from another one."""
        if axis not in self.axes:
            return cell * 0
        return (cell + shift) * ratio.numerator // ratio.denominator + offset


class Program(Struct, frozen=True):
    """A grid, its fields, and one time step; its length 'dt' may be the name of a parameter."""

    extent: Offset
    periodic: tuple[bool, ...]
    spacing: tuple[float, ...]
    fields: tuple[Field, ...]
    steps: tuple[Step, ...]
    parameters: tuple[tuple[str, float], ...] = ()
    dt: float | str = 0.5
    series: tuple[Series, ...] = ()

    def field(self, name: str) -> Field:
        return next(field for field in self.fields if field.name == name)

    def space(self, name: str) -> Space:
        """Return the cells of a field."""
        field, everything = self.field(name), range(len(self.extent))
        scale = field.scale or (Fraction(1),) * len(self.extent)
        cells = tuple(int(n * s) for n, s in zip(self.extent, scale, strict=True))
        axes = field.axes or tuple(everything)
        size = tuple(
            cells[a] + (is_on_faces(field, a) and not self.periodic[a]) if a in axes else 1
            for a in everything
        )
        return Space(cells, size, self.periodic, scale, axes, field.is_replicated)

    def width(self, field: Field, axis: int) -> float:
        """Return how wide the cells of a field are."""
        return self.spacing[axis] / float(field.scale[axis] if field.scale else 1)

    def shape_of_side(self, name: str, side: str) -> Offset:
        """Return the shape of a field's values on a side."""
        space = self.space(name)
        return tuple(space.size[axis] for axis in space.axes if AXES[axis] != side[0])

    @property
    def scales(self) -> set[tuple[Fraction, ...]]:
        """Return the grids that there are, by their numbers of cells."""
        first = (Fraction(1),) * len(self.extent)
        return {first, *(field.scale or first for field in self.fields)}

    def grain(self, scale: tuple[Fraction, ...] = ()) -> Offset:
        """Return how many cells of a grid the largest cell of any grid spans, along each axis."""
        scale = scale or (Fraction(1),) * len(self.extent)
        return tuple(
            lcm(*((other[axis] / s).denominator for other in self.scales))
            for axis, s in enumerate(scale)
        )


def is_on_faces(field: Field, axis: int) -> bool:
    return field.location != "center" and AXES[axis] in field.location.split("_")[0]


def initial(program: Program) -> dict[str, np.ndarray]:
    """Return what each field holds at first, (components, x, y, z)."""
    random = np.random.default_rng(3)
    result = {}
    for field in program.fields:
        shape = (field.components, *program.space(field.name).size)
        if field.dtype.startswith("float"):
            values = random.random(shape) - 0.5
        else:
            lowest = 0 if field.dtype[0] in "ub" else -9
            values = random.integers(lowest, 2 if field.dtype == "bool" else 10, shape)
        result[field.name] = values.astype(field.dtype)
    return result


def flat(steps: tuple[Step, ...]) -> list[Step]:
    """Return steps with those inside nests, in order."""
    result = []
    for step in steps:
        result.append(step)
        if isinstance(step, Nest | Until):
            result += flat(step.steps)
    return result


def assigned_by(step: Step) -> set[str]:
    """Return the fields that a step assigns in cells that its grid has, but for callbacks."""
    if isinstance(step, Tridiagonal):
        return {step.into}
    if not isinstance(step, Kernel | Sweep):
        return set()
    return {a.field for a in step.assignments} | set(step.ends if isinstance(step, Sweep) else ())


def fields_moved(step: Swap | Rotate) -> tuple[str, ...]:
    """Return the fields that get each the contents of the next."""
    return (step.first, step.second) if isinstance(step, Swap) else step.fields


def used_by(step: Step) -> set[str]:
    """Return the fields that a step needs, but for steps inside it."""
    match step:
        case Kernel() | Sweep():
            found = assigned_by(step) | ({step.on} if isinstance(step.on, str) else set())
            for value in values_of(step):
                found |= fields_read(value)
            if isinstance(step, Sweep):
                found |= {source.value for source in step.starts if source.kind == "field"}
            return found
        case Reduce(_, _, value):
            return fields_read(value)
        case Swap() | Rotate():
            return set(fields_moved(step))
        case Assign(_, Formula(_, inside)) | Until(_, Formula(_, inside)):
            return set().union(*map(used_by, inside))
        case Callback(field):
            return {field} if field else set()
        case Fill() | Record() | Inject():
            return {step.field}
        case Tridiagonal(_, system, into):
            return {into}.union(*map(fields_read, system))
        case _:
            return set()


def fields_of(step: Kernel | Sweep) -> list[str]:
    """Return the fields that a kernel is called with: those that it assigns first."""
    names = dict.fromkeys(a.field for a in step.assignments)
    reads = (n.field for v in values_of(step) for n in nodes(v) if isinstance(n, Read))
    return list(names | dict.fromkeys(reads))


def values_of(step: Kernel | Sweep) -> Iterator[Expression]:
    """Return all that a step computes in a cell."""
    yield from (a.value for a in step.assignments)
    yield from step.handed if isinstance(step, Sweep) else ()


def is_around(keyword: str) -> bool:
    """Return whether a number is no keyword, but a variable from around the function."""
    return keyword.startswith("c")
