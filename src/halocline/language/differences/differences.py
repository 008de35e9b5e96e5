"""Derivatives of a traced kernel as differences, once it is known where its fields are located.

A place is 0 along an axis where a value is in the middle of a cell and 1 where it is on the face
below. Which differences are taken is said in 'derivatives.py'. Along an axis with one spacing the
weights are numbers, exact fractions rounded once; along a stretched one they are hidden fields.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from msgspec import field
from msgspec.structs import replace

from halocline.errors import KernelError
from halocline.frozen import Frozen
from halocline.geometry import AXES
from halocline.language.differences.fornberg import centred, offsets, weights
from halocline.language.differences.memory import with_memory
from halocline.language.differences.metric import field_of_weights, metric_value
from halocline.language.expressions.expr import (
    Binary,
    Const,
    Derivative,
    Expr,
    Metric,
    Read,
    operands,
    rebuild,
    shifted,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from halocline.geometry import Offset
    from halocline.language.expressions.kernel import Kernel, Statement
    from halocline.language.grids.fields import Field
    from halocline.language.grids.grid import Grid
    from halocline.language.spaces.space import Space

    Place = tuple[int, ...]
    # Values at offsets, by how much they count: of either sign.
    Weights = Mapping[Offset, Fraction]


def with_differences(
    kernel: Kernel,
    fields: Mapping[str, Field],
    grid: Grid,
    written_for: Space,
    places: Sequence[str],
) -> tuple[Kernel, dict[str, Field], tuple[str, ...]]:
    """Return a kernel without derivatives, its fields with those that it needs, and its places.

    Args:
        kernel: As recorded.
        fields: Its fields, by its names.
        grid: Of the cells for which it is written.
        written_for: These cells.
        places: 'file:line' of each statement.

    Raises:
        KernelError: A derivative has no meaning where it is wanted.
    """
    used = dict(fields)
    statements, lines = [], []
    for number, (statement, line) in enumerate(zip(kernel.statements, places, strict=True)):
        before, value = [], statement.value
        if any(isinstance(node, Derivative | Metric) for node in walk(value)):
            target = fields[statement.field]
            label = f"{kernel.name}_{number}_{target.name}"
            maker = _Differences(kernel.name, label, used, grid, written_for, target, line)
            value, before = maker.at(value, _place_of(target)), maker.before
        statements += [*before, replace(statement, value=value)]
        lines += [line] * (len(before) + 1)
    added = [f.type_as(name) for name, f in used.items() if name not in fields]
    types = (*kernel.fields, *added)
    return replace(kernel, fields=types, statements=tuple(statements)), used, tuple(lines)


def _place_of(target: Field) -> Place:
    return tuple(int(target.location.is_on_faces(axis)) for axis in range(target.dimensions))


def _inside_first(node: Expr) -> tuple[Expr, ...]:
    """Return the operands of a node that are wanted at its own place."""
    return () if isinstance(node, Derivative) else operands(node)


class _Differences(Frozen):
    """What is known where a statement is written.

    Attributes:
        kernel: Its name.
        label: What tells the statement from others.
        fields: By the kernel's names; hidden ones are added.
        grid: Of the cells for which the kernel is written.
        space: These cells.
        target: The field to which is assigned.
        line: 'file:line' of the statement.
        known: What nodes are at a place.
        before: Statements that go before it.
    """

    kernel: str
    label: str
    fields: dict[str, Field]
    grid: Grid
    space: Space
    target: Field
    line: str
    known: dict[tuple[Expr, Place], Expr] = field(default_factory=dict)
    before: list[Statement] = field(default_factory=list)

    def at(self, root: Expr, place: Place) -> Expr:
        """Return an expression without derivatives, as it is wanted at a place."""
        for node in walk(root, below=_inside_first):
            match node:
                case _ if (node, place) in self.known:
                    continue
                case Derivative():
                    found = self._derivative(node, place)
                    if node.layers is not None:
                        found = with_memory(self, node, found, place)
                case Metric():
                    self._check_axis(node.axis, f"asks for the {node.kind}")
                    found = metric_value(self, node, is_on_faces=bool(place[node.axis]))
                case _:
                    found = rebuild(node, tuple(self.known[o, place] for o in operands(node)))
            self.known[node, place] = found
        return self.known[root, place]

    def dtype(self) -> str:
        """Return the type of numbers that do not widen what is computed with them."""
        return "float64" if self.target.dtype == "float64" else "float32"

    def add(self, hidden: Field) -> str:
        """Return the kernel's name of a hidden field."""
        self.fields[hidden.name] = hidden
        return hidden.name

    def _derivative(self, node: Derivative, place: Place) -> Expr:
        """Return the sum of the derivatives of an expression, whose values are shared by them."""
        located = self._located(node.operand)
        total: dict[Offset, Fraction] = {}
        apart: list[Expr] = []
        seen = place
        for axis, order in node.terms:
            if self._is_constant(node.operand, axis):
                continue
            self._check_axis(axis, "takes a derivative")
            free = place[axis] if _stays(order) else 1 - place[axis]
            own = min(located[axis], default=free)
            seen = self._seen(node.operand, place, located, axis, own)
            if self.grid.is_stretched(axis):
                apart.append(self._stretched(node, axis, order, place, seen))
                continue
            exact = Fraction(self.grid.spacing[axis]) ** order
            for point, weight in self._weights(node, axis, order, is_between=own != place[axis]):
                way = _along(axis, int(point + Fraction(own - place[axis], 2)), len(place))
                total[way] = total.get(way, Fraction(0)) + weight / exact
        if total:
            apart.insert(0, _weighted(self.at(node.operand, seen), total))
        if not apart:
            axes = ", ".join(AXES[axis] for axis, _ in node.terms)
            raise self._error(f"takes a derivative along {axes} of what lacks this axis.", "")
        result = apart[0]
        for term in apart[1:]:
            result = Binary("add", result, term)
        return result

    def _weights(
        self, node: Derivative, axis: int, order: int, *, is_between: bool
    ) -> list[tuple[Fraction, Fraction]]:
        """Return points of a derivative, in cells, and their weights for cells 1 wide."""
        if not node.weights:
            points = offsets(order, node.accuracy, is_between=is_between)
            return list(zip(points, weights(order, points), strict=True))
        count = len(node.weights)
        if (count % 2 == 0) != is_between:
            parity, where = ("even", "half a cell") if is_between else ("odd", "whole cells")
            raise self._error(
                f"takes a derivative along {AXES[axis]} for '{self.target.name}' "
                f"({self.target.location}) with {count} weights; expected an {parity} number, as "
                f"its values are {where} from there.",
                "",
            )
        return list(zip(centred(count), map(Fraction, node.weights), strict=True))

    def _stretched(
        self, node: Derivative, axis: int, order: int, place: Place, seen: Place
    ) -> Expr:
        """Return a derivative along an axis whose cells have widths of their own."""
        if node.weights:
            raise self._error(
                f"takes a derivative with weights along {AXES[axis]}, whose cells have widths of "
                "their own; expected one width, for which the weights are.",
                "",
            )
        is_between = seen[axis] != place[axis]
        if (order, node.accuracy, is_between) == (2, 2, False):
            # Conservative: the difference of what passes the faces.
            inner = Derivative(node.operand, ((axis, 1),), 2)
            return self.at(Derivative(inner, ((axis, 1),), 2), place)
        points = offsets(order, node.accuracy, is_between=is_between)
        ways = [int(p + Fraction(seen[axis] - place[axis], 2)) for p in points]
        hidden, rows = field_of_weights(
            self.grid, axis, order, ways, (place[axis], seen[axis]), self.dtype()
        )
        name, here = self.add(hidden), (0,) * len(place)
        operand = self.at(node.operand, seen)
        terms = []
        for number, members in enumerate(rows):
            values = {_along(axis, w, len(place)): Fraction(sign) for w, sign in members.items()}
            terms.append(Binary("mul", Read(name, number, here), _weighted(operand, values)))
        result: Expr = terms[0]
        for term in terms[1:]:
            result = Binary("add", result, term)
        return result

    def _located(self, root: Expr) -> list[set[int]]:
        """Return where the values in an expression are located along each axis."""
        located: dict[Expr, list[set[int]]] = {}
        axes = range(self.grid.dimensions)
        for node in walk(root):
            here: list[set[int]] = [set() for _ in axes]
            if isinstance(node, Read):
                read = self.fields[node.field]
                for axis in read.space.axes:
                    here[axis].add(int(read.location.is_on_faces(axis)))
            for operand in operands(node):
                for axis in axes:
                    here[axis] |= located[operand][axis]
            if isinstance(node, Derivative):
                for axis, order in node.terms:
                    here[axis] = here[axis] if _stays(order) else set()
            located[node] = here
        return located[root]

    def _is_constant(self, root: Expr, axis: int) -> bool:
        """Return whether nothing that an expression reads has an axis."""
        reads = [node for node in walk(root) if isinstance(node, Read)]
        has_metric = any(isinstance(n, Metric) and n.axis == axis for n in walk(root))
        return not has_metric and all(self.fields[r.field].space.lacks[axis] for r in reads)

    def _seen(
        self, operand: Expr, place: Place, located: Sequence[set[int]], axis: int, own: int
    ) -> Place:
        """Return where the operand of a derivative along an axis is taken, or refuse that."""
        for read in (node for node in walk(operand) if isinstance(node, Read)):
            other = self.fields[read.field]
            if not other.space.lacks[axis] and other.grid.scale[axis] != self.space.scale[axis]:
                raise self._error(
                    f"takes a derivative along {AXES[axis]} of '{other.name}', which has another "
                    f"grid of {other.space.size} cells.",
                    "Bring it to the grid of what is assigned first, with hc.restrict or "
                    "hc.prolong.",
                )
        for along, found in enumerate(located):
            if len(found) > 1:
                raise self._error(
                    f"takes a derivative along {AXES[axis]} of values in the middle of cells and "
                    f"of values on faces along {AXES[along]}.",
                    f"Write hc.average(…, '{AXES[along]}') of one of them.",
                )
            if along != axis and found and place[along] not in found:
                at = "on faces" if place[along] else "in the middle of cells"
                raise self._error(
                    f"takes a derivative along {AXES[axis]} for '{self.target.name}' "
                    f"({self.target.location}) of values half a cell from it along {AXES[along]}; "
                    f"expected values {at} there.",
                    f"Write hc.average(…, '{AXES[along]}').",
                )
        return (*place[:axis], own, *place[axis + 1 :])

    def _check_axis(self, axis: int, what: str) -> None:
        if axis >= self.grid.dimensions or self.space.lacks[axis]:
            axes = "".join(AXES[a] for a in self.space.axes)
            raise self._error(
                f"{what} along {AXES[axis]}, but it is written for cells on '{axes}'.", ""
            )

    def _error(self, what: str, hint: str) -> KernelError:
        return KernelError(f"Kernel '{self.kernel}' {what}", hint=hint, place=self.line)


