"""What functions are called, which types they have, and what they are of plain numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cases import ELEMENTARY, EXACT, OF_ONE, OF_TWO, ROUNDINGS, computed, same_bits

import halocline as hc
from halocline.language.expressions.operations import OPERATIONS
from halocline.language.expressions.operators import to_expression
from halocline.language.expressions.promotion import types_of

X = np.array([-2.5, -1.5, -0.5, 0.0, 0.4, 0.5, 1.5, 2.5, 7.25])
DTYPES = ("float64", "float32", "int64", "int32", "uint8", "bool")


def type_of(function, *dtypes):
    """Return the type of what a kernel makes of fields."""
    grid = hc.Grid((4,))
    fields = [grid.field(f"x{i}", dtype=dtype) for i, dtype in enumerate(dtypes)]
    value = to_expression(function(*(field[0] for field in fields)))
    return types_of(value, {field.name: field.dtype for field in fields})[value]


def has_numpy(name):
    return bool(OPERATIONS[name].numpy)


def numpys(name, *dtypes):
    """Return the type that NumPy gives; of single bytes float32, see docs/decisions/0025."""
    function = getattr(np, OPERATIONS[name].numpy)
    kind = function(*(np.ones(1, dtype) for dtype in dtypes)).dtype.name
    return "float32" if kind == "float16" else kind


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", [*filter(has_numpy, OF_ONE), *EXACT, "abs"])
def test_types_are_those_of_numpy(name, dtype):
    if dtype == "bool" and name in ("sign", "round"):
        return  # refused by NumPy; float16 there
    assert type_of(getattr(hc, name, abs), dtype) == numpys(name, dtype)


@pytest.mark.parametrize("other", DTYPES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", OF_TWO)
def test_types_of_two_are_those_of_numpy(name, dtype, other):
    if name in ("fmod", "pow") and not {dtype, other} & {"float32", "float64"}:
        return  # refused, or of integers
    assert type_of(getattr(hc, name), dtype, other) == numpys(name, dtype, other)


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8"])
def test_rests_of_integers(dtype):
    x = np.array([7, 8, 9, 1, 0, 3], dtype)
    y = np.array([3, 4, 0, 1, 5, 7], dtype)
    with np.errstate(all="ignore"):
        wanted = np.fmod(x, y)
    for options in ({}, {"target": "numpy"}, {"device": "emulated"}):
        found = computed(hc.fmod, x, y, **options)
        assert found.dtype == wanted.dtype
        assert np.array_equal(found, wanted), options


@pytest.mark.parametrize("name", ROUNDINGS)
def test_whole_numbers_stay(name):
    x = np.array([-(2**62) - 1, 5], np.int64)
    assert np.array_equal(computed(getattr(hc, name), x), x)


@pytest.mark.parametrize(
    ("function", "same"),
    [
        (round, np.round),
        (math.floor, np.floor),
        (math.ceil, np.ceil),
        (math.trunc, np.trunc),
        (np.rint, np.rint),
        (np.round, np.round),
        (np.clip, None),
    ],
)
def test_functions_of_python_and_numpy(function, same):
    if function is np.clip:
        found = computed(lambda x: np.clip(x, -1.0, 2), X)
        assert np.array_equal(found, np.clip(X, -1.0, 2))
    else:
        assert same_bits(computed(function, X), same(X))


@pytest.mark.parametrize("name", [*filter(has_numpy, ELEMENTARY)])
def test_names_of_numpy(name):
    x = np.array([0.25, 0.5, 0.875])
    given = (x, x[::-1].copy()) if name in OF_TWO else (x,)
    ours = computed(getattr(hc, name), *given)
    assert same_bits(computed(getattr(np, OPERATIONS[name].numpy), *given), ours)
    np.testing.assert_allclose(ours, getattr(np, OPERATIONS[name].numpy)(*given), rtol=1e-15)


def test_what_is_not_a_number():
    x = np.array([np.nan, 1.0, np.inf])
    assert computed(hc.isnan, x, dtype="bool").tolist() == [True, False, False]
    assert computed(np.isnan, x, dtype="bool").tolist() == [True, False, False]
    assert np.isnan(computed(lambda v: hc.clip(v, 0, 2), x)[0])


def test_limits():
    wanted = [-1.0, -1.0, -0.5, 0.0, 0.4, 0.5, 1.5, 2.0, 2.0]
    assert computed(lambda x: hc.clip(x, -1, 2), X).tolist() == wanted
    assert computed(lambda x: hc.clip(x, None, 2), X).tolist()[:2] == [-2.5, -1.5]
    assert computed(lambda x: hc.clip(x, -1, None), X).tolist()[-1] == 7.25


@pytest.mark.parametrize("target", ["c++", "numpy"])
def test_any_power(target):
    x = np.abs(X) + 0.1
    for power in (0.3, -1.7, 17, 40.5, np.float32(2.5)):
        found = computed(lambda v, power=power: v**power, x, target=target)
        np.testing.assert_allclose(found, x ** float(power), rtol=3e-16)
    varying = computed(lambda v, w: v**w, x, X, target=target)
    np.testing.assert_allclose(varying, x**X, rtol=3e-16)
    np.testing.assert_allclose(computed(lambda v: 2**v, X, target=target), 2**X, rtol=3e-16)
    assert same_bits(computed(hc.pow, x, X, target=target), varying)


def test_the_power_of_a_scalar():
    grid = hc.Grid((4,))
    T = grid.field("T")

    @hc.kernel
    def grow(T, *, gamma):
        T[0] = T[0] ** gamma + hc.exp(gamma)

    T.set(2.0)
    hc.Simulation(grid, [grow(T, gamma=1.3)]).run(1, progress=False)
    assert T.gather()[0] == pytest.approx(2**1.3 + math.exp(1.3), rel=1e-15)


@pytest.mark.parametrize("name", [*ELEMENTARY, *ROUNDINGS, "sqrt", "sign", "fmod", "copysign"])
def test_of_plain_numbers_and_arrays(name):
    """The same function serves for an initial state."""
    count = 2 if name in OF_TWO else 1
    found = getattr(hc, name)(*(0.5, 0.75)[:count])
    arrays = getattr(hc, name)(*(np.array([0.5]), np.array([0.75]))[:count])
    assert type(found) is float
    assert arrays.dtype == np.float64
    assert found == pytest.approx(arrays[0], rel=1e-15)


def test_functions_with_many_ranks_blocks_and_orders():
    """A kernel of functions with neighbours gives the same bits however it is divided."""
    results = []
    for options in (
        {},
        {"blocks": 3, "strategy": hc.Strategy(overlap="rim-first"), "threads": 2},
        {"blocks": 4, "strategy": hc.Strategy(depth=2)},
        {"target": "numpy", "blocks": 2},
        {"device": "emulated:3", "blocks": 2},
    ):
        grid = hc.Grid((37, 12), periodic=True)
        T, T_new = grid.field("T"), grid.field("T_new")

        @hc.kernel
        def mix(T, T_new):
            T_new[0, 0] = hc.sin(T[-1, 0]) * hc.exp(-hc.atan2(T[0, 1], T[1, 0])) + T[0, -1] ** 1.1

        T.set(lambda x, y: 2.0 + np.sin(x) * np.cos(y))
        simulation = hc.Simulation(grid, [mix(T, T_new), hc.swap(T, T_new)], **options)
        simulation.run(4, progress=False)
        results.append(T.gather().copy())
    assert all(same_bits(result, results[0]) for result in results[1:])
