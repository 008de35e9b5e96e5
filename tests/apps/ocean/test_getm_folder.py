"""Folders of GETM: what is read, what comes out, and what is refused with which words."""

from __future__ import annotations

import input_files as files
import numpy as np
import pytest
import xarray
from basins import Run, flat
from command import halocline
from getm_folders import DEPTH, DT, HOURS, WIDTH, N, box, fields, layered, made_by_hand

from halocline.apps.cases import make_case
from halocline.apps.ocean.input.getm.namelists import entries
from halocline.apps.ocean.input.getm.setup import read_getm_folder
from halocline.apps.ocean.physics.drag import LinearDrag, LogarithmicDrag
from halocline.apps.ocean.setup.setup import Setup
from halocline.errors import CaseError


@pytest.fixture
def folder(tmp_path):
    """Return a folder of the box."""
    return box(tmp_path)


def test_a_folder_gives_the_bits_of_a_setup_made_by_hand(folder):
    reading = folder.read()
    assert (reading.setup.micro_steps, reading.steps) == (8, 36)
    read, made = (Run(setup).steps(36) for setup in (reading.setup, made_by_hand()))
    assert np.array_equal(read.zeta, made.zeta)
    assert np.array_equal(read.U, made.U)
    assert 0.3 < np.abs(read.zeta).max() < 2.0


