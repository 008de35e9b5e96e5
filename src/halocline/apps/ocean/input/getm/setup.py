"""A folder of GETM as a Setup of our model."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.apps.ocean.input.getm.advection import read_advection
from halocline.apps.ocean.input.getm.bathymetry import read_adjusted, window_of
from halocline.apps.ocean.input.getm.boundaries import Boundaries, read_boundaries
from halocline.apps.ocean.input.getm.checks import read_limits
from halocline.apps.ocean.input.getm.layers import read_layers, read_tracer, unsupported_layers
from halocline.apps.ocean.input.getm.meteo import read_weather
from halocline.apps.ocean.input.getm.namelists import Namelists, Settings, read_namelists, shown
from halocline.apps.ocean.input.getm.problems import Problems
from halocline.apps.ocean.input.getm.rivers import read_rivers
from halocline.apps.ocean.input.getm.sea_beyond import read_sea_beyond
from halocline.apps.ocean.input.getm.turbulence import read_turbulence
from halocline.apps.ocean.input.input_file import InputFile, Period, read_date
from halocline.apps.ocean.input.sea_file import TRACERS
from halocline.apps.ocean.physics.drag import LinearDrag, LogarithmicDrag
from halocline.apps.ocean.physics.drying import Drying
from halocline.apps.ocean.setup.domain import Domain, coriolis
from halocline.apps.ocean.setup.setup import Setup
from halocline.errors import CaseError
from halocline.frozen import Frozen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from halocline.apps.ocean.input.bathymetry_file import Bathymetry

_FILE = "getm.inp"
# What numbers in the namelists stand for.
_NLAST_ONLY, _STOP = 1, 2
_FAKE_START = datetime(2000, 1, 1)
_NO_DRAG, _LINEAR_DRAG = 0, 1
_SHAPES = {0: "mean", 1: "least"}
_FROM_FILE = 2
# Types of grids in messages.
_NAMES = {1: "Cartesian", 2: "spherical", 3: "curvilinear", 4: "spherical curvilinear"}
_CONSTANT_VISCOSITY = 3
# GETM refuses a critical depth that is less than so many times the least.
_DEPTHS_APART = 2.5
# Micro steps between two looks at the weather and at the sea beyond boundaries, at most.
_MOST_MICRO_STEPS = 10


class Reading(Frozen, eq=False):
    """A folder of GETM as a setup.

    Attributes:
        setup: Of the model.
        period: From when to when.
        steps: How many macro steps these are.
        title: Of the run.
        remarks: How input was taken that may have another meaning, each a sentence.

    Example:
        >>> from datetime import datetime
        >>> from halocline.apps.ocean.input.input_file import Period
        >>> sea = ocean.Domain(np.full((8, 6), 20.0), spacing=(1e3, 1e3))
        >>> setup = ocean.Setup(sea, micro_step=20.0, micro_steps=10)
        >>> reading = ocean.Reading(setup, Period(datetime(2004, 1, 1), 3600.0), 18, "a pool")
    """

    setup: Setup
    period: Period
    steps: int
    title: str
    remarks: tuple[str, ...] = ()


def read_getm_folder(folder: str | Path) -> Reading:
    """Return what a folder with 'getm.inp' and the files that it names says.

    Raises:
        CaseError: A file is missing or has something that it should not, or there are settings
            that we cannot follow: the message names all of these.

    Example:
        >>> import pathlib, tempfile, xarray
        >>> folder = tempfile.TemporaryDirectory()
        >>> axes = {"y": 1e3 * np.arange(6), "x": 1e3 * np.arange(8)}
        >>> bed = xarray.DataArray(np.full((6, 8), 20.0), axes, ("y", "x"), "bathymetry")
        >>> bed.to_netcdf(pathlib.Path(folder.name, "topo.nc"))
        >>> text = '''&param runtype=1 /
        ... &time timestep=10, timefmt=2, start="2004-01-01 00:00:00", stop="2004-01-01 01:00:00" /
        ... &domain bathymetry="topo.nc" /'''
        >>> _ = pathlib.Path(folder.name, "getm.inp").write_text(text)
        >>> ocean.read_getm_folder(folder.name).steps
        36
    """
    return _Folder(Path(folder)).read()


class _Folder:
    """Reads a folder, continues after problems, and reports all of them together.

    Args:
        path: Of the folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problems = Problems(path)
        self.namelists = read_namelists(path / _FILE)
        self.problems.found += self.namelists.problems

    def read(self) -> Reading:
        """Return what the folder says.

        Raises:
            CaseError: It has problems.
        """
        namelists, attempt = self.namelists, self.problems.attempt
        turbulence = self._turbulence() if namelists.is_layered else None
        bathymetry = attempt(read_adjusted, self.path, namelists)
        attempt(_check_supported, namelists, turbulence, bathymetry)
        dates = attempt(_period, namelists)
        if bathymetry is None or dates is None:
            self.problems.check()
        assert bathymetry is not None
        assert dates is not None
        period, micro_steps, steps = dates
        is_wet = np.isfinite(bathymetry.depth)
        sea = Boundaries()
        if namelists.is_supported("m2d.bdyfmt_2d"):
            sea = attempt(read_boundaries, self.path, namelists, is_wet, period) or sea
        zeta = attempt(_first_elevation, self.path, namelists, is_wet)
        diffusivity = attempt(_transport_diffusivity, self.path, namelists, is_wet)
        rivers = None
        if namelists.is_supported("rivers.river_format"):
            rivers = attempt(read_rivers, self.path, namelists, period)
        domain = None
        if namelists.is_supported("domain.vel_depth_method"):
            domain = attempt(_domain, namelists, bathymetry, sea)
        forced = {} if domain is None else self._of_cells(domain, sea, period)
        self.problems.check()
        assert domain is not None
        setup = Setup(
            domain,
            micro_step=namelists["time.timestep"],
            micro_steps=micro_steps,
            drag=_drag(namelists),
            drying=Drying(namelists["domain.min_depth"], namelists["domain.crit_depth"]),
            viscosity=_viscosity(namelists),
            transport_diffusivity=diffusivity,
            elevation=sea.elevation,
            current=sea.current,
            ramp=sea.ramp,
            zeta=zeta,
            limits=read_limits(namelists),
            check_cfl=namelists["domain.check_cfl"],
            rivers=rivers or (),
            **read_advection(namelists),
            **read_layers(namelists, turbulence),
            **forced,
        )
        remarks = (*bathymetry.remarks, namelists.remark)
        return Reading(setup, period, steps, namelists["param.title"], tuple(filter(None, remarks)))

    def _turbulence(self) -> Settings | None:
        turbulence = self.problems.attempt(read_turbulence, self.path)
        self.problems.found += turbulence.problems if turbulence else ()
        return turbulence

    def _of_cells(self, domain: Domain, sea: Boundaries, period: Period) -> dict[str, Any]:
        """Return the arguments of a Setup that its cells are given: tracers and the weather."""
        namelists, attempt = self.namelists, self.problems.attempt
        arguments: dict[str, Any] = {}
        for name, (short, unit) in TRACERS.items():
            if short in namelists.tracers and namelists.is_supported(f"{short}.{short}_method"):
                place = (self.path, namelists, domain, short, unit)
                arguments[name] = attempt(read_tracer, *place)
        if None not in arguments.values():
            given = (self.path, namelists, sea, arguments, period)
            arguments |= attempt(read_sea_beyond, *given) or {}
        if namelists.is_supported("meteo.met_method", "meteo.metfmt"):
            arguments |= attempt(read_weather, self.path, namelists, domain, period) or {}
        return arguments


