"""What the cases of oceans have in common: steps, what can be seen, a run with samples.

A case says what its ocean is ('setup'), how long it lasts ('duration') and what is known of it
('compare', 'figures'); everything else is here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np

from halocline.apps.case import Case, Problem, remaining_steps
from halocline.apps.ocean.diagnostics.harmonics import HarmonicAnalysis, Window, variables
from halocline.apps.ocean.diagnostics.output import Names, in_names_of_getm, output_fields
from halocline.apps.ocean.diagnostics.pictures import Surface, map_of
from halocline.apps.ocean.diagnostics.surface import surface_integrals
from halocline.apps.ocean.model import Model, make_model
from halocline.apps.ocean.physics.tides import HOUR
from halocline.apps.sampled import (
    SampledResult,
    Values,
    as_line,
    run_in_pieces,
    sample,
    values_of,
)
from halocline.errors import CaseError, DivergedError
from halocline.language.numbers import Range

if TYPE_CHECKING:
    from datetime import datetime

    from numpy.typing import NDArray

    from halocline.apps.ocean.setup.setup import Setup
    from halocline.io.quantity import Integral, Quantity
    from halocline.io.variable import Variable
    from halocline.language.steps.steps import Step

    Draw = Callable[[Path], None]

# Steps in which an oscillation is seen.
_FEWEST = 8


class OceanProblem(Problem, kw_only=True):
    """Grid and steps of an ocean, with what is read off.

    Attributes:
        model: The ocean.
        analysis: Of its tides; None if nobody asks.
        shown: The quantities with Halocline's names, which results and pictures read.
    """

    model: Model
    analysis: HarmonicAnalysis | None
    shown: tuple[Quantity, ...]


@dataclass(frozen=True)
class OceanCase(Case):
    """Parameters of an ocean.

    Attributes:
        micro_step: Of the vertically integrated mode; without it a share of the longest that waves
            allow, which divides the period [s].
        micro_steps: How many of them make a step of the simulation.
        dtype: Of what is computed.
        fields: More fields for files, beside the usual ones: see the table in the guide; may be
            repeated.
        variable_names: Names of variables and axes in files: Halocline's, or those of GETM.

    Example:
        >>> class Pool(ocean.OceanCase):
        ...     name, period, duration = "pool", 3600.0, 600.0
        ...     @property
        ...     def setup(self):
        ...         sea = ocean.Domain(np.full((8, 6), 20.0), spacing=(1e3, 1e3))
        ...         return self.step_of(lambda step: ocean.Setup(sea, step, self.micro_steps))
        >>> Pool().steps
        3
    """

    # The micro step over the longest that waves allow, if it is not given.
    share_of_longest: ClassVar[float] = 0.495
    samples_per_period: ClassVar[int] = 20

    micro_step: Annotated[float | None, Range(above=0.0)] = None
    micro_steps: Annotated[int, Range(least=1)] = 10
    dtype: Literal["float64", "float32"] = "float64"
    fields: list[str] | None = None
    variable_names: Names = "halocline"

    # What a case says of itself.

    @property
    def period(self) -> float:
        """Of its oscillation [s]."""
        raise NotImplementedError

    @property
    def duration(self) -> float:
        """How long the run lasts [s]."""
        raise NotImplementedError

    @property
    def setup(self) -> Setup:
        """What the ocean is."""
        raise NotImplementedError

    @property
    def date(self) -> datetime | None:
        """Date and time at which the run begins; None if it has none."""
        return None

    def start(self, model: Model) -> None:
        """Set the first transports; at rest if a case does not say."""

    def diagnostics(self, model: Model) -> tuple[tuple[Step, ...], tuple[Integral, ...]]:
        """Return more integrals, and steps that bring up to date what they read."""
        return (), ()

    @property
    def window(self) -> Window | None:
        """What a harmonic analysis looks for; None for none."""
        return None

    def compare(self, result: OceanResult, values: Values) -> Sequence[object]:
        """Return what came out beside what is known, each a line of the report (rank 0)."""
        raise NotImplementedError

    def figures(self, result: OceanResult, values: Values) -> Mapping[str, Draw]:
        """Return for each picture's file name the function that draws it to a path (rank 0)."""
        raise NotImplementedError

    # What all have.

    def step_of(self, setup: Callable[[float], Setup]) -> Setup:
        """Return a setup with the micro step that was given, or one that divides the period.

        Args:
            setup: Makes it, given a micro step [s].
        """
        if self.micro_step is not None:
            return setup(self.micro_step)
        tiny = setup(1e-9)
        longest = self.share_of_longest * tiny.longest_step
        unit = self.micro_steps * self.samples_per_period
        return setup(self.period / (unit * ceil(self.period / (unit * longest))))

    @property
    def macro_step(self) -> float:
        """Length of a step of the simulation [s]."""
        return self.setup.macro_step

    @property
    def steps(self) -> int:
        """How many of them the run lasts."""
        return round(self.duration / self.macro_step)

    @property
    def interval(self) -> int:
        """Of them between two samples."""
        return max(1, round(self.period / (self.samples_per_period * self.macro_step)))

    def check(self) -> None:
        """Raise a CaseError for what cannot be computed."""
        super().check()
        steps = self.period / self.macro_step
        if steps < _FEWEST:
            raise CaseError(
                f"A step of {self.macro_step:g} s, {self.micro_steps} micro steps, makes "
                f"{steps:.2g} in a period; expected at least {_FEWEST}.",
                hint="Lower 'micro_steps' or 'micro_step'.",
            )
        if self.window is not None:
            self.window.check()

    def describe(self) -> str:
        """Return the parameters and what follows from them, as text."""
        setup = self.setup
        domain = setup.domain
        extent = " x ".join(map(str, domain.extent))
        wet = domain.is_wet.mean()
        layers = f"\n{setup.layers.count} layers" if setup.layers else ""
        return (
            f"{self.name}, {extent} cells, {100.0 * wet:.0f} % water, "
            f"up to {np.nanmax(domain.depth):.4g} m deep, {self.dtype}\n"
            f"micro step {setup.micro_step:.6g} s, {setup.micro_steps} in a step of "
            f"{setup.macro_step:.6g} s, {self.steps} steps in {self.duration / HOUR:.5g} hours"
            f"{layers}"
        )

    def bytes_stored(self) -> int:
        """Return about how much the stored fields will take, before compression [bytes]."""
        setup = self.setup
        shown = 3 + (0 if self.window is None else 2 * len(self.window.frequencies))
        if setup.layers:
            tracers = sum(tracer is not None for tracer in (setup.temperature, setup.salinity))
            shown += setup.layers.count * (2 + tracers + len(setup.tracers))
        return int(np.dtype(self.dtype).itemsize * np.prod(setup.domain.extent) * shown)

    def problem(self) -> OceanProblem:
        """Return grid, boundaries, first values and steps."""
        setup, window = self.setup, self.window
        model = make_model(setup)
        self.start(model)
        analysis = None if window is None else HarmonicAnalysis(model, window)
        shown = output_fields(model, more=self.fields or ())
        in_files = in_names_of_getm(shown) if self.variable_names == "getm" else shown
        more_steps, more_integrals = self.diagnostics(model)
        return OceanProblem(
            model.grid,
            (*model.steps, *(analysis.steps if analysis else ())),
            model=model,
            analysis=analysis,
            shown=shown.quantities,
            quantities=in_files.quantities,
            integrals=(*surface_integrals(model), *more_integrals),
            refresh=(*in_files.refresh, *more_steps),
            dt=self.macro_step,
            time_unit="s",
            axes=in_files.axes,
            start=self.date,
            constants=in_files.constants,
            decomposition=setup.domain.blocks(setup.layers.count if setup.layers else 0),
        )

    def run(self, simulation: Any, problem: Problem, watch: Callable[[str], None]) -> OceanResult:
        """Run to the end, and sample on the way."""
        assert isinstance(problem, OceanProblem)
        simulation.run(0, progress=False)  # begins what is written on the way
        steps, first, seconds = remaining_steps(simulation, self.steps), simulation.step, 0.0
        with self._dated(simulation):
            rows = [sample(simulation, problem)]
            for _, elapsed in run_in_pieces(simulation, self.steps, self.interval):
                seconds += elapsed
                rows.append(sample(simulation, problem))
                done = simulation.step - first
                watch(
                    f"hour {rows[-1][0] / HOUR:9.3f}   step {simulation.step:7d}   "
                    f"{as_line(problem, rows[-1])}   {seconds:8.2f} s   "
                    f"about {seconds / done * (steps - done):.0f} s left"
                )
        simulation.execute(*problem.refresh)
        return OceanResult(self, problem, np.array(rows), steps, seconds, simulation.step)

    @contextmanager
    def _dated(self, simulation: Any) -> Iterator[None]:
        """Say of a run that diverges within this when it does, and who sets the limits."""
        try:
            yield
        except DivergedError as error:
            seconds = simulation.step * self.macro_step
            at = f"{seconds / HOUR:.5g} hours after the begin"
            if self.date is not None:
                at += f", {(self.date + timedelta(seconds=seconds)).isoformat(' ', 'seconds')}"
            raise DivergedError(
                f"{error.message} This is {at}.",
                hint=f"{error.hint} See also 'limits' of a Setup, or --velocity-limits and the "
                "like.",
            ) from None


