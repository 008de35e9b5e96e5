"""Bathymetry files with the corners of curvilinear cells, and with the direction of axes."""

from __future__ import annotations

import input_files as files
import numpy as np
import pytest
import xarray as xr
from getm_folders import WIDTH, N, box

from halocline.apps.ocean.input.bathymetry_file import read_bathymetry
from halocline.apps.ocean.input.input_file import Period, read_date
from halocline.apps.ocean.input.weather_file import WeatherFiles
from halocline.apps.ocean.setup.domain import coriolis
from halocline.errors import CaseError

NX, NY, TURN = 7, 5, 30.0
I, J = np.meshgrid(np.arange(NX + 1.0), np.arange(NY + 1.0), indexing="ij")
# Squares of 2 km, whose x points 30 degrees to the left of east.
X, Y = (
    2e3 * (np.exp(1j * np.radians(TURN)) * (I + 1j * J)).view(float).reshape(NX + 1, NY + 1, 2)
).transpose(2, 0, 1)
METRES = 6_371_000.0 * np.pi / 180.0
LATITUDE = 54.0 + Y / METRES
LONGITUDE = 7.0 + X / (METRES * np.cos(np.radians(LATITUDE)))


def corners(**values):
    """Return variables of corners, given with x first."""
    return {name: (("y_x", "x_x"), np.asarray(array).T) for name, array in values.items()}


PLANE = corners(xx=X, yx=Y)
EARTH = corners(lonx=LONGITUDE, latx=LATITUDE)


def written(path, grid_type=3, **variables):
    """Write a bathymetry with variables in place of coordinates, and return its path."""
    depth = np.full((NY, NX), 20.0)
    depth[0, 0] = np.nan
    data = xr.Dataset({"bathymetry": (("y", "x"), depth, {"units": "m"}), **variables})
    if grid_type is not None:
        data["grid_type"] = np.int32(grid_type)
    files.saved(data, path / "topo.nc")
    return path / "topo.nc"


@pytest.mark.parametrize("grid_type", [3, None])
def test_corners_in_a_plane(tmp_path, grid_type):
    read = read_bathymetry(written(tmp_path, grid_type, **PLANE))
    domain = read.domain(f=1e-4)
    assert (read.grid_type, read.has_latitudes) == (3, False)
    assert domain.metric.dx == pytest.approx(np.full((NX, NY), 2e3))
    assert np.degrees(domain.angle)[domain.is_wet] == pytest.approx(TURN)
    assert domain.coriolis("x") == 1e-4
    part = read.window(slice(2, 5), slice(1, None))
    assert np.array_equal(part.curvilinear.x, X[2:6, 1:])
    assert part.domain().extent == (3, NY - 1)


@pytest.mark.parametrize(
    ("grid_type", "given"), [(3, {**PLANE, **EARTH}), (4, EARTH), (None, EARTH)]
)
def test_corners_on_the_earth(tmp_path, grid_type, given):
    read = read_bathymetry(written(tmp_path, grid_type, **given))
    domain = read.domain()
    assert read.grid_type == (3 if "xx" in given else 4)
    assert domain.metric.dx == pytest.approx(np.full((NX, NY), 2e3), rel=2e-3)
    assert np.degrees(domain.angle)[domain.is_wet] == pytest.approx(TURN, abs=0.3)
    assert domain.coriolis() == pytest.approx(coriolis(domain.places[1]))
    assert domain.places[1] == pytest.approx(
        0.5 * (LATITUDE[1:, 1:] + LATITUDE[:-1, :-1]), abs=1e-4
    )
    assert read.on_f_plane().has_latitudes == ("xx" not in given)
    if "xx" in given:
        in_plane = read.on_f_plane().domain(f=1e-4)
        assert in_plane.coriolis("y") == 1e-4
        assert in_plane.angle == pytest.approx(domain.angle)


def test_the_angle_of_files_is_clockwise(tmp_path):
    given = {**PLANE, **EARTH, **corners(convx=np.full(X.shape, -TURN))}
    read = read_bathymetry(written(tmp_path, **given))
    assert read.rotation == pytest.approx(np.full((NX, NY), TURN))
    assert not read.remarks
    given |= corners(convx=np.full(X.shape, TURN))
    other = read_bathymetry(written(tmp_path, **given))
    assert "'convx' gives the direction of east, up to 60" in other.remarks[0]


