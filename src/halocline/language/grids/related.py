"""Kernels on fields of related spaces: over which cells they run, and what they read of others.

A kernel is written for the cells of the fields that it assigns. It runs over the cells of the
coarsest grid among its fields: where that is coarser than what it assigns, each cell does what was
written for all those that it spans (its children), one statement after the other.
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import floor, lcm
from typing import TYPE_CHECKING

from msgspec import field
from msgspec.structs import replace

from halocline.errors import KernelError
from halocline.frozen import Frozen
from halocline.geometry import AXES
from halocline.language.expressions.across import across_sides
from halocline.language.expressions.expr import (
    Binary,
    Const,
    Expr,
    Index,
    Read,
    rewrite,
    walk,
)
from halocline.language.spaces.space import are_everywhere

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    from halocline.geometry import Offset
    from halocline.language.expressions.kernel import Kernel, Statement
    from halocline.language.grids.fields import Field
    from halocline.language.spaces.space import Ratio, Space

    # For each field how many of its cells one of those that the kernel is written for spans.
    Ratios = Mapping[str, tuple[Fraction, ...]]


def space_of(name: str, fields: Sequence[Field], assigned: Sequence[Field], place: str) -> Space:
    """Return the cells that a kernel is written for: those of what it assigns, faces aside.

    They are replicated if all that it uses is at hand everywhere.

    Args:
        name: The kernel's name.
        fields: Its fields.
        assigned: Those that it assigns, at least one.
        place: Where the user wrote it.

    Raises:
        KernelError: They have different cells, or a field has more axes than these.
    """
    first = assigned[0]
    for other in assigned[1:]:
        if not other.space.is_beside(first.space):
            raise KernelError(
                f"Kernel '{name}' assigns '{first.name}', {_where(first)}, and '{other.name}', "
                f"{_where(other)}; expected fields with the same cells.",
                hint="Write a kernel for each. To combine all cells along an axis, use hc.sum(…, "
                "over='z') or a sweep.",
                place=place,
            )
    for other in fields:
        if other.space.ratio_to(first.space) is None:
            missing = "".join(a for a in other.axes if a not in first.axes)
            raise KernelError(
                f"Kernel '{name}' assigns '{first.name}', {_where(first)}, and reads "
                f"'{other.name}', {_where(other)}: which of its cells along {missing} is not said.",
                hint=f"To combine them, use hc.sum(…, over='{missing[0]}') or a sweep along "
                f"{missing[0]}.",
                place=place,
            )
    here = (0,) * len(first.space.extent)
    is_replicated = first.space.is_replicated and are_everywhere(field.space for field in fields)
    return replace(first.space, closing=here, is_replicated=is_replicated)


def _where(field: Field) -> str:
    return f"a field on '{field.axes}' of {field.space.size} cells"


class Resolved(Frozen):
    """A kernel over the cells where it runs.

    Attributes:
        kernel: What one of these does.
        space: These cells, faces aside.
        places: 'file:line' of each statement.
        children: How many of the cells for which it was written one of them spans along each axis.
    """

    kernel: Kernel
    space: Space
    places: tuple[str, ...]
    children: Ratio


def resolved(
    kernel: Kernel, spaces: Mapping[str, Space], written_for: Space, places: Sequence[str]
) -> Resolved:
    """Return a kernel over the coarsest of its fields' cells, with the ratio of each field.

    Args:
        kernel: As written, offsets in the fields' own cells.
        spaces: Those of its fields, by the kernel's names.
        written_for: See 'space_of'.
        places: 'file:line' of each statement.

    Raises:
        KernelError: It uses an axis that these cells lack.
    """
    _refuse_lacking(kernel, written_for, places)
    kernel = across_sides(kernel, written_for)
    ratios: dict[str, tuple[Fraction, ...]] = {}
    for name, space in spaces.items():
        ratio = space.ratio_to(written_for)
        assert ratio is not None, name
        ratios[name] = ratio
    children = tuple(
        lcm(*(ratio[axis].denominator for ratio in ratios.values()))
        for axis in range(kernel.dimensions)
    )
    coarse = replace(
        written_for,
        extent=tuple(n // c for n, c in zip(written_for.extent, children, strict=True)),
        scale=tuple(s / c for s, c in zip(written_for.scale, children, strict=True)),
        shifts=tuple(
            tuple(cells // c for cells, c in zip(shift, children, strict=True))
            for shift in written_for.shifts
        ),
    )
    fields = tuple(replace(f, ratio=_whole(ratios[f.name], children)) for f in kernel.fields)
    groups = _in_order(kernel, children)
    counts = Counter((s.field, s.component) for s in kernel.statements)
    statements, every = [], []
    for number, group in enumerate(groups):
        before = {key: number * len(group) * count for key, count in counts.items()}
        seen = [Child(child, children, ratios, before, len(group)) for child in group]
        for statement, place in zip(kernel.statements, places, strict=True):
            statements += [child.statement(statement) for child in seen]
            every += [place] * len(seen)
    kernel = replace(kernel, fields=fields, statements=tuple(statements))
    return Resolved(kernel, coarse, tuple(every), children)


def _refuse_lacking(kernel: Kernel, written_for: Space, places: Sequence[str]) -> None:
    """Refuse indices and shifts along axes that the cells lack for which a kernel is written."""
    for statement, place in zip(kernel.statements, places, strict=True):
        for node in walk(statement.value):
            match node:
                case Index(axis):
                    used = [axis]
                case Read():
                    used = [axis for axis, o in enumerate(node.shift) if o]
                case _:
                    used = []
            for axis in used:
                if written_for.lacks[axis]:
                    axes = "".join(AXES[axis] for axis in written_for.axes)
                    what = "uses the index" if isinstance(node, Index) else "shifts an expression"
                    raise KernelError(
                        f"Kernel '{kernel.name}' {what} along {AXES[axis]}, but it is written for "
                        f"cells on '{axes}'.",
                        place=place,
                    )


def _in_order(kernel: Kernel, children: Ratio) -> list[list[Offset]]:
    """Return the children of a cell in groups: each does all of a kernel before the next begins.

    They are one group, but in a sweep, where they follow each other along its axis. The first axis
    varies fastest, as in memory.
    """
    every = [child[::-1] for child in product(*map(range, children[::-1]))]
    if kernel.sweep is None:
        return [every]
    axis, sign = kernel.sweep
    return [[c for c in every if c[axis] == n] for n in range(children[axis])[::sign]]


def whole_ratios(fine: Space, coarse: Space) -> Ratio | None:
    """Return how many cells of a finer space one of a coarser spans; None if no whole number."""
    ratio = fine.ratio_to(coarse)
    if ratio is None or any(r.denominator > 1 for r in ratio):
        return None
    return tuple(int(r) for r in ratio)


def _whole(ratio: Sequence[Fraction], children: Ratio) -> Ratio:
    """Return a field's ratio to the cells where the kernel runs; nothing if they are the same."""
    whole = tuple(int(r * c) for r, c in zip(ratio, children, strict=True))
    return () if set(whole) == {1} else whole


