"""The lid-driven cavity, in two and three dimensions.

Square or cube; the lid y+ moves in +x, all other walls are at rest; z is the span. Its length is
the side, its speed that of the lid. Walls lie half a cell outside the first and last cell centres.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from halocline.apps.lbm.cases import profiles
from halocline.apps.lbm.cases.flow_pictures import FlowFigure
from halocline.apps.lbm.cases.refined_case import RefinedCase
from halocline.apps.lbm.cases.steady_case import SteadyCase
from halocline.apps.lbm.setup.sides import Wall
from halocline.io.plots import Curve, Plot

if TYPE_CHECKING:
    from halocline.apps.lbm.cases.flow_case import FlowResult
    from halocline.apps.lbm.setup.setup import Setup
    from halocline.apps.sampled import Values

# Streamlines begin in the lower corners, too, where slow eddies would be missed.
_CORNERS = np.array([(x, y) for y in (0.05, 0.1) for x in (0.05, 0.1, 0.9, 0.95)])


@dataclass(frozen=True)
class LidCavity(SteadyCase, RefinedCase):
    """Parameters of a lid-driven cavity.

    Attributes:
        dimensions: 2 for a square, 3 for a cube.
    """

    name: ClassVar[str] = "lid-cavity"
    usual: ClassVar[Mapping[str, Any]] = {
        "cells": 64,
        "reynolds": 1000.0,
        "lattice_speed": 0.1,
        "near": 0.0625,
    }
    has_corners: ClassVar[bool] = True
    # Not only at the edges of the lid: a border that meets no wall costs nothing there.
    refined: ClassVar[str] = "towards the walls"

    dimensions: Literal[2, 3] = 3

    @property
    def axes(self) -> int:
        """How many dimensions it has."""
        return self.dimensions

    def setup(self) -> Setup:
        """Return what the flow is."""
        # Where layers meet, the side given last decides: links that leave through the upper corners
        # belong to the side walls, not to the lid (docs/validation.md).
        lid = Wall((self.scaling.speed, *(0.0,) * (self.dimensions - 1)))
        walls = ("y-", "x-", "x+", "z-", "z+")[: 2 * self.dimensions - 1]
        extent = (self.scaling.cells,) * self.dimensions
        return self.lattice_setup(extent, sides={"y+": lid, **{side: Wall() for side in walls}})

    def away(self, *coordinates: Any) -> Any:
        """Return how far the nearest wall is, at coordinates, all in the length unit."""
        half = 0.5 * self.scaling.length * self.units.cell
        return np.min(np.broadcast_arrays(*(half - abs(x - half) for x in coordinates)), axis=0)

    def centrelines(self, values: Values) -> dict[str, profiles.Profile]:
        """Return u along the vertical and v along the horizontal centreline [lid speed]."""
        speed = self.scaling.speed * self.units.velocity
        return {
            "u": profiles.centreline(values["u"] / speed, 1, (0.0, 1.0)),
            "v": profiles.centreline(values["v"] / speed, 0, (0.0, 0.0)),
        }

    def compare(self, result: FlowResult, values: Values) -> Sequence[profiles.Difference]:
        """Return how far the centreline profiles are from what is published, if anything is."""
        lines = self.centrelines(values)
        references = profiles.references(self.dimensions, self.scaling.reynolds)
        return tuple(profiles.compare(lines[r.component], r) for r in references)

    def picture(self, result: FlowResult, values: Values) -> FlowFigure:
        """Return the flow in the middle plane, and the centreline profiles."""
        lines, fine = self.centrelines(values), np.linspace(0.0, 1.0, 401)
        references = profiles.references(self.dimensions, self.scaling.reynolds)
        panels = (
            Plot(
                "vertical centreline",
                ("$u / U$", "$y / L$"),
                Curve("this run", lines["u"].at(fine), fine),
                tuple(
                    Curve(r.source, r.values, r.positions) for r in references if r.component == "u"
                ),
            ),
            Plot(
                "horizontal centreline",
                ("$x / L$", "$v / U$"),
                Curve("this run", fine, lines["v"].at(fine)),
                tuple(
                    Curve(r.source, r.positions, r.values) for r in references if r.component == "v"
                ),
            ),
        )
        side = self.scaling.length * self.units.cell
        plane = result.middle_plane(values, exponent=0.5, starts=_CORNERS * side)
        return FlowFigure(f"lid-driven cavity, Re = {self.scaling.reynolds:g}", plane, panels)
