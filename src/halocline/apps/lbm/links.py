"""Links between cells: from which cells a velocity of the lattice leads to some cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from halocline.apps.lbm.velocity_set import VelocitySet
    from halocline.geometry import Offset


def next_to(
    cells: NDArray[np.bool_], lattice: VelocitySet, periodic: Sequence[bool]
) -> NDArray[np.bool_]:
    """Return the cells from which a link leads to one of some cells."""
    result = np.zeros_like(cells)
    for c in lattice.velocities[1:]:
        result |= seen_along(cells, c, periodic)
    return result


def seen_along(
    cells: NDArray[np.bool_], link: Offset, periodic: Sequence[bool]
) -> NDArray[np.bool_]:
    """Return the cells from which one link leads to one of some cells."""
    moved = cells
    for axis, step in enumerate(link):
        moved = np.roll(moved, -step, axis)
        if step and not periodic[axis]:
            edge = [slice(None)] * moved.ndim
            edge[axis] = slice(-1, None) if step > 0 else slice(0, 1)
            moved[tuple(edge)] = False
    return moved
