"""Solids: the solid cells of a flow, and the steps by which populations arrive from them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

import halocline as hc
from halocline.apps.lbm.boundaries import walls as wall_kernels
from halocline.apps.lbm.boundaries.body_walls import Walls, walls_of
from halocline.apps.lbm.boundaries.curved_wall import (
    accumulate_mass_defect,
    curved_wall,
    redistribute_mass_defect,
    reset_mass_defect,
)
from halocline.apps.lbm.boundaries.solid_cells import (
    SolidCells,
    known_field,
    solid_cells,
    solid_cells_on_levels,
)
from halocline.apps.lbm.lattice.links import next_to
from halocline.apps.lbm.setup.sides import Open
from halocline.language.steps.coupling import inner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from halocline.apps.lbm.lattice.streaming import StreamingPattern
    from halocline.apps.lbm.lattice.velocity_set import VelocitySet
    from halocline.apps.lbm.setup.setup import Setup
    from halocline.geometry import Box
    from halocline.language.grids.grid import Grid
    from halocline.language.steps.steps import Step

# Lattice steps between two redistributions of the mass defect.
_INTERVAL = 100


class Solids:
    """Where solid cells are, as fields of a grid or forest.

    Attributes:
        levels: The solid cells of each level, of a grid of its only one; nothing if there are none.
        fluid: Not zero where cells are fluid; None if all are.
        curved: For each level fluid cells beside walls that lie where they are, see 'Walls'.
        walls: The numbers of bodies in their cells, and how their walls weight links, see
            'curved_wall'; empty without such cells.
        beside: Not zero in cells beside such walls; None if there are none.
    """

    def __init__(self, setup: Setup, lattice: VelocitySet, grid: Any) -> None:
        self.setup, self.lattice, self.grid = setup, lattice, grid
        self.is_on_levels = setup.refinement is not None
        find = solid_cells_on_levels if self.is_on_levels else solid_cells
        self.levels: tuple[SolidCells, ...] = find(setup, grid)
        self.fluid: Any = None
        self.curved: tuple[NDArray[np.bool_], ...] = ()
        self.walls: tuple[Any, ...] = ()
        self.beside: Any = None
        self._edge: Any = None
        if self.levels:
            self._declare()

    def _declare(self) -> None:
        fluid = [~cells.solid for cells in self.levels]
        self.fluid = self._mask("fluid", fluid, "1 in fluid cells", elsewhere=1)
        if not self.setup.bodies:
            edge = [self._next_to_fluid(cells) for cells in self.levels]
            self.curved = tuple(np.zeros_like(mask) for mask in edge)
        else:
            walls = [walls_of(cells, self.setup.bodies, self.lattice) for cells in self.levels]
            edge = [of_level.half_way for of_level in walls]
            self.curved = tuple(of_level.beside for of_level in walls)
            if any(mask.any() for mask in self.curved):
                self._declare_walls(walls)
        if any(mask.any() for mask in edge):
            self._edge = self._mask("edge", edge, "1 in solid cells next to fluid")

    def _next_to_fluid(self, cells: SolidCells) -> NDArray[np.bool_]:
        return cells.solid & next_to(~cells.solid, self.lattice, cells.periodic)

    def _mask(
        self, name: str, values: Sequence[NDArray[np.bool_]], description: str, elsewhere: int = 0
    ) -> Any:
        more: dict[str, Any] = {"dtype": "bool", "description": description}
        return known_field(self.levels, name, values, elsewhere, **more)

    def _declare_walls(self, walls: Sequence[Walls]) -> None:
        owner = [cells.owner for cells in self.levels if cells.owner is not None]
        number = known_field(
            self.levels, "owner", owner, dtype="uint8", description="number of the body, from 1"
        )
        # Half precision puts a wall within a thousandth of a cell.
        coefficients = [of_level.link_coefficient for of_level in walls]
        pairs = len(self.lattice.pairs)
        link_coefficient = known_field(
            self.levels, "link_coefficient", coefficients, dtype="float16", components=pairs
        )
        self.walls = (number, link_coefficient)
        self.beside = self._mask("beside", self.curved, "1 in fluid cells beside bodies")

    def end_at(self, side: str) -> None:
        """Mark the layer beyond a side as fluid."""
        if self.fluid is not None:
            self.fluid.boundary(side, wall_kernels.no_solid)

    def arrivals(self, f: Any, pattern: StreamingPattern) -> list[Step]:
        """Return the steps by which populations arrive from walls.

        On levels those from walls inside cells arrive in the collision, see 'collide_beside'.
        """
        result: list[Step] = []
        if self._edge is not None:
            common: dict[str, Any] = {"velocity_set": self.lattice, "pattern": pattern}
            links = self.lattice.by_halves
            result.append(self._inner(wall_kernels.wall(f, links=links, on=self._edge, **common)))
        if self.beside is not None and not self.is_on_levels:
            result.append(curved_wall(f, **self._beside_walls(pattern)))
        return result

    def within(self, mask: Any) -> Any:
        """Return where kernels run in cells of a mask beside bodies."""
        # In the box nothing is read beyond a side, where populations may be on their way.
        return mask, self.setup.on_levels(lambda level: _inside(self.levels[level].grid))

    def _inner(self, step: Any) -> Any:
        """Return a step that does nothing along borders if no solid cell is near to one."""
        is_away = self.is_on_levels and not any(cells.reaches_border for cells in self.levels)
        return inner(step) if is_away else step

    @cached_property
    def away(self) -> Any:
        """Not zero in fluid cells that are not beside walls inside cells; None for all cells."""
        if self.beside is None:
            return self.fluid
        pairs = zip(self.levels, self.curved, strict=True)
        away = [~cells.solid & ~curved for cells, curved in pairs]
        return self._mask("away", away, "1 in fluid cells away from bodies", elsewhere=1)

    def _beside_walls(self, pattern: StreamingPattern) -> dict[str, Any]:
        """Return the arguments of kernels in the cells beside bodies."""
        return {
            "walls": self.walls,
            "velocity_set": self.lattice,
            "bodies": tuple(self.setup.bodies),
            "pattern": pattern,
            "on": self.within(self.beside),
        }

    @cached_property
    def _mass_defect(self) -> Any:
        """The mass that walls have taken; None with open sides or without walls inside cells."""
        is_open = any(isinstance(b, Open) for b in self.setup.sides.values())
        if is_open or self.beside is None:
            return None
        return self.grid.field("mass_defect", description="mass that walls have taken")

    def losses(self, f: Any, pattern: StreamingPattern) -> list[Step]:
        """Return the steps that accumulate the mass defect after populations have arrived."""
        if self._mass_defect is None:
            return []
        counted = accumulate_mass_defect(f, self._mass_defect, **self._beside_walls(pattern))
        return [inner(counted) if self.is_on_levels else counted]

    def returns(self, f: Any, pattern: StreamingPattern, collisions: int) -> list[Step]:
        """Return the steps that redistribute the mass defect evenly at the end of some steps.

        Args:
            f: Populations.
            pattern: Where they are kept then.
            collisions: In a step.
        """
        if self._mass_defect is None:
            return []
        total = hc.sum(self._mass_defect, name="total_mass_defect")
        more = redistribute_mass_defect(
            f,
            velocity_set=self.lattice,
            total=total,
            cells=self.fluid_volume,
            pattern=pattern,
            on=self.fluid,
        )
        reset = reset_mass_defect(self._mass_defect, on=self.beside)
        return [hc.every(_INTERVAL // collisions, total, more, reset)]

    @cached_property
    def counts(self) -> list[int]:
        """How many cells of each level are solid, which stay so when blocks change."""
        return [int((cells.own & cells.solid).sum()) for cells in self.levels]

    @property
    def fluid_volume(self) -> float:
        """The volume of all fluid cells [cells of the coarsest level]."""
        share = 0.5**self.lattice.dimensions
        whole = float(np.prod(self.setup.extent))
        return whole - sum(n * share**level for level, n in enumerate(self.counts))


def _inside(grid: Grid) -> Box:
    """Return the cells of a grid but for those at sides that are not periodic."""
    box = grid.domain
    for axis, is_periodic in enumerate(grid.periodic):
        if not is_periodic:
            box = box.clip(axis, 1, grid.extent[axis] - 1)
    return box