def _check_supported(
    namelists: Namelists, turbulence: Settings | None, bathymetry: Bathymetry | None
) -> None:
    """Refuse what we cannot follow, all in one message."""
    lines = [*namelists.unsupported(), *unsupported_layers(namelists, turbulence)]
    if bathymetry is not None:
        lines += _unsupported_grid(namelists, bathymetry)
    if namelists["domain.crit_depth"] < _DEPTHS_APART * namelists["domain.min_depth"]:
        least = f"{_DEPTHS_APART} times min_depth or more"
        lines.append(namelists.refusal("domain.crit_depth", least))
    is_still = namelists["domain.openbdy"] and not namelists["m2d.bdy2d"]
    if is_still and (namelists["m2d.elev_const"] or namelists["m2d.elev_method"] == _FROM_FILE):
        lines.append(
            "m2d: bdy2d = .false. with open boundaries and an elevation at the begin; supported: "
            ".true., or elev_const = 0"
        )
    if lines:
        first = (
            f"The file '{namelists.path}' has settings that we cannot follow; change them there, "
            "or see docs/guide/from_getm.md:"
        )
        raise CaseError("\n  ".join([first, *lines]))


def _unsupported_grid(namelists: Namelists, bathymetry: Bathymetry) -> Iterator[str]:
    """Yield a line for what does not go together with the grid of the bathymetry."""
    is_plane = namelists["domain.f_plane"]
    on_plane = bathymetry.on_f_plane() if is_plane else bathymetry
    if is_plane == on_plane.has_latitudes:
        yield (
            f"domain: f_plane = {shown(is_plane)} with a {_NAMES[bathymetry.grid_type]} grid; "
            f"supported: {shown(not is_plane)}"
        )
    kind = namelists["domain.grid_type"]
    if kind is not None and kind != bathymetry.grid_type:
        yield namelists.refusal("domain.grid_type", "that of the bathymetry file")


