"""Walls of bodies that come as surfaces of triangles: where links meet them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from test_geometry_file import box, sphere

import halocline as hc
from halocline.apps.lbm.boundaries.body_walls import walls_of
from halocline.apps.lbm.boundaries.solid_cells import solid_cells
from halocline.apps.lbm.cases.channel import Channel
from halocline.apps.lbm.cases.porous import Porous
from halocline.apps.lbm.cases.sphere import Sphere
from halocline.apps.lbm.setup.surface import Surface, first_meeting
from halocline.geometry import Box
from halocline.lbm import Body, Setup, read_surface, velocity_set

LATTICE = velocity_set("D3Q19")
EXTENT = (14, 13, 12)
MIDDLE, RADIUS = np.array([6.9, 6.3, 6.1]), 3.7


def walls(surface, **where):
    setup = Setup(EXTENT, "D3Q19", 1.0, bodies=(Body(surface),), **where)
    (cells,) = solid_cells(setup, hc.Grid(EXTENT, **where))
    return walls_of(cells, setup.bodies, LATTICE)


@cache
def walls_of_fine_triangles():
    return walls(Surface(sphere(MIDDLE, RADIUS, rings=120)))


def mean_error(found, exact):
    """Return by how much walls are off, of those that do not lie half-way."""
    assert np.array_equal(found != 0.0, exact != 0.0)
    return np.abs(found - exact)[exact != 0.0].mean()


@pytest.mark.slow
def test_a_sphere_of_triangles_has_the_walls_of_a_sphere():
    def distance(x, y, z):
        return np.sqrt(sum((a - m) ** 2 for a, m in zip((x, y, z), MIDDLE))) - RADIUS

    exact, found = walls(distance), walls_of_fine_triangles()
    assert np.array_equal(found.beside, exact.beside)
    assert mean_error(found.link_coefficient, exact.link_coefficient) < 1e-3


@pytest.mark.parametrize("lower", [(0, 0, 0), (3, 4, 2), (8, 1, 7)])
def test_cells_inside_are_the_same_in_a_part_of_the_grid(lower):
    grid, part = hc.Grid(EXTENT), Box(lower, tuple(n + 5 for n in lower))
    body = Surface(sphere(MIDDLE, RADIUS))
    assert np.array_equal(body.inside(grid, part), body.inside(grid)[part.slices((0, 0, 0))])
    assert body.inside(grid, part).any()


def test_the_faces_of_a_box_are_exact():
    """Large triangles, and links through their common edges."""
    surface = Surface(box((3.2, 3.5, 4.1), (9.3, 8.5, 8.75)))
    grid = hc.Grid((12, 12, 12))
    low = surface.crossings(grid, np.array([[2, 5, 6], [2, 4, 5]]), (1, 0, 0))
    np.testing.assert_allclose(low, 0.7, rtol=1e-12)
    high = surface.crossings(grid, np.array([[9, 5, 6], [9, 6, 6]]), (-1, 0, 0))
    np.testing.assert_allclose(high, 0.2, rtol=1e-12)
    aslant = surface.crossings(grid, np.array([[5, 9, 9]]), (0, -1, -1))
    np.testing.assert_allclose(aslant, 1.0, rtol=1e-12)


def test_the_first_of_several_faces_counts():
    faces = np.concatenate([box((x, 0.0, 0.0), (x + 0.1, 2.0, 2.0)) for x in (1.1, 0.7, 1.3)])
    found = first_meeting(faces, np.array([[0.5, 0.5, 0.5]]), (1, 0, 0))
    np.testing.assert_allclose(found, 0.2, rtol=1e-12)


def test_a_link_that_meets_nothing():
    found = first_meeting(box((3.0,) * 3, (5.0,) * 3), np.array([[0.5, 0.5, 0.5]]), (1, 1, 0))
    assert np.isinf(found).all()


def test_walls_of_an_stl_file(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    file = tmp_path / "sphere.stl"
    mesh = trimesh.creation.icosphere(subdivisions=4, radius=50.0 * RADIUS)
    mesh.apply_translation(50.0 * MIDDLE - 3000.0).export(file)
    # In mm, where cells of 0.05 m begin at -3 m.
    found = walls(read_surface(str(file), unit=0.001), spacing=0.05, origin=-3.0)
    exact = walls_of_fine_triangles()
    assert mean_error(found.link_coefficient, exact.link_coefficient) < 5e-3


def test_a_case_with_an_stl_file_has_its_walls(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    file = str(tmp_path / "sphere.stl")
    trimesh.creation.icosphere(radius=0.5).apply_translation((2.0, 2.0, 2.0)).export(file)
    case = Sphere(cells=6, upstream=2.0, downstream=2.0, below=2.0, above=2.0, geometry=file)
    setup = case.setup()
    assert [body.name for body in setup.bodies] == [file]
    assert np.array_equal(setup.solid, case.solid())
    assert not replace(case, walls="half-way").setup().bodies
    size = {"cells": 8, "aspect": 1.0, "width": 1.0, "geometry": file}
    # A length of these is the unit of the file.
    small = trimesh.creation.icosphere(radius=0.3).apply_translation((0.5, 0.5, 0.5))
    small.export(file)
    assert Channel(dimensions=3, **size).setup().bodies
    assert Porous(**size).setup().bodies
