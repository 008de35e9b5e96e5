"""Points in the C++ runtime: of each rank those that concern its blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halocline.runtime.recorded import RecordedRows
from halocline.runtime.storage import three

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from halocline.geometry import Box
    from halocline.language.points.at_points import Injection
    from halocline.language.points.record import Record
    from halocline.language.points.support import Support
    from halocline.language.spaces.space import Space
    from halocline.language.spaces.translations import Translation
    from halocline.runtime.slots import Slots


def add_injection(step: Injection, slots: Slots) -> int:
    """Give the runtime the points of this rank that weight its cells; return their number."""
    support, space, runtime = step.support(), step.field.space, slots.runtime
    layout = slots.storages[step.field.name].layout
    boxes = [layout.stored(block) for block in slots.blocks_of(space)]
    here = np.flatnonzero(_weighting(support, boxes, space))
    order = support.order[here]
    number = runtime.add_injection(
        step.component,
        support.widths,
        _rows(support.first, here),
        support.weights(here),
        _rows(step.scales, order),
    )
    if step.series is not None:
        series = step.series
        values = np.ascontiguousarray(series.values[:, order])
        runtime.inject_series(number, series.times, values, series.period)
        slots.series[series] = None
    return number


def add_interpolation(step: Record, slots: Slots) -> tuple[int, int]:
    """Give the runtime the points that lie in this rank's blocks; return number and count."""
    support, space, runtime = step.support(), step.field.space, slots.runtime
    boxes = [space.flat(block.box) for block in slots.blocks_of(space)]
    here = np.flatnonzero(_owned(support, boxes))
    number = runtime.add_interpolation(
        step.component,
        support.widths,
        _rows(support.first, here),
        support.weights(here),
        _rows(support.cells, here),
    )
    if step.rows is None:
        step.rows = RecordedRows(len(step.points), slots.job)
    assert isinstance(step.rows, RecordedRows)
    step.rows.come_from(runtime, number, support.order[here])
    return number, len(here)


def _rows(table: NDArray[np.generic], which: NDArray[np.int64]) -> NDArray[np.generic]:
    return np.ascontiguousarray(table[which])


def _owned(support: Support, boxes: Iterable[Box]) -> NDArray[np.bool_]:
    """Return which points belong to one of some blocks."""
    result = np.zeros(len(support.order), bool)
    for box in boxes:
        lower, upper = three(box.lower, 0), three(box.upper, 1)
        result |= ((support.cells >= lower) & (support.cells < upper)).all(axis=1)
    return result


def _weighting(support: Support, boxes: Iterable[Box], space: Space) -> NDArray[np.bool_]:
    """Return which points, or periodic images of them, weight a cell of some boxes."""
    result = np.zeros(len(support.order), bool)
    first = support.first[:, : len(space.extent)].astype(np.int64)
    for box in boxes:
        translations = [
            translation for translation in space.translations if not space.lacks[translation.axis]
        ]
        result |= _meeting(first, support.widths, box, translations)
    return result


def _meeting(
    first: NDArray[np.int64], widths: Sequence[int], box: Box, translations: Sequence[Translation]
) -> NDArray[np.bool_]:
    """Return which points weight a cell of a box, themselves or an image of theirs."""
    if translations:
        (axis, way), *others = translations
        # The lowest image that ends above the box's lower end.
        times = (box.lower[axis] - first[:, axis] - widths[axis]) // way[axis] + 1
        image = first + times[:, None] * np.array(way)
        result = np.zeros(len(first), bool)
        while (image[:, axis] < box.upper[axis]).any():
            result |= _meeting(image, widths, box, others)
            image += np.array(way)
        return result
    ends = zip(first.T, widths, box.lower, box.upper, strict=False)
    result = np.ones(len(first), bool)
    for low, width, lower, upper in ends:
        result &= (low < upper) & (low + width > lower)
    return result
