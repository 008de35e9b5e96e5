"""Moves: rows that say which cells messages and copies carry, as the runtime reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    # One for all boxes, or one for each.
    Numbers = int | NDArray[np.int64]


def rows_of_moves(
    slots: Iterable[Numbers],
    component: Numbers,
    end: Iterable[Numbers],
    other: Iterable[Numbers],
    extent: Iterable[Numbers],
) -> NDArray[np.int64]:
    """Return a row for each box of cells that moves (boxes, 14).

    Args:
        slots: The numbers of the fields at this end and at the other.
        component: The component of both.
        end: The block at this end, and the first cell there.
        other: The same at the other end.
        extent: The cells along each axis.
    """
    columns = np.broadcast_arrays(*slots, component, *end, *other, *extent)
    return np.ascontiguousarray(np.array(columns, np.int64).reshape(len(columns), -1).T)
