"""Passive tracers of the command line, defined by a Python file."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr
from command import halocline
from getm_folders import box, layered
from input_files import bathymetry

from halocline.apps.cases import make_case
from halocline.errors import CaseError

DEFINED = """\
import halocline.ocean as ocean

RATE = 1e-4  # 1/s


def decay(dye):
    return -RATE * dye


tracers = [
    ocean.Tracer("dye", 2.0, "kg m-3", source=decay),
    ocean.Tracer("salt_of_river", 0.0),
]
"""


@pytest.fixture
def folder(tmp_path):
    bathymetry(tmp_path / "topo.nc", np.full((8, 6), 20.0), 500.0)
    (tmp_path / "dye.py").write_text(DEFINED, "utf-8")
    return tmp_path


def test_a_run_writes_the_tracers_of_a_file_and_a_river_brings_them(folder):
    options = ["--bathymetry", "topo.nc", "--layers", "3", "--tracers", "dye.py", "--hours", "0.5"]
    options += ["--rivers", "3 4 50 salt_of_river=1", "--micro-step", "9", "--output", "out"]
    done = halocline("run", "ocean", *options, folder=folder)
    assert done.returncode == 0, done.stderr
    data = xr.open_zarr(folder / "out" / "fields.zarr")
    # Decay for half an hour; the river has as much dye as its cell.
    assert data.dye.values == pytest.approx(2.0 * np.exp(-1e-4 * 1800.0), rel=3e-6)
    assert data.dye.attrs["units"] == "kg m-3"
    brought = data.salt_of_river.values
    assert np.unravel_index(brought.max(axis=2).argmax(), brought.shape[:2]) == (3, 4)
    report = (folder / "out" / "report.txt").read_text("utf-8")
    assert "tracer 'dye' at the beginning: 2 kg m-3" in report
    assert "highest dye at the end [kg m-3]" in report


def test_a_folder_of_getm_may_have_tracers_beside_it(folder, tmp_path):
    place = tmp_path / "getm"
    place.mkdir()
    getm = layered(box(place))
    getm.read()  # writes the files
    case = make_case("ocean", {"getm": str(getm.path), "tracers": str(folder / "dye.py")})
    assert [tracer.name for tracer in case.setup.tracers] == ["dye", "salt_of_river"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, r"The tracer file '.*dye.py' was given; expected a Python file that defines"),
        ("x = 1\n", r"has nothing as 'tracers'; expected a list of ocean.Tracer"),
        ("tracers = [1.0]\n", r"has \[1.0\] as 'tracers'; expected a list of ocean.Tracer"),
        ("tracers = []\n", r"has \[\] as 'tracers'; expected a list of ocean.Tracer"),
        ("x = 1\ny = unknown\n", r"failed in line 2: NameError\(.*'unknown'"),
        ("x = (\n", r"failed: SyntaxError"),
        (DEFINED.replace("dye, ", "").replace('"dye"', '"d"'), r"reads 'dye'; expected names of"),
        (DEFINED.replace("2.0", "-2.0"), r"'initial of the tracer 'dye'' is -2 in water"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(folder, text, message):
    path = folder / "dye.py"
    path.unlink() if text is None else path.write_text(text, "utf-8")
    given = {"bathymetry": str(folder / "topo.nc"), "layers": 3, "tracers": str(path)}
    with pytest.raises(CaseError, match=message):
        make_case("ocean", given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"layers": 0}, r"'tracers' was given to an ocean without layers"),
        ({"rivers": ["3 4 5 mud=1"]}, r"The river in cell \(3, 4\) was given the tracer 'mud'"),
        ({"rivers": ["3 4 5 dye=much"]}, r"The river '3 4 5 dye=much' was given; expected"),
    ],
)
def test_what_tracers_cannot_be_beside_is_refused(folder, given, message):
    files = {"bathymetry": str(folder / "topo.nc"), "tracers": str(folder / "dye.py")}
    with pytest.raises(CaseError, match=message):
        make_case("ocean", {**files, "layers": 3, **given})
