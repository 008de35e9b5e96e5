"""Fields of integers of all types: stored, moved between blocks, summed, written and read again."""

from __future__ import annotations

import numpy as np
import pytest
import xarray
from test_vtk import read

import halocline as hc
from halocline.io.checkpoint import load, save
from halocline.io.field_series import FieldSeries
from halocline.io.quantity import Quantity
from halocline.io.vtk import VtkSeries

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
EXTENT = (9, 7)


@hc.kernel
def move(a, b):
    b[0, 0] = a[-1, 0] + a[0, 1] * 3


def moving(dtype, **options):
    """Return a simulation whose kernel reads across sides, and the first values."""
    grid = hc.Grid(EXTENT, periodic=(False, True))
    a, b = grid.field("a", dtype=dtype), grid.field("b", dtype=dtype)
    limits = np.iinfo(dtype)
    rng = np.random.default_rng(4)
    values = rng.integers(limits.min, limits.max, EXTENT, dtype, endpoint=True)
    a.set(values)
    a.boundary("x-", hc.Dirichlet(1))
    simulation = hc.Simulation(grid, [move(a, b), hc.swap(a, b)], threads=1, **options)
    return grid, simulation, values


def moved(values):
    """Return what a step makes of them; beyond the low side along x lies something else."""
    return np.roll(values, 1, 0) + np.roll(values, -1, 1) * 3


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"blocks": 3, "strategy": hc.Strategy(poison=True)},
        {"target": "numpy"},
        {"device": "emulated:4", "blocks": 2},
    ],
    ids=("one block", "blocks", "numpy", "emulated"),
)
def test_values_cross_sides_and_blocks(dtype, options):
    grid, simulation, values = moving(dtype, **options)
    simulation.run(1, progress=False)
    found = grid.fields["a"].gather()
    assert found.dtype == np.dtype(dtype)
    assert (found[1:] == moved(values)[1:]).all()
    assert simulation.reduce(hc.sum(grid.fields["a"])) == float(sum(map(int, found.ravel())))
    arrays = [np.from_dlpack(there) for there in grid.fields["a"].on_device()]
    assert {array.dtype for array in arrays} == {np.dtype(dtype)}
    assert sum(array.size for array in arrays) == found.size


@pytest.mark.parametrize("dtype", INTEGERS)
def test_checkpoints_hold_them(dtype, tmp_path):
    grid, simulation, _ = moving(dtype, target="numpy")
    simulation.run(1, progress=False)
    save(simulation, tmp_path / "checkpoint.npz")
    other, again, _ = moving(dtype, target="numpy")
    other.fields["a"].set(0)
    load(again, tmp_path / "checkpoint.npz")
    for each in (simulation, again):
        each.run(2, progress=False)
    assert (grid.fields["a"].gather() == other.fields["a"].gather()).all()


@pytest.mark.parametrize("dtype", INTEGERS)
def test_output_holds_them(dtype, tmp_path):
    grid, simulation, values = moving(dtype, target="numpy")
    simulation.run(0, progress=False)
    quantity = Quantity("a", grid.fields["a"])
    VtkSeries(tmp_path, 1, simulation, grid, (quantity,)).write(0, 0.0)
    _, arrays = read(tmp_path / "vtk" / "step_000000000.vti")
    assert (values == arrays["a"].reshape(EXTENT[::-1]).T).all()
    for name, engine in (("series.zarr", "zarr"), ("series.nc", "h5netcdf")):
        FieldSeries(tmp_path / name, 1, simulation, grid, (quantity,)).write(0, 0.0)
        with xarray.open_dataset(tmp_path / name, mask_and_scale=False, engine=engine) as found:
            assert found["a"].dtype == np.dtype(dtype)
            assert (values == found["a"].isel(time=0).transpose("x", "y").to_numpy()).all()


@pytest.mark.parametrize("dtype", INTEGERS)
def test_extremes_and_sums_along_an_axis(dtype):
    grid, simulation, values = moving(dtype, target="numpy")
    profile = grid.field("profile", dtype=dtype, axes="x")
    simulation.run(0, progress=False)
    for reduce, known in ((hc.min, values.min(1)), (hc.max, values.max(1))):
        simulation.execute(*reduce(grid.fields["a"], over="y", into=profile))
        assert (profile.gather() == known).all()
    simulation.execute(*hc.sum(grid.fields["a"], over="y", into=profile))
    assert (profile.gather() == values.sum(1, dtype=dtype)).all()
