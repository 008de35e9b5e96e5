"""What of the language and of its strategies occurs in programs that have been run."""

from __future__ import annotations

from collections.abc import Iterator

from property.draw import DTYPES
from property.programs import (
    AXES,
    Callback,
    Cast,
    Index,
    Kernel,
    Nest,
    Offset,
    Program,
    Read,
    Reduce,
    Swap,
    flat,
    nodes,
    seen,
    used_by,
)
from property.runs import CHOICES, Way

IN_PROGRAMS = frozenset(
    {f"dtype {dtype}" for dtype in DTYPES}
    | {f"reduction {kind}" for kind in ("sum", "min", "max")}
    | {f"beyond a side: {kind}" for kind in ("dirichlet", "neumann", "copy")}
    | {f"keyword: {kind}" for kind in ("number", "step", "time", "parameter", "reduction")}
    | {
        "index on a periodic axis",
        "index across a periodic side",
        "mask",
        "mask that changes",
        "box",
        "next door",
        "next door on a mask",
        "next door in a box",
        "reduction of an expression",
        "callback on a field",
        "callback on a parameter",
        "value on a face",
        "repeat",
        "every",
        "swap",
        "cast",
        "old value",
        "next door of what the kernel has assigned",
    }
)
IN_WAYS = frozenset(f"{name}={value}" for name, values in CHOICES.items() for value in values)


def features(program: Program, way: Way) -> set[str]:
    """Return what occurs in a program and in the way it is run."""
    steps = flat(program.steps)
    found = {f"{name}={getattr(way.strategy, name)}" for name in CHOICES}
    found |= {f"ranks={way.ranks}", f"target={way.target}"}
    for step in steps:
        match step:
            case Kernel():
                found |= {*_of_kernel(program, step)}
            case Reduce(_, kind, value):
                found |= {f"reduction {kind}", *_of_value(program, value)}
                if not isinstance(value, Read):
                    found.add("reduction of an expression")
            case Callback(field):
                found.add("callback on a field" if field else "callback on a parameter")
            case Nest(kind):
                found.add(kind)
            case Swap():
                found.add("swap")
    if "mask" in found and "M" in _changed(steps):
        found.add("mask that changes")
    used = {name for step in steps for name in used_by(step)}
    found |= {f"dtype {program.field(name).dtype}" for name in used}
    if any(_is_prescribed(program, name) for name in used):
        found.add("value on a face")
    return found


def _of_kernel(program: Program, kernel: Kernel) -> Iterator[str]:
    where = {type(None): "", str: " on a mask", tuple: " in a box"}[type(kernel.on)]
    if where:
        yield where.split()[-1]
    for _, source in kernel.keywords:
        yield f"keyword: {source.kind}"
    assigned = set()
    for a in kernel.assignments:
        if any(a.place):
            yield "next door"
            yield "next door" + where
        yield from _of_value(program, a.value)
        for read, offset in seen(a.value, (0,) * len(program.extent)):
            if isinstance(read, Read) and (read.field, read.component) in assigned and any(offset):
                yield "next door of what the kernel has assigned"
        assigned.add((a.field, a.component))


def _of_value(program: Program, value) -> Iterator[str]:
    below = nodes(value)
    if any(isinstance(node, Cast) for node in below):
        yield "cast"
    if any(isinstance(node, Read) and node.is_old for node in below):
        yield "old value"
    for node, offset in seen(value, (0,) * len(program.extent)):
        if isinstance(node, Index) and program.periodic[node.axis]:
            yield "index on a periodic axis"
            if offset[node.axis]:
                yield "index across a periodic side"
        elif isinstance(node, Read):
            yield from _beyond(program, node, offset)


def _beyond(program: Program, read: Read, offset: Offset) -> Iterator[str]:
    for side, kind, _ in program.field(read.field).boundaries:
        along = offset[AXES.index(side[0])]
        if (along < 0) if side[1] == "-" else (along > 0):
            yield f"beyond a side: {kind}"


def _changed(steps) -> set[str]:
    kernels = [step for step in steps if isinstance(step, Kernel)]
    fields = {step.field for step in steps if isinstance(step, Callback)}
    return fields | {a.field for kernel in kernels for a in kernel.assignments}


def _is_prescribed(program: Program, name: str) -> bool:
    field = program.field(name)
    lying = "" if field.location == "center" else field.location.split("_")[0]
    return any(s[0] in lying and s[1] == "-" and kind != "copy" for s, kind, _ in field.boundaries)
