"""Model: a coastal ocean as a grid, its fields and the steps that advance it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

import halocline as hc
from halocline.apps.ocean import open_boundaries as opened
from halocline.apps.ocean import vertically_integrated as integrated
from halocline.apps.ocean.domain import ALONG, BESIDE, INNER, WATER
from halocline.apps.ocean.drag import LogarithmicDrag
from halocline.apps.ocean.drying import Drying, limit_outflow, share_of_outflow
from halocline.apps.ocean.metric import Metric, cartesian, spherical
from halocline.apps.ocean.tides import Wave
from halocline.errors import CaseError

if TYPE_CHECKING:
    from halocline.apps.ocean.axis import AxisName
    from halocline.apps.ocean.domain import Domain
    from halocline.language.grids.fields import Field
    from halocline.language.grids.grid import Grid
    from halocline.language.steps.steps import Step

ADVECTIONS = {"none": None, "upstream": integrated.upstream}
# How the elevation of open cells follows from what is given of the sea beyond.
OpenKind = Literal["clamped", "flather", "radiating", "zero-gradient"]


@dataclass(frozen=True, eq=False)
class Setup:
    """What a run computes.

    Attributes:
        domain: Bathymetry and open boundaries.
        micro_step: Time step of the vertically integrated mode [s].
        micro_steps: How many of them make a macro step, which is a step of the simulation.
        drag: Of the bed.
        drying: Depths that are shallow.
        brake: What keeps cells from giving away more water than they have: 'limiter', or 'off'
            where no cell falls dry.
        advection: Of momentum: 'upstream' or 'none'.
        viscosity: Horizontal eddy viscosity; 0 for none [m²/s].
        stress: Of the wind over the density of water, along x and y: numbers, arrays of cells, or
            series of arrays; None for no wind [m²/s²].
        pressure: Of the air, likewise [Pa].
        tide: Waves of the sea beyond open boundaries.
        open_kind: How open boundaries take these.
        ramp: Time in which they grow from nothing [s].
        zeta: Elevation at the beginning, a number or an array of cells [m].
        dtype: Of the fields.
    """

    domain: Domain
    micro_step: float
    micro_steps: int = 10
    drag: Any = field(default_factory=LogarithmicDrag)
    drying: Drying = field(default_factory=Drying)
    brake: Literal["limiter", "off"] = "limiter"
    advection: Literal["none", "upstream"] = "upstream"
    viscosity: float = 0.0
    stress: tuple[Any, Any] | None = None
    pressure: Any = None
    tide: tuple[Wave, ...] = ()
    open_kind: OpenKind = "clamped"
    ramp: float = 0.0
    zeta: Any = 0.0
    dtype: str = "float64"

    def __post_init__(self) -> None:
        check_time_step(self)

    @property
    def macro_step(self) -> float:
        """Length of a step of the simulation [s]."""
        return self.micro_steps * self.micro_step


def check_time_step(setup: Setup) -> None:
    """Refuse a micro step beyond the limit of long waves, and name the cell where it is reached.

    Raises:
        CaseError: It is longer.
    """
    domain = setup.domain
    dx, dy = lengths(domain)
    deepest = np.maximum(np.where(domain.is_wet, domain.depth, 0.0), setup.drying.critical)
    inverse = np.sqrt(2.0 * integrated.GRAVITY * deepest) * np.sqrt(dx**-2.0 + dy**-2.0)
    limit = np.where(domain.is_wet, 1.0 / inverse, np.inf)
    if setup.micro_step > limit.min():
        i, j = np.unravel_index(limit.argmin(), limit.shape)
        raise CaseError(
            f"The micro step of {setup.micro_step:g} s is too long: waves over {deepest[i, j]:g} m "
            f"of water in cell ({i}, {j}) allow {limit.min():.4g} s.",
            hint="Shorten the micro step, and do more of them in a macro step.",
        )


def lengths(domain: Domain) -> tuple[Any, Any]:
    """Return the edge lengths of cells along x and y, which may differ along y [m]."""
    dx, dy = domain.spacing
    if not domain.is_spherical:
        return np.float64(dx), np.float64(dy)
    from halocline.apps.ocean.metric import EARTH_RADIUS

    y = domain.origin[1] + (np.arange(domain.extent[1]) + 0.5) * dy
    east = EARTH_RADIUS * np.radians(dx) * np.cos(np.radians(y))
    return east[np.newaxis, :], np.float64(EARTH_RADIUS * np.radians(dy))


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
        bed: Depth below the mean level [m].
        wet: What each cell is, see 'domain'.
        steps: One macro step.
    """

    setup: Setup
    grid: Grid
    metric: Metric
    zeta: Field
    U: Field
    V: Field
    bed: Field
    wet: Field
    steps: tuple[Step, ...]


def make_model(setup: Setup) -> Model:
    """Return a model at its beginning."""
    domain = setup.domain
    grid = hc.Grid(
        domain.extent, periodic=domain.periodic, spacing=domain.spacing, origin=domain.origin
    )
    metric = spherical(grid) if domain.is_spherical else cartesian(*domain.spacing)
    mode = VerticallyIntegrated(grid, setup, metric)
    return Model(
        setup,
        grid,
        metric,
        mode.zeta,
        mode.points["x"].transport,
        mode.points["y"].transport,
        mode.bed,
        mode.wet,
        mode.macro_step(),
    )


