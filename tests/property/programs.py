"""Programs as plain values: what a user may write, before anything is made of it.

From one value 'written' makes a Halocline program and 'oracle' plain NumPy. Nothing here, nor in
'oracle', nor in 'draw', knows Halocline.
"""

from __future__ import annotations

from collections.abc import Sequence
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


def surely_assigned(steps: Sequence[Step]) -> set[str]:
    """Return the fields that kernels assign, also after swaps.

    The others keep the values on a side that they were set to, so they are not put there.
    """
    every = flat(tuple(steps))
    kernels = [step for step in every if isinstance(step, Kernel)]
    found = {a.field for kernel in kernels for a in kernel.assignments}
    swapped = {name for step in every if isinstance(step, Swap) for name in used_by(step)}
    return found if swapped <= found else found - swapped


def may_swap(first: Field, second: Field) -> bool:
    """Return whether fields may be swapped: no values are prescribed on a side of one alone."""
    prescribed = [
        {side for side, kind, _ in field.boundaries if side[1] == "-" and kind != "copy"}
        for field in (first, second)
    ]
    alike = first.location == "center" or prescribed[0] == prescribed[1]
    return alike and first.location == second.location


def is_legal(program: Program) -> bool:
    """Return whether a program could have been drawn: all that it uses is known and filled."""
    steps = flat(program.steps)
    swaps = [step for step in steps if isinstance(step, Swap)]
    on_sides = {field.name for field in program.fields if field.location != "center"}
    if not on_sides <= surely_assigned(program.steps) or not all(
        may_swap(program.field(swap.first), program.field(swap.second)) for swap in swaps
    ):
        return False
    known = {name for name, _ in program.parameters}
    for step in steps:
        if not _numbers_of(step) <= known or not _is_filled(program, step):
            return False
        if isinstance(step, Reduce):
            known.add(step.name)
    return True


def _numbers_of(step: Step) -> set[str]:
    """Return the parameters and reductions that a step needs."""
    if isinstance(step, Kernel):
        return {s.value for _, s in step.keywords if s.kind in ("parameter", "reduction")}
    return {step.parameter} if isinstance(step, Callback) and step.parameter else set()


def _is_filled(program: Program, step: Step) -> bool:
    """Return whether the values of a kernel or a reduction can be computed everywhere."""
    here = (0,) * len(program.extent)
    region, values, keywords = (here, program.extent), [], {}
    if isinstance(step, Kernel):
        region = step.on if isinstance(step.on, tuple) else region
        values, keywords = [a.value for a in step.assignments], dict(step.keywords)
    elif isinstance(step, Reduce):
        values = [step.value]
    below = [node for value in values for node in nodes(value)]
    # Only what differs from cell to cell can be converted, seen from elsewhere, ….
    above = [node for node in below if isinstance(node, Cast | Shifted | Power | Unary)]
    reads = [found for value in values for found in seen(value, here)]
    return (
        all(node.name in keywords for node in below if isinstance(node, Keyword))
        and all(seen(node, here) for node in above)
        and all(
            is_filled(program, program.field(node.field), offset, region)
            for node, offset in reads
            if isinstance(node, Read)
        )
    )


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
