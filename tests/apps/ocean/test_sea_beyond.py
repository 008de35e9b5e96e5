"""Tracers at open boundaries: what comes in is the sea's, what goes out is what was inside."""

from __future__ import annotations

import numpy as np
import pytest
from basins import DEEP, FRICTIONLESS, Run, flat

import halocline as hc
from halocline.apps.ocean.physics.relaxation import Relaxation
from halocline.apps.ocean.physics.tides import Wave
from halocline.apps.ocean.setup.domain import Domain, OpenBoundary
from halocline.apps.ocean.setup.rivers import River
from halocline.apps.ocean.setup.setup import Setup
from halocline.apps.ocean.setup.sigma import Sigma
from halocline.errors import CaseError
from halocline.output import load, save

LENGTH, LAYERS = 10, 3
EAST = OpenBoundary("east", LENGTH - 1, 0, 3)


def rivers(flow):
    """Return fresh water along the closed end [m³/s]."""
    return tuple(River((0, j), flow, salinity=0.0) for j in range(4))


def channel(**more):
    """Return a channel open in the east, of water that does not mix from layer to layer."""
    domain = flat(LENGTH, 4, 500.0, 5.0, open=(EAST,))
    given = {"salinity": 35.0, "layers": Sigma(LAYERS), "turbulence": "constant", **more}
    return Run(Setup(domain, 10.0, 6, **given))


def salinity_of(run):
    return run.model.layers.tracers[0].gather()


def through_open_cells(run):
    """Return the transport of layers eastwards, into the open cells in the east."""
    return run.model.layers.columns["x"].transport.gather()[LENGTH - 1]


def test_what_leaves_does_so_without_change():
    run = channel(rivers=rivers(1500.0), open_kind="flather", mixing=1e-2).steps(100)
    for _ in range(50):
        before = salinity_of(run)
        run.steps(1)
        assert through_open_cells(run).min() > 0.0
        # Layers mix, columns do not.
        found, expected = salinity_of(run)[-1].mean(axis=1), before[-2].mean(axis=1)
        assert np.abs(found - expected).max() < 1e-12 * 35.0
    assert salinity_of(run)[-1].max() < 20.0


def test_the_budget_of_a_channel_closes_at_its_open_end():
    run = channel(rivers=rivers(1500.0), open_kind="flather", mixing=1e-2).steps(120)

    def content():
        depth = run.model.layers.after.gather()[:-1, :, None] / LAYERS
        return (depth * salinity_of(run)[:-1]).sum() * 500.0**2

    begun, before = content(), salinity_of(run)
    run.steps(1)
    # In half a step along x no more than half of a cell leaves: its edge is what was in it.
    left = through_open_cells(run) * 500.0 * 60.0
    low, high = (left * before[-3:-1].min(0)).sum(), (left * before[-3:-1].max(0)).sum()
    assert low <= begun - content() <= high


@pytest.mark.parametrize(
    "sea",
    [7.0, np.array([1.0, 2.0, 3.0, 4.0]), np.arange(4.0 * LAYERS).reshape(4, LAYERS), None],
    ids=["number", "cells", "layers", "begin"],
)
def test_what_comes_in_is_what_is_given(sea):
    run = channel(tide=(Wave(2e-4, 0.8, np.pi / 2),), sea_salinity=sea).steps(20)
    assert through_open_cells(run).max() < 0.0
    given = np.asarray(35.0 if sea is None else sea)
    expected = np.broadcast_to(given[:, None] if given.ndim == 1 else given, (4, LAYERS))
    found = salinity_of(run)
    assert np.abs(found[-1] - expected).max() < 1e-3 * (sea is not None) + 1e-12
    if sea is not None:
        assert (np.abs(found[-2] - 35.0) > 1.0).all()
    inside = found[:-1]
    assert min(given.min(), 35.0) - 1e-9 <= inside.min() <= inside.max() <= 35.0 + 1e-9


