"""Series of fields: what xarray finds while they grow, and after a restart or a failure."""

from __future__ import annotations

import errno
import os
from datetime import datetime
from pathlib import Path

import h5netcdf
import numpy as np
import pytest
import xarray
import zarr
from waves import waves

import halocline as hc
from halocline.errors import CaseError, OutputError
from halocline.io.axis import Axis
from halocline.io.field_series import FieldSeries
from halocline.io.quantity import Quantity
from halocline.io.recorder import Recorder
from halocline.io.variable import Variable

EVERY = 2
each_format = pytest.mark.parametrize("name", ["series.zarr", "series.nc"])


@hc.kernel
def nothing(a):
    a[...] = a


def still(grid: hc.Grid, field) -> hc.Simulation:
    """Return a simulation in which nothing happens."""
    simulation = hc.Simulation(grid, [nothing(field)], target="numpy", threads=1)
    simulation.run(0, progress=False)
    return simulation


def series(path: Path, made, **options) -> FieldSeries:
    choices = {"time_unit": "L/U", "about": {"title": "waves"}, **options}
    return FieldSeries(path, EVERY, made.simulation, made.grid, made.quantities, **choices)


def write(stored: FieldSeries, made, *steps: int) -> list[np.ndarray]:
    """Write the state of each step; return the values of 'h'."""
    found = []
    for step in steps:
        made.simulation.run(step - made.simulation.step, progress=False)
        stored.write(step, 0.5 * step)
        found.append(made.a.gather()[0].copy())
    return found


def read(path: Path) -> xarray.Dataset:
    """Return what a reader finds, with axes in the order of Python."""
    with xarray.open_dataset(path, engine="zarr" if path.is_dir() else "h5netcdf") as found:
        return found.load().transpose("time", "x", "y", ...)


def states(steps: int, **options) -> np.ndarray:
    """Return the values of 'h' before the first step and after each."""
    made = waves(**options)
    made.simulation.run(0, progress=False)
    found = [made.a.gather()[0].copy()]
    for _ in range(steps):
        made.simulation.run(1, progress=False)
        found.append(made.a.gather()[0].copy())
    return np.array(found)


@each_format
@pytest.mark.filterwarnings("error")
def test_xarray_finds_times_values_coordinates_units_and_names(tmp_path: Path, name):
    made, path = waves(dtype="float32"), tmp_path / name
    stored = series(path, made)
    assert read(path).sizes["time"] == 0
    values = write(stored, made, 0, 2, 4)
    found = read(path)
    assert found["h"].dtype == np.float32
    assert np.array_equal(found["h"], values)
    assert np.array_equal(found["time"], [0.0, 1.0, 2.0])
    assert np.array_equal(found["step"], [0, 2, 4])
    assert np.array_equal(found["x"], 1.25 + 0.5 * np.arange(6))
    label = {"units": "m", "long_name": "height", "cell_methods": "time: point"}
    assert found["h"].attrs == label
    assert found["time"].attrs["long_name"] == "time in L/U"
    assert np.array_equal(found["g"][-1], 2.0 * made.a.gather()[1])
    assert found.attrs["title"] == "waves"
    assert found.attrs["Conventions"] == "CF-1.11"


@pytest.mark.parametrize(
    ("name", "axes"), [("s.zarr", ("time", "x", "y")), ("s.nc", ("time", "y", "x"))]
)
def test_axes_have_the_order_of_python_or_that_of_cf(tmp_path: Path, name, axes):
    made = waves()
    write(series(tmp_path / name, made), made, 0)
    engine = "zarr" if name.endswith("zarr") else "h5netcdf"
    with xarray.open_dataset(tmp_path / name, engine=engine) as found:
        assert found["h"].dims == axes


