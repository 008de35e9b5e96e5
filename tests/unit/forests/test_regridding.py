"""Blocks of a forest are split and merged while it is used, and keep what they should."""

from __future__ import annotations

import numpy as np
import pytest
from many_ranks import virtual
from plain_forests import PlainForest, PlainRegrid, regraded
from unit.forests.test_forest_steps import balance, fluxes
from unit.forests.test_leaves import random_wanted

import halocline as hc
from halocline.jit import build
from halocline.runtime import memory

POISON = hc.Strategy(poison=True)
FINEST = 3


@hc.kernel
def idle(clock):
    clock[clock.here] = 0.0


def steps_of(forest):
    """Return steps that leave all fields alone but one of their own."""
    return [idle(forest.field("clock"))]


def made(extent, periodic, wanted, block=4):
    """Return a forest with a field and its simulation."""
    forest = hc.Forest(extent, block=block, finest=FINEST, refine=wanted, periodic=periodic)
    T = forest.field("T")
    return forest, T, hc.Simulation(forest, steps_of(forest), strategy=POISON)


def levels_at(forest):
    """Return the level of the leaf at each place, in blocks of the finest level."""
    shape = [n << FINEST for n in forest.leaves.shape]
    result = np.full(shape, -1)
    for level, positions in enumerate(forest.leaves.levels):
        width = 2 ** (FINEST - level)
        for position in positions:
            here = tuple(slice(n * width, (n + 1) * width) for n in position)
            assert (result[here] == -1).all()
            result[here] = level
    assert (result >= 0).all()
    return result


def arrays(field):
    """Return the values of all levels, not a number where there is no leaf."""
    result = []
    for level in field.levels:
        found = np.full(level.space.shape, np.nan)
        for block, values in zip(level.storage.blocks, level.local(), strict=True):
            found[block.box.slices((0,) * found.ndim)] = values
        result.append(found)
    return result


def highest(forest, wanted, level):
    """Return the highest level that is wanted in the leaf at each place, as 'levels_at'."""
    block, result = forest.leaves.block[0], np.zeros(level.shape)
    for l in range(FINEST + 1):
        at = [(np.arange(n * block * 2**l) + 0.5) / 2**l for n in forest.leaves.shape]
        values = wanted(*np.meshgrid(*at, indexing="ij", sparse=True))
        values = np.broadcast_to(values, [len(a) for a in at])
        for axis in range(values.ndim):
            values = np.maximum.reduceat(values, np.arange(0, values.shape[axis], block), axis=axis)
        values = PlainForest._spread(values, 2 ** (FINEST - l))
        result = np.where(level == l, values, result)
    return result


def start(*at):
    return 2 + sum(np.sin(3.7 * (n + 1) * x + n) for n, x in enumerate(at))


@pytest.mark.parametrize(("dimensions", "seed"), [(1, 0), (2, 0), (2, 1), (2, 2), (3, 0), (3, 1)])
def test_values_follow_as_in_a_plain_model(dimensions, seed):
    extent, periodic = (16, 24, 16)[:dimensions], (True, False, True)[:dimensions]
    forest, T, simulation = made(extent, periodic, random_wanted(seed, extent))
    T.set(start)
    simulation.run(0, progress=False)
    for other in (seed + 10, seed + 20):
        wanted = random_wanted(other, extent)
        level, before = levels_at(forest), arrays(T)
        expected = regraded(level, highest(forest, wanted, level), 0.5, periodic, FINEST)
        simulation.regrid(wanted)
        assert (levels_at(forest) == expected).all()
        moved = PlainRegrid(4, level, periodic, FINEST).moved(before)
        for found, right in zip(arrays(T), moved, strict=True):
            is_leaf = ~np.isnan(found)
            assert np.allclose(found[is_leaf], right[is_leaf], rtol=0, atol=1e-14)


def content(field):
    share = 0.5**field.forest.dimensions
    return sum(a.sum() * share**l for l, f in enumerate(field.levels) for a in f.local())


@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_content_is_kept_and_no_sign_changes(dimensions):
    extent, periodic = (16, 24, 16)[:dimensions], (True, False, True)[:dimensions]
    _, T, simulation = made(extent, periodic, random_wanted(0, extent))
    T.set(lambda *at: np.exp(-sum((x - 7) ** 2 for x in at)) ** 3)
    simulation.run(0, progress=False)
    before = content(T)
    for seed in range(1, 9):
        simulation.regrid(random_wanted(seed, extent))
        assert abs(content(T) / before - 1) < 1e-13
        assert all((a >= 0).all() for f in T.levels for a in f.local())


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "bool"])
def test_a_constant_stays_the_same_to_the_bit(dtype):
    forest = hc.Forest((16, 16, 16), block=4, finest=FINEST, refine=random_wanted(3, (16, 16, 16)))
    T = forest.field("T", dtype=dtype, components=2)
    face = forest.field("face", location="y_face", coupling="flux")
    simulation = hc.Simulation(forest, steps_of(forest))
    T.set(1 if dtype in ("int32", "bool") else 0.1)
    face.set(0.3)
    simulation.run(0, progress=False)
    value = T.level(0).local()[0].flat[0]
    for seed in range(4, 8):
        simulation.regrid(random_wanted(seed, (16, 16, 16)))
        assert all((a == value).all() for f in T.levels for a in f.local())
        assert all((a == 0.3).all() for f in face.levels for a in f.local())