def test_the_sea_may_be_a_function_of_place_and_height():
    def sea(x, y, height):
        return 20.0 + x / 1e3 + y / 100.0 - height

    run = channel(sponge=2, sea_salinity=sea).steps(1)
    # Open cells lie at 4750 m along x; layers of 5/3 m are deeper from the surface down.
    y, height = 250.0 + 500.0 * np.arange(4)[:, None], np.array([-25.0, -15.0, -5.0]) / 6.0
    expected = 24.75 + y / 100.0 - height
    found = salinity_of(run)
    assert found[-1] == pytest.approx(expected)
    assert found[-2] == pytest.approx(35.0 + 0.25 * (expected - 35.0), abs=1e-9)


# Of the 4 open cells and 3 layers: what begins, and what it grows by in a second.
BEGIN = 20.0 + np.arange(4.0 * LAYERS).reshape(4, LAYERS)
GROWTH = 1e-3 * (1.0 + np.arange(4.0 * LAYERS).reshape(4, LAYERS))


def growing(shape):
    """Return a series that grows, of a shape at each time, and what it is at a time."""
    first = (slice(None),) * len(shape) + (0,) * (2 - len(shape))
    begin, growth = BEGIN[first], GROWTH[first]
    # Linear values are exact between any times.
    times = np.array([0.0, 100.0, 1000.0, 4000.0])
    series = hc.Series(times, np.array([begin + growth * time for time in times]))
    return series, lambda time: begin + growth * time


@pytest.mark.parametrize("is_function", [False, True], ids=["series", "function"])
@pytest.mark.parametrize("shape", [(), (4,), (4, LAYERS)], ids=["number", "cells", "layers"])
@pytest.mark.parametrize("sponge", [0, 3])
def test_the_sea_may_change_in_time(shape, is_function, sponge):
    series, at = growing(shape)
    sea = (lambda x, y, height: series) if is_function else series
    wave = Wave(2e-4, 0.8, np.pi / 2)
    run = channel(tide=(wave,), sponge=sponge, sea_salinity=sea, mixing=0.0).steps(1)
    for step in (1, 2, 3, 30):
        run.steps(step - round(run.simulation.time / run.setup.macro_step))
        assert through_open_cells(run).max() < 0.0
        value = at(60.0 * step)
        expected = np.broadcast_to(value[:, None] if value.ndim == 1 else value, (4, LAYERS))
        # Molecular diffusion mixes a little where open cells are not put back after it.
        error = np.abs(salinity_of(run)[-1] - expected).max()
        assert error < (1e-13 * 35.0 if sponge else 1e-3)


def test_a_sponge_draws_tracers_to_a_sea_that_changes_in_time():
    series, at = growing((4, LAYERS))
    run = channel(sponge=2, sea_salinity=series).steps(1)
    assert salinity_of(run)[-2] == pytest.approx(35.0 + 0.25 * (at(60.0) - 35.0), abs=1e-9)
    assert (salinity_of(run)[:-2] == 35.0).all()


@pytest.mark.parametrize("sponge", [0, 3])
def test_water_at_rest_stays_as_it_is_beside_the_same_sea(sponge):
    def profile(x, y, height):
        return 30.0 - height + 0.0 * x

    def series(x, y, height):
        return hc.Series([0.0, 1e3, 1e5], [profile(x, y, height)] * 3)

    run = channel(salinity=profile, sea_salinity=series, sponge=sponge)
    begin = salinity_of(run)
    assert np.abs(salinity_of(run.steps(20)) - begin).max() < 1e-3
    assert not run.U.any()
    still = channel(salinity=profile, sea_salinity=profile, sponge=sponge).steps(20)
    assert np.array_equal(salinity_of(run), salinity_of(still))


def test_a_function_whose_series_has_another_shape_is_refused():
    with pytest.raises(CaseError) as error:
        channel(sea_salinity=lambda x, y, height: hc.Series([0.0, 1.0], np.ones((2, 5))))
    assert "'series' of the sea beyond open boundaries has the shape (5,)" in str(error.value)


