"""Programs as plain values: what a user may write, before anything is made of it.

From one value 'written' makes a Halocline program and 'oracle' plain NumPy. Nothing here, nor in
'oracle', nor in 'draw', knows Halocline.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor, lcm

import numpy as np

AXES = "xyz"
# How far programs read.
REACH = 2
Offset = tuple[int, ...]


@dataclass(frozen=True)
class Number:
    """A number written in the program."""

    value: int | float | bool


@dataclass(frozen=True)
class Keyword:
    """A number given to the kernel by keyword."""

    name: str


@dataclass(frozen=True)
class Index:
    """The index of the cell along an axis."""

    axis: int


@dataclass(frozen=True)
class Read:
    """A component of a field; 'is_old': read at the top of the function, used here.

    Offsets have all axes of the grid; they are zero along those that the field lacks.
    """

    field: str
    component: int
    offset: Offset
    is_old: bool = False


@dataclass(frozen=True)
class Carry:
    """What the cell before has handed on in a sweep."""

    number: int


@dataclass(frozen=True)
class Unary:
    """'neg', 'abs', 'sqrt' or 'not' of a value."""

    op: str
    operand: Expression


@dataclass(frozen=True)
class Binary:
    """Arithmetic ('add', …), bitwise ('and', …), comparing ('lt', …), 'min' or 'max'."""

    op: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Where:
    """One of two values, chosen in each cell."""

    condition: Expression
    true: Expression
    false: Expression


@dataclass(frozen=True)
class Power:
    """A whole power."""

    base: Expression
    exponent: int


@dataclass(frozen=True)
class Cast:
    """A value converted to another type."""

    operand: Expression
    dtype: str


@dataclass(frozen=True)
class Shifted:
    """A whole expression as seen from the kernel's cell 'offset' away."""

    operand: Expression
    offset: Offset


Expression = (
    Number | Keyword | Carry | Index | Read | Unary | Binary | Where | Power | Cast | Shifted
)


@dataclass(frozen=True)
class Assignment:
    """Give a component a value, 'place' away from the cell that computes it."""

    field: str
    component: int
    place: Offset
    value: Expression


@dataclass(frozen=True)
class Source:
    """Where a keyword's number comes from.

    Attributes:
        kind: 'number', 'step', 'time', 'parameter' or 'reduction'; for carries also 'field'.
        value: The number, or the name of the parameter, reduction or field.
    """

    kind: str
    value: int | float | str = ""


@dataclass(frozen=True)
class Kernel:
    """Assignments in the cells of a box (lower, upper), of a mask (a field's name), or in all."""

    assignments: tuple[Assignment, ...]
    on: tuple[Offset, Offset] | str | None = None
    keywords: tuple[tuple[str, Source], ...] = ()


@dataclass(frozen=True)
class Sweep:
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


@dataclass(frozen=True)
class Swap:
    first: str
    second: str


@dataclass(frozen=True)
class Reduce:
    """'kind' is 'sum', 'min' or 'max'."""

    name: str
    kind: str
    value: Expression


@dataclass(frozen=True)
class Nest:
    """'kind' is 'repeat' or 'every'."""

    kind: str
    count: int
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Callback:
    """A Python function that changes all values of a field, or a parameter."""

    field: str = ""
    parameter: str = ""


Step = Kernel | Sweep | Swap | Reduce | Nest | Callback


@dataclass(frozen=True)
class Field:
    """A field; 'boundaries' are (side, 'dirichlet', 'neumann' or 'copy', value), in order.

    'copy' is a kernel of the user's that copies the cell next to the side.

    Attributes:
        axes: Those that it has; empty for all.
        scale: Cells of its grid for one of the first grid, along each axis; empty for one.
    """

    name: str
    dtype: str
    components: int = 1
    location: str = "center"
    boundaries: tuple[tuple[str, str, float], ...] = ()
    layout: str = "soa"
    axes: tuple[int, ...] = ()
    scale: tuple[Fraction, ...] = ()


@dataclass(frozen=True)
class Space:
    """The cells of a field.

    Attributes:
        cells: Of its grid along each axis.
        size: Its own along each axis: with the last faces; one where it lacks the axis.
        periodic: Whether it closes, for each axis.
        scale: Cells of its grid for one of the first grid.
        axes: Those that it has.
    """

    cells: Offset
    size: Offset
    periodic: tuple[bool, ...]
    scale: tuple[Fraction, ...]
    axes: tuple[int, ...]

    def place(self, cell, shift: int, offset: int, axis: int, ratio: Fraction):
        """Return which of its cells is read along an axis, from a cell seen from another one."""
        if axis not in self.axes:
            return cell * 0
        return (cell + shift) * ratio.numerator // ratio.denominator + offset