@hc.kernel
def look_beside(material, seen):
    seen[0, 0] = hc.maximum(material[-1, 0], material[1, 0])


def test_names_of_materials_stay_names_that_there_are():
    """Where finer cells are read across a border, resampled or merged, no mean makes another."""
    forest = hc.Forest((16, 16), block=4, finest=1, refine=lambda x, y: np.where(x < 8, 1, 0))
    material = forest.field("material", dtype="int32")
    seen = forest.field("seen", dtype="int32", coupling="none")
    simulation = hc.Simulation(forest, [look_beside(material, seen)], target="numpy", threads=1)
    for side in ("x-", "x+"):
        material.boundary(side, hc.Neumann(0))
    material.set(lambda x, y: np.where(np.floor(2 * x) % 2 == 0, 3, 8))
    simulation.run(1, progress=False)
    assert {n for a in arrays(seen) for n in a[~np.isnan(a)]} == {3, 8}
    assert set(material.resampled(0).values.flat) == {3, 8}
    simulation.regrid(lambda x, y: 0 * x)
    assert sum(map(len, forest.leaves.levels)) == 16
    assert set(material.resampled(0).values.flat) == {3, 8}


def test_coupling_says_what_split_and_merged_cells_get():
    forest = hc.Forest((16, 8), block=4, finest=1, refine=lambda x, y: 0, periodic=False)
    linear, constant = forest.field("linear"), forest.field("constant", coupling="constant")
    given, face = forest.field("given", coupling="none"), forest.field("face", location="x_face")
    simulation = hc.Simulation(forest, steps_of(forest))
    for field in (linear, constant, given, face):
        field.set(lambda x, y: 3 * x + y)
    simulation.run(0, progress=False)
    assert simulation.regrid(lambda x, y: np.where(x < 8, 1, 0) + 0 * y)
    x, y = (np.arange(2, 14) + 0.5) / 2, (np.arange(2, 14)[None, :] + 0.5) / 2
    exact = 3 * x[:, None] + y
    # Beside closed sides nothing is known beyond.
    assert np.allclose(linear.level(1).gather()[2:14, 2:14], exact, atol=1e-13)
    children = constant.level(1).gather()[:16]
    assert (children[1::2] == children[::2]).all()
    assert np.allclose(given.level(1).gather()[2:14, 2:14], exact, atol=1e-13)
    assert np.allclose(face.level(1).gather()[2:14, 2:14], exact - 0.75, atol=1e-13)
    given.set(lambda x, y: x * x)
    assert simulation.regrid(lambda x, y: 0 * x * y)
    middle = np.arange(16) + 0.5
    assert (given.level(0).gather() == (middle * middle)[:, None]).all()
    assert np.allclose(
        face.level(0).gather()[1:16, 1:7], 3 * np.arange(1, 16)[:, None] + middle[1:7]
    )


def test_a_field_without_an_axis_gets_what_it_was_set_to():
    forest = hc.Forest((16, 16), block=8, finest=1, refine=lambda x, y: np.where(x < 4, 1, 0))
    profile = forest.field("profile", axes="x")
    simulation = hc.Simulation(forest, steps_of(forest))
    profile.set(lambda x: 3 * x)
    simulation.run(0, progress=False)
    assert simulation.regrid(lambda x, y: np.where(x > 12, 1, 0) + 0 * y)
    assert (profile.level(1).gather()[16:] == 3 * (np.arange(16, 32) + 0.5) / 2).all()
    assert (profile.level(0).gather()[:8] == 3 * (np.arange(8) + 0.5)).all()


def test_reductions_count_the_leaves_that_there_are_now():
    simulation, _, T = heated(lambda x, y: 0)
    T.set(lambda x, y: 1 + x)
    warmest, content_ = hc.max(T), hc.sum(T)
    before = simulation.reduce(content_)
    assert simulation.reduce(warmest) == 1 + 31.5
    simulation.regrid(lambda x, y: np.where(x > 2, 1, 0) + 0 * y)
    assert simulation.reduce(content_) == pytest.approx(before, rel=1e-15)
    assert simulation.reduce(warmest) == max(a.max() for f in T.levels for a in f.local())