def test_a_folder_runs_from_the_command_line_with_the_same_bits_on_ranks(folder, tmp_path):
    folder.set("time", stop="2004-01-01 06:00:00").read()
    found = []
    for ranks in ([], ["--ranks", "2"]):
        output = tmp_path / f"output_{len(ranks)}"
        options = ["--getm", str(tmp_path), "--output", str(output), *ranks]
        done = halocline("run", "ocean", *options, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        found.append(fields(output)["zeta"].values)
        assert (output / "ocean.png").is_file()
    assert np.array_equal(*found)


def test_the_mark_of_the_byte_order_hides_no_namelist_and_no_number(folder):
    folder.set("param", runtype=1, title="marked")
    folder.write("bathymetry.adjust", "1\n5 5 5 6 12.5\n")
    folder.read()
    for name in ("getm.inp", "bdyinfo.dat", "bathymetry.adjust"):
        text = (folder.path / name).read_text("utf-8").removeprefix("! of a test\n")
        (folder.path / name).write_text(text, "utf-8-sig")
    found = read_getm_folder(folder.path)
    assert found.title == "marked"
    assert found.setup.domain.depth[4, 4] == 12.5


def test_comments_of_namelists_may_have_bytes_of_other_encodings(folder):
    folder.read()
    text = (folder.path / "getm.inp").read_text("utf-8")
    (folder.path / "getm.inp").write_bytes("! Größe\n".encode("latin-1") + text.encode())
    assert read_getm_folder(str(folder.path)).title == "the box"


def test_files_that_adjust_the_bathymetry_are_followed(folder):
    folder.write("mask.adjust", "# land\n1\n1 1 2 3\n")
    folder.write("bathymetry.adjust", "2\n5 5 5 6 12.5\n6,6,6,6,-10\n")
    folder.write("minimum_depth.dat", "1\n9 1 9 1 75.0\n")
    depth = folder.read().setup.domain.depth
    assert np.argwhere(np.isnan(depth)).tolist() == [
        [0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2], [5, 5],
    ]  # fmt: skip
    assert (depth[4, 4], depth[4, 5], depth[8, 0], depth[8, 1]) == (12.5, 12.5, 75.0, DEPTH)


def test_a_window_of_the_bathymetry_keeps_its_place(folder):
    domain = folder.set("domain", il=3, ih=N, jl=2, jh=N, openbdy=False).read().setup.domain
    assert domain.extent == (N - 2, N - 1)
    assert domain.origin == (2 * WIDTH, WIDTH)


def test_a_sphere(folder):
    def turned(data):
        lon, lat = ("lon", 4.0 + 0.2 * np.arange(N)), ("lat", 54.0 + 0.1 * np.arange(N))
        turned = data.rename(x="lon", y="lat").assign_coords(lon=lon, lat=lat)
        return turned.assign(grid_type=np.int32(2))

    files.changed(folder.path / "topo.nc", turned)
    folder.set("time", timestep=100.0)
    assert "f_plane = .true. with a spherical grid; supported: .false." in folder.refusal()
    domain = folder.set("domain", f_plane=False).read().setup.domain
    assert domain.is_spherical
    assert domain.spacing == pytest.approx((0.2, 0.1))
    assert domain.origin == pytest.approx((3.9, 53.95))


def test_land_and_cells_of_two_boundaries_are_left_out_with_their_elevations(folder):
    folder.write("bdyinfo.dat", f"1\n1 10 {N} 3 0\n1\n{N} 1 {N} 3 0\n0\n0\n")
    folder.write("mask.adjust", f"1\n5 {N} 6 {N}\n")
    values = np.arange(6 + N, dtype=float)
    files.boundary(folder.path / "bdy_2d.nc", [0, HOURS], np.stack([values, values]))
    folder.set("domain", il=1, ih=N, jl=1, jh=N)
    setup = folder.read().setup
    assert [str(part) for part in setup.domain.open] == [
        "the west boundary at 0, cells 9 to 14",
        "the north boundary at 14, cells 1 to 3",
        "the north boundary at 14, cells 6 to 14",
    ]
    assert setup.elevation.values[0].tolist() == [*range(6), 7, 8, 9, *range(12, 21)]


@pytest.mark.parametrize(
    ("number", "kind"), [(1, "zero-gradient"), (2, "radiating"), (3, "clamped"), (4, "flather")]
)
def test_types_of_boundaries(folder, number, kind):
    folder.write("bdyinfo.dat", f"0\n1\n{N} 1 {N} {number} 0\n0\n0\n")
    setup = folder.read().setup
    assert setup.open_kinds == (kind,)
    assert (setup.elevation is not None) == (number > 2)


def test_boundaries_of_several_types(folder):
    folder.write("bdyinfo.dat", f"1\n1 1 9 2 0\n2\n{N} 2 7 3 0\n{N} 8 {N} 4 0\n0\n0\n")
    values = np.concatenate([np.full(9, np.nan), np.arange(N - 1.0)])
    files.boundary(folder.path / "bdy_2d.nc", [0, HOURS], np.stack([values, values]))
    setup = folder.read().setup
    assert setup.open_kinds == ("radiating", "clamped", "flather")
    assert setup.elevation.values[0].tolist() == [0.0] * 9 + list(range(N - 1))
    values[9] = np.nan
    files.boundary(folder.path / "bdy_2d.nc", [0, HOURS], np.stack([values, values]))
    assert "lacks 2 values of 'elev' in water, the first at (9)" in folder.refusal()


@pytest.mark.parametrize(
    ("settings", "drag"),
    [
        ({"bottfric_method": 0}, LinearDrag(0.0)),
        ({"bottfric_method": 1, "rdrag": 0.002}, LinearDrag(0.002)),
        ({"bottfric_method": 2}, LogarithmicDrag(0.001, viscosity=None)),
        ({"bottfric_method": 2, "z0d_iters": 1}, LogarithmicDrag(0.001)),
        ({}, LogarithmicDrag(0.001)),
    ],
)
def test_drag(folder, settings, drag):
    assert folder.set("domain", **settings).read().setup.drag == drag


def test_old_names_are_known(folder):
    folder.set("m2d", bdy2d_ramp=None, bdyramp_2d=288, Am=20.0, vel_depth_method=1)
    setup = folder.read().setup
    assert (setup.ramp, setup.viscosity, setup.domain.face_depth) == (288 * DT, 20.0, "least")


def test_a_number_of_steps_instead_of_a_stop(folder):
    reading = folder.set("time", timefmt=3, nlast=101, stop=None).read()
    assert reading.period.duration == 100 * DT
    assert (reading.setup.micro_steps, reading.steps) == (10, 10)


def test_a_constant_wind(folder):
    folder.set("meteo", metforcing=True, met_method=1, tx=0.1025, ty=-0.205)
    assert folder.read().setup.stress == pytest.approx((1e-4, -2e-4))


def test_constant_rain_is_what_falls_less_what_evaporates(folder):
    folder.set("meteo", metforcing=True, fwf_method=1, precip_const=3e-8, evap_const=-4e-8)
    assert folder.read().setup.rain == pytest.approx(-1e-8)
    assert folder.set("meteo", fwf_method=0).read().setup.rain is None
    refusal = folder.set("meteo", fwf_method=4).refusal()
    assert "has fwf_method = 4, which computes evaporation from the weather and the" in refusal
    refusal = folder.set("meteo", fwf_method=2).refusal()
    assert "has fwf_method = 2, which reads files with the weather, and met_method = 1" in refusal


def test_rain_and_evaporation_from_files(folder):
    hours, still = np.array([0.0, 24.0]), np.zeros((2, N, N))
    rain = still + np.array([2e-8, 4e-8])[:, np.newaxis, np.newaxis]
    rain[:, :, 3] = 0.0
    given = {"u10": still, "v10": still, "precip": rain, "evap": still - 3e-8}
    files.weather(folder.path / "met.nc", hours, **given)
    folder.write("meteofiles.dat", "met.nc\n")
    folder.set("meteo", metforcing=True, met_method=2, calc_met=True, fwf_method=2)
    setup = folder.set("meteo", evap_factor=0.5, precip_factor=2.0).read().setup
    assert setup.rain.times.tolist() == [0.0, 86400.0]
    expected = [4e-8 - 1.5e-8, 8e-8 - 1.5e-8]
    assert setup.rain.values[:, 0, 0] == pytest.approx(expected)
    assert setup.rain.values[:, 3, 5] == pytest.approx([-1.5e-8, -1.5e-8])
    # Both count into the sea, whose surface they raise.
    run = Run(Setup(flat(N, N, WIDTH, DEPTH), 100.0, rain=setup.rain)).steps(10)
    volume = np.mean([setup.rain.at(1000.0 * n).sum() for n in range(10)]) * 1e4
    assert run.zeta.sum() == pytest.approx(volume, rel=1e-9)
    files.changed(folder.path / "met.nc", lambda data: data.drop_vars("evap"))
    assert "met.nc' has no variable 'evap'" in folder.refusal()


def test_wind_and_pressure_from_files_that_follow_one_another(folder):
    for name, hours in (("a.nc", [0, 6, 12, 18]), ("b.nc", [12, 18, 24])):
        wind = np.full((len(hours), N, N), 10.0) + np.asarray(hours)[:, np.newaxis, np.newaxis]
        files.weather(folder.path / name, hours, u10=wind, v10=0.0 * wind, slp=1e5 + wind)
    folder.write("meteofiles.dat", "a.nc\nb.nc\n")
    folder.set("meteo", metforcing=True, met_method=2, calc_met=True, metfmt=2)
    setup = folder.read().setup
    along, across = setup.stress
    assert along.times.tolist() == [3600.0 * hour for hour in (0, 6, 12, 18, 24)]
    # GETM's drag in runs without temperature.
    assert along.values[1, 3, 4] == pytest.approx(1.25 / 1025 * 1.25e-3 * 16.0**2)
    assert not across.values.any()
    assert setup.pressure.values[-1, 0, 0] == 1e5 + 34.0


def test_an_elevation_at_the_begin_from_a_file(folder):
    first = np.random.default_rng(1).random((N, N))
    files.bathymetry(folder.path / "elev.nc", first, WIDTH)
    files.changed(folder.path / "elev.nc", lambda data: data.rename(bathymetry="elev"))
    setup = folder.set("m2d", elev_method=2, elev_file="elev.nc").read().setup
    assert np.array_equal(setup.zeta, first)


def test_all_settings_that_cannot_be_followed_are_named_at_once(folder):
    folder.set("param", hotstart=True).set("rivers", river_method=1, river_format=1)
    folder.set("m2d", vel2d_adv_hor=8, vel2d_adv_split=1, MM=10, Am_method=2)
    folder.set("domain", f_plane=False, crit_depth=0.1)
    assert folder.refusal() == (
        f"The file '{folder.path / 'getm.inp'}' has settings that we cannot follow; change "
        "them there, or see docs/guide/from_getm.md:\n"
        "  param: hotstart = .true.; supported: .false.; instead: 'halocline run --restart "
        "OUTPUT'\n"
        "  rivers: river_format = 1; supported: 2\n"
        "  m2d: mm = 10; supported: 1\n"
        "  m2d: vel2d_adv_hor = 8; supported: 0 or 1 or 3 or 4 or 5 or 6\n"
        "  m2d: am_method = 2; supported: 0 or 3\n"
        "  domain: f_plane = .false. with a Cartesian grid; supported: .true.\n"
        "  domain: crit_depth = 0.1; supported: 2.5 times min_depth or more"
    )


def test_settings_of_layers_weather_ice_and_waves_are_named_with_these(folder):
    layered(folder).set("domain", vert_cord=6).set("ice", have_glacial_ice=True)
    folder.set("param", hotstart=True).set("waves", waveforcing_method=1).set("m2d", Am_method=2)
    folder.set("meteo", metforcing=True, met_method=2, calc_met=True, albedo_method=2)
    folder.set("temp", temp_method=0).set("m3d", cord_relax=60.0).set("meteo", fwf_method=3)
    folder.write("meteofiles.dat", "none.nc\n")
    _, settings, files = folder.refusal().split("\n- ")
    assert files.startswith("There is no weather file")
    restart = "instead: 'halocline run --restart OUTPUT'"
    assert settings.split(":\n")[1].splitlines() == [
        f"  param: hotstart = .true.; supported: .false.; {restart}",
        "  ice: have_glacial_ice = .true.; supported: .false.",
        "  waves: waveforcing_method = 1; supported: 0",
        "  m2d: am_method = 2; supported: 0 or 3",
        "  m3d: cord_relax = 60.0; supported: <=0",
        f"  temp: temp_method = 0; supported: 1 or 2 or 3; {restart}",
        "  domain: vert_cord = 6; supported: 1 or 3",
        "  meteo: albedo_method = 2; supported: 0 or 1",
    ]


def test_the_diffusion_of_transports_is_read(folder):
    assert folder.set("m2d", An_const=7.0).read().setup.transport_diffusivity == 0.0
    assert folder.set("m2d", An_method=1).read().setup.transport_diffusivity == 7.0
    smoothing = 10.0 * np.random.default_rng(2).random((N, N))
    files.bathymetry(folder.path / "an.nc", smoothing, WIDTH)

    def renamed(data):
        found = data.rename(bathymetry="An")
        found["An"].attrs["units"] = "m2/s"
        return found

    files.changed(folder.path / "an.nc", renamed)
    setup = folder.set("m2d", An_method=2, An_file="an.nc").read().setup
    assert np.array_equal(setup.transport_diffusivity, smoothing)


def test_what_a_run_without_layers_does_not_read_is_not_refused(folder):
    folder.set("m3d", M=10, calc_temp=True, ip_method=5, vel3d_adv_hor=6)
    folder.set("temp", temp_method=3, temp_adv_hor=6).set("salt", salt_const=30)
    folder.set("meteo", metforcing=False, met_method=3, fwf_method=2)
    folder.set("eqstate", eqstate_method=3).set("io_spec", step_2d=60, meanout=0)
    folder.read()


def test_a_namelist_that_stands_there_twice(folder):
    folder.read()
    with (folder.path / "getm.inp").open("a") as file:
        file.write("&param\n runtype = 1\n/\n")
    with pytest.raises(CaseError, match="has the namelist 'param' more than once"):
        read_getm_folder(folder.path)


@pytest.mark.parametrize(
    ("group", "values", "message"),
    [
        ("m2d", {"elev_constt": 1.0}, "it is unknown. Did you mean 'elev_const'?"),
        ("m2dd", {"mm": 1}, "has a namelist 'm2dd'; it is unknown. Did you mean 'm2d'?"),
        ("domain", {"openbdy": 3}, "'openbdy' in the namelist 'domain' is 3; expected .true."),
        ("time", {"timestep": -1.0}, "is -1.0; expected a number, >0 [s]"),
        ("param", {"runtype": 5}, "is 5; expected a whole number, 1 or 2 or 3 or 4"),
        ("time", {"start": "soon"}, "'start' is 'soon'; expected a date and time"),
        ("time", {"stop": "2003-01-01 00:00:00"}, "has no time steps"),
        ("time", {"timestep": 1200.0}, "The micro step of 1200 s is too long"),
        ("domain", {"bathymetry": "none.nc"}, "There is no bathymetry file"),
        ("domain", {"bdyinfofile": "none.dat"}, "There is no boundary description file"),
        ("domain", {"ih": 99, "il": 1}, "il = 1 and ih = 99; expected numbers from 1 to 15"),
        ("m2d", {"bdyfile_2d": "none.nc"}, "There is no boundary file"),
    ],
)
def test_mistakes_in_namelists(folder, group, values, message):
    assert message in folder.set(group, **values).refusal()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0\n1\n15 1 15 3 0\n0\n", "ends where the number of south boundaries is expected"),
        ("0\n1\n16 1 15 3 0\n0\n0\n", "bdyinfo.dat:3: This line has a north boundary at 16"),
        ("0\n1\n15 1 15 7 0\n0\n0\n", "the 2-D type 7; expected 1 (zero gradient)"),
        ("0\n1\n15 1 15 3\n0\n0\n", "expected it to begin with 5 whole numbers"),
        ("0\n1\n15 1 9 3 0\n0\n0\n", "has 'elev' at 15 points; expected 9"),
    ],
)
def test_mistakes_in_boundary_descriptions(folder, text, message):
    assert message in folder.write("bdyinfo.dat", text).refusal()


