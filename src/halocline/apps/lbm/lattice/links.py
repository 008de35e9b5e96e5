"""Links between cells: from which a velocity of the lattice leads to some, and from which sides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halocline.geometry import AXES, seen_along

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from halocline.apps.lbm.lattice.velocity_set import VelocitySet
    from halocline.geometry import Offset


def next_to(
    cells: NDArray[np.bool_], lattice: VelocitySet, periodic: Sequence[bool]
) -> NDArray[np.bool_]:
    """Return the cells from which a link leads to one of some cells."""
    result = np.zeros_like(cells)
    for c in lattice.velocities[1:]:
        result |= seen_along(cells, c, periodic)
    return result


def inwards(side: str) -> int:
    """Return which way along its axis a side has the domain."""
    return 1 if side[1] == "-" else -1


def leaving(lattice: VelocitySet, side: str) -> tuple[int, ...]:
    """Return the populations that leave a side into the domain."""
    return lattice.towards(AXES.index(side[0]), inwards(side))


def normal(lattice: VelocitySet, side: str) -> Offset:
    """Return the unit normal of a side, into the domain."""
    axis = AXES.index(side[0])
    return tuple(inwards(side) if a == axis else 0 for a in range(lattice.dimensions))
