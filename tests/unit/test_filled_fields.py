"""Fields and sides that follow arrays over time, beside plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest
import xarray

import halocline as hc
from halocline.errors import HaloclineError, KernelError, OutOfMemoryError
from halocline.io import checkpoint
from halocline.runtime.memory import bytes_needed

TIMES = np.array([0.0, 1.0, 2.5, 4.0])
STEPS, DT = 7, 0.5


def at(time, values, times=TIMES, period=0.0):
    """The values at a time, by the definition of linear interpolation."""
    if period:
        time = times[0] + (time - times[0]) % period
        times = np.append(times, times[0] + period)
        values = np.concatenate([values, values[:1]])
    i = max(n for n, t in enumerate(times) if t <= time)
    if i == len(times) - 1:
        return values[i]
    f = (time - times[i]) / (times[i + 1] - times[i])
    return (1 - f) * values[i] + f * values[i + 1]


def shown(field, steps=()):
    """What a field is in each step."""
    seen = []
    return seen, (*steps, lambda: seen.append(np.array(field.local()[0])))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(
    ("axes", "location", "components"),
    [
        ("xyz", "center", 1),
        ("xyz", "center", 3),
        ("xyz", "x_face", 1),
        ("xy", "center", 1),
        ("yz", "y_face", 2),
        ("z", "center", 1),
    ],
)
def test_a_field_follows_a_series_of_arrays(dtype, axes, location, components):
    grid = hc.Grid((6, 5, 4), periodic=(False, False, True))
    u = grid.field("u", dtype=dtype, axes=axes, location=location, components=components)
    shape = ((components,) if components > 1 else ()) + u.space.shape
    values = np.random.default_rng(1).random((4, *shape)).astype(dtype)
    seen, steps = shown(u, [hc.fill(u, hc.Series(TIMES, values))])
    hc.Simulation(grid, steps, dt=DT).run(STEPS, progress=False)
    for step, found in enumerate(seen):
        known = at(step * DT, values.astype(float)).astype(dtype)
        np.testing.assert_allclose(found, known, rtol=2e-15 if dtype == "float64" else 2e-7)


def test_a_series_begins_again_after_its_period_and_goes_through_the_gap():
    grid = hc.Grid((8,))
    u = grid.field("u")
    values = np.random.default_rng(2).random((4, 8))
    seen, steps = shown(u, [hc.fill(u, hc.Series(TIMES, values, period=5.0))])
    hc.Simulation(grid, steps, dt=DT).run(25, progress=False)
    for step, found in enumerate(seen):
        np.testing.assert_allclose(found, at(step * DT, values, period=5.0), rtol=1e-14)


@hc.kernel
def diffuse(u, u_new, wind, *, a):
    u_new[0, 0] = (
        u[0, 0]
        + a * (u[-1, 0] + u[1, 0] + u[0, -1] + u[0, 1] - 4.0 * u[0, 0])
        + a * (wind[1, 0] - wind[-1, 0])
    )


def diffused(u, winds, west, a, steps, dt=DT):
    """The same in NumPy; 'west': values on the side x-."""
    for step in range(steps):
        wind = np.pad(at(step * dt, winds), 1, mode="wrap")
        wide = np.pad(u, 1, mode="wrap")
        side = at(step * dt, west)
        wide[0, 1:-1], wide[-1, 1:-1] = 2 * side - u[0], u[-1]
        wind[0, 1:-1], wind[-1, 1:-1] = wind[1, 1:-1], wind[-2, 1:-1]
        around = wide[:-2, 1:-1] + wide[2:, 1:-1] + wide[1:-1, :-2] + wide[1:-1, 2:] - 4 * u
        u = u + a * around + a * (wind[2:, 1:-1] - wind[:-2, 1:-1])
    return u


def forced(start, winds, west, **choices):
    grid = hc.Grid(start.shape, periodic=(False, True))
    u, u_new, wind = (grid.field(name) for name in ("u", "u_new", "wind"))
    u.set(start)
    side = hc.Series(TIMES, west)
    for field in (u, u_new):
        field.boundary("x-", hc.Dirichlet(side))
        field.boundary("x+", hc.Neumann(0.0))
    for sign in "-+":
        wind.boundary("x" + sign, hc.Neumann(0.0))
    steps = [hc.fill(wind, hc.Series(TIMES, winds)), diffuse(u, u_new, wind, a=0.125)]
    return grid, u, hc.Simulation(grid, [*steps, hc.swap(u, u_new)], dt=DT, **choices)


CHOICES = [
    {},
    {"strategy": hc.Strategy(poison=True)},
    {"strategy": hc.Strategy(poison=True, overlap="rim-first", tiles=3), "blocks": 4},
    {"strategy": hc.Strategy(poison=True, overlap="postponed"), "blocks": 3},
    {"strategy": hc.Strategy(poison=True, overlap="none", neighbours="staged"), "blocks": 2},
    {"strategy": hc.Strategy(poison=True, depth=2), "blocks": 2},
    {"strategy": hc.Strategy(poison=True, depth=3), "blocks": 2, "threads": 2},
    {"target": "numpy"},
    {"device": "emulated:3", "blocks": 2},
]


def test_wind_and_a_side_have_the_values_of_numpy_with_the_same_bits_however_it_is_done():
    random = np.random.default_rng(3)
    start, winds, west = random.random((12, 10)), random.random((4, 12, 10)), random.random((4, 10))
    found = []
    for choices in CHOICES:
        _, u, simulation = forced(start, winds, west, **choices)
        simulation.run(STEPS, progress=False)
        found.append(u.gather())
    np.testing.assert_allclose(found[0], diffused(start, winds, west, 0.125, STEPS), rtol=1e-12)
    for choices, other in zip(CHOICES[1:], found[1:], strict=True):
        np.testing.assert_array_equal(other, found[0], err_msg=str(choices))


def test_other_blocks_and_another_run_go_on():
    random = np.random.default_rng(4)
    start, winds, west = random.random((12, 10)), random.random((4, 12, 10)), random.random((4, 10))
    _, u, simulation = forced(start, winds, west)
    simulation.run(3, progress=False)
    simulation.rebuild(blocks=3)
    simulation.run(STEPS - 3, progress=False)
    _, v, other = forced(start, winds, west)
    other.run(STEPS, progress=False)
    np.testing.assert_array_equal(u.gather(), v.gather())


def test_a_plan_from_a_file_and_a_checkpoint_have_the_same_bits(tmp_path):
    random = np.random.default_rng(4)
    start, winds, west = random.random((12, 10)), random.random((4, 12, 10)), random.random((4, 10))
    _, u, simulation = forced(start, winds, west, blocks=2)
    simulation.run(3, progress=False)
    checkpoint.save(simulation, tmp_path / "c.npz")
    simulation.write_plan(tmp_path / "a.plan")
    simulation.run(STEPS - 3, progress=False)
    _, v, planned = forced(start, winds, west, plan=tmp_path / "a.plan", threads=simulation.threads)
    planned.run(STEPS, progress=False)
    _, w, restarted = forced(start, winds, west)
    checkpoint.load(restarted, tmp_path / "c.npz")
    restarted.run(STEPS - 3, progress=False)
    for other in (v, w):
        np.testing.assert_array_equal(other.gather(), u.gather())


def test_a_rank_stores_the_values_of_its_own_cells_and_asks_for_their_memory(monkeypatch):
    grid, u, _ = wrong()
    simulation = hc.Simulation(grid, [hc.fill(u, hc.Series(TIMES, np.zeros((4, 6, 5))))], dt=DT)
    needed = bytes_needed(simulation.plan.layouts, simulation.plan, 64)
    assert needed["series"] == 4 * 6 * 5 * 8
    monkeypatch.setattr("halocline.runtime.memory.free_memory", lambda: 1000.0)
    with pytest.raises(OutOfMemoryError, match="series 960 bytes"):
        simulation.run(1)


def test_each_component_of_a_side_has_its_own_values():
    grid = hc.Grid((4, 5))
    u = grid.field("u", components=2)
    u.set(0.0)
    shown_there = grid.field("shown", components=2)
    values = np.random.default_rng(5).random((4, 2, 5))
    for side in ("x+", "y-", "y+"):
        u.boundary(side, hc.Neumann(0.0))
    u.boundary("x-", hc.Dirichlet(hc.Series(TIMES, values)))

    @hc.kernel
    def show(u, shown_there):
        shown_there[0][0, 0] = u[0][-1, 0]
        shown_there[1][0, 0] = u[1][-1, 0]

    simulation = hc.Simulation(grid, [show(u, shown_there)], dt=DT)
    simulation.run(2, progress=False)
    np.testing.assert_allclose(shown_there.gather()[:, 0], 2 * at(DT, values), rtol=1e-14)


def labelled(grid, field, values):
    """Values with places and times, its axes in another order."""
    x, y = (place.ravel() for place in field.coordinates(grid.domain))
    array = xarray.DataArray(
        values, {"time": TIMES, "x": x, "y": y}, ("time", "x", "y"), name="wind"
    )
    return array.transpose("y", "time", "x")


def test_a_data_array_brings_its_times_and_is_put_into_the_order_of_the_axes(tmp_path):
    grid = hc.Grid((6, 5), spacing=2.0)
    u = grid.field("u")
    values = np.random.default_rng(6).random((4, 6, 5))
    array = labelled(grid, u, values)
    array.to_dataset().to_netcdf(tmp_path / "wind.nc", engine="scipy")
    array.to_dataset().to_zarr(tmp_path / "wind.zarr")
    for series in (
        hc.Series.from_xarray(array),
        hc.Series.from_file(tmp_path / "wind.nc", "wind"),
        hc.Series.from_file(tmp_path / "wind.zarr", "wind"),
    ):
        seen, steps = shown(u, [hc.fill(u, series)])
        hc.Simulation(grid, steps, dt=DT, blocks=1).run(3, progress=False)
        np.testing.assert_allclose(seen[-1], at(2 * DT, values), rtol=1e-14)


def test_fields_that_are_swapped_and_filled_now_and_then_follow_too():
    grid = hc.Grid((6, 5))
    u, v, w = (grid.field(name) for name in "uvw")
    values = np.random.default_rng(6).random((4, 6, 5))
    series = hc.Series(TIMES, values)
    steps = [hc.fill(v, series), hc.swap(u, v), hc.every(3, hc.fill(w, series))]
    simulation = hc.Simulation(grid, steps, dt=DT, blocks=2)
    simulation.run(4, progress=False)
    np.testing.assert_allclose(u.gather(), at(3 * DT, values), rtol=1e-14)
    np.testing.assert_allclose(v.gather(), at(2 * DT, values), rtol=1e-14)
    np.testing.assert_allclose(w.gather(), at(2 * DT, values), rtol=1e-14)
    simulation.execute(hc.fill(w, series))
    np.testing.assert_allclose(w.gather(), at(4 * DT, values), rtol=1e-14)


def test_what_was_recorded_is_injected_as_a_series():
    grid = hc.Grid((6, 5))
    u = grid.field("u")
    points = hc.Points([(1.5, 2.5), (4.5, 0.5)])
    shot = points.record(u)
    values = np.random.default_rng(6).random((4, 6, 5))
    fill = hc.fill(u, hc.Series(TIMES, values))
    hc.Simulation(grid, [fill, shot], dt=DT).run(5, progress=False)
    series = hc.Series.from_xarray(shot.to_xarray())
    v = hc.Grid((6, 5)).field("v")
    hc.Simulation(v.grid, [points.inject(series, into=v)], dt=DT).run(5, progress=False)
    np.testing.assert_allclose(v.gather()[1, 2], shot.values[:, 0].sum(), rtol=1e-14)
    np.testing.assert_allclose(v.gather()[4, 0], shot.values[:, 1].sum(), rtol=1e-14)


def test_columns_of_a_file_are_series_of_numbers(tmp_path):
    file = tmp_path / "flow.csv"
    file.write_text("time,inflow,left,right\n0,1,2,3\n1,2,4,9\n", encoding="utf-8")
    assert hc.Series.from_file(file, "inflow").at(0.5) == 1.5
    assert list(hc.Series.from_file(file, ["left", "right"]).at(0.5)) == [3.0, 6.0]
    with pytest.raises(KernelError, match="has no column 'depth'; it has time, inflow"):
        hc.Series.from_file(file, "depth")
    with pytest.raises(KernelError, match="cannot be read"):
        hc.Series.from_file(tmp_path / "none.csv", "inflow")


def wrong(**changes):
    grid = hc.Grid((6, 5))
    u = grid.field("u", **changes.pop("field", {}))
    array = labelled(grid, u, np.zeros((4, 6, 5)))
    return grid, u, array


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda u, a: hc.fill(u, hc.Series(TIMES, np.zeros((4, 5, 6)))),
         r"shape \(5, 6\).*\(6, 5\)"),
        (lambda u, a: hc.fill(u, hc.Series(TIMES, np.zeros(4))), "has one number at each time"),
        (lambda u, a: hc.fill(u, np.zeros((4, 6, 5))), "expected a field and an hc.Series"),
        (lambda u, a: hc.Series(TIMES, np.zeros((3, 6, 5))), r"4 times and values of shape \(3, 6"),
        (lambda u, a: hc.Series(TIMES[::-1], np.zeros((4, 6, 5))), "its times do not increase"),
        (lambda u, a: hc.Series(TIMES, np.full((4, 2), np.nan)), r"its values at \(0, 0\) is nan"),
        (lambda u, a: hc.fill(u, hc.Series.from_xarray(a.isel(x=slice(None, None, -1)))),
         r"values at x\[0\] = 5.5; Field 'u' has its value there at 0.5"),
        (lambda u, a: hc.Series.from_xarray(a.rename(x="lon")), r"dimensions \(y, time, lon\)"),
        (lambda u, a: hc.Series.from_xarray(a, time="t"), "expected 't' and some of"),
        (lambda u, a: hc.Series.from_xarray(a.drop_vars("time")), "has no coordinate 'time'"),
        (lambda u, a: hc.Series.from_xarray(
            a.assign_coords(time=np.array(["2020-01-0" + d for d in "1234"], "datetime64[ns]"))),
         "times of type datetime64"),
        (lambda u, a: u.boundary("x-", hc.Dirichlet(hc.Series(TIMES, np.zeros((4, 6))))),
         r"'series' with values of shape \(6,\) at each time; expected \(5,\)"),
        (lambda u, a: hc.Series.from_file("nowhere.nc", "wind"), "'nowhere.nc' cannot be read"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(make, message):
    _, u, array = wrong()
    with pytest.raises(HaloclineError, match=message):
        make(u, array)


def test_whole_numbers_are_not_filled():
    _, u, _ = wrong(field={"dtype": "int32"})
    with pytest.raises(KernelError, match="of int32 was to be filled"):
        hc.fill(u, hc.Series(TIMES, np.zeros((4, 6, 5))))


def test_an_array_is_no_number():
    grid, u, _ = wrong()

    @hc.kernel
    def put(u, *, a):
        u[0, 0] = a

    with pytest.raises(KernelError, match=r"values of shape \(6, 5\) at each time; expected one"):
        hc.Simulation(grid, [put(u, a=hc.Series(TIMES, np.zeros((4, 6, 5))))]).run(1)


def test_a_series_that_ends_before_the_run_is_refused():
    random = np.random.default_rng(3)
    start, winds, west = random.random((12, 10)), random.random((4, 12, 10)), random.random((4, 10))
    _, _, simulation = forced(start, winds, west)
    with pytest.raises(
        HaloclineError, match="goes from 0 to 4, but the steps to come go from the time 0"
    ):
        simulation.run(20, progress=False)


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ((9, 1), r"the steps to come go from the time 4\.5"),
        ((11,), r"the steps went from the time 5"),
    ],
)
def test_where_the_length_of_a_step_changes_the_end_is_looked_for_before_and_after(runs, message):
    grid, u, _ = wrong()
    dt = hc.Parameter(0.5, "dt")
    simulation = hc.Simulation(grid, [hc.fill(u, hc.Series(TIMES, np.zeros((4, 6, 5))))], dt=dt)
    *before, last = runs
    for steps in before:
        simulation.run(steps, progress=False)
    with pytest.raises(HaloclineError, match=message):
        simulation.run(last, progress=False)


def test_no_step_goes_beyond_a_series_where_the_length_of_steps_changes(tmp_path):
    grid, u, _ = wrong()
    dt = hc.Parameter(0.5, "dt")
    simulation = hc.Simulation(grid, [hc.fill(u, hc.Series(TIMES, np.zeros((4, 6, 5))))], dt=dt)
    simulation.run(0)
    simulation.run(2, progress=False)
    checkpoint.save(simulation, tmp_path / "c.npz")
    checkpoint.load(simulation, tmp_path / "c.npz")
    assert simulation.time == 1.0


def test_a_file_with_gaps_is_refused_before_the_run():
    grid, u, array = wrong()
    array = array.copy()
    array[2, 1, 3] = np.nan
    simulation = hc.Simulation(grid, [hc.fill(u, hc.Series.from_xarray(array))], dt=DT)
    with pytest.raises(KernelError, match="'wind' has values that are no finite numbers"):
        simulation.run(1, progress=False)


def test_plans_name_the_series():
    grid, u, _ = wrong()
    simulation = hc.Simulation(grid, [hc.fill(u, hc.Series(TIMES, np.zeros((4, 6, 5))))], dt=DT)
    assert "fill_u" in str(simulation.plan)
    assert "with the series 'series'" in str(simulation.plan)