def test_a_boundary_on_land(folder):
    folder.write("mask.adjust", f"1\n1 {N} {N} {N}\n")
    assert "bdyinfo.dat:5: This line has a north boundary of land only" in folder.refusal()


def test_a_current_beyond_flather_boundaries(folder):
    folder.write("bdyinfo.dat", f"1\n1 1 9 4 0\n2\n{N} 2 7 3 0\n{N} 8 {N} 4 0\n0\n0\n")
    values = np.arange(N + 8.0)
    files.boundary(folder.path / "bdy_2d.nc", [0, HOURS], np.stack([values, values]))
    assert folder.read().setup.current is None

    def named(*names):
        units = {"units": "m/s"}
        new = dict.fromkeys(names, (("time", "nbdyp"), 0.01 * data.elev.values, units))
        return lambda _: data.assign(new)

    with xarray.open_dataset(folder.path / "bdy_2d.nc") as opened:
        data = opened.load()
    files.changed(folder.path / "bdy_2d.nc", named("u", "v"))
    # Of the clamped part it is not needed.
    expected = np.where((values >= 9) & (values < 15), 0.0, 0.01 * values)
    assert folder.read().setup.current.values[1] == pytest.approx(expected)
    files.changed(folder.path / "bdy_2d.nc", named("u"))
    assert "bdy_2d.nc' has no variable 'v'" in folder.refusal()


