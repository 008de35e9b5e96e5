"""Points off the grid and series in one process: exact where they can be, told when wrong."""

from __future__ import annotations

import numpy as np
import pytest

import halocline as hc
from halocline.errors import GridError, KernelError, OutOfMemoryError, PlanError
from halocline.io import checkpoint

RANDOM = np.random.default_rng(7)
STRATEGY = hc.Strategy(poison=True)


def simulated(grid, steps, **choices):
    """Return a simulation with a fixed strategy."""
    return hc.Simulation(grid, steps, strategy=STRATEGY, **choices)


@hc.kernel
def doubled(u, v):
    v[0, 0] = 2.0 * u[0, 0]


def inside(count, *extent, margin=3.0):
    """Return points away from the sides."""
    return margin + RANDOM.random((count, len(extent))) * (np.array(extent) - 2 * margin)


@pytest.mark.parametrize(("interpolation", "degree"), [("linear", 1), ("cubic", 3)])
def test_polynomials_are_interpolated_exactly(interpolation, degree):
    def polynomial(x, y):
        return 1.0 + sum(x**k - 0.3 * y**k + 0.1 * (x * y) ** k for k in range(1, degree + 1))

    grid = hc.Grid((12, 10), spacing=(0.5, 0.25), origin=(-1.0, 2.0))
    p = grid.field("p")
    p.set(polynomial)
    where = inside(40, 12, 10) * (0.5, 0.25) + (-1.0, 2.0)
    shot = hc.Points(where, interpolation).record(p)
    simulated(grid, [shot]).run(1)
    np.testing.assert_allclose(shot.values[0], polynomial(*where.T), rtol=1e-12)


@pytest.mark.parametrize(
    ("kind", "radius", "least", "most"),
    [("linear", 4, 0.2, 0.3), ("cubic", 4, 0.05, 0.15), ("sinc", 4, 0, 0.02), ("sinc", 8, 0, 1e-3)],
)
def test_a_windowed_sinc_interpolates_waves_of_four_cells_well(kind, radius, least, most):
    def wave(x):
        return np.sin(2 * np.pi * x / 4)

    grid = hc.Grid((64,), periodic=True)
    p = grid.field("p")
    p.set(wave)
    where = np.linspace(0, 64, 301)[:, None]
    shot = hc.Points(where, kind, radius=radius).record(p)
    simulated(grid, [shot]).run(1)
    assert least <= np.abs(shot.values[0] - wave(where[:, 0])).max() <= most


@pytest.mark.parametrize("interpolation", ["linear", "cubic", "sinc"])
@pytest.mark.parametrize("periodic", [True, False])
def test_injection_is_the_adjoint_of_interpolation(interpolation, periodic):
    grid = hc.Grid((9, 8, 7), periodic=periodic)
    p, q = grid.field("p"), grid.field("q")
    field, amounts = RANDOM.random((9, 8, 7)), RANDOM.random(30)
    p.set(field)
    for side in () if periodic else ("x-", "x+", "y-", "y+", "z-", "z+"):
        p.boundary(side, layer_of_zero)
    points = hc.Points(RANDOM.random((30, 3)) * (9, 8, 7), interpolation, radius=2)
    margin = {"linear": 0.5, "cubic": 1.5, "sinc": 1.5}[interpolation]
    if not periodic:
        points = hc.Points(inside(30, 9, 8, 7, margin=margin), interpolation, radius=2)
    shot = points.record(p)
    simulated(grid, [shot, points.inject(amounts, into=q)]).run(1)
    np.testing.assert_allclose(shot.values[0] @ amounts, (field * q.gather()).sum(), rtol=1e-13)


@hc.kernel
def layer_of_zero(p):
    p[0, 0, 0] = 0.0


