"""NumPy's integers are whole numbers wherever one is asked for."""

from __future__ import annotations

import numpy as np
import pytest

import halocline as hc

TWO = np.int64(2)


@hc.kernel
def copy(T, U):
    U[0, 0] = T[0, 0]


@hc.kernel
def bend(T, U):
    U[0, 0] = hc.d(T, "x", order=TWO, accuracy=TWO)


def run(kernel=copy, on=None, **options):
    grid = hc.Grid((TWO * 4, np.int32(8)), periodic=True)
    T, U = grid.field("T"), grid.field("U")
    T.set(lambda x, _y: x * x)
    hc.Simulation(grid, [kernel(T, U, on=on)], **options).run(np.int64(1), progress=False)
    return U.gather()


@pytest.mark.parametrize(
    "options",
    [
        {"blocks": TWO},
        {"check_every": TWO},
        {"threads": TWO},
        {"decomposition": (np.int64(1), np.int32(1))},
        {"on": hc.Box((TWO, TWO), (np.int32(5), 6))},
    ],
    ids=lambda options: next(iter(options)),
)
def test_options_take_them(options):
    given = {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in options.items()
    }
    if "on" in options:
        given["on"] = hc.Box((2, 2), (5, 6))
    assert np.array_equal(run(**options), run(**given))


def test_derivatives_take_them():
    assert run(bend)[3, 3] == pytest.approx(2.0)


def test_fields_forests_and_loops_take_them():
    forest = hc.Forest(
        (np.int64(32), 32), block=np.int64(8), finest=np.int64(1), refine=lambda x, _y: x < 9.0
    )
    assert forest.field("q", components=TWO).level(0).components == 2
    T, U = (forest.field(name) for name in "TU")
    hc.Simulation(forest, [hc.repeat(TWO, copy(T, U)), hc.every(TWO, copy(T, U))]).run(TWO)
