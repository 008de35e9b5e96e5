"""Currents of layers beyond open boundaries, at the velocity points beside these and in sponges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import halocline as hc
from halocline.apps.ocean.numerics.regions import region_of
from halocline.apps.ocean.setup.domain import BESIDE, INNER, sponge_weights
from halocline.apps.ocean.state.layers import fractions_in
from halocline.apps.ocean.state.sea_rows import ahead, changed, numbers_of_cells, placed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.apps.ocean.numerics.axis import AxisName
    from halocline.apps.ocean.state.layers import Columns
    from halocline.apps.ocean.state.surface import Surface
    from halocline.language.grids.fields import Field
    from halocline.language.steps.steps import Step


class SeaCurrent(NamedTuple):
    """The current of layers beyond open boundaries, at the velocity points of an axis.

    Attributes:
        shear: Velocity along the axis less its mean over the depth [m/s].
        weight: How strongly layers are drawn to it: 1 beside open cells.
        where: Points with a weight.
        steps: Bring it up to date: it has the values in the middle of the macro step.
    """

    shear: Field
    weight: Field
    where: Field | hc.Box
    steps: tuple[Step, ...]


def make_sea_current(surface: Surface, columns: Columns, rows: Any) -> SeaCurrent | None:
    """Return the current of layers beyond; None if no boundary lies across the axis of columns.

    Args:
        surface: Of the water.
        columns: At the velocity points.
        rows: Of open cells, see 'rows_of' [m/s].
    """
    owners, weights = _band(surface, columns.axis)
    where = weights > 0.0
    if not where.any():
        return None
    fractions = fractions_in(surface, surface.domain.shallower_bed(columns.axis))
    fractions = np.broadcast_to(fractions, (*where.shape, fractions.shape[-1]))[where]

    def shear(values: NDArray[np.float64]) -> NDArray[np.float64]:
        # Of a number there is one row for all cells.
        of_points = values[:, owners[where] % values.shape[1]]
        return np.asarray(of_points - (fractions * of_points).sum(axis=-1, keepdims=True))

    of_points = changed(rows, shear)
    if isinstance(of_points, hc.Series):
        of_points = ahead(of_points, 0.5 * surface.setup.macro_step)
    name, location = f"{columns.transport.name}_beyond", columns.location
    field, steps = placed(surface, name, where, of_points, location)
    weight = surface.fields.surface(f"{name}_weight", location, weights)
    return SeaCurrent(field, weight, region_of(where, weight), steps)


def _band(surface: Surface, axis: AxisName) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return for velocity points the open cell whose current they take, and how strongly."""
    domain = surface.domain
    faces = domain.faces(axis)
    owners, weights = np.zeros(faces.shape, np.intp), np.zeros(faces.shape)
    across = [
        (boundary, numbers)
        for boundary, numbers in zip(domain.open, numbers_of_cells(domain), strict=True)
        if boundary.axis == axis
    ]
    # The nearest boundary counts.
    for away, weight in reversed(list(enumerate(sponge_weights(max(surface.setup.sponge, 1))))):
        for boundary, numbers in across:
            points = domain.points_beside(boundary, away)
            owners[points], weights[points] = numbers, weight
    return owners, np.where((faces == INNER) | (faces == BESIDE), weights, 0.0)
