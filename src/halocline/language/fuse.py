"""Cut a kernel into kernels whose statements may share one loop over the cells."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from halocline.language.kernel import reads

if TYPE_CHECKING:
    from halocline.language.kernel import Kernel, Statement


def fuse(kernel: Kernel) -> tuple[Kernel, ...]:
    """Return fused kernels that do the same one after the other, as few as a single pass finds.

    Two statements may share a loop unless one reads, at an offset, what the other assigns.
    """
    groups: list[list[Statement]] = []
    for statement in kernel.statements:
        if groups and all(_may_share(earlier, statement) for earlier in groups[-1]):
            groups[-1].append(statement)
        else:
            groups.append([statement])
    return _kernels(kernel, groups)


def separate(kernel: Kernel) -> tuple[Kernel, ...]:
    """Return one kernel for each statement, each free to run just where its result is read."""
    return _kernels(kernel, [[statement] for statement in kernel.statements])


def _may_share(first: Statement, second: Statement) -> bool:
    return not (_reads_next_door(second, first) or _reads_next_door(first, second))


def _reads_next_door(reader: Statement, writer: Statement) -> bool:
    return any(
        (read.field, read.component) == (writer.field, writer.component) and any(read.offset)
        for read in reads(reader.value)
    )


def _kernels(kernel: Kernel, groups: list[list[Statement]]) -> tuple[Kernel, ...]:
    if len(groups) == 1:
        return (kernel,)
    return tuple(
        replace(kernel, name=f"{kernel.name}_{number}", statements=tuple(group))
        for number, group in enumerate(groups, 1)
    )
