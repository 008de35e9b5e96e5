"""Flow: a lattice Boltzmann flow as a grid, its fields and the steps that advance it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

import halocline as hc
from halocline.apps.lbm.boundaries.solids import Solids
from halocline.apps.lbm.boundaries.sponge import Sponge
from halocline.apps.lbm.boundaries.walls import Boundary
from halocline.apps.lbm.collision.relaxation import Collision, bgk
from halocline.apps.lbm.flow import kernels
from halocline.apps.lbm.flow.steps import FlowSteps
from halocline.apps.lbm.lattice.populations import equilibrium, stresses
from halocline.apps.lbm.lattice.streaming import STREAMINGS, Streaming, unit_of
from halocline.apps.lbm.lattice.velocity_set import VelocitySet, velocity_set
from halocline.apps.lbm.refinement.coupling import (
    Refinement,
    omega_on,
)
from halocline.apps.lbm.setup.bodies import Body, owners
from halocline.apps.lbm.setup.check import as_extent, check_setup, check_solid
from halocline.apps.lbm.setup.place_and_time import moment
from halocline.apps.lbm.validation.arguments import (
    NEAR_REST,
    SUBSONIC,
    as_mask,
    check_profile,
    check_profiles,
    components,
    evaluated,
)
from halocline.geometry import AXES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.language.steps.steps import Step


@dataclass(frozen=True)
class Setup:
    """What a flow is, in lattice units: cell, step and density at rest are 1.

    Attributes:
        extent: Cells along each axis.
        lattice: 'D2Q9', 'D3Q15', 'D3Q19' or 'D3Q27'.
        omega: Relaxation rate of the viscous stress [1 / step]; viscosity is (1/omega - 1/2) / 3.
        collision: See 'collision'.
        sides: What is at each side; those without are periodic. Where walls meet, the one given
            last decides.
        sponges: Sponges before sides, see 'sponge'.
        refinement: Where cells are smaller, see 'Refinement'; all else is said of the coarsest
            level's cells and steps.
        solid: True or 1 where cells are solid, False or 0 elsewhere, shape of the extent; they are
            walls at rest, half-way between centres of cells. Those of bodies are added.
        bodies: Solids with walls inside cells, see 'Body'.
        force: Body force per volume, one component an axis, or a function of place and time that
            returns it, see 'prescribed'; empty for none.
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
    """

    extent: tuple[int, ...]
    lattice: str
    omega: float
    collision: Collision = bgk
    sides: Mapping[str, Boundary] = field(default_factory=dict)
    solid: NDArray[np.bool_] | None = None
    bodies: Sequence[Body] = ()
    force: Any = ()
    step_time: float = 1.0
    streaming: str = "two-grids"
    dtype: str = "float64"
    layout: str = "soa"
    spacing: float = 1.0
    origin: Any = 0.0
    sponges: Mapping[str, Sponge] = field(default_factory=dict)
    refinement: Refinement | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "extent", as_extent(self.extent, self.lattice))
        check_setup(self)
        if self.solid is not None:
            object.__setattr__(self, "solid", as_mask("solid", self.solid, self.extent))
        if self.owner is not None:
            others = False if self.solid is None else self.solid
            object.__setattr__(self, "solid", others | (self.owner > 0))
        check_solid(self)

    @cached_property
    def owner(self) -> NDArray[np.uint8] | None:
        """The number of the body that has each cell, from 1, and 0; None without bodies.

        On several levels 'solid_cells' says that of each.
        """
        if not self.bodies or self.refinement is not None:
            return None
        return owners(self.bodies, hc.Grid(self.extent, spacing=self.spacing, origin=self.origin))


@dataclass(frozen=True)
class Flow:
    """A flow ready to be simulated.

    Attributes:
        setup: What it is.
        velocity_set: The lattice.
        streaming: How it streams.
        grid: The grid; a forest, whose fields are on all levels, if the setup has a refinement.
        f: The populations, as deviations from rest.
        density: [lattice units], up to date after 'observe'.
        velocity: [cells / step], the same.
        solids: Where cells are solid.
        steps: One step of a simulation, which is one lattice step or (in place) two.
        observe: Computes density and velocity; with a force that is a function of the time, only
            between steps ('Simulation.execute').
    """

    setup: Setup
    velocity_set: VelocitySet
    streaming: Streaming
    grid: Any
    f: Any
    density: Any
    velocity: Any
    solids: Solids
    steps: tuple[Step, ...]
    observe: Any

    @property
    def fluid(self) -> Any:
        """Not zero where cells are fluid; None if all are."""
        return self.solids.fluid

    @property
    def lattice_steps(self) -> int:
        """Lattice steps in a step of the simulation."""
        return self.streaming.collisions

    @property
    def dt(self) -> float:
        """The 'dt' of the simulation."""
        return self.lattice_steps * self.setup.step_time

    @property
    def fluid_cells(self) -> int:
        """How many cells are fluid."""
        is_on_levels = self.setup.refinement is not None
        cells: int = self.grid.cells if is_on_levels else self.grid.domain.cells
        return cells - sum(self.solids.counts)

    @property
    def fluid_volume(self) -> float:
        """The volume of all fluid cells [cells of the coarsest level]."""
        return self.solids.fluid_volume

    @property
    def updates(self) -> int:
        """Updates of fluid cells in a step of the simulation."""
        if self.setup.refinement is None:
            return self.lattice_steps * self.fluid_cells
        solid = enumerate(self.solids.counts)
        return int(self.grid.updates) - sum(n << level for level, n in solid)

    def start(self, density: Any = 1.0, velocity: Any = None, gradient: Any = None) -> None:
        """Set the populations to equilibrium, and to the stress of a velocity gradient.

        Args:
            density: A number, or a function of the coordinates.
            velocity: One component an axis, each a number or a function of the coordinates; None
                at rest.
            gradient: For each component its derivative along each axis [1 / step], as before; None
                to begin without stress, which then comes into being with an error of second order.

        Raises:
            CaseError: An argument is none of this.

        Source: Krüger et al. (2017), section 5.5, for the stress after collision.
        """
        lattice = self.velocity_set
        if velocity is None:
            velocity = (0.0,) * lattice.dimensions
        check_profile("density", density, lattice.dimensions, NEAR_REST)
        check_profiles("velocity", velocity, lattice.dimensions, SUBSONIC)
        if gradient is not None:
            rows = components("gradient", gradient, lattice.dimensions, "rows")
            for axis, row in zip(AXES, rows, strict=False):
                check_profiles(f"gradient of {axis}", row, lattice.dimensions)

        def populations(*coordinates: NDArray[Any], level: int = 0) -> list[Any]:
            def at(value: Any) -> NDArray[Any]:
                return evaluated(value, coordinates)

            rho, *u = (at(value) for value in (density, *velocity))
            found = equilibrium(lattice, rho, u)
            if gradient is not None:
                slopes = [[at(value) for value in row] for row in gradient]
                stress = stresses(lattice, omega_on(level, self.setup.omega), slopes)
                found = [f + 0.5**level * s * rho for f, s in zip(found, stress, strict=True)]
            return self._placed(found)

        if self.setup.refinement is None:
            self.f.set(populations)
            return
        for level, one in enumerate(self.f.levels):

            def on_level(*coordinates: NDArray[Any], level: int = level) -> list[Any]:
                return populations(*coordinates, level=level)

            one.set(on_level)

    def _placed(self, populations: Sequence[Any]) -> list[Any]:
        """Return populations in the order of the components where they are kept."""
        result = [None] * len(populations)
        for i, population in enumerate(populations):
            component, _ = self.streaming.places[0].of(self.velocity_set, i)
            result[component] = population * (1.0 / unit_of(self.setup.dtype))
        return result


def make_flow(setup: Setup) -> Flow:
    """Return a flow with its grid and steps.

    Raises:
        CaseError: A function of the setup returns something else than it should, or its collision
            is not known on its lattice.
    """
    lattice, way = velocity_set(setup.lattice), STREAMINGS[setup.streaming]
    builder = FlowSteps(setup, lattice, way)
    observe = kernels.macroscopic(
        builder.f,
        builder.density,
        builder.velocity,
        velocity_set=lattice,
        # That of the last collision, a lattice step ago.
        **builder.force(partial(moment, setup, -1)),
        places=way.places[0],
        on=builder.solids.fluid,
    )
    return Flow(
        setup,
        lattice,
        way,
        builder.grid,
        builder.f,
        builder.density,
        builder.velocity,
        builder.solids,
        tuple(builder.steps()),
        observe,
    )