class OceanResult(SampledResult):
    """The result of a run of an ocean; its history begins with a sample.

    Attributes:
        step: Steps in all.

    Example:
        >>> from halocline.apps.cases import make_case
        >>> case = make_case("seiche", {"cells": 8, "periods": 2})
        >>> problem = case.problem()
        >>> simulation = hc.Simulation(problem.grid, problem.steps, dt=problem.dt)
        >>> result = case.run(simulation, problem, watch=lambda line: None)
        >>> result.drift("volume") < 1e-12
        True
    """

    case: OceanCase
    problem: OceanProblem
    step: int

    def drift(self, name: str) -> float:
        """Return by how much an integral has changed during this run, over its first value."""
        series = self.series(name)
        return float(np.abs(series / series[0] - 1.0).max())

    def surface(self, title: str, values: Values) -> Surface:
        """Return elevation and current at the end, for a picture."""
        parts = (values[name] for name in ("zeta", "u", "v"))
        return Surface(title, map_of(self.case.setup.domain), *parts)

    def summary(self) -> str:
        """Return how fast the steps were."""
        setup = self.problem.model.setup
        updates = self.steps * setup.micro_steps * np.prod(setup.domain.extent)
        return (
            f"{self.steps} steps in {self.seconds:.1f} s, "
            f"{updates / max(self.seconds, 1e-9) / 1e6:.1f} million cells and micro steps/s"
        )

    def variables(self) -> tuple[Variable, ...]:
        """Return elevation, velocity and harmonic constants; collective."""
        shown = tuple(quantity.gather() for quantity in self.problem.shown)
        analysis = self.problem.analysis
        if analysis is None:
            return shown
        constants = analysis.gather(self.step)
        if constants is not None:
            is_wet = self.problem.model.setup.domain.is_wet
            constants = {n: np.where(is_wet, wave, np.nan) for n, wave in constants.items()}
        return (*shown, *variables(constants, tuple(analysis.window.frequencies)))

    def pictures(self, variables: Sequence[Variable]) -> Mapping[str, Draw]:
        """Return the pictures of the case (rank 0)."""
        return self.case.figures(self, values_of(variables))


def wave_of(values: Values, name: str) -> NDArray[np.complex128]:
    """Return amplitude * exp(-i phase) of a wave, out of the variables of a result."""
    lag = np.radians(values[f"{name}_phase"])
    return np.asarray(values[f"{name}_amplitude"] * np.exp(-1j * lag), dtype=np.complex128)
