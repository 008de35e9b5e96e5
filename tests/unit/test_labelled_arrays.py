"""Arrays that name their axes are taken by the names, not by the order."""

from __future__ import annotations

import numpy as np
import pytest
import xarray

import halocline as hc
from halocline.apps.ocean.setup.domain import Domain
from halocline.errors import CaseError, GridError

VALUES = np.arange(16.0).reshape(4, 4)


@hc.kernel
def keep(T):
    T[0, 0] = 1.0 * T[0, 0]


@hc.kernel
def keep_both(u):
    for q in range(2):
        u[q][0, 0] = 1.0 * u[q][0, 0]


def kept(values, components=1):
    grid = hc.Grid((4, 4))
    T = grid.field("T", components=components)
    T.set(values)
    hc.Simulation(grid, [(keep if components == 1 else keep_both)(T)]).run(0, progress=False)
    return T.gather()


def test_the_order_of_the_dimensions_does_not_matter():
    assert np.array_equal(kept(xarray.DataArray(VALUES, dims=("x", "y"))), VALUES)
    assert np.array_equal(kept(xarray.DataArray(VALUES, dims=("y", "x"))), VALUES.T)


def test_components_are_known_by_name():
    both = np.stack([VALUES, 2.0 * VALUES])
    array = xarray.DataArray(both, dims=("component", "y", "x"))
    expected = both.transpose(0, 2, 1)
    assert np.array_equal(kept(array, 2), expected)
    assert np.array_equal(kept(array.transpose("x", "y", "component"), 2), expected)


def test_what_a_field_gives_it_takes_back():
    grid = hc.Grid((4, 4), spacing=0.5, origin=3.0)
    T = grid.field("T")
    T.set(VALUES)
    hc.Simulation(grid, [keep(T)]).run(0, progress=False)
    given = T.to_xarray()
    T.set(2.0 * given.transpose("y", "x"))
    assert np.array_equal(T.gather(), 2.0 * VALUES)


@pytest.mark.parametrize("dims", [("lat", "lon"), ("x", "z"), ("dim_0", "dim_1")])
def test_other_dimensions_are_refused(dims):
    with pytest.raises(GridError) as error:
        kept(xarray.DataArray(VALUES, dims=dims))
    assert error.value.message == (
        f"Field 'T' was given an array with the dimensions ({', '.join(dims)}); expected x, y."
    )


def test_values_of_other_places_are_refused():
    array = xarray.DataArray(VALUES, {"x": [0.5, 1.5, 2.5, 3.6]}, ("x", "y"))
    with pytest.raises(GridError) as error:
        kept(array)
    assert error.value.message == (
        "The array has values at x[3] = 3.6; Field 'T' has its value there at 3.5."
    )
    assert np.array_equal(kept(array.drop_vars("x")), VALUES)


@pytest.mark.parametrize("dims", [("y", "x"), ("lat", "lon"), ("Latitude", "Longitude")])
def test_depths_are_turned_as_their_dimensions_say(dims):
    domain = Domain(xarray.DataArray(1.0 + VALUES, dims=dims), (1e3, 1e3))
    assert np.array_equal(domain.depth, 1.0 + VALUES.T)


def test_depths_of_other_dimensions_are_refused():
    with pytest.raises(CaseError, match=r"'depth' has the dimensions \(a, y\); expected x and"):
        Domain(xarray.DataArray(1.0 + VALUES, dims=("a", "y")), (1e3, 1e3))
