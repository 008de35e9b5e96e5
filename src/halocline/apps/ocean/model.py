"""Model: a coastal ocean as a grid, its fields and the steps that advance it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halocline.apps.ocean.baroclinic.internal_pressure import make_internal_pressure
from halocline.apps.ocean.baroclinic.mode import BaroclinicMode
from halocline.apps.ocean.barotropic.mode import BarotropicMode
from halocline.apps.ocean.state.forcing import Forcing, make_forcing
from halocline.apps.ocean.state.layers import LayerState, make_layers
from halocline.apps.ocean.state.open_sea import make_open_sea
from halocline.apps.ocean.state.surface import Surface, make_surface
from halocline.frozen import Frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from halocline.apps.ocean.numerics.metric import Metric
    from halocline.apps.ocean.setup.setup import Setup
    from halocline.language.grids.fields import Field
    from halocline.language.grids.grid import Grid
    from halocline.language.steps.steps import Step


class Model(Frozen, eq=False):
    """A coastal ocean that can be run.

    Attributes:
        surface: State of the surface: elevation, bed, velocity points.
        layers: State of the layers; None if there are none.
        forcing: What drives the water: wind, heat, rain and rivers.
        steps: One macro step.

    Example:
        >>> sea = ocean.Domain(np.full((8, 6), 20.0), spacing=(1e3, 1e3))
        >>> model = ocean.make_model(ocean.Setup(sea, micro_step=20.0))
        >>> simulation = hc.Simulation(model.grid, model.steps, dt=model.setup.macro_step)
    """

    surface: Surface
    layers: LayerState | None
    forcing: Forcing
    steps: tuple[Step, ...]

    @property
    def setup(self) -> Setup:
        """What the ocean is."""
        return self.surface.setup

    @property
    def grid(self) -> Grid:
        """Of its fields."""
        return self.surface.fields.grid

    @property
    def metric(self) -> Metric:
        """Lengths of cells."""
        return self.surface.metric

    @property
    def zeta(self) -> Field:
        """Elevation [m]."""
        return self.surface.zeta

    @property
    def tracers(self) -> Mapping[str, Field]:
        """Temperature, salinity and passive tracers by name, as far as there are such."""
        return {} if self.layers is None else self.layers.tracers_by_name

    @property
    def bed(self) -> Field:
        """Depth below the mean level [m]."""
        return self.surface.bed

    @property
    def U(self) -> Field:
        """Transport along x, at U points [m²/s]."""
        return self.surface.points["x"].transport

    @property
    def V(self) -> Field:
        """Transport along y, at V points [m²/s]."""
        return self.surface.points["y"].transport


def make_model(setup: Setup) -> Model:
    """Return a model at its beginning.

    Example:
        >>> sea = ocean.Domain(np.full((8, 6), 20.0), spacing=(1e3, 1e3))
        >>> model = ocean.make_model(ocean.Setup(sea, micro_step=20.0))
        >>> model.zeta
        Field('zeta', float64, components=1)
    """
    surface = make_surface(setup)
    sea, layers = make_open_sea(surface), make_layers(surface)
    forcing = make_forcing(surface, layers)
    share = None
    if setup.drying_limiter:
        share = surface.fields.surface("share", values=np.ones(setup.domain.extent))
    barotropic = BarotropicMode(surface, forcing, sea, layers, share)
    mode: BarotropicMode | BaroclinicMode = barotropic
    if layers is not None:
        mode = BaroclinicMode(barotropic, layers, make_internal_pressure(surface, layers))
    before = (*forcing.steps, *(sea.steps if sea else ()))
    return Model(surface, layers, forcing, (*before, *mode.steps()))
