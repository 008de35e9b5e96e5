"""Kernels and reductions on fields of related grids: masks, boxes, sides, next door."""

import numpy as np
import pytest

import halocline as hc
from halocline.errors import KernelError


def run(grid, steps, **options):
    strategy = options.pop("strategy", hc.Strategy(poison=True))
    simulation = hc.Simulation(grid, steps, **{"target": "numpy", "strategy": strategy} | options)
    simulation.run(1, progress=False)
    return simulation


@hc.kernel
def copy(target, source):
    target[0, 0] = source[0, 0]


@pytest.mark.parametrize("ratio", [2, 3])
def test_a_box_may_span_an_axis_that_closes_or_is_lacking(ratio):
    grid = hc.Grid((6, 6), periodic=(True, False))
    field, coarse = grid.field("field"), grid.coarsen(ratio).field("coarse")
    field.set(0.0)
    coarse.set(1.0)
    run(grid, [copy(field, coarse, on=hc.Box((0, 0), (6, ratio)))])
    assert field.gather().sum() == 6 * ratio


def test_a_mask_has_no_more_axes_than_what_is_assigned():
    grid = hc.Grid((4, 4))
    line, mask = grid.field("line", axes="x"), grid.field("mask")

    @hc.kernel
    def clear(line):
        line[0] = 0.0

    with pytest.raises(KernelError, match="which of its cells along y is not said"):
        clear(line, on=mask)


def test_indices_and_shifts_are_along_axes_that_are_there():
    grid = hc.Grid((4, 4))
    line, other = grid.field("line", axes="x"), grid.field("other", axes="x")

    @hc.kernel
    def indexed(line):
        line[0] = hc.index("y")

    @hc.kernel
    def shifted(line, other):
        line[0] = hc.at(2.0 * other[0], y=1)

    @hc.kernel
    def subscripted(line, other):
        line[0] = (2.0 * other[0])[0, 1]

    with pytest.raises(KernelError, match=r"uses the index along y, but .* cells on 'x'"):
        indexed(line)
    with pytest.raises(KernelError, match=r"shifts an expression along y, but .* cells on 'x'"):
        shifted(line, other)
    with pytest.raises(KernelError, match=r"with 2 offsets \(0, 1\); expected 1, one for .*\(x\)"):
        subscripted(line, other)


def test_next_door_is_a_multiple_of_the_coarser_cells_that_are_used():
    grid = hc.Grid((4, 4), periodic=True)
    field, coarse = grid.field("field"), grid.coarsen(2).field("coarse")

    @hc.kernel
    def up(field, coarse):
        field[0, 1] = coarse[0, 0]

    with pytest.raises(KernelError, match="coarser by 2x2; expected multiples of that"):
        up(field, coarse)


@pytest.mark.parametrize("strategy", [{}, {"depth": 2}, {"depth": 2, "neighbours": "staged"}])
def test_what_is_assigned_next_door_from_coarser_cells_comes_home(strategy):
    grid = hc.Grid((8, 8), periodic=True)
    field, coarse, seen = grid.field("field"), grid.coarsen(2).field("coarse"), grid.field("seen")
    coarse.set(lambda x, y: x + 10.0 * y)

    @hc.kernel
    def down(field, coarse):
        field[0, -2] = coarse[0, 0]

    options = {
        "blocks": 4,
        "decomposition": (2, 2),
        "strategy": hc.Strategy(poison=True, **strategy),
    }
    run(grid, [down(field, coarse), copy(seen, field)], **options)
    expected = np.roll(coarse.gather(), -1, 1).repeat(2, 0).repeat(2, 1)
    assert np.array_equal(seen.gather(), expected)


@pytest.mark.parametrize("target", ["numpy", "c++"])
def test_a_value_that_a_mask_keeps_is_not_looked_at_beyond_a_side(target):
    grid = hc.Grid((4, 4))
    field, coarse, mask = grid.field("field"), grid.coarsen(2).field("coarse"), grid.field("mask")
    field.set(0.0)
    coarse.set(1.0)
    mask.set(lambda x, y: 1.0 * (x > 2) + 0 * y)

    @hc.kernel
    def up(field, coarse):
        field[0, 2] = coarse[0, 0]

    run(grid, [up(field, coarse, on=mask)], target=target)
    assert field.gather().tolist() == [[0] * 4] * 2 + [[0, 0, 1, 1]] * 2


def test_a_mask_may_be_read_by_the_kernel_as_well():
    grid = hc.Grid((4, 4))
    field, coarse, mask = grid.field("field"), grid.coarsen(2).field("coarse"), grid.field("mask")
    coarse.boundary("x+", hc.Neumann(0.0))
    field.set(0.0)
    coarse.set(3.0)
    mask.set(lambda x, y: 1.0 * (x > 2) + 0 * y)

    @hc.kernel
    def add(field, coarse, mask):
        field[0, 0] = coarse[1, 0] + mask[0, 0]

    run(grid, [add(field, coarse, mask, on=mask)])
    assert field.gather()[:, 0].tolist() == [0, 0, 4, 4]


