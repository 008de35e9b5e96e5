"""Setup: what a run of a coastal ocean computes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from inspect import signature
from typing import Annotated, Any, Literal

import numpy as np

from halocline.apps.arguments import check_kind, check_needs, check_number, wrong
from halocline.apps.ocean.numerics.advection import Splitting
from halocline.apps.ocean.numerics.limiters import MomentumScheme, Scheme
from halocline.apps.ocean.physics.constants import GRAVITY
from halocline.apps.ocean.physics.drag import LogarithmicDrag
from halocline.apps.ocean.physics.drying import Drying
from halocline.apps.ocean.physics.mode_splitting import LONGEST
from halocline.apps.ocean.physics.relaxation import Relaxation
from halocline.apps.ocean.physics.surface_heat import WaterType
from halocline.apps.ocean.physics.tides import Wave
from halocline.apps.ocean.physics.turbulence import KEpsilon
from halocline.apps.ocean.setup.arguments import in_cells, members, pair
from halocline.apps.ocean.setup.atmosphere import Atmosphere
from halocline.apps.ocean.setup.domain import OPEN, Domain, OpenKind
from halocline.apps.ocean.setup.levels import Layering
from halocline.apps.ocean.setup.limits import Limits
from halocline.apps.ocean.setup.needs import NEEDS
from halocline.apps.ocean.setup.rivers import River, check_rivers
from halocline.apps.ocean.setup.tracers import Tracer, check_tracers
from halocline.errors import CaseError
from halocline.frozen import Frozen
from halocline.language.grids.labelled import is_labelled
from halocline.language.numbers import Range, real_array
from halocline.language.series.series import Series
from halocline.options import OneOf, check_declared

# What mixes layers.
Turbulence = Literal["k-epsilon", "constant"]
# Over which neighbours a quantity is averaged.
Neighbours = Literal["none", "horizontal", "vertical", "both"]
# How the density drives layers that slope, see 'internal_pressure'.
PressureGradient = Literal["jacobian", "blumberg-mellor"]
# What keeps waves of the surface stable beside layers, see 'mode_splitting'.
ModeSplitting = Literal["damped", "getm"]
NotNegative = Annotated[float, Range(least=0.0)]
# Rows with a number of each open cell.
_OF_OPEN_CELLS = ("elevation", "current")
# Numbers, arrays of cells, or series of them.
_FROM_OUTSIDE = ("pressure", "heat_flux", "sunlight", "rain")
# What follows from an atmosphere.
_OF_ATMOSPHERE = ("stress", "pressure", "heat_flux", "sunlight")
# Numbers, arrays, or functions of place; of the sea also series.
_OF_WATER = ("temperature", "salinity")
_OF_SEA = ("sea_temperature", "sea_salinity", "layer_current")


class Setup(Frozen, eq=False):
    """Describe an ocean: its domain, its forcing, and the numerics of both modes.

    'make_model' makes its fields and steps. Below, (nx, ny) are the cells of the domain. A forcing
    is a number, an array (nx, ny), or an 'hc.Series' of either.

    Attributes:
        domain: Bathymetry and open boundaries.
        micro_step: Time step of the vertically integrated mode [s].
        micro_steps: Number of micro steps in a macro step, which is a step of the simulation.
        drag: Drag of the bed.
        drying: Depths at which cells dry.
        drying_limiter: Whether to limit outflow to the water of a cell. It is needed only where
            cells dry.
        advection: Scheme for momentum, see 'limiters'; 'none' for no advection.
        advection_splitting: Splitting of this scheme along x, y and z, see 'splitting'.
        layer_advection: Scheme for momentum in layers; None for 'advection'.
        layer_advection_splitting: Splitting in layers; None for 'advection_splitting'.
        viscosity: Horizontal eddy viscosity; 0 for none [m²/s].
        transport_diffusivity: Numerical smoothing of the vertically integrated transports, GETM's
            An: a number or an array (nx, ny); 0 for none [m²/s].
        stress: Forcing by wind along east and north, or along x and y of a plane where east is not
            known: stress over density of water; None for no wind [m²/s²].
        pressure: Forcing by the pressure of the air; None for none [Pa].
        heat_flux: Forcing by heat that enters the highest layer, without sunlight [W/m²].
        sunlight: Forcing by sunlight that enters the water and warms its layers [W/m²].
        atmosphere: Air from which stress, pressure, heat and sunlight follow, see 'Atmosphere';
            None if they are given.
        water_type: Clarity of the water, one of Jerlov's types, see 'surface_heat'.
        rain: Forcing by rain minus evaporation. Rain has the temperature of the surface.
            Evaporation ends in shallow water [m/s].
        rivers: Rivers that flow into cells.
        tide: Tidal waves at open boundaries.
        elevation: Elevation at open boundaries in addition to 'tide': an 'hc.Series' of rows
            (times, open cells), in the order of the boundaries' cells; None for none [m].
        current: Current beyond 'flather' boundaries, as 'elevation': along x at those in the west
            and east, along y at others, mean over the depth; None for the mean of
            'layer_current' [m/s].
        layer_current: Current of layers beyond open boundaries, along the same axis, given as
            'sea_temperature' is. Layers take its deviation from the mean over the depth, beside
            open cells and in the sponge; None for no such deviation to be given [m/s].
        open_kind: Kind of the open boundaries that name none.
        ramp: Time over which 'tide', 'elevation' and currents beyond grow from zero [s].
        zeta: Elevation at the beginning: a number or an array (nx, ny) [m].
        layers: Layers of the three-dimensional mode: 'Sigma', 'BlendedSigma', 'SLevels' or
            'ZLevels'; None for the vertically integrated mode alone.
        turbulence: Vertical turbulence closure: 'k-epsilon' or 'constant'.
        mixing: Viscosity and diffusivity of 'constant' turbulence; a background value otherwise
            [m²/s].
        k_epsilon: Constants and stability functions of 'k-epsilon' turbulence.
        turbulence_advection: Scheme for the advection of 'k-epsilon' turbulence; 'none' for none.
        turbulence_advection_splitting: Splitting of this scheme, as for tracers.
        smooth_buoyancy: Neighbours over which the stratification is averaged for the turbulence:
            'none', 'horizontal', 'vertical' or 'both'.
        surface_roughness: Roughness length z0 of the surface [m].
        temperature: Temperature at the beginning: a number, an array of cells, or a function of x,
            y and the height over the mean level; None for no temperature [degC].
        salinity: Salinity at the beginning, likewise [1e-3].
        sea_temperature: Temperature of water that enters through open cells; None for that of the
            open cells at the beginning. It is a number, an array (open cells), an array (open
            cells, layers), or an 'hc.Series' of either, in the order of the boundaries. A function
            of x, y and height may return them, too [degC].
        sea_salinity: Salinity of this water, likewise [1e-3].
        tracers: Passive tracers, see 'Tracer'.
        diffusivity: Horizontal eddy diffusivity of tracers; 0 for none [m²/s].
        frozen: Whether temperature and salinity keep their first values. They drive the water
            nevertheless.
        density: Equation of state: the density minus that of reference as a function of
            temperature and salinity, see 'equation_of_state'; None for constant density [kg/m³].
        pressure_gradient: Scheme of the internal pressure gradient: 'jacobian', of higher order,
            or 'blumberg-mellor'.
        mode_splitting: How surface waves stay stable beside layers: 'damped', or 'getm' as in GETM,
            without damping. With 'getm' water at rest can begin to move.
        scheme: Scheme for the advection of tracers, see 'limiters'.
        splitting: Splitting of this scheme: 'strang', 'full', 'unsplit' or 'flux_corrected', see
            'advection'.
        sponge: Number of cells, open cells included, over which tracers relax to their values at
            the open boundary. With 0 open cells take the values of the water that leaves.
        relaxation: Shares of the sea beyond that open cells take beside a sponge of 2 cells or
            more; None for the sea's values alone.
        limits: Values beyond which a run fails.
        check_cfl: Whether to refuse a micro step beyond the limit of long waves.
        dtype: Type of the fields.

    Raises:
        CaseError: An argument has the wrong shape or type or an invalid value, or needs an argument
            that is missing. The message names it.

    Source: Burchard & Bolding, GETM: A General Estuarine Transport Model, European Commission
        report EUR 20253 EN (2002).

    Example:
        >>> sea = ocean.Domain(np.full((8, 6), 20.0), spacing=(1e3, 1e3))
        >>> ocean.Setup(sea, micro_step=20.0, micro_steps=10).macro_step
        200.0
    """

    domain: Domain
    micro_step: Annotated[float, Range(above=0.0)]
    micro_steps: Annotated[int, Range(least=1)] = 10
    drag: Any = LogarithmicDrag()
    drying: Drying = Drying()
    drying_limiter: bool = True
    advection: MomentumScheme = "UPSTREAM"
    advection_splitting: Splitting = "unsplit"
    layer_advection: MomentumScheme | None = None
    layer_advection_splitting: Splitting | None = None
    viscosity: NotNegative = 0.0
    transport_diffusivity: Any = 0.0
    stress: tuple[Any, Any] | None = None
    pressure: Any = None
    heat_flux: Any = None
    sunlight: Any = None
    atmosphere: Atmosphere | None = None
    water_type: WaterType = "I"
    rain: Any = None
    rivers: tuple[River, ...] = ()
    tide: tuple[Wave, ...] = ()
    elevation: Series | None = None
    current: Series | None = None
    layer_current: Any = None
    open_kind: OpenKind = "clamped"
    ramp: NotNegative = 0.0
    zeta: Any = 0.0
    layers: Layering | None = None
    turbulence: Turbulence = "k-epsilon"
    mixing: NotNegative = 0.0
    k_epsilon: KEpsilon = KEpsilon()
    turbulence_advection: MomentumScheme = "none"
    turbulence_advection_splitting: Splitting = "unsplit"
    smooth_buoyancy: Neighbours = "none"
    surface_roughness: Annotated[float, Range(above=0.0)] = 0.02
    temperature: Any = None
    salinity: Any = None
    sea_temperature: Any = None
    sea_salinity: Any = None
    tracers: tuple[Tracer, ...] = ()
    diffusivity: NotNegative = 0.0
    frozen: bool = False
    density: Callable[[Any, Any], Any] | None = None
    pressure_gradient: PressureGradient = "jacobian"
    mode_splitting: ModeSplitting = "damped"
    scheme: Scheme = "P2_PDM"
    splitting: Splitting = "strang"
    sponge: Annotated[int, Range(least=0)] = 0
    relaxation: Relaxation | None = None
    limits: Limits = Limits()
    check_cfl: bool = True
    dtype: Annotated[str, OneOf(("float64", "float32"))] = "float64"

    def __post_init__(self) -> None:
        _check_arguments(self)
        if self.check_cfl:
            _check_time_step(self)
        _check_layer_advection(self)
        _check_eddies(self, "viscosity", self.micro_step, 0.25)
        _check_eddies(self, "transport_diffusivity", self.micro_step, 0.5)
        _check_eddies(self, "diffusivity", self.macro_step, 0.5)
        for name in _OF_WATER:
            _check_sea(self, name)
        if self.layers is not None:
            self.layers.check_depth(float(np.nanmax(self.domain.depth)))
        check_rivers(self.domain, self.rivers, [tracer.name for tracer in self.tracers])
        for name in _OF_OPEN_CELLS:
            if (series := getattr(self, name)) is not None:
                _check_open_cells(self.domain, name, series)
        _check_current(self)
        check_needs(self, NEEDS, "an ocean")
        if self.layer_current is not None:
            _check_rows(self, "layer_current", self.layer_current)
        _check_passive(self)

    @property
    def macro_step(self) -> float:
        """Length of a step of the simulation [s]."""
        return self.micro_steps * self.micro_step

    @property
    def added_mixing(self) -> float:
        """What is added to the viscosity and diffusivity of turbulence [m²/s]."""
        return 0.0 if self.turbulence == "constant" else self.mixing

    @property
    def longest_step(self) -> float:
        """The longest micro step that long waves allow [s]."""
        return float(_limits(self)[1].min())

    def first_and_sea(self, tracer: str) -> tuple[Any, Any]:
        """Return a tracer at the beginning, and in the sea beyond open boundaries."""
        for passive in self.tracers:
            if passive.name == tracer:
                return passive.initial, passive.sea
        return getattr(self, tracer), getattr(self, f"sea_{tracer}")

    def velocity_advection(self, *, is_layered: bool) -> tuple[MomentumScheme, Splitting]:
        """Return scheme and splitting of the mean velocity, or of that of layers."""
        same = self.advection, self.advection_splitting
        if not is_layered:
            return same
        return self.layer_advection or same[0], self.layer_advection_splitting or same[1]

    @property
    def has_velocity_steps(self) -> bool:
        """Whether velocities are advected in steps of their own, in both modes alike."""
        modes = {False, self.layers is not None}
        ways = {self.velocity_advection(is_layered=is_layered) for is_layered in modes}
        return self.advection != "none" and ways != {("UPSTREAM", "unsplit")}

    @property
    def has_tracers(self) -> bool:
        """Whether the water has temperature, salinity or passive tracers."""
        given = (self.temperature, self.salinity, *self.tracers)
        return any(tracer is not None for tracer in given)

    @property
    def open_kinds(self) -> tuple[OpenKind, ...]:
        """How each open boundary takes the elevation of the sea beyond."""
        return tuple(boundary.kind or self.open_kind for boundary in self.domain.open)


def _check_arguments(setup: Setup) -> None:
    """Refuse arguments that are of another kind, or numbers that cannot be.

    Raises:
        CaseError: The message names the argument.
    """
    check_kind("domain", setup.domain, Domain, "a Domain")
    check_declared(setup, CaseError)
    _check_kinds(setup)
    _check_drying(setup.drying)
    _check_surface(setup)
    for name in (*_OF_WATER, *_OF_SEA):
        given = getattr(setup, name)
        is_series = name in _OF_SEA and isinstance(given, Series)
        if given is not None and not is_series:
            _check_tracer(name, given, setup.domain)


def _check_kinds(setup: Setup) -> None:
    """Refuse parts of a setup that are of another type."""
    members("tide", setup.tide, Wave, "waves, as (Wave(frequency('M2'), 0.5),)")
    members("rivers", setup.rivers, River, "rivers, as (River((30, 5), 300.0),)")
    members("tracers", setup.tracers, Tracer, "tracers, as (Tracer('dye', 1.0),)")
    check_kind("limits", setup.limits, Limits, "limits, as Limits(velocity=(-4.0, 4.0))")
    check_kind("k_epsilon", setup.k_epsilon, KEpsilon, "constants, as KEpsilon(galperin=None)")
    if setup.layers is not None:
        check_kind("layers", setup.layers, Layering, "layers, as Sigma(10)")
    if setup.relaxation is not None:
        check_kind("relaxation", setup.relaxation, Relaxation, "shares, as Relaxation(inflow=0.25)")
    for name in _OF_OPEN_CELLS:
        if (series := getattr(setup, name)) is not None:
            check_kind(name, series, Series, "a series of rows, hc.Series(times, rows)")
    if setup.density is not None and not callable(setup.density):
        raise wrong("density", setup.density, "a function of temperature and salinity")
    if not callable(setup.drag):
        raise wrong("drag", setup.drag, "a drag, as LinearDrag(1e-3) or LogarithmicDrag(1e-3)")


def _check_drying(drying: Drying) -> None:
    check_kind("drying", drying, Drying, "depths, as Drying(0.05, 0.2)")
    check_number("drying.least", drying.least, Range(above=0.0))
    check_number("drying.critical", drying.critical, Range(above=drying.least))


def _check_surface(setup: Setup) -> None:
    """Refuse what cells of the surface are given, if it is neither a number nor one for each."""
    domain = setup.domain
    inputs = {name: getattr(setup, name) for name in _FROM_OUTSIDE}
    inputs = {name: value for name, value in inputs.items() if value is not None}
    if setup.stress is not None:
        along_x, along_y = pair("stress", setup.stress, "stresses")
        inputs |= {"stress along x": along_x, "stress along y": along_y}
    for name, value in inputs.items():
        if not isinstance(value, Series):
            in_cells(name, value, domain.is_wet)
    if setup.atmosphere is not None:
        _check_atmosphere(setup, setup.atmosphere)
    in_cells("zeta", setup.zeta, domain.is_wet)
    for n, wave in enumerate(setup.tide):
        check_number(f"tide[{n}].frequency", wave.frequency)
        in_cells(f"tide[{n}].amplitude", wave.amplitude, domain.cells == OPEN)
        in_cells(f"tide[{n}].phase", wave.phase, domain.cells == OPEN)


def _check_atmosphere(setup: Setup, atmosphere: Atmosphere) -> None:
    """Refuse an atmosphere of another kind, or beside what follows from it."""
    check_kind("atmosphere", atmosphere, Atmosphere, "an ocean.Atmosphere")
    for name in _OF_ATMOSPHERE:
        if getattr(setup, name) is not None:
            raise CaseError(
                f"'{name}' was given beside 'atmosphere', of which it follows; expected one of "
                "them."
            )
    atmosphere.check(setup.domain)


def _check_tracer(name: str, given: Any, domain: Domain) -> None:
    """Refuse what is no number, no array of numbers and no function of place."""
    expected = "a number, an array of numbers, or a function of x, y and the height"
    if is_labelled(given):
        return
    try:
        if callable(given):
            signature(given).bind("x", "y", "height")
            return
        values = real_array(given)
    except (TypeError, ValueError):
        raise wrong(name, given, expected) from None
    # On land nothing is known, and nothing is needed.
    is_of_cells = values.shape[:2] == domain.extent
    in_water = values[domain.is_wet] if is_of_cells else values
    if not np.isfinite(in_water).all():
        raise wrong(name, given, f"{expected}, finite in water")


def _check_time_step(setup: Setup) -> None:
    """Refuse a micro step beyond the limit of long waves, and name the cell where it is reached.

    Raises:
        CaseError: It is longer.
    """
    deepest, limit = _limits(setup)
    if setup.micro_step > limit.min():
        i, j = np.unravel_index(limit.argmin(), limit.shape)
        raise CaseError(
            f"The micro step of {setup.micro_step:g} s is too long: waves over {deepest[i, j]:g} m "
            f"of water in cell ({i}, {j}) allow {limit.min():.4g} s.",
            hint="Shorten the micro step, and do more of them in a macro step; or try it with "
            "check_cfl=False.",
        )


def _check_eddies(setup: Setup, name: str, step: float, most: float) -> None:
    """Refuse eddies that mix more in an explicit step than there is.

    Args:
        setup: Has them.
        name: 'diffusivity', or 'viscosity', whose stresses 2 A du/dx allow half as much.
        step: The step [s].
        most: Bound of A dt (1 / dx² + 1 / dy²).

    Raises:
        CaseError: They mix more.
    """
    limit = most / (
        step * np.max(_inverse_squares(setup.domain), where=setup.domain.is_wet, initial=0.0)
    )
    diffusivity = in_cells(name, getattr(setup, name), setup.domain.is_wet)
    if diffusivity.min() < 0.0 or diffusivity.max() > limit:
        worst = diffusivity.max() if diffusivity.max() > limit else diffusivity.min()
        raise CaseError(
            f"'{name}' was given {worst:g} m²/s; a step of {step:g} s and the narrowest cells "
            f"allow 0 to {limit:.4g} m²/s.",
            hint="Lower it, or shorten the step.",
        )


def _check_layer_advection(setup: Setup) -> None:
    """Refuse momentum that is advected in one mode alone.

    Raises:
        CaseError: It is.
    """
    scheme = setup.layer_advection
    if scheme is not None and "none" in (scheme, setup.advection) and scheme != setup.advection:
        raise CaseError(
            f"'layer_advection' was given '{scheme}', and 'advection' '{setup.advection}'; "
            "expected 'none' for both, or for neither."
        )


def _check_sea(setup: Setup, name: str) -> None:
    """Refuse a tracer of the sea beyond that the water does not have, or of another shape.

    Raises:
        CaseError: There is no such tracer, or not one row for each open cell.
    """
    tracer = getattr(setup, f"sea_{name}")
    if tracer is None:
        return
    if getattr(setup, name) is None or setup.layers is None:
        raise CaseError(f"'sea_{name}' was given to an ocean without a {name}.")
    _check_rows(setup, f"sea_{name}", tracer)


def _check_rows(setup: Setup, name: str, tracer: Any) -> None:
    """Refuse values of open cells that are no number, and not one row for each."""
    assert setup.layers is not None
    cells = sum(len(boundary.cells()[0]) for boundary in setup.domain.open)
    shapes = (), (cells,), (cells, setup.layers.count)
    is_series = isinstance(tracer, Series)
    shape = tracer.shape if is_series else np.shape(tracer)
    if shape not in shapes:
        raise CaseError(
            f"'{name}' was given with the shape {shape}{' at each time' * is_series}; expected a "
            f"number, or the shape {shapes[1]} or {shapes[2]}: {cells} open cells."
        )


def _check_passive(setup: Setup) -> None:
    """Refuse passive tracers that cannot be.

    Raises:
        CaseError: The message names the tracer.
    """
    is_lit = setup.sunlight is not None or setup.atmosphere is not None
    known = {"light": is_lit, "depth": True, "thickness": True, "dt": True}
    known |= {name: getattr(setup, name) is not None for name in ("temperature", "salinity")}
    check_tracers(setup.tracers, [name for name, is_there in known.items() if is_there])
    for passive in setup.tracers:
        assert setup.layers is not None
        passive.check(setup.domain, setup.layers.count)
        if passive.sea is None:
            continue
        name = f"sea of the tracer '{passive.name}'"
        if not setup.domain.open:
            raise CaseError(
                f"'{name}' was given to an ocean without an open boundary, where it means nothing.",
                hint="Give an open boundary, too, or leave it out.",
            )
        _check_tracer(name, passive.sea, setup.domain)
        _check_rows(setup, name, passive.sea)


def _check_open_cells(domain: Domain, name: str, series: Series) -> None:
    """Refuse a series that has not one number for each open cell.

    Raises:
        CaseError: It has more or less, or a cell is part of two boundaries.
    """
    cells = [tuple(cell) for part in domain.open for cell in np.transpose(part.cells()).tolist()]
    if series.columns != len(cells):
        raise CaseError(
            f"The {name} '{series.name}' has rows of {series.columns} numbers; expected "
            f"{len(cells)}, one for each open cell."
        )
    for cell in [cell for cell, count in Counter(cells).items() if count > 1][:1]:
        raise CaseError(
            f"Cell {cell} is part of two open boundaries; expected one, so that it has one {name}.",
            hint="Shorten one of them.",
        )


def _check_current(setup: Setup) -> None:
    """Refuse a mean current where none can be given.

    Raises:
        CaseError: No boundary takes it.
    """
    if setup.current is not None and "flather" not in setup.open_kinds:
        raise CaseError(
            "'current' was given to an ocean without a 'flather' boundary. Other boundaries say "
            "how high the surface is; the mean current over the depth follows from its slope.",
            hint="Make the boundary 'flather', or give 'layer_current': how layers deviate from "
            "the mean.",
        )


def _limits(setup: Setup) -> tuple[Any, Any]:
    """Return for each cell how deep its water may be [m], and the longest step that it allows [s].

    The highest known elevation, at the beginning or beyond open boundaries, counts as depth. Waves
    as short as the grid allows are stable where dt sqrt(g D) sqrt(1 / dx² + 1 / dy²) is at most 1,
    and beside layers at most 'LONGEST' where they are damped.
    """
    domain = setup.domain
    most = LONGEST if setup.layers and setup.mode_splitting == "damped" else 1.0
    deepest = np.where(domain.is_wet, domain.depth + _highest(setup), 0.0)
    deepest = np.maximum(deepest, setup.drying.critical)
    inverse = np.sqrt(GRAVITY * deepest) * np.sqrt(_inverse_squares(domain))
    return deepest, np.where(domain.is_wet, most / inverse, np.inf)


def _inverse_squares(domain: Domain) -> Any:
    """Return 1 / dx² + 1 / dy² of each cell [1/m²]."""
    metric = domain.metric
    return np.broadcast_to(metric.dx**-2.0 + metric.dy**-2.0, domain.extent)


def _highest(setup: Setup) -> Any:
    """Return the highest known elevation of each cell [m]."""
    first = in_cells("zeta", setup.zeta, setup.domain.is_wet)
    beyond = sum(float(np.nanmax(np.abs(wave.amplitude))) for wave in setup.tide)
    if setup.elevation is not None:
        beyond += float(setup.elevation.values.max())
    return np.maximum(first, max(beyond, 0.0) if setup.domain.open else 0.0)
