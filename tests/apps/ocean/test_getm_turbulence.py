"""Folders of GETM: what GOTM's file of turbulence may say beside them."""

from __future__ import annotations

import input_files as files
import pytest
from getm_folders import box, layered

from halocline.apps.ocean.physics.stability import CANUTO_A, CANUTO_B, CHENG
from halocline.apps.ocean.physics.turbulence import KEpsilon

# What our turbulence is, as the report of GOTM (Umlauf & Burchard 2005) writes it.
OURS = {
    "turbulence": {"turb_method": 3, "tke_method": 2, "len_scale_method": 8, "stab_method": 1},
    "bc": {"k_ubc": 1, "k_lbc": 1, "psi_ubc": 1, "psi_lbc": 1, "ubc_type": 1, "lbc_type": 1},
    "turb_param": {"compute_c3": True, "Ri_st": 0.25, "length_lim": True, "galp": 0.53},
    "generic": {"compute_param": True, "gen_m": 1, "cpsi1": 1.0},
    "keps": {"ce1": 1.44, "ce2": 1.92, "ce3minus": -0.4, "ce3plus": 1, "sig_k": 1.0, "sig_e": 1.3},
    "my": {"e1": 1.8, "my_length": 3},
    "scnd": {"scnd_method": 2, "kb_method": 1, "epsb_method": 1, "scnd_coeff": 5, "cc1": 3.6},
    "iw": {"iw_model": 0, "alpha": 0.7, "klimiw": 1e-6},
}


@pytest.fixture
def folder(tmp_path):
    """Return a folder of the box with layers."""
    return layered(box(tmp_path))


def turbulence(folder, group="turb_param", **changed):
    """Write GOTM's file, with some settings changed."""
    settings = {**OURS, "turb_param": {**OURS["turb_param"], "k_min": 1e-10, "eps_min": 1e-14}}
    settings[group] = {**settings[group], **changed}
    files.namelists(folder.path / "gotmturb.nml", **settings)
    return folder


def test_our_turbulence_is_accepted_whatever_else_is_said(folder):
    turbulence(folder, const_num=1e-2, cw=50.0).read()
    turbulence(folder, "my", sq=0.3, new_constr=True).read()


@pytest.mark.parametrize(
    ("group", "name", "value", "shown", "supported"),
    [
        ("turbulence", "turb_method", 2, "2", "3"),
        ("bc", "ubc_type", 2, "2", "1"),
        ("bc", "k_ubc", 0, "0", "1"),
        ("turb_param", "compute_c3", False, ".false.", ".true."),
        ("turb_param", "kappa", 0.41, "0.41", "0.4"),
        ("keps", "ce3plus", 0.5, "0.5", "1.0"),
        ("scnd", "scnd_method", 1, "1", "2"),
        ("scnd", "scnd_coeff", 3, "3", "5 or 6 or 7"),
        ("iw", "iw_model", 2, "2", "0"),
    ],
)
def test_other_turbulence_is_named(folder, group, name, value, shown, supported):
    refusal = turbulence(folder, group, **{name: value}).refusal()
    line = f"gotmturb.nml: {group}: {name} = {shown}; supported: {supported}"
    assert refusal.splitlines()[1:] == [f"  {line}"]


def test_smooth_stratification_is_followed(folder):
    for horizontal, vertical, expected in (
        (False, False, "none"),
        (True, False, "horizontal"),
        (False, True, "vertical"),
        (True, True, "both"),
    ):
        folder.set("m3d", smooth_bvf_hor=horizontal, smooth_bvf_ver=vertical)
        assert folder.read().setup.smooth_buoyancy == expected


def test_advection_of_turbulence_is_followed(folder):
    assert folder.read().setup.turbulence_advection == "none"
    folder.set("m3d", turb_adv_hor=4, turb_adv_ver=4, turb_adv_split=2)
    setup = folder.read().setup
    assert setup.turbulence_advection == "SUPERBEE"
    assert setup.turbulence_advection_splitting == "strang"
    refusal = folder.set("m3d", turb_adv_ver=1, turb_adv_split=3).refusal()
    assert "m3d: turb_adv_split = 3; supported: 0 or 1 or 2" in refusal
    assert "m3d: turb_adv_ver = 1; supported: the same as turb_adv_hor" in refusal


def test_what_the_file_lacks_is_what_gotm_would_take(folder):
    folder.write("gotmturb.nml", "&turbulence\n turb_method = 3\n/\n&scnd\n scnd_coeff = 5\n/\n")
    assert "turb_param: compute_c3 = .false.; supported: .true." in folder.refusal()


def test_mistakes_in_the_file_of_turbulence(folder):
    message = "gotmturb.nml' has 'galb' in the namelist 'turb_param'; it is unknown."
    assert message in turbulence(folder, galb=0.5).refusal()


def test_runs_without_layers_do_not_read_it(folder):
    turbulence(folder, galp=1.0).set("param", runtype=1).read()


def test_constants_and_stability_functions_are_followed(folder):
    assert turbulence(folder).read().setup.k_epsilon == KEpsilon()
    for number, closure in ((5, CANUTO_A), (6, CANUTO_B), (7, CHENG)):
        found = turbulence(folder, "scnd", scnd_coeff=number).read().setup.k_epsilon
        assert found == KEpsilon(closure)
    changed = {"compute_kappa": True, "length_lim": False, "ri_st": 0.3, "k_min": 1e-8}
    found = turbulence(folder, **changed, eps_min=1e-12).read().setup.k_epsilon
    assert found == KEpsilon(
        richardson=0.3, schmidt=1.3, galperin=None, least_tke=1e-8, least_eps=1e-12
    )
    assert found.schmidt_number == 1.3
    found = turbulence(folder, "keps", ce1=1.5, ce2=1.9).read().setup.k_epsilon
    assert (found.production, found.dissipation) == (1.5, 1.9)
