"""Input files of oceans: what is read, and what is refused with which words."""

from __future__ import annotations

import input_files as files
import numpy as np
import pytest
import xarray as xr
from basins import Run
from command import halocline

from halocline.apps.ocean.cases.ocean import Ocean
from halocline.apps.ocean.input.bathymetry_file import read_bathymetry
from halocline.apps.ocean.input.boundary_file import read_lines, read_rows, wet_parts
from halocline.apps.ocean.input.input_file import InputFile, Period, read_date
from halocline.apps.ocean.input.weather_file import WeatherFiles, wind_stress
from halocline.apps.ocean.setup.domain import Domain, OpenBoundary
from halocline.apps.ocean.setup.setup import Setup
from halocline.errors import CaseError

NX, NY, WIDTH = 6, 4, 1000.0
DAY = Period(read_date(files.START, "start"), 86400.0)


@pytest.fixture
def depth():
    """Return depths of which a corner is land."""
    found = 10.0 + np.random.default_rng(7).random((NX, NY))
    found[0, 0] = np.nan
    return found


@pytest.fixture
def topo(tmp_path, depth):
    """Return a file of them."""
    files.bathymetry(tmp_path / "topo.nc", depth, WIDTH)
    return tmp_path / "topo.nc"


def test_a_bathymetry(topo, depth):
    found = read_bathymetry(topo)
    assert np.array_equal(found.depth, depth, equal_nan=True)
    assert (found.spacing, found.origin, found.is_spherical) == ((WIDTH, WIDTH), (0.0, 0.0), False)


def test_a_bathymetry_in_degrees(topo, depth):
    def turned(data):
        data = data.drop_vars("grid_type").rename(x="lon", y="lat")
        lon = ("lon", 4.05 + 0.1 * np.arange(NX), {"units": "degrees_east"})
        lat = ("lat", 54.025 + 0.05 * np.arange(NY), {"units": "degrees_north"})
        return data.assign_coords(lon=lon, lat=lat)

    files.changed(topo, turned)
    found = read_bathymetry(topo)
    assert found.is_spherical
    assert found.spacing == pytest.approx((0.1, 0.05))
    assert found.origin == pytest.approx((4.0, 54.0))


def test_the_path_of_a_bathymetry_may_be_text(topo, depth):
    assert np.array_equal(read_bathymetry(str(topo)).depth, depth, equal_nan=True)


def test_heights_are_depths_upside_down(topo, depth):
    files.changed(topo, lambda data: (-data).rename(bathymetry="elevation").assign(grid_type=1))
    files.changed(topo, lambda data: data.fillna(3.0))
    assert np.array_equal(read_bathymetry(topo).depth, depth, equal_nan=True)


def uneven(data):
    """Move a column of cells."""
    x = data.x.values.copy()
    x[2] += 100.0
    return data.assign_coords(x=("x", x))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda data: data.rename(bathymetry="bathy"),
            r"has the variables bathy, grid_type, x, y; expected one with the name bathymetry, "
            r"depth, elevation or topo\. Rename it",
        ),
        (lambda data: data.transpose("x", "y"), r"axes \(x, y\); expected \(y, x\), in this order"),
        (lambda data: data.isel(x=0), r"axes \(y\); expected \(y, x\)"),
        (lambda data: data.drop_vars("x"), "has no coordinates along the axis 'x'"),
        (lambda data: data.isel(y=slice(None, None, -1)), "coordinates 'y' that do not increase"),
        (uneven, "unevenly spaced coordinates 'x': number 3 is 2600; expected 2500"),
        (lambda data: data.assign(bathymetry=np.nan * data.bathymetry), "has land only"),
        (lambda data: data.isel(x=[0]), "has one cell along 'x'"),
    ],
)
def test_mistakes_in_a_bathymetry(topo, change, message):
    files.changed(topo, change)
    with pytest.raises(CaseError, match=message):
        read_bathymetry(topo)


