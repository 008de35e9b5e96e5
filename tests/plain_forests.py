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


def regraded(level, wanted, slack, periodic, finest):
    """Return the levels of blocks after they were split and merged, 2:1 kept.

    Args:
        level: Of the leaf at each place, in blocks of the finest level.
        wanted: There, the highest in each leaf.
        slack: How much less than its level a leaf must want to be merged.
        periodic: For each axis.
        finest: The finest level.
    """
    target = level.copy()
    for l in range(1, finest + 1):
        width = 2 ** (finest - l + 1)
        for corner in itertools.product(*(range(0, n, width) for n in level.shape)):
            here = tuple(slice(c, c + width) for c in corner)
            if (level[here] == l).all() and (wanted[here] < l - slack).all():
                target[here] = l - 1
    target = np.where((wanted >= level + 1) & (level < finest), level + 1, target)
    above = [target > l for l in range(finest)]
    return levels_of_blocks(above, periodic)


class PlainRegrid:
    """What becomes of values on all levels when the leaves of a forest change.

    Args:
        block: Cells of a block.
        before: The level of the leaf at each place, in blocks of the finest level.
        periodic: For each axis.
        finest: The finest level.
    """

    def __init__(self, block, before, periodic, finest):
        self.periodic = periodic
        self.at = []  # the level of the leaf at each cell of each level
        for l in range(finest + 1):
            step = 2 ** (finest - l)
            coarse = before[tuple(slice(None, None, step) for _ in periodic)]
            # Where leaves are finer, that of the first of them is as good as any.
            self.at.append(PlainForest._spread(coarse, block))

    def moved(self, values, *, is_linear=True):
        """Return arrays of all cells of all levels, given those of the leaves."""
        values = [np.array(v) for v in values]
        finest = len(values) - 1
        for l in reversed(range(finest)):
            finer = values[l + 1]
            for axis in range(finer.ndim):
                pair = [np.take(finer, np.arange(k, finer.shape[axis], 2), axis) for k in (0, 1)]
                finer = (pair[0] + pair[1]) / 2
            values[l] = np.where(self.at[l] > l, finer, values[l])
        for l in range(1, finest + 1):
            made = self._children(values[l - 1], is_linear=is_linear)
            values[l] = np.where(self.at[l] < l, made, values[l])
        return values

    def _children(self, coarse, *, is_linear):
        dimensions = coarse.ndim
        result = PlainForest._spread(coarse, 2)
        for axis in range(dimensions) if is_linear else ():
            low, high = (
                coarse - self._beside(coarse, axis, -1),
                self._beside(coarse, axis, 1) - coarse,
            )
            most = 3 / dimensions * np.minimum(abs(low), abs(high))
            slope = np.sign(low + high) * np.minimum(abs(low + high) / 2, most)
            slope[low * high <= 0] = 0
            side = np.arange(result.shape[axis]) % 2 * 2 - 1
            along = tuple(slice(None) if a == axis else None for a in range(dimensions))
            result = result + PlainForest._spread(slope, 2) * side[along] / 4
        return result

    def _beside(self, array, axis, step):
        if self.periodic[axis]:
            return np.roll(array, -step, axis)
        index = np.clip(np.arange(array.shape[axis]) + step, 0, array.shape[axis] - 1)
        return np.take(array, index, axis)
