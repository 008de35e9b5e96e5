"""A source of heat goes around on a refined plate: heat is kept, the temperature is exact."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import xarray
from command import halocline
from launch import needs_mpi

import halocline as hc
from halocline.apps.heat.moving_source import MovingHeatSource
from halocline.errors import CaseError

SHORT = MovingHeatSource(cells=64, levels=1, refine_every=5, rounds=0.2)
COMMAND = ("moving-heat-source", "--cells", "128", "--levels", "1", "--refine-every", "3")
SERIES = ("--every", "2", "--movie", "T", "--probe", "0.8,0.5")


def run(case):
    case.check()
    problem = case.problem()
    simulation = hc.Simulation(
        problem.grid, problem.steps, dt=problem.dt, refine=problem.refine, threads=1
    )
    return case.run(simulation, problem, lambda _: None)


def comparisons(result):
    return result.comparisons(result.variables())


@pytest.fixture(scope="module")
def refined():
    return run(SHORT)


def test_the_plate_has_all_heat_of_the_source_while_blocks_split_and_merge(refined):
    kept, given, _ = comparisons(refined)
    assert abs(kept.error) < 1e-14
    # The source lies on the finest cells at all times, where its sum is exact.
    assert abs(given.error) < 1e-6


def test_small_cells_are_where_the_source_is_and_not_elsewhere(refined):
    case, forest = refined.case, refined.problem.forest

    def level_at(x, y):
        finest = 2 * np.array((x, y)) * forest.grid.extent
        boxes = forest.leaves.boxes(1)
        return int(any(((b.lower <= finest) & (finest < b.upper)).all() for b in boxes))

    assert level_at(*case.source(refined.time)) == 1
    assert level_at(0.2, 0.2) == 0


def test_the_temperature_is_as_exact_as_on_a_uniform_grid(refined):
    uniform, finer = (
        comparisons(run(replace(SHORT, cells=cells, levels=0)))[-1].measured for cells in (64, 128)
    )
    assert comparisons(refined)[-1].measured < 1.05 * uniform
    assert uniform < 0.15
    assert finer < uniform / 3


def test_the_exact_temperature_has_the_heat_of_the_source_and_moves_with_it():
    exact = SHORT.exact(0.25)
    assert exact.mean() == pytest.approx(0.25, rel=1e-9)
    warmest = np.unravel_index(exact.argmax(), exact.shape)
    # It has come from the right side to the top.
    assert np.hypot(*(np.array(warmest) / 64 - (0.5, 0.8))) < 0.06


def test_results_are_told_and_drawn(refined, tmp_path: Path):
    variables = refined.variables()
    assert variables[0].values.shape == (64, 64)
    assert "blocks at the end" in refined.summary()
    assert "by the heat of the source" in refined.findings(variables)
    for name, draw in refined.pictures(variables).items():
        draw(tmp_path / name)
    assert (tmp_path / "temperature.png").stat().st_size > 1000


@pytest.mark.slow
def test_a_run_goes_on_from_a_checkpoint_on_other_ranks_with_the_same_bits(tmp_path: Path):
    needs_mpi()

    def done(*arguments):
        found = halocline("run", *arguments, folder=tmp_path)
        assert found.returncode == 0, found.stderr

    done(*COMMAND, *SERIES, "--rounds", "0.09", "--output", "through")
    part = ("--rounds", "0.06", "--checkpoint", "3", "--output", "part")
    done(*COMMAND, *SERIES, *part, "--ranks", "2")
    done("--restart", "part", "--rounds", "0.09")
    one, other = (xarray.open_zarr(tmp_path / name / "fields.zarr") for name in ("through", "part"))
    xarray.testing.assert_identical(one.load(), other.load())
    for name in ("series.csv", "movie.gif"):
        assert (tmp_path / "through" / name).read_bytes() == (tmp_path / "part" / name).read_bytes()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"cells": 96}, "96 cells were given with 2 levels; expected a multiple of 64, as they"),
        ({"levels": 7}, "'levels' was given 7; expected a whole number of at least 0 and at most"),
        ({"diffusion_number": 0.3}, "0.3 makes the explicit step unstable; expected at most 0.25."),
        ({"change": 0.0}, "'change' was given 0.0; expected a number above 0"),
        ({"refine_every": 0}, "'refine_every' was given 0; expected a whole number of at least 1"),
    ],
)
def test_what_cannot_be_computed_is_refused(wrong, message):
    with pytest.raises(CaseError) as error:
        MovingHeatSource(**wrong).check()
    assert message in str(error.value)