def _period(namelists: Namelists) -> tuple[Period, int, int]:
    """Return from when to when the run goes, its micro steps a macro step, and its macro steps."""
    dt, how = namelists["time.timestep"], namelists["time.timefmt"]
    start = _FAKE_START
    if how != _NLAST_ONLY:
        start = read_date(namelists["time.start"], f"In '{namelists.path}' 'start'")
    count = namelists["time.nlast"]
    if how == _STOP:
        stop = read_date(namelists["time.stop"], f"In '{namelists.path}' 'stop'")
        count = round((stop - start).total_seconds() / dt)
    # U and V take turns in being the first: a macro step without layers has as many of both.
    whole = namelists["m3d.m"] if namelists.is_layered else 2
    count -= count % whole
    if count <= 0:
        raise CaseError(
            f"The run of '{namelists.path}' has no time steps: it lasts from {start} for {count} "
            f"steps of {dt:g} s; expected {whole} at least.",
            hint="See 'timefmt', 'start', 'stop' and 'nlast' in the namelist 'time'.",
        )
    longer = (n for n in range(2, _MOST_MICRO_STEPS + 1, 2) if count % n == 0)
    micro_steps = whole if namelists.is_layered else max(longer)
    return Period(start, count * dt), micro_steps, count // micro_steps


def _domain(namelists: Namelists, bathymetry: Bathymetry, sea: Boundaries) -> Domain:
    shape: Any = _SHAPES[namelists["domain.vel_depth_method"]]
    if namelists["domain.f_plane"]:
        bathymetry = bathymetry.on_f_plane()
    f = 0.0 if bathymetry.has_latitudes else float(coriolis(namelists["domain.latitude"]))
    return bathymetry.domain(f=f, open=sea.parts, face_depth=shape)


def _drag(namelists: Namelists) -> LinearDrag | LogarithmicDrag:
    """Return the drag of the bed; with a sublayer as older versions, which say less, have it."""
    method = namelists["domain.bottfric_method"]
    if method == _NO_DRAG:
        return LinearDrag(0.0)
    if method == _LINEAR_DRAG:
        return LinearDrag(namelists["domain.rdrag"])
    is_old = not namelists.is_given("domain.bottfric_method")
    roughness = namelists["domain.z0_const"]
    if namelists["domain.z0d_iters"] or (is_old and not namelists.is_given("domain.z0d_iters")):
        return LogarithmicDrag(roughness)
    return LogarithmicDrag(roughness, viscosity=None)


def _viscosity(namelists: Namelists) -> float:
    """Return A_M, 0 for none; older files have 'Am' alone."""
    if namelists["m2d.am_method"] == _CONSTANT_VISCOSITY:
        return float(namelists["m2d.am_const"])
    return max(0.0, float(namelists["m2d.am"]))


def _transport_diffusivity(folder: Path, namelists: Namelists, is_wet: Any) -> Any:
    """Return A_N: a number, or an array of cells; 0 for none [m²/s]."""
    method = namelists["m2d.an_method"]
    if method != _FROM_FILE:
        return namelists["m2d.an_const"] if method else 0.0
    file = InputFile(folder / namelists["m2d.an_file"], "diffusivity")
    return _cells_of(file, "An", "m2/s", namelists, is_wet)


def _first_elevation(folder: Path, namelists: Namelists, is_wet: Any) -> Any:
    """Return the elevation at the beginning: a number, or an array of cells [m]."""
    if namelists["m2d.elev_method"] != _FROM_FILE:
        return namelists["m2d.elev_const"]
    file = InputFile(folder / namelists["m2d.elev_file"], "elevation")
    return _cells_of(file, "elev", "m", namelists, is_wet)


def _cells_of(file: InputFile, name: str, unit: str, namelists: Namelists, is_wet: Any) -> Any:
    """Return the values of a variable in the cells of the run, 0 on land."""
    values = np.asarray(file.variable(name, ("y", "x"), unit).values, np.float64).T
    window = window_of(namelists, values.shape)
    if values[window].shape != is_wet.shape:
        raise CaseError(
            f"{file.name} has '{name}' in {values.shape[0]} x {values.shape[1]} cells; expected "
            "those of the bathymetry."
        )
    file.check_present(name, values[window], is_wet)
    file.check_plausible(name, unit, values[window], is_wet)
    return np.where(is_wet, values[window], 0.0)
