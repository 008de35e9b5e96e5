"""Forests as VTK's overlapping AMR, read back by the format's own words."""

from __future__ import annotations

import errno
import os
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from errors.telling import message_of
from msgspec.structs import replace
from unit.io.forests import forest
from unit.io.test_vtk import read

import halocline as hc
from halocline.errors import CaseError, GridError, OutputError
from halocline.io.quantity import Quantity
from halocline.io.vtk import VtkSeries

REFINED = 8


def series(folder: Path, made, **options) -> VtkSeries:
    return VtkSeries(folder, 2, made.simulation, made.forest, made.quantities, **options)


def listed(folder: Path) -> list[str]:
    root = ElementTree.parse(folder / "series.pvd").getroot()
    return [each.get("file") for each in root.iter("DataSet")]


def levels(path: Path) -> list[list[tuple[list[int], ElementTree.Element, dict[str, np.ndarray]]]]:
    """Return for each level the boxes with head and arrays, after a look at the list itself."""
    root = ElementTree.parse(path).getroot()
    assert root.get("type") == "vtkOverlappingAMR"
    assert root.get("version") == "1.1"
    (amr,) = root
    found = []
    for number, block in enumerate(amr):
        assert (block.tag, block.get("level")) == ("Block", str(number))
        assert [each.get("index") for each in block] == [str(n) for n in range(len(block))]
        found.append(
            [
                ([int(n) for n in one.get("amr_box").split()], *read(path.parent / one.get("file")))
                for one in block
            ]
        )
    return found


def test_each_level_has_boxes_with_leaves_and_means_under_finer_levels(tmp_path: Path):
    made = forest()
    made.simulation.run(2, progress=False)
    series(tmp_path, made).write(2, 0.5)
    assert listed(tmp_path) == ["vtk/step_000000002.vthb"]
    coarse, fine = levels(tmp_path / "vtk" / "step_000000002.vthb")
    ((box, head, arrays),) = coarse
    assert box == [0, 7, 0, 7, 0, -1]
    assert head.find("ImageData").get("WholeExtent") == "0 8 0 8 0 0"
    assert head.find("ImageData").get("Origin") == "1.0 1.0 0.0"
    assert float(head.find(".//FieldData/DataArray").text) == 0.5
    T = made.T.resampled(0)
    assert np.allclose(arrays["T"].reshape(8, 8).T, 2 * T, rtol=1e-15, atol=0)
    ghosts = arrays["vtkGhostType"].reshape(8, 8).T
    assert arrays["vtkGhostType"].dtype == np.uint8
    assert (ghosts[:4] == 0).all()
    assert (ghosts[4:] == REFINED).all()
    ((box, head, arrays),) = fine
    assert box == [8, 15, 0, 15, 0, -1]
    assert head.find("ImageData").get("Origin") == "3.0 1.0 0.0"
    assert head.find("ImageData").get("Spacing") == "0.25 0.25 1.0"
    assert np.array_equal(arrays["T"].reshape(16, 8).T, 2 * made.T.level(1).gather()[8:])
    assert not arrays["vtkGhostType"].any()
    assert (arrays["count"] == 9).all()


def test_boxes_hold_each_leaf_once_and_lie_inside_coarser_ones(tmp_path: Path):
    made = hc.Forest(
        (16, 8, 8),
        block=4,
        finest=2,
        refine=lambda x, y, z: np.where((x - 5) ** 2 + (y - 4) ** 2 + (z - 2) ** 2 < 2, 2, 0),
    )
    u = made.field("u", components=3, dtype="float32")
    simulation = hc.Simulation(made, [same(u)], target="numpy", threads=1)
    u.set(lambda x, y, z: (x + 0 * y * z, y + 0 * x * z, z + 0 * x * y))
    simulation.run(0, progress=False)
    shown = [Quantity(f"u{n}", u, n, vector="u") for n in range(3)]
    VtkSeries(tmp_path, 1, simulation, made, shown).write(0, 0.0)
    found = levels(tmp_path / "vtk" / "step_000000000.vthb")
    covered = []
    for level, boxes in enumerate(found):
        is_here = np.zeros([n << level for n in made.grid.extent], int)
        visible = np.zeros_like(is_here)
        for ends, head, arrays in boxes:
            here = tuple(slice(a, b + 1) for a, b in zip(ends[::2], ends[1::2], strict=True))
            shape = [s.stop - s.start for s in here]
            is_here[here] += 1
            visible[here] = (arrays["vtkGhostType"][:, 0] == 0).reshape(shape[::-1]).T
            image = head.find("ImageData")
            origin = [float(x) for x in image.get("Origin").split()]
            at = [o + (np.arange(n) + 0.5) / 2**level for o, n in zip(origin, shape, strict=True)]
            expected = np.stack(np.broadcast_arrays(*np.ix_(*at)), axis=-1)
            values = arrays["u"].reshape(*shape[::-1], 3).transpose(2, 1, 0, 3)
            assert np.allclose(values, expected, rtol=1e-6)
        assert is_here.max() == 1
        assert visible.sum() == 64 * len(made.leaves.levels[level])
        covered.append(is_here)
    for coarse, fine in pairwise(covered):
        inside = coarse.repeat(2, 0).repeat(2, 1).repeat(2, 2)
        assert (inside >= fine).all()


@hc.kernel
def same(u):
    u[0][0, 0, 0] = 1 * u[0][0, 0, 0]


def test_a_series_that_goes_on_keeps_the_times_before_and_their_folders(tmp_path: Path):
    made = forest()
    stored = series(tmp_path, made)
    for step in (0, 2, 4):
        stored.write(step, 0.25 * step)
    series(tmp_path, made, goes_on_from=2)
    assert listed(tmp_path) == ["vtk/step_000000000.vthb", "vtk/step_000000002.vthb"]
    names = {path.name for path in (tmp_path / "vtk").iterdir()}
    assert names == {f"step_00000000{n}{e}" for n in (0, 2) for e in ("", ".vthb")}
    series(tmp_path, made)
    assert list((tmp_path / "vtk").iterdir()) == []


def test_a_full_disk_leaves_no_half_time_in_the_collection(tmp_path: Path, monkeypatch):
    made = forest()
    stored = series(tmp_path, made)
    stored.write(0, 0.0)

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("halocline.io.vtk_image.ImageFile.end", full)
    with pytest.raises(OutputError, match=r"step_000000002\.vthb': No space left on device"):
        stored.write(2, 0.5)
    assert listed(tmp_path) == ["vtk/step_000000000.vthb"]


def test_what_vtk_has_no_levels_for_is_refused(tmp_path: Path):
    made = forest()
    made.quantities = (Quantity("F", made.forest.field("F", location="x_face")),)
    with pytest.raises(GridError, match="Field 'F' has values at 'x_face'"):
        series(tmp_path, made)
    made.quantities = (replace(made.quantities[0], field=made.T.level(0)),)
    with pytest.raises(CaseError, match="'F' has values on one grid; expected a field on all"):
        series(tmp_path, made)
    line = hc.Forest((8,), block=4, refine=lambda x: 0 * x)
    with pytest.raises(CaseError) as error:
        VtkSeries(tmp_path, 1, made.simulation, line, ())
    assert message_of(error.value) == (
        "VTK files of a forest with one axis were asked for; expected two axes or three. Leave out "
        "--vtk; series.zarr has all levels."
    )