def test_tide_brings_back_the_sea_after_it_took_the_river_away():
    wave = Wave(2 * np.pi / 7200.0, 0.5)
    run = channel(tide=(wave,), rivers=rivers(400.0), sea_salinity=30.0).steps(360)
    seen = {True: [], False: []}
    for _ in range(120):
        run.steps(1)
        for comes, value in zip(through_open_cells(run).flat, salinity_of(run)[-1].flat):
            seen[bool(comes < 0.0)].append(value)
    assert np.abs(np.array(seen[True]) - 30.0).max() < 0.01
    assert min(seen[False]) < 29.9


def test_a_sponge_draws_tracers_to_the_sea_that_is_given():
    run = channel(sponge=4, sea_salinity=np.array([31.0, 32.0, 33.0, 34.0])).steps(1)
    drawn = (35.0 - salinity_of(run)[:, :, 1][::-1]) / np.array([4.0, 3.0, 2.0, 1.0])
    expected = np.array([1.0, 0.5625, 0.25, 0.0625, 0.0, 0.0])
    assert np.allclose(drawn[:6], expected[:, None], atol=1e-9)


SIDES = {"west": (0, 0), "east": (0, -1), "south": (1, 0), "north": (1, -1)}


@pytest.mark.parametrize("side", SIDES)
def test_open_cells_mix_the_sea_with_the_sponge(side):
    axis, end = SIDES[side]
    # Land two cells inwards of the second open cell, and inwards of the third.
    depth = np.full((8, 8), 5.0)
    inwards = np.moveaxis(depth, axis, 0)[:: 1 + 2 * end]
    inwards[2, 1] = inwards[1, 2] = np.nan
    line = OpenBoundary(side, end % 8, 0, 7)
    x, y = np.arange(8.0)[:, None], np.arange(8.0)
    begin = 30.0 + (x**2 + 2.0 * y**2)[..., np.newaxis] * np.ones(LAYERS)
    setup = Setup(
        *(Domain(depth, (500.0, 500.0), open=(line,)), 10.0, 6),
        **{"layers": Sigma(LAYERS), "turbulence": "constant", "salinity": begin},
        **{"sea_salinity": 20.0, "sponge": 3, "relaxation": Relaxation(0.9, 0.4, 0.1)},
    )
    found = salinity_of(Run(setup).steps(1))
    before, after = (np.moveaxis(s, axis, 0)[:: 1 + 2 * end] for s in (begin, found))
    # Of water at rest a fifth of the way from the outflow's share to that of the inflow.
    share, near, far = 0.4 + 0.2 * 0.5, 4.0 / 9.0, 1.0 / 9.0
    mean = (near * before[1] + far * before[2]) / (near + far)
    mean[1] = before[1, 1]
    outermost = mean + share * (20.0 - mean)
    outermost[2] = 20.0
    assert after[0] == pytest.approx(outermost, abs=1e-9)
    assert after[1, 3:] == pytest.approx((before[1] + near * (outermost - before[1]))[3:], abs=1e-9)
    assert after[2, 3:] == pytest.approx((before[2] + far * (outermost - before[2]))[3:], abs=1e-9)
    assert after[3:] == pytest.approx(before[3:], abs=1e-9)


@pytest.mark.parametrize(("amplitude", "share"), [(0.8, 0.75), (-0.8, 0.25)])
def test_open_cells_take_more_of_the_sea_where_water_comes_in(amplitude, share):
    wave = Wave(2e-4, amplitude, np.pi / 2)
    options = {"sponge": 3, "relaxation": Relaxation(0.75, 0.25, speed=1e-4)}
    run = channel(tide=(wave,), sea_salinity=15.0, **options).steps(1)
    inflow = -through_open_cells(run) * LAYERS / 5.0
    assert np.abs(inflow).min() > 1e-4
    assert (np.sign(inflow) == np.sign(amplitude)).all()
    assert salinity_of(run)[-1] == pytest.approx(35.0 - 20.0 * share, abs=1e-9)


