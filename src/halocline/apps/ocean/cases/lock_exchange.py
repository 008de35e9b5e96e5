"""Lock exchange: cold water beside warm water, after the lock between them is gone.

The cold water runs along the bed below the warm water, which runs back above it. Without mixing the
fronts move at half of sqrt(g' H).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import sqrt
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

import halocline as hc
from halocline.apps.case import ENDS
from halocline.apps.comparison import Comparison
from halocline.apps.ocean.cases.layered_case import LayeredCase, content, layers_of, tracers_of
from halocline.apps.ocean.diagnostics.sections import Section, draw_section
from halocline.apps.ocean.numerics.limiters import Scheme
from halocline.apps.ocean.physics.constants import GRAVITY
from halocline.apps.ocean.physics.drag import LinearDrag, LogarithmicDrag
from halocline.apps.ocean.physics.equation_of_state import REFERENCE_DENSITY, linear
from halocline.apps.ocean.physics.tides import HOUR
from halocline.apps.ocean.setup.domain import Domain
from halocline.apps.ocean.setup.setup import PressureGradient, Setup
from halocline.apps.ocean.setup.sigma import Sigma
from halocline.errors import CaseError
from halocline.io.plots import Curve, Plot
from halocline.io.quantity import Integral
from halocline.language.numbers import Range

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.apps.ocean.cases.ocean_case import Draw, OceanResult
    from halocline.apps.ocean.model import Model
    from halocline.apps.sampled import Values
    from halocline.language.steps.steps import Step

# Cells across the channel.
_ACROSS = 2
# Change of the density with the temperature [kg/m³/K].
_BY_TEMPERATURE = -0.2
# Front speeds that GETM found, with SUPERBEE, a mixing of 1e-4 m²/s and drag of the bed [m/s].
_GETM = {"surface": 0.401, "bottom": 0.349}


@dataclass(frozen=True)
class LockExchange(LayeredCase):
    """Parameters of a lock exchange.

    Attributes:
        cells: Along the channel.
        length: Of the channel, with the lock in its middle [m].
        water_depth: [m].
        cold: Temperature on the left [degC].
        warm: On the right [degC].
        hours: How long the run lasts.
        scheme: Of the advection of temperature.
        pressure_gradient: How the density drives layers.
        mixing: Viscosity and diffusivity beside those of turbulence [m²/s].
        roughness: Length z0 of the bed; 0 for none, as fronts that do not mix feel no drag [m].
    """

    name: ClassVar[str] = "lock-exchange"
    # An hour, in which some samples are taken.
    period: ClassVar[float] = HOUR
    samples_per_period: ClassVar[int] = 4

    # Turbulence at the fronts feels steps that are much longer.
    micro_steps: Annotated[int, Range(least=1)] = 1
    cells: Annotated[int, Range(least=8)] = 128
    length: Annotated[float, Range(above=0.0)] = 64e3
    water_depth: Annotated[float, Range(above=0.0)] = 20.0
    cold: float = 5.0
    warm: float = 30.0
    hours: Annotated[float, Range(above=0.0), ENDS] = 17.0
    scheme: Scheme = "SUPERBEE"
    pressure_gradient: PressureGradient = "jacobian"
    mixing: Annotated[float, Range(least=0.0)] = 1e-4
    roughness: Annotated[float, Range(least=0.0)] = 0.0

    @property
    def duration(self) -> float:
        """How long the run lasts [s]."""
        return self.hours * HOUR

    @property
    def speed(self) -> float:
        """Of fronts between waters that do not mix [m/s]. Source: Benjamin 1968."""
        heavier = _BY_TEMPERATURE * (self.cold - self.warm)
        return 0.5 * sqrt(GRAVITY * self.water_depth * heavier / REFERENCE_DENSITY)

    def check(self) -> None:
        """Raise a CaseError for what cannot be computed."""
        if self.warm <= self.cold:
            raise CaseError(
                f"'warm' was given {self.warm:g} degC, 'cold' {self.cold:g} degC; expected warm "
                "water on the right."
            )
        super().check()

    @property
    def x(self) -> NDArray[np.float64]:
        """Middles of the cells [m]."""
        return np.asarray((np.arange(self.cells) + 0.5) * (self.length / self.cells))

    @cached_property
    def setup(self) -> Setup:
        """A closed channel with a lock in its middle."""
        width = self.length / self.cells
        is_warm = self.x > 0.5 * self.length
        first = np.where(is_warm, self.warm, self.cold)[:, np.newaxis, np.newaxis]
        return self.step_of(
            lambda step: Setup(
                Domain(np.full((self.cells, _ACROSS), self.water_depth), (width, width)),
                step,
                self.micro_steps,
                drag=LogarithmicDrag(self.roughness) if self.roughness else LinearDrag(0.0),
                drying_limiter=False,
                layers=Sigma(self.layers),
                temperature=np.broadcast_to(first, (self.cells, _ACROSS, self.layers)),
                density=partial(
                    linear,
                    reference=REFERENCE_DENSITY,
                    at=(0.5 * (self.cold + self.warm), 0.0),
                    by_temperature=_BY_TEMPERATURE,
                    by_salinity=0.0,
                ),
                mixing=self.mixing,
                scheme=self.scheme,
                pressure_gradient=self.pressure_gradient,
                dtype=self.dtype,
            )
        )

    def diagnostics(self, model: Model) -> tuple[tuple[Step, ...], tuple[Integral, ...]]:
        """Return where the fronts are, heat, and extrema of the temperature."""
        (temperature,) = tracers_of(model)
        front = model.grid.field("front", dtype=self.dtype)
        find = find_fronts(front, temperature, middle=0.5 * (self.cold + self.warm))
        at_bed, at_surface = (
            model.grid.field(name, axes="z", dtype=self.dtype) for name in ("at_bed", "at_surface")
        )
        levels = np.arange(self.layers)
        at_bed.set(1.0 * (levels == 0))
        at_surface.set(1.0 * (levels == self.layers - 1))
        surface = hc.min(hc.where(front * at_surface > 0.0, front, self.length))
        return (find,), (
            Integral("surface_front", surface, 1.0, "m", "where the surface becomes warm"),
            Integral("bottom_front", hc.max(front * at_bed), 1.0, "m", "where the bed does"),
            content(model, temperature),
            Integral("coldest", hc.min(temperature), unit="degC", description="water"),
            Integral("warmest", hc.max(temperature), unit="degC", description="water"),
        )

    def compare(self, result: OceanResult, values: Values) -> Sequence[object]:
        """Return speeds of fronts, extrema of the temperature, heat, and how much has mixed."""
        time = result.series("time")
        lines: list[object] = []
        for name, published in _GETM.items():
            front = result.series(f"{name}_front")
            mean = abs(front[-1] - front[0]) / (time[-1] - time[0])
            lines += [
                Comparison(f"{name} front [m/s]", float(mean), self.speed, "0.5 sqrt(g' H)"),
                Comparison(f"{name} front [m/s]", float(mean), published, "GETM"),
            ]
        beyond = max(
            0.0,
            self.cold - result.series("coldest").min(),
            result.series("warmest").max() - self.warm,
        )
        return (
            *lines,
            Comparison("temperature beyond the first extrema [K]", float(beyond)),
            Comparison(
                "greatest change of the heat, relative", result.drift("temperature_content")
            ),
            Comparison("mixed, by reference potential energy [%]", 100.0 * self.mixed(values)),
        )

    def mixed(self, values: Values) -> float:
        """Return by how much the reference potential energy has grown; 1 if all is mixed.

        It is that of the same water, sorted by its density: only mixing raises it.
        """
        depth = values["zeta"][..., np.newaxis] + self.water_depth
        volume = (depth / self.layers * np.ones_like(values["temperature"])).ravel()
        height = _height_of_heat(values["temperature"].ravel(), volume)
        # Half cold, half warm; and all of one temperature.
        first, last = (self.cold + 3.0 * self.warm) / 8.0, (self.cold + self.warm) / 4.0
        return float((first - height) / (first - last))

    def figures(self, result: OceanResult, values: Values) -> Mapping[str, Draw]:
        """Return the section of the temperature, and the way of the fronts."""
        hours = result.series("time") / HOUR
        way = self.speed * result.series("time")
        ends = 0.5 * self.length + np.array([-way[-1], way[-1]])
        share = layers_of(result.problem.model).below_faces
        depth = values["zeta"][:, 0] + self.water_depth
        section = Section(
            f"lock exchange, {self.scheme}, after {hours[-1]:.3g} hours",
            ("x [km]", "height [m]"),
            self.x / 1e3,
            depth[:, np.newaxis] * share - self.water_depth,
            values["temperature"][:, 0],
            "temperature [°C]",
            (
                Curve(
                    "fronts that do not mix: 0.5 sqrt(g' H)",
                    np.array([ends[0], ends[0], ends[1], ends[1]]) / 1e3,
                    np.array([0.0, -0.5, -0.5, -1.0]) * self.water_depth,
                ),
            ),
        )
        curves = [
            Plot(
                f"{name} front",
                ("hours", "way [km]"),
                Curve("this run", hours, abs(front - front[0]) / 1e3),
                (
                    Curve("0.5 sqrt(g' H)", hours, way / 1e3),
                    Curve("GETM", hours, _GETM[name] * 3.6 * hours),
                ),
            )
            for name in _GETM
            for front in [result.series(f"{name}_front")]
        ]
        return {"section.png": partial(draw_section, section, curves)}


@hc.kernel
def find_fronts(front: Any, temperature: Any, *, middle: Any) -> None:
    """Find where water becomes warm on the way along x, from cell to cell.

    Args:
        front: Gets the place between the middles of two cells, 0 where there is none [m].
        temperature: [degC].
        middle: From which on it counts as warm [degC].
    """
    before = hc.at(temperature, x=-1)
    passes = (before < middle) & (temperature >= middle)
    back = (temperature - middle) / hc.where(passes, temperature - before, 1.0)
    front[...] = hc.where(passes, hc.coordinate("x") - hc.spacing("x") * back, 0.0)


def _height_of_heat(temperature: NDArray[Any], volume: NDArray[Any]) -> float:
    """Return the mean of temperature times height over the depth, of sorted water."""
    order = np.argsort(temperature)
    share = volume[order] / volume.sum()
    height = np.cumsum(share) - 0.5 * share
    return float(np.sum(temperature[order] * share * height))
