"""Fields as Zarr: what xarray finds, and what a failure leaves behind."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import numpy as np
import pytest
import xarray

import halocline as hc
from halocline.errors import OutputError
from halocline.io.axis import Axis
from halocline.io.dataset import dataset
from halocline.io.variable import Variable
from halocline.io.zarr import write_zarr


@pytest.fixture
def contents():
    grid = hc.Grid((3, 4), spacing=(0.5, 2.0), origin=(1.0, 0.0))
    level = np.arange(12.0).reshape(3, 4)
    variables = (
        Variable("level", level, "m", "sea level", standard_name="sea_surface_height"),
        Variable("u", level.astype("float32"), "m s-1", "current", "x_face"),
    )
    return dataset(grid, variables, {"title": "a basin"}, {"x": Axis("m"), "y": Axis("m")})


@pytest.mark.filterwarnings("error")
def test_xarray_finds_values_coordinates_units_and_names(tmp_path: Path, contents):
    write_zarr(tmp_path / "fields.zarr", contents)
    found = xarray.open_zarr(tmp_path / "fields.zarr").load()
    xarray.testing.assert_identical(found, contents)
    assert found["level"].dims == ("x", "y")
    assert found["u"].dims == ("x_face", "y")
    assert found["u"].dtype == np.float32
    assert np.array_equal(found["x"], [1.25, 1.75, 2.25])
    assert np.array_equal(found["x_face"], [1.0, 1.5, 2.0])
    assert np.array_equal(found["y"], [1.0, 3.0, 5.0, 7.0])
    assert found["x"].attrs == {"long_name": "x coordinate", "units": "m", "axis": "X"}
    assert found["level"].attrs == {
        "long_name": "sea level",
        "units": "m",
        "standard_name": "sea_surface_height",
    }
    assert (found.attrs["Conventions"], found.attrs["title"]) == ("CF-1.11", "a basin")
    assert found.attrs["source"].startswith("Halocline ")


def test_a_store_replaces_an_older_one(tmp_path: Path, contents):
    path = tmp_path / "fields.zarr"
    write_zarr(path, contents)
    write_zarr(path, contents[["level"]])
    assert set(xarray.open_zarr(path)) == {"level"}
    assert [p.name for p in tmp_path.iterdir()] == ["fields.zarr"]


def test_a_full_disk_leaves_the_old_store_and_no_half_one(tmp_path: Path, contents, monkeypatch):
    path = tmp_path / "fields.zarr"
    write_zarr(path, contents)

    def full(_, store, **__):
        Path(store).mkdir()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(xarray.Dataset, "to_zarr", full)
    with pytest.raises(OutputError, match=r"fields\.zarr': No space left on device"):
        write_zarr(path, contents)
    assert [p.name for p in tmp_path.iterdir()] == ["fields.zarr"]
    assert set(xarray.open_zarr(path)) == {"level", "u"}