@dataclass(frozen=True)
class Program:
    """A grid, its fields, and one time step."""

    extent: Offset
    periodic: tuple[bool, ...]
    spacing: tuple[float, ...]
    fields: tuple[Field, ...]
    steps: tuple[Step, ...]
    parameters: tuple[tuple[str, float], ...] = ()
    dt: float = 0.5

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
        return Space(cells, size, self.periodic, scale, axes)

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


def has_last_faces(space: Space) -> bool:
    return any(space.size[axis] > space.cells[axis] for axis in space.axes)


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
            lowest = 0 if field.dtype in ("uint8", "bool") else -9
            values = random.integers(lowest, 2 if field.dtype == "bool" else 10, shape)
        result[field.name] = values.astype(field.dtype)
    return result


def operands(node: Expression) -> tuple[Expression, ...]:
    """Return the expressions directly below one."""
    match node:
        case Unary(_, a) | Power(a, _) | Cast(a, _) | Shifted(a, _):
            return (a,)
        case Binary(_, a, b):
            return (a, b)
        case Where(a, b, c):
            return (a, b, c)
        case _:
            return ()


def nodes(root: Expression) -> list[Expression]:
    """Return an expression and all below it."""
    return [root, *(node for below in operands(root) for node in nodes(below))]


def seen(root: Expression, shift: Offset) -> list[tuple[Read | Index, Offset]]:
    """Return the reads and indices of an expression with the cells from where they are seen."""
    if isinstance(root, Read | Index):
        return [(root, shift)]
    if isinstance(root, Shifted):
        shift = moved(shift, root.offset)
    return [found for below in operands(root) for found in seen(below, shift)]


def moved(offset: Offset, shift: Offset) -> Offset:
    return tuple(a + b for a, b in zip(offset, shift, strict=True))


def flat(steps: tuple[Step, ...]) -> list[Step]:
    """Return steps with those inside nests, in order."""
    result = []
    for step in steps:
        result.append(step)
        if isinstance(step, Nest):
            result += flat(step.steps)
    return result


# Cells from one to before another one.
Region = tuple[Offset, Offset]


def written_for(program: Program, step: Kernel | Sweep | Reduce) -> Space:
    """Return the cells that a step is written for, faces aside.

    Those of what a kernel assigns; for a sweep that assigns nothing and for a reduction, those of
    all that they read: of the finest grid along each axis, with all axes that any has.
    """
    if not isinstance(step, Reduce) and step.assignments:
        return program.space(step.assignments[0].field)
    values = step.handed if isinstance(step, Sweep) else (step.value,)
    return finest(program, sorted(set().union(*map(fields_read, values))))


def finest(program: Program, names: Sequence[str]) -> Space:
    """Return the cells in which an expression has values, of the fields that it reads."""
    if not names:
        first = replace(program, fields=(Field("first", "bool"),))
        return first.space("first")
    spaces = [program.space(name) for name in names]
    scale = tuple(map(max, zip(*(space.scale for space in spaces), strict=True)))
    axes = tuple(sorted(set().union(*(space.axes for space in spaces))))
    cells = tuple(int(n * s) for n, s in zip(program.extent, scale, strict=True))
    # Faces only if all that have the axis have them.
    size = tuple(
        n + min(s.size[axis] - s.cells[axis] for s in spaces if axis in s.axes)
        if axis in axes
        else 1
        for axis, n in enumerate(cells)
    )
    return Space(cells, size, program.periodic, scale, axes)


def regions(program: Program, step: Kernel | Sweep | Reduce) -> list[tuple[Expression, Region]]:
    """Return each value that a step computes with the cells where it does that."""
    here, space = (0,) * len(program.extent), written_for(program, step)
    if isinstance(step, Reduce):
        return [(step.value, (here, space.size))]
    on = step.on if isinstance(step.on, tuple) else None
    result = [(a.value, region(program, a, on)) for a in step.assignments]
    if isinstance(step, Sweep):
        every = result[0][1] if result else boxed(space, on)
        result += [(value, every) for value in step.handed]
    return result


def region(program: Program, to: Assignment, on: Region | None) -> Region:
    """Return the cells that do an assignment: all faces, but for those that do it next door."""
    space = program.space(to.field)
    return boxed(replace(space, size=space.cells) if any(to.place) else space, on)