class Points:
    """The fields at the velocity points of an axis.

    Args:
        mode: Of which.
        axis: 'x' for U points, 'y' for V points.
    """

    def __init__(self, mode: VerticallyIntegrated, axis: AxisName) -> None:
        self.axis = axis
        self.location = f"{axis}_face"
        domain, name = mode.domain, {"x": "U", "y": "V"}[axis]
        self.transport = mode.field(name, self.location, unit="m2 s-1")
        self.transport_new = mode.field(f"{name}_new", self.location)
        self.velocity = mode.field(name.lower(), self.location, unit="m s-1")
        self.bed = mode.field(f"bed_{name}", self.location, domain.face_bed(axis), unit="m")
        self.faces = domain.faces(axis)
        stepped = (self.faces == INNER) | (self.faces == BESIDE)
        self.stepped = mode.field(f"stepped_{name}", self.location, stepped, dtype="bool")
        self.coriolis = _coriolis(mode, axis)
        if (self.faces == ALONG).any():
            inward = domain.inward(axis)
            self.inward = mode.field(f"inward_{name}", self.location, inward, dtype="int8")
            self.inside = mode.field(f"inside_{name}", self.location)

    @property
    def is_along(self) -> bool:
        """Whether some points lie between two open cells."""
        return bool((self.faces == ALONG).any())


def _coriolis(mode: VerticallyIntegrated, axis: AxisName) -> Any:
    """Return f at U points or -f at V points: a number, a field of rows, or None for no rotation."""
    domain, sign = mode.domain, 1.0 if axis == "x" else -1.0
    if not domain.has_rows_of_f:
        return sign * domain.f or None
    location = "center" if axis == "x" else "y_face"
    rows = mode.grid.field(f"coriolis_{axis}", axes="y", location=location, dtype=mode.setup.dtype)
    rows.set(lambda y: sign * domain.coriolis(y))
    return rows