def _stays(order: int) -> bool:
    """Return whether a derivative is taken where its operand is, if nothing else is said."""
    return order > 0 and order % 2 == 0


def _along(axis: int, way: int, dimensions: int) -> Offset:
    return tuple(way if a == axis else 0 for a in range(dimensions))


def _weighted(operand: Expr, given: Weights) -> Expr:
    """Return the weighted sum of an expression seen from several cells.

    Values of one weight, but for the sign, are added up before they are multiplied; sums of small
    weights come first.
    """
    groups: dict[Fraction, list[tuple[Offset, bool]]] = {}
    for way, weight in given.items():
        if weight:
            groups.setdefault(abs(weight), []).append((way, weight > 0))
    total: Expr | None = None
    for weight, members in sorted(groups.items()):
        members.sort(key=lambda member: not member[1])  # what is added comes first
        is_added = members[0][1]
        part = shifted(operand, members[0][0])
        for way, sign in members[1:]:
            part = Binary("add" if sign == is_added else "sub", part, shifted(operand, way))
        is_first_taken_off = total is None and not is_added
        factor = -float(weight) if is_first_taken_off else float(weight)
        part = part if factor == 1.0 else Binary("mul", Const(factor), part)
        total = part if total is None else Binary("add" if is_added else "sub", total, part)
    assert total is not None
    return total
