"""Between two kernels of a step: which cells of the later wait for which cells of the earlier."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from halocline.geometry import Offset
    from halocline.language.kernel import FieldType, Kernel

    # A field, one of its components, and its type in the kernel; where.
    Use = tuple[tuple[str, int], FieldType, Offset]


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

    Both run in one index space. Along an axis that a field lacks all cells depend on each other;
    nothing is returned for that, since sweeps have their columns whole.
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
        way
        for key, field, earlier in first
        for other, same, later in second
        if key == other and (way := _way(field, same, earlier, later)) is not None
    }


def _way(first: FieldType, second: FieldType, earlier: Offset, later: Offset) -> Offset | None:
    """Return the way in cells of the kernels, or None if their cells touch different children."""
    assert all(first.ratio_along(a) == second.ratio_along(a) for a in range(len(earlier)))
    way, child = first.parted(tuple(b - a for a, b in zip(earlier, later, strict=True)))
    return None if any(child) else way


def _uses(kernel: Kernel, names: dict[str, str]) -> tuple[set[Use], set[Use]]:
    """Return which component of which field a kernel reads and assigns where."""
    types = {field.name: field for field in kernel.fields}
    read = {((names[f], q), types[f], offset) for f, q, offset in kernel.read}
    return read, {((names[f], q), types[f], offset) for f, q, offset in kernel.assigned}