def test_even_cells_may_be_turned(tmp_path):
    depth = np.full((NX, NY), 10.0)
    convergence = (("y", "x"), np.full((NY, NX), -12.0))
    files.bathymetry(tmp_path / "topo.nc", depth, 1e3, convc=convergence)
    domain = read_bathymetry(tmp_path / "topo.nc").domain()
    assert np.degrees(domain.angle) == pytest.approx(np.full((NX, NY), 12.0))


@pytest.mark.parametrize(
    ("grid_type", "given", "message"),
    [
        (
            3,
            {},
            "'grid_type' 3, curvilinear, but no variable 'xx'; expected 'xx' and 'yx', the cor",
        ),
        (3, EARTH, "but no variable 'xx'"),
        (4, PLANE, "but no variable 'lonx'; expected 'lonx' and 'latx'"),
        (5, PLANE, r"has 'grid_type' 5; expected 1 \(Cartesian\), 2"),
        (3, corners(xx=X[1:], yx=Y[1:]), r"has 'xx' with the shape \(6, 7\); expected \(6, 8\)"),
        (
            3,
            corners(xx=X / 1e3, yx=Y / 1e3),
            "has cells that are 2 wide by 'xx', which has no unit",
        ),
        (
            3,
            {"xx": (*PLANE["xx"], {"units": "km"}), "yx": PLANE["yx"]},
            "has 'xx' in 'km'; expected m",
        ),
        (3, {**PLANE, "convx": (("y", "x"), np.zeros((NY, NX)))}, "has 'convx' with the shape"),
    ],
)
def test_files_that_lack_corners(tmp_path, grid_type, given, message):
    with pytest.raises(CaseError, match=message):
        read_bathymetry(written(tmp_path, grid_type, **given)).domain()


def test_missing_corners_are_refused(tmp_path):
    x = X.copy()
    x[3, 3] = 1e35
    with pytest.raises(CaseError, match=r"'x' has no number at corners of cell \(2, 2\)"):
        read_bathymetry(written(tmp_path, **corners(xx=x, yx=Y))).domain()


def test_weather_is_interpolated_to_the_cells(tmp_path):
    domain = read_bathymetry(written(tmp_path, **PLANE, **EARTH)).domain()
    lon, lat = np.arange(6.5, 8.0, 0.25), np.arange(53.5, 55.0, 0.25)
    wind = lat[:, None] + 2.0 * (lon[None] - 7.0)
    values = {"u10": np.stack([wind, wind]), "v10": np.stack([wind, wind])}
    files.weather(tmp_path / "weather.nc", [0, 24], **values)
    files.changed(tmp_path / "weather.nc", lambda data: data.assign_coords(lon=lon, lat=lat))
    period = Period(read_date(files.START, "start"), 3600.0)
    found = WeatherFiles([tmp_path / "weather.nc"], domain, period, is_on_grid=False)
    _, u = found.values(found.open(), "u10", "m/s")
    longitude, latitude = domain.places
    assert u[0] == pytest.approx(latitude + 2.0 * (longitude - 7.0))


def test_folders_of_getm_may_have_corners(tmp_path):
    folder = box(tmp_path)
    along = WIDTH * np.arange(N + 1.0)
    x, y = np.meshgrid(along, along, indexing="ij")

    def curved(data):
        data = data.drop_vars(["x", "y"]).assign(**corners(xx=x, yx=y))
        return data.assign(grid_type=np.int32(3))

    even = folder.read().setup.domain
    files.changed(folder.path / "topo.nc", curved)
    domain = folder.read().setup.domain
    assert domain.curvilinear is not None
    assert (domain.f, domain.open) == (even.f, even.open)
    assert domain.metric.dx == pytest.approx(np.full((N, N), even.spacing[0]))
    part = folder.set("domain", il=3, ih=N, jl=2, jh=N, openbdy=False).read().setup.domain
    assert part.curvilinear.x[0, 0] == 2 * WIDTH
    assert (
        "f_plane = .false. with a curvilinear grid" in folder.set("domain", f_plane=False).refusal()
    )
