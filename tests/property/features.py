"""What of the language and of its strategies occurs in programs that have been run."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from property.cells import (
    children,
    has_last_faces,
    written_for,
)
from property.executions import CHOICES, Execution
from property.expressions import (
    Cast,
    Difference,
    Draw,
    Index,
    Offset,
    Read,
    Stencil,
    Where,
    fields_read,
    nodes,
    seen,
)
from property.given import Fill, Inject, Record
from property.legal import numbers_of
from property.programs import (
    AXES,
    Assign,
    Callback,
    Kernel,
    Nest,
    Program,
    Reduce,
    Rotate,
    Space,
    Step,
    Swap,
    Sweep,
    Tridiagonal,
    Until,
    assigned_by,
    flat,
    is_around,
    is_on_faces,
    used_by,
    values_of,
)
from property.turns import draws
from property.wanted import MOVING


def features(program: Program, execution: Execution) -> set[str]:
    """Return what occurs in a program and in the way it is run."""
    steps = flat(program.steps)
    found: set[str] = set()
    for piece in execution.pieces:
        found |= {f"{name}={getattr(piece.strategy, name)}" for name in CHOICES}
        found |= {f"ranks={piece.split.ranks}", f"target={piece.target}", f"way={piece.way}"}
        found |= {f"device={piece.device.partition(':')[0]}"}
    for step in steps:
        found |= {*_of_step(program, step, execution)}
    if isinstance(program.dt, str):
        found.add("dt is a parameter")
    if "mask" in found and "M" in _changed(steps):
        found.add("mask that changes")
    used = {name for step in steps for name in used_by(step)}
    found |= {f"dtype {program.field(name).dtype}" for name in used}
    if any(_is_prescribed(program, name) for name in used):
        found.add("value on a face")
    found |= {*_of_grids(program)}
    if any(piece.split.boxes for piece in execution.pieces):
        found |= {f"{name} list of blocks" for name in _of_list(program, execution, used)}
        found.add("blocks: a list")
    return found | {*_of_moving(execution, found)}


def _of_step(program: Program, step: Step, execution: Execution) -> Iterator[str]:
    match step:
        case Kernel():
            yield from (*_of_kernel(program, step), *_of_cells(program, step))
        case Sweep():
            yield from (*_of_sweep(program, step, execution), *_of_cells(program, step))
        case Reduce(_, kind):
            yield from (f"reduction {kind}", *_of_reduction(program, step))
        case Callback(field):
            yield "callback on a field" if field else "callback on a parameter"
        case Nest(kind, _, steps):
            yield kind
            if draws(steps):
                yield f"random number in {kind}"
        case Swap() | Rotate() | Fill():
            yield type(step).__name__.lower()
        case Record() | Inject() | Tridiagonal():
            yield from _without_kernel(program, step)
        case Assign(_, formula):
            yield from ("assign", *("reduction inside of assign" for _ in formula.inside))
        case Until():
            yield from ("until", *_of_until(step))


def _without_kernel(program: Program, step: Record | Inject | Tridiagonal) -> Iterator[str]:
    match step:
        case Record(_, field, _, points, every):
            yield from (f"record {points.interpolation}", *_at_points(program, field, "recorded"))
            if every > 1:
                yield "record every"
        case Inject(field, _, points, amount):
            yield from (f"inject {points.interpolation}", *_at_points(program, field, "injected"))
            yield f"inject a {type(amount).__name__}"
        case Tridiagonal(axis, system, into):
            yield "tridiagonal: cyclic" if program.periodic[axis] else "tridiagonal: open"
            yield f"tridiagonal of {program.field(into).dtype}"
            if any(into in fields_read(value) for value in system):
                yield "tridiagonal of its own solution"


def _at_points(program: Program, name: str, done: str) -> Iterator[str]:
    space = program.space(name)
    if has_last_faces(space):
        yield f"{done} on last faces"
    if len(space.axes) < len(program.extent):
        yield f"{done} without an axis"


def _of_until(loop: Until) -> Iterator[str]:
    if loop.condition.inside:
        yield "reduction inside of a condition"
    inner = flat(loop.steps)
    yield from (f"{type(step).__name__.lower()} in until" for step in inner)


def _of_moving(execution: Execution, found: set[str]) -> Iterator[str]:
    """Say what occurs in a program whose blocks are others from one run to the next."""
    pairs = list(pairwise(piece.split for piece in execution.pieces))
    if any(before.cuts != after.cuts for before, after in pairs):
        yield "other blocks between runs"
        yield from (f"{name}, on other blocks then" for name in MOVING if name in found)
    if any(before.owners != after.owners for before, after in pairs):
        yield "other owners between runs"


def _of_list(program: Program, execution: Execution, used: set[str]) -> Iterator[str]:
    shapes = [piece.split.shape for piece in execution.pieces if piece.split.boxes]
    cut = {axis for shape in shapes for axis, n in enumerate(shape) if n > 1}
    if any(isinstance(step, Sweep) and step.axis in cut for step in flat(program.steps)):
        yield "sweep through a"
    if any(cut.difference(program.space(name).axes) for name in used):
        yield "fewer axes on a"


def _of_reduction(program: Program, reduction: Reduce) -> Iterator[str]:
    yield from _of_value(program, reduction, reduction.value)
    spaces = [program.space(name) for name in fields_read(reduction.value)]
    if len({space.scale for space in spaces}) > 1:
        yield "reduction of several grids"
    if len({space.axes for space in spaces}) > 1:
        yield "reduction of fields with other axes"
    if numbers_of(reduction):
        yield "parameter in a reduction"
    if not isinstance(reduction.value, Read):
        yield "reduction of an expression"
    elif reduction.value.component is None and program.field(reduction.value.field).components > 1:
        yield "reduction of all components"


def _of_grids(program: Program) -> Iterator[str]:
    for scale in program.scales:
        if len(set(scale)) > 1:
            yield "other ratios along axes"
        if any(3 in (s.numerator, s.denominator) for s in scale):
            yield "ratio 3"
    if sum(min(scale) < 1 for scale in program.scales) > 1:
        yield "two coarser grids"


def _of_cells(program: Program, step: Kernel | Sweep) -> Iterator[str]:
    """Return how the cells of a kernel and those of its fields lie to each other."""
    space = written_for(program, step)
    if isinstance(step.on, tuple) and max(children(program, step)) > 1:
        yield "box on a kernel of several grids"
    if isinstance(step.on, str):
        yield from _of_mask(program.space(step.on), space)
    yield from _of_replicated(program, step)
    for a in step.assignments:
        own = program.space(a.field)
        if has_last_faces(own) and step.on is None:
            yield "last face in a sweep" if isinstance(step, Sweep) else "last face computed"
        if len(own.axes) < len(program.extent):
            yield "field without an axis assigned"
            if any(a.place):
                yield "field without an axis next door"
    for value in values_of(step):
        for read, shift in seen(value, (0,) * len(program.extent)):
            if isinstance(read, Read):
                yield from _of_ratios(program, read, shift, space)


def _of_mask(mask: Space, space: Space) -> Iterator[str]:
    if mask.scale != space.scale:
        yield "mask of another grid"
    if mask.axes != space.axes:
        yield "mask without an axis"
    if has_last_faces(mask):
        yield "mask on faces"


def _of_ratios(program: Program, read: Read, shift: Offset, space: Space) -> Iterator[str]:
    own = program.space(read.field)
    if len(own.axes) < len(space.axes):
        yield "field without an axis"
    for axis in own.axes:
        ratio = own.scale[axis] / space.scale[axis]
        if ratio != 1:
            name = "finer field" if ratio > 1 else "coarser field"
            yield name
            if shift[axis]:
                yield f"{name} seen from another cell"


def _of_sweep(program: Program, sweep: Sweep, execution: Execution) -> Iterator[str]:
    yield "sweep upwards" if sweep.sign > 0 else "sweep downwards"
    yield f"sweep along {AXES[sweep.axis]}"
    where = {type(None): "", str: "sweep on a mask", tuple: "sweep in a box"}[type(sweep.on)]
    names = {
        where: bool(where),
        "sweep of two carries": len(sweep.handed) > 1,
        "sweep with ends": bool(sweep.ends),
        "sweep without assignments": not sweep.assignments,
        "sweep over several grids": max(children(program, sweep)) > 1,
        "sweep along an axis that is cut": any(
            len(piece.split.cuts[sweep.axis]) > 2 for piece in execution.pieces
        ),
        "sweep next door": any(any(a.place) for a in sweep.assignments),
    }
    yield from (name for name, is_so in names.items() if is_so)
    for source in sweep.starts:
        yield f"sweep from a {source.kind}"
    for value in values_of(sweep):
        yield from _of_value(program, sweep, value)


def _of_kernel(program: Program, kernel: Kernel) -> Iterator[str]:
    where = {type(None): "", str: " on a mask", tuple: " in a box"}[type(kernel.on)]
    if where:
        yield where.split()[-1]
    if any(is_around(name) for name, _ in kernel.keywords):
        yield "number from around a kernel"
    for _, source in kernel.keywords:
        yield f"keyword: {source.kind}"
    assigned = set()
    for a in kernel.assignments:
        if any(a.place):
            yield "next door"
            yield "next door" + where
        yield from _of_value(program, kernel, a.value)
        for read, offset in reached(program, kernel, a.value):
            key = (read.field, read.component) if isinstance(read, Read) else ()
            if key == (a.field, a.component) and offset != a.place:
                is_layer = isinstance(kernel.on, tuple) and not isinstance(a.value, Where)
                yield "layer from the one before" if is_layer else "colours"
            if isinstance(read, Read) and (read.field, read.component) in assigned and any(offset):
                yield "next door of what the kernel has assigned"
        assigned.add((a.field, a.component))


def _of_replicated(program: Program, step: Kernel | Sweep) -> Iterator[str]:
    """Say how a step uses fields of replicated grids."""
    spaces = {name: program.space(name) for name in used_by(step)}
    replicated = {name for name, space in spaces.items() if space.is_replicated}
    made, cut = replicated & assigned_by(step), spaces.keys() - replicated
    if replicated and cut and not made:
        yield "replicated field read by a cut one"
    if made:
        yield "replicated field made of cut ones" if cut else "replicated fields alone"
        yield from ("replicated fields in a sweep" for _ in range(isinstance(step, Sweep)))
    if any(spaces[a].scale > spaces[b].scale for a in made for b in cut):
        yield "replicated field made of a coarser one"
    for name in replicated:
        yield from _of_diagonals(program, step, name)


def _of_diagonals(program: Program, step: Kernel | Sweep, name: str) -> Iterator[str]:
    """Say whether only diagonals across a periodic x lead beyond a closed side of a field."""
    values = [value for value in values_of(step) if name in fields_read(value)]
    found = [reached(program, step, value) for value in values]
    offsets = {o for one in found for n, o in one if isinstance(n, Read) and n.field == name}
    for boundary in program.field(name).boundaries if program.periodic[0] else ():
        axis, sign = AXES.index(boundary.side[0]), -1 if boundary.side[1] == "-" else 1
        beyond = {o for o in offsets if sign * o[axis] > 0}
        if beyond and all(o[0] for o in beyond):
            yield "only diagonals beyond a side of a replicated grid"


def _of_value(program: Program, step: Kernel | Sweep | Reduce, value) -> Iterator[str]:
    below = nodes(value)
    if any(isinstance(node, Cast) for node in below):
        yield "cast"
    for node in below:
        if isinstance(node, Stencil):
            yield "stencil" if isinstance(node.operand, Read) else "stencil of an expression"
        elif isinstance(node, Difference):
            yield "difference" + " half a cell away" * (len(node.weights) % 2 == 0)
    if any(isinstance(node, Read) and node.is_old for node in below):
        yield "old value"
    for node, offset in reached(program, step, value):
        if isinstance(node, Draw):
            yield "random number of a neighbour" if any(offset) else "random number"
        elif isinstance(node, Index) and program.periodic[node.axis]:
            yield "index on a periodic axis"
            if offset[node.axis]:
                yield "index across a periodic side"
        elif isinstance(node, Read):
            if _is_twice_around(program, node, offset):
                yield "more than once around"
            yield from _beyond(program, node, offset)


def reached(
    program: Program, step: Kernel | Sweep | Reduce, value
) -> Iterator[tuple[Read | Index, Offset]]:
    """Return what a value reads, each with its place relative to what belongs to the cell."""
    space = written_for(program, step)
    for node, shift in seen(value, (0,) * len(program.extent)):
        if isinstance(node, Index | Draw):
            yield node, shift
            continue
        own = program.space(node.field)
        yield (
            node,
            tuple(
                own.place(0, shift[axis], node.offset[axis], axis, s / t)
                for axis, (s, t) in enumerate(zip(own.scale, space.scale, strict=True))
            ),
        )


def _is_twice_around(program: Program, read: Read, offset: Offset) -> bool:
    """Return whether a cell is read more than once around a periodic axis."""
    space = program.space(read.field)
    ends = zip(space.cells, offset, space.periodic, strict=True)
    return any(is_periodic and abs(o) > n for n, o, is_periodic in ends)


def _beyond(program: Program, read: Read, offset: Offset) -> Iterator[str]:
    for b in program.field(read.field).boundaries:
        along = offset[AXES.index(b.side[0])]
        if (along < 0) if b.side[1] == "-" else (along > 0):
            yield from (f"beyond a side: {b.kind}", f"beyond a side: {b.given.kind}")
            if abs(along) > 1:
                yield f"two layers beyond a side: {b.kind}"
            if b.part is not None:
                yield f"beyond a part of a side: {b.said}"
            if program.field(read.field).axes:
                yield "boundary of a field without an axis"
            if min(program.space(read.field).scale) < 1:
                yield "boundary of a coarser grid"


def _changed(steps) -> set[str]:
    kernels = [step for step in steps if isinstance(step, Kernel | Sweep)]
    fields = {step.field for step in steps if isinstance(step, Callback)}
    return fields | {a.field for kernel in kernels for a in kernel.assignments}


def _is_prescribed(program: Program, name: str) -> bool:
    field = program.field(name)
    sides = [AXES.index(b.side[0]) for b in field.boundaries if b.prescribes]
    return any(is_on_faces(field, axis) for axis in sides)
