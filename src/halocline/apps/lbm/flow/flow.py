"""Flow: a lattice Boltzmann flow as a grid, its fields and the steps that advance it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from halocline.apps.lbm.boundaries.solids import Solids
from halocline.apps.lbm.flow import kernels
from halocline.apps.lbm.flow.steps import FlowSteps, time_at
from halocline.apps.lbm.lattice.populations import equilibrium, stresses
from halocline.apps.lbm.lattice.streaming import STREAMINGS, Streaming, unit_of
from halocline.apps.lbm.lattice.velocity_set import VelocitySet, velocity_set
from halocline.apps.lbm.setup.refinement import omega_on
from halocline.apps.lbm.setup.setup import Setup
from halocline.apps.lbm.validation.arguments import (
    NEAR_REST,
    SUBSONIC,
    check_profile,
    check_profiles,
    components,
    evaluated,
)
from halocline.frozen import Frozen
from halocline.geometry import AXES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.language.steps.steps import Step


class Flow(Frozen):
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

    Example:
        >>> flow = lbm.make_flow(lbm.Setup((64, 32), "D2Q9", omega=1.6))
        >>> flow.start(velocity=(0.05, 0.0))
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
            result = equilibrium(lattice, rho, u)
            if gradient is not None:
                slopes = [[at(value) for value in row] for row in gradient]
                stress = stresses(lattice, omega_on(level, self.setup.omega), slopes)
                result = [f + 0.5**level * s * rho for f, s in zip(result, stress, strict=True)]
            return self._placed(result)

        if self.setup.refinement is None:
            self.f.set(populations)
            return
        for level, f in enumerate(self.f.levels):

            def on_level(*coordinates: NDArray[Any], level: int = level) -> list[Any]:
                return populations(*coordinates, level=level)

            f.set(on_level)

    def _placed(self, populations: Sequence[Any]) -> list[Any]:
        """Return populations in the order of the components where they are kept."""
        result = [None] * len(populations)
        for i, population in enumerate(populations):
            component, _ = self.streaming.patterns[0].of(self.velocity_set, i)
            result[component] = population * (1.0 / unit_of(self.setup.dtype))
        return result


def make_flow(setup: Setup) -> Flow:
    """Return a flow with its grid and steps.

    Raises:
        CaseError: A function of the setup returns something else than it should, or its collision
            is not known on its lattice.

    Example:
        >>> flow = lbm.make_flow(lbm.Setup((64, 32), "D2Q9", omega=1.6))
        >>> flow.velocity
        Field('velocity', float64, components=2)
    """
    lattice, streaming = velocity_set(setup.lattice), STREAMINGS[setup.streaming]
    builder = FlowSteps(setup, lattice, streaming)
    observe = kernels.macroscopic(
        builder.f,
        builder.density,
        builder.velocity,
        velocity_set=lattice,
        # That of the last collision, a lattice step ago.
        **builder.force(partial(time_at, setup, -1)),
        pattern=streaming.patterns[0],
        on=builder.solids.fluid,
    )
    return Flow(
        setup,
        lattice,
        streaming,
        builder.grid,
        builder.f,
        builder.density,
        builder.velocity,
        builder.solids,
        tuple(builder.steps()),
        observe,
    )
