"""The internal mode: fields and macro steps of the equations of layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import halocline as hc
from halocline.apps.ocean.baroclinic import layer_integrated as layered
from halocline.apps.ocean.baroclinic.internal_pressure import InternalPressure
from halocline.apps.ocean.baroclinic.tracers import Tracers, find_density
from halocline.apps.ocean.barotropic import momentum_advection
from halocline.apps.ocean.barotropic.vertically_integrated import Sizes
from halocline.apps.ocean.numerics.sides import bounded
from halocline.apps.ocean.numerics.tracer_flow import Flow
from halocline.apps.ocean.numerics.vertical import Layers, diffuse_momentum
from halocline.apps.ocean.physics.drag import LogarithmicDrag
from halocline.apps.ocean.physics.equation_of_state import REFERENCE_DENSITY
from halocline.apps.ocean.physics.mode_splitting import DampedSplitting, stiffening
from halocline.apps.ocean.physics.turbulence import (
    find_buoyancy,
    find_shear,
    inner_faces,
    k_epsilon,
    make_turbulence,
    smooth,
    smooth_vertically,
)
from halocline.apps.ocean.physics.turbulence_advection import advect_turbulence
from halocline.apps.ocean.setup.domain import WATER

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.apps.ocean.barotropic.external_mode import ExternalMode
    from halocline.apps.ocean.numerics.axis import AxisName
    from halocline.apps.ocean.setup.sigma import Sigma
    from halocline.language.grids.fields import Field
    from halocline.language.steps.steps import Step

# Molecular [m²/s].
VISCOSITY = 1.8e-6


class Columns:
    """The fields of layers, and of whole columns, at the velocity points of an axis.

    Args:
        mode: Of which.
        axis: 'x' for U points, 'y' for V points.
    """

    def __init__(self, mode: InternalMode, axis: AxisName) -> None:
        self.axis, self.location = axis, f"{axis}_face"
        external, name = mode.external, {"x": "p", "y": "q"}[axis]
        self.points = external.points[axis]
        self.transport = mode.field(name, self.location, unit="m2 s-1")
        self.explicit = mode.field(f"explicit_{name}", self.location)

        def surface(what: str, **given: Any) -> Field:
            return external.field(f"{what}_{name}", self.location, **given)

        first = np.maximum(external.domain.face_bed(axis), mode.least)
        self.depth = surface("depth", values=first, is_flow=False)
        self.before = surface("before", values=first, is_flow=False)
        self.inverse = surface("inverse", values=1.0 / first, is_flow=False)
        self.push = surface("push")
        self.drag_rate, self.stress_of_bed = map(surface, ("drag_rate", "stress_of_bed"))
        self.total = surface("total")
        self.sizes = Sizes(*(surface(n, is_flow=False) for n in ("size_along", "size_across")))
        self.mean = surface("mean")
        self.forcing, self.slow_drag = map(surface, ("forcing", "slow_drag"))
        self.carried: momentum_advection.Carried | None = None
        if momentum_advection.is_carried(mode.setup):
            self.carried = momentum_advection.fields_of(self.points, self.transport)
        if self.points.is_along:
            self.inside = mode.field(f"inside_{name}", self.location)


class InternalMode:
    """The mode of layers, and with it the external one.

    Args:
        external: The vertically integrated mode, on a grid with three axes.
        sigma: Layers.
    """

    def __init__(self, external: ExternalMode, sigma: Sigma) -> None:
        self.external, self.setup, self.metric = external, external.setup, external.metric
        self.grid, self.dt = external.grid, external.setup.macro_step
        self.least = self.setup.drying.least
        self.fractions = sigma.fractions
        self.fraction = self.grid.field("fraction", axes="z", dtype=self.setup.dtype)
        self.fraction.boundary(["z-", "z+"], hc.Neumann(0.0))
        self.fraction.set(self.fractions)
        if isinstance(self.setup.drag, LogarithmicDrag):
            external.drag = self.setup.drag._replace(viscosity=None)
        self.zeta_before = external.field("zeta_before", "center")
        first = np.maximum(external.first_depth, self.least)
        self.before, self.after = (
            external.field(name, "center", first) for name in ("before", "after")
        )
        self.columns = {axis: Columns(self, axis) for axis in ("x", "y")}
        for axis, columns in self.columns.items():
            external.mean[axis] = columns.mean
            external.forcing[axis] = columns.forcing
            external.slow_drag[axis] = columns.slow_drag
            external.sizes[axis] = columns.sizes
        self.w = self.field("w", "z_face", unit="m s-1")
        self.turbulence = make_turbulence(self.grid, self.setup.dtype)
        self.shear_squared = self.field("shear_squared", "z_face")
        self.buoyancy_squared = self.field("buoyancy_squared", "z_face")
        self.smooth_buoyancy: dict[str, Field] = {}
        if self.setup.density is not None:
            self.smooth_buoyancy = {
                way: self.field(f"smooth_buoyancy_{way}", "z_face")
                for way in ("vertical", "horizontal")
                if self.setup.smooth_buoyancy in (way, "both")
            }
        if "horizontal" in self.smooth_buoyancy:
            is_wet = external.domain.is_wet
            self.water = external.field("water", "center", is_wet, dtype="bool")
        self.added_mixing = self.setup.mixing
        if self.setup.turbulence == "constant":
            self.added_mixing = 0.0
            self.turbulence.viscosity.set(self.setup.mixing)
            self.turbulence.diffusivity.set(self.setup.mixing)
        self._tracers = Tracers(self)
        self.tracers = self._tracers.fields
        self.density = self.field("density", "center") if self.setup.density else None
        self.pressure = InternalPressure(self, self.density) if self.density else None
        if self.setup.mode_splitting == "damped":
            raised = external.field("stiffening", "center") if self.density else None
            external.splitting = DampedSplitting(external.wet, self.zeta_before, raised)

    @property
    def below_faces(self) -> NDArray[np.float64]:
        """Which share of the depth lies below the faces of layers (layers + 1)."""
        return np.append(0.0, np.cumsum(self.fractions))

    def field(self, name: str, location: str, *, unit: str = "") -> Field:
        """Return a field of layers, with what lies beyond the sides."""
        made = self.grid.field(name, location=location, dtype=self.setup.dtype, unit=unit)
        return bounded(made)

    def macro_step(self) -> tuple[Step, ...]:
        """Return the steps of a macro step, after the 'weather' of the external mode."""
        x, y = self.columns["x"], self.columns["y"]
        return (
            *self._density(),
            *(self.pressure.steps() if self.pressure else ()),
            *self._stiffening(),
            *self._slow(x, y),
            *self._slow(y, x),
            layered.begin(self.zeta_before, self.external.zeta, x.mean, y.mean),
            *self.external.micro_steps(),
            *self._depths(),
            *self._momentum(x, y),
            *self._momentum(y, x),
            *self._vertical_velocity(),
            *self._mixing(),
            *self._tracers.steps(),
        )

    @property
    def flow(self) -> Flow:
        """What carries tracers and turbulence through a macro step."""
        x, y = self.columns["x"], self.columns["y"]
        return Flow(
            x.transport,
            y.transport,
            self.before,
            self.after,
            x.depth,
            y.depth,
            self.fraction,
            self.w,
            x.points.stepped,
            y.points.stepped,
        )

    def layers(self, columns: Columns) -> Layers:
        """Return the layers at velocity points."""
        return Layers(columns.depth, self.fraction)

    def _depths(self) -> tuple[Step, ...]:
        external, drying = self.external, self.setup.drying
        return (
            layered.depths(
                self.before,
                self.after,
                self.zeta_before,
                external.zeta,
                external.bed,
                drying=drying,
                dt=self.dt,
                fresh=external.fresh,
            ),
            *(
                layered.column(
                    columns.before,
                    columns.depth,
                    columns.inverse,
                    columns.push,
                    self.zeta_before,
                    external.zeta,
                    columns.points.bed,
                    external.bed,
                    axis=columns.axis,
                    metric=self.metric,
                    drying=drying,
                    pressure=external.pressure,
                )
                for columns in self.columns.values()
            ),
        )

    def _momentum(self, columns: Columns, other: Columns) -> list[Step]:
        """Return the step of the transports along an axis."""
        p, dt = columns.transport, self.dt
        steps: list[Step] = [
            layered.accelerate(
                p,
                other.transport,
                columns.explicit,
                columns.before,
                columns.depth,
                columns.push,
                axis=columns.axis,
                fraction=self.fraction,
                drying=self.setup.drying,
                dt=dt,
                coriolis=columns.points.coriolis,
                on=columns.points.where_stepped,
            ),
            *diffuse_momentum(
                p,
                self.layers(columns),
                self.turbulence.viscosity,
                axis=columns.axis,
                dt=dt,
                old_depth=columns.before,
                stress=self.external.wind[columns.axis] or 0.0,
                drag=columns.drag_rate,
                mean=columns.mean,
                molecular=VISCOSITY + self.added_mixing,
            ),
        ]
        if columns.points.is_along:
            steps += columns.points.copied_from_inside(p, columns.inside)
        return steps

    def _vertical_velocity(self) -> tuple[Step, ...]:
        return layered.vertical_velocity(
            self.w,
            self.columns["x"].transport,
            self.columns["y"].transport,
            before=self.before,
            after=self.after,
            fraction=self.fraction,
            metric=self.metric,
            dt=self.dt,
            start=0.0,
            on=self.external.where_wet,
        )

    def _mixing(self) -> tuple[Step, ...]:
        """Return the steps of turbulence."""
        if self.setup.turbulence == "constant":
            return ()
        cells, inner = Layers(self.after, self.fraction), inner_faces(self.grid)
        x, y = self.columns["x"], self.columns["y"]
        steps: list[Step] = [
            find_shear(
                self.shear_squared,
                east=x.transport,
                north=y.transport,
                at_u=self.layers(x),
                at_v=self.layers(y),
                on=inner,
            )
        ]
        if self.density is not None:
            steps.append(
                find_buoyancy(
                    self.buoyancy_squared,
                    self.density,
                    layers=cells,
                    reference=REFERENCE_DENSITY,
                    on=inner,
                )
            )
        buoyancy_squared = self.buoyancy_squared
        for way, smoothed in self.smooth_buoyancy.items():
            steps.append(
                smooth(smoothed, buoyancy_squared, water=self.water, on=inner)
                if way == "horizontal"
                else smooth_vertically(
                    smoothed, buoyancy_squared, levels=self.grid.extent[2], on=inner
                )
            )
            buoyancy_squared = smoothed
        return (
            *steps,
            *k_epsilon(
                self.turbulence,
                self.shear_squared,
                buoyancy_squared,
                cells,
                dt=self.dt,
                bed_roughness=getattr(self.setup.drag, "roughness", 1e-3),
                surface_roughness=self.setup.surface_roughness,
                model=self.setup.k_epsilon,
            ),
            *self._advected_turbulence(),
        )

    def _advected_turbulence(self) -> tuple[Step, ...]:
        if self.setup.turbulence_advection == "none":
            return ()
        return advect_turbulence(
            self.turbulence,
            self.flow,
            self.metric,
            self.dt,
            water=self.external.domain.cells == WATER,
            scheme=self.setup.turbulence_advection,
            splitting=self.setup.turbulence_advection_splitting,
            model=self.setup.k_epsilon,
        )

    def _density(self) -> tuple[Step, ...]:
        if self.density is None or self.setup.density is None:
            return ()
        named = {field.name: field for field in self.tracers}
        return (find_density(self.density, equation=self.setup.density, **named),)

    def _stiffening(self) -> tuple[Step, ...]:
        splitting = self.external.splitting
        if self.pressure is None or splitting is None or splitting.stiffening is None:
            return ()
        surface = self.grid.hidden_field("surface", dtype=self.setup.dtype, axes="xy")
        return stiffening(
            self.pressure.density,
            middle=self.pressure.middle,
            fraction=self.fraction,
            last=self.pressure.last,
            start=(0.0, 0.0),
            end=(splitting.stiffening, surface),
        )

    def _slow(self, columns: Columns, other: Columns) -> tuple[Step, ...]:
        """Return what the external mode is to feel of the layers in the next macro step."""
        mean = self.external.carried.get(columns.axis)
        nx, ny, _ = self.grid.extent
        return (
            *layered.friction_of_bed(
                columns.transport,
                other.transport,
                axis=columns.axis,
                drag=self.external.drag,
                inverse=columns.inverse,
                other_inverse=other.inverse,
                depth=columns.depth,
                fraction=self.fraction,
                start=(0.0, 0.0),
                end=(columns.drag_rate, columns.stress_of_bed),
                on=hc.Box((0, 0, 0), (nx, ny, 1)),
            ),
            *self._carry(columns, other),
            *layered.explicit_terms(
                columns.explicit,
                columns.transport,
                other.transport,
                self.w,
                axis=columns.axis,
                metric=self.metric,
                inverse=columns.inverse,
                depth=columns.depth,
                fraction=self.fraction,
                pressure=self.pressure.at(columns) if self.pressure else None,
                advection=None if columns.carried else self.external.advection,
                carried=columns.carried,
                dt=self.dt,
                **self._carries(columns),
                on=columns.points.where_stepped,
            ),
            *layered.sizes_of_flows(
                columns.transport,
                other.transport,
                axis=columns.axis,
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
                metric=self.metric,
                drag=self.external.drag,
                sizes=columns.sizes,
                advection=self.external.advection,
                carried=mean,
                dt=self.dt,
                wind=self.external.wind[columns.axis],
                on=columns.points.where_stepped,
            ),
        )

    def _carry(self, columns: Columns, other: Columns) -> tuple[Step, ...]:
        """Return what carries the velocities of layers, along their own axis first."""
        carried, x, y = columns.carried, self.columns["x"], self.columns["y"]
        mean = self.external.carried.get(columns.axis)
        if carried is None or mean is None:
            return ()
        given = (self.external, columns.points)
        return (
            momentum_advection.begin_mean(
                *mean,
                columns.mean,
                other.mean,
                columns.depth,
                columns.inverse,
                axis=columns.axis,
                metric=self.metric,
                drying=self.setup.drying,
                dt=self.dt,
            ),
            momentum_advection.begin_layers(
                carried.velocity, columns.transport, columns.inverse, fraction=self.fraction
            ),
            *momentum_advection.carry(mean, *given, (x.mean, y.mean), self.dt, first=columns.axis),
            *momentum_advection.carry(
                carried,
                *given,
                (x.transport, y.transport),
                self.dt,
                first=columns.axis,
                fraction=self.fraction,
                w=self.w,
            ),
        )

    def _carries(self, columns: Columns) -> dict[str, Any]:
        """Return with what the sum of explicit terms begins, and where it ends."""
        handed = self.pressure.at(columns).start if self.pressure else ()
        names = ("passing", *(f"carry_{n}" for n in range(len(handed))))
        passing, *rest = (self._surface(columns, f"{name}_{columns.axis}") for name in names)
        return {"start": (0.0, 0.0, *handed), "end": (passing, columns.total, *rest)}

    def _surface(self, columns: Columns, name: str) -> Field:
        return self.grid.hidden_field(
            name, dtype=self.setup.dtype, axes="xy", location=columns.location
        )
