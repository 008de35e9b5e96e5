"""Flow: a lattice Boltzmann flow as a grid, its fields and the steps that advance it.

What differs between streaming on two grids and in place is put together here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

import halocline as hc
from halocline.apps.lbm import kernels, open_sides
from halocline.apps.lbm.arguments import (
    as_mask,
    check_profile,
    check_profiles,
    components,
    evaluated,
)
from halocline.apps.lbm.bodies import Body, owners
from halocline.apps.lbm.boundaries import Boundary, PressureDrop
from halocline.apps.lbm.collision import Collision, bgk
from halocline.apps.lbm.curved_wall import collide_beside
from halocline.apps.lbm.levels import (
    Refinement,
    coupling_of_populations,
    force_on,
    omega_on,
    on_levels,
    stream,
)
from halocline.apps.lbm.populations import equilibrium, stresses
from halocline.apps.lbm.prescribed import changes, moment
from halocline.apps.lbm.setup_check import as_extent, check_setup, check_solid
from halocline.apps.lbm.side_filling import Filling, filling, order
from halocline.apps.lbm.solids import Solids
from halocline.apps.lbm.sponge import Sponge, absorbing
from halocline.apps.lbm.streaming import STREAMINGS, Streaming, unit_of
from halocline.apps.lbm.velocity_set import VelocitySet, velocity_set
from halocline.geometry import AXES, Box, box_of
from halocline.language.grids.composite import at_level
from halocline.language.grids.sides import parse_side
from halocline.language.steps.coupling import beyond, inner

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
        if self.solids.levels:
            return sum(int(one.fluid.sum()) for one in self.solids.levels)
        is_on_levels = self.setup.refinement is not None
        cells: int = self.grid.cells if is_on_levels else self.grid.domain.cells
        return cells

    @property
    def fluid_volume(self) -> float:
        """The volume of all fluid cells [cells of the coarsest level]."""
        if self.solids.levels:
            return self.solids.fluid_volume
        return float(np.prod(self.setup.extent))

    @property
    def updates(self) -> int:
        """Updates of fluid cells in a step of the simulation."""
        if self.setup.refinement is None:
            return self.lattice_steps * self.fluid_cells
        solid = [int((one.own & one.solid).sum()) for one in self.solids.levels]
        return int(self.grid.updates) - sum(n << level for level, n in enumerate(solid))

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
        check_profile("density", density, lattice.dimensions)
        check_profiles("velocity", velocity, lattice.dimensions)
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
    builder = _Builder(setup, lattice, way)
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


class _Builder:
    """Declares the fields and lists the steps."""

    def __init__(self, setup: Setup, lattice: VelocitySet, way: Streaming) -> None:
        self.setup = setup
        self.lattice = lattice
        self.way = way
        walled = {n for n, b in setup.sides.items() if not isinstance(b, PressureDrop)}
        shape: dict[str, Any] = {
            "periodic": tuple(not walled & {f"{a}-", f"{a}+"} for a in AXES[: lattice.dimensions]),
            "spacing": setup.spacing,
            "origin": setup.origin,
        }
        finer = setup.refinement
        self.grid: Any = hc.Grid(setup.extent, **shape)
        if finer is not None:
            self.grid = hc.Forest(
                setup.extent, block=finer.block, finest=finer.finest, refine=finer.wanted, **shape
            )
        self.f = self._populations("f")
        self.f_next = None if way.is_in_place else self._populations("f_next")
        self.density = self.grid.field("density", dtype=self._real)
        self.velocity = self.grid.field("velocity", dtype=self._real, components=lattice.dimensions)
        self.solids = Solids(setup, lattice, self.grid)
        self.sides = sorted(setup.sides.items(), key=lambda item: order(item[1]))
        for side, _ in self.sides:
            if self._filling(side, 0) is not None:
                self.f.boundary(side, on_levels(self.setup, partial(self._filling, side, 0)))
                self.solids.end_at(side)

    @property
    def _real(self) -> str:
        return "float64" if self.setup.dtype == "float64" else "float32"

    def _populations(self, name: str) -> Any:
        options: dict[str, Any] = {"dtype": self.setup.dtype, "layout": self.setup.layout}
        if self.setup.refinement is not None:
            options["coupling"] = coupling_of_populations(self.lattice, "f_next")
        return self.grid.field(name, components=len(self.lattice), **options)

    def _filling(self, side: str, number: int, level: int = 0) -> Filling | None:
        """Return what fills the layer beyond a side before a collision."""
        return filling(
            self.setup,
            self.lattice,
            side,
            places=self.way.places[number],
            when=lambda more: self._time(number + more, level),
            fluid=at_level(self.solids.fluid, level),
            level=level,
        )

    def steps(self) -> list[Step]:
        """Return one step of the simulation."""
        result: list[Step] = []
        for number in range(self.way.collisions):
            result += self._arrivals(number)
            result += self._collision(number)
        return result + self.solids.returns(self.f, self.way.places[0], self.way.collisions)

    def _collision(self, number: int) -> list[Step]:
        places = self.way.places
        collision = self.setup.collision
        if self.setup.sponges:
            given = collision

            def absorbed(level: int) -> Collision:
                return absorbing(given, self.setup, self._time(number, level), level)

            collision = on_levels(self.setup, absorbed)
        common = {
            "velocity_set": self.lattice,
            "omega": on_levels(self.setup, partial(omega_on, omega=self.setup.omega)),
            "collision": collision,
            **self.force(partial(self._time, number)),
            "on": self.solids.fluid,
        }
        if self.setup.refinement is not None:
            return self._on_levels_collided(common)
        if self.f_next is not None:
            call = kernels.collide_stream(self.f, self.f_next, **common)
            return [call, hc.swap(self.f, self.f_next)]
        after = places[(number + 1) % len(places)]
        return [kernels.collide_in_place(self.f, before=places[number], after=after, **common)]

    def _on_levels_collided(self, common: dict[str, Any]) -> list[Step]:
        """Return the collisions on all levels; in ghost cells populations move on."""
        f: Any = self.f
        f_next: Any = self.f_next
        solids = self.solids
        common["on"] = solids.away
        moved: Any = stream(f, f_next, velocity_set=self.lattice, on=solids.fluid)
        collided: Any = kernels.collide_stream(f, f_next, **common)
        result: list[Step] = [beyond(collided, moved)]
        if solids.beside is not None:
            walls = {"walls": solids.walls, "bodies": tuple(self.setup.bodies)}
            common["on"] = solids.within(solids.beside)
            beside: Any = collide_beside(f, f_next, **walls, **common)
            result.append(inner(beside))
        return [*result, hc.swap(f, f_next)]

    def force(self, when: Callable[[int], Any]) -> dict[str, Any]:
        """Return the force at the time that a function tells of a level, for a kernel."""
        force = self.setup.force
        given = {"force": on_levels(self.setup, partial(force_on, force=force))}
        if changes(force):
            given["time"] = on_levels(self.setup, when)
        return given

    def _time(self, later: int, level: int) -> Any:
        """Return the time so many steps of a level after its step begins."""
        begin = self.grid.begin_of(level) if level else 0.0
        return moment(self.setup, later, level, begin)

    def _arrivals(self, number: int) -> list[Step]:
        """Return what makes populations arrive from walls and through sides before a collision.

        Before the first one of a step, layers are filled when a kernel reads them.
        """
        result, places = self._walls(number), self.way.places[number]
        drops = [(s, b) for s, b in self.sides if isinstance(b, PressureDrop)]
        for side, boundary in drops:
            result.append(
                open_sides.pressure_drop(
                    self.f,
                    velocity_set=self.lattice,
                    at=side,
                    difference=boundary.difference,
                    places=places,
                    on=self._plane(side),
                )
            )
        # What comes from walls has not come through a periodic side.
        result += self._walls(number) if drops else []
        return result + self.solids.losses(self.f, self.way.places[number])

    def _walls(self, number: int) -> list[Step]:
        result = self.solids.arrivals(self.f, self.way.places[number])
        for side, _ in self.sides if number else ():
            if (fill := self._filling(side, number)) is not None:
                result.append(fill(self.f, on=side))
        return result

    def _plane(self, side: str) -> Box:
        axis, sign = parse_side(self.grid.dimensions, side)
        n = self.setup.extent[axis]
        return box_of(self.setup.extent).clip(axis, *((0, 1) if sign < 0 else (n - 1, n)))
