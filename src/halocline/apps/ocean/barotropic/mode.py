"""The barotropic mode: micro steps of the vertically integrated equations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.apps.ocean.barotropic import velocity_advection
from halocline.apps.ocean.barotropic import vertically_integrated as integrated
from halocline.apps.ocean.physics import open_boundaries as opened
from halocline.apps.ocean.physics.drying import limit_outflow, share_of_outflow
from halocline.frozen import Frozen

if TYPE_CHECKING:
    from halocline.apps.ocean.numerics.axis import AxisName
    from halocline.apps.ocean.setup.domain import OpenKind
    from halocline.apps.ocean.state.forcing import Forcing
    from halocline.apps.ocean.state.layers import LayerState
    from halocline.apps.ocean.state.open_sea import OpenSea
    from halocline.apps.ocean.state.surface import Surface
    from halocline.apps.ocean.state.velocity_points import VelocityPoints
    from halocline.language.grids.fields import Field
    from halocline.language.steps.steps import Step


class BarotropicMode(Frozen, eq=False):
    """The vertically integrated mode.

    Attributes:
        surface: Its state.
        forcing: What drives it.
        sea: Beyond open boundaries; None if there are none.
        layers: Of the water, which drive it, too; None without.
        share: Of the outflow of cells that there is water for; None if nothing limits it.
    """

    surface: Surface
    forcing: Forcing
    sea: OpenSea | None
    layers: LayerState | None
    share: Field | None

    @property
    def advection(self) -> Any:
        """How the momentum kernel advects or mixes velocities; None for not at all."""
        setup = self.surface.setup
        if setup.has_velocity_steps:
            return integrated.mixing if setup.layers else None
        return None if setup.advection == "none" else integrated.upstream

    def steps(self) -> tuple[Step, ...]:
        """Return the micro steps of a macro step; U and V take turns in being the first."""
        clock = self.surface.clock
        pairs, rest = divmod(self.surface.setup.micro_steps, 2)
        there, back = self._micro_step("x", "y"), self._micro_step("y", "x")
        steps: list[Step] = [hc.assign(clock, hc.time)]
        if pairs:
            steps.append(hc.repeat(pairs, *there, *back))
        return (*steps, *(there if rest else ()))

    def _micro_step(self, first: AxisName, second: AxisName) -> tuple[Step, ...]:
        """Return a micro step in which the transport along one axis is stepped before the other."""
        surface, dt = self.surface, self.surface.setup.micro_step
        points = surface.points
        U, V = (of_axis.transport for of_axis in points.values())
        return (
            hc.assign(surface.clock, surface.clock + dt),
            *(self._velocity(of_axis) for of_axis in points.values()),
            *(step for of_axis in points.values() for step in self._advect(of_axis, first)),
            *self._momentum(points[first], points[second].transport),
            *self._momentum(points[second], points[first].transport_new),
            *(hc.swap(of_axis.transport, of_axis.transport_new) for of_axis in points.values()),
            *self._limited_outflow(),
            *self._means(),
            *self._open_elevation(),
            integrated.continuity(
                surface.zeta,
                U,
                V,
                metric=surface.metric,
                dt=dt,
                fresh=self.forcing.fresh,
                on=surface.where_wet,
            ),
        )

    def _velocity(self, points: VelocityPoints) -> Step:
        return integrated.velocity(
            points.velocity,
            points.transport,
            self.surface.zeta,
            points.bed,
            axis=points.axis,
            drying=self.surface.setup.drying,
            on=points.flowing,
        )

    def _advect(self, points: VelocityPoints, first: AxisName) -> tuple[Step, ...]:
        """Return the steps that advect a velocity, along one axis before the other."""
        surface, dt = self.surface, self.surface.setup.micro_step
        if points.advected is None:
            return ()
        x, y = surface.points.values()
        return (
            velocity_advection.begin(
                *points.advected,
                points.velocity,
                points.transport,
                surface.beside(points.axis).transport,
                surface.zeta,
                points.bed,
                axis=points.axis,
                metric=surface.metric,
                drying=surface.setup.drying,
                dt=dt,
                flows_on=surface.flows_on[points.axis],
            ),
            *velocity_advection.advect_velocity(
                points.advected, surface, points, (x.transport, y.transport), dt, first=first
            ),
        )

    def _momentum(self, points: VelocityPoints, other: Field) -> tuple[Step, ...]:
        """Return the step of a transport, given the other one as new as it is."""
        surface, setup = self.surface, self.surface.setup
        beside = surface.beside(points.axis)
        columns = self.layers.columns[points.axis] if self.layers else None
        step = integrated.momentum(
            points.transport_new,
            points.transport,
            points.velocity,
            other,
            beside.velocity,
            surface.zeta,
            points.bed,
            surface.bed,
            axis=points.axis,
            metric=surface.metric,
            drying=setup.drying,
            drag=surface.drag,
            dt=setup.micro_step,
            coriolis=points.coriolis,
            advection=self.advection,
            advecting=beside.transport,
            sizes=columns.sizes if columns else None,
            advected=points.advected,
            viscosity=setup.viscosity or None,
            forcing=columns.forcing if columns else self.forcing.wind[points.axis],
            slow_drag=columns.slow_drag if columns else None,
            pressure=self.forcing.pressure,
            splitting=self.layers.splitting if self.layers else None,
            smoothing=self._smoothing(points),
            flows_on=surface.flows_on[points.axis],
            on=points.where_stepped,
        )
        if points.along is None:
            return (step,)
        return step, *points.along.copy_from_inside(points.transport_new, points.along.inside)

    def _smoothing(self, points: VelocityPoints) -> integrated.Smoothing | None:
        diffusivity = self.surface.transport_diffusivity
        return integrated.Smoothing(*diffusivity, points.stepped) if diffusivity else None

    def _limited_outflow(self) -> tuple[Step, ...]:
        """Return the steps of the wetting-and-drying limiter, by which depths have a least."""
        if self.share is None:
            return ()
        surface = self.surface
        points = surface.points.values()
        return (
            share_of_outflow(
                self.share,
                *(of_axis.transport for of_axis in points),
                surface.zeta,
                surface.bed,
                metric=surface.metric,
                drying=surface.setup.drying,
                dt=surface.setup.micro_step,
                on=surface.where_wet,
            ),
            *(
                limit_outflow(
                    of_axis.transport, self.share, axis=of_axis.axis, on=of_axis.where_stepped
                )
                for of_axis in points
            ),
        )

    def _means(self) -> tuple[Step, ...]:
        """Return the steps that average transports over a macro step, for layers."""
        share = 1.0 / self.surface.setup.micro_steps
        return tuple(
            integrated.add_transport(
                columns.mean, columns.points.transport, share=share, on=columns.points.flowing
            )
            for columns in (self.layers.columns.values() if self.layers else ())
        )

    def _open_elevation(self) -> tuple[Step, ...]:
        """Return the steps of the elevation of open cells."""
        if self.sea is None:
            return ()
        kinds = self.sea.where_kind.items()
        return tuple(step for kind, on in kinds for step in self._elevation_of(self.sea, kind, on))

    def _elevation_of(
        self, sea: OpenSea, kind: OpenKind, open_cells: Field | hc.Box
    ) -> tuple[Step, ...]:
        """Return the steps of the elevation of open cells of a kind."""
        surface, setup = self.surface, self.surface.setup
        zeta, bed = surface.zeta, surface.bed
        arguments: dict[str, Any] = {"drying": setup.drying, "on": open_cells}
        prescribed: dict[str, Any] = {
            "waves": sea.waves,
            "given": sea.given,
            "time": surface.clock,
            "ramp": setup.ramp or None,
        }
        if kind == "clamped":
            return (opened.clamped(zeta, bed, **prescribed, **arguments),)
        if kind == "flather":
            U, V = (points.transport for points in surface.points.values())
            step = opened.flather(
                *(zeta, bed, sea.outward, U, V), current=sea.current, **prescribed, **arguments
            )
            return (step,)
        if kind == "radiating":
            arguments |= {"metric": surface.metric, "dt": setup.micro_step}
            step = opened.radiating(sea.beyond, zeta, bed, sea.outward, **arguments)
        else:
            step = opened.without_gradient(sea.beyond, zeta, bed, sea.outward, **arguments)
        return step, opened.copy(zeta, sea.beyond, on=open_cells)
