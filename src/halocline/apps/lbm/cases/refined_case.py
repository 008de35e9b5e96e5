"""The cases of flows that may have smaller cells where it matters: there, and how far around."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from msgspec.structs import replace

from halocline.apps.arguments import Needs
from halocline.apps.lbm.cases.flow_case import FlowCase
from halocline.apps.lbm.setup.refinement import Refinement
from halocline.apps.levels import Levels, coarsest_cells
from halocline.language.numbers import Range

if TYPE_CHECKING:
    from halocline.apps.lbm.cases.scaling import Scaling
    from halocline.apps.lbm.setup.setup import Setup


@dataclass(frozen=True)
class RefinedCase(FlowCase):
    """Parameters of a flow on levels.

    Attributes:
        levels: How often cells are halved where it matters: 'cells' are those of the finest level.
        near: How far around that place the finest cells reach at least; those twice as wide reach
            twice as far, and so on [the flow's lengths].

    Example:
        >>> class Floor(lbm.RefinedCase):
        ...     name, axes, duration, refined = "floor", 2, 1.0, "near the floor"
        ...     def away(self, x, y):
        ...         return y
        ...     def setup(self):
        ...         return self.lattice_setup((self.scaling.cells,) * 2)
        >>> Floor(cells=32, reynolds=1.0, lattice_speed=0.05, levels=1, near=0.1).setup().extent
        (16, 16)
    """

    needs: ClassVar[Needs] = (("'levels'", lambda case: case.levels > 0, ("near",)),)
    # Where it matters, in words.
    refined: ClassVar[str]
    # Cells of a block, along each axis.
    block: ClassVar[int] = 4
    # Whether a case fills up what is not whole blocks.
    fills_up: ClassVar[bool] = False

    levels: Levels = 0
    near: Annotated[float | None, Range(above=0.0)] = None

    def away(self, *coordinates: Any) -> Any:
        """Return how far from there places are, at coordinates, all in the length unit."""
        raise NotImplementedError

    @property
    def scaling(self) -> Scaling:
        """The flow in lattice units of the coarsest level."""
        scaling = super().scaling
        return replace(scaling, cells=scaling.cells // 2**self.levels, levels=self.levels)

    def check_units(self) -> None:
        """Raise a CaseError where too much is given, too little, or what does not fit."""
        super().check_units()
        if self.levels:
            parts = 1 if self.fills_up else self.block
            coarsest_cells(super().scaling.cells, self.levels, parts)

    def describe(self) -> str:
        """Return the parameters and derived quantities as text."""
        text = super().describe()
        if self.levels:
            text += (
                f"\ncells halved up to {self.levels} times {self.refined}; what is said above is "
                "of those that are not"
            )
        return text

    def lattice_setup(self, extent: tuple[int, ...], **more: Any) -> Setup:
        """Return a setup with an extent in coarsest cells, and what follows from the parameters."""
        if self.levels:
            more["refinement"] = Refinement(self.wanted, self.levels, self.block)
        return super().lattice_setup(extent, **more)

    def wanted(self, *coordinates: Any) -> Any:
        """Return the required level at coordinates."""
        near: float = self.near or self.usual["near"]
        away = self.away(*coordinates) / (near * self.scaling.length * self.units.cell)
        levels = np.zeros(away.shape, int)
        for level in range(1, self.levels + 1):
            levels[away < 2.0 ** (self.levels - level)] = level
        return levels
