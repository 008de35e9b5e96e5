"""Folders as users have them: all problems at once, names of other branches, odd spellings."""

from __future__ import annotations

import input_files as files
import pytest
from getm_folders import box, layered
from public_folders import FJORD, NORTH_SEA, TURBULENCE

from halocline.apps.ocean.input.getm.namelists import entries
from halocline.apps.ocean.input.getm.setup import read_getm_folder
from halocline.apps.ocean.physics.stability import CANUTO_A, CHENG
from halocline.apps.ocean.physics.turbulence import KEpsilon
from halocline.errors import CaseError


@pytest.fixture
def folder(tmp_path):
    """Return a folder of the box."""
    return box(tmp_path)


@pytest.mark.parametrize(
    ("settings", "closure", "unsupported"),
    [
        (
            FJORD,
            7,
            "ice: have_glacial_ice, m2d: am_method, domain: vert_cord",
        ),
        (
            NORTH_SEA,
            5,
            "waves: waveforcing_method, waves: waves_method",
        ),
    ],
)
def test_public_folders_are_read_but_for_settings_that_we_do_not_have(
    tmp_path, settings, closure, unsupported
):
    files.namelists(tmp_path / "getm.inp", **settings)
    scnd = {**TURBULENCE["scnd"], "scnd_coeff": closure}
    files.namelists(tmp_path / "gotmturb.nml", **{**TURBULENCE, "scnd": scnd})
    with pytest.raises(CaseError) as told:
        read_getm_folder(tmp_path)
    _, bathymetry, lines = str(told.value).split("\n- ")
    assert bathymetry.startswith("There is no bathymetry file")
    found = [line.split(" = ")[0].strip() for line in lines.splitlines()[1:]]
    assert found == unsupported.split(", ")


def test_problems_of_all_files_are_named_at_once(folder):
    layered(folder).set("m2d", elev_constt=1.0, Am_method=2).set("m2dd", mm=1)
    folder.set("rivers", river_method=1, river_info="rivers.txt")
    folder.set("temp", temp_method=2, temp_file="tprof.dat").set("param", runtype="4")
    folder.write("bdyinfo.dat", "0\n1\n15 1 15 7 0\n0\n0\n")
    files.namelists(folder.path / "gotmturb.nml", turb_param={"galb": 0.5})
    first, *problems = folder.refusal().split("\n- ")
    assert first == f"The folder '{folder.path}' has {len(problems)} problems:"
    expected = [
        "'runtype' in the namelist 'param' is '4'; expected a whole number",
        "has 'elev_constt' in the namelist 'm2d'; it is unknown. Did you mean 'elev_const'?",
        "has a namelist 'm2dd'; it is unknown.",
        "gotmturb.nml' has 'galb' in the namelist 'turb_param'",
        "m2d: am_method = 2; supported: 0",
        "bdyinfo.dat:3: This line has the 2-D type 7",
        "rivers.txt' could not be read as text",
        "tprof.dat' could not be read as text",
    ]
    for problem, words in zip(problems, expected, strict=True):
        assert words in problem


def test_every_value_that_we_do_not_have_is_refused_by_name(folder):
    layered(folder).set("meteo", metforcing=True).set("rivers", river_method=1)
    folder.set("m3d", bdy3d=True).set("waves", waveforcing_method=1).set("m2d", vel2d_adv_hor=3)
    folder.set("m3d", vel3d_adv_hor=3, vel3d_adv_ver=3, turb_adv_hor=3, turb_adv_ver=3)
    for group in entries("namelists.csv").values():
        for entry in group.values():
            for text in entry.values.text.split() if entry.kind == "int" else ():
                if text.isdecimal() and int(text) not in entry.supported and not entry.now:
                    before = folder.settings.get(entry.group, {})
                    folder.set(entry.group, **{entry.name: int(text)})
                    assert f"{entry.name} = {text}; supported" in folder.refusal()
                    folder.settings[entry.group] = before


def test_settings_on_which_nothing_depends_are_taken_and_named(folder):
    folder.set("io_spec", save_bio=True, mask_depth=-1.0, zbins=90).set("param", parallel=True)
    folder.set("parameters", g=9.81, rho_0=1025).set("ice", have_glacial_ice=False)
    assert folder.read().remarks == (
        "'getm.inp' has settings on which nothing here depends: param (runid, parallel), m2d "
        "(residual), io_spec (out_fmt, hotout, save_bio, mask_depth, zbins).",
    )
    assert "parameters: g = 9.8; supported: 9.81" in folder.set("parameters", g=9.8).refusal()


def test_a_folder_that_does_not_check_its_time_step_takes_a_longer_one(folder):
    folder.set("time", timestep=1200.0)
    assert "The micro step of 1200 s is too long" in folder.refusal()
    assert not folder.set("domain", check_cfl=False).read().setup.check_cfl


def test_the_roughness_of_the_surface_is_followed(folder):
    assert layered(folder).read().setup.surface_roughness == 0.1
    assert folder.set("domain", z0s_const=0.02).read().setup.surface_roughness == 0.02


def test_editscenario_leaves_out_numbers_of_arrays(folder):
    folder.read()
    text = (folder.path / "getm.inp").read_text("utf-8")
    for spelling in ("hotout(:) = 0,,,", "hotout(1) = 3,", "hotout = 43200,,43200"):
        (folder.path / "getm.inp").write_text(
            text.replace("hotout = -1, -1, -1", spelling), "utf-8"
        )
        assert read_getm_folder(folder.path).title == "the box"


def test_files_may_be_in_latin_1_and_have_spaces_that_do_not_break(folder):
    folder.read()
    for name in ("getm.inp", "bdyinfo.dat"):
        text = (folder.path / name).read_text("utf-8")
        content = ("! Größe\xa0der\xa0Box\n" + text).encode("latin-1")
        (folder.path / name).write_bytes(content.replace(b" = ", b"\xa0= "))
    assert read_getm_folder(folder.path).title == "the box"
    (folder.path / "bdyinfo.dat").write_bytes(b"CDF\x01\x00\x00")
    with pytest.raises(CaseError, match="could not be read as text: it has bytes of 0"):
        read_getm_folder(folder.path)


@pytest.mark.parametrize(("number", "closure"), [(5, CANUTO_A), (7, CHENG)])
def test_the_turbulence_of_public_folders_is_followed(folder, number, closure):
    scnd = {**TURBULENCE["scnd"], "scnd_coeff": number}
    files.namelists(folder.path / "gotmturb.nml", **{**TURBULENCE, "scnd": scnd})
    found = layered(folder).read().setup.k_epsilon
    assert found == KEpsilon(closure, schmidt=1.3, galperin=None)
