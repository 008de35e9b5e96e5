"""Formulas of numbers know all functions of the language, with the bits that kernels have."""

from __future__ import annotations

import math

import numpy as np
import pytest

import halocline as hc
from halocline.language.expressions.operations import OPERATIONS

FUNCTIONS = [row for row in OPERATIONS.values() if not row.sign and not row.public]
OF_ONE = sorted(row.name for row in FUNCTIONS if row.arity == 1 and row.name != "abs")
OF_TWO = [row.name for row in FUNCTIONS if row.arity == 2]
OF_PAIRS = {
    **{name: getattr(hc, name) for name in OF_TWO},
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "**": lambda a, b: a**b,
}
NUMBERS = (0.3, -0.7, 2.5, -3.5, 17.25, 0.0, math.inf, math.nan)
PAIRS = ((7.5, 2.0), (-7.5, 2.0), (7.5, -2.0), (0.3, 0.1), (1.0, 0.0), (-0.0, 3.0), (5.0, math.inf))


def beside_a_kernel(function, *numbers):
    """Return what a formula gives, what its 'value' is, and what a kernel computes of fields."""
    grid = hc.Grid((4, 4))
    given = [hc.Parameter(0.0, f"p{n}") for n, _ in enumerate(numbers)]
    fields = [grid.field(f"f{n}") for n, _ in enumerate(numbers)]
    out, result = grid.field("out"), hc.Parameter(0.0, "result")

    @hc.kernel
    def one(f, out):
        out[0, 0] = function(f[0, 0])

    @hc.kernel
    def two(f, g, out):
        out[0, 0] = function(f[0, 0], g[0, 0])

    kernel = (one, two)[len(numbers) - 1]
    steps = [hc.assign(result, function(*given)), kernel(*fields, out)]
    simulation = hc.Simulation(grid, steps, target="numpy", threads=1, check_every=0)
    for number, parameter, field in zip(numbers, given, fields, strict=True):
        parameter.value = number
        field.set(number)
    simulation.run(1, progress=False)
    return result.value, function(*given).value, out[...][0, 0]


def bits(number):
    return "nan" if math.isnan(number) else np.float64(number).tobytes()


@pytest.mark.parametrize("name", OF_ONE)
def test_functions_have_the_bits_of_kernels(name):
    for number in NUMBERS:
        formula, value, kernel = beside_a_kernel(getattr(hc, name), number)
        assert bits(formula) == bits(kernel), number
        np.testing.assert_array_max_ulp(np.float64(value), formula, 2)


@pytest.mark.parametrize("name", OF_PAIRS)
def test_functions_of_two_numbers_have_the_bits_of_kernels(name):
    for pair in PAIRS:
        formula, value, kernel = beside_a_kernel(OF_PAIRS[name], *pair)
        assert bits(formula) == bits(kernel), pair
        np.testing.assert_array_max_ulp(np.float64(value), formula, 2)
