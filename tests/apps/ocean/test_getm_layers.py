"""Folders of GETM with layers: what is read of them, and what is refused with which words."""

from __future__ import annotations

from functools import partial

import input_files as files
import numpy as np
import pytest
import xarray as xr
from basins import Run
from command import halocline
from getm_folders import N, box, fields, layered, made_by_hand
from msgspec.structs import replace

from halocline.apps.ocean.physics.equation_of_state import jackett06, linear
from halocline.apps.ocean.setup.levels import BlendedSigma
from halocline.apps.ocean.setup.sigma import Sigma


@pytest.fixture
def folder(tmp_path):
    """Return a folder of the box."""
    return box(tmp_path)


def test_layers_with_tracers_give_the_bits_of_a_setup_made_by_hand(folder):
    reading = layered(folder).read()
    assert (reading.setup.micro_steps, reading.steps) == (10, 28)
    density = partial(linear, reference=1025.0, at=(9.0, 33.75), by_temperature=-0.2)
    made = replace(
        made_by_hand(),
        micro_steps=10,
        layers=Sigma(4, zoom_surface=1.0),
        surface_roughness=0.1,
        temperature=12.0,
        salinity=30.0,
        scheme="P2_PDM",
        splitting="strang",
        pressure_gradient="jacobian",
        density=density,
    )
    found = []
    for setup in (reading.setup, made):
        run = Run(setup)
        run.steps(3)
        found.append([f.gather() for f in (run.model.U, *run.model.layers.tracers)])
    for read, by_hand in zip(*found, strict=True):
        assert np.array_equal(read, by_hand)


def test_temperature_from_a_profile_and_salinity_from_a_window_of_a_field(folder):
    layered(folder).write("tprof.dat", "2\n0.0 20.0\n-60.0 8.0\n")
    levels, y, x = np.array([0.0, 100.0]), np.arange(N)[:, np.newaxis], np.arange(N)
    values = np.stack([np.zeros((2, N, N)), 30.0 + x + 0.1 * y + np.array([0, 5])[:, None, None]])
    data = xr.Dataset({"S": (("time", "zax", "lat", "lon"), values)}, {"zax": levels})
    files.saved(data, folder.path / "salt.nc")
    folder.set("temp", temp_method=2, temp_file="tprof.dat")
    folder.set("salt", salt_method=3, salt_file="salt.nc", salt_name="S", salt_field_no=2)
    setup = folder.set("domain", il=3, ih=N, jl=2, jh=N, openbdy=False).read().setup
    z = np.linspace(-50.0, -10.0, 4) + np.zeros((N - 2, N - 1, 1))
    assert setup.temperature(0.0, 0.0, z)[1, 2] == pytest.approx(20.0 + 0.2 * z[0, 0])
    assert setup.salinity(0.0, 0.0, z)[1, 2] == pytest.approx(33.3 - 0.05 * z[0, 0])
    folder.write("tprof.dat", "3\n0.0 20.0\n")
    assert "has 1 lines 'height value'; expected 3." in folder.refusal()


def test_temperature_alone_is_followed_as_in_boxes_and_lock_exchanges(folder):
    layered(folder).set("m3d", calc_salt=False).set("salt", salt_method=0, salt_adv_hor=8)
    folder.set("temp", temp_check=1, max_temp=20.0)
    setup = folder.read().setup
    assert (setup.temperature, setup.salinity, setup.scheme) == (12.0, None, "P2_PDM")
    assert setup.limits.temperature == (-2.0, 20.0)
    assert setup.density(12.0, 35.0) == pytest.approx(-0.2 * (12.0 - 9.0))
    folder.set("eqstate", eqstate_method=2)
    assert folder.read().setup.density(10.0, 35.0) == pytest.approx(999.7 - 1025.0, abs=0.01)


def test_a_density_that_stays_drives_water_that_does_not_carry_it(folder):
    layered(folder, kind=3).write("tprof.dat", "2\n0.0 20.0\n-60.0 8.0\n")
    folder.set("temp", temp_method=2, temp_file="tprof.dat").set("domain", openbdy=False)
    folder.set("m2d", elev_const=0.2, bdy2d=False).set("meteo", metforcing=True, met_method=1)
    setup = folder.read().setup
    assert setup.frozen
    assert setup.heat_flux is None
    depth = np.tile(np.linspace(20.0, 60.0, N)[:, np.newaxis], (1, N))
    sloping = replace(setup, domain=replace(setup.domain, depth=depth), stress=None)
    run = Run(sloping, target="numpy")
    first = run.model.layers.tracers[0].gather()
    assert np.abs(run.steps(2).U).max() > 0.0
    assert np.array_equal(run.model.layers.tracers[0].gather(), first)


def test_the_equation_of_jackett_et_al(folder):
    setup = layered(folder).set("eqstate", eqstate_method=3).read().setup
    assert setup.density(10.0, 35.0) == pytest.approx(jackett06(10.0, 35.0, 1025.0))


