"""Fields of forests on one resolution, and those of a level with coordinates."""

from __future__ import annotations

import numpy as np
import pytest
from errors.telling import message_of

import halocline as hc
from halocline.errors import GridError, OutOfMemoryError


@hc.kernel
def keep(T):
    one = T[0] if T.components > 1 else T
    one[T.here] = 1 * one[T.here]


def around_the_middle(*at):
    distance = sum((x - 8.0) ** 2 for x in at) ** 0.5
    return np.where(distance < 2, 2, np.where(distance < 6, 1, 0))


def stored(values, dimensions=2, *, periodic=False, **options):
    """Return a field on three levels that has been set."""
    extent = (16,) * dimensions
    forest = hc.Forest(extent, block=4, finest=2, refine=around_the_middle, periodic=periodic)
    T = forest.field("T", **options)
    simulation = hc.Simulation(forest, [keep(T)], target="numpy", threads=1)
    T.set(values)
    simulation.run(0, progress=False)
    assert forest.levels == 3
    return T


def cell_by_cell(T, level):
    """Return what each cell of a level gets: the value of the leaf around it, or leaves' mean."""
    leaves = [field.to_xarray().values for field in T.levels]

    def value(on, cell):
        for coarser in range(on, -1, -1):
            found = leaves[coarser][tuple(n >> (on - coarser) for n in cell)]
            if not np.isnan(found):
                return found
        children = [2 * np.array(cell) + half for half in np.ndindex((2,) * len(cell))]
        return np.mean([value(on + 1, tuple(child)) for child in children])

    shape = [n << level for n in T.forest.grid.extent]
    return np.array([value(level, cell) for cell in np.ndindex(*shape)]).reshape(shape)


@pytest.mark.parametrize("level", [0, 1, 2])
@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_nearest_takes_the_leaf_around_a_cell_or_the_mean_of_those_inside(level, dimensions):
    T = stored(lambda *at: np.sin(sum((i + 1.0) * x for i, x in enumerate(at))), dimensions)
    found = T.resampled(level, "nearest")
    if dimensions < 3 or level == 0:
        assert np.allclose(found, cell_by_cell(T, level), rtol=1e-14, atol=0)
    assert found.shape == tuple(n << level for n in T.forest.grid.extent)


@pytest.mark.parametrize("level", [0, 1, 2])
def test_linear_functions_are_exact_and_constants_the_same_to_the_bit(level):
    T = stored(lambda x, y, z: 2.0 - x + 0.5 * y + 0.25 * z, 3)
    found = T.resampled(level)
    assert np.allclose(found, 2.0 - found.x + 0.5 * found.y + 0.25 * found.z, rtol=0, atol=1e-13)
    assert (stored(1 / 3).resampled(level) == 1 / 3).all()


@pytest.mark.parametrize("prolongation", ["linear", "nearest"])
@pytest.mark.parametrize("level", [0, 1, 2])
@pytest.mark.parametrize("periodic", [True, (False, True)])
def test_the_content_is_that_of_the_leaves(level, prolongation, periodic):
    T = stored(lambda x, y: np.exp(0.1 * x) * np.cos(y), periodic=periodic)
    content = sum(float(one.to_xarray().sum()) / 4**n for n, one in enumerate(T.levels))
    found = float(T.resampled(level, prolongation).sum()) / 4**level
    assert found == pytest.approx(content, rel=1e-12)


def test_linear_interpolation_goes_on_across_a_periodic_side():
    T = stored(lambda x, y: np.cos(np.pi * x / 8) + 0 * y, periodic=True)
    found = T.resampled(1).values[:, 0]
    coarse = T.level(0).to_xarray().values[:, 0]
    change = (coarse[1] - coarse[-1]) / 8
    assert np.allclose(found[:2], [coarse[0] - change, coarse[0] + change], rtol=1e-15, atol=0)


def test_the_finest_level_is_taken_if_none_is_named_and_components_come_first():
    T = stored(lambda x, y: (x + 0 * y, y + 0 * x), components=2, unit="m")
    found = T.resampled()
    assert found.dims == ("component", "x", "y")
    assert found.shape == (2, 64, 64)
    assert np.allclose(found.x[:2], [0.125, 0.375])
    assert np.allclose(found[1, 5], found.y)
    assert (found.name, found.attrs["units"]) == ("T", "m")