@pytest.mark.parametrize(
    ("name", "unit", "message"),
    [
        ("bathymetry", "cm", "has 'bathymetry' in 'cm'; expected m"),
        ("x", "km", "has 'x' in 'km'; expected m"),
    ],
)
def test_units_of_a_bathymetry(topo, name, unit, message):
    def change(data):
        data[name].attrs["units"] = unit
        return data

    files.changed(topo, change)
    with pytest.raises(CaseError, match=message):
        read_bathymetry(topo)


def counted(data, first=1):
    """Return a bathymetry whose axes count its cells."""
    axes = {axis: (axis, first + np.arange(data.sizes[axis])) for axis in "xy"}
    return data.assign_coords(axes)


@pytest.mark.parametrize(
    "change", [counted, lambda data: counted(data, 0), lambda data: data.drop_vars(["x", "y"])]
)
def test_widths_of_cells_may_be_given_as_numbers(topo, change):
    files.changed(topo, lambda data: change(data).assign(dx=500.0, dy=600.0))
    found = read_bathymetry(topo)
    assert (found.spacing, found.origin) == ((500.0, 600.0), (0.0, 0.0))


def narrow(data):
    """Return a bathymetry with axes in km that do not say so."""
    return data.assign_coords({axis: (axis, 1e-3 * data[axis].values) for axis in "xy"})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (counted, "cells that are 1 wide by 'x', which has no unit; expected at least 10 m, or"),
        (narrow, "cells that are 1 wide by 'x', which has no unit"),
        (lambda data: counted(data).assign(dx=0.5, dy=0.5), "cells that are 0.5 wide by 'dx', wh"),
        (lambda data: data.assign(dx=500.0), "'dx' 500 m, but its coordinates 'x' are 1000 m apa"),
        (lambda data: data.assign(dy=-1.0), "'dy' in The bathymetry file .* given .*above 0"),
    ],
)
def test_cells_of_a_doubtful_width_are_refused(topo, change, message):
    files.changed(topo, change)
    with pytest.raises(CaseError, match=message):
        read_bathymetry(topo)


def test_narrow_cells_are_taken_if_the_file_says_that_they_are_in_metres(topo):
    def in_metres(data):
        data = counted(data)
        data.x.attrs["units"] = data.y.attrs["units"] = "m"
        return data

    files.changed(topo, in_metres)
    assert read_bathymetry(topo).spacing == (1.0, 1.0)


def test_a_unit_of_degrees_makes_axes_longitudes_and_latitudes(topo):
    def turned(data):
        x = ("x", 4.05 + 0.1 * np.arange(NX), {"units": "degrees_east"})
        y = ("y", 54.025 + 0.05 * np.arange(NY), {"units": "degrees_north"})
        return data.drop_vars("grid_type").assign_coords(x=x, y=y)

    files.changed(topo, turned)
    assert read_bathymetry(topo).is_spherical


def test_files_that_are_none(tmp_path):
    with pytest.raises(CaseError, match="There is no bathymetry file"):
        read_bathymetry(tmp_path / "none.nc")
    (tmp_path / "text.nc").write_text("depth 3 m", "utf-8")
    with pytest.raises(CaseError, match="is not NetCDF, or cannot be read"):
        InputFile(tmp_path / "text.nc", "bathymetry")


def test_lines_of_open_cells_are_cut_where_there_is_land(depth):
    is_wet = np.isfinite(depth)
    is_wet[3, 0] = False
    lines = read_lines(["south", "west 0 0 3", "east 4 1 2"], is_wet.shape)
    parts, numbers = wet_parts(lines, is_wet)
    assert parts == (
        OpenBoundary("south", 0, 1, 2),
        OpenBoundary("south", 0, 4, 5),
        OpenBoundary("west", 0, 1, 3),
        OpenBoundary("east", 4, 1, 2),
    )
    assert numbers.tolist() == [1, 2, 4, 5, 7, 8, 9, 10, 11]


@pytest.mark.parametrize(
    "text", ["", "nord", "north 3", "north 3 4 x", "north 4 0 5", "east 0 2 1"]
)
def test_lines_that_are_none(text):
    with pytest.raises(CaseError, match="The open boundary"):
        read_lines([text], (NX, NY))


