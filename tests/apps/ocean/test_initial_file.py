"""Temperature and salinity at the beginning, from profiles and fields; oracles are formulas."""

from __future__ import annotations

import input_files as files
import numpy as np
import pytest
import xarray as xr
from basins import Run, flat

from halocline.apps.ocean.input.initial_file import FieldFile, read_profile
from halocline.apps.ocean.setup.domain import Domain
from halocline.apps.ocean.setup.setup import Setup
from halocline.apps.ocean.setup.sigma import Sigma
from halocline.errors import CaseError

NX, NY, WIDTH = 6, 4, 1e3
DEPTHS = np.array([0.0, 5.0, 10.0, 20.0, 40.0])


def sloping(**more):
    """Return a domain that becomes deeper eastwards, with an island."""
    depth = np.tile(10.0 + 5.0 * np.arange(NX)[:, np.newaxis], (1, NY))
    depth[2, 1] = np.nan
    return Domain(depth, (WIDTH, WIDTH), **more)


def middles(domain, sigma, zeta=0.0):
    """Return the heights of the middles of layers, one column after the other."""
    found = np.zeros((*domain.extent, sigma.count))
    for cell in np.ndindex(*domain.extent):
        depth = domain.depth[cell]
        faces = -depth + (depth + zeta) * np.append(0.0, np.cumsum(sigma.fractions))
        found[cell] = 0.5 * (faces[1:] + faces[:-1])
    return found


def begun(domain, sigma, temperature, **more):
    """Return the temperature with which a model begins."""
    run = Run(Setup(domain, 10.0, layers=sigma, temperature=temperature, **more))
    return run.model.layers.tracers[0].gather()


@pytest.mark.parametrize("sigma", [Sigma(7), Sigma(12, zoom_surface=1.5, zoom_bed=0.5)])
@pytest.mark.parametrize("order", [1, -1])
def test_a_profile_is_interpolated_to_layers(tmp_path, sigma, order):
    pairs = [(0.0, 20.0), (-10.0, 16.0), (-30.0, 10.0)][::order]
    text = "# a profile\n3\n" + "".join(f" {z} {value}\n" for z, value in pairs)
    (tmp_path / "prof.dat").write_text(text + "beyond the last line\n", "utf-8")
    domain = sloping()
    z = middles(domain, sigma, zeta=0.5)
    # Straight lines, and constant below 30 m and above the mean level.
    expected = np.where(z > -10.0, 20.0 + 0.4 * z, 19.0 + 0.3 * z)
    expected = np.clip(expected, 10.0, 20.0)
    found = begun(domain, sigma, read_profile(tmp_path / "prof.dat", "degC"), zeta=0.5)
    assert np.abs(found - expected)[domain.is_wet].max() < 1e-12


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3\n0 1\n-1 2\n", "has 2 lines 'height value'; expected 3."),
        ("", "has 0 lines 'height value'; expected 1."),
        ("2\n0 1\n-1 x\n", "This line has 1 numbers; expected 2: the height over the mean level"),
        ("0 1\n-2 2\n-1 2\n", "has heights that neither increase nor decrease all the way."),
        ("0 1\n5 2\n", "that lie above the mean level, up to 5 m; expected negative ones."),
    ],
)
def test_wrong_profiles_are_told(tmp_path, text, message):
    (tmp_path / "prof.dat").write_text(text, "utf-8")
    with pytest.raises(CaseError) as caught:
        read_profile(tmp_path / "prof.dat", "degC")
    assert message in str(caught.value)


def field(path, values, *, axis=None, positive=None, unit="degC", **more):
    """Write a field, given as (levels, NY, NX)."""
    attributes = {"units": "m", **({"positive": positive} if positive else {})}
    coordinates = {"zax": ("zax", DEPTHS if axis is None else axis, attributes), **more}
    data = xr.Dataset({"temp": (("zax", "y", "x"), values, {"units": unit})}, coordinates)
    files.saved(data, path)
    return path


def linear(x, y, z):
    """Return a temperature that interpolation reproduces."""
    return 10.0 + 0.5 * x - 0.25 * y + 0.1 * z


def cells(depths=DEPTHS):
    """Return that of the cells, by their numbers, (levels, NY, NX)."""
    x, y = np.arange(NX), np.arange(NY)[:, np.newaxis]
    return linear(x, y, -np.asarray(depths)[:, np.newaxis, np.newaxis])


@pytest.mark.parametrize(
    ("turn", "sign", "positive"),
    [(1, 1, "down"), (1, 1, None), (-1, 1, "down"), (1, -1, "up"), (-1, -1, None)],
)
def test_a_field_is_interpolated_whichever_way_its_axis_points(tmp_path, turn, sign, positive):
    domain, sigma = sloping(), Sigma(6, zoom_surface=1.0)
    values, axis = cells()[::turn], sign * DEPTHS[::turn]
    path = field(tmp_path / "field.nc", values, axis=axis, positive=positive)
    found = begun(domain, sigma, FieldFile(path, "temp", "degC", domain).read())
    x, y = np.arange(NX)[:, np.newaxis, np.newaxis], np.arange(NY)[:, np.newaxis]
    expected = linear(x, y, middles(domain, sigma))
    assert np.abs(found - expected)[domain.is_wet].max() < 1e-12


def test_below_the_lowest_value_of_a_column_that_one_goes_on(tmp_path):
    domain, sigma = sloping(), Sigma(10)
    values = cells()
    values[2:] = np.nan
    values[:, 1, 2] = -9999.0
    path = field(tmp_path / "field.nc", values)
    found = begun(domain, sigma, FieldFile(path, "temp", "degC", domain).read())
    x, y = np.arange(NX)[:, np.newaxis, np.newaxis], np.arange(NY)[:, np.newaxis]
    expected = linear(x, y, np.maximum(middles(domain, sigma), -5.0))
    assert np.abs(found - expected)[domain.is_wet].max() < 1e-12


