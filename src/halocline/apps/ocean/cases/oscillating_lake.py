"""Water that swings in a parabolic bowl, whose shore falls dry and is flooded again.

Thacker, J. Fluid Mech. 107 (1981) 499, has two exact solutions: a plane surface that goes round,
and a dome that rises and sinks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import cos, hypot, pi, sin, sqrt
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np

import halocline as hc
from halocline.apps.arguments import Needs
from halocline.apps.case import ENDS
from halocline.apps.comparison import Comparison
from halocline.apps.ocean.cases.ocean_case import OceanCase
from halocline.apps.ocean.diagnostics.pictures import draw_surface
from halocline.apps.ocean.numerics.limiters import MomentumScheme
from halocline.apps.ocean.physics.constants import GRAVITY
from halocline.apps.ocean.physics.drag import LinearDrag
from halocline.apps.ocean.physics.drying import Drying
from halocline.apps.ocean.setup.domain import Domain
from halocline.apps.ocean.setup.setup import Setup
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

# Width of the domain over the radius of the lake at rest.
_ROOM = 2.5
# Where the exact water is deeper, over the depth in the middle, errors count.
_DEEP = 0.05
_DRYING = Drying(0.05, 0.1)


@dataclass(frozen=True)
class OscillatingLake(OceanCase):
    """Parameters of a lake that oscillates.

    Attributes:
        shape: Of the surface: 'planar', which goes round, or 'axisymmetric', which rises and sinks.
        cells: Along each side of the domain, which is 2.5 radii wide.
        radius: Of the lake at rest [m].
        water_depth: In the middle, at rest [m].
        displacement: Of the middle of the planar lake [m].
        rise: Of the surface in the middle of the axisymmetric lake, at the beginning [m].
        f: Coriolis parameter of the axisymmetric lake [1/s].
        face_depth: Of the bed at velocity points: the 'mean' of the cells beside, or the 'least'.
        advection: Of momentum.
        periods: How many the run lasts.
    """

    name: ClassVar[str] = "oscillating-lake"
    share_of_longest: ClassVar[float] = 0.396
    needs: ClassVar[Needs] = (
        ("shape 'planar'", lambda case: case.shape == "planar", ("displacement",)),
        ("shape 'axisymmetric'", lambda case: case.shape == "axisymmetric", ("rise",)),
    )

    micro_steps: Annotated[int, Range(least=1)] = 2
    shape: Literal["planar", "axisymmetric"] = "planar"
    cells: Annotated[int, Range(least=8)] = 100
    radius: Annotated[float, Range(above=0.0)] = 80e3
    water_depth: Annotated[float, Range(above=0.0)] = 10.0
    displacement: Annotated[float, Range(above=0.0)] = 8e3
    rise: Annotated[float, Range(above=0.0)] = 1.0
    f: float = 0.0
    face_depth: Literal["mean", "least"] = "mean"
    advection: MomentumScheme = "UPSTREAM"
    periods: Annotated[int, Range(least=1), ENDS] = 3

    @property
    def frequency(self) -> float:
        """Of the oscillation [rad/s]."""
        if self.shape == "planar":
            return sqrt(2.0 * GRAVITY * self.water_depth) / self.radius
        return hypot(self.f, sqrt(8.0 * GRAVITY * self.water_depth) / self.radius)

    @property
    def period(self) -> float:
        """Of the oscillation [s]."""
        return 2.0 * pi / self.frequency

    @property
    def duration(self) -> float:
        """How long the run lasts [s]."""
        return self.periods * self.period

    @property
    def size(self) -> float:
        """Width of the domain [m]."""
        return _ROOM * self.radius

    @property
    def amplitude(self) -> float:
        """Of the elevation at the shore, or in the middle [m]."""
        if self.shape == "planar":
            return 2.0 * self.displacement * self.water_depth / self.radius
        return self.rise

    @property
    def _steepness(self) -> float:
        """C of Thacker's axisymmetric solution."""
        risen, rest = (self.water_depth + self.rise) ** 2, self.water_depth**2
        return (risen - rest) / (risen + rest)

    def check(self) -> None:
        """Raise a CaseError for what cannot be computed."""
        super().check()
        if self.f and self.shape == "planar":
            raise CaseError(
                f"'f' was given {self.f:g} for a planar surface; its exact solution is known here "
                "without rotation alone.",
                hint="Take shape 'axisymmetric', or leave out 'f'.",
            )
        furthest = self.radius + self.displacement
        if self.shape == "axisymmetric":
            # The radius follows from the least depth in the middle.
            furthest = self.radius * ((1.0 + self._steepness) / (1.0 - self._steepness)) ** 0.25
        if furthest > 0.5 * self.size:
            raise CaseError(
                f"The lake would reach {furthest / 1e3:.4g} km from the middle, but the domain "
                f"ends at {0.5e-3 * self.size:.4g} km.",
                hint="Lower 'displacement' or 'rise'.",
            )

    def level(self, x: Any, y: Any, time: Any) -> Any:
        """Return the exact elevation where there is water, of numbers, arrays or expressions [m].

        Args:
            x: From the middle [m].
            y: The same.
            time: [s].
        """
        phase = self.frequency * time
        if self.shape == "planar":
            place = x * hc.cos(phase) + y * hc.sin(phase)
            height = self.displacement * self.water_depth / self.radius**2
            return height * (2.0 * place - self.displacement)
        c, share = self._steepness, (x * x + y * y) * (1.0 / self.radius**2)
        below = 1.0 - c * hc.cos(phase)
        part = (1.0 - c * c) / (below * below)
        return self.water_depth * (sqrt(1.0 - c * c) / below - 1.0 - share * (part - 1.0))

    def velocity(
        self, x: NDArray[np.float64], y: NDArray[np.float64], time: float
    ) -> tuple[Any, Any]:
        """Return the exact velocity along x and y where there is water [m/s].

        Args:
            x: From the middle [m].
            y: The same.
            time: [s].
        """
        phase = self.frequency * time
        if self.shape == "planar":
            speed = self.displacement * self.frequency
            return -speed * sin(phase), speed * cos(phase)
        c = self._steepness
        out = 0.5 * self.frequency * c * sin(phase) / (1.0 - c * cos(phase))
        around = 0.5 * self.f * (sqrt(1.0 - c * c) / (1.0 - c * cos(phase)) - 1.0)
        return out * x - around * y, out * y + around * x

    def bed(self, x: Any, y: Any) -> Any:
        """Return the depth of the bowl below the level at rest [m]."""
        return self.water_depth * (1.0 - (x * x + y * y) * (1.0 / self.radius**2))

    @property
    def coordinates(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Middles of cells along x and y, from the middle of the lake [m]."""
        edges = self._faces
        at = np.asarray(0.5 * (edges[:-1] + edges[1:]), dtype=np.float64)
        return at[:, np.newaxis], at[np.newaxis, :]

    @property
    def _faces(self) -> NDArray[np.float64]:
        return np.linspace(-0.5 * self.size, 0.5 * self.size, self.cells + 1)

    @cached_property
    def setup(self) -> Setup:
        """The bowl with its water."""
        x, y = self.coordinates
        width = self.size / self.cells
        middle = (-0.5 * self.size,) * 2
        domain = Domain(
            self.bed(x, y), (width, width), middle, f=self.f, face_depth=self.face_depth
        )
        return self.step_of(
            lambda step: Setup(
                domain,
                step,
                self.micro_steps,
                drag=LinearDrag(0.0),
                advection=self.advection,
                drying=_DRYING,
                zeta=self.level(x, y, 0.0),
                dtype=self.dtype,
            )
        )

    def start(self, model: Model) -> None:
        """Set the transports: those of half a micro step before."""
        time, faces = -0.5 * model.setup.micro_step, self._faces
        depth = model.setup.zeta + self.setup.domain.depth
        x, y = self.coordinates
        east, _ = self.velocity(faces[:, np.newaxis], y, time)
        _, north = self.velocity(x, faces[np.newaxis, :], time)
        for axis, flow, velocity in ((0, model.U, east), (1, model.V, north)):
            low, high = (np.take(depth, np.arange(n, n + self.cells - 1), axis) for n in (0, 1))
            ends = [(0, 0), (0, 0)]
            ends[axis] = (1, 1)
            between = np.pad(0.5 * (low + high), ends)
            flow.set(np.where(between > _DRYING.least, velocity * between, 0.0))

    def diagnostics(self, model: Model) -> tuple[tuple[Step, ...], tuple[Integral, ...]]:
        """Return squares of the error where the exact water is deep, and the least depth."""
        error = model.grid.field("error", axes="xy", components=2, dtype=self.dtype)
        step = differ(error, model.zeta, case=self, time=hc.time)
        return (step,), (
            Integral("square_error", hc.sum(error[0]), 1.0, "m2", "sum of the squared errors"),
            Integral("deep_cells", hc.sum(error[1]), 1.0, "1", "cells that this is the sum of"),
            Integral("least_depth", hc.min(model.zeta + model.bed), 1.0, "m", "least depth"),
        )

    def errors(self, result: OceanResult) -> NDArray[np.float64]:
        """Return the root of the mean square error at each sample, over the amplitude."""
        mean = result.series("square_error") / result.series("deep_cells")
        return np.asarray(np.sqrt(mean) / self.amplitude)

    def compare(self, result: OceanResult, values: Values) -> Sequence[Comparison]:
        """Return the error after each period, the least depth and the volume."""
        turns, errors = result.series("time") / self.period, self.errors(result)
        nearest = (int(np.abs(turns - n).argmin()) for n in range(1, self.periods + 1))
        reference = "Thacker's exact solution, over its amplitude"
        return (
            *(
                Comparison(
                    f"RMS difference after {turns[n]:.3g} periods from {reference}", errors[n]
                )
                for n in dict.fromkeys(nearest)
                if turns[n] > 0.5  # noqa: PLR2004 (a run that goes on has not seen the first ones)
            ),
            Comparison("least depth [m]", float(result.series("least_depth").min())),
            Comparison("greatest change of the volume, relative", result.drift("volume")),
        )

    def figures(self, result: OceanResult, values: Values) -> Mapping[str, Draw]:
        """Return the surface at the end, a section through it, and the error."""
        x, y = self.coordinates
        turns, middle = result.series("time") / self.period, self.cells // 2
        bed = -self.bed(x, y)
        exact = np.maximum(self.level(x, y, result.series("time")[-1]), bed)
        is_wet = values["zeta"] + self.bed(x, y) > 2.0 * _DRYING.least
        wet_values = {name: np.where(is_wet, values[name], np.nan) for name in ("zeta", "u", "v")}
        title = (
            f"{self.shape} lake, {self.cells} x {self.cells} cells, after {turns[-1]:.3g} periods"
        )
        surface = result.surface(title, wet_values)
        along = x[:, 0] / 1e3
        curves = (
            Plot(
                "along x through the middle",
                ("x [km]", "elevation [m]"),
                Curve("this run", along, values["zeta"][:, middle]),
                (Curve("exact", along, exact[:, middle]),),
            ),
            Plot(
                "RMS error over the amplitude",
                ("periods", "[1]"),
                Curve("this run", turns, self.errors(result)),
            ),
        )
        return {"lake.png": partial(draw_surface, surface, curves)}


@hc.kernel
def differ(error: Any, zeta: Any, *, case: OscillatingLake, time: Any) -> None:
    """Find squares of the error where the exact water is deep.

    Args:
        error: Components: gets the square of the error, or 0; and whether it counts [m²].
        zeta: Elevation [m].
        case: Has the exact elevation.
        time: [s].
    """
    x, y = hc.coordinate("x"), hc.coordinate("y")
    exact = case.level(x, y, time)
    counts = exact + case.bed(x, y) > _DEEP * case.water_depth
    difference = zeta - exact
    error[0] = hc.where(counts, difference * difference, 0.0)
    error[1] = hc.where(counts, 1.0, 0.0)
