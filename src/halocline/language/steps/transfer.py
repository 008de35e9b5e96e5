"""Transfers between grids of whole ratios: restriction to the coarser, prolongation to the finer.

Order 1 of a restriction is the mean of the cells that a coarse cell spans; of a prolongation the
value of the cell that spans it. Order 2 of a prolongation is linear interpolation between the
nearest coarse values along each axis (exact for linear functions), and of a restriction its
transpose, divided by the ratio ('full weighting'). Trottenberg, Oosterlee and Schueller, Multigrid
(2001), section 2.3 and, for values in cells, 2.8.4.

Along an axis across which a field lies on faces, coarse faces are fine faces, too: order 1 takes
their values, and between them the mean, weighted by distance.

Integers and truth values have no mean, since they may be names: order 1 takes the first of them.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from halocline.errors import GridError, described
from halocline.language.expressions import operators
from halocline.language.expressions.expr import Const
from halocline.language.expressions.kernel import Kernel, Statement
from halocline.language.grids.fields import Field
from halocline.language.grids.grid import same_family
from halocline.language.grids.related import whole_ratios
from halocline.language.place import user_place
from halocline.language.steps.steps import Call
from halocline.language.steps.trace import Recorder, recorded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from halocline.geometry import Box, Offset
    from halocline.language.spaces.space import Ratio

# How much a value at each offset counts.
Weights = dict[int, Fraction]
_ORDERS = (1, 2)


def restrict(fine: Field, coarse: Field, order: int = 1) -> Call:
    """Return the step that gives a field the values of one on a finer grid.

    Args:
        fine: The field to read, located and with axes as the other one.
        coarse: The field to assign.
        order: 1 or 2, see above; order 2 reads a coarse cell beyond those that it spans.

    Raises:
        GridError: The fields are not alike, or their grids are not of whole ratios.

    Example:
        >>> fine = hc.Grid((8, 8))
        >>> step = hc.restrict(fine.field("u"), fine.coarsen(2).field("U"))
    """
    ratio = _ratio("restrict", fine, coarse, order)
    weights = [
        _restricting(r, order, is_on_faces=fine.location.is_on_faces(axis))
        if _has_means(fine, order)
        else {0: Fraction(1)}
        for axis, r in enumerate(ratio)
        if not fine.space.lacks[axis]
    ]

    def body(source: Any, target: Any) -> None:
        for values, place in zip(source, target, strict=True):
            place[target.here] = weighted({o: values[o] for o in product(*weights)}, weights)

    return recorded("restrict", user_place(), {"source": fine, "target": coarse}, body, {})


def prolong(coarse: Field, fine: Field, order: int = 1, *, add: bool = False) -> Call:
    """Return the step that gives a field the values of one on a coarser grid, or adds them.

    Args:
        coarse: The field to read, located and with axes as the other one.
        fine: The field to assign.
        order: 1 or 2, see above; order 2 reads a coarse cell beyond.
        add: Whether they are added to what the field holds, as a correction.

    Raises:
        GridError: The fields are not alike, or their grids are not of whole ratios.

    Example:
        >>> fine = hc.Grid((8, 8), periodic=True)
        >>> step = hc.prolong(fine.coarsen(2).field("U"), fine.field("u"))
    """
    ratio = _ratio("prolong", fine, coarse, order)

    def values(child: Offset, source: Any, target: Any) -> list[Any]:
        weights = [
            _prolonging(r, k, order, is_on_faces=fine.location.is_on_faces(axis))
            if r and _has_means(fine, order)
            else {0: Fraction(1)}
            for axis, (r, k) in enumerate(zip(ratio, child, strict=True))
        ]
        result = []
        for of_coarse, own in zip(source, target, strict=True):
            has = [axis for axis, is_lacking in enumerate(fine.space.lacks) if not is_lacking]
            reads = {o: of_coarse[tuple(o[a] for a in has)] for o in product(*weights)}
            value = weighted(reads, weights)
            result.append(own[tuple(child[a] for a in has)] + value if add else value)
        return result

    return from_coarser("prolong", {"source": coarse}, fine, values)


def from_coarser(
    name: str,
    coarse: Mapping[str, Field],
    fine: Field,
    values: Callable[..., Sequence[Any]],
    region: Box | None = None,
) -> Call:
    """Return the step that gives a field values made of a coarser grid's, child by child.

    Args:
        name: What the kernel is called.
        coarse: Fields of one coarser grid, by the names that the kernel has for them.
        fine: The field to assign.
        values: Called with a child, by its offset from the first of those that a coarse cell spans,
            and symbols of the coarse fields and of the fine one; returns a value a component.
        region: In which coarse cells; None for all.
    """
    first = next(iter(coarse.values()))
    ratio = whole_ratios(fine.space, first.space)
    assert ratio is not None
    recorder = Recorder()
    symbols = recorder.symbols({**coarse, "target": fine})
    statements = []
    # The first axis varies fastest, as in memory.
    for child in (c[::-1] for c in product(*map(range, map(_at_least_one, ratio[::-1])))):
        for q, value in enumerate(values(child, *symbols)):
            statements.append(Statement("target", q, operators.to_expression(value), child))
    types = (field.type_as(own) for own, field in coarse.items())
    whole = () if set(ratio) == {1} else ratio
    kernel = Kernel(
        name, fine.dimensions, (*types, fine.type_as("target", whole)), (), tuple(statements)
    )
    is_replicated = first.grid.is_replicated and fine.grid.is_replicated
    space = replace(first.grid.space_with(first.axes), is_replicated=is_replicated)
    return Call(
        kernel,
        (*coarse.values(), fine),
        (),
        None if region is None else space.unbounded_where_whole(region),
        is_layer=False,
        place=user_place(),
        mask=None,
        space=space,
    )


def _at_least_one(ratio: int) -> int:
    return ratio or 1


def _ratio(what: str, fine: Field, coarse: Field, order: int) -> Ratio:
    """Return how many fine cells a coarse one spans, or refuse fields that do not fit."""
    for field in (fine, coarse):
        if not isinstance(field, Field):
            raise GridError(
                f"'hc.{what}' was given {described(field)}; expected two fields.",
                place=user_place(),
            )
    same_family((fine, coarse), f"'hc.{what}'")
    ratio = whole_ratios(fine.space, coarse.space)
    is_alike = (fine.axes, fine.location, fine.components) == (
        coarse.axes,
        coarse.location,
        coarse.components,
    )
    if ratio is None or not is_alike:
        raise GridError(
            f"'hc.{what}' was given '{fine.name}' ({_kind(fine)}) and '{coarse.name}' "
            f"({_kind(coarse)}); expected fields alike on a finer and a coarser grid of a whole "
            "ratio.",
            place=user_place(),
        )
    if order not in _ORDERS:
        raise GridError(
            f"'hc.{what}' was asked for order {order!r}; expected 1 or 2.", place=user_place()
        )
    return ratio


def _kind(field: Field) -> str:
    return f"{field.space.size} at '{field.location}', {field.components} component(s)"


def _has_means(field: Field, order: int) -> bool:
    """Return whether a transfer of an order may mix values of a field."""
    return order > 1 or field.dtype.startswith("float")


def _prolonging(ratio: int, child: int, order: int, *, is_on_faces: bool) -> Weights:
    """Return how much coarse values count at a child, by offset from its parent."""
    if is_on_faces:
        beyond = Fraction(child, ratio)
        return {0: 1 - beyond, 1: beyond} if child else {0: Fraction(1)}
    if order == 1 or 2 * child + 1 == ratio:
        return {0: Fraction(1)}
    # From the middle of the parent to that of the child, in coarse cells.
    way = Fraction(2 * child + 1 - ratio, 2 * ratio)
    return {-1: -way, 0: 1 + way} if way < 0 else {0: 1 - way, 1: way}


def _restricting(ratio: int, order: int, *, is_on_faces: bool) -> Weights:
    """Return how much fine values count for a coarse one, by offset from its first child."""
    if is_on_faces and order == 1:
        return {0: Fraction(1)}
    result: Weights = {}
    for offset in range(-ratio, 2 * ratio):
        parent, child = divmod(offset, ratio)
        weight = _prolonging(ratio, child, order, is_on_faces=is_on_faces).get(-parent)
        if weight:
            result[offset] = weight / ratio
    return result


def weighted(values: Mapping[Offset, operators.Value], weights: list[Weights]) -> operators.Value:
    """Return the sum of values by their weights, which is exact where all values are the same.

    Axis by axis: so it takes fewer operations than all at once.
    """
    factor = Fraction(1)
    for along in weights:
        lines: dict[Offset, dict[int, operators.Value]] = {}
        for offset, value in values.items():
            lines.setdefault(offset[1:], {})[offset[0]] = value
        sums = {rest: _mean_along(line, along) for rest, line in lines.items()}
        values = {rest: mean for rest, (mean, _) in sums.items()}
        factor *= next(iter(sums.values()))[1]
    (total,) = values.values()
    return total if factor == 1 else _number(factor) * total


def _mean_along(
    line: Mapping[int, operators.Value], weights: Weights
) -> tuple[operators.Value, Fraction]:
    """Return the sum of values by their weights along an axis, and by what it is to be multiplied.

    Values of one weight are added up; what others differ from these counts by their weight.
    """
    groups: dict[Fraction, list[operators.Value]] = {}
    for offset, value in line.items():
        groups.setdefault(weights[offset], []).append(value)
    (heaviest, first), *others = sorted(groups.items(), reverse=True, key=lambda item: item[0])
    total = _sum(first)
    if not others:
        return total, heaviest
    count = len(first)
    for weight, group in others:
        scale = Fraction(count, len(group))
        mean = _sum(group) if scale == 1 else _number(scale) * _sum(group)
        total = total + _number(weight * len(group)) * (mean - _sum(first))
    return total, Fraction(1, count)


def _sum(values: list[operators.Value]) -> operators.Value:
    total = values[0]
    for value in values[1:]:
        total = total + value
    return total


def _number(value: Fraction) -> operators.Value:
    return operators.Value(Const(float(value)))
