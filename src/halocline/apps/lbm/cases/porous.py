"""Flow through a porous sample, and its permeability by Darcy's law.

The sample is a file of solid cells and is periodic along all axes, or lies between walls. Its
length is its extent along y. Flow is driven along x so weakly that inertia does not matter: a
straight channel of the sample's width would have the mean velocity that is the speed here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from msgspec.structs import replace

from halocline.apps.arguments import Needs
from halocline.apps.case import ENDS
from halocline.apps.comparison import Comparison
from halocline.apps.lbm.cases.flow_pictures import FlowFigure
from halocline.apps.lbm.cases.scaling import Scaling
from halocline.apps.lbm.cases.steady_case import Count, SteadyCase
from halocline.apps.lbm.setup.geometry_file import is_surface, read_geometry, read_solids
from halocline.apps.lbm.setup.sides import PressureDrop, Wall
from halocline.errors import CaseError
from halocline.io.plots import Curve, Plot
from halocline.language.numbers import Range

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.apps.lbm.cases.flow_case import FlowResult
    from halocline.apps.lbm.setup.setup import Setup
    from halocline.apps.sampled import Values


@dataclass(frozen=True)
class Porous(SteadyCase):
    """Parameters of flow through a porous sample.

    Attributes:
        geometry: The file of solid cells: a .npy array, an image or an .stl surface. An array or an
            image says how many cells there are; a surface needs 'cells', along y, 'aspect' and
            'width'.
        driving: What drives the flow along x.
        sides: What is at the sides along y and z.
        aspect: Length along x over that along y, of a surface.
        width: Length along z over that along y, of a surface.
    """

    name: ClassVar[str] = "porous"
    needs: ClassVar[Needs] = (
        ("a surface", lambda case: is_surface(case.geometry), ("aspect", "width")),
    )
    # A sample's Reynolds number with its mean velocity is far below that of an empty channel.
    usual: ClassVar[Mapping[str, Any]] = {"cells": 32, "reynolds": 1.0, "lattice_speed": 0.01}

    geometry: str = ""
    driving: Literal["force", "pressure-drop"] = "force"
    sides: Literal["periodic", "wall"] = "periodic"
    aspect: Annotated[float, Range(above=0.0)] = 1.0
    width: Annotated[float, Range(above=0.0)] = 1.0
    max_convective_times: Annotated[Count, ENDS] = 100

    def check(self) -> None:
        """Raise a CaseError for what cannot be computed."""
        if not self.geometry:
            raise CaseError(
                "A porous sample needs a file of its solid cells.", hint="Add --geometry FILE."
            )
        across = 1 if self._is_surface else self.solid.shape[1]
        if not self._is_surface and self.cells not in (None, across):
            raise CaseError(
                f"'cells' was given {self.cells}, but the geometry file has {across} along y.",
                hint="Leave out 'cells'.",
            )
        super().check()
        self.solid  # noqa: B018 (reads it)

    @property
    def _is_surface(self) -> bool:
        return is_surface(self.geometry)

    @cached_property
    def solid(self) -> NDArray[np.bool_]:
        """Where cells are solid."""
        if not self._is_surface:
            return read_geometry(self.geometry, None)
        cells = self.scaling.cells
        extent = (round(self.aspect * cells), cells, round(self.width * cells))
        return read_geometry(self.geometry, extent, self.units.cell)

    def _solids(self) -> dict[str, Any]:
        """Return what a setup is told of the sample: a surface has its walls inside cells."""
        if self._is_surface:
            return read_solids(self.geometry, self.solid.shape)
        return {"solid": self.solid}

    @property
    def axes(self) -> int:
        """As many as the sample has."""
        return 3 if self._is_surface else self.solid.ndim

    @property
    def scaling(self) -> Scaling:
        """The flow in lattice units; an array or an image says how many cells there are."""
        scaling = super().scaling
        return scaling if self._is_surface else replace(scaling, cells=self.solid.shape[1])

    @property
    def gradient(self) -> float:
        """Minus the mean pressure gradient, density 1 [cells / step²]."""
        scaling = self.scaling
        return 12.0 * scaling.viscosity * scaling.speed / scaling.cells**2

    def setup(self) -> Setup:
        """Return what the flow is."""
        extent, gradient = self.solid.shape, self.gradient
        more: dict[str, Any] = {}
        sides: dict[str, Any] = {}
        if self.sides == "wall":
            sides = {f"{a}{s}": Wall() for a in "yz"[: self.axes - 1] for s in "-+"}
        if self.driving == "force":
            more["force"] = (gradient, *(0.0,) * (self.axes - 1))
        else:
            difference = 3.0 * gradient * extent[0]
            sides |= {"x-": PressureDrop(difference), "x+": PressureDrop(-difference)}
        return self.lattice_setup(extent, sides=sides, **self._solids(), **more)

    def permeability(self, mean: Any) -> Any:
        """Return the permeability that a mean velocity means [unit of length squared].

        Args:
            mean: Over all cells, solid ones included (Darcy's velocity).

        Source: Darcy 1856: mean velocity = permeability / viscosity * pressure gradient.
        """
        units = self.units
        in_cells = mean / units.velocity * self.scaling.viscosity / self.gradient
        return in_cells * units.cell**2

    def compare(self, result: FlowResult, values: Values) -> Sequence[Comparison]:
        """Return porosity and permeability."""
        unit = "m²" if self.units.is_physical else "L²"
        mean = float(values["u"].mean())
        speed = self.scaling.speed * self.units.velocity
        return (
            Comparison("porosity", float(1.0 - self.solid.mean())),
            Comparison(f"permeability [{unit}]", float(self.permeability(mean))),
            Comparison(
                "Reynolds number of the mean velocity", mean / speed * self.scaling.reynolds
            ),
        )

    def picture(self, result: FlowResult, values: Values) -> FlowFigure:
        """Return the flow in the middle plane, and the permeability over the time."""
        unit = "m²" if self.units.is_physical else "L²"
        label = "$t$ [s]" if self.units.is_physical else "$t U / L$"
        permeability = self.permeability(result.series("mean_u"))
        panel = Plot(
            "permeability",
            (label, f"$k$ [{unit}]"),
            Curve("this run", result.series("time"), permeability),
        )
        plane = result.middle_plane(values)
        return FlowFigure("porous sample", plane, (panel,))
