"""The baroclinic mode: macro steps of the equations of layers, around those of the barotropic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.apps.ocean.baroclinic import layer_integrated as layered
from halocline.apps.ocean.baroclinic.current_limits import check_currents
from halocline.apps.ocean.baroclinic.mixing import mix_layers
from halocline.apps.ocean.baroclinic.tracers import TracerSteps, find_density
from halocline.apps.ocean.barotropic import velocity_advection
from halocline.apps.ocean.numerics.vertical import diffuse_momentum
from halocline.apps.ocean.physics import open_boundaries as opened
from halocline.apps.ocean.physics.mode_splitting import stiffening
from halocline.apps.ocean.state.layers import UNITS
from halocline.apps.ocean.state.sea_currents import make_sea_current
from halocline.frozen import Frozen

if TYPE_CHECKING:
    from halocline.apps.ocean.baroclinic.internal_pressure import InternalPressure
    from halocline.apps.ocean.barotropic.mode import BarotropicMode
    from halocline.apps.ocean.setup.setup import Setup
    from halocline.apps.ocean.state.layers import Columns, LayerState
    from halocline.apps.ocean.state.surface import Surface
    from halocline.language.grids.fields import Field
    from halocline.language.grids.grid import Grid
    from halocline.language.steps.steps import Step

# Molecular [m²/s].
VISCOSITY = 1.8e-6


class BaroclinicMode(Frozen, eq=False):
    """The mode of layers.

    Attributes:
        barotropic: The vertically integrated mode.
        layers: The state of the layers.
        pressure: Of differences of density; None if there are none.
    """

    barotropic: BarotropicMode
    layers: LayerState
    pressure: InternalPressure | None

    @property
    def surface(self) -> Surface:
        """The state of the surface."""
        return self.barotropic.surface

    @property
    def setup(self) -> Setup:
        """What the ocean is."""
        return self.surface.setup

    @property
    def grid(self) -> Grid:
        """Of the fields."""
        return self.surface.fields.grid

    def steps(self) -> tuple[Step, ...]:
        """Return the steps of a macro step."""
        surface, layers, barotropic = self.surface, self.layers, self.barotropic
        x, y = layers.columns["x"], layers.columns["y"]
        tracers = TracerSteps(surface, barotropic.forcing, barotropic.sea, layers)
        return (
            *self._density(),
            *(self.pressure.steps() if self.pressure else ()),
            *self._stiffening(),
            *self._slow(x, y),
            *self._slow(y, x),
            layered.begin(layers.zeta_before, surface.zeta, x.mean, y.mean),
            *barotropic.steps(),
            *self._depths(),
            *self._momentum(x, y),
            *self._momentum(y, x),
            *self._vertical_velocity(),
            *mix_layers(surface, layers),
            *tracers.steps(),
            check_currents(surface, layers),
        )

    def _depths(self) -> tuple[Step, ...]:
        surface, layers, drying = self.surface, self.layers, self.setup.drying
        return (
            layered.depths(
                layers.before,
                layers.after,
                layers.zeta_before,
                surface.zeta,
                surface.bed,
                drying=drying,
                dt=self.setup.macro_step,
                fresh=self.barotropic.forcing.fresh,
            ),
            *(
                layered.column(
                    columns.before,
                    columns.depth,
                    columns.inverse,
                    columns.surface_pressure_gradient,
                    layers.zeta_before,
                    surface.zeta,
                    columns.points.bed,
                    surface.bed,
                    axis=columns.axis,
                    metric=surface.metric,
                    drying=drying,
                    pressure=self.barotropic.forcing.pressure,
                )
                for columns in layers.columns.values()
            ),
        )

    def _momentum(self, columns: Columns, other: Columns) -> tuple[Step, ...]:
        """Return the step of the transports along an axis."""
        p, dt, points = columns.transport, self.setup.macro_step, columns.points
        along: tuple[Step, ...] = ()
        if points.along is not None and columns.inside is not None:
            along = points.along.copy_from_inside(p, columns.inside)
        return (
            layered.accelerate(
                p,
                other.transport,
                columns.explicit,
                columns.before,
                columns.depth,
                columns.surface_pressure_gradient,
                axis=columns.axis,
                fraction=columns.fraction,
                drying=self.setup.drying,
                dt=dt,
                coriolis=points.coriolis,
                on=points.where_stepped,
            ),
            *diffuse_momentum(
                p,
                columns.layers,
                self.layers.turbulence.viscosity,
                axis=columns.axis,
                dt=dt,
                old_depth=columns.before,
                stress=self.barotropic.forcing.wind[columns.axis] or 0.0,
                drag=columns.drag_rate,
                mean=columns.mean,
                molecular=VISCOSITY + self.setup.added_mixing,
            ),
            *self._drawn_to_sea(columns),
            *along,
        )

    def _drawn_to_sea(self, columns: Columns) -> tuple[Step, ...]:
        """Return what draws layers beside open boundaries to the currents of the sea beyond."""
        sea, setup = self.barotropic.sea, self.setup
        if sea is None or sea.layer_current is None:
            return ()
        current = make_sea_current(self.surface, columns, sea.layer_current)
        if current is None:
            return ()
        return (
            *current.steps,
            opened.relax_layers(
                columns.transport,
                current.weight,
                columns.mean,
                columns.depth,
                current.shear,
                fraction=columns.fraction,
                time=hc.time + 0.5 * setup.macro_step,
                ramp=setup.ramp or None,
                on=current.where,
            ),
        )

    def _vertical_velocity(self) -> tuple[Step, ...]:
        layers = self.layers
        return layered.vertical_velocity(
            layers.w,
            layers.columns["x"].transport,
            layers.columns["y"].transport,
            before=layers.before,
            after=layers.after,
            fraction=layers.fraction,
            metric=self.surface.metric,
            dt=self.setup.macro_step,
            start=0.0,
            on=self.surface.where_wet,
        )

    def _density(self) -> tuple[Step, ...]:
        if self.layers.density is None or self.setup.density is None:
            return ()
        tracers = self.layers.tracers_by_name
        named = {name: tracers[name] for name in UNITS if name in tracers}
        return (find_density(self.layers.density, equation=self.setup.density, **named),)

    def _stiffening(self) -> tuple[Step, ...]:
        splitting = self.layers.splitting
        if self.pressure is None or splitting is None:
            return ()
        surface = self.grid.hidden_field("surface", dtype=self.setup.dtype, axes="xy")
        return stiffening(
            self.pressure.density,
            middle=self.pressure.middle,
            fraction=self.layers.fraction,
            last=self.pressure.last,
            start=(0.0, 0.0),
            end=(splitting.stiffening, surface),
        )

    def _slow(self, columns: Columns, other: Columns) -> tuple[Step, ...]:
        """Return what the barotropic mode is to feel of the layers in the next macro step."""
        surface, layers, dt = self.surface, self.layers, self.setup.macro_step
        nx, ny, _ = self.grid.extent
        return (
            *layered.friction_of_bed(
                columns.transport,
                other.transport,
                axis=columns.axis,
                drag=surface.drag,
                inverse=columns.inverse,
                other_inverse=other.inverse,
                depth=columns.depth,
                fraction=columns.fraction,
                other_fraction=other.fraction,
                start=(0.0, 0.0),
                end=(columns.drag_rate, columns.stress_of_bed),
                on=hc.Box((0, 0, 0), (nx, ny, 1)),
            ),
            *self._advect_velocities(columns, other),
            *layered.explicit_terms(
                columns.explicit,
                columns.transport,
                other.transport,
                layers.w,
                axis=columns.axis,
                metric=surface.metric,
                inverse=columns.inverse,
                depth=columns.depth,
                fraction=columns.fraction,
                pressure=self.pressure.at(columns) if self.pressure else None,
                advection=None if columns.advected else self.barotropic.advection,
                advected=columns.advected,
                dt=dt,
                flows_on=surface.flows_on[columns.axis],
                **self._ends_of_sum(columns),
                on=columns.points.where_stepped,
            ),
            *layered.sizes_of_flows(
                columns.transport,
                other.transport,
                axis=columns.axis,
                flows_on=surface.flows_on[columns.axis],
                start=(0.0, 0.0),
                end=tuple(columns.sizes),
            ),
            layered.slow_terms(
                columns.forcing,
                columns.slow_drag,
                columns.mean,
                other.mean,
                columns.total,
                columns.stress_of_bed,
                columns.inverse,
                other.inverse,
                columns.depth,
                axis=columns.axis,
                metric=surface.metric,
                drag=surface.drag,
                sizes=columns.sizes,
                advection=self.barotropic.advection,
                advected=columns.points.advected,
                dt=dt,
                wind=self.barotropic.forcing.wind[columns.axis],
                flows_on=surface.flows_on[columns.axis],
                on=columns.points.where_stepped,
            ),
        )

    def _advect_velocities(self, columns: Columns, other: Columns) -> tuple[Step, ...]:
        """Return what advects the velocities of layers, along their own axis first."""
        surface, layers, dt = self.surface, self.layers, self.setup.macro_step
        x, y, points = layers.columns["x"], layers.columns["y"], columns.points
        if columns.advected is None or points.advected is None:
            return ()
        return (
            velocity_advection.begin_mean(
                *points.advected,
                columns.mean,
                other.mean,
                columns.depth,
                columns.inverse,
                axis=columns.axis,
                metric=surface.metric,
                drying=self.setup.drying,
                dt=dt,
                flows_on=surface.flows_on[columns.axis],
            ),
            velocity_advection.begin_layers(
                columns.advected.velocity,
                columns.transport,
                columns.inverse,
                fraction=columns.fraction,
            ),
            *velocity_advection.advect_velocity(
                points.advected, surface, points, (x.mean, y.mean), dt, first=columns.axis
            ),
            *velocity_advection.advect_velocity(
                columns.advected,
                surface,
                points,
                (x.transport, y.transport),
                dt,
                first=columns.axis,
                fraction=columns.fraction,
                w=layers.w,
            ),
        )

    def _ends_of_sum(self, columns: Columns) -> dict[str, Any]:
        """Return with what the sum of explicit terms begins, and where it ends."""
        handed = self.pressure.at(columns).start if self.pressure else ()
        names = ("passing", *(f"carry_{n}" for n in range(len(handed))))
        passing, *rest = (self._hidden(columns, f"{name}_{columns.axis}") for name in names)
        return {"start": (0.0, 0.0, *handed), "end": (passing, columns.total, *rest)}

    def _hidden(self, columns: Columns, name: str) -> Field:
        return self.grid.hidden_field(
            name, dtype=self.setup.dtype, axes="xy", location=columns.location
        )
