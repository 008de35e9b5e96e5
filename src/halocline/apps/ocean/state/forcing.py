"""What drives an ocean from above and from the sides: wind, pressure, heat, rivers and rain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.apps.ocean.numerics.axis import at_velocity_points
from halocline.apps.ocean.numerics.turning import turned_to_velocity_points
from halocline.apps.ocean.physics.fresh_water import fall, pour
from halocline.apps.ocean.setup.arguments import in_cells
from halocline.apps.ocean.state.air_sea import AirSea, make_air_sea
from halocline.frozen import Frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from halocline.apps.ocean.state.layers import LayerState
    from halocline.apps.ocean.state.surface import Surface
    from halocline.language.grids.fields import Field
    from halocline.language.steps.steps import Step


class Forcing(Frozen, eq=False):
    """What drives the water.

    Attributes:
        stress: Of the wind in cells over the density, along east and north, or along x and y of a
            plane where east is not known; empty for none [m²/s²].
        wind: The same at velocity points, by axis of the grid; None for none [m²/s²].
        pressure: Of the air; None for none [Pa].
        rivers: How fast they raise the surface; None for none [m/s].
        rain: Likewise [m/s].
        heat_flux: That enters the highest layer; None for none [W/m²].
        sunlight: That enters the water; None for none [W/m²].
        tracer_fluxes: Into passive tracers that have some, through surface and bed [unit m/s].
        steps: Bring all of it up to date when a macro step begins.
    """

    stress: tuple[Field, ...]
    wind: Mapping[str, Field | None]
    pressure: Field | None
    rivers: Field | None
    rain: Field | None
    heat_flux: Field | None
    sunlight: Field | None
    tracer_fluxes: Mapping[str, tuple[Any, Any]]
    steps: tuple[Step, ...]

    @property
    def fresh(self) -> tuple[Field, ...]:
        """How fast fresh water raises the surface, a field of each source [m/s]."""
        return tuple(part for part in (self.rivers, self.rain) if part is not None)


@hc.kernel
def set_all(field: Any, *, value: Any) -> None:
    """Assign a number, or that of a series, to all cells."""
    field[...] = value


def make_forcing(surface: Surface, layers: LayerState | None) -> Forcing:
    """Return what drives the water at a surface.

    Args:
        surface: Of the water.
        layers: Of which the highest has the temperature of the surface; None if there are none.
    """
    setup = surface.setup
    steps: list[Step] = []

    def given(name: str, values: Any) -> Field:
        """Return a field of cells with a number or an array, or one that follows a series."""
        field = surface.fields.surface(name)
        if isinstance(values, hc.Series):
            is_uniform = not values.shape
            steps.append(set_all(field, value=values) if is_uniform else hc.fill(field, values))
        else:
            field.set(in_cells(name, values, surface.domain.is_wet))
        return field

    air_sea = _through_surface(surface, layers, given)
    steps += air_sea.steps
    wind: dict[str, Field | None] = dict.fromkeys("xy")
    for axis, of_cells in zip("xy", air_sea.stress, strict=False):
        points = surface.points[axis]
        force = wind[axis] = surface.fields.surface(f"wind_{axis}", points.location)
        where: dict[str, Any] = {"axis": points.axis, "on": points.where_stepped}
        if surface.turning is None:
            steps.append(at_velocity_points(force, of_cells, **where))
        else:
            where["turning"] = surface.turning
            steps.append(turned_to_velocity_points(force, *air_sea.stress, **where))
    rivers = None
    if setup.rivers:
        rivers = surface.fields.surface("fresh", unit="m s-1")
        steps += _pour(surface, rivers)
    rain = None
    if setup.rain is not None or air_sea.evaporation is not None:
        rain = surface.fields.surface("rain", unit="m s-1")
        falling = fall(
            *(rain, surface.zeta, surface.bed),
            given=0.0 if setup.rain is None else given("rain_given", setup.rain),
            evaporation=air_sea.evaporation,
            drying=setup.drying,
            on=surface.where_wet,
        )
        steps.append(falling)
    fluxes = {
        passive.name: (
            _flux(given, f"{passive.name}_from_surface", passive.surface_flux),
            _flux(given, f"{passive.name}_from_bed", passive.bed_flux),
        )
        for passive in setup.tracers
    }
    heat = (air_sea.heat_flux, air_sea.sunlight)
    return Forcing(
        air_sea.stress, wind, air_sea.pressure, rivers, rain, *heat, fluxes, tuple(steps)
    )


def _flux(given: Callable[[str, Any], Field], name: str, values: Any) -> Any:
    """Return a flux into a tracer: a field, or 0 for none."""
    return 0.0 if values is None else given(name, values)


def _through_surface(
    surface: Surface, layers: LayerState | None, given: Callable[[str, Any], Field]
) -> AirSea:
    """Return what passes through the surface: as given, or of the atmosphere."""
    setup = surface.setup
    if setup.atmosphere is not None and layers is not None:
        return make_air_sea(surface, layers, setup.atmosphere, given)

    def maybe(name: str) -> Field | None:
        value = getattr(setup, name)
        return None if value is None else given(name, value)

    stress = zip("xy", setup.stress or (), strict=False)
    return AirSea(
        tuple(given(f"stress_{axis}", value) for axis, value in stress),
        heat_flux=maybe("heat_flux"),
        sunlight=maybe("sunlight"),
        pressure=maybe("pressure"),
    )


def _pour(surface: Surface, fresh: Field) -> list[Step]:
    """Return the steps that find how fast rivers raise the surface."""
    areas = surface.domain.areas
    deep = surface.fields.grid.extent[2:]
    steps: list[Step] = []
    for river in surface.setup.rivers:
        i, j = river.cell
        place = hc.Box((i, j, *(0 for _ in deep)), (i + 1, j + 1, *(1 for _ in deep)))
        steps.append(pour(fresh, rate=river.rate(float(areas[i, j])), on=place))
    return steps