def test_fields_on_faces_and_of_other_grids_are_met_where_their_values_are():
    grid = hc.Grid((8, 6))
    u, coarse = grid.field("u", location="x_face"), grid.coarsen(2).field("coarse")
    v = grid.field("v", components=3, layout="aos", dtype="float32")
    profile = grid.field("profile", axes="y")
    for field in (u, coarse):
        field.set(lambda x, y: 2 * x + 3 * y)
    profile.set(lambda y: 3 * y)
    v.set(np.stack([np.full((8, 6), float(q)) for q in range(3)]))
    where = inside(20, 8, 6, margin=1.0)
    points = hc.Points(where)
    shots = [points.record(f) for f in (u, coarse, profile)]
    third = points.record(v, component=2)
    simulated(grid, [*shots, third]).run(1)
    x, y = where.T
    np.testing.assert_allclose(shots[0].values[0], 2 * x + 3 * y, rtol=1e-14)
    np.testing.assert_allclose(shots[1].values[0], 2 * x + 3 * y, rtol=1e-14)
    np.testing.assert_allclose(shots[2].values[0], 3 * y, rtol=1e-14)
    np.testing.assert_array_equal(third.values[0], np.full(20, 2.0))


def test_points_in_stretched_cells_are_linear_between_middles():
    widths = np.array([1.0, 2.0, 3.0, 2.0, 1.0])
    grid = hc.Grid((5,), spacing=(widths,))
    p = grid.field("p")
    p.set(lambda x: 4 * x + 1)
    where = np.array([[0.5], [2.7], [4.5], [8.5]])
    shot = hc.Points(where).record(p)
    simulated(grid, [shot]).run(1)
    np.testing.assert_allclose(shot.values[0], 4 * where[:, 0] + 1, rtol=1e-14)
    with pytest.raises(GridError, match="whose cells along x differ in width; expected 'linear'"):
        hc.Points(where, "cubic").record(p)


def test_points_at_values_have_these_and_need_nothing_else():
    """Beside the first and the last cell there is nothing."""
    grid = hc.Grid((6, 5))
    p = grid.field("p")
    field = RANDOM.random((6, 5))
    p.set(field)
    cells = np.argwhere(np.ones((6, 5)))
    for interpolation in ("linear", "cubic", "sinc"):
        grid = hc.Grid((6, 5))
        p = grid.field("p")
        p.set(field)
        shot = hc.Points(cells + 0.5, interpolation).record(p)
        simulated(grid, [shot], blocks=2).run(1)
        np.testing.assert_array_equal(shot.values[0], field[tuple(cells.T)])


def test_of_points_in_few_cells_only_those_near_a_side_need_its_boundary():
    """The first weights two layers below and a cell that the second has at the other side."""
    p = hc.Grid((4, 2), periodic=(True, False)).field("p")
    p.boundary("y-", hc.Dirichlet(0.0))
    p.set(1.0)
    shot = hc.Points([(1.5, 0.0), (2.5, 1.5)], "cubic").record(p)
    simulated(p.grid, [shot], blocks=2).run(1)
    np.testing.assert_allclose(shot.values, [[0.0, 1.0]], atol=1e-15)


def test_cells_of_weight_zero_keep_their_bits_when_values_are_injected():
    grid = hc.Grid((8, 8))
    q, amount = grid.field("q"), hc.Parameter(np.inf, "amount")
    q.set(lambda x, y: -0.0 * x * y)
    # The first one lies in the middle of cells along x, so that those beside have the weight 0.
    shot = hc.Points([(3.5, 2.25), (5.75, 6.1)], "cubic")
    simulated(grid, [shot.inject(amount, into=q)], check_every=0).run(1)
    values = q.gather()
    assert np.isinf(values[3, :4]).all()
    assert np.signbit(values[2]).all()
    assert not np.any(values[2])


