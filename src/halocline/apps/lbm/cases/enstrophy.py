"""Enstrophy of a flow: half the square of the vorticity."""

from __future__ import annotations

from typing import Any

import halocline as hc
from halocline.apps.lbm.lattice.populations import add

# Differences of fourth order miss half a per cent of a flow that is just resolved.
_ACCURACY = 8


@hc.kernel
def enstrophy(velocity: Any, enstrophy: Any) -> None:
    """Compute half the square of the vorticity.

    Args:
        velocity: In a domain that is periodic.
        enstrophy: [velocity² / length²].
    """
    vorticity = hc.curl(velocity, accuracy=_ACCURACY)
    turns = vorticity if isinstance(vorticity, tuple) else (vorticity,)
    cell = (0,) * (3 if len(turns) > 1 else 2)
    enstrophy[cell] = 0.5 * add([turn * turn for turn in turns])
