"""Functions give the same bits on every target."""

from __future__ import annotations

import numpy as np
import pytest
from cases import EXACT, OF_ONE, TWO, TYPES, computed, nasty, pairs, same_bits

import halocline as hc

OTHERS = ({"target": "numpy"}, {"device": "emulated"}, {"threads": 2})


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", [*OF_ONE, *EXACT])
def test_functions_of_one_number(name, dtype):
    x = nasty(dtype)
    found = computed(getattr(hc, name), x)
    for options in OTHERS:
        assert same_bits(computed(getattr(hc, name), x, **options), found), options


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", [*TWO, "fmod", "copysign"])
def test_functions_of_two_numbers(name, dtype):
    x, y = pairs(dtype)
    found = computed(getattr(hc, name), x, y)
    for options in OTHERS:
        assert same_bits(computed(getattr(hc, name), x, y, **options), found), options


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", EXACT)
def test_exact_functions_are_those_of_numpy(name, dtype):
    x = nasty(dtype)
    with np.errstate(all="ignore"):
        assert same_bits(computed(getattr(hc, name), x), getattr(np, name)(x))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", ["fmod", "copysign"])
def test_exact_functions_of_two_are_those_of_numpy(name, dtype):
    x, y = pairs(dtype)
    with np.errstate(all="ignore"):
        assert same_bits(computed(getattr(hc, name), x, y), getattr(np, name)(x, y))


def test_a_place_in_a_vector_does_not_matter():
    """The ends of rows are computed by other instructions than whole vectors."""
    x = nasty(np.float64)[:33]
    for name in OF_ONE:
        whole = computed(getattr(hc, name), x)
        each = [computed(getattr(hc, name), x[i : i + 1])[0] for i in (0, 7, 32)]
        assert same_bits(np.array(each), whole[[0, 7, 32]]), name