def test_what_is_injected_may_be_a_number_an_array_a_parameter_or_a_series():
    grid = hc.Grid((10, 8))
    fields = [grid.field(f"q{n}") for n in range(6)]
    points = hc.Points([(2.5, 3.5), (7.5, 5.5)])
    knob = hc.Parameter(3.0)
    times = [0.0, 10.0]
    rows = [[0.0, 1.0], [20.0, 1.0]]
    given = [2.0, [1.0, 5.0], knob, hc.Series(times, [0.0, 10.0]), hc.Series(times, rows)]
    given.append(hc.Series([0, 1], [1.0, 3.0], period=2))
    steps = [
        points.inject(values, into=q, scale=[1.0, 10.0])
        for q, values in zip(fields, given, strict=True)
    ]
    simulation = simulated(grid, steps, dt=0.5)
    simulation.run(2)
    knob.value = 4.0
    simulation.run(2)
    found = [(q.gather()[2, 3], q.gather()[7, 5]) for q in fields]
    at = 0.5 * np.arange(4)
    assert found[0] == (8.0, 80.0)
    assert found[1] == (4.0, 200.0)
    assert found[2] == (14.0, 140.0)
    np.testing.assert_allclose(found[3], (at.sum(), 10 * at.sum()), rtol=1e-14)
    np.testing.assert_allclose(found[4], (2 * at.sum(), 40.0), rtol=1e-14)
    np.testing.assert_allclose(found[5], (8.0, 80.0), rtol=1e-14)


@pytest.mark.parametrize("values", ["number", "parameter", "series", "rows"])
def test_a_scale_of_what_is_injected_may_be_a_parameter(values):
    grid = hc.Grid((6, 4), periodic=True)
    u = grid.field("u")
    dt = hc.Parameter(0.5, "dt")
    times, rows = np.array([0.0, 1.0, 3.0]), np.array([[1.0, 2.0], [3.0, 5.0], [0.0, 1.0]])
    injected = {
        "number": 3.0,
        "parameter": hc.Parameter(3.0),
        "series": hc.Series(times, rows[:, 0]),
        "rows": hc.Series(times, rows),
    }[values]
    points = hc.Points([(0.5, 0.5), (3.5, 2.5)])
    simulation = simulated(grid, [points.inject(injected, into=u, scale=dt**2)], dt=dt)
    simulation.run(2)
    dt.value = 0.25
    simulation.run(1)
    lengths, at = np.array([0.5, 0.5, 0.25]), np.array([0.0, 0.5, 1.0])
    for n, cell in enumerate([(0, 0), (3, 2)]):
        column = rows[:, n if values == "rows" else 0]
        amounts = np.interp(at, times, column) if "s" in values[0] + values[-1] else 3.0
        np.testing.assert_allclose(u.gather()[cell], (lengths**2 * amounts).sum(), rtol=1e-14)


def test_a_series_is_a_number_of_kernels_and_boundaries():
    grid = hc.Grid((6, 4))
    u, v = grid.field("u"), grid.field("v")
    series = hc.Series([0.0, 2.0, 3.0], [1.0, 5.0, 0.0])

    @hc.kernel
    def take(u, v, *, a):
        v[0, 0] = a + 0.5 * u[-1, 0]

    u.boundary("x-", hc.Dirichlet(series))
    simulation = simulated(grid, [take(u, v, a=series)], dt=0.5)
    for step in range(7):
        simulation.run(1)
        now = series.at(0.5 * step)
        assert now == np.interp(0.5 * step, series.times, series.values)
        assert v.gather()[1, 0] == now
        # The layer beyond has what makes the mean of both sides the value.
        assert v.gather()[0, 0] == now + 0.5 * (2 * now)
    with pytest.raises(
        PlanError, match=r"'series' goes from 0 to 3, but the steps to come go from"
    ):
        simulation.run(1)