def test_a_device_has_the_same_bits():
    def done(device):
        simulation, _, T = heated(lambda x, y: 0, device=device)
        simulation.run(2, progress=False)
        for middle in (8, 12):
            simulation.regrid(lambda x, y, m=middle: np.where(np.hypot(x - m, y - m) < 4, 2, 0))
            simulation.run(2, progress=False)
        return [a.tobytes() for f in T.levels for a in f.local()]

    assert done("emulated:3") == done("cpu")


def heated(wanted, **options):
    """Return a simulation of heat in a square of blocks, and its forest and field."""
    forest = hc.Forest((32, 32), block=8, finest=2, periodic=True, refine=wanted)
    T = forest.field("T")
    Fx = forest.field("Fx", location="x_face", coupling="flux")
    Fy = forest.field("Fy", location="y_face", coupling="flux")
    k = hc.PerLevel(lambda level: 0.05 * 2**level)
    steps = [fluxes(T, Fx, Fy, k=k), balance(T, Fx, Fy)]
    simulation = hc.Simulation(forest, steps, strategy=POISON, **options)
    T.set(lambda x, y: np.exp(-((x - 12) ** 2 + (y - 16) ** 2) / 4))
    return simulation, forest, T


def test_blocks_follow_a_source_every_few_steps_and_content_stays():
    def wanted(x, y):
        return np.where(np.hypot(x - 8 - 0.3 * simulation.step, y - 16) < 3, 2, 0)

    simulation, forest, T = heated(
        lambda x, y: np.where(np.hypot(x - 8, y - 16) < 3, 2, 0), refine=hc.Refine(wanted, every=4)
    )
    simulation.run(0, progress=False)
    before, seen = content(T), set()
    for _ in range(5):
        simulation.run(8, progress=False)
        seen.add(forest.leaves)
        assert forest.leaves.is_refined(0, (int((8 + 0.3 * simulation.step) // 8), 1))
    assert len(seen) > 1
    assert abs(content(T) / before - 1) < 1e-13


def test_runs_of_any_length_give_the_same_bits():
    def done(*runs):
        simulation, _, T = heated(
            lambda x, y: 0, refine=hc.Refine(lambda x, y: wanted(x, y, simulation), every=3)
        )
        for steps in runs:
            simulation.run(steps, progress=False)
        return [a.tobytes() for f in T.levels for a in f.local()]

    def wanted(x, y, simulation):
        return np.where(np.hypot(x - simulation.step, y - 16) < 3, 2, 0)

    assert done(11) == done(1, 2, 0, 5, 3) == done(3, 3, 3, 2)


def test_a_criterion_in_the_language_refines_where_it_says():
    forest = hc.Forest((32, 32), block=8, finest=2, periodic=True, refine=lambda x, y: 0)
    T, wanted = forest.field("T"), forest.field("wanted", dtype="int32", coupling="none")

    @hc.kernel
    def steep(T, wanted):
        wanted[0, 0] = hc.where(abs(T[1, 0] - T[-1, 0]) > 0.1, 2, 0)

    steps = [*steps_of(forest), hc.every(2, steep(T, wanted))]
    simulation = hc.Simulation(forest, steps, refine=hc.Refine(wanted, every=2))
    T.set(lambda x, y: np.where((x > 4) & (x < 20), 1, 0) + 0 * y)
    simulation.run(4, progress=False)
    columns = {position[0] for position in forest.leaves.levels[2]}
    # Where the steps are, at 4 and 20, in blocks of 2 cells of the coarsest level.
    assert {1, 2, 9, 10} <= columns
    assert not columns & {5, 6, 13, 14}


def test_what_is_wanted_may_swing_within_the_slack():
    simulation, forest, _ = heated(lambda x, y: 0)
    simulation.run(0, progress=False)
    for level, is_split in ((1.0, True), (0.6, False), (1.3, False), (0.5, False)):
        assert simulation.regrid(lambda x, y, level=level: level + 0 * x * y) == is_split
    assert simulation.regrid(lambda x, y: 0.49 + 0 * x * y)
    assert not len(forest.leaves.levels[1])


def test_nothing_is_compiled_when_blocks_change(monkeypatch):
    simulation, forest, _ = heated(lambda x, y: 0)
    simulation.run(2, progress=False)

    def compiled(*_):
        raise AssertionError

    monkeypatch.setattr(build, "_compile", compiled)
    for middle in (8, 12, 16):
        assert simulation.regrid(lambda x, y, m=middle: np.where(np.hypot(x - m, y - m) < 3, 2, 0))
        simulation.run(2, progress=False)
    assert len(forest.leaves.levels[2])


def test_steps_are_traced_and_bound_once_for_forests_that_look_the_same_to_them():
    forest, _, simulation = made((16, 16), True, lambda x, y: 0 * x * y)
    coarse, steps, known = forest.leaves, simulation.steps, simulation._planner.known
    program = simulation._planner.bound()
    fine = hc.Forest((16, 16), block=4, finest=FINEST, refine=lambda x, y: 1 + 0 * x * y).leaves
    simulation.refit(fine)
    assert simulation.steps != steps
    assert simulation._planner.known is not known
    simulation.refit(coarse)
    assert simulation.steps is steps
    assert simulation._planner.bound() is program


def test_leaves_may_go_to_any_ranks():
    simulation, forest, T = heated(lambda x, y: np.where(x < 4, 1, 0) + 0 * y)
    simulation.run(3, progress=False)
    before = arrays(T)
    simulation.rebuild(decomposition=hc.Owners([0] * forest.leaves.count))
    for found, right in zip(arrays(T), before, strict=True):
        assert np.array_equal(found, right, equal_nan=True)
    with pytest.raises(hc.HaloclineError, match="2 owners were given for the 28 leaves"):
        simulation.rebuild(decomposition=hc.Owners((0, 0)))


def left_over(owners):
    """Return what is said of owners of leaves, and whether fields are as before."""
    simulation, _, T = heated(lambda x, y: np.where(x < 4, 1, 0) + 0 * y)
    simulation.run(1, progress=False)
    before = [one.tobytes() for one in arrays(T)]
    message = ""
    try:
        simulation.rebuild(decomposition=hc.Owners(owners))
    except hc.HaloclineError as error:
        message = str(error)
    kept = before == [one.tobytes() for one in arrays(T)]
    simulation.run(1, progress=False)
    return message, kept


OWNERS = {
    "a rank without a leaf": ([0, 2] * 14, "so that rank 1 has none, of 3 rank(s)"),
    "the last rank without": ([0, 1] * 14, "so that rank 2 has none, of 3 rank(s)"),
    "a rank too many": ([0, 1, 2, 3] * 7, "so that rank 3 has some, of 3 rank(s)"),
    "no whole number": ([0.5] * 28, "'ranks' of 'hc.Owners' was given 0.5; expected a whole"),
    "no ranks": (3, "'hc.Owners' was given 3; expected a rank for each leaf"),
}


@pytest.mark.parametrize("mistake", OWNERS)
def test_owners_that_do_not_fit_are_refused_before_a_field_has_moved(mistake):
    owners, message = OWNERS[mistake]
    found, is_kept = virtual(3)(left_over, owners)
    assert message in found
    assert is_kept


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (2, "was given refine=2; expected a field of the forest with one component"),
        (lambda x, y: x * np.nan + y, r"the level float64 nan at \(0.5, 0.5\); expected a number"),
        (
            lambda x, y: x + 1j * y,
            r"returned complex128 values near \(0.5, 0.5\); expected a number",
        ),
    ],
)
def test_what_wants_no_level_is_refused(wanted, message):
    simulation, forest, _ = heated(lambda x, y: 0)
    before = forest.leaves
    with pytest.raises(hc.HaloclineError, match=message):
        simulation.regrid(wanted)
    assert forest.leaves == before


def test_a_grid_has_no_blocks_to_split():
    grid = hc.Grid((8, 8), periodic=True)
    steps = [idle(grid.field("clock"))]
    with pytest.raises(hc.HaloclineError, match="called for a grid of 8x8 cells; expected a for"):
        hc.Simulation(grid, steps).regrid(lambda x, y: 0)
    with pytest.raises(hc.HaloclineError, match="called for a grid of 8x8 cells; expected a for"):
        hc.Simulation(grid, steps, refine=hc.Refine(lambda x, y: 0))


def test_blocks_for_which_there_is_no_memory_are_refused_and_nothing_has_moved(monkeypatch):
    simulation, forest, T = heated(lambda x, y: 0)
    simulation.run(1, progress=False)
    before, values = forest.leaves, arrays(T)
    monkeypatch.setattr(memory, "free_memory", lambda: 1000.0)
    with pytest.raises(
        hc.errors.OutOfMemoryError,
        match="The forest has 2560 cells: 512 of level 0, 2048 of level 1",
    ):
        simulation.regrid(lambda x, y: np.where(x < 16, 1, 0) + 0 * y)
    assert forest.leaves == before
    monkeypatch.undo()
    for found, right in zip(arrays(T), values, strict=True):
        assert np.array_equal(found, right, equal_nan=True)
    simulation.run(1, progress=False)
    assert simulation.regrid(lambda x, y: np.where(x < 16, 1, 0) + 0 * y)
