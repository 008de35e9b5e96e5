"""Taylor-Green vortices in a periodic square or cube, which decay.

Their length is 1/k, with k the wavenumber, so that the box has sides of 2 pi; their speed is the
amplitude. In 2-D the exact flow is known; in 3-D vortices stretch, and the rate of dissipation of
the kinetic energy over the time is what codes compare.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, pi
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np

from halocline.apps.case import ENDS
from halocline.apps.comparison import Comparison
from halocline.apps.lbm.cases.decaying_flow import DecayingFlow
from halocline.apps.lbm.cases.flow_pictures import FlowFigure
from halocline.apps.lbm.cases.refined_case import RefinedCase
from halocline.io.plots import Curve, Plot
from halocline.language.numbers import Range

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from halocline.apps.lbm.cases.flow_case import FlowResult
    from halocline.apps.lbm.flow.flow import Flow
    from halocline.apps.lbm.setup.setup import Setup
    from halocline.apps.sampled import Values

    Array = NDArray[np.float64]

_PLANE = 2


@dataclass(frozen=True)
class TaylorGreen(DecayingFlow, RefinedCase):
    """Parameters of Taylor-Green vortices.

    Attributes:
        dimensions: 2 or 3.
        convective_times: How long the run lasts, in units of 1/k over the amplitude.

    Source: Taylor & Green, Proc. R. Soc. A 158 (1937) 499; Brachet et al., J. Fluid Mech. 130
        (1983) 411.
    """

    name: ClassVar[str] = "taylor-green"
    usual: ClassVar[Mapping[str, Any]] = {
        "cells": 64,
        "reynolds": 100.0,
        "lattice_speed": 0.05,
        "near": 1.5,
    }
    samples: ClassVar[float] = 10.0
    lengths: ClassVar[float] = 2.0 * pi
    refined: ClassVar[str] = "towards the middle, in boxes"
    # As wide as the enstrophy reads.
    block: ClassVar[int] = 8

    dimensions: Literal[2, 3] = 3
    convective_times: Annotated[float, Range(above=0.0), ENDS] = 10.0

    @property
    def axes(self) -> int:
        """How many dimensions it has."""
        return self.dimensions

    @property
    def duration(self) -> float:
        """Where the run ends."""
        return self.convective_times

    def setup(self) -> Setup:
        """Return what the flow is."""
        return self.lattice_setup((self.scaling.cells,) * self.dimensions)

    def away(self, *coordinates: Any) -> Any:
        """Return how far the middle is, along the axis along which it is farthest."""
        half = 0.5 * self.scaling.cells * self.units.cell
        return np.max(np.broadcast_arrays(*(abs(x - half) for x in coordinates)), axis=0)

    def start(self, flow: Flow) -> None:
        """Begin with the vortices and the pressure that belongs to them."""
        speed, k = self.scaling.speed, 1.0 / (self.scaling.length * self.units.cell)

        def density(*x: Array) -> Array:
            waves = [np.cos(2.0 * k * a) for a in x]
            if self.dimensions == _PLANE:
                return 1.0 - 0.75 * speed**2 * (waves[0] + waves[1])
            return 1.0 + 3.0 / 16.0 * speed**2 * (waves[0] + waves[1]) * (waves[2] + 2.0)

        def component(axis: int) -> Callable[..., Array]:
            def wave(*x: Array) -> Array:
                return speed * self.vortices(*(k * a for a in x))[axis]

            return wave

        def slope(row: int, axis: int) -> Callable[..., Array]:
            def wave(*x: Array) -> Array:
                return speed / self.scaling.length * self.slopes(*(k * a for a in x))[row][axis]

            return wave

        still = (0.0,) * (self.dimensions - _PLANE)
        gradient = [[slope(row, axis) for axis in range(self.dimensions)] for row in range(_PLANE)]
        flow.start(
            density,
            (component(0), component(1), *still),
            [*gradient, *(((0.0,) * self.dimensions,) if still else ())],
        )

    def vortices(self, *kx: Array) -> tuple[Array, Array]:
        """Return u and v over their amplitude, at coordinates times k."""
        if self.dimensions == _PLANE:
            return -np.cos(kx[0]) * np.sin(kx[1]), np.sin(kx[0]) * np.cos(kx[1])
        z = np.cos(kx[2])
        return np.sin(kx[0]) * np.cos(kx[1]) * z, -np.cos(kx[0]) * np.sin(kx[1]) * z

    def slopes(self, *kx: Array) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
        """Return the derivatives of u and of v along each axis, over amplitude times k."""
        (sx, sy), (cx, cy) = ([wave(a) for a in kx[:_PLANE]] for wave in (np.sin, np.cos))
        if self.dimensions == _PLANE:
            return (sx * sy, -cx * cy), (cx * cy, -sx * sy)
        sz, cz = np.sin(kx[2]), np.cos(kx[2])
        return (
            (cx * cy * cz, -sx * sy * cz, -sx * cy * sz),
            (sx * sy * cz, -cx * cy * cz, cx * sy * sz),
        )

    def dissipation(self, result: FlowResult) -> tuple[Array, Array]:
        """Return times and the rate at which kinetic energy is lost between two samples."""
        time, energy = result.series("time"), result.series("kinetic_energy")
        return 0.5 * (time[1:] + time[:-1]), -np.diff(energy) / np.diff(time)

    def by_enstrophy(self, result: FlowResult) -> tuple[Array, Array]:
        """Return times and twice viscosity times enstrophy: the same in an incompressible flow."""
        viscosity = self.scaling.viscosity * self.units.viscosity
        return result.series("time"), 2.0 * viscosity * result.series("enstrophy")

    def compare(self, result: FlowResult, values: Values) -> Sequence[Comparison]:
        """Return the decay in 2-D, the peak of the dissipation in 3-D."""
        if self.dimensions == _PLANE:
            return self._decay(result, values)
        time, rate = self.dissipation(result)
        by_enstrophy = np.interp(time, *self.by_enstrophy(result))
        peak = int(rate.argmax())
        return (
            Comparison("greatest dissipation of kinetic energy", float(rate[peak])),
            Comparison("time of the greatest dissipation", float(time[peak])),
            Comparison(
                "greatest difference from 2 nu enstrophy, over the greatest dissipation",
                float(np.abs(rate - by_enstrophy).max() / rate[peak]),
            ),
        )

    def _decay(self, result: FlowResult, values: Values) -> Sequence[Comparison]:
        time, energy = result.series("time"), result.series("kinetic_energy")
        scaling, units = self.scaling, self.units
        length = scaling.length * units.cell
        # Energy falls as exp(-4 nu k² t).
        decay = np.log(energy[0] / energy[-1]) * length**2 / (4.0 * (time[-1] - time[0]))
        viscosity = scaling.viscosity * units.viscosity
        finest = len(values["u"])
        x = np.asarray((np.arange(finest) + 0.5) / finest * self.lengths, np.float64)
        left = exp(-2.0 * viscosity / length**2 * time[-1])
        exact = np.array(self.vortices(x.reshape(-1, 1), x)) * left
        speed = scaling.speed * units.velocity
        error = np.abs(np.array([values["u"], values["v"]]) / speed - exact).max() / left
        return (
            Comparison("viscosity from the decay of energy", float(decay), viscosity, "given"),
            Comparison(
                "greatest difference of the velocity from the exact one, over its amplitude",
                float(error),
            ),
        )

    def picture(self, result: FlowResult, values: Values) -> FlowFigure:
        """Return the flow in a plane, and energy and dissipation over the time."""
        time, energy = result.series("time"), result.series("kinetic_energy")
        labels = "$t$ [s]" if self.units.is_physical else "$t U k$"
        exact: tuple[Curve, ...] = ()
        if self.dimensions == _PLANE:
            scaling, units = self.scaling, self.units
            rate = 4.0 * scaling.viscosity / scaling.length**2 / units.step
            start = 0.25 * (scaling.speed * units.velocity) ** 2
            exact = (Curve("exact", time, start * np.exp(-rate * time)),)
        panels = (
            Plot("kinetic energy", (labels, "$E$"), Curve("this run", time, energy), exact),
            Plot(
                "dissipation",
                (labels, "$-dE/dt$"),
                Curve("this run", *self.dissipation(result)),
                (Curve("2 nu enstrophy", *self.by_enstrophy(result)),),
            ),
        )
        title = f"Taylor-Green vortices, Re = {self.scaling.reynolds:g}"
        return FlowFigure(title, result.middle_plane(values), panels)
