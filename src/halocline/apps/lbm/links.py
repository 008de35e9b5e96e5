"""Links between cells: from which cells a velocity of the lattice leads to some cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halocline.geometry import seen_along

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from halocline.apps.lbm.velocity_set import VelocitySet


def next_to(
    cells: NDArray[np.bool_], lattice: VelocitySet, periodic: Sequence[bool]
) -> NDArray[np.bool_]:
    """Return the cells from which a link leads to one of some cells."""
    result = np.zeros_like(cells)
    for c in lattice.velocities[1:]:
        result |= seen_along(cells, c, periodic)
    return result