@pytest.mark.parametrize("target", ["numpy", "c++"])
def test_on_the_last_face_a_mask_is_what_its_boundary_says(target):
    grid = hc.Grid((4, 2))
    face, mask = grid.field("face", location="x_face"), grid.field("mask", dtype="float32")
    mask.boundary("x+", hc.Dirichlet(0.0))
    face.set(5.0)
    mask.set(lambda x, y: 1.0 * (x < 2) + 0 * y)

    @hc.kernel
    def clear(face):
        face[0, 0] = 0.0

    run(grid, [clear(face, on=mask)], target=target)
    assert face.gather()[:, 0].tolist() == [0, 0, 5, 5, 5]


def test_a_layer_read_beside_last_faces_is_filled_there_too():
    grid = hc.Grid((4, 4))
    edge, coarse = (
        grid.field("edge", location="xy_edge"),
        grid.coarsen(2).field("coarse", location="y_face"),
    )
    coarse.boundary("x-", hc.Neumann(0.0))
    coarse.set(lambda x, y: x + 10.0 * y)

    @hc.kernel
    def left(edge, coarse):
        edge[0, 0] = coarse[-1, 0]

    run(grid, [left(edge, coarse)])
    assert edge.gather()[0].tolist() == [1, 1, 21, 21, 41]


def test_what_a_side_prescribes_is_read_as_it_was_before_the_field_is_assigned():
    grid = hc.Grid((4,))
    cell, face = grid.field("cell"), grid.field("face", location="x_face")
    face.boundary("x-", hc.Neumann(1.0))
    face.set(lambda x: 10.0 * x)

    @hc.kernel
    def shift(cell, face):
        cell[0] = face[0]
        face[0] = 7.0

    run(grid, [shift(cell, face)])
    assert cell.gather().tolist() == [11, 10, 20, 30]
    assert face.gather().tolist() == [8, 7, 7, 7, 7]


def test_reductions_have_the_finest_cells_along_each_axis():
    grid = hc.Grid((4, 6))
    a, b = grid.coarsen((2, 1)).field("a"), grid.coarsen((1, 3)).field("b")
    u, line = grid.field("u", location="x_face"), grid.field("line", axes="y")
    for field in (a, b, u, line):
        field.set(1.0)
    simulation = run(grid, [lambda: None])
    assert simulation.reduce(hc.sum(a * b)) == 24
    # A field without the axis has no say in whether there is a last face.
    assert simulation.reduce(hc.sum(u * line)) == 5 * 6
    assert simulation.reduce(hc.sum(hc.index("x"))) == 6 * 6


def test_a_component_outside_of_a_kernel_is_read_in_cells_of_its_own():
    grid = hc.Grid((4, 4), periodic=True)
    coarse = grid.coarsen(2).field("coarse", components=2, axes="x")
    field = grid.field("field")
    coarse.set(np.array([[0.0, 0.0], [1.0, 2.0]]))
    field.set(lambda x, y: 1.0 * (x < 1) * (y < 1))
    total = hc.sum(coarse[1][1] * field)
    run(grid, [total])
    assert total.value == 2


def test_finer_cells_next_door_are_assigned_together_though_a_boundary_fills_what_is_read():
    grid = hc.Grid((4, 7))
    field, other = grid.field("field"), grid.field("other")
    edges, coarse = grid.field("edges", location="xy_edge"), grid.coarsen((2, 1)).field("coarse")
    field.boundary("y-", hc.Neumann(0.0))

    @hc.kernel
    def first(field):
        field[0, 0] = hc.index("x") + 10 * hc.step

    @hc.kernel
    def second(edges, field, other, coarse):
        edges[0, 0] = 1.0
        field[0, -1] = field[0, -1]
        other[0, 0] = coarse[0, 0]

    steps = [first(field), second(edges, field, other, coarse)]
    simulation = run(grid, steps, decomposition=(1, 2), blocks=2, check_every=0)
    simulation.run(1, progress=False)
    np.testing.assert_array_equal(field.gather(), np.tile(np.arange(4) + 10.0, (7, 1)).T)


def test_a_value_assigned_twice_reaches_the_extra_face_of_a_finer_field():
    grid = hc.Grid((4,))
    field, faces = grid.field("field"), grid.refine(3).field("faces", location="x_face")
    field.set(lambda x: 1.0 + x)
    field.boundary("x+", hc.Neumann(0.0))

    @hc.kernel
    def twice(faces, field):
        faces[0] = field[0]
        faces[0] = faces[0]

    run(grid, [twice(faces, field)], check_every=0)
    np.testing.assert_array_equal(faces.gather(), [*np.repeat(field.gather(), 3), 4.5])
