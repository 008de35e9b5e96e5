"""The movie of a series."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray
from PIL import Image

from halocline.errors import OutputError
from halocline.io.movie import _middle, _range, draw_movie
from halocline.io.zarr import write_zarr


def store(path: Path, values: np.ndarray) -> Path:
    """Store values of 'v' at their times."""
    dims = ("time", "x", "y", "z")[: values.ndim]
    label = {"units": "K", "long_name": "temperature"}
    contents = xarray.Dataset({"v": (dims, values, label)})
    for axis, n in zip(dims[1:], values.shape[1:], strict=True):
        contents[axis] = (np.arange(n) + 0.5) / n
    times = np.arange(len(values))
    contents = contents.assign_coords(time=0.5 * times, step=("time", 10 * times))
    contents["time"].attrs["long_name"] = "time in s"
    write_zarr(path, contents)
    return path


@pytest.mark.parametrize("shape", [(3, 6, 4), (3, 6, 4, 5)])
def test_a_movie_has_a_frame_for_each_time(tmp_path: Path, shape):
    values = np.random.default_rng(1).normal(size=shape)
    draw_movie(store(tmp_path / "s.zarr", values), "v", tmp_path / "movie.gif")
    with Image.open(tmp_path / "movie.gif") as movie:
        assert movie.format == "GIF"
        assert movie.n_frames == 3
        frames = []
        for number in range(3):
            movie.seek(number)
            frames.append(np.asarray(movie.convert("RGB")))
    assert (frames[0] != frames[1]).any()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["movie.gif", "s.zarr"]


def test_the_middle_of_z_is_a_plane_or_the_mean_of_two():
    values = np.arange(2 * 3 * 2 * 4.0).reshape(2, 3, 2, 4)
    even = xarray.DataArray(values)
    assert np.array_equal(_middle(even, 1), values[1, ..., 1:3].mean(axis=-1))
    assert np.array_equal(_middle(even[..., :3], 1), values[1, ..., 1])
    assert np.array_equal(_middle(even[..., 0], 1), values[1, ..., 0])


def test_colours_mean_the_same_at_all_times():
    values = xarray.DataArray(np.array([[[2.0, 1.0]], [[3.0, np.nan]]]))
    assert _range([values, -values]) == (-3.0, 3.0)
    assert _range([values]) == (1.0, 3.0)


def test_a_series_without_the_variable_or_without_times_is_told(tmp_path: Path):
    path = store(tmp_path / "s.zarr", np.zeros((0, 2, 2)))
    movie = tmp_path / "movie.gif"
    with pytest.raises(
        OutputError, match=r"movie\.gif': it needs 'w' of '.*s\.zarr', which cannot"
    ):
        draw_movie(path, "w", movie)
    with pytest.raises(OutputError, match=r"movie\.gif': '.*s\.zarr' has no times"):
        draw_movie(path, "v", movie)
    with pytest.raises(OutputError, match="which cannot be read"):
        draw_movie(tmp_path / "none.zarr", "v", movie)
