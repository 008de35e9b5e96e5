"""The steps of a flow, and the fields that they change.

What differs between streaming on two grids, in place and on several levels is put together here and
nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.apps.lbm.boundaries import open_sides
from halocline.apps.lbm.boundaries.side_filling import Filling, filling, order
from halocline.apps.lbm.boundaries.solids import Solids
from halocline.apps.lbm.boundaries.sponge import absorbing
from halocline.apps.lbm.collision.relaxation import Collision
from halocline.apps.lbm.flow import kernels
from halocline.apps.lbm.lattice.streaming import STREAMINGS, Streaming
from halocline.apps.lbm.lattice.velocity_set import VelocitySet
from halocline.apps.lbm.refinement.coupling import coupling_of_populations, stream
from halocline.apps.lbm.refinement.drop_on_levels import (
    check_drops,
    drops,
    reaching_through,
)
from halocline.apps.lbm.setup.place_and_time import changes
from halocline.apps.lbm.setup.refinement import force_on, omega_on
from halocline.apps.lbm.setup.sides import PressureDrop
from halocline.geometry import AXES, Box, box_of
from halocline.language.grids.composite import at_level
from halocline.language.grids.sides import parse_side
from halocline.language.steps.coupling import beyond, inner

if TYPE_CHECKING:
    from halocline.apps.lbm.setup.setup import Setup
    from halocline.language.steps.steps import Step


class FlowSteps:
    """Declares the fields of a flow and lists its steps.

    Args:
        setup: What the flow is.
        lattice: The lattice.
        streaming: How it streams.
    """

    def __init__(self, setup: Setup, lattice: VelocitySet, streaming: Streaming) -> None:
        self.setup = setup
        self.lattice = lattice
        self.streaming = streaming
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
        self.f_next = None if streaming.is_in_place else self._populations("f_next")
        self.density = self.grid.field("density", dtype=self._real)
        self.velocity = self.grid.field("velocity", dtype=self._real, components=lattice.dimensions)
        self.solids = Solids(setup, lattice, self.grid)
        self.sides = sorted(setup.sides.items(), key=lambda item: order(item[1]))
        if finer is not None and drops(setup):
            check_drops(setup, self.grid, self.solids)
            self.grid.fixed_by = self.grid.fixed_by or "a pressure drop"
            self.through = reaching_through(setup, self.grid, self.solids)
        for side, _ in self.sides:
            if self._filling(side, 0) is not None:
                self.f.boundary(side, self.setup.on_levels(partial(self._filling, side, 0)))
                self.solids.end_at(side)

    @property
    def _real(self) -> str:
        return "float64" if self.setup.dtype == "float64" else "float32"

    def _populations(self, name: str) -> Any:
        options: dict[str, Any] = {"dtype": self.setup.dtype, "layout": self.setup.layout}
        if self.setup.refinement is not None:
            options["coupling"] = coupling_of_populations(self.lattice, self.setup.sides, "f_next")
        return self.grid.field(name, components=len(self.lattice), **options)

    def _filling(self, side: str, number: int, level: int = 0) -> Filling | None:
        """Return the kernel that fills the layer beyond a side before a collision."""
        return filling(
            self.setup,
            self.lattice,
            side,
            pattern=self.streaming.patterns[number],
            when=lambda more: self._time(number + more, level),
            fluid=at_level(self.solids.fluid, level),
            level=level,
        )

    def steps(self) -> list[Step]:
        """Return one step of the simulation."""
        result: list[Step] = []
        for number in range(self.streaming.collisions):
            result += self._arrivals(number)
            result += self._collision(number)
        first, collisions = self.streaming.patterns[0], self.streaming.collisions
        return result + self.solids.returns(self.f, first, collisions)

    def _collision(self, number: int) -> list[Step]:
        patterns = self.streaming.patterns
        collision = self.setup.collision
        if self.setup.sponges:
            inner_collision = collision

            def absorbed(level: int) -> Collision:
                return absorbing(inner_collision, self.setup, self._time(number, level), level)

            collision = self.setup.on_levels(absorbed)
        common = {
            "velocity_set": self.lattice,
            "omega": self.setup.on_levels(partial(omega_on, omega=self.setup.omega)),
            "collision": collision,
            **self.force(partial(self._time, number)),
            "on": self.solids.fluid,
        }
        if self.setup.refinement is not None:
            return self._on_levels_collided(common)
        if self.f_next is not None:
            call = kernels.collide_stream(self.f, self.f_next, **common)
            return [call, hc.swap(self.f, self.f_next)]
        after = patterns[(number + 1) % len(patterns)]
        return [kernels.collide_in_place(self.f, before=patterns[number], after=after, **common)]

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
            beside: Any = kernels.collide_beside(f, f_next, **walls, **common)
            result.append(inner(beside))
        for side, boundary in drops(self.setup).items():
            planes = self.setup.on_levels(partial(self._plane, side))
            common["on"] = planes if solids.fluid is None else (solids.fluid, planes)
            common |= {"at": side, "difference": boundary.difference}
            raised: Any = kernels.collide_after_drop(f, f_next, self.through, **common)
            result.append(inner(raised))
        return [*result, hc.swap(f, f_next)]

    def force(self, when: Callable[[int], Any]) -> dict[str, Any]:
        """Return the force and its time on each level as arguments of a kernel."""
        force = self.setup.force
        arguments = {"force": self.setup.on_levels(partial(force_on, force=force))}
        if changes(force):
            arguments["time"] = self.setup.on_levels(when)
        return arguments

    def _time(self, later: int, level: int) -> Any:
        """Return the time so many steps of a level after its step begins."""
        begin = self.grid.begin_of(level) if level else 0.0
        return time_at(self.setup, later, level, begin)

    def _arrivals(self, number: int) -> list[Step]:
        """Return the steps by which populations arrive from walls and sides before a collision.

        Before the first one of a step, layers are filled when a kernel reads them.
        """
        result, pattern = self._walls(number), self.streaming.patterns[number]
        # On levels they are raised by the collision.
        raised = drops(self.setup) if self.setup.refinement is None else {}
        for side, boundary in raised.items():
            result.append(
                open_sides.pressure_drop(
                    self.f,
                    velocity_set=self.lattice,
                    at=side,
                    difference=boundary.difference,
                    pattern=pattern,
                    on=self._plane(side, 0),
                )
            )
        # What comes from walls has not come through a periodic side.
        result += self._walls(number) if raised else []
        return result + self.solids.losses(self.f, self.streaming.patterns[number])

    def _walls(self, number: int) -> list[Step]:
        result = self.solids.arrivals(self.f, self.streaming.patterns[number])
        for side, _ in self.sides if number else ():
            if (fill := self._filling(side, number)) is not None:
                result.append(fill(self.f, on=side))
        return result

    def _plane(self, side: str, level: int) -> Box:
        axis, sign = parse_side(self.grid.dimensions, side)
        box = box_of(n << level for n in self.setup.extent)
        n = box.upper[axis]
        return box.clip(axis, *((0, 1) if sign < 0 else (n - 1, n)))


def time_at(setup: Setup, later: int, level: int = 0, begin: Any = 0.0) -> Any:
    """Return the time so many lattice steps after that of a step.

    It is a whole number of lattice steps times the length of one, rounded once: so it is the same
    however many of them make a step of the simulation.

    Args:
        setup: Of the flow.
        later: How many steps, of a level.
        level: Which.
        begin: When that level's step begins, in steps of the coarsest level after that one's.
    """
    if level:
        return (hc.step + (begin + later * 0.5**level)) * setup.step_time
    collisions = STREAMINGS[setup.streaming].collisions
    return (hc.step * float(collisions) + float(later)) * setup.step_time
