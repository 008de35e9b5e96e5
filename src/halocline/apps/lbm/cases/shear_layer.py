"""Two thin shear layers in a periodic square, each of which rolls up into one vortex.

Where layers are not resolved, schemes make more vortices than there are: that is what this case is
for. The length is the side of the square, the speed that beside the layers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from halocline.apps.case import ENDS
from halocline.apps.comparison import Comparison
from halocline.apps.lbm.cases.decaying_flow import DecayingFlow
from halocline.apps.lbm.cases.flow_pictures import FlowFigure
from halocline.io.plots import Curve, Plot
from halocline.language.numbers import Range

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.apps.lbm.cases.flow_case import FlowResult
    from halocline.apps.lbm.flow.flow import Flow
    from halocline.apps.lbm.setup.setup import Setup
    from halocline.apps.sampled import Values

    Array = NDArray[np.float64]

VORTICES = 2
# A vortex turns faster than it is sheared by so much of the first vorticity squared, on an area of
# at least so much of the square. The two that belong there have 1/10 and 1/80.
_EXCESS, _AREA = 1.0 / 32.0, 2e-4


@dataclass(frozen=True)
class ShearLayer(DecayingFlow):
    """Parameters of two shear layers.

    Attributes:
        steepness: The side of the square over the thickness of a layer.
        perturbation: Speed of the wave across the layers, over the speed along them.
        convective_times: How long the run lasts, in units of the side over the speed.

    Source: Minion & Brown, J. Comput. Phys. 138 (1997) 734.
    """

    name: ClassVar[str] = "shear-layer"
    axes: ClassVar[int] = 2
    samples: ClassVar[float] = 20.0
    usual: ClassVar[Mapping[str, Any]] = {"cells": 256, "reynolds": 1e4, "lattice_speed": 0.05}

    steepness: Annotated[float, Range(above=0.0)] = 80.0
    perturbation: Annotated[float, Range(least=0.0, below=1.0)] = 0.05
    convective_times: Annotated[float, Range(above=0.0), ENDS] = 1.0

    @property
    def duration(self) -> float:
        """Where the run ends."""
        return self.convective_times

    def setup(self) -> Setup:
        """Return what the flow is."""
        return self.lattice_setup((self.scaling.cells,) * self.axes)

    def start(self, flow: Flow) -> None:
        """Begin with the layers, a wave across them, and the stress that belongs to them."""
        speed, slope = self.scaling.speed, self.scaling.speed / self.scaling.length
        side = self.scaling.length * self.units.cell
        wave = 2.0 * np.pi * self.perturbation

        def from_layer(y: Array) -> Array:
            return np.where(y < 0.5 * side, y / side - 0.25, 0.75 - y / side)

        def across(x: Array) -> Array:
            return 2.0 * np.pi * (x / side + 0.25)

        def along(_x: Array, y: Array) -> Array:
            return speed * np.tanh(self.steepness * from_layer(y))

        def shear(_x: Array, y: Array) -> Array:
            sign = np.where(y < 0.5 * side, 1.0, -1.0)
            falls = np.cosh(self.steepness * from_layer(y)) ** 2
            return np.asarray(slope * self.steepness * sign / falls)

        flow.start(
            1.0,
            (along, lambda x, _y: self.perturbation * speed * np.sin(across(x))),
            ((0.0, shear), (lambda x, _y: wave * slope * np.cos(across(x)), 0.0)),
        )

    def compare(self, result: FlowResult, values: Values) -> Sequence[Comparison]:
        """Return how many vortices there are, and the vorticity, which can only fall."""
        gradient = self._gradient(values)
        first = self.steepness + 2.0 * np.pi * self.perturbation
        greatest = float(np.abs(_vorticity(gradient)).max()) / self._rate / first
        return (
            Comparison("vortices", count_vortices(gradient / self._rate, first), VORTICES, "exact"),
            Comparison("greatest vorticity over the greatest at the beginning", greatest),
        )

    @property
    def _rate(self) -> float:
        """The speed over the side of the square, in the unit of results."""
        units, scaling = self.units, self.scaling
        return scaling.speed * units.velocity / (scaling.length * units.cell)

    def _gradient(self, values: Values) -> Array:
        """Return the derivative of each component along each axis (2, 2, n, n), by Fourier."""
        waves = 2.0 * np.pi * np.fft.fftfreq(self.scaling.cells, self.units.cell)
        across = (waves.reshape(-1, 1), waves)
        modes = [np.fft.fft2(values[name]) for name in "uv"]
        return np.array([[np.fft.ifft2(1j * k * mode).real for k in across] for mode in modes])

    def picture(self, result: FlowResult, values: Values) -> FlowFigure:
        """Return the vorticity, and the enstrophy over the time."""
        vorticity = _vorticity(self._gradient(values))
        plane = result.middle_plane(values, vorticity=vorticity, has_streamlines=False)
        label = "$t$ [s]" if self.units.is_physical else "$t U / L$"
        title = f"Shear layers, Re = {self.scaling.reynolds:g}"
        curve = Curve("this run", result.series("time"), result.series("enstrophy"))
        return FlowFigure(title, plane, (Plot("enstrophy", (label, "enstrophy"), curve),))


def _vorticity(gradient: Array) -> Array:
    return np.asarray(gradient[1, 0] - gradient[0, 1])


def count_vortices(gradient: Array, first: float) -> int:
    """Return how many regions of a periodic square turn much faster than they are sheared.

    Args:
        gradient: Of each component along each axis (2, 2, n, n).
        first: The greatest vorticity at the beginning, in the same unit.

    Source: Okubo 1970; Weiss 1991: the vorticity squared minus that of the strain, over 4.
    """
    stretch = gradient[0, 0] - gradient[1, 1]
    strain = gradient[1, 0] + gradient[0, 1]
    turns = 0.25 * (_vorticity(gradient) ** 2 - stretch**2 - strain**2) > _EXCESS * first**2
    areas = np.unique(_regions(turns)[turns], return_counts=True)[1]
    return int(np.sum(areas >= _AREA * turns.size))


def _regions(inside: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the same number above 0 in all cells of a region of a periodic square, 0 outside."""
    numbers = np.where(inside, np.arange(1, inside.size + 1).reshape(inside.shape), 0)
    while True:
        nearby = [np.roll(numbers, *turn) for turn in ((1, 0), (-1, 0), (1, 1), (-1, 1))]
        spread = np.where(inside, np.maximum.reduce([numbers, *nearby]), 0)
        if np.array_equal(spread, numbers):
            return numbers
        numbers = spread
