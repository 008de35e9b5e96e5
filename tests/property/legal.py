"""Which programs are legal: all that they use is known, and there is something to read."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from operator import le

from msgspec.structs import replace
from property.cells import (
    children,
    has_last_faces,
    is_filled,
    regions,
    written_for,
)
from property.expressions import (
    Binary,
    Carry,
    Cast,
    Draw,
    Expression,
    Index,
    Keyword,
    Power,
    Read,
    Shifted,
    Unary,
    moved,
    nodes,
    seen,
)
from property.given import Inject, Record
from property.places import lines_of
from property.programs import (
    AXES,
    REACH,
    Assign,
    Assignment,
    Callback,
    Field,
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
    fields_moved,
    fields_of,
    flat,
    is_around,
    is_on_faces,
    used_by,
    values_of,
)


def is_legal(program: Program) -> bool:
    """Return whether a program could have been drawn: all that it uses is known and filled."""
    steps = flat(program.steps)
    moves = [fields_moved(step) for step in steps if isinstance(step, Swap | Rotate)]
    pairs = [map(program.field, pair) for names in moves for pair in combinations(names, 2)]
    if not all(len(names) > 1 for names in moves):
        return False
    if not all(may_swap(program, *pair) for pair in pairs):
        return False
    on_faces = {field.name for field in program.fields if field.location != "center"}
    if not on_faces <= {name for step in steps for name in assigned_by(step)}:
        return False
    sides = [{b.side: b for b in reversed(f.boundaries)} for f in program.fields]
    if any(first.part is not None for firsts in sides for first in firsts.values()):
        return False
    names = {field.name for field in program.fields}
    if not fields_given(program) <= names:
        return False
    if not all(is_divided(program, scale) for scale in program.scales):
        return False
    loops = [one for step in steps if isinstance(step, Until | Nest) for one in flat(step.steps)]
    if any(isinstance(one, Record | Inject) for one in loops):
        return False
    return _is_known(program, steps) and all(
        is_computable(program, step) and (not isinstance(step, Sweep) or is_sweep(program, step))
        for step in steps
    )


def fields_given(program: Program) -> set[str]:
    """Return the fields whose values sides prescribe."""
    given = [b.given for field in program.fields for b in field.boundaries]
    return {one.value for one in given if one.kind == "field"}


def _is_known(program: Program, steps: list[Step]) -> bool:
    """Return whether all numbers have a value where they are needed."""
    known = {name for name, _ in program.parameters} | {one.name for one in program.series}
    if isinstance(program.dt, str) and program.dt not in known:
        return False
    for step in steps:
        if isinstance(step, Until):
            # What is made inside of the loop is known at its end.
            names = {one.name for one in flat(step.steps) if isinstance(one, Reduce | Until)}
            if not is_condition(step.condition.value) or not numbers_of(step) <= known | names:
                return False
            known.add(step.name)
        elif not numbers_of(step) <= known:
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
        {b.side for b in f.boundaries if b.prescribes and is_on_faces(f, AXES.index(b.side[0]))}
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
        spaces == {space}
        and (not isinstance(sweep.on, tuple) or _is_box(program, sweep, space))
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


def _is_box(program: Program, sweep: Sweep, space: Space) -> bool:
    """Return whether a box lies in what is swept, and has whole cells of all grids."""
    counts = children(program, sweep)
    is_whole_box = not any(n % c for end in sweep.on for n, c in zip(end, counts, strict=True))
    return is_whole_box and all(map(le, sweep.on[1], space.size))


def is_whole(program: Program, step: Kernel | Sweep) -> bool:
    """Return whether a step assigns next door to whole cells of all grids that it uses."""
    counts = children(program, step)
    return not any(o % n for a in step.assignments for o, n in zip(a.place, counts, strict=True))


def is_gatherable(program: Program, step: Kernel | Sweep | Tridiagonal) -> bool:
    """Return whether a step makes fields of one kind: replicated ones of others cell by cell."""
    targets = [program.space(name) for name in assigned_by(step)]
    used = [program.space(name) for name in used_by(step)]
    # A sweep that assigns nothing has a carry as what it goes over.
    carrying = used if isinstance(step, Sweep) and not targets else targets
    if len({space.is_replicated for space in carrying}) > 1:
        return False
    if not targets or not targets[0].is_replicated or all(space.is_replicated for space in used):
        return True
    return isinstance(step, Kernel) and not any(any(a.place) for a in step.assignments)


def may_carry(program: Program, name: str, swept: Space, axis: int) -> bool:
    """Return whether a field has one value for each column that is swept."""
    space = program.space(name)
    size = tuple(1 if a == axis else n for a, n in enumerate(swept.size))
    axes = tuple(a for a in swept.axes if a != axis)
    is_alike = (space.size, space.scale, space.axes) == (size, swept.scale, axes)
    is_alike = is_alike and space.is_replicated == swept.is_replicated
    return is_alike and program.field(name).components == 1


def is_system(program: Program, step: Tridiagonal) -> bool:
    """Return whether a tridiagonal system has a meaning."""
    if len(step.system) < 4:
        return False
    space = program.space(step.into)
    whole = Kernel(tuple(Assignment(step.into, 0, (0,) * len(space.size), v) for v in step.system))
    is_long = space.cells[step.axis] > 2
    has_columns = step.axis in space.axes and len(space.axes) > 1
    is_even = not has_last_faces(space) or max(children(program, whole)) == 1
    field, along = program.field(step.into), AXES[step.axis]
    is_unknown = not is_on_faces(field, step.axis) or not any(
        boundary.side[0] == along and boundary.prescribes for boundary in field.boundaries
    )
    return has_columns and is_long and is_even and is_unknown and is_computable(program, whole)


def is_at_hand(program: Program, step: Record | Inject) -> bool:
    """Return whether there is something to read around points, also beyond sides."""
    if isinstance(step, Inject) and len(step.scales) != len(step.points.places):
        return False
    field, space = program.field(step.field), program.space(step.field)
    sides = {boundary.side for boundary in field.boundaries}
    for axis in space.axes:
        lines = lines_of(program, step.field, step.points, axis)
        reached = [cell for line in lines for cell in line]
        if isinstance(step, Record) and not space.periodic[axis]:
            last = space.size[axis] - 1
            depth = min(REACH, space.cells[axis])
            low, high = max(0, -min(reached)), max(0, max(reached) - last)
            if low > depth * (AXES[axis] + "-" in sides):
                return False
            if high > depth * (AXES[axis] + "+" in sides):
                return False
    return True


def is_condition(value: Expression) -> bool:
    """Return whether an expression of numbers is a comparison, and not known beforehand."""
    is_open = any(isinstance(node, Keyword) for node in nodes(value))
    return is_open and isinstance(value, Binary) and value.op in ("lt", "le", "gt", "ge")


def numbers_of(step: Step) -> set[str]:
    """Return the parameters and reductions that a step needs."""
    if isinstance(step, Reduce):
        return _names(step.value)
    if isinstance(step, Assign | Until):
        formula = step.formula if isinstance(step, Assign) else step.condition
        inside = set().union(*(_names(one.value) for one in formula.inside))
        own = {step.parameter} if isinstance(step, Assign) else set()
        return own | inside | (_names(formula.value) - {one.name for one in formula.inside})
    if isinstance(step, Inject):
        return {step.amount} if isinstance(step.amount, str) else set()
    if isinstance(step, Kernel | Sweep):
        sources = [source for _, source in step.keywords]
        sources += step.starts if isinstance(step, Sweep) else ()
        formulas = (_names(s.value) for s in sources if s.kind == "formula")
        named = {s.value for s in sources if s.kind in ("parameter", "reduction", "series")}
        return named.union(*formulas)
    return {step.parameter} if isinstance(step, Callback) and step.parameter else set()


def known_numbers(program: Program) -> set[str]:
    """Return the numbers that steps use or find; what only functions change nobody else knows."""
    steps = [_as_known(step) for step in flat(program.steps) if not isinstance(step, Callback)]
    found = {step.name for step in steps if isinstance(step, Reduce | Until)}
    given = [b.given for field in program.fields for b in field.boundaries]
    found |= {one.value for one in given if one.kind == "parameter"}
    found = found.union([program.dt], *map(numbers_of, steps))
    return found - {one.name for one in program.series}


def _as_known(step: Step) -> Step:
    """Return a step without variables from around its function that it does not use."""
    if not isinstance(step, Kernel | Sweep):
        return step
    used = set().union(*map(_names, values_of(step)))
    known = tuple((n, s) for n, s in step.keywords if n in used or not is_around(n))
    return replace(step, keywords=known)


def _names(value: Expression) -> set[str]:
    return {node.name for node in nodes(value) if isinstance(node, Keyword)}


def is_computable(program: Program, step: Step) -> bool:
    """Return whether the values of a kernel or a reduction can be computed everywhere."""
    if isinstance(step, Assign | Until):
        formula = step.formula if isinstance(step, Assign) else step.condition
        return all(is_computable(program, one) for one in formula.inside)
    if isinstance(step, Record | Inject):
        return is_at_hand(program, step)
    if isinstance(step, Kernel | Sweep | Tridiagonal) and not is_gatherable(program, step):
        return False
    if isinstance(step, Tridiagonal):
        return is_system(program, step)
    if not isinstance(step, Kernel | Sweep | Reduce):
        return True
    space, here = written_for(program, step), (0,) * len(program.extent)
    placed = regions(program, step)
    keywords = {} if isinstance(step, Reduce) else dict(step.keywords)
    carries = len(step.handed) if isinstance(step, Sweep) else 0
    below = [node for value, _ in placed for node in nodes(value)]
    # Only what differs from cell to cell can be converted, seen from elsewhere, ….
    above = [node for node in below if isinstance(node, Cast | Shifted | Power | Unary)]
    differing = Read | Index | Draw | Carry
    alive = [node for node in above if any(isinstance(n, differing) for n in nodes(node))]
    # Reductions look at fields; a random number is one of a kernel.
    draws = any(isinstance(node, Draw) for node in below)
    if isinstance(step, Reduce) and (draws or not seen(step.value, here)):
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
        (isinstance(step, Reduce) or all(_names(value) <= {*keywords} for value, _ in placed))
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