@each_format
def test_times_with_a_start_are_dates(tmp_path: Path, name):
    made, path = waves(), tmp_path / name
    stored = series(path, made, time_unit="s", start=datetime(2010, 1, 31, 12))
    write(stored, made, 0, 4)
    wanted = ["2010-01-31T12:00:00", "2010-01-31T12:00:02"]
    assert np.array_equal(read(path)["time"], np.array(wanted, "datetime64[ns]"))
    with xarray.open_dataset(
        path, decode_times=False, engine="zarr" if path.is_dir() else "h5netcdf"
    ) as raw:
        assert raw["time"].attrs["units"] == "seconds since 2010-01-31 12:00:00"
        assert raw["time"].attrs["standard_name"] == "time"


def test_a_start_with_other_times_than_seconds_is_refused(tmp_path: Path):
    with pytest.raises(CaseError, match=r"2010-01-31 .* times in 'L/U'; expected 's'"):
        series(tmp_path / "s.nc", waves(), start=datetime(2010, 1, 31))


@each_format
def test_a_region_has_the_cells_whose_coordinates_are_in_it_ends_included(tmp_path: Path, name):
    made, path = waves(), tmp_path / name
    region = {"x": (1.75, 3.0), "y": (-np.inf, 1.5)}
    (values,) = write(series(path, made, region=region), made, 0)
    found = read(path)
    assert np.array_equal(found["x"], [1.75, 2.25, 2.75])
    assert np.array_equal(found["y"], [1.25])
    assert np.array_equal(found["h"][0], values[1:4, :1])


@pytest.mark.parametrize(
    ("region", "message"),
    [
        ({"x": (7.0, 9.0)}, "No cell has its x between 7 and 9; cells have 1.25 to 3.75"),
        ({"z": (0.0, 1.0)}, "coordinates z was asked for; the grid has the axes x, y"),
    ],
)
def test_a_region_without_cells_is_refused(tmp_path: Path, region, message):
    with pytest.raises(CaseError, match=message):
        series(tmp_path / "s.nc", waves(), region=region)


@each_format
def test_a_precision_rounds_numbers_but_not_whole_ones(tmp_path: Path, name):
    made, path = waves(), tmp_path / name
    counts = made.grid.field("counts", dtype="int16")
    counts.set(7)
    made.quantities = (*made.quantities, Quantity("counts", counts))
    depth = Variable("depth", np.full((6, 4), 0.1), "m", "depth")
    made.simulation = still(made.grid, counts)
    series(path, made, precision="float32", constants=(depth,)).write(0, 0.0)
    found = read(path)
    assert found["h"].dtype == found["depth"].dtype == np.float32
    assert np.array_equal(found["h"][0], made.a.gather()[0].astype(np.float32))
    assert found["counts"].dtype == np.int16
    assert (found["counts"] == 7).all()


@each_format
def test_a_mean_is_that_of_sampled_states_and_says_so(tmp_path: Path, name):
    made, path = waves(), tmp_path / name
    stored = FieldSeries(
        path, 6, made.simulation, made.grid, made.quantities, mean=2, time_unit="s"
    )
    Recorder(made.simulation, [stored]).run(14, progress=False)
    found, h = read(path), states(14)
    expected = [h[[2, 4, 6]].mean(axis=0), h[[8, 10, 12]].mean(axis=0)]
    assert np.allclose(found["h"], expected, rtol=1e-14, atol=0)
    assert np.array_equal(found["step"], [6, 12])
    assert np.array_equal(found["time_bounds"], [[0.0, 3.0], [3.0, 6.0]])
    assert np.array_equal(found["time"], [1.5, 4.5])
    assert found["time"].attrs["bounds"] == "time_bounds"
    assert found["h"].attrs["cell_methods"] == "time: mean (interval: 1 s)"


def test_means_of_single_precision_are_added_in_double(tmp_path: Path):
    made, path = waves(dtype="float32"), tmp_path / "mean.nc"
    stored = FieldSeries(path, 8, made.simulation, made.grid, made.quantities, mean=1)
    Recorder(made.simulation, [stored]).run(8, progress=False)
    h = states(8, dtype="float32")[1:]
    assert np.array_equal(read(path)["h"][0], h.astype(np.float64).mean(axis=0).astype("float32"))


