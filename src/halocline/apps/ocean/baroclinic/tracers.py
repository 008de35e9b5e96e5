"""Tracers of the internal mode: temperature and salinity, from their beginning through a step."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

import halocline as hc
from halocline.apps.ocean.numerics.advection import Advection, fields_beside
from halocline.apps.ocean.numerics.vertical import Layers, diffuse_tracers
from halocline.apps.ocean.physics import open_boundaries as opened
from halocline.apps.ocean.physics.equation_of_state import REFERENCE_SALINITY
from halocline.apps.ocean.physics.rain import mixed_into_layers
from halocline.apps.ocean.physics.surface_heat import SurfaceHeat
from halocline.apps.ocean.setup import rivers

if TYPE_CHECKING:
    from halocline.apps.ocean.baroclinic.internal_mode import InternalMode
    from halocline.language.grids.fields import Field
    from halocline.language.steps.steps import Step

# Of what water carries.
UNITS: Mapping[str, str] = MappingProxyType({"temperature": "degC", "salinity": "1e-3"})
# Molecular [m²/s].
DIFFUSIVITY = 1.4e-7


class Tracers:
    """What water carries.

    Attributes:
        fields: Temperature and salinity, as far as they are given.

    Args:
        mode: Of the layers that carry them.
    """

    def __init__(self, mode: InternalMode) -> None:
        self.mode, self.setup = mode, mode.setup
        self.fields = tuple(
            self._made(name, given, unit)
            for name, unit in UNITS.items()
            if (given := getattr(self.setup, name)) is not None
        )
        is_warmed = self.setup.heat_flux is not None or self.setup.sunlight is not None
        self.heat = SurfaceHeat(mode) if is_warmed else None

    def _made(self, name: str, given: Any, unit: str) -> Field:
        """Return a field with what a tracer is at the beginning."""
        made = self.mode.field(name, "center", unit=unit)
        if callable(given):
            grid = made.grid
            x, y, _ = grid.coordinates("center", grid.domain)
            given = given(x, y, self._heights()) + np.zeros(grid.extent)
        made.set(given)
        return made

    def _heights(self) -> Any:
        """Return how high the middles of layers lie over the mean level at the beginning [m]."""
        mode, fractions = self.mode, self.mode.fractions
        depth = np.maximum(mode.external.first_depth, mode.least)
        above_bed = depth[..., np.newaxis] * (np.cumsum(fractions) - 0.5 * fractions)
        return above_bed - mode.external.domain.bed[..., np.newaxis]

    def steps(self) -> tuple[Step, ...]:
        """Return what a macro step does to them."""
        if not self.fields or self.setup.frozen:
            return ()
        mode, setup, advection = self.mode, self.setup, self._advection()
        return (
            *self._open_cells(),
            *mixed_into_layers(mode, self.fields),
            *self._rivers(),
            *getattr(advection, setup.splitting)(*self.fields),
            *self._diffusion(advection),
            *(self.heat.steps() if self.heat else ()),
            *diffuse_tracers(
                self.fields,
                Layers(mode.after, mode.fraction),
                mode.turbulence.diffusivity,
                dt=mode.dt,
                molecular=DIFFUSIVITY + mode.added_mixing,
            ),
            *self._sponge(),
        )

    def _advection(self) -> Advection:
        mode, external = self.mode, self.mode.external
        return Advection(
            mode.flow,
            mode.metric,
            mode.dt,
            scheme=self.setup.scheme,
            on=external.where_wet,
            kept=external.outward if external.domain.open else None,
        )

    def _diffusion(self, advection: Advection) -> tuple[Step, ...]:
        diffusivity = self.setup.diffusivity
        return advection.diffused(*self.fields, diffusivity=diffusivity) if diffusivity else ()

    def _rivers(self) -> tuple[Step, ...]:
        """Return what mixes the water of rivers into their columns."""
        mode, fresh = self.mode, self.mode.external.rivers
        if fresh is None:
            return ()
        levels = mode.grid.extent[2]
        known = [
            (tracer, river.cell, value)
            for river in self.setup.rivers
            for tracer in self.fields
            if (value := getattr(river, tracer.name)) is not None
        ]
        return tuple(
            rivers.mix(
                tracer,
                fresh,
                mode.before,
                value=value if isinstance(value, hc.Series) else float(value),
                dt=mode.dt,
                on=hc.Box((i, j, 0), (i + 1, j + 1, levels)),
            )
            for tracer, (i, j), value in known
        )

    def _beyond(self, tracer: Field) -> Any:
        """Return what a tracer is in the sea beyond open boundaries: a number, or a field."""
        given = getattr(self.setup, f"sea_{tracer.name}")
        if given is None:
            given = getattr(self.setup, tracer.name)
        elif callable(given) or np.ndim(given):
            given = self._spread(self._at_open_cells(given))
        if callable(given) or np.ndim(given):
            return self._made(f"{tracer.name}_beyond", given, "")
        return float(given)

    def _at_open_cells(self, given: Any) -> Any:
        """Return a row for each open cell, of what is given as rows, or as a function."""
        if not callable(given):
            return np.asarray(given, dtype=float)
        grid, boundaries = self.mode.grid, self.setup.domain.open
        x, y, _ = grid.coordinates("center", grid.domain)
        cells = tuple(np.concatenate([part.cells() for part in boundaries], axis=1))
        places = (np.broadcast_to(place, grid.extent)[cells] for place in (x, y, self._heights()))
        return given(*places) + np.zeros((cells[0].size, grid.extent[2]))

    def _spread(self, rows: Any) -> Any:
        """Return what open cells have, and the cells of a sponge inwards of them."""
        domain, found = self.setup.domain, np.zeros(self.mode.grid.extent)
        ends = np.cumsum([len(boundary.cells()[0]) for boundary in domain.open])
        parts = np.split(rows if rows.ndim > 1 else rows[:, np.newaxis], ends[:-1])
        for away in reversed(range(max(self.setup.sponge, 1))):
            for boundary, values in zip(domain.open, parts, strict=True):
                found[domain.inwards(boundary, away)] = values
        return found

    def _open_cells(self) -> tuple[Step, ...]:
        """Return what water brings into open cells, or takes along when it leaves."""
        external = self.mode.external
        if self.setup.sponge or not external.domain.open:
            return ()
        x, y = (self.mode.columns[axis].transport for axis in ("x", "y"))
        cells = external.outward
        return tuple(
            step
            for tracer, found in zip(
                self.fields, fields_beside(self.fields, "advected"), strict=True
            )
            for step in (
                opened.brought(
                    found, tracer, cells, x, y, beyond=self._beyond(tracer), on=external.where_open
                ),
                opened.copy(tracer, found, on=external.where_open),
            )
        )

    def _sponge(self) -> tuple[Step, ...]:
        """Return what draws tracers beside open boundaries to those of the sea beyond."""
        external, width = self.mode.external, self.setup.sponge
        if not width or not external.domain.open:
            return ()
        weight = external.field("sponge", "center", external.domain.sponge(width))
        return tuple(
            opened.relax(tracer, weight, beyond=self._beyond(tracer), on=weight)
            for tracer in self.fields
        )


@hc.kernel
def find_density(
    density: Any, *, equation: Any, temperature: Any = 10.0, salinity: Any = REFERENCE_SALINITY
) -> None:
    """Find the density of cells, minus that of reference [kg/m³].

    Args:
        density: Gets it.
        equation: Of state, see 'equation_of_state'.
        temperature: [degC].
        salinity: [1e-3].
    """
    density[...] = equation(temperature, salinity)
