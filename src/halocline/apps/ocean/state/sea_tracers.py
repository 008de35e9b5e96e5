"""Tracers of the sea beyond open boundaries, in open cells and in sponges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import halocline as hc
from halocline.apps.ocean.numerics.regions import region_of
from halocline.apps.ocean.physics import open_boundaries as opened
from halocline.apps.ocean.state.layers import heights, tracer_field
from halocline.apps.ocean.state.open_sea import ahead
from halocline.errors import CaseError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.apps.ocean.state.surface import Surface
    from halocline.language.series.series import Series
    from halocline.language.steps.steps import Step


class SeaTracer(NamedTuple):
    """A tracer of the sea beyond open boundaries.

    Attributes:
        value: A number, a series of numbers, or a field that has it in open cells and in sponges.
        steps: Bring the field up to date: it has the values at the end of the macro step.
    """

    value: Any
    steps: tuple[Step, ...] = ()


def make_sea_tracer(surface: Surface, tracer: str) -> SeaTracer:
    """Return what a tracer is in the sea beyond the open boundaries of a surface.

    Raises:
        CaseError: The setup has a function for it whose result has another shape.
    """
    setup, name = surface.setup, f"{tracer}_beyond"
    first, given = setup.first_and_sea(tracer)
    if given is None:
        is_number = not callable(first) and np.ndim(first) == 0
        return SeaTracer(float(first) if is_number else tracer_field(surface, name, first))
    rows = _at_open_cells(surface, given) if callable(given) else given
    if isinstance(rows, hc.Series):
        rows = ahead(rows, setup.macro_step)
        return _following(surface, name, rows) if rows.shape else SeaTracer(rows)
    if np.ndim(rows) == 0:
        return SeaTracer(float(rows))
    owners = band_of(surface).owners
    cells = owners >= 0
    values = np.zeros(surface.fields.grid.extent)
    values[cells] = _of_layers(np.asarray(rows, float)[np.newaxis])[0, owners[cells]]
    return SeaTracer(tracer_field(surface, name, values))


def _at_open_cells(surface: Surface, function: Any) -> Any:
    """Return what a function of place has in the layers of open cells: an array, or a series."""
    grid = surface.fields.grid
    x, y = (of_cells[..., np.newaxis] for of_cells in surface.domain.middles)
    cells = tuple(np.concatenate([part.cells() for part in surface.domain.open], axis=1))
    where = (x, y, heights(surface))
    rows = function(*(np.broadcast_to(place, grid.extent)[cells] for place in where))
    shape = (cells[0].size, grid.extent[2])
    if not isinstance(rows, hc.Series):
        return rows + np.zeros(shape)
    if rows.shape not in ((), shape[:1], shape):
        raise CaseError(
            f"The series '{rows.name}' of the sea beyond open boundaries has the shape "
            f"{rows.shape} at each time; expected (), {shape[:1]} or {shape}: open cells, layers."
        )
    return rows


def _of_layers(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rows (times, cells) with an axis for layers, where they have none."""
    return rows if rows.ndim > len(("times", "cells")) else rows[..., np.newaxis]


def _following(surface: Surface, name: str, series: Series) -> SeaTracer:
    """Return a field that follows a series of rows."""
    grid, owners = surface.fields.grid, band_of(surface).owners
    cells = owners >= 0
    field = surface.fields.layers(name)
    region = surface.fields.surface(f"{name}_cells", values=cells, dtype="bool")
    centers = grid.coordinates("center", grid.domain)
    places = [np.broadcast_to(along, grid.extent)[cells].ravel() for along in centers]
    of_cells = _of_layers(series.values)[:, owners[cells]]
    values = np.broadcast_to(of_cells, (*of_cells.shape[:2], grid.extent[2]))
    rows = hc.Series(
        series.times,
        values.reshape(len(values), -1),
        period=series.period or None,
        name=series.name,
    )
    points = hc.Points(np.stack(places, axis=1))
    clear = opened.clear(field, on=region_of(cells, region))
    return SeaTracer(field, (clear, points.inject(rows, into=field)))


class Band(NamedTuple):
    """Open cells and the sponge inwards of them: arrays (nx, ny).

    Attributes:
        owners: The number of the open cell from which each cell takes its values; -1 elsewhere.
        outward: On which side it lies, see 'open_boundaries'; 0 elsewhere.
        away: How many cells away it is.
        inwards: How many cells of the sponge inwards of open cells are water.
    """

    owners: NDArray[np.intp]
    outward: NDArray[np.int8]
    away: NDArray[np.int8]
    inwards: NDArray[np.int8]


def band_of(surface: Surface) -> Band:
    """Return the open cells of a surface and the sponge inwards of them."""
    domain, width = surface.domain, max(surface.setup.sponge, 1)
    owners = np.full(domain.extent, -1)
    outward, away, inwards = (np.zeros(domain.extent, np.int8) for _ in range(3))
    counts = [len(boundary.cells()[0]) for boundary in domain.open]
    numbers = np.split(np.arange(sum(counts)), np.cumsum(counts)[:-1])
    for distance in reversed(range(width)):
        for boundary, of_boundary in zip(domain.open, numbers, strict=True):
            cells = domain.inwards(boundary, distance)
            owners[cells], away[cells] = of_boundary, distance
            outward[cells] = opened.SIDES[boundary.side]
    for boundary in domain.open:
        row = [domain.is_wet[domain.inwards(boundary, distance)] for distance in range(1, width)]
        is_water = np.logical_and.accumulate(np.array(row)) if row else np.zeros((0, 1), bool)
        inwards[boundary.cells()] = is_water.sum(axis=0)
    return Band(owners, outward, away, inwards)
