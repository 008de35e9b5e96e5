"""Flows in a periodic box that nothing drives: their collision and their enstrophy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import halocline as hc
from halocline.apps.lbm.cases.flow_case import FlowCase
from halocline.apps.lbm.collision.by_name import COLLISIONS
from halocline.apps.lbm.lattice.populations import add
from halocline.io.quantity import Integral
from halocline.options import OneOf

if TYPE_CHECKING:
    from halocline.apps.lbm.flow.flow import Flow
    from halocline.language.steps.steps import Step

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


@dataclass(frozen=True)
class DecayingFlow(FlowCase):
    """A flow that loses its energy by 2 viscosity enstrophy and in no other way.

    Attributes:
        collision: What becomes of the populations that meet in a cell.
    """

    # TRT loses energy elsewhere, too; where there are walls it is the more stable one.
    collision: Annotated[str, OneOf(tuple(COLLISIONS))] = "central"

    def diagnostics(self, flow: Flow) -> tuple[tuple[Step, ...], tuple[Integral, ...]]:
        """Return the mean enstrophy."""
        local = flow.grid.field("enstrophy", dtype=flow.velocity.dtype)
        units = self.units
        integral = Integral(
            "enstrophy",
            hc.sum(local),
            units.velocity**2 / flow.fluid_volume,
            units.named("s-2"),
            "half the mean square of the vorticity",
        )
        return (enstrophy(flow.velocity, local),), (integral,)
