"""Files of oceans: fields by name, land, names of GETM, places on the earth; a public checker."""

from __future__ import annotations

import shutil
import subprocess
from datetime import datetime

import numpy as np
import pytest
import xarray
from basins import flat
from command import halocline
from input_files import START, bathymetry
from many_ranks import virtual
from msgspec.structs import replace

import halocline as hc
from halocline.apps.ocean.diagnostics.output import EXTRAS, output_fields
from halocline.apps.ocean.input.bathymetry_file import read_bathymetry
from halocline.apps.ocean.model import make_model
from halocline.apps.ocean.physics.drag import LinearDrag
from halocline.apps.ocean.setup.curvilinear import Curvilinear
from halocline.apps.ocean.setup.domain import Domain, coriolis
from halocline.apps.ocean.setup.levels import ZLevels
from halocline.apps.ocean.setup.setup import Setup
from halocline.apps.ocean.setup.sigma import Sigma
from halocline.apps.ocean.setup.tracers import Tracer
from halocline.errors import CaseError
from halocline.output import FieldSeries, Recorder

CHECKER = shutil.which("compliance-checker")
DEPTH = np.full((9, 7), 12.0)
DEPTH[3:5, 2:4] = np.nan
LONGITUDE = 7.0 + 0.02 * np.arange(9)[:, None] + 0.003 * np.arange(7)
LATITUDE = 54.0 - 0.002 * np.arange(9)[:, None] + 0.01 * np.arange(7)


def dense(temperature, salinity):
    """Return the density over that of reference [kg/m³]."""
    return 0.8 * (salinity - 30.0) - 0.2 * temperature


def sea(**more):
    """Return a small sea with an island, wind, layers and a tracer."""
    domain = more.pop("domain", Domain(DEPTH, (1e3, 1e3), f=1e-4, place=(LONGITUDE, LATITUDE)))
    given = {"layers": Sigma(4), "temperature": 10.0, "salinity": 34.0, "density": dense, **more}
    return Setup(domain, 20.0, 5, stress=(1e-4, 5e-5), zeta=0.2, **given)


SPHERE = Domain(DEPTH, (0.02, 0.01), (7.0, 54.0), is_spherical=True)

CURVED = Domain(
    DEPTH,
    curvilinear=Curvilinear(
        longitude=np.pad(LONGITUDE, [(0, 1)] * 2, mode="reflect", reflect_type="odd"),
        latitude=np.pad(LATITUDE, [(0, 1)] * 2, mode="reflect", reflect_type="odd"),
    ),
)


def write(path, setup, fields=None, names="halocline", steps=6, **more):
    """Run a sea, write fields every 3 steps, and return its model and simulation."""
    model = make_model(setup)
    shown = output_fields(model, fields, names=names)
    simulation = hc.Simulation(model.grid, model.steps, dt=setup.macro_step, threads=1)
    series = FieldSeries(
        path,
        3,
        simulation,
        model.grid,
        shown.quantities,
        axes=shown.axes,
        constants=shown.constants,
        about={"title": "a small sea"},
        start=datetime.fromisoformat(START),
        **more,
    )
    recorder = Recorder(simulation, [series], shown.refresh)
    recorder.run(steps)
    recorder.close()
    return model, simulation


ALL = ("zeta", "u", "v", "temperature", "salinity", "layer_eastward", "layer_northward", *EXTRAS)


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    """A file with every field, and the run."""
    path = tmp_path_factory.mktemp("all") / "all.nc"
    return path, write(path, sea(), ALL)[0]


def test_land_is_missing_in_every_field_and_water_in_none(everything):
    path, _ = everything
    is_land = np.isnan(DEPTH)
    with xarray.open_dataset(path) as found:
        for name in ALL:
            last = found[name].isel(time=-1).transpose("x", "y", ..., missing_dims="ignore")
            if "x" not in last.dims or "y" not in last.dims:  # of faces
                dim = next(d for d in last.dims if d in ("x_face", "y_face"))
                last = last.transpose(*("x_face", "y") if dim == "x_face" else ("x", "y_face"), ...)
                near = np.pad(~is_land, [(1, 1), (0, 0)] if dim == "x_face" else [(0, 0), (1, 1)])
                axis = 0 if dim == "x_face" else 1
                low, high = np.delete(near, -1, axis), np.delete(near, 0, axis)
                expected = ~(low | high)
            else:
                expected = is_land
            missing = np.isnan(last.values.reshape(*expected.shape, -1))
            assert (missing == expected[..., None]).all(), name