def _place(offset: Offset, seen_from: Sequence[int], ratio: Sequence[Fraction]) -> Offset:
    """Return the offset of a field's cell from the first that the kernel's cell spans."""
    terms = zip(offset, seen_from, ratio, strict=True)
    return tuple(o + floor(r * c) for o, c, r in terms)


class Child(Frozen):
    """One of the cells for which a kernel was written, in the cell that does it.

    Attributes:
        child: Which of the cells that this one spans.
        children: How many these are along each axis.
        ratios: Of the fields to the cells for which the kernel was written.
        before: How often children that came before have assigned each component in all.
        beside: How many children do each statement before the next statement.
        known: Expressions with the offsets of all reads from the cell that does them.
    """

    child: Offset
    children: Ratio
    ratios: Ratios
    before: Mapping[tuple[str, int], int]
    beside: int
    known: dict[Expr, Expr] = field(default_factory=dict)

    def statement(self, statement: Statement) -> Statement:
        """Return a statement, as the cell does it."""
        offset = _place(statement.offset, self.child, self.ratios[statement.field])
        return replace(statement, offset=offset, value=self.resolved(statement.value))

    def resolved(self, root: Expr) -> Expr:
        """Return an expression with the offsets of all reads from the cell that does it."""
        return rewrite(root, self._resolved, self.known)

    def _resolved(self, node: Expr) -> Expr | None:
        match node:
            case Read(field, component, offset, version, shift):
                shift = shift or (0,) * len(self.child)
                seen_from = tuple(map(sum, zip(self.child, shift, strict=True)))
                place = _place(offset, seen_from, self.ratios[field])
                version = self.before.get((field, component), 0) + version * self.beside
                return Read(field, component, place, version)
            case Index(axis, offset) if self.children[axis] > 1:
                parent, rest = divmod(self.child[axis] + offset, self.children[axis])
                first = Binary("mul", Index(axis, parent), Const(self.children[axis]))
                return Binary("add", first, Const(rest))
            case _:
                return None
