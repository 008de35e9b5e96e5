"""Where cells lie and how wide they are, as numbers or as hidden fields along one axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from halocline.geometry import AXES
from halocline.language.differences.fornberg import weights
from halocline.language.expressions.expr import Binary, Const, Expr, Index, Metric, Read
from halocline.language.grids.sides import Mirror
from halocline.language.grids.widths import beyond, faces, middles
from halocline.language.spaces.location import Location

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from halocline.language.grids.fields import Field
    from halocline.language.grids.grid import Grid


class _User(Protocol):
    """Who uses hidden fields in a kernel."""

    @property
    def grid(self) -> Grid:
        """Of the cells for which the kernel is written."""
        ...

    def dtype(self) -> str:
        """Return the type of numbers that do not widen what is computed with them."""
        ...

    def add(self, hidden: Field) -> str:
        """Return the kernel's name of a hidden field."""
        ...


def metric_value(user: _User, metric: Metric, *, is_on_faces: bool) -> Expr:
    """Return the coordinate of a cell, or its width; see 'derivatives.coordinate'.

    Args:
        user: Of the value.
        metric: Which of the two, and of which cell.
        is_on_faces: Whether that of the face below it is wanted.
    """
    grid, kind, axis, offset = user.grid, metric.kind, metric.axis, metric.offset
    if grid.is_stretched(axis):
        dtype = "float64" if kind == "coordinate" else user.dtype()
        name = user.add(_field(grid, axis, kind, dtype, is_on_faces=is_on_faces))
        here = tuple(offset if a == axis else 0 for a in range(grid.dimensions))
        return Read(name, 0, (0,) * grid.dimensions, 0, here if offset else ())
    if kind == "spacing":
        return Const(grid.spacing[axis])
    index: Expr = Index(axis, offset, metric.aside)
    index = index if is_on_faces else Binary("add", index, Const(0.5))
    at = Binary("mul", index, Const(grid.spacing[axis]))
    return at if grid.origin[axis] == 0 else Binary("add", Const(grid.origin[axis]), at)


def field_of_weights(
    grid: Grid,
    axis: int,
    order: int,
    ways: Sequence[int],
    places: tuple[int, int],
    dtype: str,
) -> tuple[Field, list[dict[int, int]]]:
    """Return the weights of differences along a stretched axis.

    Args:
        grid: With the axis.
        axis: The axis.
        order: Of the derivative.
        ways: From the cell to where the values are.
        places: 1 for faces, 0 for the middle of cells: of the result, and of the values.
        dtype: Of the weights.

    Returns:
        A field with a component for all values of one weight, but for the sign; and for each the
        ways to these values, with the sign.
    """
    to, of = (_positions(grid, axis, max(map(abs, ways)) + 1, place) for place in places)
    n = grid.extent[axis] + (1 if places[0] and not grid.periodic[axis] else 0)
    first = max(map(abs, ways)) + 1
    points = [of[first + way : first + way + n] - to[first : first + n] for way in ways]
    rows: list[tuple[NDArray[np.float64], dict[int, int]]] = []
    for way, row in reversed(list(zip(ways, weights(order, points), strict=True))):
        for known, members in rows:
            if np.array_equal(known, row) or np.array_equal(known, -row):
                members[way] = 1 if np.array_equal(known, row) else -1
                break
        else:
            rows.append((row, {way: 1}))
    name = f"weights_{AXES[axis]}{order}_{len(ways)}_{'cf'[places[1]]}"
    hidden = _hidden(grid, axis, name, dtype, is_on_faces=bool(places[0]), components=len(rows))
    if not grid.periodic[axis] and not hidden.boundaries and len(rows) == 1:
        # Where the axis is mirrored, so are weights that do not tell below from above.
        _fill_sides(hidden, axis, Mirror(), Mirror())
    values = np.stack([row for row, _ in rows])
    hidden.set(values if len(rows) > 1 else values[0])
    return hidden, [members for _, members in rows]


def _field(grid: Grid, axis: int, kind: str, dtype: str, *, is_on_faces: bool) -> Field:
    """Return the hidden field with the coordinates or the widths along a stretched axis."""
    hidden = _hidden(grid, axis, f"{kind}_{AXES[axis]}", dtype, is_on_faces=is_on_faces)
    place = int(is_on_faces)
    n = grid.extent[axis] + (1 if is_on_faces and not grid.periodic[axis] else 0)
    at = grid.faces(axis)
    if kind == "coordinate":
        hidden.set((at if is_on_faces else middles(at))[:n])
        ends: tuple[Any, Any] = Mirror(at[0]), Mirror(at[-1])
    else:
        around = _positions(grid, axis, 1, 1 - place)
        hidden.set(np.diff(around)[0 if is_on_faces else 1 :][:n])
        ends = Mirror(), Mirror()
    if not grid.periodic[axis] and not hidden.boundaries:
        _fill_sides(hidden, axis, *ends)
    return hidden


def _hidden(
    grid: Grid, axis: int, name: str, dtype: str, *, is_on_faces: bool, components: int = 1
) -> Field:
    location = Location.on_faces([axis] * is_on_faces)
    options = {"dtype": dtype, "axes": AXES[axis], "location": location}
    return grid.hidden_field(name, components=components, **options)


def _fill_sides(hidden: Field, axis: int, low: Any, high: Any) -> None:
    hidden.boundary(f"{AXES[axis]}-", low)
    hidden.boundary(f"{AXES[axis]}+", high)


def _positions(grid: Grid, axis: int, layers: int, place: int) -> NDArray[np.float64]:
    """Return the coordinates of faces or middles, with those of layers beyond both sides."""
    around = beyond(grid.spacing[axis], layers, is_periodic=grid.periodic[axis])
    at = faces(-float(around[:layers].sum()), around, len(around))
    return at if place else middles(at)
