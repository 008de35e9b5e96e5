"""Series of forests: a group a level, or all levels on the cells of one."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import xarray
from errors.telling import message_of
from msgspec.structs import replace
from unit.io.forests import fade, forest

import halocline as hc
from halocline.errors import CaseError, GridError, OutOfMemoryError, OutputError
from halocline.geometry import box_of
from halocline.io.field_series import FieldSeries
from halocline.io.quantity import Quantity
from halocline.io.variable import Variable
from halocline.io.zarr_store import ZarrStore

EVERY = 2


def series(path: Path, made, **options) -> FieldSeries:
    return FieldSeries(path, EVERY, made.simulation, made.forest, made.quantities, **options)


def write(path: Path, made, *steps: int, **options) -> None:
    stored = series(path, made, **options)
    for step in steps:
        made.simulation.run(step - made.simulation.step, progress=False)
        stored.write(step, 0.25 * step)


def group(path: Path, level: int) -> xarray.Dataset:
    with xarray.open_zarr(path, group=f"level_{level}") as found:
        return found.load()


def changing(wanted, every=1, start=lambda x, y: np.where(x < 8, 2, 0) + 0 * y):
    """Return a simulation whose blocks are split and merged."""
    made = hc.Forest((16, 16), block=4, finest=2, refine=start)
    w = made.field("w", components=2)
    T = made.field("T")
    refine = hc.Refine(wanted, every=every)
    simulation = hc.Simulation(made, [fade(T, w)], target="numpy", threads=1, refine=refine)
    T.set(lambda x, y: x + y)
    simulation.run(0, progress=False)
    return SimpleNamespace(forest=made, simulation=simulation, T=T, shown=(Quantity("T", T),))


@pytest.mark.filterwarnings("error")
def test_each_level_is_a_dataset_with_values_in_its_leaves(tmp_path: Path):
    made, path = forest(), tmp_path / "s.zarr"
    write(path, made, 0, 2)
    with xarray.open_datatree(path, engine="zarr") as tree:
        assert sorted(tree.children) == ["level_0", "level_1", "level_2"]
    for level in range(2):
        found, expected = group(path, level), 2 * made.T.level(level).to_xarray()
        assert np.array_equal(found["T"][1], expected, equal_nan=True)
        assert np.array_equal(found["T"][0], 4 * expected, equal_nan=True)
        assert np.array_equal(found["x"], expected.x)
        assert found["T"].attrs["long_name"] == "temperature"
        assert np.array_equal(found["time"], [0.0, 0.5])
        assert np.array_equal(found["step"], [0, 2])
        assert found.attrs["level"] == level
        assert found.attrs["spacing_x"] == 0.5**level / 2
        assert found.attrs["block_y"] == 4
    assert np.array_equal(group(path, 0)["leaf"][0], [[1, 1], [0, 0]])
    assert np.array_equal(
        group(path, 1)["leaf"].sum("time"), 2 * np.repeat([0, 0, 1, 1], 4).reshape(4, 4)
    )


def test_whole_numbers_are_missing_without_a_leaf(tmp_path: Path):
    made, path = forest(), tmp_path / "s.zarr"
    write(path, made, 0)
    found = group(path, 0)["count"]
    assert found.encoding["_FillValue"] == np.iinfo("int32").min
    assert found.encoding["dtype"] == np.int32
    assert (found[0, :4] == 7).all()
    assert found[0, 4:].isnull().all()


def test_levels_without_leaves_are_there_and_take_no_space(tmp_path: Path):
    made, path = forest(), tmp_path / "s.zarr"
    write(path, made, 0)
    found = group(path, 2)
    assert found["T"].shape == (1, 32, 32)
    assert found["T"].isnull().all()
    assert not found["leaf"].any()
    assert not (path / "level_2" / "T" / "c").exists()


def test_leaves_may_change_from_time_to_time(tmp_path: Path):
    path = tmp_path / "s.zarr"
    before, after = forest(4.0), forest(1.0)
    write(path, before, 0)
    after.simulation.run(4, progress=False)
    write(path, after, 4, goes_on_from=0)
    assert np.array_equal(group(path, 0)["leaf"].sum(["x_of_2x2", "y_of_2x2"]), [2, 0])
    assert np.array_equal(group(path, 1)["leaf"].sum(["x_of_4x4", "y_of_4x4"]), [8, 16])
    assert np.array_equal(group(path, 1)["step"], [0, 4])
    assert group(path, 0)["T"][1].isnull().all()
    assert np.array_equal(group(path, 1)["T"][1], 2 * after.T.level(1).to_xarray())


def test_leaves_that_change_while_a_simulation_runs_are_those_of_each_time(tmp_path: Path):
    def wanted(at):
        return lambda x, y: np.where(np.hypot(x - at, y - at) < 2, 2, 0)

    made = changing(wanted(12), every=2, start=wanted(4))
    path, leaves = tmp_path / "s.zarr", []
    stored = FieldSeries(path, 2, made.simulation, made.forest, made.shown)
    for step in (0, 2, 4):
        made.simulation.run(step - made.simulation.step, progress=False)
        stored.write(step, step)
        leaves.append([len(found) for found in made.forest.leaves.levels])
    assert leaves[0] != leaves[1]
    found = [group(path, level) for level in range(3)]
    for time, counts in enumerate(leaves):
        area = 0.0
        for level, (contents, count) in enumerate(zip(found, counts, strict=True)):
            assert int(contents["leaf"][time].sum()) == count
            assert int(contents["T"][time].notnull().sum()) == 16 * count
            area += 16 * count / 4**level
        assert area == 256
    assert np.array_equal(found[2]["T"][2], made.T.level(2).to_xarray(), equal_nan=True)


def test_means_over_time_are_those_of_the_states(tmp_path: Path):
    made = forest()
    first = made.T.resampled(1)
    for name, level in (("s.zarr", None), ("u.nc", 1)):
        made = forest()
        write(tmp_path / name, made, *range(5), mean=1, level=level)
    with xarray.open_dataset(tmp_path / "u.nc", engine="h5netcdf") as found:
        # What is shown is twice the field, which is halved in each step.
        expected = 2 * first.values * (1 / 2 + 1 / 4) / 2
        assert np.allclose(found["T"][0].transpose("x", "y"), expected, rtol=1e-14)
        assert np.allclose(found["T"][1], found["T"][0] / 4, rtol=1e-14)
        assert (found["count"][1] == 10.5).all()
        assert np.array_equal(found["time_bounds"], [[0, 0.5], [0.5, 1]])
        assert np.array_equal(found["step"], [2, 4])
    coarse, fine = (group(tmp_path / "s.zarr", level) for level in range(2))
    assert np.allclose(fine["T"][0, 8:], expected[8:], rtol=1e-14)
    assert np.allclose(coarse["T"][0, :4], (0.75 * made.T.level(0).gather() * 16)[:4], rtol=1e-14)
    assert coarse["T"][:, 4:].isnull().all()
    assert (coarse["count"][0, :4] == 8.5).all()
    assert coarse["T"].attrs["cell_methods"].startswith("time: mean")


def test_means_are_of_what_was_there_whichever_level_that_was(tmp_path: Path):
    def wanted(x, y):
        return np.where(np.hypot(x - 4 - 3 * made.simulation.step, y - 4) < 2, 2, 0)

    made = changing(wanted)
    groups = FieldSeries(tmp_path / "s.zarr", 4, made.simulation, made.forest, made.shown, mean=1)
    one = FieldSeries(
        tmp_path / "u.zarr", 4, made.simulation, made.forest, made.shown, mean=1, level=0
    )
    states, leaves = [], set()
    for step in range(1, 5):
        made.simulation.run(1, progress=False)
        groups.write(step, step)
        one.write(step, step)
        states.append(made.T.resampled(2, "nearest").values)
        leaves.add(made.forest.leaves)
    assert len(leaves) > 2
    mean = np.mean(states, axis=0)
    for level in (2, 1, 0):
        found = group(tmp_path / "s.zarr", level)["T"][0].values
        is_leaf = np.isfinite(made.T.level(level).to_xarray().values)
        assert np.array_equal(np.isfinite(found), is_leaf)
        assert is_leaf.any()
        assert np.allclose(found[is_leaf], mean[is_leaf], rtol=1e-13)
        if level:
            mean = mean.reshape(len(mean) // 2, 2, len(mean) // 2, 2).mean((1, 3))
    with xarray.open_zarr(tmp_path / "u.zarr") as found:
        assert np.allclose(found["T"][0], mean, rtol=1e-13)


def test_means_of_faces_of_a_forest_are_refused(tmp_path: Path):
    made = forest()
    made.quantities = [Quantity("F", made.forest.field("F", location="x_face"))]
    with pytest.raises(GridError, match="'F' has values at 'x_face' along x, y; expected val"):
        series(tmp_path / "s.zarr", made, mean=1)


@pytest.mark.parametrize("given", [0, 1, 2])
def test_constants_are_stored_once_on_the_cells_of_each_level(tmp_path: Path, given):
    made = forest()
    x = made.forest.level(given).coordinates("center", box_of(made.forest.level(given).extent))[0]
    values = np.broadcast_to(3 * x, made.forest.level(given).extent)
    depth = Variable("depth", values, "m", "depth", grid=made.forest.level(given))
    for name, level in (("s.zarr", None), ("u.zarr", "finest")):
        write(tmp_path / name, made, 0, constants=(depth,), level=level)
    for level in range(3):
        found = group(tmp_path / "s.zarr", level)["depth"]
        assert found.dims == ("x", "y")
        assert np.allclose(found, np.broadcast_to(3 * found.x, found.T.shape).T)
    with xarray.open_zarr(tmp_path / "u.zarr") as found:
        assert found["depth"].shape == (32, 32)
        assert found["depth"].attrs["units"] == "m"


def test_what_a_failure_leaves_behind_is_not_taken_for_values_of_the_next_time(
    tmp_path: Path, monkeypatch
):
    path = tmp_path / "s.zarr"
    before, after = forest(1.0), forest(4.0)
    stored = series(path, before)

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(ZarrStore, "publish", full)
        with pytest.raises(OutputError, match=r"s\.zarr': No space left on device"):
            stored.write(0, 0.0)
    # As if the leaves had changed.
    stored._sections = series(tmp_path / "other.zarr", after)._sections
    stored.write(2, 0.5)
    assert int(group(path, 1)["T"].notnull().sum()) == 16 * 8
    assert np.array_equal(group(path, 1)["step"], [2])


@pytest.mark.parametrize("name", ["u.zarr", "u.nc"])
@pytest.mark.parametrize(("level", "prolongation"), [(0, "linear"), (1, "nearest"), (2, "linear")])
def test_all_levels_can_be_written_on_the_cells_of_one(tmp_path, name, level, prolongation):
    made, path = forest(), tmp_path / name
    write(path, made, 0, 2, level=level, prolongation=prolongation)
    with xarray.open_dataset(path, engine="zarr" if name == "u.zarr" else "h5netcdf") as found:
        values = found["T"].transpose("time", "x", "y")
        expected = made.T.resampled(level, prolongation)
        assert np.array_equal(values[1], 2 * expected)
        assert np.array_equal(found["x"], expected.x)
        assert found["count"].dtype == np.int32
        assert (found["count"][1] == 9).all()
        assert found.attrs["level"] == level
        assert found.attrs["prolongation"] == prolongation


def test_the_finest_is_that_which_the_forest_may_have(tmp_path: Path):
    path = tmp_path / "u.zarr"
    write(path, forest(), 0, level="finest")
    with xarray.open_zarr(path) as found:
        assert found["T"].shape == (1, 32, 32)


def test_a_region_and_a_precision_hold_for_each_level(tmp_path: Path):
    made = forest()
    for name, level in (("s.zarr", None), ("u.zarr", 1)):
        region = {"x": (2.6, 4.0), "y": (1.0, 2.0)}
        write(tmp_path / name, made, 0, region=region, precision="float32", level=level)
    found = group(tmp_path / "s.zarr", 1)
    whole = (2 * made.T.level(1).to_xarray()).astype("float32")
    assert found["T"].dtype == np.float32
    assert found["T"].shape == (1, 6, 4)
    assert np.array_equal(found["T"][0], whole[6:12, :4], equal_nan=True)
    assert "leaf" not in found
    with xarray.open_zarr(tmp_path / "u.zarr") as found:
        whole = (2 * made.T.resampled(1)).astype("float32")
        assert np.array_equal(found["T"][0], whole[6:12, :4])


def test_faces_are_written_on_their_levels(tmp_path: Path):
    made = forest()
    F = made.forest.field("F", location="x_face", dtype="float32")
    simulation = hc.Simulation(made.forest, [copy(F)], target="numpy", threads=1)
    F.set(lambda x, y: x + 0 * y)
    simulation.run(0, progress=False)
    made.quantities, made.simulation = (Quantity("F", F),), simulation
    write(tmp_path / "s.zarr", made, 0)
    found = group(tmp_path / "s.zarr", 1)["F"]
    assert found.dims == ("time", "x_face", "y")
    assert found.shape == (1, 17, 16)
    assert (found[0, -1] == 5.0).all()
    assert found[0, :8].isnull().all()


@hc.kernel
def copy(F):
    F[0, 0] = 1 * F[0, 0]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        (
            "s.nc",
            {},
            "The file 's.nc' has no groups for the levels of a forest; expected one level, or a "
            "Zarr store. Give level='finest' or the number of a level, or write a '.zarr'.",
        ),
        (
            "s.zarr",
            {"level": 3},
            "'level' was given 3; expected a whole number of at least 0 and at most 2. The finest "
            "is 2.",
        ),
        (
            "s.zarr",
            {"constants": (Variable("k", np.ones((8, 8)), "1", "", location="x_face"),)},
            "The constant 'k' has values at 'x_face' along x, y, z; expected values in the middle "
            "of cells of a forest.",
        ),
        (
            "s.zarr",
            {"constants": (Variable("k", np.ones((16, 16)), "1", ""),)},
            "The constant 'k' has 16x16 values; expected 8x8, one in each cell of its level. "
            "Without 'grid' that is the coarsest level.",
        ),
        (
            "s.zarr",
            {"constants": (Variable("k", np.ones((8, 8)), "1", "", grid=hc.Grid((8, 8))),)},
            "The constant 'k' is of another grid; expected one of a level. Give it "
            "grid=forest.level(1), or that of another level.",
        ),
        (
            "s.zarr",
            {"region": {"x": (7.0, 9.0)}},
            "No cell has its x between 7 and 9; cells have 1.25 to 4.75. Choose a wider part.",
        ),
    ],
)
def test_what_a_forest_cannot_have_is_refused_before_anything_is_written(
    tmp_path, name, options, message
):
    with pytest.raises(CaseError) as error:
        series(tmp_path / name, forest(), **options)
    assert message_of(error.value) == message
    assert not list(tmp_path.iterdir())


def test_an_unknown_prolongation_is_refused(tmp_path: Path):
    with pytest.raises(GridError, match="The prolongation 'cubic' is unknown"):
        series(tmp_path / "u.zarr", forest(), level=1, prolongation="cubic")


def test_a_resampled_file_that_does_not_fit_into_memory_is_refused(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("halocline.language.grids.resampled.free_memory", lambda: 1000.0)
    with pytest.raises(OutOfMemoryError, match=r"resampled to 32x32 cells takes 16\.4 kB on"):
        series(tmp_path / "u.zarr", forest(), level="finest")
    assert not list(tmp_path.iterdir())


def test_a_grid_has_no_level_and_fields_are_of_what_is_written(tmp_path: Path):
    made = forest()
    with pytest.raises(CaseError) as error:
        FieldSeries(
            tmp_path / "s.nc", 1, made.simulation, hc.Grid((4, 4)), made.quantities, level=1
        )
    assert message_of(error.value) == (
        "The file 's.nc' was asked for level 1, but the grid has no levels. Leave out 'level'."
    )
    with pytest.raises(CaseError, match="'T' has values on all levels of a forest"):
        FieldSeries(tmp_path / "s.nc", 1, made.simulation, hc.Grid((4, 4)), made.quantities)
    made.quantities = (replace(made.quantities[0], field=made.T.level(0)),)
    with pytest.raises(CaseError, match="'T' has values on one grid; expected a field on all"):
        series(tmp_path / "s.zarr", made)


def test_fields_with_fewer_axes_are_refused(tmp_path: Path):
    made = forest()
    made.quantities = (Quantity("h", made.forest.field("h", axes="x")),)
    with pytest.raises(CaseError, match="'h' has the axes x; expected all those of the forest"):
        series(tmp_path / "s.zarr", made)
