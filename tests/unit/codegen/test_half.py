"""Numbers of 16 bits: widened and narrowed to the bit as NumPy does, computed with as floats.

NaN is compared with what the processor's instructions are documented to return: quiet, with the
leading digits that fit.
"""

from __future__ import annotations

import numpy as np
import pytest

import halocline as hc
from halocline.errors import GridError

COUNT = 1 << 16
ROWS = {"whole lines": COUNT, "eight cells at once": 8, "single cells": 4}  # cells of a row


@hc.kernel
def widen(narrow, wide):
    wide[0, 0] = narrow[0, 0]


@hc.kernel
def halve(narrow):
    narrow[0] = 0.5 * narrow


def stored_as(values: np.ndarray, source: str, target: str, cells: int) -> np.ndarray:
    """Return values after a kernel has copied them from one type of field to another."""
    grid = hc.Grid((cells, values.size // cells), periodic=True)
    first, second = grid.field("first", dtype=source), grid.field("second", dtype=target)
    simulation = hc.Simulation(grid, [widen(first, second)], check_every=0, threads=1)
    first.set(values.reshape(cells, -1))
    simulation.run(1, progress=False)
    return second.gather().ravel()


EVERY = np.arange(COUNT, dtype=np.uint16).view(np.float16)


@pytest.mark.parametrize("cells", ROWS.values(), ids=ROWS)
def test_every_number_of_16_bits_is_widened_exactly(cells):
    expected = EVERY.astype(np.float32).view(np.uint32)
    bits = EVERY.view(np.uint16).astype(np.uint32)
    of_nan = (bits & 0x8000) << 16 | 0x7FC00000 | (bits & 0x03FF) << 13
    expected = np.where(np.isnan(EVERY), of_nan, expected)
    found = stored_as(EVERY, "float16", "float32", cells)
    assert np.array_equal(found.view(np.uint32), expected)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("cells", ROWS.values(), ids=ROWS)
@pytest.mark.parametrize("kind", ["any bits", "small", "large", "ties"])
def test_floats_are_narrowed_to_the_nearest_and_ties_to_the_even(kind, cells):
    random = np.random.default_rng(7)
    if kind == "any bits":
        values = random.integers(0, 1 << 32, COUNT, dtype=np.uint32).view(np.float32)
    elif kind == "ties":
        above = np.nextafter(EVERY, np.float16(np.inf))
        values = (0.5 * (EVERY.astype(float) + above.astype(float))).astype(np.float32)
    else:
        scale = {"small": 1e-6, "large": 3e4}[kind]
        values = (scale * random.standard_normal(COUNT)).astype(np.float32)
    bits = values.view(np.uint32)
    of_nan = (bits >> 16 & 0x8000 | 0x7E00 | bits >> 13 & 0x03FF).astype(np.uint16)
    expected = np.where(np.isnan(values), of_nan, values.astype(np.float16).view(np.uint16))
    found = stored_as(values, "float32", "float16", cells)
    assert np.array_equal(found.view(np.uint16), expected)


def test_they_are_reduced_and_searched_like_other_numbers():
    grid = hc.Grid((64,), periodic=True)
    field = grid.field("h", dtype="float16")
    simulation = hc.Simulation(grid, [halve(field)], check_every=0, threads=1)
    field.set(np.arange(64.0))
    simulation.run(1, progress=False)
    assert simulation.reduce(hc.sum(field)) == sum(range(64)) / 2
    assert simulation.reduce(hc.max(field)) == 31.5


def test_types_that_are_not_known_name_the_nearest():
    with pytest.raises(GridError, match="unknown dtype 'float61'"):
        hc.Grid((4,)).field("f", dtype="float61")