def boxed(space: Space, on: Region | None) -> Region:
    """Return the cells of a box, or all; one along axes that there are not."""
    lower, upper = on or ((0,) * len(space.size), space.size)
    lower = tuple(n if axis in space.axes else 0 for axis, n in enumerate(lower))
    upper = tuple(n if axis in space.axes else 1 for axis, n in enumerate(upper))
    return lower, upper


def is_filled(
    program: Program, field: Field, offset: Offset, shift: Offset, cells: Region, kernel: Space
) -> bool:
    """Return whether there is something to read, also beyond sides, from some cells of a kernel.

    Dirichlet's and Neumann's rules fill any number of layers that mirror what lies within, a copy
    fills one.
    """
    space = program.space(field.name)
    if not set(space.axes) <= set(kernel.axes):
        return False
    sides = {side: kind for side, kind, _ in field.boundaries}
    within = [space.cells[AXES.index(side[0])] for side in sides]
    depth = 1 if "copy" in sides.values() else min((REACH, *within))
    for axis in space.axes:
        ratio = space.scale[axis] / kernel.scale[axis]
        first, last = (
            space.place(end, shift[axis], offset[axis], axis, ratio)
            for end in (cells[0][axis], cells[1][axis] - 1)
        )
        for sign, beyond in (("-", -first), ("+", last + 1 - space.size[axis])):
            reach = depth if AXES[axis] + sign in sides else 0
            if not space.periodic[axis] and beyond > reach:
                return False
        away = offset[axis] + shift[axis] * ratio
        if floor(away) < -REACH or ceil(away) > REACH + max(0, ceil(ratio) - 1):
            return False
    return True


def is_legal(program: Program) -> bool:
    """Return whether a program could have been drawn: all that it uses is known and filled."""
    steps = flat(program.steps)
    for swap in (step for step in steps if isinstance(step, Swap)):
        if not may_swap(program, program.field(swap.first), program.field(swap.second)):
            return False
    on_faces = {field.name for field in program.fields if field.location != "center"}
    if not on_faces <= {name for step in steps for name in assigned_by(step)}:
        return False
    if not all(is_divided(program, scale) for scale in program.scales):
        return False
    known = {name for name, _ in program.parameters}
    for step in steps:
        if not _numbers_of(step) <= known or not is_computable(program, step):
            return False
        if isinstance(step, Sweep) and not is_sweep(program, step):
            return False
        if isinstance(step, Reduce):
            known.add(step.name)
    return True


def is_divided(program: Program, scale: tuple[Fraction, ...]) -> bool:
    """Return whether the grid can have so many cells."""
    return all((n * s).denominator == 1 for n, s in zip(program.extent, scale, strict=True))


def may_swap(program: Program, first: Field, second: Field) -> bool:
    """Return whether fields are of one kind, with values on a side prescribed for both or none."""
    kinds = [(f.dtype, f.components, f.components > 1 and f.layout) for f in (first, second)]
    spaces = [program.space(field.name) for field in (first, second)]
    prescribed = [
        {s for s, kind, _ in f.boundaries if kind != "copy" and is_on_faces(f, AXES.index(s[0]))}
        for f in (first, second)
    ]
    is_alike = kinds[0] == kinds[1] and spaces[0] == spaces[1] and first is not second
    return is_alike and prescribed[0] == prescribed[1]


def is_sweep(program: Program, sweep: Sweep) -> bool:
    """Return whether a sweep has a meaning: its carries fit, and columns do not meet."""
    space = written_for(program, sweep)
    used = fields_of(sweep)
    spaces = {program.space(a.field) for a in sweep.assignments}
    if not spaces:
        # Those of what is read, if one of these fields has the cells that are swept.
        whole = (space.axes, space.scale)
        spaces = {s for s in map(program.space, used) if (s.axes, s.scale) == whole}
    lateral = [axis for axis in space.axes if axis != sweep.axis]
    aims = {(a.field, a.component): a.place for a in sweep.assignments}
    here = (0,) * len(program.extent)
    places = [
        (aims[node.field, node.component], moved(node.offset, shift))
        for value in values_of(sweep)
        for node, shift in seen(value, here)
        if isinstance(node, Read) and (node.field, node.component) in aims
    ]
    carried = {s.value for s in sweep.starts if s.kind == "field"} | set(sweep.ends)
    return (
        len(spaces) == 1
        and len({any(a.place) for a in sweep.assignments}) < 2
        and (not has_last_faces(space) or max(children(program, sweep)) == 1)
        and len(sweep.starts) == len(sweep.handed) > 0
        and len(sweep.ends) in (0, len(sweep.handed))
        and all(aim == place for aim, place in places)
        and all(aims[a.field, a.component] == a.place for a in sweep.assignments)
        and not {*used, sweep.on} & set(sweep.ends)
        and sweep.axis in space.axes
        and bool(lateral)
        and all(may_carry(program, name, space, sweep.axis) for name in carried)
        and len(set(sweep.ends)) == len(sweep.ends)
    )


