"""The external mode: fields and micro steps of the vertically integrated equations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import halocline as hc
from halocline.apps.ocean.barotropic import momentum_advection
from halocline.apps.ocean.barotropic import vertically_integrated as integrated
from halocline.apps.ocean.numerics.regions import region_of
from halocline.apps.ocean.numerics.sides import bounded
from halocline.apps.ocean.physics import open_boundaries as opened
from halocline.apps.ocean.physics.drying import limit_outflow, share_of_outflow
from halocline.apps.ocean.physics.rain import rain_on
from halocline.apps.ocean.setup.arguments import in_cells
from halocline.apps.ocean.setup.domain import OPEN, WATER
from halocline.apps.ocean.setup.rivers import pour
from halocline.apps.ocean.setup.setup import lengths
from halocline.apps.ocean.state.velocity_points import Points

if TYPE_CHECKING:
    from halocline.apps.ocean.numerics.axis import AxisName
    from halocline.apps.ocean.numerics.metric import Metric
    from halocline.apps.ocean.physics.mode_splitting import DampedSplitting
    from halocline.apps.ocean.setup.domain import OpenKind
    from halocline.apps.ocean.setup.setup import Setup
    from halocline.language.grids.fields import Field
    from halocline.language.grids.grid import Grid
    from halocline.language.series.series import Series
    from halocline.language.steps.steps import Step

# Of a wave.
_PARTS = ("cosine", "sine")


class ExternalMode:
    """The vertically integrated mode.

    Attributes:
        wind: Stress over the density at velocity points, by axis [m²/s²].
        forcing: What else acts there, by axis: the wind, or what the internal mode makes of it.
        slow_drag: See 'vertically_integrated.momentum', by axis.
        sizes: Likewise.
        mean: Where transports are averaged over a macro step, by axis.
        splitting: What keeps waves of the surface stable beside layers; None if nothing is to.

    Args:
        grid: With two axes, or with three, of which the mode uses two.
        setup: What it is.
        metric: Lengths of cells.
    """

    def __init__(self, grid: Grid, setup: Setup, metric: Metric) -> None:
        self.grid, self.setup, self.metric = grid, setup, metric
        self.domain = domain = setup.domain
        self.drag = setup.drag
        self.clock = hc.Parameter(0.0, "clock")
        self.bed = self.field("bed", "center", domain.bed, unit="m")
        self.zeta = self.field("zeta", "center", self._first_elevation(), unit="m")
        is_stepped = domain.cells == WATER
        self.wet = self.field("wet", "center", is_stepped, dtype="bool")
        self.where_wet = region_of(is_stepped, self.wet)
        self.points: dict[str, Points] = {axis: Points(self, axis) for axis in ("x", "y")}
        self.weather: list[Step] = []
        self.wind: dict[str, Field | None] = dict.fromkeys("xy")
        if setup.stress is not None:
            self._wind_fields(setup.stress)
        self.forcing = dict(self.wind)
        self.slow_drag: dict[str, Field | None] = dict.fromkeys("xy")
        self.sizes: dict[str, integrated.Sizes | None] = dict.fromkeys("xy")
        self.mean: dict[str, Field] = {}
        self.splitting: DampedSplitting | None = None
        self.advection: Any = None if setup.advection == "none" else integrated.upstream
        self.carried: dict[str, momentum_advection.Carried] = {}
        if momentum_advection.is_carried(setup):
            self.advection = integrated.mixing if setup.sigma else None
            for axis, points in self.points.items():
                self.carried[axis] = momentum_advection.fields_of(points, points.transport)
        self.pressure = None
        if setup.pressure is not None:
            self.pressure = self.from_outside("pressure", setup.pressure)
        self.rivers = self._rivers() if setup.rivers else None
        self.rain = None if setup.rain is None else rain_on(self)
        self.fresh = tuple(part for part in (self.rivers, self.rain) if part is not None)
        if setup.brake == "limiter":
            self.share = self.field("share", "center", np.ones(domain.extent))
        if domain.open:
            self._open_fields()

    def field(
        self,
        name: str,
        location: str,
        values: Any = None,
        *,
        dtype: str = "",
        unit: str = "",
        is_flow: bool = True,
    ) -> Field:
        """Return a field of the surface with its first values; see 'bounded'."""
        made = self.grid.field(
            name, axes="xy", location=location, dtype=dtype or self.setup.dtype, unit=unit
        )
        bounded(made, is_flow=is_flow)
        if values is not None:
            made.set(values)
        return made

    @property
    def first_depth(self) -> Any:
        """Depth of cells at the beginning, 0 on land [m]."""
        return self.domain.bed + self._first_elevation()

    def _first_elevation(self) -> Any:
        """Return the elevation at the beginning, nowhere below the least depth over the bed."""
        domain = self.domain
        zeta = in_cells("zeta", self.setup.zeta, domain.is_wet)
        dry = np.where(domain.is_wet, self.setup.drying.least - domain.bed, 0.0)
        return np.where(domain.is_wet, np.maximum(zeta, dry), 0.0)

    def _wind_fields(self, stress: tuple[Any, Any]) -> None:
        """Bring the stress of the wind to the velocity points, at the begin of each macro step."""
        for axis, given in zip("xy", stress, strict=True):
            of_cells = self.from_outside(f"stress_{axis}", given)
            force = self.wind[axis] = self.field(f"wind_{axis}", f"{axis}_face")
            self.weather.append(
                integrated.at_velocity_points(
                    force, of_cells, axis=axis, on=self.points[axis].where_stepped
                )
            )

    def _rivers(self) -> Field:
        """Return how fast rivers raise the surface, found at the begin of each macro step."""
        fresh = self.field("fresh", "center", unit="m s-1")
        dx, dy = lengths(self.domain)
        area = np.broadcast_to(dx * dy, self.domain.extent)
        deep = self.grid.extent[2:]
        for river in self.setup.rivers:
            i, j = river.cell
            place = hc.Box((i, j, *(0 for _ in deep)), (i + 1, j + 1, *(1 for _ in deep)))
            self.weather.append(pour(fresh, rate=river.rate(float(area[i, j])), on=place))
        return fresh

    def from_outside(self, name: str, given: Any) -> Field:
        """Return a field of cells with a number or an array, or one that follows a series."""
        made = self.field(name, "center")
        if isinstance(given, hc.Series):
            self.weather.append(hc.fill(made, given))
        else:
            made.set(in_cells(name, given, self.domain.is_wet))
        return made

    def _open_fields(self) -> None:
        outward = np.zeros(self.domain.extent, np.int8)
        for boundary in self.domain.open:
            outward[boundary.cells()] = opened.SIDES[boundary.side]
        self.outward = self.field("outward", "center", outward, dtype="int8")
        self.where_open = region_of(outward != 0, self.outward)
        self.beyond = self.field("beyond", "center")
        self.where_kind = self._regions_of_kinds()
        self.waves: tuple[Any, ...] = ()
        for n, wave in enumerate(self.setup.tide):
            parts = [self._part(f"wave_{n}_{part}", getattr(wave, part)) for part in _PARTS]
            self.waves += (wave.frequency, *parts)
        self.given: Any = None
        if self.setup.elevation is not None:
            self.given = self._elevations(self.setup.elevation)

    def _regions_of_kinds(self) -> dict[OpenKind, Field | hc.Box]:
        """Return where open cells are, by how they take the elevation of the sea beyond."""
        kinds = self.setup.open_kinds
        if len(set(kinds)) == 1:
            return {kinds[0]: self.where_open}
        found: dict[OpenKind, Field | hc.Box] = {}
        for kind in dict.fromkeys(kinds):
            cells = np.zeros(self.domain.extent, bool)
            for boundary, other in zip(self.domain.open, kinds, strict=True):
                cells[boundary.cells()] = other == kind
            mask = self.field(f"open_{kind.replace('-', '_')}", "center", cells, dtype="bool")
            found[kind] = region_of(cells, mask)
        return found

    def _elevations(self, series: Series) -> tuple[Any, ...]:
        """Bring the sea's elevation to open cells, as it is when a macro step begins and ends.

        Between these it is linear, so that it does not lag behind by a macro step.
        """
        domain, macro_step = self.domain, self.setup.macro_step
        cells = np.concatenate([np.transpose(part.cells()) for part in domain.open])
        middles = np.asarray(domain.origin) + (cells + 0.5) * np.asarray(domain.spacing)
        # Layers do not matter.
        deep = np.zeros((len(cells), self.grid.dimensions - middles.shape[1]))
        points = hc.Points(np.hstack([middles, deep]))
        found = []
        for name, rows in (("begin", series), ("end", ahead(series, macro_step))):
            field = self.field(f"sea_{name}", "center", unit="m")
            self.weather += [
                opened.clear(field, on=self.where_open),
                points.inject(rows, into=field),
            ]
            found.append(field)
        return (*found, (self.clock - hc.time) * (1.0 / macro_step))

    def _part(self, name: str, value: Any) -> Any:
        """Return a part of a wave: a number, or a field where it differs from cell to cell."""
        if np.ndim(value) == 0:
            return float(value)
        values = in_cells(name, value, self.domain.cells == OPEN)
        return self.field(name, "center", values, unit="m")

    def micro_steps(self) -> tuple[Step, ...]:
        """Return those of a macro step, after 'weather'; U and V take turns in being the first."""
        pairs, rest = divmod(self.setup.micro_steps, 2)
        there, back = self.micro_step("x", "y"), self.micro_step("y", "x")
        steps: list[Step] = [hc.assign(self.clock, hc.time)]
        if pairs:
            steps.append(hc.repeat(pairs, *there, *back))
        return (*steps, *(there if rest else ()))

    def micro_step(self, first: AxisName, second: AxisName) -> tuple[Step, ...]:
        """Return a micro step in which the transport along one axis is stepped before the other."""
        steps: list[Step] = [hc.assign(self.clock, self.clock + self.setup.micro_step)]
        steps += [self._velocity(points) for points in self.points.values()]
        steps += self._carry(first)
        steps += self._momentum(self.points[first], self.points[second].transport)
        steps += self._momentum(self.points[second], self.points[first].transport_new)
        steps += [hc.swap(p.transport, p.transport_new) for p in self.points.values()]
        steps += self._outflow()
        share = 1.0 / self.setup.micro_steps
        steps += [
            integrated.add_transport(
                mean, self.points[axis].transport, share=share, on=self.points[axis].flowing
            )
            for axis, mean in self.mean.items()
        ]
        steps += self._open_elevation()
        U, V = (points.transport for points in self.points.values())
        dt = self.setup.micro_step
        steps.append(
            integrated.continuity(
                self.zeta, U, V, metric=self.metric, dt=dt, fresh=self.fresh, on=self.where_wet
            )
        )
        return tuple(steps)

    def _velocity(self, points: Points) -> Step:
        return integrated.velocity(
            points.velocity,
            points.transport,
            self.zeta,
            points.bed,
            axis=points.axis,
            drying=self.setup.drying,
            on=points.flowing,
        )

    def _carry(self, first: AxisName) -> list[Step]:
        """Return what carries velocities, along one axis before the other."""
        x, y = self.points.values()
        steps: list[Step] = []
        for axis, carried in self.carried.items():
            points, beside, dt = self.points[axis], self._beside(axis), self.setup.micro_step
            steps += [
                momentum_advection.begin(
                    *carried,
                    points.velocity,
                    points.transport,
                    beside.transport,
                    self.zeta,
                    points.bed,
                    axis=points.axis,
                    metric=self.metric,
                    drying=self.setup.drying,
                    dt=dt,
                ),
                *momentum_advection.carry(
                    carried, self, points, (x.transport, y.transport), dt, first=first
                ),
            ]
        return steps

    def _beside(self, axis: str) -> Points:
        """Return the velocity points of the other axis."""
        return self.points["y" if axis == "x" else "x"]

    def _momentum(self, points: Points, other: Field) -> list[Step]:
        """Return the step of a transport, given the other one as new as it is."""
        setup, beside = self.setup, self._beside(points.axis)
        carried = self.carried.get(points.axis)
        step = integrated.momentum(
            points.transport_new,
            points.transport,
            points.velocity,
            other,
            beside.velocity,
            self.zeta,
            points.bed,
            self.bed,
            axis=points.axis,
            metric=self.metric,
            drying=setup.drying,
            drag=self.drag,
            dt=setup.micro_step,
            coriolis=points.coriolis,
            advection=self.advection,
            advecting=beside.transport,
            sizes=self.sizes[points.axis],
            carried=carried,
            viscosity=setup.viscosity or None,
            forcing=self.forcing[points.axis],
            slow_drag=self.slow_drag[points.axis],
            pressure=self.pressure,
            splitting=self.splitting,
            smoothing=self._smoothing(points),
            on=points.where_stepped,
        )
        if not points.is_along:
            return [step]
        return [step, *points.copied_from_inside(points.transport_new, points.inside)]

    def _smoothing(self, points: Points) -> integrated.Smoothing | None:
        if not self.setup.transport_diffusivity:
            return None
        return integrated.Smoothing(self.setup.transport_diffusivity, points.stepped)

    def _outflow(self) -> list[Step]:
        """Return what keeps the depth above its least."""
        if self.setup.brake == "off":
            return []
        U, V = (points.transport for points in self.points.values())
        metric, drying, dt = self.metric, self.setup.drying, self.setup.micro_step
        share = share_of_outflow(
            self.share,
            U,
            V,
            self.zeta,
            self.bed,
            metric=metric,
            drying=drying,
            dt=dt,
            on=self.where_wet,
        )
        return [
            share,
            *(
                limit_outflow(
                    points.transport, self.share, axis=points.axis, on=points.where_stepped
                )
                for points in self.points.values()
            ),
        ]

    def _open_elevation(self) -> list[Step]:
        """Return the steps of the elevation of open cells."""
        if not self.domain.open:
            return []
        kinds = self.where_kind.items()
        return [step for kind, on in kinds for step in self._elevation_of(kind, on)]

    def _elevation_of(self, kind: OpenKind, open_cells: Field | hc.Box) -> list[Step]:
        """Return the steps of the elevation of open cells of a kind."""
        setup, cells = self.setup, self.outward
        zeta, bed, drying = self.zeta, self.bed, setup.drying
        ramp = setup.ramp or None
        sea = {"waves": self.waves, "given": self.given, "time": self.clock, "ramp": ramp}
        if kind == "clamped":
            return [opened.clamped(zeta, bed, **sea, drying=drying, on=open_cells)]
        if kind == "flather":
            U, V = (points.transport for points in self.points.values())
            return [opened.flather(zeta, bed, cells, U, V, **sea, drying=drying, on=open_cells)]
        if kind == "radiating":
            metric, dt = self.metric, setup.micro_step
            step = opened.radiating(
                self.beyond, zeta, bed, cells, metric=metric, drying=drying, dt=dt, on=open_cells
            )
        else:
            step = opened.without_gradient(
                self.beyond, zeta, bed, cells, drying=drying, on=open_cells
            )
        return [step, opened.copy(zeta, self.beyond, on=open_cells)]


def ahead(series: Series, time: float) -> Series:
    """Return a series that is some time ahead of another one and keeps its last row at the end."""
    times, values = series.times - time, series.values
    if not series.period:
        times, values = np.append(times, series.times[-1]), np.vstack([values, values[-1:]])
    return hc.Series(times, values, period=series.period or None, name=series.name)
