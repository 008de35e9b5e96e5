"""Tracers of the sea beyond open boundaries, in open cells and in sponges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import halocline as hc
from halocline.apps.ocean.numerics.axis import SIDES
from halocline.apps.ocean.state.layers import tracer_field
from halocline.apps.ocean.state.sea_rows import ahead, changed, numbers_of_cells, placed, rows_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.apps.ocean.state.surface import Surface
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
    rows = rows_of(surface, given)
    is_series = isinstance(rows, hc.Series)
    if is_series:
        rows = ahead(rows, setup.macro_step)
    if not (rows.shape if is_series else np.shape(rows)):
        return SeaTracer(rows if is_series else float(rows))
    owners = band_of(surface).owners
    cells = owners >= 0
    of_cells = changed(rows, lambda values: values[:, owners[cells]])
    return SeaTracer(*placed(surface, name, cells, of_cells))


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
    for distance in reversed(range(width)):
        for boundary, of_boundary in zip(domain.open, numbers_of_cells(domain), strict=True):
            cells = domain.inwards(boundary, distance)
            owners[cells], away[cells] = of_boundary, distance
            outward[cells] = SIDES[boundary.side]
    for boundary in domain.open:
        row = [domain.is_wet[domain.inwards(boundary, distance)] for distance in range(1, width)]
        is_water = np.logical_and.accumulate(np.array(row)) if row else np.zeros((0, 1), bool)
        inwards[boundary.cells()] = is_water.sum(axis=0)
    return Band(owners, outward, away, inwards)