def test_means_of_whole_numbers_are_not_whole(tmp_path: Path):
    grid = hc.Grid(4, periodic=True)
    n = grid.field("n", dtype="int32")

    @hc.kernel
    def count(n):
        n[0] = n + 1

    simulation = hc.Simulation(grid, [count(n)], target="numpy", threads=1)
    stored = FieldSeries(tmp_path / "n.nc", 2, simulation, grid, (Quantity("n", n),), mean=1)
    Recorder(simulation, [stored]).run(2, progress=False)
    with xarray.open_dataset(tmp_path / "n.nc") as found:
        assert np.array_equal(found["n"], np.full((1, 4), 1.5))


def test_a_mean_goes_on_when_blocks_change_meanwhile(tmp_path: Path):
    made, path = waves(), tmp_path / "mean.nc"
    stored = FieldSeries(path, 4, made.simulation, made.grid, made.quantities, mean=1)
    recorder = Recorder(made.simulation, [stored])
    recorder.run(2, progress=False)
    made.simulation.rebuild(blocks=3)
    recorder.run(2, progress=False)
    assert np.allclose(read(path)["h"][0], states(4)[1:].mean(axis=0), rtol=1e-14, atol=0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mean": 3}, r"after each 3 steps were asked for every 8 .* divides 8, as 2\."),
        ({"mean": 16}, r"after each 16 steps .* divides 8, as 8\."),
        ({"precision": "float16"}, "'float16' was given; expected float32 or float64. Did you"),
    ],
)
def test_choices_that_do_not_fit_are_refused(tmp_path: Path, options, message):
    made = waves()
    with pytest.raises(CaseError, match=message):
        FieldSeries(tmp_path / "s.nc", 8, made.simulation, made.grid, made.quantities, **options)


def test_an_ending_that_says_no_format_is_refused(tmp_path: Path):
    with pytest.raises(CaseError, match=r"s\.vtk' has the ending '\.vtk'; expected \.nc or \.zarr"):
        series(tmp_path / "s.vtk", waves())


def test_types_that_netcdf_lacks_are_stored_as_others(tmp_path: Path):
    grid = hc.Grid((3, 2))
    kinds = ("bool", "float16", "uint16")
    fields = [grid.field(kind, dtype=kind) for kind in kinds]
    for field in fields:
        field.set(True)
    simulation = still(grid, fields[-1])
    shown = [Quantity(f.name, f) for f in fields]
    FieldSeries(tmp_path / "s.nc", 1, simulation, grid, shown).write(0, 0.0)
    with h5netcdf.File(tmp_path / "s.nc") as found:
        types = [found.variables[kind].dtype for kind in kinds]
        assert types == ["int8", "float32", "uint16"]
        assert all((found.variables[kind][0] == 1).all() for kind in kinds)
        assert np.isnan(found.variables["float16"].attrs["_FillValue"])
        assert "_FillValue" not in found.variables["uint16"].attrs


def test_layers_say_how_heights_follow_if_all_is_there_to_compute_them(tmp_path: Path):
    grid = hc.Grid((3, 2, 2))
    eta, t = grid.field("eta", axes="xy"), grid.field("t")
    simulation = still(grid, t)
    z = Axis(
        standard_name="ocean_sigma_coordinate",
        positive="up",
        terms={"eta": "eta", "depth": "depth"},
        faces=np.array([-1.0, -0.2, 0.0]),
    )
    shown = (Quantity("eta", eta), Quantity("t", t))
    depth = Variable("depth", np.ones((3, 2)), "m", "depth", axes="xy")
    for name, chosen in (("all.nc", shown), ("t.nc", shown[1:])):
        FieldSeries(
            tmp_path / name, 1, simulation, grid, chosen, axes={"z": z}, constants=(depth,)
        ).write(0, 0.0)
    with xarray.open_dataset(tmp_path / "all.nc") as found:
        assert found["z"].attrs["formula_terms"] == "sigma: z eta: eta depth: depth"
        assert found["z"].attrs["standard_name"] == "ocean_sigma_coordinate"
        assert found["t"].dims == ("time", "z", "y", "x")
        assert np.allclose(found["z"], [-0.6, -0.1], rtol=1e-15)
    with xarray.open_dataset(tmp_path / "t.nc") as found:
        assert {"formula_terms", "standard_name"}.isdisjoint(found["z"].attrs)
        assert found["z"].attrs["positive"] == "up"