def children(program: Program, step: Kernel | Sweep) -> Offset:
    """Return how many of the cells that it is written for the coarsest cell that it uses spans."""
    space = written_for(program, step)
    names = [*fields_of(step), *([step.on] if isinstance(step.on, str) else [])]
    found = [1] * len(space.size)
    for used in map(program.space, names):
        for axis in used.axes:
            found[axis] = lcm(found[axis], (used.scale[axis] / space.scale[axis]).denominator)
    return tuple(found)


def is_whole(program: Program, step: Kernel | Sweep) -> bool:
    """Return whether a step assigns next door to whole cells of all grids that it uses."""
    counts = children(program, step)
    return not any(o % n for a in step.assignments for o, n in zip(a.place, counts, strict=True))


def may_carry(program: Program, name: str, swept: Space, axis: int) -> bool:
    """Return whether a field has one value for each column that is swept."""
    space = program.space(name)
    size = tuple(1 if a == axis else n for a, n in enumerate(swept.size))
    axes = tuple(a for a in swept.axes if a != axis)
    is_alike = (space.size, space.scale, space.axes) == (size, swept.scale, axes)
    return is_alike and program.field(name).components == 1


def _numbers_of(step: Step) -> set[str]:
    """Return the parameters and reductions that a step needs."""
    if isinstance(step, Kernel | Sweep):
        sources = [source for _, source in step.keywords]
        sources += step.starts if isinstance(step, Sweep) else ()
        return {s.value for s in sources if s.kind in ("parameter", "reduction")}
    return {step.parameter} if isinstance(step, Callback) and step.parameter else set()


def is_computable(program: Program, step: Step) -> bool:
    """Return whether the values of a kernel or a reduction can be computed everywhere."""
    if not isinstance(step, Kernel | Sweep | Reduce):
        return True
    space, here = written_for(program, step), (0,) * len(program.extent)
    placed = regions(program, step)
    keywords = {} if isinstance(step, Reduce) else dict(step.keywords)
    carries = len(step.handed) if isinstance(step, Sweep) else 0
    below = [node for value, _ in placed for node in nodes(value)]
    # Only what differs from cell to cell can be converted, seen from elsewhere, ….
    above = [node for node in below if isinstance(node, Cast | Shifted | Power | Unary)]
    alive = [
        node for node in above if any(isinstance(n, Read | Index | Carry) for n in nodes(node))
    ]
    if isinstance(step, Reduce) and not seen(step.value, here):
        return False
    if not isinstance(step, Reduce) and not is_whole(program, step):
        return False
    lacking = [axis for axis in range(len(here)) if axis not in space.axes]
    if any(isinstance(node, Index) and node.axis in lacking for node in below):
        return False
    if any(isinstance(node, Shifted) and node.offset[axis] for node in below for axis in lacking):
        return False
    mask = [] if isinstance(step, Reduce) or not isinstance(step.on, str) else [step.on]
    return (
        all(node.name in keywords for node in below if isinstance(node, Keyword))
        and all(node.number < carries for node in below if isinstance(node, Carry))
        and len(alive) == len(above)
        and all(
            is_filled(program, program.field(node.field), node.offset, shift, cells, space)
            for value, cells in placed
            for node, shift in seen(value, here)
            if isinstance(node, Read)
        )
        and all(
            is_filled(program, program.field(name), here, here, cells, space)
            for name in mask
            for _, cells in placed
        )
    )


def assigned_by(step: Step) -> set[str]:
    """Return the fields that a step assigns in cells that its grid has, but for callbacks."""
    if not isinstance(step, Kernel | Sweep):
        return set()
    return {a.field for a in step.assignments} | set(step.ends if isinstance(step, Sweep) else ())


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
        case Swap(first, second):
            return {first, second}
        case Callback(field):
            return {field} if field else set()
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


def fields_read(value: Expression) -> set[str]:
    return {node.field for node in nodes(value) if isinstance(node, Read)}