def test_a_line_on_land(depth):
    is_wet = np.isfinite(depth)
    is_wet[:, 0] = False
    with pytest.raises(CaseError, match=r"the south boundary at 0, cells 0 to 5, .* are land"):
        wet_parts(read_lines(["south"], is_wet.shape), is_wet)


def elevations(path, **more):
    return read_rows(
        path, "elev", "m", **{"points": 3, "numbers": np.arange(3), "period": DAY, **more}
    )


def test_elevations_are_those_of_the_run(tmp_path):
    path, values = tmp_path / "bdy.nc", np.arange(21.0).reshape(7, 3)
    files.boundary(path, [-12, -6, 3, 12, 18, 30, 36], values)
    found = elevations(path, numbers=np.array([2, 0]))
    assert found.times.tolist() == [3600.0 * hour for hour in (-6, 3, 12, 18, 30)]
    assert found.values.tolist() == values[1:6, [2, 0]].tolist()


def test_steady_elevations(tmp_path):
    data = xr.Dataset({"elev": ("nbdyp", np.array([1.0, 2.0, 3.0]))})
    files.saved(data, tmp_path / "bdy.nc")
    assert elevations(tmp_path / "bdy.nc").at(1000.0).tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("hours", "message"),
    [
        ([0, 6, 6, 24], "times 'time' that do not increase: number 3 is not later than number 2"),
        ([1, 12, 18, 24], "begins at 2004-01-01 01:00:00, but the run goes from 2004-01-01 00"),
        ([0, 12, 18, 23], "ends at 2004-01-01 23:00:00, but the run goes from"),
    ],
)
def test_times(tmp_path, hours, message):
    files.boundary(tmp_path / "bdy.nc", hours, np.zeros((4, 3)))
    with pytest.raises(CaseError, match=message):
        elevations(tmp_path / "bdy.nc")


@pytest.mark.parametrize("missing", [np.nan, 9.96921e36 / 3600.0, -1e34])
@pytest.mark.parametrize("at", [0, 1, 3])
def test_times_that_are_missing_are_refused(tmp_path, missing, at):
    hours = [0.0, 12.0, 18.0, 24.0]
    hours[at] = missing
    files.boundary(tmp_path / "bdy.nc", hours, np.zeros((4, 3)))
    with pytest.raises(CaseError, match=f"lacks 1 of the 4 times 'time', the first at {at}, cou"):
        elevations(tmp_path / "bdy.nc")


def test_weather_with_a_missing_time_is_refused_not_thinned(tmp_path, domain):
    winds = np.ones((3, 1, 1))
    files.weather(tmp_path / "w.nc", [0, np.nan, 24], u10=winds, v10=winds)
    with pytest.raises(CaseError, match="lacks 1 of the 3 times"):
        WeatherFiles([tmp_path / "w.nc"], domain, DAY).read()


def test_a_file_without_times_is_refused(tmp_path):
    files.boundary(tmp_path / "bdy.nc", [], np.zeros((0, 3)))
    with pytest.raises(CaseError, match="has no time in 'time'"):
        elevations(tmp_path / "bdy.nc")


@pytest.mark.parametrize("unit", ["hours", "", "moons since 2004-01-01"])
def test_units_of_times(tmp_path, unit):
    files.boundary(tmp_path / "bdy.nc", [0, 24], np.zeros((2, 3)))

    def change(data):
        data.time.attrs["units"] = unit
        return data

    files.changed(tmp_path / "bdy.nc", change)
    with pytest.raises(CaseError, match=f"times 'time' in '{unit}'; expected 'seconds since"):
        elevations(tmp_path / "bdy.nc")


