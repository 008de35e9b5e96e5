"""A seamount in stratified water at rest: all that moves is an error of the pressure gradient.

Layers slope along its flanks. What is left of the gradient of pressure, which should vanish, drives
currents that grow for some days.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

import halocline as hc
from halocline.apps.case import ENDS
from halocline.apps.comparison import Comparison
from halocline.apps.ocean.cases.layered_case import LayeringCase
from halocline.apps.ocean.diagnostics.pictures import map_of
from halocline.apps.ocean.diagnostics.sections import Plan, draw_plan
from halocline.apps.ocean.physics.drag import LogarithmicDrag
from halocline.apps.ocean.physics.equation_of_state import REFERENCE_DENSITY, linear
from halocline.apps.ocean.physics.tides import HOUR
from halocline.apps.ocean.setup.domain import Domain
from halocline.apps.ocean.setup.setup import PressureGradient, Setup
from halocline.io.plots import Curve, Plot
from halocline.io.quantity import Integral
from halocline.language.numbers import Range
from halocline.options import options_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.apps.ocean.cases.ocean_case import Draw, OceanResult
    from halocline.apps.ocean.model import Model
    from halocline.apps.sampled import Values
    from halocline.language.steps.steps import Step

DAY = 24.0 * HOUR
_DEPTH, _WIDTH = 4500.0, 50e3
# What GETM found with 20 even sigma layers after so many days: greatest velocity and root mean
# square of the speed [m/s].
_DAYS = (1, 2, 5, 10)
_GETM = {
    "blumberg-mellor": ((0.0060, 0.0117, 0.0250, 0.0333), (0.0007, 0.0014, 0.0033, 0.0052)),
    "jacobian": ((0.00013, 0.00027, 0.00073, 0.0021), (2e-5, 3e-5, 7e-5, 2.1e-4)),
}


@dataclass(frozen=True)
class Seamount(LayeringCase):
    """Parameters of water at rest above a seamount.

    Attributes:
        cells: Along each side, of which the outermost are land.
        cell_size: Edge length [m].
        height: Of the mountain over the depth around it, which is 4500 m.
        days: How long the run lasts.
        pressure_gradient: How the density drives layers.
        by_temperature: Change of the density with the temperature; 0 for water that is everywhere
            as heavy, in which nothing at all may move [kg/m³/K].
    """

    name: ClassVar[str] = "seamount"
    # A day, in which some samples are taken.
    period: ClassVar[float] = DAY
    samples_per_period: ClassVar[int] = 4

    micro_step: Annotated[float | None, Range(above=0.0)] = 12.0
    micro_steps: Annotated[int, Range(least=1)] = 30
    cells: Annotated[int, Range(least=8)] = 66
    cell_size: Annotated[float, Range(above=0.0)] = 8e3
    height: Annotated[float, Range(least=0.0, below=1.0)] = 0.6
    days: Annotated[float, Range(above=0.0), ENDS] = 10.0
    pressure_gradient: PressureGradient = "jacobian"
    by_temperature: float = -0.17

    @property
    def duration(self) -> float:
        """How long the run lasts [s]."""
        return self.days * DAY

    @property
    def depth(self) -> NDArray[np.float64]:
        """Depth of the water, missing (NaN) around it (cells, cells) [m]."""
        x = (np.arange(self.cells) - self.cells // 2) * self.cell_size / _WIDTH
        mountain = np.exp(-(x[:, np.newaxis] ** 2) - x**2)
        depth = _DEPTH * (1.0 - self.height * mountain)
        depth[[0, -1], :] = depth[:, [0, -1]] = np.nan
        return np.asarray(depth)

    @cached_property
    def setup(self) -> Setup:
        """The mountain in water that is warm at its surface."""
        domain = Domain(self.depth, (self.cell_size, self.cell_size))
        return self.step_of(
            lambda step: Setup(
                domain,
                step,
                self.micro_steps,
                drag=LogarithmicDrag(0.01),
                drying_limiter=False,
                layers=self.layering_of(domain),
                temperature=lambda x, y, z: 5.0 + 15.0 * np.exp(z / 1000.0) + 0.0 * (x + y),
                density=partial(
                    linear,
                    reference=REFERENCE_DENSITY,
                    by_temperature=self.by_temperature,
                    by_salinity=0.0,
                ),
                pressure_gradient=self.pressure_gradient,
                dtype=self.dtype,
            )
        )

    def diagnostics(self, model: Model) -> tuple[tuple[Step, ...], tuple[Integral, ...]]:
        """Return the greatest velocity along an axis, and the mean square of the speed."""
        largest, square = (
            model.grid.field(name, axes="xy", dtype=self.dtype) for name in ("largest", "square")
        )
        find = find_speed(largest, square, model.U, model.V, model.bed, on=model.surface.wet)
        wet = int(model.setup.domain.is_wet.sum())
        return (find,), (
            Integral("greatest", hc.max(largest), 1.0, "m s-1", "of both mean velocities"),
            Integral("mean_square", hc.sum(square), 1.0 / wet, "m2 s-2", "of the mean velocity"),
        )

    @property
    def is_that_of_getm(self) -> bool:
        """Whether the figures of GETM are of these layers and this mountain."""
        options = options_of(type(self))
        return all(
            getattr(self, name) == options[name].default
            for name in (
                *("cells", "cell_size", "height", "by_temperature"),
                *("layers", "layering", "zoom_bed", "zoom_surface"),
            )
        )

    def compare(self, result: OceanResult, values: Values) -> Sequence[object]:
        """Return the velocities that should vanish, beside those of GETM where it had the same."""
        time, lines = result.series("time"), []
        velocities = (result.series("greatest"), np.sqrt(result.series("mean_square")))
        names = ("greatest mean velocity", "its root mean square")
        for name, series, published in zip(
            names, velocities, _GETM[self.pressure_gradient], strict=True
        ):
            for day, value in zip(_DAYS, published, strict=True):
                for at in np.nonzero(np.isclose(time, day * DAY))[0]:
                    title = f"{name} after {day} days [m/s]"
                    known = (value, "GETM") if self.is_that_of_getm else ()
                    lines.append(Comparison(title, float(series[at]), *known))
        return lines

    def figures(self, result: OceanResult, values: Values) -> Mapping[str, Draw]:
        """Return the speed at the end, and the velocity in the course of time."""
        days = result.series("time") / DAY
        curve = Plot(
            "greatest velocity along an axis",
            ("days", "mean over the depth [m/s]"),
            Curve("this run", days, result.series("greatest")),
            tuple(
                Curve(f"GETM, {method}", np.array(_DAYS), np.array(published[0]))
                for method, published in _GETM.items()
                if self.is_that_of_getm
            ),
        )
        plan = Plan(
            f"seamount in water at rest, {self.pressure_gradient}, after {days[-1]:.3g} days",
            map_of(self.setup.domain),
            np.hypot(values["u"], values["v"]),
            "speed, mean over the depth [m/s]",
        )
        return {"speed.png": partial(draw_plan, plan, (curve,))}


@hc.kernel
def find_speed(largest: Any, square: Any, U: Any, V: Any, bed: Any) -> None:
    """Find the velocity that is mean over the depth, of water whose surface is at rest.

    Args:
        largest: Gets the greater one of both velocities [m/s].
        square: The square of the speed [m²/s²].
        U: Transport along x [m²/s].
        V: Transport along y [m²/s].
        bed: Depth [m].
    """
    u, v = (0.5 * (flow + hc.at(flow, **{axis: 1})) / bed for flow, axis in ((U, "x"), (V, "y")))
    largest[...] = hc.maximum(abs(u), abs(v))
    square[...] = u * u + v * v
