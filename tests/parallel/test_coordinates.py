"""Every cell filled with its own number: after an exchange each halo cell says where it is from."""

from __future__ import annotations

import numpy as np
import pytest
from many_ranks import mpi, virtual
from parallel.fill_coordinates import EXTENT, OFFSETS, expected, look, seen

import halocline as hc


@pytest.mark.parametrize("neighbours", ["direct", "staged"])
@pytest.mark.parametrize("shape", [(2, 1, 1), (1, 2, 1), (1, 1, 2)])
@pytest.mark.parametrize("ranks", [virtual(2), mpi(2)], ids=str)
def test_exchange_on_two_periodic_ranks_keeps_left_and_right_apart(ranks, shape, neighbours):
    np.testing.assert_array_equal(ranks(seen, shape, neighbours), expected())


@pytest.mark.parametrize("neighbours", ["direct", "staged"])
@pytest.mark.parametrize("shape", [(2, 2, 2), (1, 5, 4), (6, 5, 4), (3, 1, 2), (1, 1, 1)])
def test_blocks_of_one_process_see_the_right_neighbours(shape, neighbours):
    strategy = hc.Strategy(neighbours=neighbours, poison=True)
    blocks = int(np.prod(shape))
    found = look(decomposition=shape, blocks=blocks, strategy=strategy, threads=1, target="numpy")
    assert found.shape == (len(OFFSETS), *EXTENT)
    np.testing.assert_array_equal(found, expected())


@pytest.mark.parametrize("ranks", [virtual(4), mpi(4)], ids=str)
def test_four_ranks_on_two_periodic_axes_see_the_right_corners(ranks):
    np.testing.assert_array_equal(ranks(seen, (2, 2, 1), "direct"), expected())
