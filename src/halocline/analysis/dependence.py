"""Between two kernels of a step: which cells of the later wait for which cells of the earlier."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from halocline.geometry import Offset
    from halocline.language.kernel import Kernel

    Use = tuple[tuple[str, int], Offset]


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
    first_reads, first_writes = _uses(first, first_names)
    second_reads, second_writes = _uses(second, second_names)
    flow = _between(first_writes, second_reads)
    anti = _between(first_reads, second_writes)
    output = _between(first_writes, second_writes)
    return frozenset(flow | anti | output)


def _between(first: set[Use], second: set[Use]) -> set[Offset]:
    """Return the way from a cell to the one that touched before it what it touches."""
    return {
        tuple(b - a for a, b in zip(earlier, later, strict=True))
        for key, earlier in first
        for other, later in second
        if key == other
    }


def _uses(kernel: Kernel, names: dict[str, str]) -> tuple[set[Use], set[Use]]:
    """Return which component of which field a kernel reads and assigns where."""
    read = {((names[f], q), offset) for f, q, offset in kernel.read}
    return read, {((names[f], q), offset) for f, q, offset in kernel.assigned}
