"""The state of the layers: their fields in cells, on faces, and at the velocity points."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from halocline.apps.ocean.numerics.tracer_flow import Flow
from halocline.apps.ocean.numerics.vertical import Layers
from halocline.apps.ocean.physics.mode_splitting import DampedSplitting
from halocline.apps.ocean.physics.turbulence import make_turbulence
from halocline.apps.ocean.setup.tracers import check_concentration
from halocline.apps.ocean.state.advected_velocity import AdvectedVelocity, advected_velocity
from halocline.frozen import Frozen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.apps.ocean.numerics.axis import AxisName
    from halocline.apps.ocean.physics.turbulence import Turbulence
    from halocline.apps.ocean.state.surface import Surface
    from halocline.apps.ocean.state.velocity_points import VelocityPoints
    from halocline.language.grids.fields import Field

# Of tracers.
UNITS: Mapping[str, str] = MappingProxyType({"temperature": "degC", "salinity": "1e-3"})


class Sizes(NamedTuple):
    """How much flows through all layers, to and fro, around a velocity point [m²/s].

    Attributes:
        along: In the middle of the cell ahead.
        across: At the corner.
    """

    along: Any
    across: Any


class Columns(Frozen, eq=False):
    """The fields of layers, and of whole columns, at the velocity points of an axis.

    Attributes:
        points: The points.
        transport: Of layers [m²/s].
        explicit: What advection and internal pressure do to it [m²/s²].
        depth: In the middle of a macro step [m].
        before: The same of the step before [m].
        inverse: 1 / depth [1/m].
        surface_pressure_gradient: Acceleration by the slope of the surface and the pressure of the
            air [m/s²].
        drag_rate: Stress of the bed over the velocity of the lowest layer [m/s].
        fraction: Of the depth that a layer takes: that of the shallower cell beside the point.
        stress_of_bed: Over the density [m²/s²].
        total: Sum of 'explicit' [m²/s²].
        sizes: Of the flows of layers.
        mean: Transport of the surface, mean over the micro steps of a macro step [m²/s].
        forcing: What drives the vertically integrated mode in the next macro step [m²/s²].
        slow_drag: See 'vertically_integrated.momentum' [m²/s²].
        inside: Holds what points between two open cells copy; None if there are none.
        advected: Velocities, advected in steps of their own; None if they are not.
    """

    points: VelocityPoints
    transport: Field
    explicit: Field
    depth: Field
    before: Field
    inverse: Field
    surface_pressure_gradient: Field
    drag_rate: Field
    fraction: Field
    stress_of_bed: Field
    total: Field
    sizes: Sizes
    mean: Field
    forcing: Field
    slow_drag: Field
    inside: Field | None
    advected: AdvectedVelocity | None

    @property
    def axis(self) -> AxisName:
        """'x' for U points, 'y' for V points."""
        return self.points.axis

    @property
    def location(self) -> str:
        """Of the fields."""
        return self.points.location

    @property
    def layers(self) -> Layers:
        """The layers here."""
        return Layers(self.depth, self.fraction)


class LayerState(Frozen, eq=False):
    """The state of the layers.

    Attributes:
        fraction: Of the depth that a layer of cells takes; a profile if it is everywhere the same.
        fractions: The same as numbers (layers,) or (nx, ny, layers).
        zeta_before: Elevation with which a macro step began [m].
        before: Depth of cells before it, with fresh water [m].
        after: After it [m].
        columns: At the velocity points, by axis.
        w: Velocity through the moving lower faces of layers [m/s].
        turbulence: On the faces of layers.
        shear_squared: There [s-2].
        buoyancy_squared: There [s-2].
        smooth_buoyancy: The same averaged over neighbours, one way after the other.
        water: Where cells have water, for averages; None if there are none.
        tracers_by_name: Temperature and salinity, as far as they are given, and passive tracers.
        density: Minus that of reference; None if water is everywhere as heavy [kg/m³].
        splitting: What keeps waves of the surface stable beside layers; None if nothing does.
    """

    fraction: Field
    fractions: NDArray[np.float64]
    zeta_before: Field
    before: Field
    after: Field
    columns: Mapping[str, Columns]
    w: Field
    turbulence: Turbulence
    shear_squared: Field
    buoyancy_squared: Field
    smooth_buoyancy: Mapping[str, Field]
    water: Field | None
    tracers_by_name: Mapping[str, Field]
    density: Field | None
    splitting: DampedSplitting | None

    @property
    def tracers(self) -> tuple[Field, ...]:
        """All tracers, temperature and salinity first."""
        return tuple(self.tracers_by_name.values())

    @property
    def above(self) -> NDArray[np.float64]:
        """Which share of the depth lies above layers (..., layers)."""
        # Summed from the surface down, where the light is.
        downwards = np.cumsum(self.fractions[..., :0:-1], axis=-1)
        return np.insert(downwards, 0, 0.0, axis=-1)[..., ::-1]

    @property
    def below_faces(self) -> NDArray[np.float64]:
        """Which share of the depth lies below the faces of layers (..., layers + 1)."""
        return np.insert(np.cumsum(self.fractions, axis=-1), 0, 0.0, axis=-1)

    @property
    def below_middles(self) -> NDArray[np.float64]:
        """Which share of the depth lies below the middles of layers (..., layers)."""
        return np.cumsum(self.fractions, axis=-1) - 0.5 * self.fractions

    @property
    def of_cells(self) -> Layers:
        """The layers of cells."""
        return Layers(self.after, self.fraction)

    @property
    def flow(self) -> Flow:
        """What advects tracers and turbulence through a macro step."""
        x, y = self.columns["x"], self.columns["y"]
        return Flow(
            x.transport,
            y.transport,
            self.before,
            self.after,
            x.depth,
            y.depth,
            self.fraction,
            x.fraction,
            y.fraction,
            self.w,
            x.points.stepped,
            y.points.stepped,
        )


def make_layers(surface: Surface) -> LayerState | None:
    """Return the layers of the water below a surface at the beginning; None if it has none."""
    setup, fields = surface.setup, surface.fields
    if setup.layers is None:
        return None
    fractions = fractions_in(surface, surface.domain.bed)
    fraction = fields.shares("fraction", fractions)
    zeta_before = fields.surface("zeta_before")
    first = np.maximum(surface.first_depth, setup.drying.least)
    before, after = (fields.surface(name, values=first) for name in ("before", "after"))
    columns = {axis: _columns(surface, points, fraction) for axis, points in surface.points.items()}
    w = fields.layers("w", "z_face", unit="m s-1")
    turbulence = make_turbulence(fields.grid, fields.dtype)
    if setup.turbulence == "constant":
        turbulence.viscosity.set(setup.mixing)
        turbulence.diffusivity.set(setup.mixing)
    squares = (fields.layers(f"{of}_squared", "z_face") for of in ("shear", "buoyancy"))
    shear_squared, buoyancy_squared = squares
    smooth = {
        way: fields.layers(f"smooth_buoyancy_{way}", "z_face")
        for way in ("vertical", "horizontal")
        if setup.density is not None and setup.smooth_buoyancy in (way, "both")
    }
    is_wet = surface.domain.is_wet
    water = fields.surface("water", values=is_wet, dtype="bool") if "horizontal" in smooth else None
    density = fields.layers("density") if setup.density else None
    return LayerState(
        fraction,
        fractions,
        zeta_before,
        before,
        after,
        columns,
        w,
        turbulence,
        shear_squared,
        buoyancy_squared,
        smooth,
        water,
        _tracers(surface),
        density,
        _splitting(surface, zeta_before) if setup.mode_splitting == "damped" else None,
    )


def _columns(surface: Surface, points: VelocityPoints, fraction: Field) -> Columns:
    """Return the columns at velocity points at the beginning.

    Args:
        surface: Of the water.
        points: Where they are.
        fraction: Of layers of cells.
    """
    setup, fields, name = surface.setup, surface.fields, {"x": "p", "y": "q"}[points.axis]
    transport = fields.layers(name, points.location, unit="m2 s-1")

    def make(what: str, **given: Any) -> Field:
        return fields.surface(f"{what}_{name}", points.location, **given)

    first = np.maximum(surface.domain.face_bed(points.axis), setup.drying.least)
    # Layers of the shallower cell: the flow through none is thick beside its thickness there.
    if "x" in fraction.axes:
        fractions = fractions_in(surface, surface.domain.shallower_bed(points.axis))
        fraction = fields.shares(f"fraction_{name}", fractions, points.location)
    return Columns(
        points,
        transport,
        explicit=fields.layers(f"explicit_{name}", points.location),
        depth=make("depth", values=first, is_flow=False),
        before=make("before", values=first, is_flow=False),
        inverse=make("inverse", values=1.0 / first, is_flow=False),
        surface_pressure_gradient=make("surface_pressure_gradient"),
        drag_rate=make("drag_rate"),
        fraction=fraction,
        stress_of_bed=make("stress_of_bed"),
        total=make("total"),
        sizes=Sizes(*(make(which, is_flow=False) for which in ("size_along", "size_across"))),
        mean=make("mean"),
        forcing=make("forcing"),
        slow_drag=make("slow_drag"),
        inside=fields.layers(f"inside_{name}", points.location) if points.along else None,
        advected=advected_velocity(transport) if setup.has_velocity_steps else None,
    )


def _splitting(surface: Surface, zeta_before: Field) -> DampedSplitting:
    raised = surface.fields.surface("stiffening") if surface.setup.density else None
    return DampedSplitting(surface.wet, zeta_before, raised)


def _tracers(surface: Surface) -> Mapping[str, Field]:
    """Return temperature and salinity with their limits, and passive tracers."""
    setup = surface.setup
    found = {
        name: tracer_field(surface, name, given, unit)
        for name, unit in UNITS.items()
        if (given := getattr(setup, name)) is not None
    }
    for name, tracer in found.items():
        tracer.limits(*getattr(setup.limits, name))
    for passive in setup.tracers:
        values = values_in_layers(surface, passive.initial)
        check_concentration(passive.name, values, surface.domain, surface.fields.grid.extent[2])
        found[passive.name] = tracer_field(surface, f"tracer_{passive.name}", values, passive.unit)
    return found


def tracer_field(surface: Surface, name: str, values: Any, unit: str = "") -> Field:
    """Return a field of a tracer.

    Args:
        surface: Of the water.
        name: Of the field.
        values: A number, an array of cells, or a function of x, y and the height.
        unit: Of its values.
    """
    field = surface.fields.layers(name, unit=unit)
    field.set(values_in_layers(surface, values))
    return field


def values_in_layers(surface: Surface, given: Any) -> Any:
    """Return a number or an array as it is, and of a function of x, y and height an array."""
    if not callable(given):
        return given
    x, y = (of_cells[..., np.newaxis] for of_cells in surface.domain.middles)
    return given(x, y, heights(surface)) + np.zeros(surface.fields.grid.extent)


def fractions_in(surface: Surface, bed: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the fractions of layers over a bed (...), (layers,) or (..., layers).

    Args:
        surface: Of the water.
        bed: Depth below the mean level; flats above it have layers as in the shallowest water [m].
    """
    assert surface.setup.layers is not None
    return surface.setup.layers.fractions_in(np.maximum(bed, surface.setup.drying.least))


def heights(surface: Surface) -> NDArray[np.float64]:
    """Return how high the middles of layers lie over the mean level at the beginning [m]."""
    fractions = fractions_in(surface, surface.domain.bed)
    depth = np.maximum(surface.first_depth, surface.setup.drying.least)
    above_bed = depth[..., np.newaxis] * (np.cumsum(fractions, axis=-1) - 0.5 * fractions)
    return np.asarray(above_bed - surface.domain.bed[..., np.newaxis])