@each_format
def test_a_series_that_goes_on_drops_what_was_later(tmp_path: Path, name):
    made, path = waves(), tmp_path / name
    values = write(series(path, made), made, 0, 2, 4, 6)
    again = series(path, made, goes_on_from=3)
    assert np.array_equal(read(path)["step"], [0, 2])
    again.write(4, 2.0)
    found = read(path)
    assert np.array_equal(found["step"], [0, 2, 4])
    assert np.array_equal(found["h"], [*values[:2], values[3]])


@each_format
def test_the_first_mean_after_a_restart_is_one_since_then(tmp_path: Path, name):
    path = tmp_path / name
    for first, last in ((0, 5), (3, 8)):
        made = waves()
        made.simulation.run(first, progress=False)
        stored = FieldSeries(
            path,
            4,
            made.simulation,
            made.grid,
            made.quantities,
            mean=1,
            goes_on_from=first or None,
        )
        recorder = Recorder(made.simulation, [stored], is_new=not first)
        recorder.run(last - first, progress=False)
    found, h = read(path), states(8)
    assert np.array_equal(found["step"], [4, 8])
    assert np.array_equal(found["time_bounds"], [[1.5, 2.0], [2.0, 4.0]])
    assert np.allclose(found["h"], [h[4], h[5:].mean(axis=0)], rtol=1e-14, atol=0)


def test_a_time_that_was_being_written_when_the_run_was_killed_is_dropped(tmp_path: Path):
    made, path = waves(), tmp_path / "series.zarr"
    values = write(series(path, made), made, 0, 2, 4)
    zarr.open_group(path, mode="r+", use_consolidated=False)["step"].resize((4,))
    series(path, made, goes_on_from=4).write(6, 3.0)
    found = read(path)
    assert np.array_equal(found["step"], [0, 2, 4, 6])
    assert np.array_equal(found["h"], [*values, values[2]])


@each_format
def test_a_new_series_replaces_an_older_one(tmp_path: Path, name):
    made, path = waves(), tmp_path / name
    write(series(path, made), made, 0, 2)
    series(path, made)
    assert read(path).sizes["time"] == 0
    assert [each.name for each in tmp_path.iterdir()] == [name]


@each_format
def test_a_series_that_is_not_there_is_begun_where_a_run_goes_on(tmp_path: Path, name):
    made, path = waves(), tmp_path / name
    write(series(path, made, goes_on_from=4), made, 6)
    assert np.array_equal(read(path)["step"], [6])


@pytest.mark.parametrize("damage", ["no variable", "no file", "other cells", "means", "elsewhere"])
@each_format
def test_a_series_of_another_run_is_refused(tmp_path: Path, name, damage):
    made, path = waves(), tmp_path / name
    other, options, now = waves(), {}, {}
    if damage == "no file":
        path.mkdir() if name.endswith("zarr") else path.write_bytes(b"")
    else:
        if damage == "no variable":
            other.quantities = other.quantities[1:]
        if damage == "means":
            options = {"mean": 1}
        if damage in ("other cells", "elsewhere"):
            options = {"region": {"x": (1.0, 2.0)}}
        if damage == "elsewhere":
            now = {"region": {"x": (2.0, 3.0)}}
        write(series(path, other, **options), other, 0)
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises(CaseError, match=rf"{name}' cannot be continued: .* choose another"):
        series(path, made, goes_on_from=0, **now)
    assert before == (path.read_bytes() if path.is_file() else b"")


