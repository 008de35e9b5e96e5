"""Flows in a periodic box that nothing drives: their collision and their enstrophy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import halocline as hc
from halocline.apps.lbm.cases.enstrophy import enstrophy
from halocline.apps.lbm.cases.flow_case import FlowCase
from halocline.apps.lbm.collision.by_name import COLLISIONS
from halocline.io.quantity import Integral
from halocline.options import OneOf

if TYPE_CHECKING:
    from halocline.apps.lbm.flow.flow import Flow
    from halocline.language.steps.steps import Step


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