def test_water_of_one_salinity_keeps_it_beside_a_sea_that_has_it_too():
    sea = hc.Series([0.0, 1e3, 1e5], np.full((3, 4, LAYERS), 35.0))
    wave = Wave(2e-4, 0.8)
    run = channel(tide=(wave,), sponge=3, relaxation=Relaxation(), sea_salinity=sea).steps(30)
    assert np.abs(salinity_of(run) - 35.0).max() < 1e-12 * 35.0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"inflow": 1.5}, "'inflow' was given 1.5; expected a number of at least 0 and at most 1"),
        ({"inflow": 0.1, "outflow": 0.2}, "'inflow' was given 0.1, and 'outflow' 0.2; expected no"),
        ({"speed": 0.0}, "'speed' was given 0.0; expected a number above 0"),
    ],
)
def test_shares_that_cannot_be_are_refused(given, message):
    with pytest.raises(CaseError) as error:
        Relaxation(**given)
    assert message in str(error.value)


def test_a_run_that_goes_on_in_the_middle_has_the_same_bits(tmp_path):
    series, _ = growing((4, LAYERS))
    given = {"tide": (Wave(2e-4, 0.8),), "sea_salinity": series, "sponge": 3}
    given["relaxation"] = Relaxation()
    whole = salinity_of(channel(**given).steps(20))
    save(channel(**given).steps(7).simulation, tmp_path / "checkpoint.npz")
    run = channel(**given)
    load(run.simulation, tmp_path / "checkpoint.npz")
    assert np.array_equal(salinity_of(run.steps(13)), whole)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"sponge": 1, "relaxation": Relaxation()}, "'relaxation' was given to an ocean without a"),
        ({"sponge": 3, "relaxation": 0.5}, "'relaxation' was given 0.5; expected shares, as Relax"),
        (
            {"sea_temperature": 9.0},
            "'sea_temperature' was given to an ocean without a temperature.",
        ),
        (
            {"sea_salinity": 9.0, "salinity": None},
            "'sea_salinity' was given to an ocean without a salinity.",
        ),
        (
            {"sea_salinity": np.ones(5)},
            "'sea_salinity' was given with the shape (5,); expected a number, or the shape (4,) or "
            "(4, 3): 4 open cells.",
        ),
        (
            {"sea_salinity": hc.Series([0.0, 1.0], np.ones((2, 4, 2)))},
            "'sea_salinity' was given with the shape (4, 2) at each time; expected a number",
        ),
    ],
)
def test_a_sea_that_nothing_can_take_is_refused(given, message):
    with pytest.raises(CaseError) as error:
        channel(**given)
    assert message in str(error.value)


def _changes_along_layers(beyond):
    """Return how far salinity changes along layers while a tide comes in over a halocline.

    Args:
        beyond: Salinity of open cells, a function of the height at rest and of the raised water.
    """
    depth, amplitude, frequency, count = 40.0, 1.5, 2.0 * np.pi / 44712.0, 10
    west = OpenBoundary("west", 0, 0, 1)
    times = np.arange(0.0, 44801.0, 200.0)
    zeta = amplitude * np.sin(frequency * times) * np.minimum(times / 21600.0, 1.0)
    raised = 1.0 + zeta[:, np.newaxis, np.newaxis] / depth

    def halocline(height):
        return 33.0 - np.tanh((height + 20.0) / 4.0)

    def sea(x, y, height):
        return hc.Series(times, halocline(beyond(height + depth, raised) - depth))

    setup = Setup(
        flat(20, 2, 1000.0, depth, open=(west,)),
        *(20.0, 10),
        layers=Sigma(count),
        turbulence="constant",
        salinity=lambda x, y, height: halocline(height) + 0.0 * x,
        sea_salinity=sea,
        density=lambda t, s: 0.8 * (s - 34.0),
        tide=(Wave(frequency, amplitude, np.pi / 2),),
        ramp=21600.0,
        drag=FRICTIONLESS,
        sponge=1,
        **DEEP,
    )
    run = Run(setup)
    first = salinity_of(run)[1:]
    return np.abs(salinity_of(run.steps(224))[1:] - first).max()


@pytest.mark.slow
def test_profiles_that_move_with_their_layers_make_no_internal_tide():
    """As a long wave raises layers; at fixed heights the profile would displace the halocline."""
    with_layers = _changes_along_layers(lambda above_bed, raised: above_bed + 0.0 * raised)
    assert with_layers < 0.001
    assert _changes_along_layers(lambda above_bed, raised: above_bed * raised) > 100.0 * with_layers
