"""Rows of the sea beyond open boundaries: values of open cells and layers, and fields with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import halocline as hc
from halocline.apps.ocean.numerics.regions import region_of
from halocline.apps.ocean.physics import open_boundaries as opened
from halocline.apps.ocean.state.layers import heights
from halocline.errors import CaseError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from halocline.apps.ocean.setup.domain import Domain
    from halocline.apps.ocean.state.surface import Surface
    from halocline.language.grids.fields import Field
    from halocline.language.series.series import Series
    from halocline.language.steps.steps import Step

    Values = NDArray[np.float64]


def rows_of(surface: Surface, given: Any) -> Any:
    """Return what a setup gives of open cells: a number, an array, or a series of either.

    Args:
        surface: Of the water.
        given: One of these, or a function of x, y and height that returns one.

    Raises:
        CaseError: The function returns a series of another shape.
    """
    if not callable(given):
        return given
    grid = surface.fields.grid
    x, y = (of_cells[..., np.newaxis] for of_cells in surface.domain.middles)
    cells = tuple(np.concatenate([part.cells() for part in surface.domain.open], axis=1))
    where = (x, y, heights(surface))
    rows = given(*(np.broadcast_to(place, grid.extent)[cells] for place in where))
    shape = (cells[0].size, grid.extent[2])
    if not isinstance(rows, hc.Series):
        return rows + np.zeros(shape)
    if rows.shape not in ((), shape[:1], shape):
        raise CaseError(
            f"The series '{rows.name}' of the sea beyond open boundaries has the shape "
            f"{rows.shape} at each time; expected (), {shape[:1]} or {shape}: open cells, layers."
        )
    return rows


def changed(rows: Any, change: Callable[[Values], Any]) -> Any:
    """Return rows of open cells that a function has changed.

    Args:
        rows: A number, an array (cells,) or (cells, layers), or a series of such.
        change: Takes an array (times, cells, layers), with one layer or cell for rows without.
    """
    if isinstance(rows, hc.Series):
        return with_values(rows, change(_of_layers(rows.values)))
    return change(_of_layers(np.asarray(rows, np.float64)[np.newaxis]))[0]


def _of_layers(rows: Values) -> Values:
    """Return rows with the axes (times, cells, layers), of the length 1 where they have none."""
    axes = ("times", "cells", "layers")
    return rows.reshape(rows.shape + (1,) * (len(axes) - rows.ndim))


def with_values(series: Series, values: Any) -> Series:
    """Return a series with other values."""
    return hc.Series(series.times, values, period=series.period or None, name=series.name)


def ahead(series: Series, time: float) -> Series:
    """Return a series that is some time ahead of another one and keeps its last row at the end."""
    times, values = series.times - time, series.values
    if not series.period:
        times = np.append(times, series.times[-1])
        values = np.concatenate([values, values[-1:]])
    return hc.Series(times, values, period=series.period or None, name=series.name)


def numbers_of_cells(domain: Domain) -> list[NDArray[np.intp]]:
    """Return for each open boundary the numbers of its cells among all open cells."""
    counts = [len(boundary.cells()[0]) for boundary in domain.open]
    return np.split(np.arange(sum(counts)), np.cumsum(counts)[:-1])


def placed(
    surface: Surface, name: str, where: NDArray[np.bool_], rows: Any, location: str = "center"
) -> tuple[Field, tuple[Step, ...]]:
    """Return a field of layers that has rows at some points, and the steps that keep it so.

    Args:
        surface: Of the water.
        name: Of the field.
        where: At which points of the surface.
        rows: An array (points, layers) or (points, 1) in the order of these, or a series of such.
        location: Of the points.
    """
    grid = surface.fields.grid
    field = surface.fields.layers(name, location)
    if not isinstance(rows, hc.Series):
        values = np.zeros((*where.shape, grid.extent[2]))
        values[where] = rows
        field.set(values)
        return field, ()
    region = surface.fields.surface(f"{name}_cells", location, where, dtype="bool")
    extent = (*where.shape, grid.extent[2])
    coordinates = grid.coordinates(location, hc.Box((0, 0, 0), extent))
    places = [np.broadcast_to(along, extent)[where].ravel() for along in coordinates]
    values = np.broadcast_to(rows.values, (*rows.values.shape[:2], grid.extent[2]))
    series = with_values(rows, values.reshape(len(values), -1))
    points = hc.Points(np.stack(places, axis=1))
    clear = opened.clear(field, on=region_of(where, region))
    return field, (clear, points.inject(series, into=field))
