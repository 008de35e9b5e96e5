"""Move the values of a forest's fields to other leaves and other ranks, as a regridding says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.box_array import BoxArray
from halocline.geometry import doubled, halved
from halocline.language.grids.refining import merged, split
from halocline.language.steps.coupling import coupling_of, differs_within_cells
from halocline.plan.blocks.redistribution import redistribution
from halocline.plan.blocks.regridding import around
from halocline.plan.blocks.tiling import BlockList
from halocline.runtime.redistribution import redistribute

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from halocline.geometry import Box
    from halocline.language.grids.composite import CompositeField
    from halocline.plan.blocks.redistribution import BoxesOfRanks
    from halocline.plan.blocks.regridding import Regridding
    from halocline.runtime.job import Job
    from halocline.runtime.redistribution import Values
    from halocline.runtime.storage import BlockStorage

    Pair = tuple[BlockStorage, BlockStorage]


def take_over_levels(
    field: CompositeField, storages: Sequence[Pair], regridding: Regridding, job: Job
) -> None:
    """Take over the values of a field's levels on other leaves; collective.

    One component after the other, unless they are coupled. The coarsest level comes first: what is
    made of it may lie beside what the next one makes of its own.

    Args:
        field: The field.
        storages: Of each level, where it is so far and where it is to be.
        regridding: Says which cells follow from which.
        job: The ranks.
    """
    moves: list[_Level] = []
    for level in regridding.levels:
        coarser = moves[-1] if moves else None
        moves.append(_Level(field, level, storages, regridding, coarser, job))
    coupling = coupling_of(field)
    groups = [slice(q, q + 1) for q in range(field.components)]
    if coupling.split is not None or coupling.merged is not None:
        groups = [slice(0, field.components)]
    for components in groups:
        sources: list[Values] = []
        for move in moves:
            sources = move.done(components, sources)


class _Level:
    """How a level gets its values.

    Attributes:
        space: Of its values.
        have: The boxes of all ranks that have some: leaves as they were, merged and split cells.
    """

    def __init__(
        self,
        field: CompositeField,
        level: int,
        storages: Sequence[Pair],
        regridding: Regridding,
        coarser: _Level | None,
        job: Job,
    ) -> None:
        self._job, self._rank = job, job.rank
        self._before, self._now = storages[level]
        self._finer = storages[level + 1][0] if level + 1 < len(storages) else None
        self._dtype = self._now.layout.dtype
        own = field.level(level)
        self.space = own.space
        self._on_faces = [own.location.is_on_faces(axis) for axis in range(own.dimensions)]
        self._is_linear = differs_within_cells(field)
        self._coupling = coupling_of(field)
        self._merged = regridding.merged[level]
        merged_, self._split = (
            [list(map(own.space.with_closing, boxes)) for boxes in found]
            for found in (self._merged, regridding.split[level])
        )
        parts = zip(self._before.kept, merged_, self._split, strict=True)
        self.have: BoxesOfRanks = [[*kept, *coarse, *fine] for kept, coarse, fine in parts]
        self._merged_own = merged_[self._rank]
        self._fill = redistribution(self.have, self._now.kept, self._rank)
        if coarser is not None and any(self._split):
            self._coarser = coarser
            self._images = [
                [image for box in boxes for image in around(halved(box), coarser.space)]
                for boxes in self._split
            ]
            wanted = [[image.box for image in images] for images in self._images]
            self._fetch = redistribution(coarser.have, wanted, self._rank)

    def done(self, components: slice, coarser: Sequence[Values]) -> list[Values]:
        """Fill components of the level's leaves; return this rank's part of 'have'.

        Args:
            components: Which.
            coarser: What this has returned for the next coarser level.
        """
        values = self._before.parts(self._before.kept, components, will_write=False)
        values += self._made_of_finer(components)
        values += self._made_of_coarser(components.stop - components.start, coarser)
        places = self._now.parts(self._now.kept, components, will_write=True)
        redistribute(self._fill, values, places, self._dtype, self._job)
        return values

    def _made_of_finer(self, components: slice) -> list[Values]:
        if self._finer is None:
            return []
        finer = self._finer.parts(self._finer.own, components, will_write=False)
        space, made = self._finer.layout.space, []
        every = [space.with_closing(doubled(cells)) for cells in self._merged[self._rank]]
        # Each lies in one of them.
        within = BlockList(BoxArray.of([box for box, _ in finer])).pairs(every)
        for (_, number), wanted, box in zip(within, every, self._merged_own, strict=True):
            place, values = finer[number]
            children = values[(slice(None), *wanted.slices(place.lower))]
            coarse = merged(children, self._on_faces)
            if self._coupling.merged is not None:
                coarse += self._coupling.merged(children)
            made.append((box, coarse))
        return made

    def _made_of_coarser(self, count: int, coarser: Sequence[Values]) -> list[Values]:
        if not any(self._split):
            return []
        images = self._images[self._rank]
        found = [np.zeros((count, *image.box.extent), self._dtype) for image in images]
        wanted = [(image.box, array) for image, array in zip(images, found, strict=True)]
        redistribute(self._fetch, coarser, wanted, self._dtype, self._job)
        made, rest = [], list(zip(images, found, strict=True))
        for box in self._split[self._rank]:
            core = halved(box)
            seen = len(around(core, self._coarser.space))
            values = self._grown(count, core, rest[:seen])
            fine = split(values, self._on_faces, is_linear=self._is_linear)
            if self._coupling.split is not None:
                fine += _for_children(self._coupling.split(values))
            made.append((box, fine[(slice(None), *box.slices(doubled(core).lower))]))
            rest = rest[seen:]
        return made

    def _grown(
        self, count: int, core: Box, images: Sequence[tuple[Any, NDArray[Any]]]
    ) -> NDArray[Any]:
        """Return the values of a coarse box and of one cell more on each side.

        Beyond closed sides are those next to them.
        """
        ones = (1,) * len(core.lower)
        grown = core.grow(ones, ones)
        values = np.zeros((count, *grown.extent), self._dtype)
        for image, array in images:
            values[(slice(None), *image.box.shift(image.shift).slices(grown.lower))] = array
        domain = self._coarser.space.domain
        for axis, is_periodic in enumerate(self._coarser.space.periodic):
            line = np.moveaxis(values, axis + 1, 0)
            if not is_periodic and grown.lower[axis] < domain.lower[axis]:
                line[0] = line[1]
            if not is_periodic and grown.upper[axis] > domain.upper[axis]:
                line[-1] = line[-2]
        return values


def _for_children(values: NDArray[Any]) -> NDArray[Any]:
    """Return the values of cells for all children of them."""
    for axis in range(1, values.ndim):
        values = np.repeat(values, 2, axis)
    return values
