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
from halocline.apps.case import Problem
from halocline.apps.lbm import kernels, profiles
from halocline.apps.lbm.collision import bgk, trt
from halocline.apps.lbm.model import Scaling
from halocline.apps.lbm.populations import add
from halocline.apps.lbm.velocity_set import VelocitySet, velocity_set
from halocline.errors import CaseError, nearest
from halocline.io.plots import CavityPicture, Points, draw_cavity
from halocline.io.variable import Variable
from halocline.language.fields import Field
from halocline.language.steps import Call, Reduction

VELOCITY_SETS = {2: "D2Q9", 3: "D3Q19"}
VARIABLES = 2  # density and pressure, beside one velocity component an axis


@dataclass(frozen=True, slots=True)
class CavityProblem(Problem):
    """Grid and steps of a cavity, with what is read off.

    Attributes:
        density: [lattice units], updated once in a convective time, as the following.
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
        collision: 'trt' (two relaxation rates) or 'bgk' (one), which needs more cells.
        dtype: 'float64' or 'float32'.
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
    tolerance: float = 1e-6
    max_convective_times: int = 300

    @property
    def scaling(self) -> Scaling:
        """The case in lattice units."""
        return Scaling(self.cells, self.lid_speed, self.reynolds, self.collision)

    @property
    def velocity_set(self) -> VelocitySet:
        """The lattice for these dimensions."""
        return velocity_set(VELOCITY_SETS[self.dimensions])

    def check(self) -> None:
        """Raise a CaseError for what cannot be computed."""
        if self.dimensions not in VELOCITY_SETS:
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

    def describe(self) -> str:
        """Return the parameters and what follows from them, as text."""
        scaling = self.scaling
        extent = " x ".join([str(self.cells)] * self.dimensions)
        return (
            f"lid-driven cavity, {extent} cells, Reynolds number {self.reynolds:g}\n"
            f"{self.velocity_set!r} {self.collision.upper()}, {self.dtype}, "
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
        lattice = self.velocity_set
        grid = hc.Grid((self.cells,) * self.dimensions, spacing=1.0 / self.cells)
        f = grid.field("f", components=len(lattice), dtype=self.dtype)
        f_next = grid.field("f_next", components=len(lattice), dtype=self.dtype)
        density = grid.field("density", dtype=self.dtype)
        velocity = grid.field("velocity", components=self.dimensions, dtype=self.dtype)
        before = grid.field("velocity_before", components=self.dimensions, dtype=self.dtype)
        # Where layers meet, the side declared last decides: links that leave through the upper
        # corners belong to the side walls, not to the lid (docs/validation.md).
        f.boundary(
            "y+",
            kernels.moving_wall,
            velocity_set=lattice,
            at="y+",
            along="x",
            speed=self.lid_speed,
        )
        walls = ("y-", "x-", "x+", "z-", "z+")
        kernels.enclose(f, lattice, walls[: 2 * self.dimensions - 1])
        change = hc.max(_distance(velocity, before, self.dimensions), name="change")
        steps = (
            self._collide_stream(f, f_next),
            hc.swap(f, f_next),
            hc.every(
                self.scaling.steps_per_convective_time,
                kernels.copy_velocity(velocity, before),
                kernels.macroscopic(f, density, velocity, velocity_set=lattice),
                change,
            ),
        )
        return CavityProblem(grid, steps, density, velocity, change)

    def _collide_stream(self, f: Field, f_next: Field) -> Call:
        lattice, scaling = self.velocity_set, self.scaling
        collision = {"bgk": bgk, "trt": trt()}[self.collision]
        return kernels.collide_stream(
            f, f_next, velocity_set=lattice, omega=scaling.omega, collision=collision
        )

    def run(self, simulation: Any, problem: Problem, watch: Callable[[str], None]) -> CavityResult:
        """Run until the flow is steady, or as long as allowed.

        Convergence is judged once in a convective time by a reduction, so that every rank, and any
        number of ranks, stops at the same step.
        """
        assert isinstance(problem, CavityProblem)
        period = self.scaling.steps_per_convective_time
        updates = period * self.cells**self.dimensions
        changes: list[float] = []
        seconds: list[float] = []
        simulation.run(0, progress=False)  # compile before the clock starts
        while len(changes) < self.max_convective_times:
            start = perf_counter()
            simulation.run(period, progress=False)
            seconds.append(perf_counter() - start)
            changes.append(problem.change.value / self.lid_speed)
            rate = updates / seconds[-1] / 1e6
            watch(
                f"convective time {len(changes):4d}   step {len(changes) * period:8d}   "
                f"change {changes[-1]:.3e} U   {sum(seconds):9.2f} s   {rate:8.2f} MLUPS"
                f"{self._remaining(changes, seconds)}"
            )
            if changes[-1] <= self.tolerance:
                break
        return CavityResult(self, problem, tuple(changes), sum(seconds))

    def _remaining(self, changes: Sequence[float], seconds: Sequence[float]) -> str:
        """Return when the run will end, from how fast the change has been falling lately."""
        recent = changes[-11:]
        if len(recent) < 2 or recent[-1] <= self.tolerance:  # noqa: PLR2004 (a slope needs two)
            return ""
        fall = np.log(recent[0] / recent[-1]) / (len(recent) - 1)
        at_most = self.max_convective_times - len(changes)
        needed = np.log(recent[-1] / self.tolerance) / fall if fall > 0 else at_most
        left_s = min(float(needed), at_most) * sum(seconds) / len(seconds)
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
        changes: Change of the velocity within each convective time, in units of the lid's speed.
        seconds: Wall-clock time of the steps [s].
    """

    case: LidCavity
    problem: CavityProblem
    changes: tuple[float, ...]
    seconds: float

    @property
    def is_converged(self) -> bool:
        """Whether the last change is within the tolerance."""
        return self.changes[-1] <= self.case.tolerance

    def summary(self) -> str:
        """Return whether and when the flow became steady, and how fast that went."""
        case, times = self.case, len(self.changes)
        steps = times * case.scaling.steps_per_convective_time
        rate = steps * case.cells**case.dimensions / self.seconds / 1e6
        verdict = (
            f"converged after {times} convective times: the change {self.changes[-1]:.2e} U is "
            f"within the tolerance {case.tolerance:g} U"
            if self.is_converged
            else f"NOT converged after {times} convective times: the change {self.changes[-1]:.2e} "
            f"U exceeds the tolerance {case.tolerance:g} U; allow more with --max-convective-times"
        )
        return f"{verdict}\n{steps} steps in {self.seconds:.1f} s, {rate:.1f} MLUPS"

    def variables(self) -> tuple[Variable, ...]:
        """Return velocity in units of the lid's speed, density and pressure; collective."""
        density, velocity = self.problem.density.gather(), self.problem.velocity.gather()
        speed = self.case.lid_speed
        parts = [None if velocity is None else velocity[a] / speed for a in range(self._axes)]
        pressure = None if density is None else (density - 1.0) / (3.0 * speed**2)
        names = ("u", "v", "w")
        return (
            *(
                Variable(names[axis], part, "1", f"velocity along {'xyz'[axis]} over lid speed")
                for axis, part in enumerate(parts)
            ),
            Variable("pressure", pressure, "1", "pressure over density times lid speed squared"),
            Variable("density", density, "1", "density over density at rest"),
        )

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