def test_salinity_alone_is_followed(folder):
    layered(folder).set("m3d", calc_temp=False).set("temp", temp_method=0, jerlov=0)
    folder.set("meteo", metforcing=True, met_method=1, swr_const=100.0, albedo_const=0.1)
    setup = folder.read().setup
    assert (setup.temperature, setup.salinity, setup.sunlight) == (None, 30.0, None)
    assert setup.density(35.0, 30.0) == pytest.approx(0.78 * (30.0 - 33.75))


def test_layers_without_tracers_take_no_notice_of_them(folder):
    setup = layered(folder, 2).set("temp", temp_method=3).read().setup
    assert setup.layers == Sigma(4, zoom_surface=1.0)
    assert setup.temperature is setup.density is None


@pytest.mark.parametrize(("at_surface", "kept"), [(True, "surface"), (False, "bed")])
def test_general_vertical_coordinates_are_blended_layers(folder, at_surface, kept):
    layered(folder).set("domain", vert_cord=3, ddu=1.5, ddl=1.5, d_gamma=20.0)
    setup = folder.set("domain", gamma_surf=at_surface).read().setup
    assert setup.layers == BlendedSigma(4, 1.5, 1.5, 20.0, kept)


def test_layers_run_from_the_command_line(folder, tmp_path):
    layered(folder).set("time", stop="2004-01-01 08:00:00").read()
    options = ["--getm", str(tmp_path), "--output", str(tmp_path / "output")]
    done = halocline("run", "ocean", *options, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert {"zeta", "temperature", "salinity"} <= set(fields(tmp_path / "output"))


@pytest.mark.parametrize(
    ("group", "values", "line"),
    [
        ("domain", {"vert_cord": 2}, "domain: vert_cord = 2; supported: 1 or 3"),
        ("m3d", {"ip_method": 4}, "m3d: ip_method = 4; supported: 1 or 6"),
        ("m3d", {"ip_ramp": 99}, "m3d: ip_ramp = 99; supported: 1 or less"),
        ("m3d", {"cnpar": 0.5}, "m3d: cnpar = 0.5; supported: >=1"),
        ("m3d", {"avhback": 1e-5}, "m3d: avhback = 1e-05; supported: the same as avmback"),
        ("m3d", {"vel3d_adv_ver": 0}, "vel3d_adv_ver = 0; supported: the same as vel3d_adv_hor"),
        ("m3d", {"vel3d_adv_hor": 0, "vel3d_adv_ver": 0}, "0 if vel2d_adv_hor is, and only then"),
        ("m3d", {"vel3d_adv_split": 3}, "m3d: vel3d_adv_split = 3; supported: 0 or 1 or 2"),
        ("temp", {"swr_bot_refl_frac": 0.2}, "temp: swr_bot_refl_frac = 0.2; supported: <=0"),
        ("salt", {"salt_adv_hor": 3}, "salt_adv_hor = 3; supported: the same as temp_adv_hor"),
    ],
)  # fmt: skip
def test_what_layers_cannot_follow_is_named(folder, group, values, line):
    assert f"{line}\n" in layered(folder).set(group, **values).refusal() + "\n"


@pytest.mark.parametrize("tracer", ["temp", "salt"])
def test_fields_of_an_earlier_run_come_from_our_restart(folder, tracer):
    refusal = layered(folder).set(tracer, **{f"{tracer}_method": 0}).refusal()
    line = f"{tracer}: {tracer}_method = 0; supported: 1 or 2 or 3; instead: 'halocline run --"
    assert f"{line}restart OUTPUT'" in refusal


@pytest.mark.parametrize(
    ("scheme", "split", "expected"),
    [
        (0, 1, ("none", "unsplit")),
        (1, 0, ("UPSTREAM", "unsplit")),
        (1, 2, ("UPSTREAM", "strang")),
        (3, 1, ("P2", "full")),
        (4, 2, ("SUPERBEE", "strang")),
        (5, 0, ("MUSCL", "unsplit")),
        (6, 1, ("P2_PDM", "full")),
    ],
)
def test_momentum_is_carried_by_the_scheme_and_splitting_of_both_modes(
    folder, scheme, split, expected
):
    numbers = {"adv_hor": scheme, "adv_split": split}
    folder.set("m2d", **{f"vel2d_{name}": number for name, number in numbers.items()})
    layered(folder).set("m3d", **{f"vel3d_{name}": number for name, number in numbers.items()})
    setup = folder.set("m3d", vel3d_adv_ver=scheme).read().setup
    assert (setup.advection, setup.advection_splitting) == expected


def test_momentum_of_layers_may_be_carried_by_another_scheme_than_the_mean(folder):
    folder.set("m2d", vel2d_adv_hor=1, vel2d_adv_split=2)
    layered(folder).set("m3d", vel3d_adv_hor=4, vel3d_adv_ver=4, vel3d_adv_split=1)
    setup = folder.read().setup
    assert (setup.advection, setup.advection_splitting) == ("UPSTREAM", "strang")
    assert (setup.layer_advection, setup.layer_advection_splitting) == ("SUPERBEE", "full")
