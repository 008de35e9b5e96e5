"""A grid with two fields, to make mistakes with."""

from __future__ import annotations

import pytest

import halocline as hc


@pytest.fixture
def grid():
    return hc.Grid((8, 6), periodic=True)


@pytest.fixture(name="T")
def temperature(grid):
    return grid.field("T")


@pytest.fixture
def out(grid):
    return grid.field("out")
