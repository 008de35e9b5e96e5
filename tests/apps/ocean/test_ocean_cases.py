"""What the cases of oceans promise; numbers: Halocline's digest of GETM, charts, gauges."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray
from command import halocline
from frequency_domain import tide_in_frequency_domain
from ocean_cases import found, run

import halocline as hc
from halocline.apps.cases import make_case
from halocline.apps.ocean.cases.north_sea_data import (
    CONSTITUENTS,
    centres,
    gauges,
    north_sea,
    tides,
)
from halocline.apps.ocean.cases.ocean_case import wave_of
from halocline.apps.ocean.diagnostics.harmonics import Window, amphidromes
from halocline.apps.ocean.physics.tides import frequency
from halocline.apps.ocean.setup.domain import OPEN
from halocline.errors import CaseError
from halocline.plan.blocks.shapes import decompose

SHALLOW = {"cells": 16, "periods": 2}


def test_a_seiche_has_the_exact_period_to_second_order_and_keeps_its_energy():
    errors = [found("seiche", cells=cells, periods=4)["period [s]"].error for cells in (50, 100)]
    assert errors[1] == pytest.approx(3.7e-5, rel=0.05)
    assert 3.7 < errors[0] / errors[1] < 4.3
    lines = found("seiche", cells=50, periods=4)
    assert abs(lines["energy at the last crest over the first"].error) < 1e-3
    assert lines["greatest change of the volume, relative"].measured < 1e-14


@pytest.mark.parametrize(
    "more", [{}, {"shape": "axisymmetric"}, {"shape": "axisymmetric", "f": 1e-4}]
)
def test_a_lake_stays_near_the_exact_solution_and_keeps_its_water(more):
    result, _ = run("oscillating-lake", **more)
    errors = result.case.errors(result)
    per_period = result.case.samples_per_period
    assert errors[0] < 1e-12
    assert errors[per_period] < 0.025
    assert errors[-1] < 0.05
    assert result.series("least_depth").min() >= 0.05 - 1e-12
    assert result.drift("volume") < 1e-13
    assert len([line for line in found("oscillating-lake", **more) if "RMS" in line]) == 3


def test_the_analysis_on_the_way_finds_the_tide_of_the_equations():
    box = {"drag": "linear", "advection": "none", "micro_step": 100.0, "micro_steps": 8}
    result, values = run("kelvin-wave", cells=48, periods=14, **box)
    wave = wave_of(values, "tide")
    assert np.abs(wave - tide_in_frequency_domain(48)).max() < 0.015 * 0.5
    (point,) = amphidromes(wave, *2 * [(np.arange(48) + 0.5) * 10.0])
    assert np.hypot(point.x - 268.0, point.y - 228.0) < 10.0
    assert point.is_cyclonic
    assert "amphidrome at" in result.findings(result.variables())
    assert "Rossby radius 202.2 km" in result.case.describe()


@pytest.mark.slow
def test_a_box_with_layers_has_the_tide_of_the_box_without():
    # Beside layers surface waves are damped, the more the longer the step: 0.037 m at 300 s.
    box = {"cells": 16, "periods": 4, "micro_step": 150.0, "micro_steps": 8}
    (result, deep), (_, flat) = run("kelvin-wave", layers=6, **box), run("kelvin-wave", **box)
    assert np.abs(wave_of(deep, "tide") - wave_of(flat, "tide")).max() < 0.06 * 0.5
    # Slower at the bed; and all layers together flow as the picture tells.
    speed = np.hypot(deep["layer_eastward"], deep["layer_northward"])
    assert speed[..., 0].mean() < 0.9 * speed[..., 3].mean()
    for layers, mean in (("layer_eastward", "u"), ("layer_northward", "v")):
        assert deep[layers].mean(axis=2) == pytest.approx(deep[mean], abs=3e-2)
    assert "6 layers" in result.case.describe()
    assert "layers" not in make_case("kelvin-wave", box).describe()


def test_the_window_of_an_analysis_may_end_anywhere_in_a_run():
    """Before the end of the next window the constants are those of the last one."""
    _, whole = run("kelvin-wave", cells=12, periods=2, micro_step=400.0, micro_steps=9)
    case = make_case(
        "kelvin-wave", {"cells": 12, "periods": 3, "micro_step": 400.0, "micro_steps": 9}
    )
    problem = case.problem()
    simulation = hc.Simulation(problem.grid, problem.steps, dt=problem.dt, threads=1)
    simulation.run(29)
    found = problem.analysis.gather(simulation.step)["tide"]
    assert np.array_equal(np.abs(found), whole["tide_amplitude"])
    assert problem.analysis.gather(5) is None


def test_an_amphidrome_is_found_where_the_tide_vanishes_and_knows_which_way_it_goes():
    x, y = np.arange(12.0), np.arange(9.0)
    plane = (x[:, None] - 4.3) - 1j * (y[None, :] - 5.6)
    (point,) = amphidromes(plane, x, y)
    assert (point.x, point.y) == (pytest.approx(4.3), pytest.approx(5.6))
    assert point.is_cyclonic
    (other,) = amphidromes(np.conj(plane), x, y)
    assert not other.is_cyclonic
    plane[4:6, 5:7] = np.nan
    assert amphidromes(plane, x, y) == ()


def test_waves_that_cannot_be_told_apart_are_refused():
    both = {name: frequency(name.lower()) for name in ("M2", "S2")}
    Window(both, 14770, 24 * 3.6).check()
    with pytest.raises(CaseError, match=r"M2 and S2 can be separated in 354.4 hours"):
        Window(both, 7000, 24 * 3.6).check()


@pytest.mark.parametrize("minutes", [5, 10, 15, 20])
def test_the_north_sea_is_one_sea_and_open_to_norway_orkney_and_the_channel(minutes):
    domain = north_sea(minutes, 0.0, 10.0)
    assert 0.44 < domain.is_wet.mean() < 0.5
    assert np.nanmin(domain.depth) >= 10.0
    assert [boundary.side for boundary in domain.open] == ["north", "west", "west"]
    assert domain.is_wet[domain.cells == OPEN].all()


@pytest.mark.parametrize("ranks", [2, 4, 8, 16])
def test_blocks_of_the_north_sea_share_its_water_as_tiles_cannot(ranks):
    domain = north_sea(5, 0.0, 10.0)
    bays = domain.blocks().decompose(domain.extent, domain.periodic, ranks)
    tiles = decompose(domain.extent, domain.periodic, ranks, "tiles", 1)

    def most(split):
        wet = [
            sum(domain.is_wet[block.box.slices((0, 0))].sum() for block in split.blocks_of(rank))
            for rank in range(ranks)
        ]
        return max(wet) / np.mean(wet)

    assert bays.balance.imbalance == pytest.approx(most(bays), rel=1e-14)
    assert most(bays) < 1.03
    assert most(tiles) > 1.4


def test_tides_of_the_edges_are_those_of_gauges_there():
    domain = north_sea(5, 0.0, 10.0)
    (wave,) = tides(domain, ["M2"])
    given, north = gauges("boundary"), domain.open[0]
    first, last = (wave.amplitude[north.cells()][n] for n in (0, -1))
    assert first == pytest.approx(abs(given["Lerwick"].constants["M2"]), abs=0.01)
    assert last == pytest.approx(abs(given["Bergen"].constants["M2"]), abs=0.02)
    assert np.all(wave.amplitude[domain.cells == OPEN] > 0.4)
    assert len(tides(domain, CONSTITUENTS)) == len(CONSTITUENTS)


def test_a_coarse_north_sea_has_its_southern_amphidromes():
    result, values = run("north-sea", minutes=20, periods=6)
    text = result.findings(result.variables())
    points = amphidromes(wave_of(values, "M2"), *centres(result.case.domain))
    assert min(np.hypot(point.x - 3.0, point.y - 52.5) for point in points) < 0.6
    assert min(np.hypot(point.x - 5.5, point.y - 55.5) for point in points) < 1.2
    assert "M2 at Aberdeen" in text
    assert np.isnan(values["zeta"]).sum() == np.sum(~result.case.domain.is_wet)


@pytest.mark.parametrize(
    ("name", "parameters", "pictures"),
    [
        ("seiche", {"cells": 50, "periods": 4}, {"seiche.png"}),
        ("oscillating-lake", {"cells": 40, "periods": 1}, {"lake.png"}),
        ("kelvin-wave", SHALLOW, {"cotidal.png", "elevation.png"}),
        ("north-sea", {"minutes": 20, "periods": 6}, {"cotidal_M2.png", "elevation.png"}),
    ],
)
def test_pictures_are_drawn(name, parameters, pictures, tmp_path: Path):
    result, _ = run(name, **parameters)
    drawn = result.pictures(result.variables())
    assert set(drawn) == pictures
    for file, draw in drawn.items():
        draw(tmp_path / file)
        assert (tmp_path / file).stat().st_size > 10_000


def fields(directory: Path):
    return xarray.open_zarr(directory / "fields.zarr").load()


def test_a_restart_goes_on_with_the_same_bits_and_a_movie_shows_land(tmp_path: Path):
    case = ["north-sea", "--minutes", "20", "--periods", "2", "--analysed", "1"]
    output = ["--every", "10", "--movie", "zeta", "--checkpoint", "15"]
    done = halocline("run", *case, *output, "--output", "short", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "short" / "movie.gif").stat().st_size > 10_000
    more = ["--restart", "short", "--periods", "3", "--output", "long"]
    assert halocline("run", *more, folder=tmp_path).returncode == 0
    case[4] = "3"
    assert halocline("run", *case, "--output", "whole", folder=tmp_path).returncode == 0
    whole, long = fields(tmp_path / "whole"), fields(tmp_path / "long")
    assert whole["zeta"].attrs["long_name"] == "sea surface height above geoid"
    once = {"depth", "mask", "coriolis", "crs", "x_bounds", "y_bounds"}
    assert set(whole) == {"zeta", "u", "v", "M2_amplitude", "M2_phase"} | once
    for variable in whole:
        assert np.array_equal(whole[variable], long[variable], equal_nan=True), variable


@pytest.mark.slow
def test_ranks_give_the_same_bits(tmp_path: Path):
    case = ["north-sea", "--minutes", "20", "--periods", "1", "--analysed", "1"]
    for ranks in ([], ["--ranks", "3"]):
        words = ["run", *case, *ranks, "--output", "-".join(["on", *ranks[1:]])]
        done = halocline(*words, folder=tmp_path)
        assert done.returncode == 0, done.stderr
    alone, together = fields(tmp_path / "on"), fields(tmp_path / "on-3")
    report = (tmp_path / "on-3" / "report.txt").read_text(encoding="utf-8")
    assert "the rank with most work has 1.014 times the mean by weight" in report
    assert "by weight" not in (tmp_path / "on" / "report.txt").read_text(encoding="utf-8")
    for variable in alone:
        assert np.array_equal(alone[variable], together[variable], equal_nan=True), variable


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        (
            "kelvin-wave",
            {"micro_step": 60.0},
            "The micro step of 60 s is too long: waves over 60.5 m",
        ),
        ("kelvin-wave", {"periods": 2, "analysed": 3}, "periods are to be analysed, but the run"),
        ("kelvin-wave", {"amplitude": 40.0}, "'amplitude' was given 40 m in 60 m of water."),
        (
            "kelvin-wave",
            {"cells": 4},
            "'cells' was given 4; expected a whole number of at least 8.",
        ),
        ("kelvin-wave", {"layers": 1}, "'layers' was given 1; expected at least 2, or 0 for"),
        ("kelvin-wave", {"drag": "cubic"}, "expected one of: logarithmic, linear."),
        ("kelvin-wave", {"f": float("nan")}, "'f' was given nan; expected a finite number."),
        (
            "kelvin-wave",
            {"micro_step": 20.0, "micro_steps": 20_000},
            "in a period; expected at least",
        ),
        ("seiche", {"amplitude": 2.0}, "'amplitude' was given 2 m in 10 m of water"),
        ("seiche", {"periods": 1}, "'periods' was given 1; expected a whole number of at least 2."),
        ("oscillating-lake", {"f": 1e-4}, "known here without rotation alone. Take shape"),
        ("oscillating-lake", {"displacement": 3e4}, "The lake would reach 110 km"),
        ("oscillating-lake", {"shape": "axisymmetric", "rise": 9.0}, "The lake would reach"),
        ("north-sea", {"minutes": 7}, "'minutes' was given 7; expected one of: 5, 10, 15, 20."),
        (
            "north-sea",
            {"constituents": "M2,X9"},
            "'constituents' has 'X9'; expected some of M2, S2",
        ),
        ("north-sea", {"constituents": "M2,M2"}, "expected each one once."),
        ("north-sea", {"constituents": "M2,S2"}, "M2 and S2 can be separated in 354.4 hours"),
        ("north-sea", {"micro_step": 60.0}, "The micro step of 60 s is too long"),
    ],
)
def test_what_cannot_be_computed_is_refused(name, given, message):
    with pytest.raises(CaseError) as error:
        make_case(name, given)
    assert message in str(error.value)


@pytest.mark.slow
def test_the_north_sea_has_the_amphidromes_of_charts(record):
    result, values = run("north-sea")
    points = amphidromes(wave_of(values, "M2"), *centres(result.case.domain))
    for name, x, y, accepted in (
        ("Southern Bight", 3.0, 52.5, 60.0),
        ("west of Jutland", 5.5, 55.5, 60.0),
        ("off Norway", 5.0, 58.5, 200.0),
    ):
        east = 111.2 * np.cos(np.radians(y))
        away = min(np.hypot(east * (p.x - x), 111.2 * (p.y - y)) for p in points)
        record(
            "north-sea, 5', M2",
            f"amphidrome {name} [km]",
            "co-tidal charts",
            away,
            accepted,
            result.seconds,
        )
        assert away <= accepted
    lines = {str(line).split(":")[0]: line for line in result.case.compare(result, values)}
    miss = lines["RMS difference of M2 over RMS of what was measured"].measured
    record(
        "north-sea, 5', M2", "seven gauges, RMS over RMS", "tide gauges", miss, 0.4, result.seconds
    )
    assert miss <= 0.4


@pytest.mark.slow
def test_the_box_has_the_tide_that_getm_finds(record):
    """After 10 days without a ramp; GETM's coasts lie in the outermost cells."""
    result, values = run("kelvin-wave", micro_step=20.0, ramp=0.0, f=1.195e-4)
    wave = wave_of(values, "tide")
    known = {(1, 1): 1.026, (120, 1): 0.838, (238, 1): 0.979, (1, 120): 0.774, (238, 120): 0.731}
    miss = max(abs(abs(wave[cell]) - amplitude) for cell, amplitude in known.items())
    title, source = "kelvin-wave, 240x240, 10 days", "GETM (Büchmann & Baasch-Larsen 2011)"
    record(title, "amplitudes [m]", source, miss, 0.05, result.seconds)
    assert miss <= 0.05