def test_hours_are_times_as_well(tmp_path):
    files.boundary(tmp_path / "bdy.nc", [0, 24], np.zeros((2, 3)))
    hours = ("time", [0.0, 30.0], {"units": "hours since 2003-12-31 20:00:00"})
    files.changed(tmp_path / "bdy.nc", lambda data: data.assign_coords(time=hours))
    assert elevations(tmp_path / "bdy.nc").times.tolist() == [-4 * 3600.0, 26 * 3600.0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.transpose("nbdyp", "time"), r"expected \(time, point\), in this order"),
        (lambda data: data.isel(nbdyp=[0, 1]), "'elev' at 2 points; expected 3"),
        (lambda data: data.where(data.elev < 4), "lacks 2 values of 'elev' in water"),
        (lambda data: data.drop_vars("time"), "has no variable 'time' with its times"),
    ],
)
def test_mistakes_in_elevations(tmp_path, change, message):
    files.boundary(tmp_path / "bdy.nc", [0, 24], np.arange(6.0).reshape(2, 3))
    files.changed(tmp_path / "bdy.nc", change)
    with pytest.raises(CaseError, match=message):
        elevations(tmp_path / "bdy.nc")


@pytest.fixture
def domain(depth):
    """Return the domain of the files."""
    return Domain(depth, (WIDTH, WIDTH))


def test_a_wind_that_is_the_same_everywhere(tmp_path, domain):
    ones = np.ones((2, 1, 1))
    files.weather(tmp_path / "w.nc", [0, 24], u10=3.0 * ones, v10=4.0 * ones)
    found = WeatherFiles([tmp_path / "w.nc"], domain, DAY).read()
    expected = 1.25 / 1025 * 1e-3 * (0.63 + 0.066 * 5.0) * 5.0
    assert found.pressure is None
    for series, wind in zip(found.stress, (3.0, 4.0)):
        assert series.shape == (NX, NY)
        assert np.allclose(series.values, expected * wind, rtol=1e-14)


@pytest.mark.parametrize("name", ["slp", "msl"])
def test_pressure_is_read_under_the_names_that_it_has(tmp_path, domain, name):
    ones = np.ones((2, 1, 1))
    files.weather(tmp_path / "w.nc", [0, 24], u10=ones, v10=ones, slp=1e5 * ones)
    files.changed(tmp_path / "w.nc", lambda data: data.rename(slp=name) if name != "slp" else data)
    found = WeatherFiles([tmp_path / "w.nc"], domain, DAY).read().pressure
    assert found is not None
    assert np.all(found.values == 1e5)


def test_pressure_that_only_a_later_file_has_is_not_left_out(tmp_path, domain):
    ones = np.ones((2, 1, 1))
    files.weather(tmp_path / "a.nc", [0, 12], u10=ones, v10=ones)
    files.weather(tmp_path / "b.nc", [12, 24], u10=ones, v10=ones, slp=ones)
    with pytest.raises(CaseError, match=r"a\.nc' has no variable 'slp'"):
        WeatherFiles([tmp_path / "a.nc", tmp_path / "b.nc"], domain, DAY).read()


def test_stresses_may_be_given(tmp_path, domain):
    ones = np.ones((2, NY, NX))
    files.weather(tmp_path / "w.nc", [0, 24], tausx=ones, tausy=-ones)
    found = WeatherFiles([tmp_path / "w.nc"], domain, DAY, drag=None).read()
    assert [series.values[0, 1, 2] for series in found.stress] == [1 / 1025, -1 / 1025]


def test_a_constant_drag_of_the_wind():
    along, across = wind_stress(np.array(6.0), np.array(8.0), "constant")
    assert along == pytest.approx(1.25 / 1025 * 1.25e-3 * 60.0)
    assert across == pytest.approx(1.25 / 1025 * 1.25e-3 * 80.0)


def on_sphere(path, lon, lat):
    """Write a wind of lon and lat m/s."""
    u, v = np.meshgrid(lon, lat)
    both = [np.stack([wind, wind]) for wind in (u, v)]
    files.weather(path, [0, 24], tausx=both[0], tausy=both[1])
    files.changed(path, lambda data: data.assign_coords(lon=lon, lat=lat))