def test_fields_are_those_of_the_model(everything):
    path, model = everything
    layers, is_wet = model.layers, np.isfinite(DEPTH)
    depth = layers.after.gather()
    with xarray.open_dataset(path) as found:
        last = {name: found[name].isel(time=-1).values.T for name in ALL}
        thickness, faces = last["layer_thickness"], last["interface_height"]
        assert np.allclose(thickness[is_wet], depth[is_wet][:, None] / 4.0, rtol=1e-14)
        assert np.allclose(faces[is_wet][:, 0], -12.0, rtol=1e-14)
        assert np.allclose(np.diff(faces)[is_wet], thickness[is_wet], rtol=1e-12)
        middles = 0.5 * (faces[..., 1:] + faces[..., :-1])
        assert np.allclose(last["layer_height"][is_wet], middles[is_wet], rtol=1e-12)
        for name in ("viscosity", "diffusivity"):
            mixing = getattr(layers.turbulence, name).gather()
            assert np.array_equal(last[name][is_wet], mixing[is_wet])
            assert mixing[is_wet].max() > 0.0
        # Cells have the means of the velocities at their faces.
        for face, cell, axis in (("u_face", "u", 0), ("v_face", "v", 1)):
            at_faces = np.moveaxis(last[face], axis, 0)
            mean = np.moveaxis(0.5 * (at_faces[1:] + at_faces[:-1]), 0, axis)
            assert np.allclose(mean[is_wet], last[cell][is_wet], rtol=1e-12, atol=1e-15)
        of_layers = last["layer_u_face"] * np.ones(4)
        mean = 0.5 * (of_layers[1:] + of_layers[:-1])
        assert np.allclose(mean[is_wet], last["layer_eastward"][is_wet], rtol=1e-12, atol=1e-15)
        bed = layers.columns["x"].stress_of_bed.gather()
        expected = 1025.0 * 0.5 * (bed[1:] + bed[:-1])
        assert np.allclose(last["bed_stress_x"][is_wet], expected[is_wet], rtol=1e-12)
        assert np.abs(expected[is_wet]).max() > 1e-5
        assert np.allclose(last["surface_stress_x"][is_wet], 0.1025, rtol=1e-12)
        assert np.allclose(last["density"][is_wet], 1025.0 + 3.2 - 2.0, rtol=1e-9)


@pytest.mark.parametrize(
    "layers", [Sigma(4), pytest.param(ZLevels((2.0, 5.0), thinnest=0.5), marks=pytest.mark.slow)]
)
def test_the_upward_velocity_is_that_of_the_conservative_form(tmp_path, layers):
    """In a layer it is [d(h z)/dt + div(p z) + what passes through faces times z] / h."""
    bed = DEPTH + 0.5 * np.arange(9)[:, np.newaxis] - 0.3 * np.arange(7)
    setup = sea(layers=layers, domain=Domain(bed, (1e3, 800.0)))
    model, _ = write(tmp_path / "w.nc", setup, ["layer_upward"])
    state, is_wet = model.layers, np.isfinite(bed)
    before, after = (field.gather()[..., None] for field in (state.before, state.after))
    share, below = state.fractions, state.below_middles
    H = np.where(is_wet, bed, 0.0)[..., None]
    old, new = before * below - H, after * below - H
    at_faces = after * state.below_faces - H
    p, q = (np.nan_to_num(state.columns[axis].transport.gather()) for axis in "xy")
    pz, qz = np.zeros_like(p), np.zeros_like(q)
    pz[1:-1] = p[1:-1] * 0.5 * (new[1:] + new[:-1])
    qz[:, 1:-1] = q[:, 1:-1] * 0.5 * (new[:, 1:] + new[:, :-1])
    passing = np.zeros_like(at_faces)
    passing[..., :4] = state.w.gather()[..., :4]
    passing[..., -1] = 0.0  # through the surface
    change = share * (after * new - before * old) / setup.macro_step
    flow = np.diff(pz, axis=0) / 1e3 + np.diff(qz, axis=1) / 800.0
    expected = (change + flow + np.diff(passing * at_faces)) / (after * share)
    with xarray.open_dataset(tmp_path / "w.nc") as found:
        w = found["layer_upward"].isel(time=-1).values.T
        assert found["layer_upward"].attrs["standard_name"] == "upward_sea_water_velocity"
    largest = np.abs(expected[is_wet]).max()
    assert largest > 1e-5
    assert np.abs(w - expected)[is_wet].max() < 1e-3 * largest


