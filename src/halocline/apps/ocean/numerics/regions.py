"""Where kernels run: in a box where their cells are one, elsewhere in the cells of a mask."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import halocline as hc

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.language.grids.fields import Field


def region_of(cells: NDArray[np.bool_], mask: Field) -> Field | hc.Box:
    """Return a box if cells are one, else their mask.

    A box costs less: nobody looks cells up, and no messages bring what a mask leaves as it is. But
    on a part of an axis that closes it would take exchanges of its own.

    Args:
        cells: Which, along x and y.
        mask: Not zero in these.
    """
    grid = mask.grid
    where = np.nonzero(cells)
    if not where[0].size:
        return mask
    lower = [int(places.min()) for places in where]
    upper = [int(places.max()) + 1 for places in where]
    ends = zip(lower, upper, cells.shape, grid.periodic, strict=False)
    is_part = any(closes and (low > 0 or high < n) for low, high, n, closes in ends)
    if is_part or np.prod(np.subtract(upper, lower)) > where[0].size:
        return mask
    deep = grid.extent[2:]
    return hc.Box((*lower, *(0 for _ in deep)), (*upper, *deep))
