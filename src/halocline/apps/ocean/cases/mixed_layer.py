"""Kato and Phillips' experiment: wind makes a mixed layer that eats its way into stratified water.

The stress u*² of the wind, which begins to blow at once, mixes water with the buoyancy frequency N.
The layer's depth grows as 1.05 u* sqrt(t / N).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from msgspec.structs import asdict

import halocline as hc
from halocline.apps.case import ENDS, Problem
from halocline.apps.comparison import Comparison
from halocline.apps.ocean.cases.layered_case import LayeredCase, layers_of, tracers_of
from halocline.apps.ocean.cases.ocean_case import OceanProblem, OceanResult
from halocline.apps.ocean.diagnostics.sections import Section, draw_section
from halocline.apps.ocean.physics.constants import GRAVITY
from halocline.apps.ocean.physics.drag import LinearDrag
from halocline.apps.ocean.physics.equation_of_state import REFERENCE_DENSITY, linear
from halocline.apps.ocean.physics.tides import HOUR
from halocline.apps.ocean.setup.domain import Domain
from halocline.apps.ocean.setup.setup import Setup
from halocline.apps.ocean.setup.sigma import Sigma
from halocline.io.plots import Curve
from halocline.io.quantity import Integral
from halocline.language.numbers import Range

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.apps.ocean.cases.ocean_case import Draw
    from halocline.apps.ocean.model import Model
    from halocline.apps.sampled import Values
    from halocline.language.points.record import Record
    from halocline.language.steps.steps import Step

# Periodic cells along each side, all alike, and their width, which does not matter [m].
_CELLS, _WIDTH = 2, 10e3
_BY_TEMPERATURE = -0.17
# Water with more energy of turbulence than this belongs to the mixed layer [m²/s²].
_TURBULENT = 1e-5


class ColumnProblem(OceanProblem, kw_only=True):
    """A column, with what is kept of it on the way.

    Attributes:
        record: Its temperature now and then.
    """

    record: Record


class ColumnResult(OceanResult):
    """What a run of a column has found.

    Attributes:
        times: When its temperature was kept [s].
        temperature: Of layers (times, layers) [degC].
    """

    times: NDArray[np.float64]
    temperature: NDArray[np.float64]


@dataclass(frozen=True)
class MixedLayer(LayeredCase):
    """Parameters of a mixed layer.

    Attributes:
        water_depth: [m].
        friction_velocity: Of the wind, u* [m/s].
        frequency: Of buoyancy at the beginning, N [1/s].
        hours: How long the run lasts.
    """

    name: ClassVar[str] = "mixed-layer"
    # An hour, in which some samples are taken.
    period: ClassVar[float] = HOUR
    samples_per_period: ClassVar[int] = 4

    micro_step: Annotated[float | None, Range(above=0.0)] = 60.0
    micro_steps: Annotated[int, Range(least=1)] = 1
    layers: Annotated[int, Range(least=2)] = 100
    water_depth: Annotated[float, Range(above=0.0)] = 50.0
    friction_velocity: Annotated[float, Range(above=0.0)] = 0.01
    frequency: Annotated[float, Range(above=0.0)] = 0.01
    hours: Annotated[float, Range(above=0.0), ENDS] = 30.0

    @property
    def duration(self) -> float:
        """How long the run lasts [s]."""
        return self.hours * HOUR

    def known_depth(self, time: Any) -> Any:
        """Return the depth of the mixed layer at times [m]. Source: Price 1979."""
        return 1.05 * self.friction_velocity * np.sqrt(time / self.frequency)

    @cached_property
    def setup(self) -> Setup:
        """Columns under a wind along x; nothing rotates, and nothing sticks to the bed."""
        warmer = self.frequency**2 * REFERENCE_DENSITY / (-GRAVITY * _BY_TEMPERATURE)
        return self.step_of(
            lambda step: Setup(
                Domain(
                    np.full((_CELLS, _CELLS), self.water_depth),
                    (_WIDTH, _WIDTH),
                    periodic=(True, True),
                ),
                step,
                self.micro_steps,
                drag=LinearDrag(0.0),
                drying_limiter=False,
                advection="none",
                stress=(self.friction_velocity**2, 0.0),
                layers=Sigma(self.layers),
                temperature=lambda x, y, z: 15.0 + warmer * z + 0.0 * (x + y),
                density=partial(
                    linear,
                    reference=REFERENCE_DENSITY,
                    by_temperature=_BY_TEMPERATURE,
                    by_salinity=0.0,
                ),
                dtype=self.dtype,
            )
        )

    def diagnostics(self, model: Model) -> tuple[tuple[Step, ...], tuple[Integral, ...]]:
        """Return the depth of the mixed layer, and the momentum."""
        depth = model.grid.field("depth_of_face", axes="z", location="z_face", dtype=self.dtype)
        depth.set(self.water_depth * (1.0 - layers_of(model).below_faces))
        energy = layers_of(model).turbulence.tke
        mixed = hc.max(hc.where(energy > _TURBULENT, depth, 0.0))
        share = 1.0 / _CELLS**2
        return (), (
            Integral("mixed_depth", mixed, 1.0, "m", "of water that is turbulent"),
            Integral("momentum", hc.sum(model.U), share, "m2 s-1", "mean transport along x"),
        )

    def problem(self) -> ColumnProblem:
        """Return grid, boundaries, first values and steps."""
        problem = super().problem()
        (temperature,) = tracers_of(problem.model)
        levels = (np.arange(self.layers) + 0.5) / self.layers  # coordinates of layers
        place = hc.Points([(0.5 * _WIDTH, 0.5 * _WIDTH, level) for level in levels])
        record = place.record(temperature, every=self.interval)
        parts = {**asdict(problem), "steps": (*problem.steps, record)}
        return ColumnProblem(**parts, record=record)

    def run(self, simulation: Any, problem: Problem, watch: Callable[[str], None]) -> ColumnResult:
        """Run to the end, and sample on the way."""
        assert isinstance(problem, ColumnProblem)
        result = super().run(simulation, problem, watch)
        return ColumnResult(
            **asdict(result),
            # Steps begin at the times that it tells, and it is their last.
            times=np.asarray(problem.record.times) + self.macro_step,
            temperature=np.asarray(problem.record.values),
        )

    def compare(self, result: OceanResult, values: Values) -> Sequence[object]:
        """Return the depth of the mixed layer every five hours, and the momentum."""
        time, depth = result.series("time"), result.series("mixed_depth")
        whole = np.nonzero((time > 0.0) & np.isclose(np.remainder(time, 5.0 * HOUR), 0.0))[0]
        blown = self.friction_velocity**2 * time[-1]
        return (
            *(
                Comparison(
                    f"depth of the mixed layer after {time[at] / HOUR:.3g} hours [m]",
                    float(depth[at]),
                    float(self.known_depth(time[at])),
                    "Price",
                )
                for at in whole
            ),
            Comparison("momentum [m²/s]", float(result.series("momentum")[-1]), blown, "u*² t"),
        )

    def figures(self, result: OceanResult, values: Values) -> Mapping[str, Draw]:
        """Return the buoyancy frequency in the course of time, with the mixed layer.

        A run that ends before anything was recorded has no picture.
        """
        assert isinstance(result, ColumnResult)
        if not len(result.times):
            return {}
        share = layers_of(result.problem.model).below_faces
        middles = self.water_depth * (0.5 * (share[1:] + share[:-1]) - 1.0)
        warmer = np.diff(result.temperature, axis=1) / np.diff(middles)
        squared = (-GRAVITY * _BY_TEMPERATURE / REFERENCE_DENSITY) * warmer
        hours = result.series("time") / HOUR
        section = Section(
            f"mixed layer, u* = {self.friction_velocity:g} m/s, {self.layers} layers",
            ("hours", "height [m]"),
            result.times / HOUR,
            np.broadcast_to(middles, result.temperature.shape),
            squared / self.frequency**2,
            "N² over that at the beginning",
            (
                Curve("turbulent down to", hours, -result.series("mixed_depth")),
                Curve("1.05 u* sqrt(t / N)", hours, -self.known_depth(result.series("time"))),
            ),
        )
        return {"mixed_layer.png": partial(draw_section, section, ())}