def test_weather_at_other_places_is_interpolated(tmp_path, depth):
    domain = Domain(depth, (0.5, 0.25), origin=(4.0, 54.0), is_spherical=True)
    on_sphere(tmp_path / "w.nc", np.arange(3.0, 9.0), np.arange(56.0, 52.0, -1.0))
    files_of = WeatherFiles([tmp_path / "w.nc"], domain, DAY, is_on_grid=False, drag=None)
    along, across = (1025 * series.values[0] for series in files_of.read().stress)
    wet = domain.is_wet
    x, y = np.meshgrid(4.25 + 0.5 * np.arange(NX), 54.125 + 0.25 * np.arange(NY), indexing="ij")
    assert np.allclose(along[wet], x[wet])
    assert np.allclose(across[wet], y[wet])


def on_both_sides_of_greenwich(depth):
    """Return a domain of which one half lies west of the meridian."""
    return Domain(depth, (0.5, 0.25), origin=(-1.5, 54.0), is_spherical=True)


def test_longitudes_from_0_to_360_are_those_from_minus_180_to_180(tmp_path, depth):
    domain, lat = on_both_sides_of_greenwich(depth), np.arange(53.0, 57.0)
    found = []
    for name, lon in (("e.nc", np.arange(-180.0, 180.0)), ("w.nc", np.arange(0.0, 361.0))):
        on_sphere(tmp_path / name, lon, lat)
        files.changed(
            tmp_path / name,
            lambda data: data.assign(tausx=data.tausx * 0 + np.cos(np.radians(data.lon))),
        )
        weather = WeatherFiles([tmp_path / name], domain, DAY, is_on_grid=False, drag=None)
        found.append(weather.read().stress[0].values)
    assert np.ptp(found[0][0][domain.is_wet]) > 0.0
    assert np.allclose(*found, rtol=1e-12)


def test_weather_in_the_cells_may_count_longitudes_from_0_to_360(tmp_path, depth):
    domain = on_both_sides_of_greenwich(depth)
    lon, lat = -1.25 + 0.5 * np.arange(NX), 54.125 + 0.25 * np.arange(NY)
    on_sphere(tmp_path / "w.nc", lon, lat)
    files.changed(tmp_path / "w.nc", lambda data: data.assign_coords(lon=("lon", lon % 360.0)))
    along, _ = WeatherFiles([tmp_path / "w.nc"], domain, DAY, drag=None).read().stress
    assert np.allclose(
        1025 * along.values[0][domain.is_wet], np.tile(lon, (NY, 1)).T[domain.is_wet]
    )


def test_weather_that_does_not_reach_all_cells(tmp_path, depth):
    domain = Domain(depth, (0.5, 0.25), origin=(4.0, 54.0), is_spherical=True)
    on_sphere(tmp_path / "w.nc", np.arange(3.0, 7.0), np.arange(53.0, 56.0))
    with pytest.raises(
        CaseError, match=r"lacks 16 values of 'tausx' in water, the first at \(4, 0"
    ):
        WeatherFiles([tmp_path / "w.nc"], domain, DAY, is_on_grid=False, drag=None).read()


def test_weather_of_cells_elsewhere(tmp_path, depth):
    domain = Domain(depth, (0.5, 0.25), origin=(4.0, 54.0), is_spherical=True)
    on_sphere(tmp_path / "w.nc", 4.25 + 0.5 * np.arange(NX), 54.4 + 0.25 * np.arange(NY))
    with pytest.raises(CaseError, match=r"at the lat 54\.4; expected 54\.125, as the bathymetry"):
        WeatherFiles([tmp_path / "w.nc"], domain, DAY, drag=None).read()


@pytest.mark.parametrize(
    ("shape", "options", "message"),
    [
        ((2, NX, NY), {}, "at 4 x 6 points; expected 6 x 4, one in each cell"),
        ((2, NY, NX), {"is_on_grid": False}, "to be interpolated to a grid whose longitudes"),
    ],
)
def test_weather_of_another_grid(tmp_path, domain, shape, options, message):
    files.weather(tmp_path / "w.nc", [0, 24], u10=np.zeros(shape), v10=np.zeros(shape))
    with pytest.raises(CaseError, match=message):
        WeatherFiles([tmp_path / "w.nc"], domain, DAY, **options).read()


