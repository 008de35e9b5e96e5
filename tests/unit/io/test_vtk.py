"""VTK files: read back by a small reader of the format's own words."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from waves import waves

import halocline as hc
from halocline.errors import CaseError, OutputError
from halocline.io.quantity import Quantity
from halocline.io.vtk import VtkSeries

TYPES = {
    f"{kind}{8 * size}": f"<{letter}{size}"
    for kind, letter in (("Float", "f"), ("Int", "i"), ("UInt", "u"))
    for size in (1, 2, 4, 8)
    if letter != "f" or size > 2
}


def read(path: Path) -> tuple[ElementTree.Element, dict[str, np.ndarray]]:
    """Return the head as XML, and the arrays (cells, components)."""
    content = path.read_bytes()
    start = content.index(b'<AppendedData encoding="raw">_') + len('<AppendedData encoding="raw">_')
    head = ElementTree.fromstring(content[:start] + b"</AppendedData></VTKFile>")
    assert content.endswith(b"</AppendedData></VTKFile>\n")
    arrays = {}
    for array in head.iter("DataArray"):
        if array.get("format") == "appended":
            at = start + int(array.get("offset"))
            (length,) = np.frombuffer(content, "<u8", 1, at)
            dtype = np.dtype(TYPES[array.get("type")])
            values = np.frombuffer(content, dtype, int(length) // dtype.itemsize, at + 8)
            arrays[array.get("Name")] = values.reshape(-1, int(array.get("NumberOfComponents")))
    return head, arrays


def series(folder: Path, made, **options) -> VtkSeries:
    return VtkSeries(folder, 2, made.simulation, made.grid, made.quantities, **options)


def listed(folder: Path) -> list[tuple[float, str]]:
    root = ElementTree.parse(folder / "series.pvd").getroot()
    return [(float(each.get("timestep")), each.get("file")) for each in root.iter("DataSet")]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_cells_have_x_fastest_and_vectors_three_components(tmp_path: Path, dtype):
    made = waves(dtype=dtype)
    made.simulation.run(2, progress=False)
    series(tmp_path, made).write(2, 1.0)
    head, arrays = read(tmp_path / "vtk" / "step_000000002.vti")
    image = head.find("ImageData")
    assert image.get("WholeExtent") == image.find("Piece").get("Extent") == "0 6 0 4 0 0"
    assert image.get("Spacing") == "0.5 0.5 1.0"
    assert image.get("Origin") == "1.0 1.0 0.0"
    assert float(head.find(".//FieldData/DataArray").text) == 1.0
    a, total = made.a.gather(), made.sum.gather()
    assert set(arrays) == {"wave", "sum"}
    wave = arrays["wave"].reshape(4, 6, 3)
    assert np.array_equal(wave[..., 0].T, a[0])
    assert np.array_equal(wave[..., 1].T, 2.0 * a[1])
    assert not wave[..., 2].any()
    assert np.array_equal(arrays["sum"].reshape(4, 6).T, total)


def test_three_dimensions_and_whole_numbers(tmp_path: Path):
    grid = hc.Grid((2, 3, 4))
    kind = grid.field("kind", dtype="uint8")
    count = grid.field("count", dtype="int32")
    kind.set(np.arange(24).reshape(2, 3, 4))

    @hc.kernel
    def add(count):
        count[0, 0, 0] = count[0, 0, 0] + 1

    simulation = hc.Simulation(grid, [add(count)], target="numpy", threads=1)
    simulation.run(5, progress=False)
    shown = (Quantity("kind", kind), Quantity("count", count))
    VtkSeries(tmp_path, 1, simulation, grid, shown).write(5, 5.0)
    _, arrays = read(tmp_path / "vtk" / "step_000000005.vti")
    assert np.array_equal(arrays["kind"].reshape(4, 3, 2).T, np.arange(24).reshape(2, 3, 4))
    assert np.array_equal(arrays["count"], np.full((24, 1), 5))


def test_the_collection_lists_the_times_that_are_there(tmp_path: Path):
    made = waves()
    made.simulation.run(0, progress=False)
    stored = series(tmp_path, made)
    assert listed(tmp_path) == []
    for step in (0, 2, 4):
        stored.write(step, 0.5 * step)
    assert listed(tmp_path) == [(0.5 * s, f"vtk/step_{s:09d}.vti") for s in (0, 2, 4)]
    (tmp_path / "vtk/step_000000002.unfinished").touch()
    series(tmp_path, made, goes_on_from=2)
    assert not (tmp_path / "vtk/step_000000002.unfinished").exists()
    assert [time for time, _ in listed(tmp_path)] == [0.0, 1.0]
    series(tmp_path, made)
    assert listed(tmp_path) == []
    assert list((tmp_path / "vtk").iterdir()) == []


def test_a_full_disk_leaves_no_half_file_in_the_collection(tmp_path: Path, monkeypatch):
    made = waves()
    made.simulation.run(0, progress=False)
    stored = series(tmp_path, made)
    stored.write(0, 0.0)

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("halocline.io.vtk_image.ImageFile.append", full)
    with pytest.raises(OutputError, match=r"step_000000002\.vti': No space left on device"):
        stored.write(2, 1.0)
    assert [file for _, file in listed(tmp_path)] == ["vtk/step_000000000.vti"]
    assert not (tmp_path / "vtk" / "step_000000002.vti").exists()


def test_values_between_cells_are_refused(tmp_path: Path):
    made = waves()
    made.quantities = (Quantity("u", made.grid.field("u", location="x_face")),)
    with pytest.raises(CaseError) as error:
        series(tmp_path, made)
    assert str(error.value) == (
        "'u' lives at 'x_face'; expected values in the middle of cells, for VTK files know no "
        "others. Leave out --vtk; series.zarr has all variables."
    )


def test_stretched_axes_are_written_with_the_places_of_faces(tmp_path: Path):
    grid = hc.Grid((3, 2), spacing=(np.array([1.0, 2.0, 4.0]), 0.5), origin=(1.0, 0.0))
    T = grid.field("T")
    T.set(np.arange(6.0).reshape(3, 2))

    @hc.kernel
    def keep(T):
        T[0, 0] = 1.0 * T

    simulation = hc.Simulation(grid, [keep(T)], target="numpy")
    simulation.run(0, progress=False)
    VtkSeries(tmp_path, 1, simulation, grid, [Quantity("T", T)]).write(0, 0.0)
    head, arrays = read(tmp_path / "vtk" / "step_000000000.vtr")
    assert head.get("type") == "RectilinearGrid"
    assert head.find("RectilinearGrid").get("WholeExtent") == "0 3 0 2 0 0"
    places = [[float(x) for x in a.text.split()] for a in head.findall(".//Coordinates/DataArray")]
    assert places == [[1.0, 2.0, 4.0, 8.0], [0.0, 0.5, 1.0], [0.0]]
    assert np.array_equal(arrays["T"].reshape(2, 3).T, T.gather())
    assert listed(tmp_path) == [(0.0, "vtk/step_000000000.vtr")]