def test_stress_on_the_bed_follows_from_the_drag_without_layers(tmp_path):
    fields = ["u_face", "v_face", "bed_stress_x", "bed_stress_y"]
    given = dict.fromkeys(("layers", "temperature", "salinity", "density"))
    given["drag"] = LinearDrag(2e-3)
    write(tmp_path / "bed.nc", sea(domain=flat(9, 7, 1e3, 12.0), **given), fields)
    with xarray.open_dataset(tmp_path / "bed.nc") as found:
        for letter, name, dim in (("x", "u_face", "x_face"), ("y", "v_face", "y_face")):
            velocity = found[name].isel(time=-1).transpose(dim, ...).values
            mean = 0.5 * (velocity[1:] + velocity[:-1])  # in cells
            stress = found[f"bed_stress_{letter}"].isel(time=-1).transpose(letter, ...).values
            assert np.allclose(stress, 1025.0 * 2e-3 * mean, rtol=1e-12, atol=1e-15)
            assert np.abs(stress).max() > 1e-5


def test_xarray_draws_fields_over_longitude_and_latitude(everything):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    with xarray.open_dataset(everything[0]) as found:
        assert np.array_equal(found["lon"].values.T, LONGITUDE)
        surface = found["temperature"].isel(time=-1, z=-1)
        assert {"lon", "lat"} <= set(surface.coords)
        assert {"lon", "lat"} <= set(found["depth"].coords)
        drawn = surface.plot(x="lon", y="lat")
        assert np.array_equal(drawn.get_array().mask, np.isnan(DEPTH).T)
        pyplot.close("all")


def test_names_of_getm(tmp_path):
    fields = [*ALL, "dye"]
    dye = Tracer("dye", 1.0, "kg m-3", "a dye")
    write(tmp_path / "g.nc", sea(tracers=(dye,)), fields, names="getm")
    with xarray.open_dataset(tmp_path / "g.nc") as found:
        for name in ("temp", "salt", "uu", "vv", "w", "h", "dye"):
            assert found[name].dims == ("time", "level", "yc", "xc"), name
        for name in ("elev", "u", "v", "taubx", "tauby"):
            assert found[name].dims == ("time", "yc", "xc"), name
        assert found["num"].dims == found["nuh"].dims == ("time", "level_face", "yc", "xc")
        assert found["bathymetry"].dims == found["lonc"].dims == ("yc", "xc")
        assert found["level"].attrs["formula_terms"] == "sigma: level eta: elev depth: bathymetry"
        assert (found["dye"].attrs["units"], found["dye"].attrs["long_name"]) == (
            "kg m-3",
            "a dye",
        )
    write(tmp_path / "s.nc", sea(domain=SPHERE), ["zeta"], names="getm")
    with xarray.open_dataset(tmp_path / "s.nc") as found:
        assert found["elev"].dims == ("time", "latc", "lonc")


def test_fields_of_a_sphere_name_its_shape(tmp_path):
    write(tmp_path / "s.nc", sea(domain=SPHERE), ["zeta", "surface_stress_x"])
    with xarray.open_dataset(tmp_path / "s.nc", decode_coords="all") as found:
        assert found["zeta"].encoding["grid_mapping"] == "crs"
        assert found["crs"].attrs["grid_mapping_name"] == "latitude_longitude"
        assert found["crs"].attrs["earth_radius"] == 6_371_000.0
        name = found["surface_stress_x"].attrs["standard_name"]
        assert name == "surface_downward_eastward_stress"
        f = 2.0 * 7.2921e-5 * np.sin(np.radians(54.0 + 0.01 * 0.5))
        assert float(found["coriolis"][0, 0]) == pytest.approx(f, rel=1e-6)
        assert np.array_equal(found["mask"].values.T, np.isfinite(DEPTH))


def test_cells_of_a_sphere_have_sides(tmp_path):
    write(tmp_path / "s.nc", sea(domain=SPHERE), ["zeta"])
    write(tmp_path / "g.nc", sea(domain=SPHERE), ["zeta"], names="getm")
    write(tmp_path / "part.nc", sea(domain=SPHERE), ["zeta"], region={"x": (7.06, 7.16)})
    for name, axes in (("s.nc", "xy"), ("g.nc", ("lonc", "latc")), ("part.nc", "xy")):
        with xarray.open_dataset(tmp_path / name) as found:
            for axis, width, first in zip(axes, (0.02, 0.01), (7.0, 54.0), strict=True):
                sides = found[found[axis].attrs["bounds"]]
                assert sides.dims == (axis, "bounds")
                middles = found[axis].values
                assert np.allclose(sides, middles[:, None] + width * np.array([-0.5, 0.5]))
                assert name == "part.nc" or sides.values[0, 0] == pytest.approx(first)
    with xarray.open_dataset(tmp_path / "part.nc") as found:
        assert found.sizes["x"] == 5


