"""Tracers of the layers: what a macro step does to temperature, salinity and passive tracers."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.apps.ocean.numerics.advection import Advection, fields_beside
from halocline.apps.ocean.numerics.vertical import diffuse_tracers
from halocline.apps.ocean.physics import fresh_water
from halocline.apps.ocean.physics import open_boundaries as opened
from halocline.apps.ocean.physics.equation_of_state import REFERENCE_SALINITY
from halocline.apps.ocean.physics.surface_heat import CLARITIES, warm
from halocline.apps.ocean.physics.tracer_sources import LayerPlace, Source, react, settle
from halocline.apps.ocean.setup.domain import sponge_weights
from halocline.apps.ocean.state.layers import UNITS
from halocline.apps.ocean.state.sea_tracers import band_of, make_sea_tracer
from halocline.frozen import Frozen

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


class TracerSteps(Frozen, eq=False, dict=True):
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
        setup, layers, tracers = self.surface.setup, self.layers, tuple(self.moving.values())
        if not tracers:
            return ()
        advection = self._advection()
        beyond = self._beyond()
        surface_flux, bed_flux = self._fluxes()
        return (
            *(step for sea_tracer in beyond for step in sea_tracer.steps),
            *self._open_cells(beyond),
            *self._rain(),
            *self._rivers(),
            *getattr(advection, setup.splitting)(*tracers),
            *self._diffusion(advection),
            *self._heat(),
            *self._settling(),
            *self._sources(),
            *diffuse_tracers(
                tracers,
                layers.of_cells,
                layers.turbulence.diffusivity,
                dt=setup.macro_step,
                surface=surface_flux,
                bottom=bed_flux,
                molecular=DIFFUSIVITY + setup.added_mixing,
            ),
            *self._sponge(beyond),
        )

    @property
    def moving(self) -> dict[str, Field]:
        """Tracers that change, by name: of 'frozen' water only passive ones."""
        kept = UNITS if self.surface.setup.frozen else ()
        tracers = self.layers.tracers_by_name
        return {name: field for name, field in tracers.items() if name not in kept}

    def _fluxes(self) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Return what enters each tracer through the surface, and from the bed."""
        fluxes = self.forcing.tracer_fluxes
        through = [fluxes.get(name, (0.0, 0.0)) for name in self.moving]
        return tuple(flux for flux, _ in through), tuple(flux for _, flux in through)

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
        return advection.diffused(*self.moving.values(), diffusivity=diffusivity)

    def _rain(self) -> tuple[Step, ...]:
        """Return what rain does: it has the temperature of the surface, and nothing else in it."""
        rain, surface, layers = self.forcing.rain, self.surface, self.layers
        if rain is None:
            return ()
        nx, ny, levels = surface.fields.grid.extent
        below = surface.fields.shares("below", layers.below_faces[..., :-1])
        arguments = {
            "fraction": layers.fraction,
            "least": surface.setup.drying.least,
            "dt": surface.setup.macro_step,
        }
        on_surface = (rain, layers.zeta_before, surface.bed)
        highest, on = hc.Box((0, 0, levels - 1), (nx, ny, levels)), surface.where_wet
        steps: list[Step] = []
        moved_fields = fields_beside(tuple(self.moving.values()), "advected")
        for (name, tracer), moved in zip(self.moving.items(), moved_fields, strict=True):
            if name != "temperature":
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
            for name, tracer in self.moving.items()
            if (value := river.brings(name)) is not None
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
        if (forcing.heat_flux is None and forcing.sunlight is None) or surface.setup.frozen:
            return ()
        return (
            warm(
                self.moving["temperature"],
                layers.after,
                fraction=layers.fraction,
                above=self._above,
                entering=forcing.heat_flux,
                light=forcing.sunlight,
                salinity=self.moving.get("salinity", REFERENCE_SALINITY),
                clarity=CLARITIES[surface.setup.water_type],
                dt=surface.setup.macro_step,
                last=surface.fields.grid.extent[2] - 1,
                on=surface.where_wet,
            ),
        )

    @cached_property
    def _above(self) -> Field:
        """Share of the depth that lies above layers."""
        return self.surface.fields.shares("above", self.layers.above)

    def _settling(self) -> tuple[Step, ...]:
        """Return what lets tracers sink."""
        layers, setup = self.layers, self.surface.setup
        return tuple(
            step
            for passive in setup.tracers
            if passive.settling
            for step in settle(
                layers.tracers_by_name[passive.name],
                layers.after,
                fraction=layers.fraction,
                velocity=passive.settling,
                dt=setup.macro_step,
                start=0.0,
                on=self.surface.where_wet,
            )
        )

    def _sources(self) -> tuple[Step, ...]:
        """Return what changes passive tracers by their sources."""
        setup, fields = self.surface.setup, self.layers.tracers_by_name
        read = {name for passive in setup.tracers for name in passive.reads}
        if not any(passive.source for passive in setup.tracers):
            return ()
        involved = [p for p in setup.tracers if p.source or p.name in read]
        fixed = [name for name in UNITS if name in read]
        place = LayerPlace(
            self.layers.after,
            self.layers.fraction,
            self._above,
            self.forcing.sunlight if "light" in read else None,
            CLARITIES[setup.water_type],
        )
        return (
            react(
                tracers=tuple(fields[passive.name] for passive in involved),
                sources=tuple(Source(p.name, p.source, p.reads) for p in involved),
                names=tuple(fixed),
                fixed=tuple(fields[name] for name in fixed),
                place=place,
                dt=setup.macro_step,
                on=self.surface.where_wet,
            ),
        )

    def _beyond(self) -> tuple[SeaTracer, ...]:
        """Return each tracer of the sea beyond open boundaries; none if there are no boundaries."""
        if self.sea is None:
            return ()
        return tuple(make_sea_tracer(self.surface, name) for name in self.moving)

    def _open_cells(self, beyond: tuple[SeaTracer, ...]) -> tuple[Step, ...]:
        """Return what water brings into open cells, or takes along when it leaves."""
        sea, tracers = self.sea, tuple(self.moving.values())
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
            for tracer, (value, _) in zip(self.moving.values(), beyond, strict=True)
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
        for tracer, (value, _) in zip(self.moving.values(), beyond, strict=True):
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
