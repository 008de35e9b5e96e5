"""Programs as plain values: what a user may write, before anything is made of it.

From one value 'written' makes a Halocline program and 'oracle' plain NumPy. Nothing here, nor in
'oracle', nor in 'draw', knows Halocline.
"""

from __future__ import annotations

from dataclasses import dataclass

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
    """A component of a field; 'is_old': read at the top of the function, used here."""

    field: str
    component: int
    offset: Offset
    is_old: bool = False


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
    """A whole expression as seen from the cell 'offset' away."""

    operand: Expression
    offset: Offset


Expression = Number | Keyword | Index | Read | Unary | Binary | Where | Power | Cast | Shifted


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
        kind: 'number', 'step', 'time', 'parameter' or 'reduction'.
        value: The number, or the name of the parameter or reduction.
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


Step = Kernel | Swap | Reduce | Nest | Callback


@dataclass(frozen=True)
class Field:
    """A field; 'boundaries' are (side, 'dirichlet', 'neumann' or 'copy', value), in order.

    'copy' is a kernel of the user's that copies the cell next to the side.
    """

    name: str
    dtype: str
    components: int = 1
    location: str = "center"
    boundaries: tuple[tuple[str, str, float], ...] = ()
    layout: str = "soa"


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


def initial(program: Program) -> dict[str, np.ndarray]:
    """Return what each field holds at first, (components, x, y, z)."""
    random = np.random.default_rng(3)
    result = {}
    for field in program.fields:
        shape = (field.components, *program.extent)
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
    """Return the reads and indices of an expression with their places relative to the cell."""
    if isinstance(root, Read | Index):
        offset = root.offset if isinstance(root, Read) else (0,) * len(shift)
        return [(root, moved(offset, shift))]
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


def is_filled(program: Program, field: Field, offset: Offset, region) -> bool:
    """Return whether there is something to read beyond sides, from the cells of a region.

    Dirichlet's and Neumann's rules fill any number of layers, a copy fills one.
    """
    sides = {side: kind for side, kind, _ in field.boundaries}
    depth = 1 if "copy" in sides.values() else REACH
    for axis, is_periodic in enumerate(program.periodic):
        below = -(region[0][axis] + offset[axis])
        above = region[1][axis] + offset[axis] - program.extent[axis]
        for sign, beyond in (("-", below), ("+", above)):
            reach = depth if AXES[axis] + sign in sides else 0
            if not is_periodic and beyond > reach:
                return False
    return max(map(abs, offset)) <= REACH


def is_legal(program: Program) -> bool:
    """Return whether all that kernels and reductions use is known and filled."""
    here = (0,) * len(program.extent)
    known = {name for name, _ in program.parameters}
    for step in flat(program.steps):
        region, values, keywords = (here, program.extent), [], {}
        if isinstance(step, Kernel):
            region = step.on if isinstance(step.on, tuple) else region
            values, keywords = [a.value for a in step.assignments], dict(step.keywords)
        elif isinstance(step, Reduce):
            values = [step.value]
            known.add(step.name)
        elif isinstance(step, Callback) and step.parameter:
            keywords = {"": Source("parameter", step.parameter)}
        needed = {s.value for s in keywords.values() if s.kind in ("parameter", "reduction")}
        if not needed <= known:
            return False
        for value in values:
            if any(isinstance(n, Keyword) and n.name not in keywords for n in nodes(value)):
                return False
            # Only what differs from cell to cell can be converted, seen from elsewhere, ….
            above = [n for n in nodes(value) if isinstance(n, Cast | Shifted | Power | Unary)]
            if not all(seen(node, here) for node in above):
                return False
            for node, offset in seen(value, here):
                field = program.field(node.field) if isinstance(node, Read) else None
                if field and not is_filled(program, field, offset, region):
                    return False
    return True


def used_by(step: Step) -> set[str]:
    """Return the fields that a step needs, but for steps inside it."""
    match step:
        case Kernel(assignments, on):
            found = {a.field for a in assignments} | ({on} if isinstance(on, str) else set())
            return found.union(*(fields_read(a.value) for a in assignments))
        case Reduce(_, _, value):
            return fields_read(value)
        case Swap(first, second):
            return {first, second}
        case Callback(field):
            return {field} if field else set()
        case _:
            return set()


def fields_read(value: Expression) -> set[str]:
    return {node.field for node in nodes(value) if isinstance(node, Read)}
