"""Every cell filled with its own number: after an exchange each halo cell says where it is from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from launch import mpirun
from parallel.fill_coordinates import EXTENT, OFFSETS, expected, look

import halocline as hc

SCRIPT = Path(__file__).with_name("fill_coordinates.py")


@pytest.mark.parametrize("neighbours", ["direct", "staged"])
@pytest.mark.parametrize("shape", ["1x1x1", "2x1x1", "1x2x1", "1x1x2"])
def test_exchange_on_one_and_two_periodic_ranks_keeps_left_and_right_apart(
    shape, neighbours, tmp_path
):
    output = tmp_path / "seen.npy"
    ranks = 1 if shape == "1x1x1" else 2
    done = mpirun(ranks, SCRIPT, str(output), shape, neighbours)
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(np.load(output), expected())


@pytest.mark.parametrize("neighbours", ["direct", "staged"])
@pytest.mark.parametrize("shape", [(2, 2, 2), (1, 5, 4), (6, 5, 4), (3, 1, 2), (1, 1, 1)])
def test_blocks_of_one_process_see_the_right_neighbours(shape, neighbours):
    strategy = hc.Strategy(neighbours=neighbours, poison=True)
    blocks = int(np.prod(shape))
    found = look(decomposition=shape, blocks=blocks, strategy=strategy, threads=1, target="numpy")
    assert found.shape == (len(OFFSETS), *EXTENT)
    np.testing.assert_array_equal(found, expected())


def test_four_ranks_on_two_periodic_axes_see_the_right_corners(tmp_path):
    output = tmp_path / "seen.npy"
    done = mpirun(4, SCRIPT, str(output), "2x2x1", "direct")
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(np.load(output), expected())
