"""Boundaries, series and points as a user would write them."""

from __future__ import annotations

import numpy as np
from property.given import Boundary, Points, Series
from property.places import RADIUS
from property.programs import AXES, Field, Program, is_on_faces
from property.sides import array_of

import halocline as hc


def series_of(series: Series, field: hc.Field) -> hc.Series:
    """Return a series of the cells of a field."""
    components = (field.components,) if field.components > 1 else ()
    return _series(series, (*components, *field.space.shape))


def _series(series: Series, shape: tuple[int, ...]) -> hc.Series:
    period = series.period or None
    return hc.Series(series.times, series.values(shape), period=period, name=series.name)


def rows_of(series: Series, count: int) -> hc.Series:
    """Return a series of a number for each point."""
    return _series(series, (count,))


def points_of(points: Points) -> hc.Points:
    return hc.Points(points.places, points.interpolation, radius=RADIUS)


def declare(program: Program, field: Field, fields, numbers) -> None:
    """Give a field its boundaries."""
    made = fields[field.name]
    for one in field.boundaries:
        where = None if one.part is None else _part(program, field, one)
        made.boundary(one.side, _condition(program, field, one, fields, numbers), where=where)


def _condition(program: Program, field: Field, boundary: Boundary, fields, numbers):
    if not boundary.prescribes:
        is_on_side = is_on_faces(field, AXES.index(boundary.side[0]))
        axes = fields[field.name].axes
        return _own(boundary, axes, field.components, is_on_side=is_on_side)
    given, value = boundary.given.kind, boundary.given.value
    shape = program.shape_of_side(field.name, boundary.side)
    match given:
        case "parameter" | "number series":
            value = numbers[value]
        case "array":
            value = array_of(value, shape)
        case "series":
            value = _series(value, shape)
        case "field":
            value = fields[value]
        case "function":
            value = _function(fields[field.name].axes, value)
    match boundary.kind:
        case "dirichlet":
            return hc.Dirichlet(value)
        case "neumann":
            return hc.Neumann(value)
        case _:
            return hc.Robin(*boundary.factors, value)


def _function(axes: str, factors):
    """Return c[0] + c[1] x + … + c[-1] t as a function of some of x, y, z, t."""
    used = {axis: factors[1 + AXES.index(axis)] for axis in axes if factors[1 + AXES.index(axis)]}
    scope = {"c": factors, "used": used}
    places = "".join(f" + used['{axis}'] * {axis}" for axis in used)
    return eval(f"lambda {', '.join([*used, 't'])}: c[0]{places} + c[-1] * t", scope)


def _own(boundary: Boundary, axes: str, components: int, *, is_on_side: bool):
    """Return a kernel of the user's that fills layers with what lies within."""
    inward = 1 if boundary.side[1] == "-" else -1

    @hc.kernel
    def copied(field):
        far = 1 if boundary.kind == "copy" else 2 * hc.layer() - (not is_on_side)
        step = tuple(inward * far if axis == boundary.side[0] else 0 for axis in axes)
        for q in range(components):
            target = field[q] if components > 1 else field
            target[(0,) * len(axes)] = target[step]

    return copied


def _part(program: Program, field: Field, boundary: Boundary):
    """Return some cells of a side, as said."""
    lower, upper = boundary.part
    space, across = program.space(field.name), AXES.index(boundary.side[0])
    lateral = [axis for axis in space.axes if axis != across]
    if boundary.said == "box":
        return hc.Box(lower, upper)
    found = np.zeros(tuple(space.size[axis] for axis in lateral), bool)
    found[tuple(slice(lower[axis], upper[axis]) for axis in lateral)] = True
    if boundary.said == "array":
        return found

    def inside(*places):
        result = True
        for axis, place in zip(lateral, places, strict=True):
            # Between the cells next to each end, whether they lie in the middle or on faces.
            low, high = (
                (end - 0.25) * program.width(field, axis) for end in (lower[axis], upper[axis])
            )
            result = result & (place > low) & (place < high)
        return result

    return inside
