"""Cut a kernel into kernels whose statements may share one loop over the cells."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from halocline.language.expr import Expr, Read, operands, rebuild, walk
from halocline.language.kernel import reads

if TYPE_CHECKING:
    from halocline.language.kernel import Kernel, Statement

# Component of a field.
Key = tuple[str, int]


def fuse(kernel: Kernel) -> tuple[Kernel, ...]:
    """Return fused kernels that do the same one after the other, as few as a single pass finds.

    Two statements may share a loop unless one reads or assigns elsewhere what the other assigns.
    """
    groups: list[list[Statement]] = []
    for statement in kernel.statements:
        if groups and all(may_share(earlier, statement) for earlier in groups[-1]):
            groups[-1].append(statement)
        else:
            groups.append([statement])
    return _kernels(kernel, groups)


def separate(kernel: Kernel) -> tuple[Kernel, ...]:
    """Return one kernel for each statement, each free to run just where its result is read."""
    return _kernels(kernel, [[statement] for statement in kernel.statements])


def may_share(first: Statement, second: Statement) -> bool:
    """Return whether a cell can do two statements before others have done the first."""
    same = (first.field, first.component) == (second.field, second.component)
    return not (
        _reads_elsewhere(second, first)
        or _reads_elsewhere(first, second)
        or (same and first.offset != second.offset)
    )


def _reads_elsewhere(reader: Statement, writer: Statement) -> bool:
    return any(
        (read.field, read.component) == (writer.field, writer.component)
        and read.offset != writer.offset
        for read in reads(reader.value)
    )


def _kernels(kernel: Kernel, groups: list[list[Statement]]) -> tuple[Kernel, ...]:
    if len(groups) == 1:
        return (kernel,)
    result = []
    done: Counter[Key] = Counter()
    for number, group in enumerate(groups, 1):
        statements = tuple(replace(s, value=_counted_from(s.value, done)) for s in group)
        result.append(replace(kernel, name=f"{kernel.name}_{number}", statements=statements))
        done.update((s.field, s.component) for s in group)
    return tuple(result)


def _counted_from(root: Expr, done: Counter[Key]) -> Expr:
    """Return an expression with versions counted without the assignments already done."""
    if not done:
        return root
    known: dict[Expr, Expr] = {}
    for node in walk(root):
        if isinstance(node, Read):
            version = node.version - done[node.field, node.component]
            known[node] = Read(node.field, node.component, node.offset, version)
        else:
            known[node] = rebuild(node, tuple(known[below] for below in operands(node)))
    return known[root]
