"""A forest goes on from a checkpoint with its blocks as they were, to the same bits."""

from __future__ import annotations

import numpy as np
import pytest
from unit.forests.test_regridding import heated

import halocline as hc
from halocline.io.checkpoint import bytes_kept, load, save


def following(start, **options):
    """Return heat whose blocks follow a moving place."""

    def wanted(x, y):
        return np.where(np.hypot(x - 8 - 0.5 * simulation.step, y - 16) < 3, 2, 0)

    refine = hc.Refine(wanted, every=4)
    simulation, forest, T = heated(start, refine=refine, **options)
    return simulation, forest, T


def bits(T):
    return [(f.name, [a.tobytes() for a in f.local()]) for f in T.levels]


@pytest.mark.parametrize("before", [0, 6, 8])
def test_a_run_that_goes_on_has_the_bits_of_one_that_went_through(tmp_path, before):
    through, _, right = following(lambda x, y: np.where(x < 8, 2, 0) + 0 * y)
    through.run(13, progress=False)
    first, forest, _ = following(lambda x, y: np.where(x < 8, 2, 0) + 0 * y)
    first.run(before, progress=False)
    save(first, tmp_path / "saved.npz")
    second, other, T = following(lambda x, y: np.where(y > 20, 1, 0) + 0 * x)
    load(second, tmp_path / "saved.npz")
    assert other.leaves == forest.leaves
    second.run(13 - before, progress=False)
    assert bits(T) == bits(right)


def test_closed_sides_and_faces_are_kept_too(tmp_path):
    def made(wanted):
        forest = hc.Forest((16, 16), block=4, finest=1, refine=wanted)
        F = forest.field("F", location="y_face")

        @hc.kernel
        def idle(F, T):
            T[0, 0] = F[0, 0]

        return hc.Simulation(forest, [idle(F, forest.field("T"))]), F

    first, F = made(lambda x, y: np.where(x > y, 1, 0))
    F.set(lambda x, y: np.sin(x + 3 * y))
    save(first, tmp_path / "saved.npz")
    second, found = made(lambda x, y: 0)
    load(second, tmp_path / "saved.npz")
    assert all(np.array_equal(f.gather(), g.gather()) for f, g in zip(F.levels, found.levels))


def test_what_it_takes_is_known_before(tmp_path):
    simulation, _, _ = heated(lambda x, y: np.where(x < 8, 2, 0) + 0 * y)
    expected = bytes_kept(simulation.grid, simulation.steps)
    save(simulation, tmp_path / "saved.npz")
    # Faces at the ends, heads of arrays and the lists of blocks come on top of the values.
    found = (tmp_path / "saved.npz").stat().st_size
    assert expected <= found <= 1.1 * expected + 10_000


def test_another_forest_is_refused(tmp_path):
    first, _, _ = following(lambda x, y: 0)
    save(first, tmp_path / "saved.npz")
    forest = hc.Forest((32, 32), block=16, finest=2, periodic=True, refine=lambda x, y: 0)
    one = forest.field("T")

    @hc.kernel
    def idle(T):
        T[0, 0] = 0.0

    with pytest.raises(
        hc.HaloclineError, match=r"written with forest = \[\[8, 8\], 2, 2\]; this run"
    ):
        load(hc.Simulation(forest, [idle(one)]), tmp_path / "saved.npz")