def test_curvilinear_grids_without_corners(folder):
    files.changed(folder.path / "topo.nc", lambda data: data.assign(grid_type=np.int32(3)))
    assert "'grid_type' 3, curvilinear, but no variable 'xx'; expected" in folder.refusal()


def test_a_folder_without_namelists(tmp_path):
    with pytest.raises(CaseError, match="expected a folder with GETM's namelists"):
        read_getm_folder(tmp_path)
    (tmp_path / "getm.inp").write_text("&param\n runtype = 1\n", "utf-8")
    with pytest.raises(CaseError, match="is no file of Fortran namelists"):
        read_getm_folder(tmp_path)


def test_options_beside_a_folder(folder):
    folder.read()
    with pytest.raises(CaseError, match="'hours' was given beside 'getm'"):
        make_case("ocean", {"getm": str(folder.path), "hours": 3.0})
    with pytest.raises(CaseError, match="either 'getm', a folder of GETM, or 'bathymetry'"):
        make_case("ocean", {})


@pytest.mark.parametrize("table", ["namelists.csv", "turbulence.csv"])
def test_every_known_setting_has_a_default_that_it_can_have(table):
    for group in entries(table).values():
        for entry in group.values():
            if entry.default is not None:
                assert entry.check(entry.default) == entry.default
