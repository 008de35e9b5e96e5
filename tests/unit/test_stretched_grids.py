"""Grids whose cells have widths of their own, and derivatives on them."""

import numpy as np
import pytest
import xarray
from errors.telling import told

import halocline as hc
from halocline.errors import GridError
from halocline.io import movie
from halocline.io.time_series import Probe


def stretched(n, length=1.0, strength=0.3):
    """Return widths that vary smoothly and add up to a length."""
    s = np.arange(n + 1) / n
    return np.diff(length * (s + strength * np.sin(2 * np.pi * s) / (2 * np.pi)))


def run(grid, steps, **options):
    options = {"target": "numpy", "threads": 1} | options
    simulation = hc.Simulation(grid, steps, **options)
    simulation.run(1, progress=False)


def test_coordinates_add_up():
    widths = np.array([1.0, 2.0, 4.0, 1.0])
    grid = hc.Grid((4, 3), spacing=(widths, 0.5), origin=(10.0, 0.0))
    x, y = grid.coordinates("center", grid.domain)
    assert x.ravel().tolist() == [10.5, 12.0, 15.0, 17.5]
    assert y.ravel().tolist() == [0.25, 0.75, 1.25]
    field = grid.field("u", location="x_face")
    faces, _ = field.coordinates(field.space.domain)
    assert faces.ravel().tolist() == [10.0, 11.0, 13.0, 17.0, 18.0]


def test_widths_add_up_on_coarser_grids_and_are_split_on_finer_ones():
    grid = hc.Grid((4,), spacing=(np.array([1.0, 2.0, 4.0, 1.0]),))
    assert grid.coarsen(2).spacing[0].tolist() == [3.0, 5.0]
    assert grid.refine(2).spacing[0].tolist() == [0.5, 0.5, 1.0, 1.0, 2.0, 2.0, 0.5, 0.5]


def test_an_array_changed_later_has_no_effect():
    widths = np.ones(4)
    grid = hc.Grid((4,), spacing=(widths,))
    widths[0] = 9.0
    assert grid.faces(0).tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize(
    ("spacing", "message"),
    [
        (
            np.ones(3),
            "The grid spacing along x has the shape (3,); expected a number, or the width of each "
            "of the 4 cells.",
        ),
        (
            np.array([1.0, 0.0, 1.0, 1.0]),
            "A grid spacing of 0.0 along x was given; expected positive numbers.",
        ),
    ],
)
def test_widths_that_are_none(spacing, message):
    assert told(GridError, lambda: hc.Grid((4,), spacing=(spacing,))) == message


@hc.kernel
def places(at, on, *, axis):
    at[0, 0] = hc.coordinate(axis) + 100.0 * hc.spacing(axis)
    on[0, 0] = hc.coordinate(axis) + 100.0 * hc.spacing(axis)


def test_coordinates_and_spacings_in_kernels():
    widths = np.array([1.0, 2.0, 4.0, 1.0])
    grid = hc.Grid((4, 2), spacing=(widths, 0.5), origin=(10.0, 0.0))
    at, on = grid.field("at"), grid.field("on", location="x_face")
    run(grid, [places(at, on, axis="x")])
    assert at.gather()[:, 1].tolist() == [110.5, 212.0, 415.0, 117.5]
    assert on.gather()[:, 1].tolist() == [110.0, 161.0, 313.0, 267.0, 118.0]


@pytest.mark.parametrize("is_periodic", [False, True])
def test_a_second_derivative_is_conservative(is_periodic):
    n = 12
    widths = stretched(n)
    grid = hc.Grid((n, 2), periodic=(is_periodic, True), spacing=(widths, 1.0))
    u, out = grid.field("u"), grid.field("out")
    values = np.random.default_rng(1).random((n, 2))
    u.set(values)
    if not is_periodic:
        u.boundary("x-", hc.Neumann(0.0))
        u.boundary("x+", hc.Neumann(0.0))

    @hc.kernel
    def second(u, out):
        out[0, 0] = hc.d(u, "x", order=2)

    run(grid, [second(u, out)])
    mode = "wrap" if is_periodic else "symmetric"
    wide, padded = np.pad(widths, 1, mode), np.pad(values, ((1, 1), (0, 0)), mode)
    between = 0.5 * (wide[:-1] + wide[1:])
    flux = np.diff(padded, axis=0) / between[:, None]
    assert np.allclose(out.gather(), np.diff(flux, axis=0) / widths[:, None], rtol=1e-12)
    # What leaves one cell enters the next.
    assert abs((out.gather() * widths[:, None]).sum()) < 1e-12


def error(n, what, exact, accuracy=2, location="center", of="center"):
    """Return the largest error of a derivative of sin(2 pi x) on a stretched periodic axis."""
    grid = hc.Grid((n, 2), periodic=True, spacing=(stretched(n), 1.0))
    u, out = grid.field("u", location=of), grid.field("out", location=location)
    u.set(lambda x, y: np.sin(2 * np.pi * x) + 0.0 * y)

    @hc.kernel
    def derive(u, out):
        out[0, 0] = what(u, accuracy)

    run(grid, [derive(u, out)])
    x = out.coordinates(out.space.domain)[0].ravel()
    return np.abs(out.gather()[:, 0] - exact(2 * np.pi * x)).max()


