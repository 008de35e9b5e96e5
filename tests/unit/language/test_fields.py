"""Grids and fields."""

import numpy as np
import pytest

import halocline as hc
from halocline.geometry import Box
from halocline.language.grids.sides import layer


def test_one_number_stands_for_all_axes():
    grid = hc.Grid((4, 5), periodic=True, spacing=0.5, origin=1.0)
    assert (grid.periodic, grid.spacing, grid.origin) == ((True, True), (0.5, 0.5), (1.0, 1.0))


def test_a_line_may_be_given_by_its_length():
    assert hc.Grid(7).extent == (7,)


def test_a_forest_of_one_axis_may_be_given_by_its_length():
    forest = hc.Forest(64, refine=lambda x: x > 40)
    assert forest.grid.extent == (64,)
    T, T_new = forest.field("T"), forest.field("T_new")
    assert "swap" in str(hc.plan_for(forest, [hc.swap(T, T_new)]))


@pytest.mark.parametrize("domain", [hc.Grid(8), hc.Forest(64, refine=lambda x: x > 40)])
@pytest.mark.parametrize("components", [1, 3])
def test_a_field_is_taken_apart_into_its_components(domain, components):
    field = domain.field(f"of_{components}", components=components)
    assert len([abs(component) for component in field]) == components


def test_coordinates_are_those_of_the_location():
    grid = hc.Grid((4, 3), spacing=(0.5, 2.0), origin=(1.0, 0.0))
    x, y = grid.coordinates("x_face", Box((1, 0), (3, 3)))
    np.testing.assert_array_equal(x, [[1.5], [2.0]])
    np.testing.assert_array_equal(y, [[1.0, 3.0, 5.0]])


def test_an_edge_lies_on_both_axes():
    grid = hc.Grid((2, 2, 2))
    x, y, z = grid.coordinates("xy_edge", grid.domain)
    assert (x.ravel()[0], y.ravel()[0], z.ravel()[0]) == (0.0, 0.0, 0.5)


@pytest.mark.parametrize(
    ("given", "kept"), [(float, "float64"), ("f4", "float32"), (bool, "bool"), (np.int32, "int32")]
)
def test_dtypes_are_taken_in_every_spelling(given, kept):
    assert hc.Grid((4,)).field("a", dtype=given).dtype == kept


def test_a_layer_includes_the_corners_it_shares_with_others():
    grid = hc.Grid((4, 5))
    assert layer(grid.space, "y-", distance=1, depth=2) == Box((-2, -1), (6, 0))
    assert layer(grid.space, "x+", distance=2, depth=2) == Box((5, -2), (6, 7))


def test_the_boundary_declared_last_comes_last():
    field = hc.Grid((4, 5)).field("T")
    for side in ("x-", "y-", "x-"):
        field.boundary(side, hc.Dirichlet(1.0))
    assert list(field.boundaries) == ["y-", "x-"]
