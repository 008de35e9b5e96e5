"""Setup: what a flow is, checked when it is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any

import numpy as np
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
from halocline.language.numbers import Range
from halocline.options import OneOf, check_declared


@dataclass(frozen=True)
class Setup:
    """A flow in lattice units: cell, step and density at rest are 1.

    Attributes:
        extent: Cells along each axis.
        lattice: 'D2Q9', 'D3Q15', 'D3Q19' or 'D3Q27'.
        omega: Relaxation rate of the viscous stress [1 / step]; viscosity is (1/omega - 1/2) / 3.
        collision: See 'collision'.
        sides: What is at each side; those without are periodic. Where walls meet, the one given
            last decides.
        sponges: Sponges before sides, see 'Sponge'.
        refinement: Where cells are smaller, see 'Refinement'; all else is said of the coarsest
            level's cells and steps.
        solid: True or 1 where cells are solid, False or 0 elsewhere, shape of the extent; they are
            walls at rest, half-way between centres of cells. Those of bodies are added.
        bodies: Solids with walls inside cells, see 'Body'.
        force: Body force per volume, one component an axis, or a function of place and time that
            returns it, see 'place_and_time'; empty for none.
        step_time: Length of a lattice step in the unit of the time of functions.
        streaming: 'two-grids' or 'in-place'.
        dtype: Of the populations as they are stored: 'float64', 'float32', or 'float16', which
            computes in float32.
        layout: Of the populations in memory: 'soa' or 'aos', see 'Grid.field'.
        spacing: Edge length of a cell, for coordinates of results, functions and bodies.
        origin: Coordinate of the low corner of the domain.

    The numbers of omega, sides and force may be parameters ('hc.Parameter').

    Raises:
        CaseError: An argument is not what it should be; the message names it.

    Example:
        >>> setup = lbm.Setup((64, 32), "D2Q9", omega=1.6, collision=lbm.trt())
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
        object.__setattr__(self, "extent", as_extent(self.extent, self.lattice))
        self._check()
        if self.solid is not None:
            object.__setattr__(self, "solid", as_mask("solid", self.solid, self.extent))
        if self.owner is not None:
            others = False if self.solid is None else self.solid
            object.__setattr__(self, "solid", others | (self.owner > 0))
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
