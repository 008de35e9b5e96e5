"""Points off the grid, in plain NumPy (docs/guide/points.md)."""

from __future__ import annotations

from itertools import product
from math import floor

import numpy as np
from property.given import Inject, Points, Record
from property.programs import REACH, Program, is_on_faces

# The values around a point that have weights, from the one before it.
WAYS = {"linear": (0, 1), "cubic": (-1, 0, 1, 2), "sinc": (-1, 0, 1, 2)}
# Of 'sinc': values on each side, and how steep Kaiser's window is (Hicks 2002, table 1).
RADIUS, STEEPNESS = 2, 2.94


def _weights(interpolation: str, f: float) -> list[float]:
    """Return the weights of the values around a fraction."""
    if f == 0.0:
        return [float(way == 0) for way in WAYS[interpolation]]
    if interpolation == "linear":
        return [1.0 - f, f]
    if interpolation == "cubic":
        return [
            -f * (f - 1) * (f - 2) / 6, (f + 1) * (f - 1) * (f - 2) / 2,
            -(f + 1) * f * (f - 2) / 2, (f + 1) * f * (f - 1) / 6,
        ]  # fmt: skip
    away = np.array(WAYS["sinc"]) - f
    inside = np.sqrt(np.clip(1 - (away / RADIUS) ** 2, 0, None))
    return list(np.sinc(away) * np.i0(STEEPNESS * inside) / np.i0(STEEPNESS))


def lines_of(program: Program, name: str, points: Points, axis: int) -> list[dict[int, float]]:
    """Return for each point the cells that it weights along an axis, with the weights."""
    field, space = program.field(name), program.space(name)
    if axis not in space.axes:
        return [{0: 1.0} for _ in points.places]
    result = []
    for point in points.places:
        where = point[axis] / program.width(field, axis) - (0 if is_on_faces(field, axis) else 0.5)
        before = floor(where)
        weights = _weights(points.interpolation, where - before)
        first = before % space.size[axis] if space.periodic[axis] else before
        ways = zip(WAYS[points.interpolation], weights, strict=True)
        result.append({first + way: weight for way, weight in ways if weight})
    return result


def around(program: Program, name: str, points: Points) -> list[tuple[dict[int, float], ...]]:
    """Return for each point the weights along all three axes."""
    dimensions = len(program.extent)
    lines = [lines_of(program, name, points, axis) for axis in range(dimensions)]
    nothing = [{0: 1.0}] * len(points.places)
    return list(zip(*lines, *[nothing] * (3 - dimensions), strict=True))


def interpolated(program: Program, step: Record, array: np.ndarray) -> np.ndarray:
    """Return what a field with layers around it is at points."""
    values = array[step.component]
    layers = [REACH] * values.ndim + [0] * (3 - values.ndim)
    values = values.reshape(*values.shape, *[1] * (3 - values.ndim))
    result = []
    for xs, ys, zs in around(program, step.field, step.points):
        total = np.float64(0)
        for x, wx in xs.items():
            column = np.float64(0)
            for (z, wz), (y, wy) in product(zs.items(), ys.items()):
                cell = (x + layers[0], y + layers[1], z + layers[2])
                column += wz * wy * np.float64(values[cell])
            total += wx * column
        result.append(total)
    return np.array(result)


def inject(program: Program, step: Inject, array: np.ndarray, amounts: np.ndarray) -> None:
    """Add to the cells around points; what falls beyond a side is lost."""
    values, space = array[step.component], program.space(step.field)
    values = values.reshape(*values.shape, *[1] * (3 - values.ndim))
    weights = around(program, step.field, step.points)
    # Sorted by the cells before them: along z, then y, then x.
    order = sorted(range(len(weights)), key=lambda n: _first(program, step, n)[::-1])
    for n in order:
        xs, ys, zs = weights[n]
        # Images around thin axes that meet in a cell: along z, then y, then x, that of the last
        # weight first.
        lines = [list(line.items())[::-1] for line in (zs, ys, xs)]
        for (z, wz), (y, wy), (x, wx) in product(*lines):
            cell = [x, y, z]
            for axis, is_periodic in enumerate(space.periodic):
                if is_periodic and axis in space.axes:
                    cell[axis] %= space.size[axis]
            if all(0 <= i < size for i, size in zip(cell, values.shape, strict=True)):
                old = np.float64(values[tuple(cell)])
                values[tuple(cell)] = old + amounts[n] * (wz * wy) * wx


def _first(program: Program, step: Inject, n: int) -> tuple[int, ...]:
    """Return the cell before a point."""
    field, space = program.field(step.field), program.space(step.field)
    found = []
    for axis, at in enumerate(step.points.places[n]):
        if axis not in space.axes:
            found.append(0)
            continue
        where = at / program.width(field, axis) - (0 if is_on_faces(field, axis) else 0.5)
        found.append(floor(where) % space.size[axis] if space.periodic[axis] else floor(where))
    return tuple(found)
