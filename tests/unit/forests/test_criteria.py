"""Criteria that say of no place which level is wanted there are refused, each by one message."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import halocline as hc


def no_argument():
    return 0


def never_returns(x, y):
    raise ZeroDivisionError


REFUSED = {
    "no arguments": (no_argument, "a criterion of 0 arguments; expected a function of the coordin"),
    "one argument": (lambda x: x > 3, "A forest of 2 axes was given a criterion of 1 arguments"),
    "three": (lambda x, y, z: x + y + z, "a criterion of 3 arguments; expected a function of the"),
    "an axis is lost": (
        lambda x, y: x.ravel(),
        "cells near (0.5, 0.5); expected that shape, with one entry along axes along which",
    ),
    "another shape": (
        lambda x, y: np.zeros((8, 5)),
        "returned values of shape (8, 5) for (32, 32)",
    ),
    "an axis too many": (lambda x, y: np.zeros((1, 8, 8)), "returned values of shape (1, 8, 8)"),
    "if": (lambda x, y: 1 if x < 3 else 0, "takes numbers, but no arrays of coordinates: The tru"),
    "and": (lambda x, y: x < 3 and y < 3, "in place of 'if', & in place of 'and'"),
    "math": (lambda x, y: math.sin(x) + y, "the functions of NumPy in place of those of 'math'"),
    "nothing": (lambda x, y: None, "returned object values near (0.5, 0.5); expected a number at"),
    "complex": (lambda x, y: x + 1j * y, "returned complex128 values near (0.5, 0.5); expected"),
    "masked": (lambda x, y: np.ma.masked_less(x + y, 9), "returned masked values near (0.5, 0.5)"),
    "not a number": (lambda x, y: x * np.nan + y, "values near (0.5, 0.5) that are no finite num"),
    "the wrong sign": (lambda x, y: np.where(x + y < 9, -1, 0), "wants levels from -1 to 0, so no"),
    "a small spot": (
        lambda x, y: np.where(np.hypot(x - 11, y - 11) < 0.3, 1, 0),
        "so small a spot that no cell of level 0 has its middle there: nothing would be refined",
    ),
    "a smaller spot": (
        lambda x, y: np.where(np.hypot(x - 11.2, y - 11.2) < 0.05, 3, 0),
        "Level 3 was requested at (11.15625, 11.21875), but in so small a spot that no cell of",
    ),
    "too much": (lambda x, y: x + y, "Level 15 was requested near (0.5, 0.5), but the finest is 3"),
}


@pytest.mark.parametrize("mistake", REFUSED)
def test_mistakes_in_a_criterion_are_told(mistake):
    criterion, message = REFUSED[mistake]
    with pytest.raises(hc.HaloclineError, match=re.escape(message)):
        hc.Forest((32, 32), block=8, finest=3, refine=criterion)


@pytest.mark.parametrize("mistake", ["one argument", "an axis is lost", "if", "complex", "masked"])
def test_they_are_told_where_blocks_split_and_merge_while_running(mistake):
    criterion, message = REFUSED[mistake]
    forest = hc.Forest((16, 16), block=8, refine=lambda x, y: 0, periodic=True)
    T = forest.field("T")

    @hc.kernel
    def cool(T):
        T[0, 0] = 0.9 * T[0, 0]

    simulation = hc.Simulation(forest, [cool(T)], target="numpy")
    with pytest.raises(hc.HaloclineError, match=re.escape(message)):
        simulation.regrid(criterion)


def test_errors_of_the_users_own_are_left_as_they_are():
    with pytest.raises(ZeroDivisionError):
        hc.Forest((16, 16), block=8, refine=never_returns)


def test_a_forest_may_begin_without_refinement():
    for criterion in (lambda x, y: 0, lambda x, y: 0.9 * np.exp(-x - y), lambda x, y: x < 0):
        forest = hc.Forest((16, 16), block=8, refine=criterion)
        assert forest.leaves.count == 4


def test_more_levels_than_whole_numbers_count_are_refused():
    with pytest.raises(hc.HaloclineError, match=r"'finest' was given 31; expected .* 30"):
        hc.Forest((16, 16), block=8, finest=31, refine=lambda x, y: 0)
