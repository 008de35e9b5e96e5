"""Setup: what a flow is, checked when it is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from msgspec import field
from msgspec.structs import force_setattr
from numpy.typing import NDArray

import halocline as hc
from halocline.apps.arguments import check_number
from halocline.apps.lbm.collision.relaxation import Collision, bgk, check_collision
from halocline.apps.lbm.lattice.streaming import DTYPES, STREAMINGS
from halocline.apps.lbm.setup.bodies import Body, check_bodies, owners
from halocline.apps.lbm.setup.check import (
    as_extent,
    check_force,
    check_mirrors,
    check_sides,
    check_solid,
    check_sponges,
    check_stability,
)
from halocline.apps.lbm.setup.refinement import Refinement, check_refinement
from halocline.apps.lbm.setup.sides import Boundary, Sponge
from halocline.apps.lbm.validation.arguments import as_mask, current
from halocline.errors import CaseError
from halocline.frozen import Frozen
from halocline.language.numbers import Range
from halocline.options import OneOf, check_declared


class Setup(Frozen, dict=True):
    """Describe a lattice Boltzmann flow in lattice units, in which cell, step and density are 1.

    'make_flow' makes its fields and steps. 'omega', 'sides' and 'force' may contain parameters
    ('hc.Parameter').

    Attributes:
        extent: Number of cells along each axis.
        lattice: Velocity set: 'D2Q9', 'D3Q15', 'D3Q19' or 'D3Q27'.
        omega: Relaxation rate of the viscous stress, between 0 and 2 [1 / step]. The viscosity is
            (1/omega - 1/2) / 3.
        collision: Collision operator, as 'trt()'; see 'collision'.
        sides: Boundary of each side, as {"y+": Wall()}; the other sides are periodic. Where walls
            meet, the last one given holds.
        sponges: Sponge layer before each side, see 'Sponge'.
        refinement: Where cells are smaller, see 'Refinement'. All other arguments refer to cells
            and steps of the coarsest level.
        solid: Solid cells, of shape 'extent': True or 1, else False or 0. Their walls are at rest,
            half-way between the centres of cells. Cells of 'bodies' are added.
        bodies: Solids whose walls lie inside cells, see 'Body'.
        force: Body force per volume, one component an axis, or a function of place and time that
            returns it (see 'place_and_time'); empty for none.
        step_time: Length of a lattice step, in the time unit of such functions.
        streaming: 'two-grids', or 'in-place' for half of the memory.
        dtype: Type of the stored populations: 'float64', 'float32', or 'float16', which computes
            in float32.
        layout: Memory layout of the populations: 'soa' or 'aos', see 'Grid.field'.
        spacing: Edge length of a cell, for coordinates of results, functions and bodies.
        origin: Coordinate of the low corner of the domain.

    Raises:
        CaseError: An argument has the wrong shape or type or an invalid value, or the flow would
            be unstable. The message names the argument.

    Source: Krüger et al., The Lattice Boltzmann Method, Springer (2017).

    Example:
        >>> sides = {"y-": lbm.Wall(), "y+": lbm.Wall((0.05, 0.0))}
        >>> setup = lbm.Setup((64, 32), "D2Q9", omega=1.6, collision=lbm.trt(), sides=sides)
    """

    extent: tuple[int, ...]
    lattice: str
    omega: float
    collision: Collision = bgk
    sides: Mapping[str, Boundary] = field(default_factory=dict)
    solid: NDArray[np.bool_] | None = None
    bodies: Sequence[Body] = ()
    force: Any = ()
    step_time: Annotated[float, Range(above=0.0)] = 1.0
    streaming: Annotated[str, OneOf(tuple(STREAMINGS))] = "two-grids"
    dtype: Annotated[str, OneOf(DTYPES)] = "float64"
    layout: str = "soa"
    spacing: float = 1.0
    origin: Any = 0.0
    sponges: Mapping[str, Sponge] = field(default_factory=dict)
    refinement: Refinement | None = None

    def __post_init__(self) -> None:
        force_setattr(self, "extent", as_extent(self.extent, self.lattice))
        self._check()
        if self.solid is not None:
            force_setattr(self, "solid", as_mask("solid", self.solid, self.extent))
        if self.owner is not None:
            others = False if self.solid is None else self.solid
            force_setattr(self, "solid", others | (self.owner > 0))
        if self.solid is not None:
            check_solid(self.solid, self.sides)

    def _check(self) -> None:
        """Check all arguments but the solid cells."""
        axes = len(self.extent)
        check_number(
            "omega",
            current(self.omega),
            Range(above=0.0, below=2.0),
            "The viscosity is (1/omega - 1/2) / 3.",
        )
        check_collision("collision", self.collision)
        check_declared(self, CaseError)
        check_number("spacing", self.spacing, Range(above=0.0), "Cells of a lattice are cubes.")
        check_force(self.force, axes)
        check_sides(self.sides, axes)
        check_bodies(self.bodies, axes)
        check_mirrors(self.sides, self.streaming)
        check_sponges(self.sponges, self.sides, self.extent)
        check_stability(self.collision, current(self.omega), self.lattice, self.sides)
        check_refinement(self.refinement, self.lattice, self.streaming)

    @cached_property
    def owner(self) -> NDArray[np.uint8] | None:
        """The number of the body that has each cell, from 1, and 0; None without bodies.

        On several levels 'solid_cells' says that of each.
        """
        if not self.bodies or self.refinement is not None:
            return None
        return owners(self.bodies, hc.Grid(self.extent, spacing=self.spacing, origin=self.origin))

    def on_levels(self, value: Callable[[int], Any]) -> Any:
        """Return a value for each level, or the value of the only level."""
        return value(0) if self.refinement is None else hc.PerLevel(value)
