"""Populations where blocks of a forest have been split or merged: their part out of equilibrium.

After collision, to first order, f* = e - (tau - 1) dt c.grad e, and (tau - 1) dt is larger by a
quarter of the coarser level's step on the finer level than on the coarser one (see 'coupling'). So
what follows from the other level is changed by c.grad f / 4, less its mass and momentum, which the
part out of equilibrium does not have: those of all cells stay what they are.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from halocline.apps.lbm.lattice.velocity_set import VelocitySet


def split(velocity_set: VelocitySet, coarse: NDArray[Any]) -> NDArray[Any]:
    """Return the correction of the populations of all children of cells.

    Args:
        velocity_set: The lattice.
        coarse: Populations of the cells and of one more on each side.
    """

    def slope(axis: int) -> NDArray[Any]:
        line = np.moveaxis(coarse, 1 + axis, 0)
        steep = np.moveaxis(0.5 * (line[2:] - line[:-2]), 0, 1 + axis)
        inner = [slice(1, -1)] * velocity_set.dimensions
        inner[axis] = slice(None)
        slopes: NDArray[Any] = steep[(slice(None), *inner)]
        return slopes

    return -_displaced(velocity_set, slope)


def merged(velocity_set: VelocitySet, fine: NDArray[Any]) -> NDArray[Any]:
    """Return the correction of the means of the populations of children.

    Args:
        velocity_set: The lattice.
        fine: Populations of the children.
    """

    def slope(axis: int) -> NDArray[Any]:
        values = fine
        for a in range(velocity_set.dimensions):
            line = np.moveaxis(values, 1 + a, 0)
            low, high = line[::2], line[1::2]
            values = np.moveaxis(2.0 * (high - low) if a == axis else 0.5 * (low + high), 0, 1 + a)
        return values

    return _displaced(velocity_set, slope)


def _displaced(velocity_set: VelocitySet, slope: Callable[[int], NDArray[Any]]) -> NDArray[Any]:
    """Return by how much populations differ a quarter of their way ahead, but mass and momentum.

    Args:
        velocity_set: The lattice.
        slope: Returns for an axis how steep populations are along it [1 / coarse cell].
    """
    # Sums are added one by one: their bits must not depend on how many cells a rank has.
    slopes = [slope(axis) for axis in range(velocity_set.dimensions)]
    column = (-1,) + (1,) * velocity_set.dimensions
    along = [
        np.array(n, slopes[0].dtype).reshape(column)
        for n in zip(*velocity_set.velocities, strict=True)
    ]
    weights = np.array(velocity_set.weights, slopes[0].dtype).reshape(column)
    changes = reduce(
        np.add, [0.25 * n * slope_along for n, slope_along in zip(along, slopes, strict=True)]
    )
    mass = reduce(np.add, changes)
    momentum = reduce(np.add, [n * reduce(np.add, n * changes) for n in along])
    displaced: NDArray[Any] = changes - weights * (mass + 3.0 * momentum)
    return displaced