def test_a_rotated_grid(tmp_path, domain):
    files.weather(tmp_path / "w.nc", [0, 24], u10=np.zeros((2, NY, NX)), v10=np.zeros((2, NY, NX)))
    pole = ("three", [10.0, -35.0, 0.0])
    files.changed(tmp_path / "w.nc", lambda data: data.assign(southpole=pole))
    with pytest.raises(CaseError, match="has a rotated grid, with its south pole at"):
        WeatherFiles([tmp_path / "w.nc"], domain, DAY).read()


def test_an_elevation_needs_a_number_for_each_open_cell(domain):
    import halocline as hc

    series = hc.Series([0.0, 1.0], np.zeros((2, 3)), name="sea")
    lines = (OpenBoundary("north", NY - 1, 0, 3),)
    open_domain = Domain(domain.depth, domain.spacing, open=lines)
    with pytest.raises(CaseError, match="'sea' has rows of 3 numbers; expected 4"):
        Setup(open_domain, 1.0, elevation=series)
    lines = (OpenBoundary("north", NY - 1, 0, 1), OpenBoundary("west", 0, 3, 3))
    with pytest.raises(CaseError, match=r"Cell \(0, 3\) is part of two open boundaries"):
        Setup(Domain(domain.depth, domain.spacing, open=lines), 1.0, elevation=series)


def test_a_given_elevation_is_linear_within_a_macro_step(domain):
    import halocline as hc

    rise = hc.Series([0.0, 1000.0], [[0.0] * NX, [1.0] * NX])
    lines = (OpenBoundary("north", NY - 1, 0, NX - 1),)
    setup = Setup(Domain(domain.depth, domain.spacing, open=lines), 10.0, 10, elevation=rise)
    run = Run(setup).steps(5)
    assert np.allclose(run.zeta[:, -1], 0.5, atol=1e-12)


def test_a_case_from_files(topo, tmp_path):
    files.boundary(tmp_path / "bdy.nc", [0, 24], np.linspace(0, 1, 2)[:, np.newaxis] * np.ones(NX))
    case = Ocean(
        bathymetry=str(topo),
        begin=files.START,
        hours=2.0,
        open=["north"],
        boundary=str(tmp_path / "bdy.nc"),
        constituents=["M2 0.1 90"],
        stress_x=0.1,
    )
    case.check()
    setup = case.setup
    assert setup.elevation.columns == NX
    assert setup.tide[0].amplitude == 0.1
    assert setup.stress == (0.1 / 1025, 0.0)
    assert case.steps * case.macro_step == pytest.approx(7200.0)


def test_a_case_file(topo, tmp_path):
    (tmp_path / "case.toml").write_text(
        '[case]\nname = "ocean"\nbathymetry = "topo.nc"\nhours = 1\nopen = ["north"]\n'
        'constituents = ["M2 0.5 0"]\nmicro_step = 30\n',
        "utf-8",
    )
    done = halocline("run", "case.toml", "--output", "out", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "highest elevation at the end" in done.stdout + (tmp_path / "out/report.txt").read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"constituents": ["M2 0.5"], "open": ["north"]}, "The constituent 'M2 0.5' was given"),
        ({"constituents": ["M9 1 0"], "open": ["north"]}, "There is no tidal constituent 'M9'"),
        ({"constituents": ["M2 1 0"]}, "'constituents' was given to .* without an open boundary"),
        ({"critical_depth": 0.01}, "expected more than 'least_depth'"),
        ({"begin": "today"}, "'begin' is 'today'; expected a date and time"),
        ({"stress_x": 1.0, "weather": ["w.nc"]}, "were given beside 'weather'"),
    ],
)
def test_mistakes_in_a_case(topo, options, message):
    with pytest.raises(CaseError, match=message):
        Ocean(bathymetry=str(topo), **options).check()