def test_records_go_on_after_checkpoints_and_on_other_blocks(tmp_path):
    def made():
        grid = hc.Grid((12, 10), periodic=True)
        u, v = grid.field("u"), grid.field("v")
        u.set(np.random.default_rng(2).random((12, 10)))
        points = hc.Points(np.random.default_rng(3).random((9, 2)) * (12, 10), "cubic")

        @hc.kernel
        def smooth(u, v):
            v[0, 0] = u[0, 0] + 0.1 * hc.laplacian(u)

        shot = points.record(u, every=2)
        source = points.inject(hc.Series([0, 50], [0.0, 1.0]), into=v)
        return simulated(grid, [shot, smooth(u, v), source, hc.swap(u, v)]), shot, u

    simulation, whole, u = made()
    simulation.run(9)
    other, shot, w = made()
    other.run(4)
    other.rebuild(decomposition=(2, 2), blocks=4)
    other.run(1)
    checkpoint.save(other, tmp_path / "c.npz")
    third, again, x = made()
    checkpoint.load(third, tmp_path / "c.npz")
    third.run(4)
    other.run(4)
    assert whole.values.shape == (4, 9)
    for record, field in ((shot, w), (again, x)):
        np.testing.assert_array_equal(record.values, whole.values)
        np.testing.assert_array_equal(record.times, [1, 3, 5, 7])
        np.testing.assert_array_equal(field.gather(), u.gather())
    shown = whole.to_xarray()
    assert shown.dims == ("time", "point")
    np.testing.assert_array_equal(shown.x, whole.points.coordinates[:, 0])


def test_plans_with_points_are_executed_from_files(tmp_path):
    def made(**choices):
        grid = hc.Grid((12, 10), periodic=True)
        u, v = grid.field("u"), grid.field("v")
        u.set(lambda x, y: x * y)
        shot = hc.Points([(2.2, 3.3)]).record(v)
        return hc.Simulation(grid, [doubled(u, v), shot], **choices), shot

    first, shot = made(strategy=STRATEGY)
    first.run(2)
    first.write_plan(tmp_path / "p.plan")
    assert "interpolate_v" in str(first.plan)
    assert "for 1 points" in str(first.plan)
    second, again = made(plan=tmp_path / "p.plan")
    second.run(2)
    np.testing.assert_array_equal(again.values, shot.values)


def test_present_values_are_told_at_once():
    grid = hc.Grid((12, 10), periodic=True)
    u, v = grid.field("u"), grid.field("v")
    points = hc.Points([(2.5, 3.5), (5.0, 5.5)])
    simulated(grid, [doubled(u, v), points.record(v)])
    v.set(lambda x, y: x)
    np.testing.assert_array_equal(points.values(v), [2.5, 5.0])
    v.set(lambda x, y: 2 * x)
    np.testing.assert_array_equal(points.values(v), [5.0, 10.0])


GRID = hc.Grid((8, 6), spacing=2.0)
P = GRID.field("p")
WHOLE = GRID.field("whole", dtype="int32")