class VerticallyIntegrated:
    """The vertically integrated mode: its fields, and the steps of a macro step.

    Args:
        grid: With two axes, or with three, of which the mode uses two.
        setup: What it is.
        metric: Lengths of cells.
    """

    def __init__(self, grid: Grid, setup: Setup, metric: Metric) -> None:
        self.grid, self.setup, self.metric = grid, setup, metric
        self.domain = domain = setup.domain
        self.clock = hc.Parameter(0.0, "clock")
        self.bed = self.field("bed", "center", domain.bed, unit="m")
        self.zeta = self.field("zeta", "center", self._first_elevation(), unit="m")
        self.wet = self.field("wet", "center", domain.cells == WATER, dtype="bool")
        self.points: dict[str, Points] = {axis: Points(self, axis) for axis in ("x", "y")}
        self.forcing: dict[str, Field | None] = dict.fromkeys("xy")
        self.weather: list[Step] = []
        if setup.stress is not None:
            self._wind_fields(setup.stress)
        self.pressure = None
        if setup.pressure is not None:
            self.pressure = self._from_outside("pressure", setup.pressure)
        if setup.brake == "limiter":
            self.share = self.field("share", "center", np.ones(domain.extent))
        if domain.open:
            self._open_fields()

    def field(
        self, name: str, location: str, values: Any = None, *, dtype: str = "", unit: str = ""
    ) -> Field:
        """Return a field of the surface with its first values, and what lies beyond the sides."""
        made = self.grid.field(
            name, axes="xy", location=location, dtype=dtype or self.setup.dtype, unit=unit
        )
        for axis, is_periodic in zip("xy", self.domain.periodic, strict=True):
            if not is_periodic:
                closed = location == f"{axis}_face"
                condition = hc.Dirichlet(0.0) if closed else hc.Neumann(0.0)
                made.boundary([f"{axis}-", f"{axis}+"], condition)
        if values is not None:
            made.set(values)
        return made

    def _first_elevation(self) -> Any:
        """Return the elevation at the beginning, nowhere below the least depth over the bed."""
        domain = self.domain
        zeta = np.broadcast_to(np.asarray(self.setup.zeta, dtype=float), domain.extent)
        dry = np.where(domain.is_wet, self.setup.drying.least - domain.bed, 0.0)
        return np.where(domain.is_wet, np.maximum(zeta, dry), 0.0)

    def _wind_fields(self, stress: tuple[Any, Any]) -> None:
        """Bring the stress of the wind to the velocity points, at the begin of each macro step."""
        for axis, given in zip("xy", stress, strict=True):
            of_cells = self._from_outside(f"stress_{axis}", given)
            force = self.forcing[axis] = self.field(f"forcing_{axis}", f"{axis}_face")
            self.weather.append(
                integrated.at_velocity_points(
                    force, of_cells, axis=axis, on=self.points[axis].stepped
                )
            )

    def _from_outside(self, name: str, given: Any) -> Field:
        """Return a field of cells with a number or an array, or one that follows a series."""
        made = self.field(name, "center")
        if isinstance(given, hc.Series):
            self.weather.append(hc.fill(made, given))
        else:
            made.set(np.broadcast_to(np.asarray(given, dtype=float), self.domain.extent))
        return made

    def _open_fields(self) -> None:
        codes = dict(zip(("west", "east", "south", "north"), range(1, 5), strict=True))
        outward = np.zeros(self.domain.extent, np.int8)
        for boundary in self.domain.open:
            outward[boundary.cells()] = codes[boundary.side]
        self.outward = self.field("outward", "center", outward, dtype="int8")
        self.beyond = self.field("beyond", "center")
        self.waves: tuple[Any, ...] = ()
        for n, wave in enumerate(self.setup.tide):
            parts = [self._part(f"wave_{n}_{part}", getattr(wave, part)) for part in _PARTS]
            self.waves += (wave.frequency, *parts)

    def _part(self, name: str, value: Any) -> Any:
        """Return a part of a wave: a number, or a field where it differs from cell to cell."""
        return float(value) if np.ndim(value) == 0 else self.field(name, "center", value, unit="m")

    def macro_step(self) -> tuple[Step, ...]:
        """Return the micro steps of a macro step; U and V take turns in being the first."""
        pairs, rest = divmod(self.setup.micro_steps, 2)
        there, back = self.micro_step("x", "y"), self.micro_step("y", "x")
        steps: list[Step] = [*self.weather, hc.assign(self.clock, hc.time)]
        if pairs:
            steps.append(hc.repeat(pairs, *there, *back))
        return (*steps, *(there if rest else ()))

    def micro_step(self, first: AxisName, second: AxisName) -> tuple[Step, ...]:
        """Return a micro step in which the transport along one axis is stepped before the other."""
        steps: list[Step] = [hc.assign(self.clock, self.clock + self.setup.micro_step)]
        steps += [self._velocity(points) for points in self.points.values()]
        steps += self._momentum(self.points[first], self.points[second].transport)
        steps += self._momentum(self.points[second], self.points[first].transport_new)
        steps += [hc.swap(p.transport, p.transport_new) for p in self.points.values()]
        steps += self._outflow()
        steps += self._open_elevation()
        U, V = (points.transport for points in self.points.values())
        dt = self.setup.micro_step
        steps.append(integrated.continuity(self.zeta, U, V, metric=self.metric, dt=dt, on=self.wet))
        return tuple(steps)

    def _velocity(self, points: Points) -> Step:
        return integrated.velocity(
            points.velocity,
            points.transport,
            self.zeta,
            points.bed,
            axis=points.axis,
            drying=self.setup.drying,
        )

    def _momentum(self, points: Points, other: Field) -> list[Step]:
        """Return the step of a transport, given the other one as new as it is."""
        setup, beside = self.setup, self.points["y" if points.axis == "x" else "x"]
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
            drag=setup.drag,
            dt=setup.micro_step,
            coriolis=points.coriolis,
            advection=ADVECTIONS[setup.advection],
            advecting=beside.transport,
            viscosity=setup.viscosity or None,
            forcing=self.forcing[points.axis],
            pressure=self.pressure,
            on=points.stepped,
        )
        if not points.is_along:
            return [step]
        new, value, inward = points.transport_new, points.inside, points.inward
        return [
            step,
            opened.inside(value, new, inward, axis=points.axis, on=inward),
            opened.copy(new, value, on=inward),
        ]

    def _outflow(self) -> list[Step]:
        """Return what keeps the depth above its least."""
        if self.setup.brake == "off":
            return []
        U, V = (points.transport for points in self.points.values())
        metric, drying, dt = self.metric, self.setup.drying, self.setup.micro_step
        share = share_of_outflow(
            self.share, U, V, self.zeta, self.bed, metric=metric, drying=drying, dt=dt, on=self.wet
        )
        return [
            share,
            *(
                limit_outflow(points.transport, self.share, axis=points.axis, on=points.stepped)
                for points in self.points.values()
            ),
        ]

    def _open_elevation(self) -> list[Step]:
        """Return the steps of the elevation of open cells."""
        setup, cells = self.setup, self.outward if self.domain.open else None
        if cells is None:
            return []
        zeta, bed, drying = self.zeta, self.bed, setup.drying
        sea = {"waves": self.waves, "time": self.clock, "ramp": setup.ramp or None}
        if setup.open_kind == "clamped":
            return [opened.clamped(zeta, bed, **sea, drying=drying, on=cells)]
        if setup.open_kind == "flather":
            U, V = (points.transport for points in self.points.values())
            return [opened.flather(zeta, bed, cells, U, V, **sea, drying=drying, on=cells)]
        if setup.open_kind == "radiating":
            metric, dt = self.metric, setup.micro_step
            step = opened.radiating(
                self.beyond, zeta, bed, cells, metric=metric, drying=drying, dt=dt, on=cells
            )
        else:
            step = opened.without_gradient(self.beyond, zeta, bed, cells, drying=drying, on=cells)
        return [step, opened.copy(zeta, self.beyond, on=cells)]


_PARTS = ("cosine", "sine")
