"""Tracers of the layers: what a macro step does to temperature and salinity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import halocline as hc
from halocline.apps.ocean.numerics.advection import Advection, fields_beside
from halocline.apps.ocean.numerics.vertical import diffuse_tracers
from halocline.apps.ocean.physics import fresh_water
from halocline.apps.ocean.physics import open_boundaries as opened
from halocline.apps.ocean.physics.equation_of_state import REFERENCE_SALINITY
from halocline.apps.ocean.physics.surface_heat import CLARITIES, warm
from halocline.apps.ocean.setup.domain import sponge_weights
from halocline.apps.ocean.state.sea_tracers import band_of, make_sea_tracer

if TYPE_CHECKING:
    from halocline.apps.ocean.physics.relaxation import Relaxation
    from halocline.apps.ocean.state.forcing import Forcing
    from halocline.apps.ocean.state.layers import LayerState
    from halocline.apps.ocean.state.open_sea import OpenSea
    from halocline.apps.ocean.state.sea_tracers import SeaTracer
    from halocline.apps.ocean.state.surface import Surface
    from halocline.language.grids.fields import Field
    from halocline.language.steps.steps import Step

# Molecular [m²/s].
DIFFUSIVITY = 1.4e-7


@dataclass(frozen=True, eq=False)
class TracerSteps:
    """The steps of tracers.

    Attributes:
        surface: Of the water.
        forcing: What drives it.
        sea: Beyond open boundaries; None if there are none.
        layers: Carry the tracers.
    """

    surface: Surface
    forcing: Forcing
    sea: OpenSea | None
    layers: LayerState

    def steps(self) -> tuple[Step, ...]:
        """Return what a macro step does to them."""
        setup, layers, tracers = self.surface.setup, self.layers, self.layers.tracers
        if not tracers or setup.frozen:
            return ()
        advection = self._advection()
        beyond = self._beyond()
        return (
            *(step for sea_tracer in beyond for step in sea_tracer.steps),
            *self._open_cells(beyond),
            *self._rain(),
            *self._rivers(),
            *getattr(advection, setup.splitting)(*tracers),
            *self._diffusion(advection),
            *self._heat(),
            *diffuse_tracers(
                tracers,
                layers.of_cells,
                layers.turbulence.diffusivity,
                dt=setup.macro_step,
                molecular=DIFFUSIVITY + setup.added_mixing,
            ),
            *self._sponge(beyond),
        )

    def _advection(self) -> Advection:
        surface = self.surface
        return Advection(
            self.layers.flow,
            surface.metric,
            surface.setup.macro_step,
            scheme=surface.setup.scheme,
            on=surface.where_wet,
            kept=self.sea.outward if self.sea else None,
        )

    def _diffusion(self, advection: Advection) -> tuple[Step, ...]:
        diffusivity = self.surface.setup.diffusivity
        if not diffusivity:
            return ()
        return advection.diffused(*self.layers.tracers, diffusivity=diffusivity)

    def _rain(self) -> tuple[Step, ...]:
        """Return what rain does: it has no salt, and the temperature of the surface."""
        rain, surface, layers = self.forcing.rain, self.surface, self.layers
        if rain is None:
            return ()
        nx, ny, levels = surface.fields.grid.extent
        below = surface.fields.profile("below", np.cumsum(layers.fractions) - layers.fractions)
        arguments = {
            "fraction": layers.fraction,
            "least": surface.setup.drying.least,
            "dt": surface.setup.macro_step,
        }
        on_surface = (rain, layers.zeta_before, surface.bed)
        highest, on = hc.Box((0, 0, levels - 1), (nx, ny, levels)), surface.where_wet
        steps: list[Step] = []
        moved_fields = fields_beside(layers.tracers, "advected")
        for tracer, moved in zip(layers.tracers, moved_fields, strict=True):
            if tracer.name == "salinity":
                steps.append(fresh_water.dilute(tracer, *on_surface, **arguments, on=highest))
            steps += [
                fresh_water.move_faces(moved, tracer, *on_surface, below=below, **arguments, on=on),
                opened.copy(tracer, moved, on=on),
            ]
        return tuple(steps)

    def _rivers(self) -> tuple[Step, ...]:
        """Return what mixes the water of rivers into their columns."""
        fresh, setup = self.forcing.rivers, self.surface.setup
        if fresh is None:
            return ()
        levels = self.surface.fields.grid.extent[2]
        inflows = [
            (tracer, river.cell, value)
            for river in setup.rivers
            for tracer in self.layers.tracers
            if (value := getattr(river, tracer.name)) is not None
        ]
        return tuple(
            fresh_water.mix(
                tracer,
                fresh,
                self.layers.before,
                value=value if isinstance(value, hc.Series) else float(value),
                dt=setup.macro_step,
                on=hc.Box((i, j, 0), (i + 1, j + 1, levels)),
            )
            for tracer, (i, j), value in inflows
        )

    def _heat(self) -> tuple[Step, ...]:
        """Return what brings the heat of a macro step into the layers."""
        surface, layers, forcing = self.surface, self.layers, self.forcing
        if forcing.heat_flux is None and forcing.sunlight is None:
            return ()
        temperature, *salinity = layers.tracers
        shares_above = np.append(np.cumsum(layers.fractions[:0:-1])[::-1], 0.0)
        return (
            warm(
                temperature,
                layers.after,
                fraction=layers.fraction,
                above=surface.fields.profile("above", shares_above),
                entering=forcing.heat_flux,
                light=forcing.sunlight,
                salinity=salinity[0] if salinity else REFERENCE_SALINITY,
                clarity=CLARITIES[surface.setup.water_type],
                dt=surface.setup.macro_step,
                last=surface.fields.grid.extent[2] - 1,
                on=surface.where_wet,
            ),
        )

    def _beyond(self) -> tuple[SeaTracer, ...]:
        """Return each tracer of the sea beyond open boundaries; none if there are no boundaries."""
        if self.sea is None:
            return ()
        return tuple(make_sea_tracer(self.surface, tracer) for tracer in self.layers.tracers)

    def _open_cells(self, beyond: tuple[SeaTracer, ...]) -> tuple[Step, ...]:
        """Return what water brings into open cells, or takes along when it leaves."""
        sea, tracers = self.sea, self.layers.tracers
        if sea is None or self.surface.setup.sponge:
            return ()
        x, y = (self.layers.columns[axis].transport for axis in ("x", "y"))
        fields = zip(tracers, fields_beside(tracers, "advected"), beyond, strict=True)
        return tuple(
            step
            for tracer, brought, (value, _) in fields
            for step in (
                opened.brought(brought, tracer, sea.outward, x, y, beyond=value, on=sea.where),
                opened.copy(tracer, brought, on=sea.where),
            )
        )

    def _sponge(self, beyond: tuple[SeaTracer, ...]) -> tuple[Step, ...]:
        """Return what draws tracers beside open boundaries to those of the sea beyond."""
        surface, width = self.surface, self.surface.setup.sponge
        if self.sea is None or not width:
            return ()
        weight = surface.fields.surface("sponge", values=surface.domain.sponge(width))
        if surface.setup.relaxation is not None:
            return self._relaxed(self.sea, surface.setup.relaxation, weight, beyond)
        return tuple(
            opened.relax(tracer, weight, beyond=value, on=weight)
            for tracer, (value, _) in zip(self.layers.tracers, beyond, strict=True)
        )

    def _relaxed(
        self, sea: OpenSea, relaxation: Relaxation, weight: Field, beyond: tuple[SeaTracer, ...]
    ) -> tuple[Step, ...]:
        """Return what mixes open cells with the sponge, and draws the sponge to them."""
        fields, layers, width = self.surface.fields, self.layers, self.surface.setup.sponge
        band = band_of(self.surface)
        outward, away, inwards = (
            fields.surface(f"sponge_{name}", values=getattr(band, name), dtype="int8")
            for name in ("outward", "away", "inwards")
        )
        currents = (layers.columns[axis].transport for axis in ("x", "y"))
        given = (sea.outward, inwards, *currents, layers.after)
        weights = sponge_weights(width)[1:]
        steps: list[Step] = []
        for tracer, (value, _) in zip(layers.tracers, beyond, strict=True):
            outermost = fields.layers(f"{tracer.name}_outermost")
            steps += [
                opened.mix_outermost(
                    *(outermost, tracer, *given),
                    beyond=value,
                    fraction=layers.fraction,
                    weights=weights,
                    relaxation=relaxation,
                    on=sea.where,
                ),
                opened.relax_to_outermost(
                    *(tracer, weight, outermost, outward, away), width=width, on=weight
                ),
            ]
        return tuple(steps)


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