def test_a_window_and_a_time_are_chosen(tmp_path):
    values = np.stack([cells(), 1.0 + cells(), 2.0 + cells()])
    data = xr.Dataset({"temp": (("time", "zax", "lat", "lon"), values)}, {"zax": DEPTHS})
    files.saved(data, tmp_path / "field.nc")
    domain = flat(3, 2, WIDTH, 20.0)
    window = (slice(2, 5), slice(1, 3))
    levels = FieldFile(tmp_path / "field.nc", "temp", "degC", domain, 2, window).read()
    assert np.array_equal(levels.values, values[2, ::-1, 1:3, 2:5].T)
    assert levels.heights.tolist() == [-40.0, -20.0, -10.0, -5.0, 0.0]
    with pytest.raises(CaseError, match="has 'temp' at 3 times; number 4 was asked for"):
        FieldFile(tmp_path / "field.nc", "temp", "degC", domain, 3, window).read()
    with pytest.raises(CaseError, match="has 'temp' in 6 x 4 cells; expected those of the bathy"):
        FieldFile(tmp_path / "field.nc", "temp", "degC", domain).read()


def test_a_field_without_heights_is_the_same_at_all(tmp_path):
    domain = sloping()
    files.saved(xr.Dataset({"temp": (("y", "x"), cells()[0])}), tmp_path / "field.nc")
    found = begun(domain, Sigma(4), FieldFile(tmp_path / "field.nc", "temp", "degC", domain).read())
    expected = linear(np.arange(NX)[:, np.newaxis], np.arange(NY), 0.0)[..., np.newaxis]
    assert np.array_equal(found[domain.is_wet], np.tile(expected, 4)[domain.is_wet])


def test_a_field_on_another_grid_is_interpolated_and_goes_on_to_the_coast(tmp_path):
    domain = Domain(sloping().depth, (0.2, 0.1), (3.0, 54.0), is_spherical=True)
    lon, lat = np.arange(2.5, 5.1, 0.5), np.arange(53.8, 54.9, 0.25)
    values = linear(lon, lat[:, np.newaxis], -DEPTHS[:, np.newaxis, np.newaxis])
    data = xr.Dataset({"temp": (("z", "lat", "lon"), values)}, {"lon": lon, "lat": lat})
    data = data.assign_coords(z=DEPTHS)
    data.lon.attrs["units"], data.lat.attrs["units"] = "degrees_east", "degrees_north"
    files.saved(data, tmp_path / "field.nc")
    sigma = Sigma(5)
    given = FieldFile(tmp_path / "field.nc", "temp", "degC", domain, window=None)
    found = begun(domain, sigma, given.read())
    x = (3.1 + 0.2 * np.arange(NX))[:, np.newaxis, np.newaxis]
    y = (54.05 + 0.1 * np.arange(NY))[:, np.newaxis]
    expected = linear(x, y, middles(domain, sigma))
    assert np.abs(found - expected)[domain.is_wet].max() < 1e-11
    # What is missing in the west is that of the nearest point east of it.
    values[:, :, lon < 3.4] = np.nan
    path = tmp_path / "less.nc"
    files.saved(data.assign(temp=data.temp.copy(data=values)), path)
    less = begun(domain, sigma, FieldFile(path, "temp", "degC", domain, window=None).read())
    expected = linear(np.maximum(x, 3.5), y, middles(domain, sigma))
    assert np.abs(less - expected)[domain.is_wet].max() < 1e-11


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.rename(temp="salt"), "has no variable 'temp'"),
        (lambda d: d.transpose("y", "x", "zax"), "expected (z, y, x), in this order."),
        (lambda d: d.isel(x=0), "has 'temp' with the axes (zax, y)"),
        (lambda d: d.drop_vars("zax"), "has no coordinates along the axis 'zax' of 'temp'"),
        (lambda d: d.assign_coords(zax=[0.0, 5.0, 4.0, 20.0, 40.0]), "has depths 'zax' that neith"),
        (lambda d: d.assign_coords(zax=("zax", DEPTHS, {"positive": "up"})),
         "has heights 'zax' that lie above the mean level, up to 40 m; expected negative ones"),
        (lambda d: d.assign(temp=d.temp.where(d.x != 3.0)),
         "lacks 4 values of 'temp' in water, the first at (3, 0), counted from 0."),
        (lambda d: d.assign(temp=d.temp.assign_attrs(units="K")),
         "has 'temp' in 'K'; expected degC."),
    ],
)  # fmt: skip
def test_wrong_fields_are_told(tmp_path, change, message):
    path = field(tmp_path / "field.nc", cells(), x=np.arange(float(NX)))
    files.changed(path, change)
    with pytest.raises(CaseError) as caught:
        FieldFile(path, "temp", "degC", sloping()).read()
    assert message in str(caught.value)


def test_values_on_land_stay_there(tmp_path):
    domain = sloping(f=1e-4)
    path = field(tmp_path / "field.nc", np.full((5, NY, NX), 12.5))
    temperature = FieldFile(path, "temp", "degC", domain).read()
    given = {"layers": Sigma(5), "temperature": temperature, "stress": (1e-4, 0.0)}
    run = Run(Setup(domain, 10.0, **given)).steps(30)
    assert np.abs(run.model.layers.tracers[0].gather() - 12.5)[domain.is_wet].max() < 1e-12
