"""Move values between ranks whose blocks have become others before they were stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.geometry import opposite
from halocline.language.initial import InitialValues

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from halocline.geometry import Box
    from halocline.runtime.job import Job


def redistributed(values: InitialValues, wanted: Sequence[Box], job: Job) -> InitialValues:
    """Return the values of other boxes of cells than this rank has; all ranks must call it.

    Args:
        values: Those that this rank has; together the ranks have all cells.
        wanted: The boxes whose values this rank is to have.
        job: The ranks.
    """
    sent = [_common(values, boxes) for boxes in job.everywhere(tuple(wanted))]
    found = [piece for pieces in job.exchanged(sent) for piece in pieces]
    arrays = []
    for box in wanted:
        components = next(array.shape[: -len(box.lower)] for _, array in found)
        array = np.zeros((*components, *box.extent), found[0][1].dtype)
        for cells, part in found:
            common = cells.intersect(box)
            if not common.is_empty:
                array[_cut(common, box)] = part[_cut(common, cells)]
        arrays.append(array)
    return InitialValues(tuple(wanted), tuple(arrays))


def _common(values: InitialValues, boxes: Sequence[Box]) -> list[tuple[Box, NDArray[Any]]]:
    pairs = [
        (have, array, have.intersect(box))
        for have, array in zip(values.boxes, values.arrays, strict=True)
        for box in boxes
    ]
    return [(box, array[_cut(box, have)]) for have, array, box in pairs if not box.is_empty]


def _cut(box: Box, whole: Box) -> tuple[Any, ...]:
    """Return a box of cells as a subscript of the array of a larger one."""
    here = box.shift(opposite(whole.lower))
    return (..., *(slice(l, u) for l, u in zip(here.lower, here.upper, strict=True)))