@each_format
def test_a_failure_keeps_the_times_before_and_the_next_time_works(
    tmp_path: Path, monkeypatch, name
):
    made, path = waves(), tmp_path / name
    stored = series(path, made)
    put = FieldSeries._put

    def full(self, variable, values, *place):
        if variable == "sum":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        put(self, variable, values, *place)

    write(stored, made, 0)
    with monkeypatch.context() as patch:
        patch.setattr(FieldSeries, "_put", full)
        with pytest.raises(OutputError, match=rf"{name}': No space left on device"):
            write(stored, made, 2)
    assert np.array_equal(read(path)["step"], [0])
    (last,) = write(stored, made, 4)
    found = read(path)
    assert np.array_equal(found["step"], [0, 4])
    assert np.array_equal(found["h"][1], last)


def test_a_mean_that_could_not_be_written_is_no_part_of_the_next(tmp_path: Path, monkeypatch):
    made, path = waves(), tmp_path / "mean.nc"
    stored = FieldSeries(path, 2, made.simulation, made.grid, made.quantities, mean=1)
    recorder = Recorder(made.simulation, [stored], say=lambda _: None)
    with monkeypatch.context() as patch:
        patch.setattr(FieldSeries, "_put", lambda *_: 1 / 0)
        recorder.run(2, progress=False)
    recorder.run(2, progress=False)
    found = read(path)
    assert np.array_equal(found["time_bounds"], [[1.0, 2.0]])
    assert np.allclose(found["h"][0], states(4)[3:].mean(axis=0), rtol=1e-14, atol=0)


@each_format
def test_a_file_has_a_title_and_units_of_its_axes(tmp_path, name):
    grid = hc.Grid((2, 3, 4))
    T = grid.field("T", unit="K")
    stored = FieldSeries(tmp_path / name, 1, still(grid, T), grid, [T], axes="m")
    stored.write(0, 0.0)
    found = read(tmp_path / name)
    assert found.attrs["title"] == "T"
    assert [found[axis].attrs["units"] for axis in "xyz"] == ["m", "m", "m"]
    assert found["z"].attrs["positive"] == "up"
    assert "positive" not in found["x"].attrs


def test_small_fields_have_many_times_in_one_file(tmp_path):
    grid = hc.Grid((4, 3))
    T = grid.field("T")
    stored = FieldSeries(tmp_path / "a.zarr", 1, still(grid, T), grid, [T])
    for step in range(30):
        T.set(float(step))
        stored.write(step, float(step))
    assert len([path for path in (tmp_path / "a.zarr/T").rglob("*") if path.is_file()]) == 2
    assert np.array_equal(read(tmp_path / "a.zarr")["T"][:, 0, 0], np.arange(30.0))


def test_a_file_of_a_small_field_has_several_pieces(tmp_path):
    grid = hc.Grid((128, 128))
    T = grid.field("T", dtype="float32")
    stored = FieldSeries(tmp_path / "a.zarr", 1, still(grid, T), grid, [T])
    for step in range(9):
        T.set(float(step))
        stored.write(step, float(step))
    array = zarr.open_group(tmp_path / "a.zarr", mode="r")["T"]
    assert (array.chunks, array.shards) == ((4, 128, 128), (64, 128, 128))
    assert len([path for path in (tmp_path / "a.zarr/T").rglob("*") if path.is_file()]) == 2
    assert np.array_equal(read(tmp_path / "a.zarr")["T"][:, 0, 0], np.arange(9.0))


def test_times_that_are_dropped_from_a_file_do_not_come_back(tmp_path):
    grid = hc.Grid((128, 128))
    T = grid.field("T")
    simulation, path = still(grid, T), tmp_path / "a.zarr"
    T.set(7.0)
    stored = FieldSeries(path, 1, simulation, grid, [T])
    for step in range(6):  # two in a piece
        stored.write(step, float(step))
    FieldSeries(path, 1, simulation, grid, [T], goes_on_from=1)
    array = zarr.open_group(path, mode="r+")["T"]
    array.resize((6, 128, 128))
    np.testing.assert_array_equal(array[:2], 7.0)
    assert not (array[2:] == 7.0).any()