CASES = [
    (lambda u, a: hc.d(u, "x", accuracy=a), lambda s: 2 * np.pi * np.cos(s), {}),
    (
        lambda u, a: hc.d(u, "x", accuracy=a),
        lambda s: 2 * np.pi * np.cos(s),
        {"location": "x_face"},
    ),
    (lambda u, a: hc.d(u, "x", accuracy=a), lambda s: 2 * np.pi * np.cos(s), {"of": "x_face"}),
    (lambda u, a: hc.d(u, "x", 3, a), lambda s: -((2 * np.pi) ** 3) * np.cos(s), {}),
    (lambda u, a: hc.average(u, "x", a), np.sin, {"of": "x_face"}),
]


@pytest.mark.parametrize(("what", "exact", "places"), CASES)
@pytest.mark.parametrize("accuracy", [2, 4])
def test_derivatives_converge_on_stretched_axes(what, exact, places, accuracy):
    coarse, fine = (error(n, what, exact, accuracy, **places) for n in (32, 64))
    assert np.log2(coarse / fine) > accuracy - 0.3


def test_the_conservative_second_derivative_solves_to_second_order():
    # Its own error is of first order where widths change; that of a solution is of second order.
    errors = []
    for n in (16, 32):
        grid = hc.Grid((n, 1), spacing=(stretched(n), 1.0))
        u, new = grid.field("u"), grid.field("new")
        u.boundary("x-", hc.Dirichlet(0.0))
        u.boundary("x+", hc.Dirichlet(0.0))
        dt = 0.2 * stretched(n).min() ** 2

        @hc.kernel
        def relax(u, new, *, dt):
            f = np.pi**2 * hc.sin(np.pi * hc.coordinate("x"))
            new[0, 0] = u + dt * (hc.d(u, "x", order=2) + f)

        simulation = hc.Simulation(grid, [relax(u, new, dt=dt), hc.swap(u, new)], threads=1)
        simulation.run(int(1.5 / dt), progress=False)
        x = u.coordinates(grid.domain)[0]
        errors.append(np.abs(u.gather() - np.sin(np.pi * x)).max())
    assert np.log2(errors[0] / errors[1]) > 1.7


def test_a_gradient_at_the_side_counts_from_cell_to_cell():
    grid = hc.Grid((3, 1), spacing=(np.array([1.0, 2.0, 4.0]), 1.0))
    u, out = grid.field("u"), grid.field("out")
    u.set(1.0)
    u.boundary("x-", hc.Neumann(0.5))
    u.boundary("x+", hc.Neumann(0.25))

    @hc.kernel
    def around(u, out):
        out[0, 0] = u[-2, 0] + 100.0 * u[2, 0]

    run(grid, [around(u, out)])
    low_far, low, high, high_far = 1 + 0.5 * 4, 1 + 0.5 * 1, 1 + 0.25 * 4, 1 + 0.25 * 10
    assert out.gather().ravel().tolist() == [low_far + 100, low + 100 * high, 1 + 100 * high_far]


def test_single_numbers_stay_single():
    grid = hc.Grid((8, 1), periodic=True, spacing=(stretched(8), 1.0))
    u, out = grid.field("u", dtype="float32"), grid.field("out", dtype="float32")

    @hc.kernel
    def derive(u, out):
        out[0, 0] = hc.d(u, "x") * hc.spacing("x")

    assert {f.dtype for f in derive(u, out).fields} == {"float32"}


def test_a_probe_takes_the_cell_around_its_point():
    grid = hc.Grid((4,), spacing=(np.array([1.0, 2.0, 4.0, 1.0]),), origin=(10.0,))
    T, u = grid.field("T"), grid.field("u", location="x_face")
    points = (10.0, 10.9, 11.0, 16.0, 17.9, 18.0)
    assert [Probe((x,)).cell(T) for x in points] == [(0,), (0,), (1,), (2,), (3,), (3,)]
    # Of faces the nearest one: 10, 11, 13, 17, 18.
    assert [Probe((x,)).cell(u) for x in points] == [(0,), (1,), (1,), (3,), (4,), (4,)]


def test_a_movie_shows_cells_where_they_are(tmp_path):
    place = np.cumsum(stretched(8)) - 0.5 * stretched(8)
    values = xarray.DataArray(
        np.random.default_rng(1).random((2, 8, 3)),
        dims=("time", "x", "y"),
        coords={"x": place, "y": [0.5, 1.5, 2.5], "step": ("time", [0, 1])}
        | {"time": ("time", [0.0, 1.0], {"long_name": "time"})},
        attrs={"long_name": "T", "units": "K"},
    )
    figure, show = movie._picture([movie.Layer(values)])
    show(1)
    (mesh,) = (c for c in figure.axes[0].collections if hasattr(c, "get_coordinates"))
    faces = mesh.get_coordinates()[0, :, 0]
    assert np.allclose(0.5 * (place[1:] + place[:-1]), faces[1:-1])
    assert np.allclose(mesh.get_array().reshape(3, 8), values[1].T)
