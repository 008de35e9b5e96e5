"""The flow past obstacles of a published course: periodic, one row of cells pushed in +x.

A D2Q9 code that the University of Bristol's course on high-performance computing gives to its
students, with their four grids and results; paper 004 makes it parallel. Obstacle cells send back
what arrives in them (full-way bounce-back).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

import halocline as hc
from halocline.apps.case import ENDS, Case, Problem, remaining_steps
from halocline.apps.lbm.cases.flow_pictures import draw_flow
from halocline.apps.lbm.lattice.populations import add
from halocline.apps.sampled import run_in_pieces, values_of
from halocline.errors import CaseError
from halocline.frozen import Frozen
from halocline.io.plots import Curve
from halocline.io.quantity import Integral, Quantity
from halocline.io.variable import Variable
from halocline.language.grids.fields import Field
from halocline.language.numbers import Range
from halocline.language.steps.steps import Callback, Reduction
from halocline.lbm import FlowFigure, Plane, Plot, macroscopic, velocity_set
from halocline_reproduction import obstacle_flow_input as given
from halocline_reproduction import obstacle_flow_published as published
from halocline_reproduction.obstacle_flow_kernels import (
    accelerate,
    rest_in_obstacles,
    stream_collide,
)
from halocline_reproduction.obstacle_flow_output import write_averages, write_final_state

LATTICE = velocity_set("D2Q9")
# How often a run says how far it is.
_PIECES = 20


class ObstacleProblem(Problem, kw_only=True):
    """Grid and steps of the flow, with what is read off.

    Attributes:
        f: Populations, in units of the density at rest.
        solid: Where obstacles are (nx, ny).
        total_speed: Of all fluid cells after the last step [cells / step].
        averages: Average velocity of the fluid after each step of this run [cells / step].
    """

    f: Field
    solid: NDArray[np.bool_]
    total_speed: Reduction
    averages: list[float]

    @property
    def fluid_cells(self) -> int:
        """How many cells are no obstacles."""
        return int((~self.solid).sum())

    @property
    def average(self) -> float:
        """Average velocity of the fluid after the last step [cells / step]."""
        return self.total_speed.value / self.fluid_cells


@dataclass(frozen=True)
class ObstacleFlow(Case):
    """Parameters of the flow past obstacles.

    Attributes:
        grid: A published case: what it has is used where no file says otherwise.
        parameters: A file of other parameters in the course's format.
        obstacles: A file of other obstacles in the course's format, a line 'x y 1' each.
        steps: How many time steps; 0 for as many as the parameters say.
        dtype: Of what is computed and stored.
    """

    name: ClassVar[str] = "obstacle-flow"

    grid: Literal["128x128", "128x256", "256x256", "1024x1024"] = "128x128"
    parameters: str | None = None
    obstacles: str | None = None
    steps: Annotated[int, Range(least=0), ENDS] = 0
    dtype: Literal["float64", "float32"] = "float64"

    @property
    def flow_parameters(self) -> given.Parameters:
        """The parameters, from the file or those of the published case."""
        published_ones = given.published_parameters(self.grid)
        return given.read_parameters(self.parameters) if self.parameters else published_ones

    @property
    def iterations(self) -> int:
        """How many steps are done."""
        return self.steps or self.flow_parameters.iterations

    @property
    def is_published(self) -> bool:
        """Whether results of this very flow are published."""
        return not self.parameters and not self.obstacles

    def solid(self) -> NDArray[np.bool_]:
        """Return where obstacles are (nx, ny)."""
        flow = self.flow_parameters
        if self.obstacles:
            return given.read_obstacles(self.obstacles, flow.nx, flow.ny)
        solid = given.published_obstacles(self.grid)
        if solid.shape != (flow.nx, flow.ny):
            raise CaseError(
                f"The parameter file '{self.parameters}' has {flow.nx}x{flow.ny} cells, but "
                f"the obstacles are those of the published grid '{self.grid}'.",
                hint="Give obstacles of your own with 'obstacles'.",
            )
        return solid

    def check(self) -> None:
        """Raise a CaseError for what cannot be computed."""
        super().check()
        self.flow_parameters.check()
        if self.solid().all():
            raise CaseError("All cells are obstacles; expected some fluid between them.")

    def describe(self) -> str:
        """Return the parameters and what follows from them, as text."""
        flow, solid = self.flow_parameters, self.solid()
        return (
            f"flow past obstacles, {flow.nx} x {flow.ny} cells, {int(solid.sum())} of them "
            f"obstacles, {self.iterations} steps\n"
            f"{LATTICE!r} BGK, {self.dtype}, density {flow.density:g}, omega {flow.omega:g} "
            f"(viscosity {flow.viscosity:.6f}), row {flow.accelerated_row} pushed by "
            f"{flow.accel:g} in a step"
        )

    def bytes_stored(self) -> int:
        """Return about how much the stored fields and texts will take [bytes]."""
        flow = self.flow_parameters
        # A line of the final state, and five numbers of the fields; a line of the averages.
        return flow.nx * flow.ny * (90 + 5 * 8) + 30 * self.iterations

    def problem(self) -> ObstacleProblem:
        """Return grid and steps; fields are zero at first, which is a fluid at rest."""
        flow, solid = self.flow_parameters, self.solid()
        grid = hc.Grid((flow.nx, flow.ny), periodic=True)
        f, f_next = (
            grid.field(name, components=len(LATTICE), dtype=self.dtype) for name in ("f", "f_next")
        )
        # The mask, too, is of the populations' type: with single bytes the compiler does not
        # compute several cells at once.
        push, speed, mask, density = (
            grid.field(name, dtype=self.dtype) for name in ("push", "speed", "solid", "density")
        )
        velocity = grid.field("velocity", components=LATTICE.dimensions, dtype=self.dtype)
        mask.set(solid.astype(self.dtype))
        row = hc.Box((0, flow.accelerated_row), (flow.nx, flow.accelerated_row + 1))
        total, fluid_cells = hc.sum(speed, name="total_speed"), int((~solid).sum())
        averages: list[float] = []
        return ObstacleProblem(
            grid,
            (
                accelerate(f, push, mask, velocity_set=LATTICE, accel=flow.accel, on=row),
                stream_collide(f, f_next, speed, mask, velocity_set=LATTICE, omega=flow.omega),
                hc.swap(f, f_next),
                total,
                Callback(lambda: averages.append(total.value / fluid_cells)),
            ),
            f=f,
            solid=solid,
            total_speed=total,
            averages=averages,
            quantities=self._quantities(density, velocity, speed, mask),
            integrals=_integrals(f, speed, fluid_cells),
            refresh=(
                macroscopic(f, density, velocity, velocity_set=LATTICE),
                rest_in_obstacles(density, velocity, mask),
            ),
        )

    def _quantities(
        self, density: Field, velocity: Field, speed: Field, mask: Field
    ) -> tuple[Quantity, ...]:
        """Return the columns of the course's final state."""
        pressure = self.flow_parameters.density / 3.0
        return (
            *(
                Quantity(
                    f"u_{axis}",
                    velocity,
                    component,
                    description=f"velocity along {axis} [cells / step]",
                    vector="velocity",
                )
                for component, axis in enumerate("xy")
            ),
            Quantity("speed", speed, description="length of the velocity [cells / step]"),
            Quantity(
                "pressure",
                density,
                convert=lambda stored: pressure * stored,
                description="pressure [lattice units]",
            ),
            Quantity("obstacle", mask, description="1 in obstacle cells, 0 in the fluid"),
        )

    def run(
        self, simulation: Any, problem: Problem, watch: Callable[[str], None]
    ) -> ObstacleResult:
        """Make all steps, or those that remain."""
        assert isinstance(problem, ObstacleProblem)
        first, last, seconds = simulation.step, self.iterations, 0.0
        remaining_steps(simulation, last)
        for _, elapsed in run_in_pieces(simulation, last, -(-last // _PIECES)):
            seconds += elapsed
            rate = (simulation.step - first) * problem.solid.size / seconds / 1e6
            watch(
                f"step {simulation.step:8d}   average velocity {problem.average:.6e}   "
                f"{seconds:9.2f} s   {rate:8.2f} MLUPS"
            )
        simulation.execute(*problem.refresh)
        return ObstacleResult(self, problem, first, seconds)


def _integrals(f: Field, speed: Field, fluid_cells: int) -> tuple[Integral, ...]:
    """Return the mass in all cells, obstacles included, and the average velocity of the fluid."""
    excess = add([f[i] for i in range(f.components)])
    return (
        Integral(
            "mass",
            hc.sum(1.0 + excess),
            1.0 / f.grid.domain.cells,
            description="mass over mass at rest",
        ),
        Integral(
            "average_velocity",
            hc.sum(speed),
            1.0 / fluid_cells,
            description="mean speed of the fluid [cells / step]",
        ),
    )


class ObstacleResult(Frozen):
    """What a run of the flow has found.

    Attributes:
        case: The parameters.
        problem: Its fields.
        first_step: How many steps were done before this run.
        seconds: Wall-clock time of the steps [s].
    """

    case: ObstacleFlow
    problem: ObstacleProblem
    first_step: int
    seconds: float

    @property
    def is_complete(self) -> bool:
        """Whether all steps of the parameters have been done."""
        return self.case.iterations == self.case.flow_parameters.iterations

    @property
    def reynolds(self) -> float:
        """Reynolds number of the average velocity at the end."""
        flow = self.case.flow_parameters
        return self.problem.average * flow.reynolds_dim / flow.viscosity

    def summary(self) -> str:
        """Return the average velocity, the Reynolds number, and how fast the steps were."""
        steps = len(self.problem.averages)
        rate = steps * self.problem.solid.size / max(self.seconds, 1e-9) / 1e6
        return (
            f"average velocity {self.problem.average:.12e}, Reynolds number "
            f"{self.reynolds:.6f}\n{steps} steps in {self.seconds:.2f} s, {rate:.1f} MLUPS"
        )

    def variables(self) -> tuple[Variable, ...]:
        """Return the final state, in obstacles as of fluid at rest; collective."""
        return tuple(quantity.gather() for quantity in self.problem.quantities)

    def deviations(self, variables: Sequence[Variable]) -> tuple[published.Deviation, ...]:
        """Return how far the run is from what is published, if anything is (rank 0)."""
        grid = self.case.grid
        if not self.case.is_published:
            return ()
        found = published.series_deviations(grid, self.problem.averages, self.first_step)
        if self.is_complete:
            found += published.profile_deviations(grid, values_of(variables))
        return found

    def findings(self, variables: Sequence[Variable]) -> str:
        """Return the comparison with published values as text (rank 0)."""
        if not self.case.is_published:
            return "Nothing is published of a flow with parameters or obstacles of one's own."
        found = self.deviations(variables)
        if not found:
            return "Nothing is published of these steps."
        lines = ["relative deviation from published values:", *(f"  {d}" for d in found)]
        if self.is_complete:
            known = published.published_reynolds(self.case.grid)
            lines.append(f"Reynolds number {self.reynolds:.6f}, published {known:.6f}")
        return "\n".join(lines)

    def pictures(self, variables: Sequence[Variable]) -> Mapping[str, Callable[[Path], None]]:
        """Return the picture, and the two text files that the course's own checker reads."""
        state, case = values_of(variables), self.case
        flow, averages = case.flow_parameters, self.problem.averages
        steps = self.first_step + 1.0 + np.arange(len(averages))
        known = published.published_series(case.grid) if case.is_published else None
        panel = Plot(
            "average velocity of the fluid",
            ("steps", "average velocity [cells / step]"),
            Curve("this run", steps, np.array(averages)),
            (Curve("published", known.steps, known.values),) if known else (),
            is_logarithmic=True,
        )
        plane = Plane(
            state["u_x"],
            state["u_y"],
            self.problem.solid,
            (float(flow.nx), float(flow.ny)),
            ("$x$", "$y$"),
            "cells / step",
        )
        title = f"Flow past obstacles, {flow.nx} x {flow.ny} cells, {case.iterations} steps"
        picture = FlowFigure(title, plane, (panel,))
        return {
            "obstacle-flow.png": partial(draw_flow, picture),
            "av_vels.dat": partial(write_averages, averages, self.first_step),
            "final_state.dat": partial(write_final_state, state),
        }
