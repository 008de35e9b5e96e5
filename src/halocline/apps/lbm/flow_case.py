"""What the cases of flows have in common: parameters, steps with what is read off, a run.

A case says what its flow is ('setup'), where it begins ('start') and what is known of it
('compare', 'pictures'); everything else is here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

import halocline as hc
from halocline.apps.case import Problem, ending
from halocline.apps.lbm import kernels
from halocline.apps.lbm.boundaries import Outflow, Pressure, Velocity
from halocline.apps.lbm.collisions import collision_named, lattice_for
from halocline.apps.lbm.flow import Flow, Setup, make_flow
from halocline.apps.lbm.flow_pictures import FlowPicture, draw_flow
from halocline.apps.lbm.flow_quantities import integrals, quantities
from halocline.apps.lbm.model import Scaling
from halocline.apps.lbm.populations import add
from halocline.apps.lbm.streaming import DTYPES, streaming
from halocline.apps.lbm.units import UnitParameters
from halocline.errors import CaseError, nearest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.io.quantity import Integral
    from halocline.io.variable import Variable
    from halocline.language.steps import Reduction, Step

    Values = Mapping[str, NDArray[Any]]

# Density and pressure, beside one velocity component an axis.
VARIABLES = 2


@dataclass(frozen=True, slots=True)
class Comparison:
    """A number that a run has found, beside what is known of it.

    Attributes:
        name: Of what, with its unit.
        measured: What was found.
        known: What it should be; None where nobody knows.
        source: Who says so.
    """

    name: str
    measured: float
    known: float | None = None
    source: str = ""

    @property
    def error(self) -> float:
        """How far it is from what is known, relative to that; NaN if nothing is known."""
        return float("nan") if self.known is None else self.measured / self.known - 1.0

    def __str__(self) -> str:
        """Return one line of a report."""
        if self.known is None:
            return f"{self.name}: {self.measured:.6g}"
        return (
            f"{self.name}: {self.measured:.8g}, {self.source}: {self.known:.8g}, "
            f"difference {self.error:+.2e}"
        )


@dataclass(frozen=True, slots=True)
class FlowProblem(Problem):
    """Grid and steps of a flow, with what is read off.

    Attributes:
        flow: The flow.
        look: Steps of the simulation between two looks at it.
        change: The greatest change of the velocity from one look to the next [cells / step];
            None if nobody asks.
    """

    flow: Flow
    look: int
    change: Reduction | None


@dataclass(frozen=True)
class FlowCase(UnitParameters):
    """Parameters of a flow.

    Attributes:
        collision: 'trt', 'bgk', 'mrt', 'regularised' or 'cumulant'.
        eddies: Smagorinsky's constant for eddies smaller than a cell, 0.1 to 0.17; 0 for none.
        lattice: 'D2Q9', 'D3Q15', 'D3Q19' or 'D3Q27'; '' for the usual one.
        streaming: 'two-grids', or 'in-place' for half the memory.
        dtype: 'float64', 'float32', or 'float16', which is for storage and computes in float32.
    """

    name: ClassVar[str]
    # The greatest speed of the flow, over its speed.
    greatest: ClassVar[float] = 1.0

    collision: str = "trt"
    eddies: float = 0.0
    lattice: str = ""
    streaming: str = "two-grids"
    dtype: str = "float64"

    # What a case says.

    @property
    def axes(self) -> int:
        """How many dimensions it has."""
        raise NotImplementedError

    @property
    def last(self) -> float:
        """Where the run ends at the latest: how often the flow passes its length."""
        raise NotImplementedError

    @property
    def looks(self) -> float:
        """How often it is looked at while it passes its length."""
        return 1.0

    @property
    def steady_below(self) -> float:
        """The change of the velocity while it passes its length that ends the run [speed]; or 0."""
        return 0.0

    def setup(self) -> Setup:
        """Return what the flow is; begin with 'self.lattice_setup'."""
        raise NotImplementedError

    def start(self, flow: Flow) -> None:
        """Set the first values; at rest if a case does not say."""

    def extras(self, flow: Flow) -> tuple[tuple[Step, ...], tuple[Integral, ...]]:
        """Return more integrals, and steps that bring up to date what they read."""
        return (), ()

    def outcome(self, result: FlowResult) -> str:
        """Return what the flow has come to, as text; '' if nobody asks."""
        return ""

    def compare(self, result: FlowResult, values: Values) -> Sequence[Comparison]:
        """Return what came out beside what is known (rank 0)."""
        raise NotImplementedError

    def picture(self, result: FlowResult, values: Values) -> FlowPicture:
        """Return what the picture shows (rank 0)."""
        raise NotImplementedError

    # What all have.

    @property
    def scaling(self) -> Scaling:
        """The flow in lattice units."""
        given = super().scaling
        return replace(given, collision=self.collision, eddies=self.eddies)

    def check(self) -> None:
        """Raise a CaseError for what cannot be computed."""
        self.check_units()
        streaming(self.streaming)
        if not 0.0 <= self.eddies < 1.0:
            raise CaseError(f"'eddies' was given {self.eddies:g}; expected 0, or 0.1 to 0.17.")
        collision_named(self.collision, self.eddies)
        lattice_for(self.collision, self.axes, self.lattice)
        if self.dtype not in DTYPES:
            hint = nearest(self.dtype, DTYPES)
            raise CaseError(f"The flow has the unknown dtype '{self.dtype}'.", hint=hint)
        self.scaling.check_flow(self.greatest)

    def describe(self) -> str:
        """Return the parameters, the table of units and warnings, as text."""
        setup = self.setup()
        extent = " x ".join(map(str, setup.extent))
        eddies = f" with Smagorinsky's constant {self.eddies:g}" if self.eddies else ""
        is_open = any(isinstance(b, Velocity | Pressure | Outflow) for b in setup.sides.values())
        found = self.scaling.warnings(self.greatest, is_open=is_open)
        warnings = [f"warning: {text}" for text in found]
        return "\n".join(
            [
                f"{self.name}, {extent} cells, {setup.lattice} {self.collision}{eddies}, "
                f"{self.streaming}, {self.dtype}",
                self.unit_table(),
                *warnings,
            ]
        )

    def bytes_stored(self) -> int:
        """Return about how much the stored fields will take, before compression [bytes]."""
        cells = int(np.prod(self.setup().extent))
        return int((self.axes + VARIABLES) * np.dtype(self.dtype).itemsize * cells)

    def lattice_setup(self, extent: tuple[int, ...], **more: Any) -> Setup:
        """Return a setup of so many cells with what follows from the parameters."""
        units = self.units
        return Setup(
            extent,
            lattice_for(self.collision, self.axes, self.lattice),
            self.scaling.omega,
            collision_named(self.collision, self.eddies),
            streaming=self.streaming,
            dtype=self.dtype,
            spacing=units.cell,
            step_time=units.step,
            **more,
        )

    def problem(self) -> FlowProblem:
        """Return grid, boundaries, first values and steps."""
        flow, units = make_flow(self.setup()), self.units
        self.start(flow)
        # An even number of lattice steps: what goes to and fro at an open side is no change.
        pairs = max(1, round(0.5 * self.scaling.length / (self.scaling.speed * self.looks)))
        look = 2 * pairs // flow.lattice_steps
        steps, change = flow.steps, None
        if self.steady_below:
            velocity = flow.velocity
            before = flow.grid.field("before", components=self.axes, dtype=velocity.dtype)
            differences = [velocity[axis] - before[axis] for axis in range(self.axes)]
            change = hc.max(hc.sqrt(add([d * d for d in differences])), name="change")
            copy = kernels.copy_velocity(velocity, before)
            # The copy comes last, so that the velocity may be updated at any other time, too.
            steps = (*steps, hc.every(look, flow.observe, change, copy))
        more_steps, more_integrals = self.extras(flow)
        if more_steps:
            # Within the steps, so that what they read next door is stored.
            steps = (*steps, hc.every(look, flow.observe, *more_steps))
        return FlowProblem(
            flow.grid,
            steps,
            flow,
            look,
            change,
            quantities=quantities(flow, units),
            integrals=(*integrals(flow, units), *more_integrals),
            refresh=(flow.observe, *more_steps),
            dt=flow.dt,
            time_unit=units.time_unit,
        )

    def run(self, simulation: Any, problem: Problem, watch: Callable[[str], None]) -> FlowResult:
        """Run until the flow is steady, or as long as allowed, and look at it now and then."""
        assert isinstance(problem, FlowProblem)
        length = self.scaling.length / self.scaling.speed
        last = round(self.last * length / problem.flow.lattice_steps)
        rows: list[tuple[float, ...]] = []
        first, seconds = simulation.step, 0.0
        simulation.run(0, progress=False)  # compile before the clock starts
        while simulation.step < last and not self.is_steady(problem):
            steps = min(problem.look - simulation.step % problem.look, last - simulation.step)
            start = perf_counter()
            simulation.run(steps, progress=False)
            elapsed = perf_counter() - start
            seconds += elapsed
            rows.append(self._look(simulation, problem))
            rate = steps * problem.flow.updates / elapsed / 1e6
            watch(self._line(simulation, problem, rows[-1], f"{seconds:9.2f} s   {rate:8.2f}"))
        history = np.array(rows).reshape(len(rows), 1 + len(problem.integrals))
        return FlowResult(self, problem, history, simulation.step - first, seconds)

    def _look(self, simulation: Any, problem: FlowProblem) -> tuple[float, ...]:
        """Return time and integrals; collective."""
        reductions = [integral.reduction for integral in problem.integrals]
        simulation.execute(*problem.refresh, *reductions)
        values = [integral.value for integral in problem.integrals]
        return (simulation.step * problem.dt, *values)

    def _line(
        self, simulation: Any, problem: FlowProblem, row: tuple[float, ...], speed: str
    ) -> str:
        found = "   ".join(
            f"{integral.name} {value:.6g}"
            for integral, value in zip(problem.integrals[1:], row[1 + 1 :], strict=True)
        )
        if problem.change is not None:
            found += f"   change {self.change(problem):.3e} U"
        return (
            f"time {row[0]:10.4g} {problem.time_unit}   step {simulation.step:8d}   {found}   "
            f"{speed} MLUPS"
        )

    def change(self, problem: FlowProblem) -> float:
        """Return the last known change of the velocity [U]; NaN before the first."""
        value = float("nan") if problem.change is None else problem.change.value
        return value * self.looks / self.scaling.speed

    def is_steady(self, problem: FlowProblem) -> bool:
        """Return whether the last known change is within the tolerance."""
        return self.change(problem) <= self.steady_below


@dataclass(frozen=True)
class SteadyCase(FlowCase):
    """Parameters of a flow that becomes steady.

    Attributes:
        tolerance: A flow is steady when no velocity changes by more than this, in units of its
            speed, while it passes its length.
        max_convective_times: Where the run ends at the latest: how often it passes its length.
    """

    tolerance: float = ending(1e-6)
    max_convective_times: int = ending(300)

    @property
    def last(self) -> float:
        """Where the run ends at the latest."""
        return self.max_convective_times

    @property
    def steady_below(self) -> float:
        """The change that ends the run."""
        return self.tolerance

    def check(self) -> None:
        """Raise a CaseError for what cannot be computed."""
        if not self.tolerance >= 0.0 or self.max_convective_times < 1:
            raise CaseError(
                f"Tolerance {self.tolerance:g} and at most {self.max_convective_times} convective "
                "times were given; expected at least 0 (to run to the end) and at least 1."
            )
        super().check()

    def outcome(self, result: FlowResult) -> str:
        """Return whether the flow became steady."""
        if result.problem.change is None:
            return ""
        change = f"the change {self.change(result.problem):.2e} U a convective time"
        if result.is_steady:
            return f"steady: {change} is within the tolerance {self.tolerance:g} U"
        return (
            f"NOT steady: {change} exceeds the tolerance {self.tolerance:g} U; allow more with "
            "--max-convective-times"
        )


@dataclass(frozen=True, slots=True)
class FlowResult:
    """What a run of a flow has found.

    Attributes:
        case: The parameters.
        problem: Its fields.
        history: Time and integrals at each look of this run (looks, 1 + integrals).
        steps: How many were done, by this run.
        seconds: Wall-clock time they took [s].
    """

    case: FlowCase
    problem: FlowProblem
    history: NDArray[np.float64]
    steps: int
    seconds: float

    def series(self, name: str) -> NDArray[np.float64]:
        """Return an integral, or the 'time', at each look of this run."""
        names = ["time", *(integral.name for integral in self.problem.integrals)]
        return self.history[:, names.index(name)]

    @property
    def is_steady(self) -> bool:
        """Whether the flow no longer changes."""
        return self.case.is_steady(self.problem)

    def summary(self) -> str:
        """Return what the flow has come to, and how fast that went."""
        rate = self.steps * self.problem.flow.updates / max(self.seconds, 1e-9) / 1e6
        speed = f"{self.steps} steps in {self.seconds:.1f} s, {rate:.1f} MLUPS"
        return "\n".join(filter(None, (self.case.outcome(self), speed)))

    def variables(self) -> tuple[Variable, ...]:
        """Return velocity, pressure and density; collective."""
        return tuple(quantity.gather() for quantity in self.problem.quantities)

    def compare(self, variables: Sequence[Variable]) -> Sequence[Comparison]:
        """Return what came out beside what is known (rank 0)."""
        return self.case.compare(self, _values(variables))

    def findings(self, variables: Sequence[Variable]) -> str:
        """Return the same as text (rank 0)."""
        return "\n".join(map(str, self.compare(variables)))

    def pictures(self, variables: Sequence[Variable]) -> Mapping[str, Callable[[Path], None]]:
        """Return the picture of the flow (rank 0)."""
        picture = self.case.picture(self, _values(variables))
        return {f"{self.case.name}.png": partial(draw_flow, picture)}


def _values(variables: Sequence[Variable]) -> Values:
    return {v.name: v.values for v in variables if v.values is not None}
