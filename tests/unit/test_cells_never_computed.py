"""The search for values that are not numbers leaves out cells that no kernel computes."""

import numpy as np
import pytest

import halocline as hc
from halocline.errors import DivergedError

LAND = np.zeros((8, 6), bool)
LAND[2:5, 1:4] = True


@hc.kernel
def warm(old, new):
    new[0, 0] = old + 1.0


@hc.kernel
def spoil(T, mask):
    T[0, 0] = hc.where(mask == 2, np.nan, T)


@hc.kernel
def grow(mask):
    mask[0, 0] = mask


def grid_with_land(**options):
    grid = hc.Grid((8, 6), periodic=(True, False))
    u, v = grid.field("u", **options), grid.field("v", **options)
    water = grid.field("water", dtype="uint8")
    missing = np.where(LAND, np.nan, 0.0)
    for field in (u, v):
        field.set(np.stack([missing] * field.components) if field.components > 1 else missing)
    water.set(~LAND)
    return grid, u, v, water


@pytest.mark.parametrize("device", ["cpu", "emulated"])
def test_cells_outside_a_mask_may_hold_nan(device):
    grid, u, v, water = grid_with_land()
    steps = [warm(u, v, on=water), hc.swap(u, v)]
    simulation = hc.Simulation(grid, steps, check_every=1, device=device)
    simulation.run(3)
    np.testing.assert_array_equal(u.gather(), np.where(LAND, np.nan, 3.0))


@pytest.mark.parametrize("device", ["cpu", "emulated"])
def test_cells_of_a_mask_may_not(device):
    grid, u, _, water = grid_with_land()
    water.set(np.where(LAND, 0, np.where(np.arange(6) == 4, 2, 1)))
    simulation = hc.Simulation(grid, [spoil(u, water, on=water)], check_every=1, device=device)
    with pytest.raises(DivergedError, match=r"'u' is not a number in cell \(0, 4\) at step 1\."):
        simulation.run(3)


def test_cells_outside_a_box_may_hold_nan():
    grid, u, v, _ = grid_with_land()
    hc.Simulation(grid, [warm(u, v, on=hc.Box((0, 4), (8, 6)))], check_every=1).run(2)
    with pytest.raises(DivergedError, match=r"'v' is not a number in cell \(3, 3\)"):
        hc.Simulation(grid, [warm(u, v, on=hc.Box((3, 3), (8, 6)))], check_every=1).run(2)


def test_a_mask_without_an_axis_holds_along_it():
    grid = hc.Grid((8, 6, 3))
    T, water = grid.field("T"), grid.field("water", axes="xy", dtype="uint8")

    @hc.kernel
    def cool(T):
        T[0, 0, 0] = T - 1.0

    T.set(np.where(LAND[:, :, None], np.nan, np.ones((8, 6, 3))))
    water.set(~LAND)
    hc.Simulation(grid, [cool(T, on=water)], check_every=1).run(2)
    water.set(1)
    with pytest.raises(DivergedError, match=r"'T' is not a number in cell \(2, 1, 0\)"):
        hc.Simulation(grid, [cool(T, on=water)], check_every=1).run(2)


def test_two_masks_are_searched_where_either_is_true():
    grid, u, v, water = grid_with_land()
    other = grid.field("other", dtype="uint8")
    other.set(lambda x, y: (x > 4) & (x < 5))
    steps = [warm(u, v, on=water), warm(u, v, on=other)]
    with pytest.raises(DivergedError, match=r"'v' is not a number in cell \(4, 1\)"):
        hc.Simulation(grid, steps, check_every=1).run(1)


def test_a_mask_that_a_kernel_changes_hides_nothing():
    """It may follow from the field itself: then nobody would see where that is lost."""
    grid, u, v, water = grid_with_land()
    with pytest.raises(DivergedError, match=r"'v' is not a number in cell \(2, 1\)"):
        hc.Simulation(grid, [warm(u, v, on=water), grow(water)], check_every=1).run(1)


def test_each_rank_searches_its_cells_of_a_mask():
    def main():
        grid, u, v, water = grid_with_land(components=2)

        @hc.kernel
        def both(old, new):
            for q in range(2):
                new[q][0, 0] = old[q] + 1.0

        steps = [both(u, v, on=water), hc.swap(u, v)]
        hc.Simulation(grid, steps, check_every=1, blocks=2).run(3)
        return u[...]

    for values in hc.on_virtual_ranks(3, main):
        np.testing.assert_array_equal(values[1], np.where(LAND, np.nan, 3.0))