@pytest.mark.parametrize(
    ("make", "kind", "told"),
    [
        (lambda: hc.Points([1.0, 2.0]), GridError, r"shape \(2,\); expected \(points, dim"),
        (lambda: hc.Points("here"), GridError, "expected their coordinates"),
        (lambda: hc.Points([(1, 2), (np.nan, 3)]), GridError, "Point 1 was given x = nan"),
        (lambda: hc.Points([(1, 2)], "spline"), GridError, "'linear', 'cubic' or 'sinc'"),
        (lambda: hc.Points([(1, 2)], "sinc", radius=9), GridError, "from|at least 2 and at most 8"),
        (lambda: hc.Points([(1, 2), (17, 3)]).record(P), GridError,
         r"Point 1 at \(17.0, 3.0\) lies outside the domain along x, where 'p' is interpolated"),
        (lambda: hc.Points([(1, 2, 3)]).record(P), GridError, "Points of 3 coordinates"),
        (lambda: hc.Points([(1, 2)]).record(P, component=1), GridError, "'component' was given 1"),
        (lambda: hc.Points([(1, 2)]).record(WHOLE), GridError, "expected float64 or float32"),
        (lambda: hc.Points([(1, 2)]).record("p"), GridError, "expected a field"),
        (lambda: hc.Points([(1, 2)]).record(P, every=0), PlanError, "'record' was given 0"),
        (lambda: hc.Points([(1, 2)]).record(P).values, GridError, "Nothing of 'p' was recorded"),
        (lambda: hc.Points([(1, 2)]).inject([1.0, 2.0], into=P), KernelError,
         "has 2 values at a time; expected one for each of 1 points"),
        (lambda: hc.Points([(1, 2)]).inject("loud", into=P), KernelError, "as 'values'; expected"),
        (lambda: hc.Points([(1, 2)]).inject(np.nan, into=P), KernelError, "not all finite"),
        (lambda: hc.Points([(1, 2)]).inject(hc.Series([0, 1], [[1, 2], [3, 4]]), into=P),
         KernelError, "'series' has 2 values at a time"),
        (lambda: hc.Series([0, 0], [1, 2]), KernelError, "times do not increase"),
        (lambda: hc.Series([0, 1], [1, 2, 3]), KernelError, r"values of shape \(3,\); expected"),
        (lambda: hc.Series([0, 1], [1, np.inf]), KernelError, "its values at"),
        (lambda: hc.Series([0, 1], "ab"), KernelError, "expected numbers"),
        (lambda: hc.Series([0, 1], [1, 2], period=0.5), KernelError, "period of the series"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(make, kind, told):
    with pytest.raises(kind, match=told):
        make()


def test_series_of_points_are_no_numbers():
    grid = hc.Grid((8, 6))
    p, q = grid.field("p"), grid.field("q")
    steps = [doubled_by(p, q, a=hc.Series([0, 1], [[1, 2], [3, 4]]))]
    with pytest.raises(KernelError, match="at each time; expected one number"):
        simulated(grid, steps).run(1)


@hc.kernel
def doubled_by(u, v, *, a):
    v[0, 0] = a * u[0, 0]


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        (lambda p, q, shot: [doubled(p, q), shot],
         r"Point 1 at \(0.2, 3.0\) is so near to side 'x-' that interpolating 'q' needs values"),
        (lambda p, q, shot: [doubled(p, q), hc.repeat(2, shot)], "stands within a loop"),
        (lambda p, q, shot: [doubled(p, q), shot, shot], "stands twice among the steps"),
    ],
)  # fmt: skip
def test_steps_that_cannot_be_are_told(steps, told):
    grid = hc.Grid((8, 6))
    p, q = grid.field("p"), grid.field("q")
    shot = hc.Points([(4, 3), (0.2, 3)]).record(q)
    with pytest.raises(PlanError, match=told):
        simulated(grid, steps(p, q, shot)).run(1)


def test_a_field_of_another_grid_is_told():
    grid = hc.Grid((8, 6))
    p, q = grid.field("p"), grid.field("q")
    with pytest.raises(GridError, match="uses the field 'p' of another grid"):
        simulated(grid, [doubled(p, q), hc.Points([(1, 2)]).record(P)]).run(1)


def test_records_that_do_not_fit_into_memory_are_refused(monkeypatch):
    grid = hc.Grid((8, 6))
    p, q = grid.field("p"), grid.field("q")
    simulation = simulated(grid, [doubled(p, q), hc.Points([(1, 2)] * 1000).record(q)])
    simulation.run(1)
    monkeypatch.setattr("halocline.runtime.tables.free_memory", lambda: 1e6)
    with pytest.raises(OutOfMemoryError, match="What points record in 1000 steps takes 8"):
        simulation.run(1000)


def test_a_field_without_a_simulation_has_no_present_values():
    u = hc.Grid((4, 4)).field("u")
    with pytest.raises(GridError, match="'u' belongs to no simulation yet"):
        hc.Points([(1.0, 2.0)]).values(u)


def test_weights_of_some_points_have_the_bits_that_they_have_among_all():
    random = np.random.default_rng(8)
    field = hc.Grid((20, 20)).field("u")
    for interpolation in ("linear", "cubic", "sinc"):
        points = hc.Points(random.random((200, 2)) * 20, interpolation)
        support = points.record(field).support()
        every = support.weights(np.arange(200))
        for _ in range(20):
            some = np.sort(random.choice(200, random.integers(1, 50), replace=False))
            np.testing.assert_array_equal(support.weights(some), every[some])
