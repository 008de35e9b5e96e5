"""Tridiagonal systems along an axis: solved in every column, to the same bits on any blocks."""

from __future__ import annotations

import time

import numpy as np
import pytest

import halocline as hc
from halocline.errors import DivergedError, GridError, KernelError

EXTENT = (5, 6, 7)


def system(periodic, dtype="float64"):
    """Return fields a, b, c, d, x with random values, and these."""
    grid = hc.Grid(EXTENT, periodic=periodic)
    random = np.random.default_rng(0)
    fields = {name: grid.field(name, dtype=dtype) for name in "abcdx"}
    values = {name: random.random(EXTENT).astype(dtype) for name in "abcd"}
    values["b"] += 3
    for name, given in values.items():
        fields[name].set(given)
    return fields, values


def solved(axis, a, b, c, d, *, periodic):
    """Return the solution by NumPy's dense solver."""
    a, b, c, d = (np.moveaxis(np.asarray(v, float), axis, 2) for v in (a, b, c, d))
    x = np.empty_like(d)
    for place in np.ndindex(x.shape[:2]):
        matrix = np.diag(b[place]) + np.diag(a[place][1:], -1) + np.diag(c[place][:-1], 1)
        if periodic:
            matrix[0, -1] += a[place][0]
            matrix[-1, 0] += c[place][-1]
        x[place] = np.linalg.solve(matrix, d[place])
    return np.moveaxis(x, 2, axis)


def found(x, steps, **options):
    options = {"threads": 1} | options
    hc.Simulation(x.grid, steps, **options).run(1, progress=False)
    return x.gather()


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("axis", range(3))
def test_the_solution_is_that_of_a_dense_solver(axis, periodic, dtype):
    fields, values = system(periodic, dtype)
    steps = hc.tridiagonal(
        "xyz"[axis],
        lower=fields["a"],
        diagonal=fields["b"] + 0.5,
        upper=fields["c"],
        right=2.0 * fields["d"],
        into=fields["x"],
    )
    expected = solved(
        axis, values["a"], values["b"] + 0.5, values["c"], 2.0 * values["d"], periodic=periodic
    )
    tolerance = 1e-13 if dtype == "float64" else 2e-5
    np.testing.assert_allclose(found(fields["x"], steps), expected, rtol=tolerance)


@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("axis", range(3))
def test_the_bits_are_the_same_on_blocks_devices_and_by_numpy(axis, periodic):
    kinds = (
        {},
        {"blocks": 8, "decomposition": (2, 2, 2)},
        {"target": "numpy"},
        {"device": "emulated:3"},
        {"strategy": hc.Strategy(overlap="rim-first", poison=True), "blocks": 4},
    )
    bits = set()
    for options in kinds:
        fields, _ = system(periodic)
        a, b, c, d, x = fields.values()
        steps = hc.tridiagonal("xyz"[axis], lower=a, diagonal=b, upper=c, right=d, into=x)
        bits.add(found(x, steps, **options).tobytes())
    assert len(bits) == 1


def test_numbers_parameters_and_the_solution_itself_may_be_given():
    fields, values = system(periodic=False)
    d, ratio = fields["d"], hc.Parameter(2.5)
    steps = hc.tridiagonal("z", lower=-1.0, diagonal=ratio, upper=-1, right=d, into=d)
    ones = np.ones(EXTENT)
    expected = solved(2, -ones, 2.5 * ones, -ones, values["d"], periodic=False)
    np.testing.assert_allclose(found(d, steps), expected, rtol=1e-13)


def test_the_right_side_may_be_what_neighbours_had_before():
    fields, values = system(periodic=(True, True, False))
    d = fields["d"]
    right = d[0, 0, 0] + 0.1 * (d[1, 0, 0] - 2.0 * d[0, 0, 0] + d[-1, 0, 0])
    steps = hc.tridiagonal("z", lower=-1.0, diagonal=3.0, upper=-1.0, right=right, into=d)
    old, ones = values["d"], np.ones(EXTENT)
    explicit = old + 0.1 * (np.roll(old, -1, 0) - 2.0 * old + np.roll(old, 1, 0))
    expected = solved(2, -ones, 3.0 * ones, -ones, explicit, periodic=False)
    np.testing.assert_allclose(found(d, steps), expected, rtol=1e-13)


