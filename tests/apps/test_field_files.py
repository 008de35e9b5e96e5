"""Files of fields that are asked for on the command line: '--write "surface.nc every=90 …"'."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import xarray
from command import halocline
from launch import needs_mpi

from halocline.apps.cases import read_case
from halocline.apps.field_file import FieldFile, read_field_files, read_range
from halocline.errors import CaseError

HEAT = ("heat", "--cells", "12", "--dimensions", "2", "--sides", "neumann")
PART = "part.nc every=20 x=0.2:0.7 y=:0.5 precision=float32"
MEAN = "mean.nc every=20 mean=5"
WRITE = ("--write", PART, "--write", MEAN, "--write", "mean.zarr every=20 mean=5")


def run(*arguments: str, folder: Path) -> subprocess.CompletedProcess:
    done = halocline("run", *arguments, folder=folder)
    assert done.returncode == 0, done.stderr
    return done


def read(path: Path) -> xarray.Dataset:
    """Return what a reader finds, with axes in the order of Python."""
    with xarray.open_dataset(path, engine="zarr" if path.is_dir() else "h5netcdf") as found:
        return found.load().transpose("time", "x", "y", ...)


@pytest.fixture(scope="module")
def through(tmp_path_factory) -> Path:
    """The directory of a run of 80 steps, which has each of them in its series."""
    folder = tmp_path_factory.mktemp("through")
    run(*HEAT, "--steps", "80", "--every", "1", *WRITE, "--output", "out", folder=folder)
    return folder / "out"


def test_a_file_has_the_part_of_the_series_that_was_asked_for(through: Path):
    part, whole = read(through / "part.nc"), read(through / "series.zarr")
    expected = whole["T"].isel(time=slice(None, None, 20)).sel(x=slice(0.2, 0.7), y=slice(0, 0.5))
    assert part["T"].shape == (5, 6, 6)
    assert part["T"].dtype == np.float32
    assert np.array_equal(part["T"], expected.astype(np.float32))
    for name in ("time", "step", "x", "y"):
        assert np.array_equal(part[name], expected[name]), name


@pytest.mark.parametrize("name", ["mean.nc", "mean.zarr"])
def test_means_are_those_of_single_steps(through: Path, name):
    mean, whole = read(through / name), read(through / "series.zarr")
    samples = whole["T"].values[5::5].reshape(4, 4, 12, 12)
    assert np.allclose(mean["T"], samples.mean(axis=1), rtol=1e-14, atol=0)
    bounds = whole["time"].values[[0, 20, 40, 60, 80]]
    assert np.array_equal(mean["time_bounds"], np.stack([bounds[:-1], bounds[1:]], axis=1))
    method = "time: mean (comment: of the states after each 5 steps)"
    assert mean["T"].attrs["cell_methods"] == method


@pytest.mark.parametrize("ranks", [2, 4])
def test_files_have_the_same_bytes_on_any_number_of_ranks(through: Path, ranks, tmp_path: Path):
    needs_mpi()
    wanted = ("--steps", "80", *WRITE, "--ranks", str(ranks), "--output", "out")
    run(*HEAT, *wanted, folder=tmp_path)
    for name in ("part.nc", "mean.nc"):
        assert (tmp_path / "out" / name).read_bytes() == (through / name).read_bytes(), name
    files = sorted(p.relative_to(through) for p in (through / "mean.zarr").rglob("*"))
    assert len(files) > 10
    for name in files:
        if (through / name).is_file():
            assert (tmp_path / "out" / name).read_bytes() == (through / name).read_bytes(), name


def test_a_run_that_goes_on_leaves_the_files_of_one_that_went_through(through, tmp_path: Path):
    wanted = ("--steps", "70", *WRITE, "--checkpoint", "40", "--output", "out")
    run(*HEAT, *wanted, folder=tmp_path)
    run("--restart", "out", "--steps", "80", folder=tmp_path)
    for name in ("part.nc", "mean.nc", "mean.zarr"):
        xarray.testing.assert_identical(read(tmp_path / "out" / name), read(through / name))


def test_a_mean_after_a_restart_in_its_interval_says_what_it_covers(through, tmp_path: Path):
    wanted = ("--steps", "50", "--write", MEAN, "--checkpoint", "50", "--output", "out")
    run(*HEAT, *wanted, folder=tmp_path)
    run("--restart", "out", "--steps", "80", folder=tmp_path)
    mean, whole = read(tmp_path / "out/mean.nc"), read(through / "series.zarr")
    assert np.array_equal(mean["step"], [20, 40, 60, 80])
    assert np.array_equal(mean["time_bounds"][2], whole["time"].values[[50, 60]])
    expected = whole["T"].values[[55, 60]].mean(axis=0)
    assert np.allclose(mean["T"][2], expected, rtol=1e-14, atol=0)
    assert np.array_equal(mean["T"][3], read(through / "mean.nc")["T"][3])


def test_a_run_that_is_killed_leaves_a_file_that_can_be_read_and_gone_on_with(tmp_path: Path):
    wanted = [sys.executable, "-m", "halocline.cli", "run", *HEAT, "--steps", "10000000"]
    wanted += ["--write", "T.nc every=10", "--write", "mean.nc every=20 mean=10"]
    wanted += ["--checkpoint", "30", "--output", "out"]
    process = subprocess.Popen(wanted, cwd=tmp_path, stdout=subprocess.DEVNULL)
    out, kept = tmp_path / "out", 0
    try:
        deadline = time.monotonic() + 60
        while kept < 120:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
            if (out / "checkpoint.npz").exists():
                with np.load(out / "checkpoint.npz") as checkpoint:
                    kept = json.loads(checkpoint["checkpoint.json"])["step"]
    finally:
        process.kill()
        process.wait()
    steps = read(out / "T.nc")["step"]
    assert len(steps) > 12
    assert np.array_equal(steps, 10 * np.arange(len(steps)))
    assert np.array_equal(
        read(out / "mean.nc")["step"] % 20, np.zeros(len(read(out / "mean.nc").step))
    )
    with np.load(out / "checkpoint.npz") as checkpoint:
        last = json.loads(checkpoint["checkpoint.json"])["step"] + 60
    run("--restart", "out", "--steps", str(last), folder=tmp_path)
    assert np.array_equal(read(out / "T.nc")["step"], 10 * np.arange(last // 10 + 1))


def test_a_case_file_may_ask_for_them_and_that_of_a_run_does(through: Path, tmp_path: Path):
    _, wanted = read_case(str(through / "case.toml"), {})
    assert wanted["write"] == [PART, MEAN, "mean.zarr every=20 mean=5"]
    text = '[case]\nname = "heat"\n[run]\nevery = 5\nwrite = ["a.nc evry=5"]\n'
    (tmp_path / "case.toml").write_text(text)
    done = halocline("run", "case.toml", folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr == (
        "error: case.toml:5: The file 'a.nc' has no choice 'evry'. Did you mean 'every'?\n"
    )


def test_choices_are_read_in_any_order_and_all_but_every_may_be_left_out():
    found = read_field_files(
        ["a.nc mean=5 x=1: every=10 variables=u,v z=-2.5:-1", "b.zarr every=3"]
    )
    one, other = found["a.nc"], found["b.zarr"]
    assert one.region == {"x": (1.0, np.inf), "z": (-2.5, -1.0)}
    assert (one.every, one.mean, one.variables, one.precision) == (10, 5, "u,v", None)
    assert other == FieldFile(every=3)
    assert read_range("-1e5:2e-3") == (-1e5, 2e-3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "No file is named in ''. Its name comes first: 'fields.nc every=100'."),
        ("every=5 a.nc", "No file is named in 'every=5 a.nc'. Its name comes first"),
        ("a.nc", "The file 'a.nc' was given no 'every'. Give the steps between two times: 'a.nc e"),
        ("a every=5", "The file 'a' has the ending ''; expected .nc or .zarr. '.nc' is NetCDF"),
        ("a.vtk every=5", "The file 'a.vtk' has the ending '.vtk'; expected .nc or .zarr."),
        ("b/a.nc every=5", "The file 'b/a.nc' is in another directory; expected a name alone. All"),
        ("series.zarr every=5", "The file 'series.zarr' is one that the run writes itself. Choose"),
        ("fields.zarr every=5", "The file 'fields.zarr' is one that the run writes itself."),
        ("a.nc evry=5", "The file 'a.nc' has no choice 'evry'. Did you mean 'every'?"),
        ("a.nc every 5", "The file 'a.nc' cannot make anything of 'every'. Expected NAME=VALUE, w"),
        ("a.nc every=5 every=6", "The file 'a.nc' was given 'every' twice."),
        ("a.nc every=0", "'a.nc': 'every' was given 0; expected a whole number of at least 1."),
        ("a.nc every=x", "'a.nc': 'every' was given 'x'; expected a whole number of at least 1."),
        (
            "a.nc every=9 mean=2",
            "'a.nc': Means of the states after each 2 steps were asked for every 9",
        ),
        (
            "a.nc every=5 x=3",
            "'a.nc': The coordinates '3' were given; expected two numbers, the lesser on",
        ),
        (
            "a.nc every=5 x=2:1",
            "'a.nc': The coordinates '2:1' were given; expected two numbers, the lesser",
        ),
        ("a.nc every=5 x=:", "'a.nc': The coordinates ':' were given; expected two numbers"),
        ("a.nc every=5 y=a:b", "'a.nc': The coordinates 'a:b' were given; expected two numbers"),
        (
            "a.nc every=5 x=nan:1",
            "'a.nc': The coordinates 'nan:1' were given; expected two numbers",
        ),
        (
            "a.nc every=5 precision=single",
            "'a.nc': 'precision' was given 'single'; expected one of: float32, float64.",
        ),
        (
            "a.nc every=5 level=two",
            "'a.nc': The level 'two' was given; expected a number or 'finest'.",
        ),
        (
            "a.nc every=5 prolongation=cubic",
            "'a.nc': 'prolongation' was given 'cubic'; expected one of: linear, nearest.",
        ),
    ],
)
def test_what_cannot_be_read_is_refused(text, message):
    with pytest.raises(CaseError) as told:
        read_field_files([text])
    assert message in str(told.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a.nc every=5", "a.nc every=6"), "The file 'a.nc' was asked for twice. Give one of them"),
        (("a.nc every=5 variables=T,S",), "The case 'heat' has no variable 'S' for 'a.nc'. Known"),
        (("a.nc every=5 variables=t",), "has no variable 't' for 'a.nc'. Known are: T."),
        (("a.nc every=5 variables=",), "The case 'heat' has no variable '' for 'a.nc'."),
        (("a.nc every=5 x=2:3",), "'a.nc': No cell has its x between 2 and 3; cells have 0.041"),
        (
            ("a.nc every=5 level=1",),
            "The file 'a.nc' was asked for level 1, but the grid has no le",
        ),
        (("a.nc every=5 z=0:1",), "'a.nc': A part between two coordinates z was asked for; the gr"),
    ],
)
def test_what_the_case_lacks_is_refused_before_anything_runs(tmp_path: Path, arguments, message):
    wanted = [word for text in arguments for word in ("--write", text)]
    done = halocline("run", *HEAT, *wanted, folder=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_package_that_is_missing_is_told_before_anything_runs(tmp_path: Path, monkeypatch):
    monkeypatch.setitem(sys.modules, "h5netcdf", None)
    done = halocline("run", *HEAT, "--write", "a.nc every=5", folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr == (
        "error: Files of fields and labelled arrays need the package 'h5netcdf', which is not "
        'installed. Install it: pip install "halocline[output]".\n'
    )
    assert list(tmp_path.iterdir()) == []
