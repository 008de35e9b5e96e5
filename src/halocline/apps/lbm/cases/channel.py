"""Flow between two walls, y = 0 and y = H, driven by a force, by a pressure drop or by an inlet.

Its length is the distance H of the walls, its speed the mean velocity; without a geometry it
becomes Poiseuille's parabola.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np

from halocline.apps.arguments import Needs
from halocline.apps.comparison import Comparison
from halocline.apps.lbm.cases.flow_pictures import FlowFigure
from halocline.apps.lbm.cases.steady_case import SteadyCase
from halocline.apps.lbm.setup.geometry_file import read_geometry, read_solids
from halocline.apps.lbm.setup.sides import HELD, Boundary, Inflow, Outflow, PressureDrop, Wall
from halocline.io.plots import Curve, Plot
from halocline.language.numbers import Range

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.apps.lbm.cases.flow_case import FlowResult
    from halocline.apps.lbm.flow.flow import Flow
    from halocline.apps.lbm.setup.setup import Setup
    from halocline.apps.sampled import Values

_GREATEST = 1.5


@dataclass(frozen=True)
class Channel(SteadyCase):
    """Parameters of flow in a channel.

    Attributes:
        dimensions: 2 or 3; in 3-D it is periodic along z.
        driving: 'force' or 'pressure-drop' in a channel that is periodic along x, or 'inlet' for a
            parabola that comes in at x- and an outflow at x+.
        aspect: Length over height.
        width: Width over height in 3-D.
        geometry: A file of solid cells: a .npy array, an image or an .stl surface.
    """

    name: ClassVar[str] = "channel"
    peak_speed: ClassVar[float] = _GREATEST
    needs: ClassVar[Needs] = (
        ("a third dimension", lambda case: case.dimensions > len("xy"), ("width",)),
    )

    dimensions: Literal[2, 3] = 2
    driving: Literal["force", "pressure-drop", "inlet"] = "force"
    aspect: Annotated[float, Range(above=0.0)] = 1.0
    width: Annotated[float, Range(above=0.0)] = 0.25
    geometry: str | None = None

    @property
    def axes(self) -> int:
        """How many dimensions it has."""
        return self.dimensions

    @property
    def extent(self) -> tuple[int, ...]:
        """Cells along each axis."""
        cells = self.scaling.cells
        sizes = (round(self.aspect * cells), cells, round(self.width * cells))
        return tuple(max(2, size) for size in sizes[: self.dimensions])

    def check(self) -> None:
        """Raise a CaseError for what cannot be computed."""
        super().check()
        self._solid()

    def _solid(self) -> NDArray[np.bool_] | None:
        if not self.geometry:
            return None
        return read_geometry(self.geometry, self.extent, self.units.cell)

    @property
    def gradient(self) -> float:
        """Minus the pressure gradient that drives the parabola, density 1 [cells / step²]."""
        scaling = self.scaling
        return 12.0 * scaling.viscosity * scaling.speed / scaling.cells**2

    def setup(self) -> Setup:
        """Return what the flow is."""
        still = (0.0,) * (self.dimensions - 1)
        more: dict[str, Any] = {}
        ends: Mapping[str, Boundary] = {}
        if self.driving == "force":
            more["force"] = (self.gradient, *still)
        elif self.driving == "pressure-drop":
            difference = 3.0 * self.gradient * self.extent[0]
            ends = {"x-": PressureDrop(difference), "x+": PressureDrop(-difference)}
        else:
            speed, height = self.scaling.speed, self.scaling.cells * self.units.cell

            def parabola(y: Any) -> tuple[Any, ...]:
                return (speed * self.parabola(y / height), *still)

            ends = {"x-": Inflow(parabola, HELD), "x+": Outflow()}
        # An open side reads what walls send into its cells: walls come first.
        sides = {"y-": Wall(), "y+": Wall(), **ends}
        if self.geometry:
            more |= read_solids(self.geometry, self.extent)
        return self.lattice_setup(self.extent, sides=sides, **more)

    def start(self, flow: Flow) -> None:
        """Begin at rest, or with what comes in."""
        if self.driving == "inlet":
            speed = self.scaling.speed
            flow.start(1.0, (speed, *(0.0,) * (self.dimensions - 1)))

    def parabola(self, y: Any) -> Any:
        """Return the exact velocity at heights over H, in units of the mean."""
        return 6.0 * y * (1.0 - y)

    def profile(self, values: Values) -> NDArray[np.float64]:
        """Return u half way along the channel, mean over its width, in units of the speed."""
        u = values["u"] / (self.scaling.speed * self.units.velocity)
        return np.asarray(u[len(u) // 2].reshape(u.shape[1], -1).mean(axis=1))

    def compare(self, result: FlowResult, values: Values) -> Sequence[Comparison]:
        """Return mean velocity and, without a geometry, how far the profile is from a parabola."""
        speed = self.scaling.speed * self.units.velocity
        mean = Comparison("mean velocity over the speed", float(values["u"].mean()) / speed)
        if self.geometry:
            return (mean,)
        y = (np.arange(self.extent[1]) + 0.5) / self.extent[1]
        error = np.abs(self.profile(values) - self.parabola(y)).max() / _GREATEST
        return (
            Comparison(mean.name, mean.measured, 1.0, "Poiseuille"),
            Comparison(
                "greatest difference from the parabola, over its greatest velocity", float(error)
            ),
            self._gradient(values),
        )

    def _gradient(self, values: Values) -> Comparison:
        """Return the pressure gradient between a quarter and three quarters of the length."""
        pressure = values["pressure"].reshape(self.extent[0], -1).mean(axis=1)
        first, last = len(pressure) // 4, 3 * len(pressure) // 4
        units, driving_gradient = self.units, self.gradient
        measured = (pressure[first] - pressure[last]) / ((last - first) * units.cell)
        if self.driving == "force":
            measured += self.gradient * units.pressure / units.cell
        return Comparison(
            "driving force and pressure gradient",
            measured,
            driving_gradient * units.pressure / units.cell,
            "12 mu U / H²",
        )

    def picture(self, result: FlowResult, values: Values) -> FlowFigure:
        """Return the flow in the middle plane, and its profile beside the parabola."""
        fine = np.linspace(0.0, 1.0, 101)
        y = (np.arange(self.extent[1]) + 0.5) / self.extent[1]
        profile = Plot(
            "half way along",
            ("$u / U$", "$y / H$"),
            Curve("this run", self.profile(values), y),
            () if self.geometry else (Curve("Poiseuille", self.parabola(fine), fine),),
        )
        plane = result.middle_plane(values)
        return FlowFigure(f"channel, Re = {self.scaling.reynolds:g}", plane, (profile,))
