"""Series of fields: what xarray finds while they grow, and after a restart or a failure."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import numpy as np
import pytest
import xarray
import zarr
from waves import waves

from halocline.errors import CaseError, OutputError
from halocline.io.zarr_series import ZarrSeries


def series(path: Path, made, **options) -> ZarrSeries:
    about = {"title": "waves"}
    return ZarrSeries(
        path,
        2,
        made.simulation,
        made.grid,
        made.quantities,
        time_unit="L/U",
        about=about,
        **options,
    )


def write(stored: ZarrSeries, made, *steps: int) -> list[np.ndarray]:
    """Write the state of each step; return the values of 'h'."""
    found = []
    for step in steps:
        made.simulation.run(step - made.simulation.step, progress=False)
        stored.write(step, 0.5 * step)
        found.append(made.a.gather()[0].copy())
    return found


@pytest.mark.filterwarnings("error")
def test_xarray_finds_times_values_coordinates_units_and_names(tmp_path: Path):
    made, path = waves(dtype="float32"), tmp_path / "series.zarr"
    stored = series(path, made)
    assert xarray.open_zarr(path).sizes["time"] == 0
    values = write(stored, made, 0, 2, 4)
    found = xarray.open_zarr(path)
    assert found["h"].dims == ("time", "x", "y")
    assert found["h"].dtype == np.float32
    assert np.array_equal(found["h"], values)
    assert np.array_equal(found["time"], [0.0, 1.0, 2.0])
    assert np.array_equal(found["step"], [0, 2, 4])
    assert np.array_equal(found["x"], 1.25 + 0.5 * np.arange(6))
    assert found["h"].attrs == {"units": "m", "long_name": "height"}
    assert found["time"].attrs["long_name"] == "time in L/U"
    assert np.array_equal(found["g"][-1], 2.0 * made.a.gather()[1])
    assert found.attrs["title"] == "waves"


def test_a_series_that_goes_on_drops_what_was_later(tmp_path: Path):
    made, path = waves(), tmp_path / "series.zarr"
    values = write(series(path, made), made, 0, 2, 4, 6)
    again = series(path, made, goes_on_from=3)
    assert np.array_equal(xarray.open_zarr(path)["step"], [0, 2])
    again.write(4, 2.0)
    found = xarray.open_zarr(path)
    assert np.array_equal(found["step"], [0, 2, 4])
    assert np.array_equal(found["h"], [*values[:2], values[3]])


def test_a_time_that_was_being_written_when_the_run_was_killed_is_dropped(tmp_path: Path):
    made, path = waves(), tmp_path / "series.zarr"
    values = write(series(path, made), made, 0, 2, 4)
    zarr.open_group(path, mode="r+", use_consolidated=False)["step"].resize((4,))
    series(path, made, goes_on_from=4).write(6, 3.0)
    found = xarray.open_zarr(path)
    assert np.array_equal(found["step"], [0, 2, 4, 6])
    assert np.array_equal(found["h"], [*values, values[2]])


def test_a_new_series_replaces_an_older_one(tmp_path: Path):
    made, path = waves(), tmp_path / "series.zarr"
    write(series(path, made), made, 0, 2)
    series(path, made)
    assert xarray.open_zarr(path).sizes["time"] == 0


def test_a_series_that_is_not_there_is_begun_where_a_run_goes_on(tmp_path: Path):
    made, path = waves(), tmp_path / "series.zarr"
    write(series(path, made, goes_on_from=4), made, 6)
    assert np.array_equal(xarray.open_zarr(path)["step"], [6])


@pytest.mark.parametrize("damage", ["no variable", "no store"])
def test_a_series_of_another_run_is_refused(tmp_path: Path, damage):
    made, path = waves(), tmp_path / "series.zarr"
    if damage == "no store":
        path.mkdir()
    else:
        other = waves()
        other.quantities = other.quantities[1:]
        write(series(path, other), other, 0)
    with pytest.raises(CaseError, match=r"series\.zarr' cannot be continued: .* choose another"):
        series(path, made, goes_on_from=0)


def test_a_failure_keeps_the_times_before_and_the_next_time_works(tmp_path: Path, monkeypatch):
    made, path = waves(), tmp_path / "series.zarr"
    stored = series(path, made)
    put = ZarrSeries._put

    def full(self, name, values):
        if name == "sum":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        put(self, name, values)

    write(stored, made, 0)
    with monkeypatch.context() as patch:
        patch.setattr(ZarrSeries, "_put", full)
        with pytest.raises(OutputError, match=r"series\.zarr': No space left on device"):
            write(stored, made, 2)
    assert np.array_equal(xarray.open_zarr(path)["step"], [0])
    (last,) = write(stored, made, 4)
    found = xarray.open_zarr(path)
    assert np.array_equal(found["step"], [0, 4])
    assert np.array_equal(found["h"][1], last)
