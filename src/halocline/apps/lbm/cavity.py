"""The lid-driven cavity, in two and three dimensions, run until it is steady.

Unit square or cube; the lid y = 1 moves in +x with speed 1, all other walls are at rest; z is the
span. Walls lie half a cell outside the first and last cell centres.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

import halocline as hc
from halocline.apps.case import Problem, ending
from halocline.apps.lbm import kernels, profiles
from halocline.apps.lbm.boundaries import Wall
from halocline.apps.lbm.collisions import collision_named, lattice_for
from halocline.apps.lbm.flow import Flow, Setup, make_flow
from halocline.apps.lbm.model import Scaling
from halocline.apps.lbm.populations import add
from halocline.apps.lbm.streaming import streaming
from halocline.apps.lbm.velocity_set import VelocitySet, velocity_set
from halocline.errors import CaseError, nearest
from halocline.io.plots import CavityPicture, Points, draw_cavity
from halocline.io.quantity import Integral, Quantity
from halocline.io.variable import Variable
from halocline.language.fields import Field
from halocline.language.steps import Reduction

VARIABLES = 2  # density and pressure, beside one velocity component an axis


@dataclass(frozen=True, slots=True)
class CavityProblem(Problem):
    """Grid and steps of a cavity, with what is read off.

    Attributes:
        density: [lattice units], updated once in a convective time and where something is written,
            as the following.
        velocity: [cells / step].
        change: The greatest change of the velocity since the convective time before [cells / step].
    """

    density: Field
    velocity: Field
    change: Reduction


@dataclass(frozen=True, slots=True)
class LidCavity:
    """Parameters of a lid-driven cavity.

    Attributes:
        cells: Along each side.
        reynolds: Lid speed times side over viscosity.
        dimensions: 2 or 3.
        lid_speed: In cells a step; the Mach number follows from it.
        collision: 'trt' (two relaxation rates), 'bgk' (one), which needs more cells, 'mrt',
            'regularised' or 'cumulant'.
        dtype: 'float64' or 'float32'.
        streaming: 'two-grids', or 'in-place' for half the memory.
        tolerance: The run has converged when no velocity changes by more than this, in units of
            the lid's speed, within one convective time.
        max_convective_times: Where the run ends if it does not converge.
    """

    name: ClassVar[str] = "lid-cavity"

    cells: int = 64
    reynolds: float = 1000.0
    dimensions: int = 3
    lid_speed: float = 0.1
    collision: str = "trt"
    dtype: str = "float64"
    streaming: str = "two-grids"
    tolerance: float = ending(1e-6)
    max_convective_times: int = ending(300)

    @property
    def scaling(self) -> Scaling:
        """The case in lattice units."""
        return Scaling(self.cells, self.lid_speed, self.reynolds, self.collision)

    @property
    def velocity_set(self) -> VelocitySet:
        """The lattice for these dimensions."""
        return velocity_set(lattice_for(self.collision, self.dimensions))

    @property
    def steps_per_convective_time(self) -> int:
        """Steps of the simulation, of one or two lattice steps, in which the lid passes once."""
        collisions = streaming(self.streaming).collisions
        return max(1, round(self.scaling.steps_per_convective_time / collisions))

    @property
    def updates(self) -> int:
        """Cell updates in a step of the simulation."""
        return int(streaming(self.streaming).collisions * self.cells**self.dimensions)

    def check(self) -> None:
        """Raise a CaseError for what cannot be computed."""
        streaming(self.streaming)
        if self.dimensions not in (2, 3):
            raise CaseError(f"The cavity has {self.dimensions} dimensions; expected 2 or 3.")
        if self.dtype not in ("float64", "float32"):
            hint = nearest(self.dtype, ("float64", "float32"))
            raise CaseError(f"The cavity has the unknown dtype '{self.dtype}'.", hint=hint)
        if not self.tolerance > 0.0 or self.max_convective_times < 1:
            raise CaseError(
                f"Tolerance {self.tolerance:g} and at most {self.max_convective_times} convective "
                "times were given; expected a tolerance above 0 and at least 1 convective time."
            )
        self.scaling.check()
        lattice_for(self.collision, self.dimensions)

    def describe(self) -> str:
        """Return the parameters and what follows from them, as text."""
        scaling = self.scaling
        extent = " x ".join([str(self.cells)] * self.dimensions)
        return (
            f"lid-driven cavity, {extent} cells, Reynolds number {self.reynolds:g}\n"
            f"{self.velocity_set!r} {self.collision.upper()}, {self.streaming}, {self.dtype}, "
            f"lid {self.lid_speed:g} cells a step (Mach {scaling.mach:.3f}), relaxation time "
            f"{scaling.relaxation_time:.5f}\n"
            f"one convective time L/U is {scaling.steps_per_convective_time} steps"
        )

    def bytes_stored(self) -> int:
        """Return about how much the stored fields will take, before compression [bytes]."""
        variables = self.dimensions + VARIABLES
        return int(variables * np.dtype(self.dtype).itemsize * self.cells**self.dimensions)

    def problem(self) -> CavityProblem:
        """Return grid, boundaries and steps."""
        flow = self._flow()
        grid, density, velocity = flow.grid, flow.density, flow.velocity
        before = grid.field("velocity_before", components=self.dimensions, dtype=velocity.dtype)
        change = hc.max(_distance(velocity, before, self.dimensions), name="change")
        period = self.steps_per_convective_time
        steps = (
            *flow.steps,
            # The copy comes last, so that the velocity may be updated at any other time, too.
            hc.every(period, flow.observe, change, kernels.copy_velocity(velocity, before)),
        )
        return CavityProblem(
            grid,
            steps,
            density,
            velocity,
            change,
            quantities=self._quantities(density, velocity),
            integrals=self._integrals(density, velocity),
            refresh=(flow.observe,),
            dt=1.0 / period,
            time_unit="L/U",
        )

    def _quantities(self, density: Field, velocity: Field) -> tuple[Quantity, ...]:
        """Return velocity in units of the lid's speed, pressure and density."""
        speed = self.lid_speed
        components = (
            Quantity(
                name,
                velocity,
                axis,
                lambda stored: stored / speed,
                description=f"velocity along {'xyz'[axis]} over lid speed",
                vector="velocity",
            )
            for axis, name in enumerate("uvw"[: self.dimensions])
        )
        pressure = Quantity(
            "pressure",
            density,
            convert=lambda stored: (stored - 1.0) / (3.0 * speed**2),
            description="pressure over density times lid speed squared",
        )
        at_rest = "density over density at rest"
        return (*components, pressure, Quantity("density", density, description=at_rest))

    def _integrals(self, density: Field, velocity: Field) -> tuple[Integral, ...]:
        """Return mass and kinetic energy, in units of the fluid at rest and at the lid's speed."""
        volume = self.cells**-self.dimensions
        squares = add([velocity[axis] * velocity[axis] for axis in range(self.dimensions)])
        energy = 0.5 * volume / self.lid_speed**2
        return (
            Integral("mass", hc.sum(density), volume, description="mass over mass at rest"),
            Integral(
                "kinetic_energy",
                hc.sum(density * squares),
                energy,
                description="kinetic energy over mass at rest times lid speed squared",
            ),
        )

    def _flow(self) -> Flow:
        # Where layers meet, the side given last decides: links that leave through the upper corners
        # belong to the side walls, not to the lid (docs/validation.md).
        still = (0.0,) * (self.dimensions - 1)
        walls = ("y-", "x-", "x+", "z-", "z+")[: 2 * self.dimensions - 1]
        return make_flow(
            Setup(
                (self.cells,) * self.dimensions,
                self.velocity_set.name,
                self.scaling.omega,
                collision_named(self.collision),
                {"y+": Wall((self.lid_speed, *still)), **{side: Wall() for side in walls}},
                streaming=self.streaming,
                dtype=self.dtype,
                spacing=1.0 / self.cells,
            )
        )

    def run(self, simulation: Any, problem: Problem, watch: Callable[[str], None]) -> CavityResult:
        """Run until the flow is steady, or as long as allowed.

        Convergence is judged once in a convective time by a reduction, so that every rank, and any
        number of ranks, stops at the same step.
        """
        assert isinstance(problem, CavityProblem)
        period = self.steps_per_convective_time
        last = self.max_convective_times * period
        changes: list[float] = []
        done, seconds = 0, 0.0
        simulation.run(0, progress=False)  # compile before the clock starts
        # After a restart the last change is known, and the next convective time may have begun.
        while simulation.step < last and not self._change(problem) <= self.tolerance:
            steps = period - simulation.step % period
            start = perf_counter()
            simulation.run(steps, progress=False)
            elapsed = perf_counter() - start
            done, seconds = done + steps, seconds + elapsed
            changes.append(self._change(problem))
            rate = steps * self.updates / elapsed / 1e6
            times = simulation.step // period
            watch(
                f"convective time {times:4d}   step {simulation.step:8d}   "
                f"change {changes[-1]:.3e} U   {seconds:9.2f} s   {rate:8.2f} MLUPS"
                f"{self._remaining(changes, self.max_convective_times - times, seconds)}"
            )
        return CavityResult(self, problem, simulation.step // period, tuple(changes), done, seconds)

    def _change(self, problem: CavityProblem) -> float:
        """Return the last known change of the velocity [U], NaN before the first."""
        return problem.change.value / self.lid_speed

    def _remaining(self, changes: Sequence[float], at_most: int, seconds: float) -> str:
        """Return when the run will end, from how fast the change has been falling lately."""
        recent = changes[-11:]
        if len(recent) < 2 or recent[-1] <= self.tolerance:  # noqa: PLR2004 (a slope needs two)
            return ""
        fall = np.log(recent[0] / recent[-1]) / (len(recent) - 1)
        needed = np.log(recent[-1] / self.tolerance) / fall if fall > 0 else at_most
        left_s = min(float(needed), at_most) * seconds / len(changes)
        return f"   about {left_s:.0f} s left"


def _distance(velocity: Field, before: Field, dimensions: int) -> Any:
    """Return the length of the difference of two vectors, as an expression."""
    differences = [velocity[axis] - before[axis] for axis in range(dimensions)]
    return hc.sqrt(add([d * d for d in differences]))


@dataclass(frozen=True, slots=True)
class CavityResult:
    """What a run of the cavity has found.

    Attributes:
        case: The parameters.
        problem: Its fields.
        times: Convective times in all.
        changes: Change of the velocity within each convective time of this run, in units of the
            lid's speed.
        steps: How many were done, by this run.
        seconds: Wall-clock time they took [s].
    """

    case: LidCavity
    problem: CavityProblem
    times: int
    changes: tuple[float, ...]
    steps: int
    seconds: float

    @property
    def change(self) -> float:
        """The last change of the velocity, in units of the lid's speed."""
        return self.problem.change.value / self.case.lid_speed

    @property
    def is_converged(self) -> bool:
        """Whether the last change is within the tolerance."""
        return self.change <= self.case.tolerance

    def summary(self) -> str:
        """Return whether and when the flow became steady, and how fast that went."""
        case, times = self.case, self.times
        rate = self.steps * case.updates / max(self.seconds, 1e-9) / 1e6
        verdict = (
            f"converged after {times} convective times: the change {self.change:.2e} U is "
            f"within the tolerance {case.tolerance:g} U"
            if self.is_converged
            else f"NOT converged after {times} convective times: the change {self.change:.2e} "
            f"U exceeds the tolerance {case.tolerance:g} U; allow more with --max-convective-times"
        )
        return f"{verdict}\n{self.steps} steps in {self.seconds:.1f} s, {rate:.1f} MLUPS"

    def variables(self) -> tuple[Variable, ...]:
        """Return velocity in units of the lid's speed, density and pressure; collective."""
        return tuple(quantity.gather() for quantity in self.problem.quantities)

    @property
    def _axes(self) -> int:
        return self.case.dimensions

    def centrelines(self, variables: Sequence[Variable]) -> dict[str, profiles.Profile]:
        """Return u along the vertical and v along the horizontal centreline (rank 0)."""
        values = {v.name: v.values for v in variables}
        u, v = values["u"], values["v"]
        assert u is not None
        assert v is not None
        return {
            "u": profiles.centreline(u, 1, (0.0, 1.0)),
            "v": profiles.centreline(v, 0, (0.0, 0.0)),
        }

    def differences(self, variables: Sequence[Variable]) -> tuple[profiles.Difference, ...]:
        """Return how far the profiles are from what is published, if anything is (rank 0)."""
        found = self.centrelines(variables)
        known = profiles.references(self.case.dimensions, self.case.reynolds)
        return tuple(profiles.compare(found[r.component], r) for r in known)

    def findings(self, variables: Sequence[Variable]) -> str:
        """Return the comparison with published values as text (rank 0)."""
        lines = [f"  {difference}" for difference in self.differences(variables)]
        if not lines:
            return f"No published profiles for Reynolds number {self.case.reynolds:g}."
        return "\n".join(["centreline profiles, in units of the lid's speed:", *lines])

    def pictures(self, variables: Sequence[Variable]) -> Mapping[str, Callable[[Path], None]]:
        """Return the picture of streamlines and profiles (rank 0)."""
        values = {v.name: v.values for v in variables}
        planes = [_mid_plane(values[name]) for name in ("u", "v")]
        found = self.centrelines(variables)
        known = profiles.references(self.case.dimensions, self.case.reynolds)
        fine = np.linspace(0.0, 1.0, 401)
        picture = CavityPicture(
            title=f"{'Cubic' if self._axes > VARIABLES else 'Square'} lid-driven cavity, "
            f"Re = {self.case.reynolds:g}, {' x '.join([str(self.case.cells)] * self._axes)} cells",
            u=planes[0],
            v=planes[1],
            vertical=Points("this run", found["u"].at(fine), fine),
            horizontal=Points("this run", fine, found["v"].at(fine)),
            vertical_points=tuple(
                Points(r.source, r.values, r.positions) for r in known if r.component == "u"
            ),
            horizontal_points=tuple(
                Points(r.source, r.positions, r.values) for r in known if r.component == "v"
            ),
        )
        return {"cavity.png": partial(draw_cavity, picture)}


def _mid_plane(values: Any) -> Any:
    """Return the values at z = 1/2: one plane, or the mean of the two beside it."""
    if values.ndim == len("xy"):
        return values
    n = values.shape[2]
    return 0.5 * (values[:, :, (n - 1) // 2] + values[:, :, n // 2])
