"""Relaxation of open cells to the sea beyond, by the current through them."""

from __future__ import annotations

from typing import Annotated, Any

import halocline as hc
from halocline.errors import CaseError
from halocline.frozen import Frozen
from halocline.language.numbers import Range
from halocline.options import check_declared

Share = Annotated[float, Range(least=0.0, most=1.0)]
# The outflow from which 'outflow' holds, over the speed of the inflow from which 'inflow' does.
_OUTFLOW = 0.25


class Relaxation(Frozen):
    """Open cells take in each macro step a share of the sea beyond, the rest from the sponge.

    The rest is the mean of the cells of the sponge, with the sponge's weights. The share is linear
    in the current in between, from an outflow of speed / 4 to an inflow of 'speed'.

    Attributes:
        inflow: Share where water comes in, 'outflow' to 1.
        outflow: Share where water leaves, 0 to 1.
        speed: Inflow from which 'inflow' holds [m/s].

    Raises:
        CaseError: A share is not between 0 and 1, the inflow's is less, or the speed is not
            positive.

    Source: GETM, bdy_3d.F90 of version 2.5 (temporal relaxation).

    Example:
        >>> relaxation = ocean.Relaxation(inflow=0.25, outflow=0.0, speed=0.02)
    """

    inflow: Share = 0.25
    outflow: Share = 0.0
    speed: Annotated[float, Range(above=0.0)] = 0.02

    def __post_init__(self) -> None:
        check_declared(self, CaseError)
        if self.inflow < self.outflow:
            raise CaseError(
                f"'inflow' was given {self.inflow:g}, and 'outflow' {self.outflow:g}; expected no "
                "greater share of the sea beyond where water leaves.",
                hint="Exchange them, or make them equal.",
            )

    def share(self, inwards: Any) -> Any:
        """Return the share of the sea beyond where a current comes in [m/s]."""
        strength = (inwards / self.speed + _OUTFLOW) / (1.0 + _OUTFLOW)
        bounded = hc.minimum(hc.maximum(strength, 0.0), 1.0)
        return self.outflow + (self.inflow - self.outflow) * bounded
