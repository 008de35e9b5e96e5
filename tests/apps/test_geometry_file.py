"""Solid cells from files: arrays, images, surfaces; and what is refused with which words."""

from __future__ import annotations

import numpy as np
import pytest
from flows import run
from PIL import Image

import halocline as hc
from halocline.apps.lbm.cases.channel import Channel
from halocline.apps.lbm.setup.surface import Surface
from halocline.errors import CaseError
from halocline.lbm import read_geometry


@pytest.fixture
def block():
    """Return a solid block in the lower left of 6 x 4 cells."""
    solid = np.zeros((6, 4), bool)
    solid[1:3, 0:2] = True
    return solid


@pytest.mark.parametrize("kind", [bool, np.uint8, np.int32])
def test_an_array_is_read_as_it_is(tmp_path, block, kind):
    file = tmp_path / "block.npy"
    np.save(file, block.astype(kind))
    assert np.array_equal(read_geometry(str(file), (6, 4)), block)
    assert np.array_equal(read_geometry(str(file), None), block)


def test_dark_pixels_of_an_image_are_solid_and_its_lower_edge_is_low(tmp_path, block):
    file = tmp_path / "block.png"
    Image.fromarray(np.where(block, 20, 240).astype(np.uint8).T[::-1]).save(file)
    assert np.array_equal(read_geometry(str(file), (6, 4)), block)


def test_transparent_pixels_are_fluid(tmp_path, block):
    pixels = np.zeros((4, 6, 4), np.uint8)
    pixels[..., 3] = np.where(block, 255, 0).T[::-1]
    file = tmp_path / "block.png"
    Image.fromarray(pixels, "RGBA").save(file)
    assert np.array_equal(read_geometry(str(file), (6, 4)), block)


def box(low, high):
    """Return the twelve triangles of a box."""
    corners = np.array(np.meshgrid(*zip(low, high), indexing="ij")).reshape(3, 8).T
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    halves = [part for a, b, c, d in faces for part in ((a, b, c), (a, c, d))]
    return corners[np.array(halves)]


def sphere(middle, radius, rings=24):
    """Return the triangles of a sphere."""
    polar = np.linspace(0.0, np.pi, rings + 1)
    around = np.linspace(0.0, 2 * np.pi, 2 * rings + 1)
    p, a = np.meshgrid(polar, around, indexing="ij")
    points = np.stack([np.sin(p) * np.cos(a), np.sin(p) * np.sin(a), np.cos(p)], axis=-1)
    points = np.asarray(middle) + radius * points
    a, b, c, d = points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]
    return np.concatenate(
        [
            np.stack([a, b, c], axis=2).reshape(-1, 3, 3),
            np.stack([a, c, d], axis=2).reshape(-1, 3, 3),
        ]
    )


def test_the_inside_of_a_box_on_the_lattice_is_exact():
    found = Surface(box((2.0, 1.0, 3.0), (5.0, 4.0, 6.0))).inside(hc.Grid((8, 6, 7)))
    expected = np.zeros((8, 6, 7), bool)
    expected[2:5, 1:4, 3:6] = True
    assert np.array_equal(found, expected)


def test_a_surface_may_reach_beyond_the_domain():
    found = Surface(box((-3.0, -1.0, 3.0), (5.0, 40.0, 60.0))).inside(hc.Grid((8, 6, 7)))
    expected = np.zeros((8, 6, 7), bool)
    expected[:5, :, 3:] = True
    assert np.array_equal(found, expected)


def test_the_inside_of_a_sphere_are_the_centres_within_its_radius():
    cell, origin, middle, radius = 0.1, -3.0, (-1.97, -2.02, -1.99), 0.75
    grid = hc.Grid((20, 20, 20), spacing=cell, origin=origin)
    found = Surface(sphere(middle, radius, rings=80)).inside(grid)
    x = (np.indices((20, 20, 20)) + 0.5) * cell + origin
    distance = np.sqrt(((x - np.array(middle).reshape(3, 1, 1, 1)) ** 2).sum(axis=0))
    sure = np.abs(distance - radius) > 0.002
    assert np.array_equal(found[sure], (distance < radius)[sure])


def test_a_hole_in_a_solid_is_fluid():
    outer, hole = box((1.0, 1.0, 1.0), (7.0, 7.0, 7.0)), box((3.0, 3.0, 3.0), (5.0, 5.0, 5.0))
    for surface in (outer, hole[:, ::-1]), (hole, outer[:, ::-1]):
        found = Surface(np.concatenate(surface)).inside(hc.Grid((8, 8, 8)))
        assert found.sum() == 6**3 - 2**3


def test_a_solid_within_a_cavity_is_solid():
    shells = [box((n, n, n), (13.0 - n, 13.0 - n, 13.0 - n)) for n in (1.0, 3.0, 5.0)]
    shells[1] = shells[1][:, ::-1]
    found = Surface(np.concatenate(shells)).inside(hc.Grid((13, 13, 13)))
    assert found.sum() == 11**3 - 7**3 + 3**3


@pytest.mark.parametrize("second", [(4.0, 4.0, 4.0), (6.0, 4.0, 3.0), (2.0, 1.0, 1.0)])
@pytest.mark.parametrize("turned", [(), (0,), (1,), (0, 1)])
def test_surfaces_that_overlap_touch_or_lie_apart_are_one_solid(second, turned):
    """Whichever way their triangles turn, but for a second one wholly within the first."""
    low, high = np.array([1.0, 1.0, 1.0]), np.array([6.0, 6.0, 6.0])
    boxes = [box(low, high), box(second, second + np.array([3.0, 2.0, 4.0]))]
    for n in turned:
        boxes[n] = boxes[n][:, ::-1]
    x = np.indices((10, 10, 10)) + 0.5
    cells = [
        ((x > c.min((0, 1)).reshape(3, 1, 1, 1)) & (x < c.max((0, 1)).reshape(3, 1, 1, 1)))
        for c in boxes
    ]
    first, other = (c.all(axis=0) for c in cells)
    is_cavity = len(turned) == 1 and second[0] == 2.0
    expected = first & ~other if is_cavity else first | other
    assert np.array_equal(Surface(np.concatenate(boxes)).inside(hc.Grid((10, 10, 10))), expected)


