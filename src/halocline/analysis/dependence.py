"""Between two kernels of a step: which cells of the later wait for which cells of the earlier."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.language.kernel import reads

if TYPE_CHECKING:
    from halocline.geometry import Offset
    from halocline.language.kernel import Kernel


def dependences(
    first: Kernel, first_names: dict[str, str], second: Kernel, second_names: dict[str, str]
) -> frozenset[Offset]:
    """Return the offsets d such that 'second' at a cell c must follow 'first' at c + d.

    Args:
        first: The earlier kernel.
        first_names: From its own names of fields to those of the step.
        second: The later kernel.
        second_names: The same for the later kernel.

    Three reasons: the second reads what the first wrote (flow), overwrites what the first read
    (anti), or overwrites what the first wrote (output).
    """
    here = (0,) * first.dimensions
    first_reads, first_writes = _uses(first, first_names)
    second_reads, second_writes = _uses(second, second_names)
    flow = {offset for key, offset in second_reads if key in first_writes}
    anti = {tuple(-o for o in offset) for key, offset in first_reads if key in second_writes}
    output = {here} if first_writes & second_writes else set()
    return frozenset(flow | anti | output)


def _uses(
    kernel: Kernel, names: dict[str, str]
) -> tuple[set[tuple[tuple[str, int], Offset]], set[tuple[str, int]]]:
    values = [statement.value for statement in kernel.statements]
    read = {((names[r.field], r.component), r.offset) for r in reads(*values)}
    written = {(names[s.field], s.component) for s in kernel.statements}
    return read, written
