"""Formulas of numbers: in Python, in the runtime, and as text."""

import math
import operator

import numpy as np
import pytest

import halocline as hc

VALUES = (0.0, -0.0, 1.5, -2.25, 1e-300, 1e300, math.inf, -math.inf, math.nan)


def same(first: float, second: float) -> bool:
    both = math.isnan(first) and math.isnan(second)
    return both or np.float64(first).tobytes() == np.float64(second).tobytes()


def in_steps(*formulas: hc.Parameter) -> list[float]:
    """Return what the runtime finds."""
    kept = [hc.Parameter(0.0, f"kept_{n}") for n in range(len(formulas))]
    grid = hc.Grid((2,))
    grid.field("u")
    steps = [hc.assign(one, formula) for one, formula in zip(kept, formulas, strict=True)]
    hc.Simulation(grid, steps, target="numpy", threads=1).run(1, progress=False)
    return [one.value for one in kept]


TWO = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "minimum": hc.minimum,
    "maximum": hc.maximum,
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", TWO)
def test_two_numbers(name):
    function = TWO[name]
    a, b = hc.Parameter(0.0), hc.Parameter(0.0)
    for x in VALUES:
        formulas, expected = [], []
        for y in VALUES:
            a.value, b.value = x, y
            expected.append(float(function(np.float64(x), np.float64(y))))
            assert same(function(a, b).value, expected[-1]), (x, y)
            formulas.append(function(hc.Parameter(x), hc.Parameter(y)))
        assert all(map(same, in_steps(*formulas), expected))


ONE = {
    "sqrt": (hc.sqrt, np.sqrt),
    "abs": (abs, np.abs),
    "neg": (operator.neg, np.negative),
    "cube": (lambda x: x**3, lambda x: x * x * x),
    "power": (lambda x: x**-1.5, lambda x: 1.0 / (x * np.sqrt(x))),
    "where": (lambda x: hc.where(x > 1, 2.0, x), lambda x: 2.0 if x > 1 else x),
    "both": (lambda x: (x > 1) & ~(x > 2), lambda x: 1 < x <= 2),
    "numpy": (lambda x: np.float64(0.1) * np.sqrt(x), lambda x: np.float64(0.1) * np.sqrt(x)),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", ONE)
def test_one_number(name):
    ours, numpys = ONE[name]
    expected = [float(numpys(np.float64(x))) for x in VALUES]
    formulas = [ours(hc.Parameter(x)) for x in VALUES]
    assert all(same(f.value, e) for f, e in zip(formulas, expected, strict=True))
    assert all(map(same, in_steps(*formulas), expected))


def test_text():
    a, b = hc.Parameter(1.0, "a"), hc.Parameter(2.0, "b")
    total = hc.sum(hc.Grid((4,)).field("u"), name="total")
    assert (0.5 * a / hc.sqrt(total)).name == "(0.5 * a) / sqrt(total)"
    assert hc.where((a < b) & (b > 1), a, -b).name == "where(((a < b) & (b > 1)), a, -b)"
    assert repr(a + b) == "a + b=3"


def test_a_parameter_in_a_reduced_expression_and_in_the_body_of_a_kernel():
    grid = hc.Grid((6, 5))
    u, v = grid.field("u"), grid.field("v")
    values = np.random.default_rng(1).random(grid.extent)
    u.set(values)
    mean = hc.sum(u, name="total") / 30
    offset = hc.Parameter(0.25, "offset")

    @hc.kernel
    def shift(u, v):
        v[0, 0] = u[0, 0] - mean + offset

    variance = hc.sum((u - mean) * (u - mean), name="variance")
    simulation = hc.Simulation(grid, [mean, shift(u, v), variance])
    simulation.run(1, progress=False)
    m = math.fsum(values.ravel()) / 30
    assert variance.value == math.fsum(((values - m) * (values - m)).ravel())
    assert np.array_equal(v.gather(), values - m + 0.25)


def test_what_no_step_evaluates_is_evaluated_where_it_is_needed():
    grid = hc.Grid((6,))
    u = grid.field("u")
    u.set(np.arange(6.0))
    mean = hc.sum(u) / 6
    simulation = hc.Simulation(grid, [print], check_every=0)
    assert simulation.reduce(hc.sum((u - mean) * (u - mean))) == 17.5
    u.set(2 * np.arange(6.0))
    assert simulation.reduce(hc.sum((u - mean) * (u - mean))) == 70.0


@pytest.mark.parametrize("is_forest", [False, True])
def test_a_field_is_reduced_with_all_its_components(is_forest):
    grid = hc.Grid((5, 4))
    if is_forest:
        grid = hc.Forest((8, 8), block=4, refine=lambda x, y: 0 * x * y)
    q = grid.field("q", components=3)
    q.set(lambda x, y: [x + 0 * y, 10.0 * y + 0 * x, -x + 0 * y])
    numbers = {kind: getattr(hc, kind)(q) for kind in ("sum", "min", "max")}
    simulation = hc.Simulation(grid, list(numbers.values()))
    simulation.run(1)
    values = (q.level(0) if is_forest else q).gather()
    for kind, number in numbers.items():
        assert simulation.reduce(number) == number.value == getattr(values, kind)()
    assert simulation.reduce(hc.max(q[0])) == values[0].max()
