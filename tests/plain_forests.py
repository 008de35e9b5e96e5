"""Forests in plain NumPy: arrays of all cells of all levels, found without Halocline's planner."""

from __future__ import annotations

import itertools

import numpy as np


def levels_of_blocks(above, periodic):
    """Return the level of the leaf at each place, in blocks of the finest level.

    Args:
        above: For each level but the finest whether its block there is to be refined.
        periodic: For each axis.
    """
    finest, shape = len(above), above[0].shape
    level = np.zeros(shape, int)
    while True:
        before = level.copy()
        for l in range(finest):
            width = 2 ** (finest - l)
            for corner in itertools.product(*(range(0, n, width) for n in shape)):
                here = tuple(slice(c, c + width) for c in corner)
                if (level[here] != l).any():
                    continue
                around = [
                    np.arange(c - 1, c + width + 1) % n
                    if is_periodic
                    else np.arange(max(c - 1, 0), min(c + width + 1, n))
                    for c, n, is_periodic in zip(corner, shape, periodic, strict=True)
                ]
                if above[l][here].any() or level[np.ix_(*around)].max() > l + 1:
                    level[here] = l + 1
        if (level == before).all():
            return level


class PlainForest:
    """A forest whose levels are arrays of all cells of the domain."""

    def __init__(self, extent, block, finest, wanted, periodic, substeps=2):
        self.periodic, self.substeps = periodic, substeps
        roots = [n // block for n in extent]
        above = []
        for l in range(finest):
            at = [(np.arange(n * 2**l) + 0.5) / 2**l for n in extent]
            values = np.broadcast_to(
                wanted(*np.meshgrid(*at, indexing="ij", sparse=True)), [len(a) for a in at]
            )
            for axis in range(len(extent)):
                values = np.maximum.reduceat(
                    values, np.arange(0, values.shape[axis], block), axis=axis
                )
            above.append(self._spread(values > l, 2 ** (finest - l)))
        self.blocks = levels_of_blocks(above, periodic)
        finest = int(self.blocks.max())
        self.finest = finest
        self.is_leaf, self.is_refined = [], []
        for l in range(finest + 1):
            step = self.blocks.shape[0] // (roots[0] * 2**l)
            coarse = self.blocks[tuple(slice(None, None, step) for _ in extent)]
            self.is_leaf.append(self._spread(coarse == l, block))
            self.is_refined.append(self._spread(coarse > l, block))

    @staticmethod
    def _spread(array, times):
        for axis in range(array.ndim):
            array = np.repeat(array, times, axis=axis)
        return array

    def places(self, l):
        """Return the coordinates of the cells of a level, as sparse arrays."""
        at = [(np.arange(n) + 0.5) / 2**l for n in self.is_leaf[l].shape]
        return np.meshgrid(*at, indexing="ij", sparse=True)

    def beside(self, array, axis, step):
        """Return the values next door along an axis; beyond closed sides those of the side."""
        if self.periodic[axis]:
            return np.roll(array, -step, axis)
        index = np.clip(np.arange(array.shape[axis]) + step, 0, array.shape[axis] - 1)
        return np.take(array, index, axis)

    def restricted(self, fine):
        for axis in range(fine.ndim):
            pair = [np.take(fine, np.arange(k, fine.shape[axis], 2), axis) for k in (0, 1)]
            fine = 0.5 * (pair[0] + pair[1])
        return fine

    def prolonged(self, coarse):
        """Linear along each axis: three quarters of the nearest, a quarter of the next."""
        for axis in range(coarse.ndim):
            low, high = (0.75 * coarse + 0.25 * self.beside(coarse, axis, s) for s in (-1, 1))
            shape = [2 * n if a == axis else n for a, n in enumerate(coarse.shape)]
            coarse = np.stack([low, high], axis + 1).reshape(shape)
        return coarse

    def step(self, T, kernel, l=0):
        """Do a step of a level and its sub-steps; 'kernel' makes new values of old, by level."""
        if l < self.finest:
            T[l] = np.where(self.is_refined[l], self.restricted(T[l + 1]), T[l])
            inner = self.is_leaf[l + 1] | self.is_refined[l + 1]
            T[l + 1] = np.where(inner, T[l + 1], self.prolonged(T[l]))
            for _ in range(self.substeps):
                self.step(T, kernel, l + 1)
        T[l] = np.where(self.is_refined[l], T[l], kernel(T[l], l))
