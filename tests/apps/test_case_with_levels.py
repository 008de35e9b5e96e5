"""A case with a forest writes all that cases write, and is looked at as they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray
from command import halocline
from launch import needs_mpi

CASE = str(Path(__file__).with_name("warm_levels.py"))
WRITE = (
    *("--every", "2", "--vtk", "--movie", "T", "--probe", "9,5"),
    *("--write", "finest.nc every=2 level=finest"),
    *("--write", "levels.zarr every=4 variables=T"),
    *("--write", "means.zarr every=4 mean=2"),
)


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Path:
    """Return the directory of a run on two ranks."""
    needs_mpi()
    folder = tmp_path_factory.mktemp("levels")
    done = halocline("run", CASE, *WRITE, "--ranks", "2", "--output", "out", folder=folder)
    assert done.returncode == 0, done.stderr
    return folder / "out"


def test_series_fields_and_probes_agree(written: Path):
    with xarray.open_dataset(written / "finest.nc", engine="h5netcdf") as finest:
        assert np.array_equal(finest["step"], [0, 2, 4])
        last = finest["T"][-1].transpose("x", "y").values
    fields = xarray.open_zarr(written / "fields.zarr")["T"].values
    assert fields.shape == last.shape == (64, 64)
    numbers = np.loadtxt(written / "series.csv", delimiter=",", skiprows=3)
    for name, times in (("series.zarr", 3), ("levels.zarr", 2)):
        tree = xarray.open_datatree(written / name, engine="zarr")
        on_finest = np.full_like(fields, np.nan)
        for level in range(3):
            values = tree[f"level_{level}"]["T"]
            assert values.sizes["time"] == times
            ratio = 4 >> level
            here = values[-1].values.repeat(ratio, 0).repeat(ratio, 1)
            on_finest = np.where(np.isnan(here), on_finest, here)
        assert np.array_equal(on_finest, fields)
    assert numbers[-1, 2] == fields[36, 20]
    # All leaves of the finest level have the same values in both.
    is_finest = ~np.isnan(values[-1].values)
    assert np.array_equal(last[is_finest], fields[is_finest])


def test_means_are_those_of_the_series(written: Path):
    states = xarray.open_datatree(written / "series.zarr", engine="zarr")
    means = xarray.open_datatree(written / "means.zarr", engine="zarr")
    for level in range(3):
        expected = states[f"level_{level}"]["T"][1:].mean("time", skipna=False)
        assert np.allclose(means[f"level_{level}"]["T"][0], expected, equal_nan=True, rtol=1e-14)


def test_constants_are_on_all_cells_that_are_written(written: Path):
    for found, shape in (
        (xarray.open_zarr(written / "fields.zarr"), (64, 64)),
        (xarray.open_zarr(written / "series.zarr", group="level_1"), (32, 32)),
        (xarray.open_dataset(written / "finest.nc", engine="h5netcdf"), (64, 64)),
    ):
        assert found["depth"].shape == shape
        assert (found["depth"] == 3).all()


def test_pictures_for_paraview_and_a_movie_are_there(written: Path):
    names = {path.name for path in (written / "vtk").iterdir()}
    assert names == {f"step_00000000{n}{e}" for n in (0, 2, 4) for e in ("", ".vthb")}
    assert (written / "movie.gif").stat().st_size > 1000


def test_levels_are_not_written_as_netcdf(tmp_path: Path):
    done = halocline("run", CASE, "--write", "a.nc every=2", folder=tmp_path)
    assert done.returncode == 2
    assert "The file 'a.nc' has no groups for the levels of a forest" in done.stderr
    done = halocline("run", CASE, "--write", "a.nc every=2 level=3", folder=tmp_path)
    assert "'level' was given 3; expected a whole number of at least 0 and at most 2" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_plan_can_be_shown(tmp_path: Path):
    done = halocline("show", "plan", CASE, "--ranks", "3", "--rank", "2", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "levels  0 to 2; 2 cell(s) beyond each" in done.stdout
    assert ", ghost of level 2" in done.stdout


def test_the_kernels_of_all_levels_can_be_shown(tmp_path: Path):
    done = halocline("show", "kernel", CASE, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "kernel smooth(" in done.stdout
    assert "kernel prolong(" in done.stdout
