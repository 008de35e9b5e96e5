"""Model: a coastal ocean as a grid, its fields and the steps that advance it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import halocline as hc
from halocline.apps.ocean.baroclinic.internal_mode import InternalMode
from halocline.apps.ocean.barotropic.external_mode import ExternalMode
from halocline.apps.ocean.numerics.metric import Metric, cartesian, spherical
from halocline.apps.ocean.setup.limits import watched
from halocline.apps.ocean.setup.setup import Setup

if TYPE_CHECKING:
    from collections.abc import Mapping

    from halocline.language.grids.fields import Field
    from halocline.language.grids.grid import Grid
    from halocline.language.steps.steps import Step


@dataclass(frozen=True, eq=False)
class Model:
    """A coastal ocean that can be run.

    Attributes:
        setup: What it is.
        grid: Of its fields.
        metric: Lengths of cells.
        zeta: Elevation [m].
        U: Transport along x, at U points [m²/s].
        V: Transport along y, at V points [m²/s].
        free: Fields of U and V points, by axis, that steps write before they read them but at
            closed faces, where they are 0: what is seen may pass through their halos.
        bed: Depth below the mean level [m].
        bed_u: The same at U points [m].
        bed_v: And at V points [m].
        wet: Where elevations are stepped.
        steps: One macro step.
        layers: The three-dimensional mode, if there is one.
    """

    setup: Setup
    grid: Grid
    metric: Metric
    zeta: Field
    U: Field
    V: Field
    free: Mapping[str, Field]
    bed: Field
    bed_u: Field
    bed_v: Field
    wet: Field
    steps: tuple[Step, ...]
    layers: InternalMode | None = None


def make_model(setup: Setup) -> Model:
    """Return a model at its beginning."""
    domain, sigma = setup.domain, setup.sigma
    deep = (sigma.count,) if sigma else ()
    grid = hc.Grid(
        (*domain.extent, *deep),
        periodic=(*domain.periodic, *(False for _ in deep)),
        spacing=(*domain.spacing, *(1.0 / n for n in deep)),
        origin=(*domain.origin, *(0.0 for _ in deep)),
    )
    metric = spherical(grid, setup.dtype) if domain.is_spherical else cartesian(*domain.spacing)
    mode = ExternalMode(grid, setup, metric)
    layers = InternalMode(mode, sigma) if sigma else None
    x, y = mode.points["x"], mode.points["y"]
    return Model(
        setup,
        grid,
        metric,
        mode.zeta,
        x.transport,
        y.transport,
        {"x": x.transport_new, "y": y.transport_new},
        mode.bed,
        x.bed,
        y.bed,
        mode.wet,
        (
            *mode.weather,
            *(layers.macro_step() if layers else mode.micro_steps()),
            *watched(setup.limits, mode, layers),
        ),
        layers,
    )