def test_files_say_where_layers_lie_that_differ_from_column_to_column(tmp_path):
    """'layer_share', times the depth of the water, is the height of layers over the surface."""
    levels = ZLevels((2.0, 5.0), thinnest=0.5)
    fields = ["zeta", "layer_height", "temperature"]
    write(tmp_path / "z.nc", sea(layers=levels), fields)
    with xarray.open_dataset(tmp_path / "z.nc") as found:
        share, depth = found["layer_share"], found["depth"] + found["zeta"]
        assert share.dims == ("z", "y", "x")
        assert share.attrs["units"] == "1"
        over_surface = (found["layer_height"] - found["zeta"]) / depth
        assert np.nanmax(np.abs(over_surface - share)) < 1e-14
        assert np.array_equal(share.isel(z=0).isnull().values.T, np.isnan(DEPTH))
        # Faces at 2 m and 5 m of 12 m: middles of the layers from the bed up.
        at_rest = -np.array([8.5, 3.5, 1.0]) / 12.0
        assert share.isel(x=0, y=0).values == pytest.approx(at_rest, abs=1e-6)
        assert "standard_name" not in found["z"].attrs


def test_vectors_of_a_turned_grid_are_along_east_and_north(everything, tmp_path):
    plain = sea()
    # The same forces along the axes, whose x points north.
    domain = replace(plain.domain, rotation=90.0)
    write(tmp_path / "t.nc", replace(plain, domain=domain, stress=(-5e-5, 1e-4)), ALL)
    pairs = [("u", "v"), ("layer_eastward", "layer_northward")]
    pairs += [(f"{name}_stress_x", f"{name}_stress_y") for name in ("bed", "surface")]
    with (
        xarray.open_dataset(everything[0]) as along,
        xarray.open_dataset(tmp_path / "t.nc") as found,
    ):
        for x, y in pairs:
            size = float(abs(along[x]).max())
            assert np.nanmax(abs(found[x].values + along[y].values)) < 1e-12 * size
            assert np.nanmax(abs(found[y].values - along[x].values)) < 1e-12 * size
        assert (
            found["bed_stress_y"].attrs["long_name"] == "stress of the water on the bed along north"
        )
        assert found["u"].attrs["standard_name"] == "barotropic_eastward_sea_water_velocity"
        assert found["u_face"].attrs["standard_name"] == "barotropic_sea_water_x_velocity"
        assert float(found["rotation"][0, 0]) == 90.0


def test_files_of_a_curvilinear_grid_say_where_cells_are(tmp_path):
    grid = CURVED.curvilinear
    corners = grid.longitude, grid.latitude
    write(tmp_path / "c.nc", sea(domain=CURVED), ["zeta"])
    with xarray.open_dataset(tmp_path / "c.nc") as found:
        assert {"lon", "lat"} <= set(found["zeta"].coords)
        assert pytest.approx(grid.places[1], abs=1e-6) == found["lat"].values.T
        assert found["x"].values[:2] == pytest.approx([0.5, 1.5])
        for name, places in (("lon", corners[0]), ("lat", corners[1])):
            bounds = found[found[name].attrs["bounds"]]
            assert bounds.dims == ("y", "x", "corners")
            cell = [places[4, 2], places[5, 2], places[5, 3], places[4, 3]]
            assert bounds.values[2, 4] == pytest.approx(cell, abs=1e-6)
        assert found["x"].attrs["long_name"] == "number of cells along x"
        assert found["coriolis"].values.T[0, 0] == pytest.approx(coriolis(grid.places[1][0, 0]))
    x, y = (1e3 * part.astype(float) for part in np.mgrid[:10, :8])
    write(tmp_path / "p.nc", sea(domain=Domain(DEPTH, curvilinear=Curvilinear(x=x, y=y))), ["zeta"])
    with xarray.open_dataset(tmp_path / "p.nc") as found:
        assert found["plane_x"].attrs["standard_name"] == "projection_x_coordinate"
        assert "plane_x" in found["zeta"].coords
        assert found["plane_x_bounds"].values[2, 4].tolist() == [4e3, 5e3, 5e3, 4e3]


def write_all(path):
    """Write all fields of a sea on these ranks."""
    write(path, sea(), ALL)


def test_files_have_the_same_bytes_on_any_ranks(everything, tmp_path):
    virtual(3)(write_all, str(tmp_path / "all.nc"))
    assert (tmp_path / "all.nc").read_bytes() == everything[0].read_bytes()