def test_spheres_that_overlap_are_one_solid():
    triangles = [sphere(middle, 3.4, rings=40) for middle in ((5.0, 5.1, 4.9), (8.1, 5.0, 5.0))]
    first, second = (Surface(one).inside(hc.Grid((14, 10, 10))) for one in triangles)
    both = Surface(np.concatenate(triangles)).inside(hc.Grid((14, 10, 10)))
    assert np.array_equal(both, first | second)
    assert (first & second).any()


def test_triangles_of_a_surface_may_turn_any_way():
    triangles = np.concatenate(
        [sphere((5.0, 5.0, 5.0), 3.3), box((1.0, 1.0, 1.0), (4.0, 4.0, 4.0))]
    )
    expected = Surface(triangles).inside(hc.Grid((10, 10, 10)))
    mixed = np.random.default_rng(3).random(len(triangles)) < 0.5
    triangles[mixed] = triangles[mixed][:, ::-1]
    assert np.array_equal(Surface(triangles).inside(hc.Grid((10, 10, 10))), expected)


def test_a_surface_is_read_from_an_stl_file(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    file = tmp_path / "sphere.stl"
    trimesh.creation.icosphere(radius=0.75).apply_translation((1, 1, 1)).export(file)
    found = read_geometry(file, (20, 20, 20), 0.1)
    assert np.array_equal(found, read_geometry(str(file), (20, 20, 20), 0.1))
    assert found.sum() * 0.1**3 == pytest.approx(4 / 3 * np.pi * 0.75**3, rel=0.03)


def test_a_surface_that_is_not_closed_is_refused(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    file = tmp_path / "open.stl"
    mesh = trimesh.creation.icosphere(radius=0.75)
    mesh.update_faces(np.arange(len(mesh.faces)) > 3)
    mesh.export(file)
    with pytest.raises(CaseError) as error:
        read_geometry(str(file), (20, 20, 20), 0.1)
    assert str(error.value) == (
        f"The surface in '{file}' is not closed: there is no inside. Close its holes in the "
        "program that made it."
    )


@pytest.mark.parametrize("content", [b"solid part\nfacet nonsense", b"\x00\x01", b""])
def test_what_is_no_surface_is_refused(tmp_path, content):
    pytest.importorskip("trimesh")
    file = tmp_path / "part.stl"
    file.write_bytes(content)
    with pytest.raises(CaseError) as error:
        read_geometry(str(file), (8, 8, 8))
    assert str(file) in str(error.value)


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        (
            "wide.npy",
            np.ones((3, 4), bool),
            "has 3 x 4 cells; expected 6 x 4, as the case has. Axes come in the order x, y, z; "
            "choose 'cells' and the case's sizes to fit.",
        ),
        ("full.npy", np.ones((6, 4), bool), "leaves only solid cells. Its coordinates may be"),
        ("empty.npy", np.zeros((6, 4), bool), "leaves only fluid cells. Its coordinates may be"),
        (
            "real.npy",
            np.zeros((6, 4)),
            "holds an array of float64 with 2 axes; expected an array of bool or whole numbers "
            "with two or three axes, not 0 where cells are solid.",
        ),
        ("line.npy", np.zeros(6, bool), "holds an array of bool with 1 axes"),
    ],
)
def test_an_array_that_does_not_fit_is_refused(tmp_path, name, array, message):
    np.save(tmp_path / name, array)
    with pytest.raises(CaseError) as error:
        read_geometry(str(tmp_path / name), (6, 4))
    assert str(error.value).startswith(f"The geometry file '{tmp_path / name}' {message}")


def test_what_cannot_be_read_is_refused(tmp_path):
    for name, message in (
        ("noise.npy", "is no NumPy array: "),
        ("noise.png", "is neither a NumPy array (.npy), nor a surface (.stl), nor an image"),
    ):
        (tmp_path / name).write_bytes(b"noise")
        with pytest.raises(CaseError) as error:
            read_geometry(str(tmp_path / name), (6, 4))
        assert message in str(error.value)
    with pytest.raises(CaseError) as error:
        read_geometry("nowhere.png", (6, 4))
    assert str(error.value) == "There is no geometry file 'nowhere.png'."


def test_a_surface_in_a_flow_of_two_dimensions_is_refused(tmp_path):
    pytest.importorskip("trimesh")
    file = tmp_path / "part.stl"
    file.write_text("solid part\nendsolid part\n")
    with pytest.raises(CaseError, match="is a surface in space; expected an array or an image"):
        read_geometry(str(file), (8, 8))


def test_a_channel_with_a_block_lets_less_through(tmp_path, block):
    file = tmp_path / "block.npy"
    np.save(file, np.kron(block, np.ones((2, 2), bool)))
    case = Channel(cells=8, aspect=1.5, reynolds=2.0, geometry=str(file), tolerance=1e-6)
    result, variables = run(case)
    (mean,) = result.compare(variables)
    assert 0.1 < mean.measured < 0.6
    assert np.abs(result.series("mass") - 1.0).max() < 1e-12
