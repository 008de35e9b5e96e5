"""Fields of an ocean for files, chosen by name: Halocline's names, or those of GETM."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from msgspec.structs import replace

import halocline as hc
from halocline.apps.ocean.baroclinic.tracers import find_density
from halocline.apps.ocean.diagnostics.coordinates import axes_of, constants_of, velocity_names
from halocline.apps.ocean.diagnostics.layers import layer_diagnostics
from halocline.apps.ocean.diagnostics.surface import in_cells, shown_in_cells, surface_diagnostics
from halocline.apps.ocean.diagnostics.upward_velocity import upward_velocity
from halocline.apps.ocean.numerics.axis import Axis
from halocline.apps.ocean.physics.equation_of_state import REFERENCE_DENSITY
from halocline.apps.ocean.setup.domain import CLOSED
from halocline.apps.ocean.state.layers import UNITS
from halocline.errors import CaseError, nearest
from halocline.frozen import Frozen

if TYPE_CHECKING:
    from halocline.apps.ocean.model import Model
    from halocline.apps.ocean.numerics.turning import Turning
    from halocline.io.axis import Axes
    from halocline.io.quantity import Quantity
    from halocline.io.variable import Variable
    from halocline.language.grids.fields import Field
    from halocline.language.steps.steps import Step

# Whose names files have.
Names = Literal["halocline", "getm"]
# GETM's names of fields, constants and axes. Source: the NetCDF output of GETM 2.5.
GETM_NAMES: Mapping[str, str] = {
    "zeta": "elev",
    "layer_eastward": "uu",
    "layer_northward": "vv",
    "layer_upward": "w",
    "temperature": "temp",
    "salinity": "salt",
    "layer_thickness": "h",
    "viscosity": "num",
    "diffusivity": "nuh",
    "bed_stress_x": "taubx",
    "bed_stress_y": "tauby",
    "surface_stress_x": "tausx",
    "surface_stress_y": "tausy",
    "depth": "bathymetry",
    "lon": "lonc",
    "lat": "latc",
}


class Shown(NamedTuple):
    """Quantities, constants and axes of the files of an ocean; see 'output_fields'.

    Attributes:
        quantities: What changes with time.
        constants: What does not: depth, mask, f, longitude and latitude.
        axes: What coordinates mean.
        refresh: Steps that bring the quantities up to date.

    Example:
        >>> sea = ocean.Domain(np.full((8, 6), 20.0), spacing=(1e3, 1e3))
        >>> model = ocean.make_model(ocean.Setup(sea, micro_step=20.0))
        >>> isinstance(ocean.output_fields(model), ocean.Shown)
        True
    """

    quantities: tuple[Quantity, ...]
    constants: tuple[Variable, ...]
    axes: Axes
    refresh: tuple[Step, ...]


def output_fields(
    model: Model,
    fields: Sequence[str] | None = None,
    *,
    more: Sequence[str] = (),
    names: Names = "halocline",
) -> Shown:
    """Return fields of an ocean for files, missing (NaN) on land.

    Args:
        model: The ocean.
        fields: Names of fields, see the table in the guide; None for elevation, velocities and
            tracers.
        more: Names of more of them.
        names: Names in files: 'halocline' or 'getm'.

    Raises:
        CaseError: There is no such field, it needs layers or wind that the ocean lacks, or it is
            given twice.

    Example:
        >>> from halocline.output import FieldSeries, Recorder
        >>> sea = ocean.Domain(np.full((8, 6), 20.0), spacing=(1e3, 1e3))
        >>> model = ocean.make_model(ocean.Setup(sea, micro_step=20.0))
        >>> shown = ocean.output_fields(model, ["zeta", "bed_stress_x"], names="getm")
        >>> [quantity.name for quantity in shown.quantities]
        ['elev', 'taubx']
    """
    if names not in get_args(Names):
        raise CaseError(
            f"'names' was given {names!r}; expected one of: {', '.join(get_args(Names))}."
        )
    of_surface = surface_diagnostics(model)
    of_layers, refresh_layers = layer_diagnostics(model)
    known = {quantity.name: quantity for quantity in (*of_surface.quantities, *of_layers)}
    wanted = (*(known if fields is None else fields_of(fields)), *fields_of(more))
    maker = Extras(model, known)
    check_fields(wanted, known, maker)
    extras = {name: maker.make(name) for name in wanted if name not in known}
    quantities = tuple(known[name] if name in known else extras[name][0] for name in wanted)
    # The velocities at faces, which some extras read, are overwritten by stress, then by layers.
    last_are_stresses = sorted(extras, key=lambda name: name.startswith("bed_stress"))
    steps = [step for name in last_are_stresses for step in extras[name][1]]
    refresh = (*of_surface.refresh, *steps, *refresh_layers)
    shown = Shown(quantities, constants_of(model), axes_of(model), refresh)
    return in_names_of_getm(shown) if names == "getm" else shown


def fields_of(given: Any) -> tuple[str, ...]:
    """Return names of fields.

    Raises:
        CaseError: They are no list of texts.
    """
    is_list = isinstance(given, Sequence) and not isinstance(given, str)
    if not is_list or not all(isinstance(name, str) for name in given):
        raise CaseError(
            f"'fields' was given {given!r}; expected a list of names, as ['zeta', 'viscosity']."
        )
    return tuple(given)


def check_fields(wanted: Sequence[str], known: Mapping[str, object], maker: Extras) -> None:
    """Refuse fields that an ocean does not have.

    Raises:
        CaseError: It lacks one, or one is given twice.
    """
    for name, count in Counter(wanted).items():
        if count > 1:
            raise CaseError(f"'fields' has '{name}' {count} times; expected each field once.")
        if name in known:
            continue
        if name not in EXTRAS:
            raise CaseError(
                f"'fields' has '{name}', which no ocean has.", hint=nearest(name, (*known, *EXTRAS))
            )
        if not maker.has(needed := EXTRAS[name].needs):
            raise CaseError(
                f"'fields' has '{name}', which needs {needed}; this ocean has none.",
                hint=f"Leave it out, or give {needed}.",
            )


def in_names_of_getm(shown: Shown) -> Shown:
    """Return fields with the names of GETM, also of axes."""
    is_spherical = shown.axes["x"].standard_name == "longitude"
    axis_names = {"x": "lonc", "y": "latc"} if is_spherical else {"x": "xc", "y": "yc"}
    axis_names["z"] = "level"
    terms = {
        letter: {key: GETM_NAMES.get(of, of) for key, of in axis.terms.items()}
        for letter, axis in shown.axes.items()
    }
    axes = {
        letter: replace(axis, name=axis_names[letter], terms=terms[letter])
        for letter, axis in shown.axes.items()
    }
    quantities = tuple(replace(q, name=GETM_NAMES.get(q.name, q.name)) for q in shown.quantities)
    constants = tuple(replace(c, name=GETM_NAMES.get(c.name, c.name)) for c in shown.constants)
    return Shown(quantities, constants, axes, shown.refresh)


class Extra(Frozen):
    """A field that files have if they are asked to.

    Attributes:
        unit: As CF conventions write it.
        description: One phrase.
        standard_name: Of the table of CF; '' if that has none.
        axes: 'xy', or 'xyz' for layers.
        location: Where in a cell its values lie.
        needs: What an ocean must have; '' for nothing.
        axis: 'x' or 'y', of a component; '' of a scalar.
    """

    unit: str
    description: str
    standard_name: str = ""
    axes: str = "xyz"
    location: str = "center"
    needs: str = "layers"
    axis: str = ""


def _component(description: str, letter: str, **more: Any) -> Extra:
    along = f"{description} along {letter}"
    return Extra(description=along, axis=letter, **more)


EXTRAS: Mapping[str, Extra] = {
    "layer_thickness": Extra("m", "thickness of layers", "cell_thickness"),
    "layer_height": Extra(
        "m", "height of the middles of layers over the geoid", "height_above_geopotential_datum"
    ),
    "interface_height": Extra(
        "m",
        "height of the faces between layers over the geoid",
        "height_above_geopotential_datum",
        location="z_face",
    ),
    "layer_upward": Extra("m s-1", "upward velocity in layers", "upward_sea_water_velocity"),
    "density": Extra(
        "kg m-3",
        "density at the pressure of the surface",
        "sea_water_potential_density",
        needs="a density",
    ),
    "viscosity": Extra(
        "m2 s-1",
        "vertical eddy viscosity",
        "ocean_vertical_momentum_diffusivity",
        location="z_face",
    ),
    "diffusivity": Extra(
        "m2 s-1",
        "vertical eddy diffusivity of tracers",
        "ocean_vertical_tracer_diffusivity",
        location="z_face",
    ),
    **{
        f"{name}_face": _component(
            "velocity at faces, mean over the depth",
            letter,
            unit="m s-1",
            axes="xy",
            location=f"{letter}_face",
            needs="",
        )
        for name, letter in (("u", "x"), ("v", "y"))
    },
    **{
        f"layer_{name}_face": _component(
            "velocity of layers at faces", letter, unit="m s-1", location=f"{letter}_face"
        )
        for name, letter in (("u", "x"), ("v", "y"))
    },
    **{
        f"bed_stress_{letter}": _component(
            "stress of the water on the bed", letter, unit="Pa", axes="xy", needs=""
        )
        for letter in "xy"
    },
    **{
        f"surface_stress_{letter}": _component(
            "stress of the wind on the water", letter, unit="Pa", axes="xy", needs="wind"
        )
        for letter in "xy"
    },
}


class Extras:
    """Makes fields of 'EXTRAS' and the steps that bring them up to date.

    Args:
        model: The ocean.
        known: Its usual fields.
    """

    def __init__(self, model: Model, known: Mapping[str, Quantity]) -> None:
        self.model = model
        self.known = known
        self.surface = model.surface

    def has(self, needed: str) -> bool:
        """Return whether the ocean has what a field needs."""
        model = self.model
        return {
            "": True,
            "layers": model.layers is not None,
            "wind": bool(model.forcing.stress),
            "a density": model.setup.density is not None,
        }[needed]

    def make(self, name: str) -> tuple[Quantity, tuple[Step, ...]]:
        """Return a field, and its steps."""
        extra = EXTRAS[name]
        quantity = shown_in_cells(
            self.model,
            name,
            f"shown_{name}",
            extra.unit,
            self._standard_name(name, extra),
            description=self._description(extra),
            axes=extra.axes,
            location=extra.location,
        )
        kind = name.rsplit("_", 1)[0] if extra.axis else name
        makers: Mapping[str, Callable[..., tuple[Step, ...]]] = {
            "layer_thickness": self._thickness,
            "layer_height": self._heights,
            "interface_height": self._heights,
            "layer_upward": self._upward,
            "density": self._density,
            "viscosity": self._mixing,
            "diffusivity": self._mixing,
            "u": self._velocity,
            "v": self._velocity,
            "layer_u": self._layer_velocity,
            "layer_v": self._layer_velocity,
            "bed_stress": self._bed_stress,
            "surface_stress": self._surface_stress,
        }
        return quantity, makers[kind](quantity.of_grid, name, extra.axis)

    def _standard_name(self, name: str, extra: Extra) -> str:
        if not extra.axis:
            return extra.standard_name
        number = "xy".index(extra.axis)
        velocity = velocity_names(self.model)[number]
        is_east = velocity.endswith("ward_sea_water_velocity")
        along = velocity.removesuffix("_sea_water_velocity") if is_east else extra.axis
        if name.startswith("surface_stress"):
            return f"surface_downward_{along}_stress"
        if not name.endswith("face"):
            return ""
        if self.surface.turning is not None:  # faces keep the directions of the grid
            velocity = f"sea_water_{extra.axis}_velocity"
        return velocity if name.startswith("layer") else f"barotropic_{velocity}"

    def _description(self, extra: Extra) -> str:
        """Return what a field is, of cells of a turned grid along east or north."""
        is_turned = self.surface.turning is not None and self.model.setup.domain.knows_east
        if extra.location != "center" or not is_turned:
            return extra.description
        way = {"x": "east", "y": "north", "": ""}[extra.axis]
        return extra.description.replace(f"along {extra.axis}", f"along {way}")

    def _on(self, target: Field) -> Field:
        """Return where a field has values."""
        location = str(target.location.without(2)) if "z" in target.axes else str(target.location)
        wet = self.model.setup.domain.with_water(location)
        return self.surface.fields.surface(f"on_{target.name}", location, wet, dtype="bool")

    def _thickness(self, target: Field, name: str, axis: str) -> tuple[Step, ...]:
        layers = self.model.layers
        assert layers is not None
        return (thickness(target, layers.after, fraction=layers.fraction, on=self._on(target)),)

    def _heights(self, target: Field, name: str, axis: str) -> tuple[Step, ...]:
        layers = self.model.layers
        assert layers is not None
        is_of_faces = name == "interface_height"
        shares = layers.below_faces if is_of_faces else layers.below_middles
        below = target.grid.field(
            f"below_{name}",
            axes="xyz" if shares.ndim > 1 else "z",
            location="z_face" if is_of_faces else "center",
        )
        below.set(shares)
        bed = self.surface.bed
        return (heights(target, layers.after, bed, below=below, on=self._on(target)),)

    def _upward(self, target: Field, name: str, axis: str) -> tuple[Step, ...]:
        return upward_velocity(self.model, target)

    def _density(self, target: Field, name: str, axis: str) -> tuple[Step, ...]:
        given, tracers = self.model.setup.density, self.model.tracers
        assert given is not None
        equation = partial(_whole_density, given)
        named = {name: tracers[name] for name in UNITS if name in tracers}
        return (find_density(target, equation=equation, **named, on=self._on(target)),)

    def _mixing(self, target: Field, name: str, axis: str) -> tuple[Step, ...]:
        layers = self.model.layers
        assert layers is not None
        return (scaled(target, getattr(layers.turbulence, name), on=self._on(target)),)

    def _velocity(self, target: Field, name: str, axis: str) -> tuple[Step, ...]:
        # 'transport_new' has the velocities after the refresh of the surface.
        return (scaled(target, self.surface.points[axis].transport_new, on=self._on(target)),)

    def _layer_velocity(self, target: Field, name: str, axis: str) -> tuple[Step, ...]:
        layers = self.model.layers
        assert layers is not None
        columns = layers.columns[axis]
        return (
            layer_velocity(
                target,
                columns.transport,
                columns.inverse,
                fraction=columns.fraction,
                on=self._on(target),
            ),
        )

    def _bed_stress(self, target: Field, name: str, axis: str) -> tuple[Step, ...]:
        if self.model.layers is None:
            other = {"x": "v", "y": "u"}[axis]
            own = {"x": "u", "y": "v"}[axis]
            return (
                stress_in_cells(
                    target,
                    *(self.known[name].of_grid for name in (own, other)),
                    self.surface.zeta,
                    self.surface.bed,
                    drag=self.surface.drag,
                    least=self.model.setup.drying.least,
                    on=self._on(target),
                ),
            )
        turning, factor, on = self.surface.turning, REFERENCE_DENSITY, self._on(target)
        if turning is None:
            passing, step = self._passing_stress(axis, target)
            return step, scaled(target, passing, axis=axis, factor=factor, on=on)
        (x, at_u), (y, at_v) = (self._passing_stress(letter, target) for letter in "xy")
        number = "xy".index(axis)
        return (
            at_u,
            at_v,
            turned(target, x, y, number=number, turning=turning, factor=factor, on=on),
        )

    def _passing_stress(self, axis: str, target: Field) -> tuple[Field, Step]:
        """Return a field with the stress of the bed at velocity points, and what fills it.

        Of all fields at faces 'transport_new' alone has a halo that diagnostics may use.
        """
        layers, points = self.model.layers, self.surface.points[axis]
        assert layers is not None
        is_open = self.model.setup.domain.faces(points.axis) != CLOSED
        open_faces = self.surface.fields.surface(
            f"flows_{axis}_{target.name}", points.location, is_open, dtype="bool"
        )
        stress, passing = layers.columns[axis].stress_of_bed, points.transport_new
        return passing, scaled(passing, stress, on=open_faces)

    def _surface_stress(self, target: Field, name: str, axis: str) -> tuple[Step, ...]:
        stress = self.model.forcing.stress["xy".index(axis)]
        return (scaled(target, stress, factor=REFERENCE_DENSITY, on=self._on(target)),)


def _whole_density(
    over_reference: Callable[[Any, Any], Any], temperature: Any, salinity: Any
) -> Any:
    """Return the density of an equation of state, which leaves out that of reference [kg/m³]."""
    return REFERENCE_DENSITY + over_reference(temperature, salinity)


@hc.kernel
def scaled(target: Any, source: Any, *, axis: Any = None, factor: float = 1.0) -> None:
    """Copy what another field has, times a factor; in cells the mean of their velocity points."""
    value = source if axis is None else Axis(axis).in_cell(source)
    target[target.here] = factor * value


@hc.kernel
def turned(target: Any, x: Any, y: Any, *, number: int, turning: Turning, factor: float) -> None:
    """Find a part of a vector of velocity points in cells, along east (0) or north (1)."""
    target[target.here] = factor * in_cells(x, y, turning)[number]


@hc.kernel
def thickness(target: Any, depth: Any, *, fraction: Any) -> None:
    """Find the thickness of layers [m]."""
    target[target.here] = depth * fraction


@hc.kernel
def heights(target: Any, depth: Any, bed: Any, *, below: Any) -> None:
    """Find the height over the mean level [m], of the share 'below' of the depth."""
    target[target.here] = depth * below - bed


@hc.kernel
def layer_velocity(target: Any, transport: Any, inverse: Any, *, fraction: Any) -> None:
    """Find the velocity of layers at velocity points [m/s]."""
    target[target.here] = transport * inverse / fraction


@hc.kernel
def stress_in_cells(
    stress: Any, u: Any, other: Any, zeta: Any, bed: Any, *, drag: Any, least: float
) -> None:
    """Find the stress on the bed, of the velocity over the depth [Pa].

    Args:
        stress: Gets it.
        u: Velocity along the axis of the stress, in cells [m/s].
        other: Across it [m/s].
        zeta: Elevation [m].
        bed: Depth below the mean level [m].
        drag: Of the bed.
        least: No water is shallower [m].
    """
    depth = hc.maximum(zeta + bed, least)
    stress[...] = REFERENCE_DENSITY * drag(depth, hc.sqrt(u * u + other * other)) * u