def test_a_zarr_store_has_the_same_places(tmp_path):
    write(tmp_path / "all.zarr", sea(), ["zeta", "temperature"])
    with xarray.open_zarr(tmp_path / "all.zarr") as found:
        assert {"lon", "lat"} <= set(found["temperature"].coords)
        assert np.array_equal(found["lon"].values, LONGITUDE)


@pytest.mark.skipif(CHECKER is None, reason="needs compliance-checker, of PyPI")
@pytest.mark.parametrize(
    ("where", "names"),
    [
        ("plane", "halocline"),
        ("plane", "getm"),
        ("sphere", "halocline"),
        ("curvilinear", "halocline"),
    ],
)
def test_the_public_checker_finds_no_error(tmp_path, where, names):
    given = {"sphere": {"domain": SPHERE}, "curvilinear": {"domain": CURVED}}
    setup = sea(**given.get(where, {}))
    # Faces of a plane have no longitudes; of those of a sphere the checker expects one variable.
    fields = [name for name in ALL if "_face" not in name]
    write(tmp_path / "f.nc", setup, fields, names)
    done = subprocess.run(
        [CHECKER, "-t", "cf:1.11", "-c", "normal", tmp_path / "f.nc"],
        capture_output=True,
        text=True,
        check=False,
    )
    # Of axes in m, and those that count cells, it warns that they are no longitudes and latitudes.
    assert "potential issues" in done.stdout or done.returncode == 0
    assert "Errors" not in done.stdout, done.stdout
    assert where != "sphere" or done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("fields", "more", "message"),
    [
        (["viscocity"], {}, "'fields' has 'viscocity', which no ocean has. .* 'viscosity'"),
        (["zeta", "zeta"], {}, "'fields' has 'zeta' 2 times; expected each field once"),
        ("zeta", {}, r"'fields' was given 'zeta'; expected a list of names"),
        (["viscosity"], {"layers": None}, "'viscosity', which needs layers; this ocean has none"),
        (["density"], {}, "'density', which needs a density; this ocean has none"),
        (["surface_stress_x"], {"stress": None}, "'surface_stress_x', which needs wind; this"),
    ],
)
def test_fields_that_an_ocean_lacks_are_refused(fields, more, message):
    model = make_model(Setup(flat(4, 4, 1e3, 10.0), 20.0, **{"layers": Sigma(3), **more}))
    with pytest.raises(CaseError, match=message):
        output_fields(model, fields)


def test_other_names_are_refused():
    model = make_model(Setup(flat(4, 4, 1e3, 10.0), 20.0))
    with pytest.raises(CaseError, match="'names' was given 'roms'; expected one of: halocline, ge"):
        output_fields(model, names="roms")


@pytest.mark.parametrize(
    ("place", "message"),
    [
        (LONGITUDE, "'place' was given .*; expected two arrays, longitudes and latitudes"),
        ((LONGITUDE, LATITUDE.T), "'place: latitude' was given .* the shape"),
        (
            (LONGITUDE, LONGITUDE + 90.0),
            "'place: latitude' was given .*; expected degrees up to 90",
        ),
        ((7.0, 54.0), "'place: longitude' was given 7.0; expected degrees"),
    ],
)
def test_places_that_cells_cannot_have_are_refused(place, message):
    with pytest.raises(CaseError, match=message):
        Domain(DEPTH, (1e3, 1e3), place=place)


def test_the_command_line_chooses_fields_and_names(tmp_path):
    depth = np.full((9, 7), 12.0)
    bathymetry(
        tmp_path / "depth.nc",
        depth,
        1000.0,
        lonc=(("y", "x"), LONGITUDE.T),
        latc=(("y", "x"), LATITUDE.T),
    )
    read = read_bathymetry(tmp_path / "depth.nc")
    assert np.array_equal(read.place[1], LATITUDE)
    assert np.array_equal(read.window(slice(2, 5), slice(1, 3)).place[0], LONGITUDE[2:5, 1:3])
    arguments = ("ocean", "--bathymetry", "depth.nc", "--begin", START, "--hours", "0.5")
    wanted = ("--fields", "bed_stress_x", "--fields", "layer_thickness", "--variable-names", "getm")
    more = ("--layers", "3", "--write", "sea.nc every=3 variables=elev,taubx,h")
    done = halocline("run", *arguments, *wanted, *more, "--output", "out", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    with xarray.open_dataset(tmp_path / "out/sea.nc") as found:
        assert {"elev", "taubx", "h", "bathymetry", "lonc"} <= set(found.variables)
        assert "u" not in found
    done = halocline("run", *arguments, "--fields", "viscosity", folder=tmp_path)
    assert "'viscosity', which needs layers" in done.stderr
