"""The base of all cases of flows: parameters, steps, diagnostics and the run.

A case says what its flow is ('setup'), where it begins ('start') and what is known of it
('compare', 'pictures'); everything else is here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from msgspec.structs import replace

import halocline as hc
from halocline.apps.case import Problem
from halocline.apps.lbm.cases.flow_pictures import FlowFigure, Plane, draw_flow
from halocline.apps.lbm.cases.flow_quantities import integrals, quantities
from halocline.apps.lbm.cases.scaling import Scaling
from halocline.apps.lbm.cases.units import UnitParameters
from halocline.apps.lbm.collision.by_name import COLLISIONS, collision_named, lattice_for
from halocline.apps.lbm.flow import kernels
from halocline.apps.lbm.flow.flow import Flow, make_flow
from halocline.apps.lbm.lattice.streaming import DTYPES, STREAMINGS
from halocline.apps.lbm.lattice.velocity_set import NAMES
from halocline.apps.lbm.setup.setup import Setup
from halocline.apps.lbm.setup.sides import Open
from halocline.apps.sampled import (
    SampledResult,
    Values,
    as_line,
    run_in_pieces,
    sample,
    values_of,
)
from halocline.io.forest_plane import blocks_in_plane
from halocline.language.numbers import Range
from halocline.options import OneOf

if TYPE_CHECKING:
    from halocline.io.quantity import Integral
    from halocline.io.variable import Variable
    from halocline.language.expressions.parameters import Formula
    from halocline.language.grids.resampled import Prolongation
    from halocline.language.steps.steps import Reduction, Step

# Density and pressure, beside one velocity component an axis.
VARIABLES = 2


class SampledFlow(Problem, kw_only=True):
    """Grid and steps of a flow, with diagnostics.

    Attributes:
        flow: The flow.
        interval: Steps of the simulation between two samples.
        change: The greatest change of the velocity from one sample to the next [cells / step];
            None if it is not computed.
    """

    flow: Flow
    interval: int
    change: Reduction | Formula | None


@dataclass(frozen=True)
class FlowCase(UnitParameters):
    """Parameters of a flow.

    Attributes:
        collision: What becomes of the populations that meet in a cell.
        smagorinsky_constant: Of eddies smaller than a cell, 0.1 to 0.17; 0 for none.
        lattice: The velocity set; without it the usual one of the collision.
        streaming: 'two-grids', or 'in-place' for half the memory.
        dtype: Of what is stored; 'float16' computes in float32.

    Example:
        >>> class Box(lbm.FlowCase):
        ...     name, axes, duration = "box", 2, 1.0
        ...     def setup(self):
        ...         return self.lattice_setup((self.scaling.cells,) * 2)
        >>> Box(cells=8, reynolds=1.0, lattice_speed=0.05).setup().extent
        (8, 8)
    """

    # The greatest speed of the flow, over its speed.
    peak_speed: ClassVar[float] = 1.0
    # Whether the velocity jumps at corners of the domain.
    has_corners: ClassVar[bool] = False

    collision: Annotated[str, OneOf(tuple(COLLISIONS))] = "trt"
    smagorinsky_constant: Annotated[float, Range(least=0.0, below=1.0)] = 0.0
    lattice: Annotated[str | None, OneOf(NAMES)] = None
    streaming: Annotated[str, OneOf(tuple(STREAMINGS))] = "two-grids"
    dtype: Annotated[str, OneOf(DTYPES)] = "float64"

    # What a case says of itself.

    @property
    def axes(self) -> int:
        """How many dimensions it has."""
        raise NotImplementedError

    @property
    def duration(self) -> float:
        """Convective times after which the run ends at the latest."""
        raise NotImplementedError

    @property
    def samples(self) -> float:
        """Samples in a convective time, in which the flow passes its length."""
        return 1.0

    @property
    def steady_tolerance(self) -> float:
        """The change of the velocity in a convective time that ends the run [speed]; or 0."""
        return 0.0

    def setup(self) -> Setup:
        """Return what the flow is; begin with 'self.lattice_setup'."""
        raise NotImplementedError

    def start(self, flow: Flow) -> None:
        """Set the initial values; by default at rest."""

    def diagnostics(self, flow: Flow) -> tuple[tuple[Step, ...], tuple[Integral, ...]]:
        """Return more integrals, and steps that bring up to date what they read."""
        return (), ()

    def samples_needed(self, changes: Sequence[float], most: float) -> float:
        """Return the expected number of samples until the run ends.

        Args:
            changes: Of the velocity in a convective time, at each sample so far [speed].
            most: How many there are until the run ends at the latest.
        """
        return most

    def outcome(self, result: FlowResult) -> str:
        """Return the outcome of the run as text; '' for none."""
        return ""

    def compare(self, result: FlowResult, values: Values) -> Sequence[object]:
        """Return computed beside reference values, each a line of the report (rank 0)."""
        raise NotImplementedError

    def picture(self, result: FlowResult, values: Values) -> FlowFigure:
        """Return what the picture shows (rank 0)."""
        raise NotImplementedError

    # What all have.

    @property
    def scaling(self) -> Scaling:
        """The flow in lattice units."""
        scaling = super().scaling
        return replace(
            scaling, collision=self.collision, smagorinsky_constant=self.smagorinsky_constant
        )

    def check(self) -> None:
        """Raise a CaseError for parameters that cannot be computed."""
        super().check()
        self.check_units()
        lattice_for(self.collision, self.axes, self.lattice)
        self.scaling.check(self.peak_speed, has_corners=self.has_corners)

    def describe(self) -> str:
        """Return the parameters, the table of units and warnings, as text."""
        setup = self.setup()
        extent = " x ".join(map(str, setup.extent))
        constant = self.smagorinsky_constant
        eddies = f" with Smagorinsky's constant {constant:g}" if constant else ""
        is_open = any(isinstance(b, Open) for b in setup.sides.values())
        warnings = self.scaling.warnings(self.peak_speed, is_open=is_open)
        return "\n".join(
            [
                f"{self.name}, {extent} cells, {setup.lattice} {self.collision}{eddies}, "
                f"{self.streaming}, {self.dtype}",
                self.unit_table(),
                *(f"warning: {text}" for text in warnings),
            ]
        )

    def bytes_stored(self) -> int:
        """Return about how much the stored fields will take, before compression [bytes]."""
        setup = self.setup()
        finest = 0 if setup.refinement is None else setup.refinement.finest
        # Fields are stored on the finest cells everywhere.
        cells = int(np.prod(setup.extent)) << finest * self.axes
        return int((self.axes + VARIABLES) * np.dtype(self.dtype).itemsize * cells)

    def lattice_setup(self, extent: tuple[int, ...], **more: Any) -> Setup:
        """Return a setup with an extent and all that follows from the parameters."""
        units = self.units
        return Setup(
            extent,
            lattice_for(self.collision, self.axes, self.lattice),
            self.scaling.omega,
            collision_named(self.collision, self.smagorinsky_constant),
            streaming=self.streaming,
            dtype=self.dtype,
            spacing=units.cell,
            step_time=units.step,
            **more,
        )

    def problem(self) -> SampledFlow:
        """Return grid, boundaries, first values and steps."""
        flow, units = make_flow(self.setup()), self.units
        self.start(flow)
        # An even number of lattice steps: what goes to and fro at an open side is no change.
        pairs = max(1, round(0.5 * self.scaling.length / (self.scaling.speed * self.samples)))
        interval = 2 * pairs // flow.lattice_steps
        steps, change = flow.steps, None
        if self.steady_tolerance:
            velocity = flow.velocity
            before = flow.grid.field("before", components=self.axes, dtype=velocity.dtype)
            changed = flow.grid.field("change", dtype=velocity.dtype)
            change = hc.max(changed, name="change")
            # The velocity may be updated at any other time, too.
            compare = kernels.compare_velocity(velocity, before, changed)
            steps = (*steps, hc.every(interval, flow.observe, compare, change))
        energy, of_flow = integrals(flow, units)
        more_steps, more_integrals = self.diagnostics(flow)
        if more_steps:
            # Within the steps, so that what they read next door is stored.
            steps = (*steps, hc.every(interval, flow.observe, *more_steps))
        return SampledFlow(
            flow.grid,
            steps,
            flow=flow,
            interval=interval,
            change=change,
            quantities=quantities(flow, units),
            integrals=(*of_flow, *more_integrals),
            refresh=(flow.observe, *energy, *more_steps),
            dt=flow.dt,
            time_unit=units.time_unit,
        )

    def run(self, simulation: Any, problem: Problem, watch: Callable[[str], None]) -> FlowResult:
        """Run until the flow is steady, or as long as allowed, and sample it on the way."""
        assert isinstance(problem, SampledFlow)
        length = self.scaling.length / self.scaling.speed
        last = round(self.duration * length / problem.flow.lattice_steps)
        rows: list[tuple[float, ...]] = []
        changes: list[float] = []
        first, seconds = simulation.step, 0.0
        pieces = run_in_pieces(simulation, last, problem.interval, lambda: self.is_steady(problem))
        for steps, elapsed in pieces:
            seconds += elapsed
            rows.append(sample(simulation, problem))
            changes.append(self.change(problem))
            most = (last - simulation.step) / problem.interval
            left_s = self.samples_needed(changes, most) * seconds / len(rows)
            change = f"   change {changes[-1]:.3e} U" if problem.change is not None else ""
            watch(
                f"time {rows[-1][0]:10.4g} {problem.time_unit}   step {simulation.step:8d}   "
                f"{as_line(problem, rows[-1], 1)}{change}   {seconds:9.2f} s   "
                f"{steps * problem.flow.updates / elapsed / 1e6:8.2f} MLUPS   "
                f"about {left_s:.0f} s left"
            )
        history = np.array(rows).reshape(len(rows), 1 + len(problem.integrals))
        times = simulation.step * problem.flow.lattice_steps / length
        steps = simulation.step - first
        return FlowResult(self, problem, history, steps, seconds, tuple(changes), times)

    def change(self, problem: SampledFlow) -> float:
        """Return the last known change of the velocity [U]; NaN before the first."""
        value = float("nan") if problem.change is None else problem.change.value
        return value * self.samples / self.scaling.speed

    def is_steady(self, problem: SampledFlow) -> bool:
        """Return whether the last known change is within the tolerance."""
        return self.change(problem) <= self.steady_tolerance


class FlowResult(SampledResult):
    """The result of a run of a flow.

    Attributes:
        changes: Of the velocity in a convective time, at each sample of this run [speed].
        times: Convective times in all.

    Example:
        >>> from halocline.apps.cases import make_case
        >>> case = make_case("taylor-green", {"dimensions": 2, "cells": 16})
        >>> problem = case.problem()
        >>> simulation = hc.Simulation(problem.grid, problem.steps, dt=problem.dt)
        >>> result = case.run(simulation, problem, watch=lambda line: None)
        >>> [variable.name for variable in result.variables()]
        ['u', 'v', 'pressure', 'density']
    """

    case: FlowCase
    problem: SampledFlow
    changes: tuple[float, ...]
    times: float

    @property
    def is_steady(self) -> bool:
        """Whether the flow no longer changes."""
        return self.case.is_steady(self.problem)

    def summary(self) -> str:
        """Return the outcome of the run and its speed."""
        rate = self.steps * self.problem.flow.updates / max(self.seconds, 1e-9) / 1e6
        speed = f"{self.steps} steps in {self.seconds:.1f} s, {rate:.1f} MLUPS"
        return "\n".join(filter(None, (self.case.outcome(self), speed)))

    def variables(self) -> tuple[Variable, ...]:
        """Return velocity, pressure and density; collective.

        On several levels of the finest one, interpolated unless there are solid cells.
        """
        prolongation: Prolongation = "nearest" if self.problem.flow.solids.levels else "linear"
        return tuple(quantity.gather(prolongation) for quantity in self.problem.quantities)

    def middle_plane(self, values: Values, **more: Any) -> Plane:
        """Return the flow in the plane half way along z; 'more' is of the plane.

        On several levels values are those of the finest cells; borders of blocks are drawn.
        """
        # Solid cells have no density.
        u, v, solid = values["u"], values["v"], values["density"] == 0.0
        if u.ndim > len("xy"):
            u, v, solid = (part[:, :, part.shape[2] // 2] for part in (u, v, solid))
        units, flow = self.case.units, self.problem.flow
        length, height = flow.setup.extent[: len("xy")]
        if flow.setup.refinement is not None:
            more["blocks"] = blocks_in_plane(flow.grid)
        return Plane(
            u,
            v,
            solid,
            (length * units.cell, height * units.cell),
            ("x [m]", "y [m]") if units.is_physical else ("$x / L$", "$y / L$"),
            "m/s" if units.is_physical else "U",
            **more,
        )

    def pictures(self, variables: Sequence[Variable]) -> Mapping[str, Callable[[Path], None]]:
        """Return the picture of the flow (rank 0)."""
        picture = self.case.picture(self, values_of(variables))
        return {f"{self.case.name}.png": partial(draw_flow, picture)}
