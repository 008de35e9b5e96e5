"""Pictures and movies of forests show leaves' values and borders."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from unit.io.forests import forest

import halocline as hc
from halocline.errors import CaseError
from halocline.io.field_series import FieldSeries
from halocline.io.forest_plane import plane_through
from halocline.io.movie import _leaves, _middle, _open, draw_movie
from halocline.io.plots import PlanePicture, borders, draw_plane
from halocline.io.quantity import Quantity


def test_a_plane_has_the_leaf_around_each_cell_and_the_borders_of_all_leaves():
    made = forest()
    found = plane_through(made.quantities[0])
    assert np.array_equal(found.values, 2 * made.T.resampled(1, "nearest"))
    assert found.extent == (1.0, 5.0, 1.0, 5.0)
    coarse = [(1.0, y, 3.0, y + 2) for y in (1.0, 3.0)]
    fine = [(x, y, x + 1, y + 1) for x in (3.0, 4.0) for y in (1.0, 2.0, 3.0, 4.0)]
    assert sorted(map(tuple, found.blocks.tolist())) == sorted([*coarse, *fine])


@hc.kernel
def same(T):
    T[0, 0, 0] = 1 * T[0, 0, 0]


@pytest.mark.parametrize(
    ("z", "seen", "leaves"), [(None, 8, 16), (3.9, 7, 4), (0.0, 1, 4), (8.0, 15, 16), (4.75, 9, 16)]
)
def test_a_plane_crosses_the_third_axis_where_it_is_told_or_in_the_middle(z, seen, leaves):
    made = hc.Forest((8, 8, 8), block=4, refine=lambda x, y, z: (z > 4) + 0 * x * y)
    T = made.field("T", dtype="int32")
    simulation = hc.Simulation(made, [same(T)], target="numpy", threads=1)
    T.set(lambda x, y, z: np.floor(2 * z).astype(int) + 0 * (x * y).astype(int))
    simulation.run(0, progress=False)
    found = plane_through(Quantity("T", T), z)
    assert found.values.shape == (16, 16)
    assert (found.values == seen).all()
    assert len(found.blocks) == leaves


def test_planes_that_there_are_not_are_refused():
    made = hc.Forest((8, 8, 8), block=4, refine=lambda x, y, z: 0 * (x + y + z))
    with pytest.raises(CaseError) as error:
        plane_through(Quantity("T", made.field("T")), 9.0)
    assert str(error.value) == ("A plane at z = 9 was asked for; the forest has z from 0 to 8.")
    line = hc.Forest((8,), block=4, refine=lambda x: 0 * x)
    with pytest.raises(CaseError, match="one axis was asked for; expected two or three"):
        plane_through(Quantity("T", line.field("T")))


def test_borders_go_around_each_block():
    (corners,) = borders(np.array([[1.0, 2.0, 3.0, 5.0]]))
    assert corners.tolist() == [[1, 2], [3, 2], [3, 5], [1, 5], [1, 2]]


def test_a_picture_shows_borders(tmp_path: Path):
    found = plane_through(forest().quantities[0])
    pictures = []
    for name, blocks in (("without", None), ("with", found.blocks)):
        path = tmp_path / f"{name}.png"
        draw_plane(PlanePicture("T", found.values, found.extent, "T [K]", blocks), path)
        pictures.append(np.asarray(Image.open(path).convert("L"), float))
    drawn = np.abs(pictures[0] - pictures[1]) > 20
    # Lines that go all around leaves: several hundred pixels each.
    assert 2000 < drawn.sum() < 0.05 * drawn.size


def test_a_movie_shows_all_levels_and_the_leaves_of_each_time(tmp_path: Path):
    path = tmp_path / "s.zarr"
    before, after = forest(4.0), forest(1.0)
    options = {"goes_on_from": None}
    for made, step in ((before, 0), (after, 2)):
        made.simulation.run(step, progress=False)
        series = FieldSeries(path, 2, made.simulation, made.forest, made.quantities, **options)
        series.write(step, 0.25 * step)
        options = {"goes_on_from": 0}
    layers = _open(path, "T", tmp_path / "movie.gif")
    assert len(_leaves(layers, 0)) == 2 + 8
    assert len(_leaves(layers, 1)) == 16
    assert sorted(map(tuple, _leaves(layers, 0).tolist())) == sorted(
        map(tuple, plane_through(before.quantities[0]).blocks.tolist())
    )
    assert np.isnan(_middle(layers[0].values, 1)).all()
    draw_movie(path, "T", tmp_path / "movie.gif")
    with Image.open(tmp_path / "movie.gif") as movie:
        assert movie.n_frames == 2