def test_what_lies_outside_the_matrix_is_not_looked_at():
    fields, values = system(periodic=False)
    values["a"][:, :, 0] = values["c"][:, :, -1] = np.nan
    for name in "ac":
        fields[name].set(values[name])
    a, b, c, d, x = fields.values()
    steps = hc.tridiagonal("z", lower=a, diagonal=b, upper=c, right=d, into=x)
    assert np.isfinite(found(x, steps, check_every=0)).all()


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("periodic", [True, False])
def test_all_is_computed_in_the_type_of_the_solution(dtype, periodic):
    """Numbers and wider coefficients do not change that; 16 bits are for storage only."""
    grid = hc.Grid((2, 5), periodic=periodic)
    wide, x = grid.field("wide"), grid.field("x", dtype=dtype)
    steps = hc.tridiagonal("y", lower=-0.3, diagonal=4.0 + wide, upper=0.7, right=wide, into=x)
    narrow = grid.field("narrow", dtype="float32")
    given = {name: grid.field(name, dtype="float32") for name in "abcd"}
    right = np.random.default_rng(1).random((2, 5))
    wide.set(right)
    for name, value in zip("abcd", (-0.3, 4.0 + right, 0.7, right), strict=True):
        given[name].set(np.broadcast_to(value, (2, 5)).astype(np.float32))
    names = ("lower", "diagonal", "upper", "right")
    same = hc.tridiagonal("y", **dict(zip(names, given.values(), strict=True)), into=narrow)
    hc.Simulation(grid, [*steps, *same], target="numpy").run(1, progress=False)
    np.testing.assert_array_equal(x.gather(), narrow.gather().astype(dtype))


def test_columns_of_many_levels_are_planned_quickly():
    grid = hc.Grid((64, 64, 1200), periodic=(True, True, False))
    d = grid.field("d")
    steps = hc.tridiagonal("z", lower=-1.0, diagonal=3.0, upper=-1.0, right=d, into=d)
    begin = time.process_time()
    hc.plan_for(grid, steps, ranks=64)
    assert time.process_time() - begin < 1.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"into": 3}, "was given 3 for its solution; expected a field."),
        ({"axis": "w"}, "was given the axis 'w'; expected one of the axes 'xyz' of 'x'."),
        ({"lower": "a"}, "was given 'a' as 'lower'; expected a field, an expression"),
    ],
)
def test_what_is_no_system_is_refused(change, message):
    fields, _ = system(periodic=False)
    a, b, c, d, x = fields.values()
    given = {"axis": "z", "lower": a, "diagonal": b, "upper": c, "right": d, "into": x} | change
    with pytest.raises(KernelError) as error:
        hc.tridiagonal(given.pop("axis"), **given)
    assert message in str(error.value)


def test_fields_that_do_not_fit_are_refused():
    fields, _ = system(periodic=False)
    a, b, c, d, x = fields.values()
    whole = x.grid.field("whole", dtype="int32")
    with pytest.raises(KernelError, match="'whole' of type int32 with 1 component"):
        hc.tridiagonal("z", lower=a, diagonal=b, upper=c, right=d, into=whole)
    other = hc.Grid((4, 4, 4)).field("other")
    with pytest.raises((GridError, KernelError), match="'other'"):
        hc.tridiagonal("z", lower=a, diagonal=b, upper=c, right=other, into=x)
    short = hc.Grid((4, 2), periodic=True).field("short")
    with pytest.raises(KernelError, match="periodic axis y with 2 cells; expected 3 or more"):
        hc.tridiagonal("y", lower=1.0, diagonal=3.0, upper=1.0, right=short, into=short)


def test_a_singular_system_is_told_as_one():
    grid = hc.Grid((4, 6))
    x = grid.field("x")
    steps = hc.tridiagonal("y", lower=1.0, diagonal=0.0, upper=1.0, right=1.0, into=x)
    with pytest.raises(DivergedError, match=r"'hc\.tridiagonal' solves for 'x' may be singular"):
        hc.Simulation(grid, steps).run(1)