@pytest.mark.parametrize("level", [0, 1, 2])
def test_great_values_of_sixteen_bits_stay_finite(level):
    T = stored(lambda x, y: 60000.0 + 0.0 * x * y, dtype="float16")
    found = T.resampled(level)
    assert found.dtype == np.float16
    assert (found == np.float16(60000.0)).all()


def test_whole_numbers_stay_whole():
    T = stored(lambda x, y: (x + y).astype(int), dtype="int32")
    for level in range(3):
        found = T.resampled(level)
        assert found.dtype == np.int32
    # The first cell of level 2 in each of level 0 at the middle.
    assert found[32, 32] == T.resampled(0)[8, 8] == 16


def test_a_level_with_coordinates_has_no_values_outside_its_leaves():
    T = stored(lambda x, y: x + y)
    for level, field in enumerate(T.levels):
        found = field.to_xarray()
        leaves = T.forest.leaves.boxes(level)
        assert int(found.notnull().sum()) == 16 * len(leaves)
        assert found.dropna("x", how="all").notnull().any()
        for box in leaves:
            here = found[box.slices((0, 0))]
            assert np.allclose(here, here.x + here.y)


def test_faces_that_close_the_domain_belong_to_the_leaves_beside():
    F = stored(lambda x, y: 1.0 + x + 0 * y, location="x_face")
    found = F.level(0).to_xarray()
    assert found.shape == (17, 16)
    assert found[16, 0] == 17.0


def test_faces_may_be_set_before_the_simulation_is_made():
    forest = hc.Forest((8, 8), block=4, refine=lambda x, y: (x < 1) + 0 * y)
    F = forest.field("F", location="x_face")
    F.set(lambda x, y: x + 0 * y)
    hc.Simulation(forest, [keep(F)], target="numpy", threads=1).run(0, progress=False)
    assert F.level(0).to_xarray()[8, 0] == 8.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda T: T.resampled(3),
            "'resampled' of field 'T' was given 3; expected a whole number of at least 0 and at "
            "most 2.",
        ),
        (
            lambda T: T.level(-1),
            "'level' of field 'T' was given -1; expected a whole number of at least 0 and at "
            "most 2.",
        ),
        (
            lambda T: T.resampled(1, "cubic"),
            "The prolongation 'cubic' is unknown. Known are: linear, nearest.",
        ),
    ],
)
def test_what_there_is_not_is_refused(call, message):
    with pytest.raises(GridError) as error:
        call(stored(0.0))
    assert str(error.value).endswith(message)


def test_values_on_faces_are_not_brought_together():
    with pytest.raises(GridError) as error:
        stored(0.0, location="x_face").resampled()
    assert str(error.value).endswith(
        "Field 'T' has values at 'x_face' along x, y; expected values in the middle of cells to "
        "bring levels together. The values of one level: T.level(0)."
    )


def test_what_does_not_fit_into_memory_is_refused(monkeypatch):
    T = stored(0.0)
    monkeypatch.setattr("halocline.language.grids.resampled.free_memory", lambda: 50_000.0)
    assert T.resampled(1).shape == (32, 32)
    with pytest.raises(OutOfMemoryError) as error:
        T.resampled(2)
    assert str(error.value).endswith(
        "Field 'T' resampled to 64x64 cells takes 65.5 kB on rank 0, where 50.0 kB are free. "
        "Ask for a coarser level."
    )


def test_before_the_first_run_there_is_nothing_to_resample():
    forest = hc.Forest((8, 8), block=4, refine=lambda x, y: 0 * x + 0 * y)
    with pytest.raises(GridError, match="Field 'T' is not stored yet"):
        forest.field("T").resampled()


def test_a_level_that_is_too_fine_is_refused_but_one_without_leaves_may_be_resampled_to():
    forest = hc.Forest((8, 8), block=4, finest=2, refine=lambda x, y: (x < 1) + 0 * y)
    T = forest.field("T")
    with pytest.raises(GridError) as error:
        T.level(3)
    assert message_of(error.value) == (
        "'level' of field 'T' was given 3; expected a whole number of at least 0 and at most 2."
    )
    hc.Simulation(forest, [keep(T)], target="numpy", threads=1).run(0, progress=False)
    assert T.resampled().shape == (32, 32)
