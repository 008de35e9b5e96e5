"""Solids: the cells of a flow that are no fluid, and what arrives from their walls."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

import halocline as hc
from halocline.apps.lbm import boundaries
from halocline.apps.lbm.body_walls import Walls, walls_of
from halocline.apps.lbm.boundaries import Inflow, Outflow, Pressure, Velocity, no_solid
from halocline.apps.lbm.curved_wall import count_lost, curved_wall, forget, give_back
from halocline.apps.lbm.links import next_to

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.apps.lbm.flow import Setup
    from halocline.apps.lbm.streaming import Places
    from halocline.apps.lbm.velocity_set import VelocitySet
    from halocline.language.grids.fields import Field
    from halocline.language.grids.grid import Grid
    from halocline.language.steps.steps import Step

# Lattice steps after which mass is given back.
_INTERVAL = 100


class Solids:
    """Where solid cells are, as fields of a grid.

    Attributes:
        fluid: Not zero where cells are fluid; None if all are.
        curved: Fluid cells (shape of the extent) beside walls that lie where they are, see 'Walls'.
        walls: The numbers of bodies in their cells, and how their walls bend links, see
            'curved_wall'; empty without such cells.
        inner: The box in which these lie: all but the cells at sides that are not periodic.
    """

    def __init__(self, setup: Setup, lattice: VelocitySet, grid: Grid) -> None:
        self.setup, self.lattice, self.grid = setup, lattice, grid
        self.fluid: Field | None = None
        # None anywhere, and of any extent.
        self.curved: NDArray[np.bool_] = np.zeros((), bool)
        self.walls: tuple[Field, ...] = ()
        self.inner = grid.domain
        for axis, is_periodic in enumerate(grid.periodic):
            if not is_periodic:
                self.inner = self.inner.clip(axis, 1, setup.extent[axis] - 1)
        self._beside: Field | None = None
        self._edge: Field | None = None
        if setup.solid is not None:
            self._declare(setup.solid)

    def _declare(self, solid: NDArray[np.bool_]) -> None:
        self.fluid = self._mask("fluid", ~solid, "1 in fluid cells")
        if self.setup.owner is None:
            edge = solid & next_to(~solid, self.lattice, self.grid.periodic)
        else:
            found = walls_of(self.setup, self.lattice, self.grid)
            edge, self.curved = found.half_way, found.beside
            if self.curved.any():
                self._declare_walls(self.setup.owner, found)
        if edge.any():
            self._edge = self._mask("edge", edge, "1 in solid cells next to fluid")

    def _mask(self, name: str, values: NDArray[np.bool_], description: str) -> Field:
        field = self.grid.field(name, dtype="bool", description=description)
        field.set(values)
        return field

    def _declare_walls(self, owner: NDArray[np.uint8], found: Walls) -> None:
        grid = self.grid
        number = grid.field("owner", dtype="uint8", description="number of the body, from 1")
        number.set(owner)
        # Half precision puts a wall within a thousandth of a cell.
        bend = grid.field("bend", dtype="float16", components=len(self.lattice.pairs))
        bend.set(found.bend)
        self.walls = (number, bend)
        self._beside = self._mask("beside", found.beside, "1 in fluid cells beside bodies")

    def end_at(self, side: str) -> None:
        """Say that there are no solid cells beyond a side."""
        if self.fluid is not None:
            self.fluid.boundary(side, no_solid)

    def arrivals(self, f: Field, places: Places) -> list[Step]:
        """Return what makes populations arrive from walls."""
        result: list[Step] = []
        common: dict[str, Any] = {"velocity_set": self.lattice, "places": places}
        if self._edge is not None:
            links = self.lattice.by_halves
            result.append(boundaries.wall(f, links=links, on=self._edge, **common))
        if self._beside is not None:
            result.append(curved_wall(f, **self._beside_walls(places)))
        return result

    def _beside_walls(self, places: Places) -> dict[str, Any]:
        """Return what kernels in the cells beside bodies are told."""
        # In the box nothing is read beyond a side, where populations may be on their way.
        return {
            "walls": self.walls,
            "velocity_set": self.lattice,
            "bodies": tuple(self.setup.bodies),
            "places": places,
            "on": (self._beside, self.inner),
        }

    @cached_property
    def _lost(self) -> Field | None:
        """What walls have taken; None where mass comes and goes through sides, or none is taken."""
        is_open = any(
            isinstance(b, Velocity | Pressure | Inflow | Outflow) for b in self.setup.sides.values()
        )
        if is_open or self._beside is None:
            return None
        return self.grid.field("lost", description="mass that walls have taken")

    def losses(self, f: Field, places: Places) -> list[Step]:
        """Return what adds up the mass that walls take, when populations have arrived."""
        if self._lost is None:
            return []
        return [count_lost(f, self._lost, **self._beside_walls(places))]

    def returns(self, f: Field, places: Places, collisions: int) -> list[Step]:
        """Return what gives it back to all fluid cells alike, at the end of a step now and then.

        Args:
            f: Populations.
            places: Where they are kept then.
            collisions: In a step.
        """
        if self._lost is None:
            return []
        assert self.setup.solid is not None
        total = hc.sum(self._lost, name="lost_mass")
        more = give_back(
            f,
            velocity_set=self.lattice,
            total=total,
            cells=int((~self.setup.solid).sum()),
            places=places,
            on=self.fluid,
        )
        return [hc.every(_INTERVAL // collisions, total, more, forget(self._lost, on=self._beside))]
