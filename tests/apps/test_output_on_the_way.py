"""What a run writes on its way: asked for on the command line, harmless for the results."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
import xarray
from command import halocline
from launch import needs_mpi

import halocline as hc
from halocline.apps.case import Problem
from halocline.apps.cases import make_case, read_case
from halocline.apps.run_options import OutputOptions
from halocline.cli.outputs import make_recorder
from halocline.errors import CaseError, OutputError
from halocline.io.field_series import FieldSeries

CASES = {
    "heat": {"cells": 10, "dimensions": 3, "steps": 40},
    "lid-cavity": {"cells": 8, "dimensions": 2, "reynolds": 50.0, "max_convective_times": 3},
}


def table(directory: Path):
    """Return the columns of the table by name."""
    path = directory / "series.csv"
    comments = sum(line.startswith("#") for line in path.read_text().splitlines())
    return np.genfromtxt(path, delimiter=",", names=True, skip_header=comments)


def compute(name: str, directory: Path, choices: OutputOptions, said=print):
    """Run a case and return its variables by name, and the recorder."""
    case = make_case(name, CASES[name])
    problem = case.problem()
    simulation = hc.Simulation(problem.grid, problem.steps, dt=problem.dt, threads=1)
    recorder = make_recorder(case, problem, simulation, choices, directory, say=said, goes_on=False)
    result = case.run(recorder, problem, lambda _: None)
    return {v.name: v.values for v in result.variables()}, recorder


@pytest.mark.parametrize("name", CASES)
def test_results_have_the_same_bits_with_and_without_output(name, tmp_path: Path):
    quiet, _ = compute(name, tmp_path, OutputOptions())
    choices = OutputOptions(every=7, vtk=True, probe=["0.5,0.5,0.5"[: 7 + 4 * (name == "heat")]])
    loud, recorder = compute(name, tmp_path, OutputOptions(**{**_fields(choices), "checkpoint": 9}))
    recorder.close()
    assert quiet.keys() == loud.keys()
    for variable, values in quiet.items():
        assert np.array_equal(values, loud[variable]), variable


def _fields(choices: OutputOptions) -> dict:
    return {name: getattr(choices, name) for name in OutputOptions.__slots__}


@pytest.mark.parametrize("name", CASES)
def test_the_last_time_of_a_series_is_the_result(name, tmp_path: Path):
    interval = {"heat": 8, "lid-cavity": 80}[name]
    values, recorder = compute(name, tmp_path, OutputOptions(every=interval))
    series = xarray.open_zarr(tmp_path / "series.zarr")
    assert int(series["step"][-1]) == recorder.step
    assert set(series) == set(values)
    for variable, expected in values.items():
        assert np.array_equal(series[variable][-1], expected), variable


def test_integrals_of_the_cavity_are_those_of_its_fields_at_any_step(tmp_path: Path):
    compute("lid-cavity", tmp_path, OutputOptions(every=30))
    fields = xarray.open_zarr(tmp_path / "series.zarr")
    found = table(tmp_path)
    energy = 0.5 * (fields["density"] * (fields["u"] ** 2 + fields["v"] ** 2)).mean(("x", "y"))
    assert np.allclose(found["kinetic_energy"], energy, rtol=1e-12, atol=0)
    assert np.allclose(found["mass"], 1.0, rtol=1e-12, atol=0)
    assert np.all(np.diff(found["kinetic_energy"][:3]) > 0)
    assert np.allclose(found["time"], found["step"] / 80, rtol=1e-12, atol=0)


def test_the_heat_series_decays_by_the_exact_factor(tmp_path: Path):
    _, recorder = compute("heat", tmp_path, OutputOptions(every=10))
    found = table(tmp_path)
    exact = make_case("heat", CASES["heat"]).amplitude
    assert found["mean_T"][-1] / found["mean_T"][0] == pytest.approx(exact, rel=1e-12)
    assert found["mean_T2"][-1] / found["mean_T2"][0] == pytest.approx(exact**2, rel=1e-12)
    assert recorder.step == 40


def test_a_series_that_cannot_be_written_does_not_end_the_run(tmp_path: Path, monkeypatch):
    expected, _ = compute("heat", tmp_path, OutputOptions())

    def fail(*_):
        raise OSError("gone")

    monkeypatch.setattr(FieldSeries, "_put", fail)
    said: list[str] = []
    found, recorder = compute("heat", tmp_path, OutputOptions(every=10, checkpoint=20), said.append)
    assert np.array_equal(found["T"], expected["T"])
    assert len(said) == 1
    assert "step 0: Could not write" in said[0]
    with pytest.raises(OutputError, match=r"Not written: series\.zarr\. Written: series\.csv, ch"):
        recorder.close()
    assert len(table(tmp_path)) == 5


def run(*arguments: str, folder: Path) -> subprocess.CompletedProcess:
    return halocline("run", *arguments, folder=folder)


def test_a_run_leaves_series_collection_movie_and_checkpoint(tmp_path: Path):
    needs_mpi()
    wanted = ("--every", "10", "--vtk", "--probe", "0.2,0.4", "--movie", "T", "--checkpoint", "15")
    case = ("heat", "--cells", "8", "--dimensions", "2", "--steps", "20")
    done = run(*case, *wanted, "--ranks", "2", "--output", "out", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    out = tmp_path / "out"
    names = {"series.csv", "series.zarr", "series.pvd", "vtk", "movie.gif", "checkpoint.npz"}
    assert names < {path.name for path in out.iterdir()}
    assert len(list((out / "vtk").iterdir())) == 3
    assert "output on the way" in (out / "run.log").read_text()
    case, repeated = read_case(str(out / "case.toml"), {})
    assert repeated["probe"] == ["0.2,0.4"]
    assert (repeated["every"], repeated["vtk"], repeated["movie"]) == (10, True, "T")
    assert case.lasting_parameters["cells"] == 8


def test_results_of_another_run_are_neither_replaced_nor_mixed_with_new_ones(tmp_path: Path):
    case = ("heat", "--cells", "8", "--steps", "20", "--output", "out")
    assert run(*case, "--every", "10", folder=tmp_path).returncode == 0
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    done = run(*case, folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr == (
        "error: The directory 'out' is not empty (case.toml, fields.zarr, report.txt, …); "
        "expected a new one for the results. Choose another with --output, or delete this one.\n"
    )
    assert {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()} == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--vtk",), "error: 'vtk' was given without 'every'. Give 'every', the steps between"),
        (("--probe", "0.5,0.5,0.5"), "error: 'probe' was given without 'every'."),
        (("--movie", "T"), "error: 'movie' was given without 'every'."),
        (("--every", "5", "--movie", "t"), "error: The case 'heat' has no variable 't' for a movi"),
        (("--every", "5", "--probe", "0.5,0.5"), "error: The probe (0.5 0.5) has 2 coordinate(s)"),
        (("--every", "5", "--probe", "0,0,2"), "error: The probe (0 0 2) is not in the grid; exp"),
        (("--every", "5", "--probe", "a,b"), "error: The probe 'a,b' was given; expected coordin"),
    ],
)
def test_what_has_no_meaning_is_refused_before_anything_runs(tmp_path: Path, arguments, message):
    done = run("heat", "--cells", "8", *arguments, folder=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("every = 0", "'every' was given 0; expected a whole number of at least 1."),
        ("checkpoint = -1", "'checkpoint' was given -1; expected a whole number of at least 1."),
        ("vtk = true", "'vtk' was given without 'every'."),
        ('probe = "1,2"', "'probe' was given '1,2'; expected a list of texts."),
        ("probe = [1, 2]", "'probe' was given [1, 2]; expected a list of texts."),
        ("ranks = 0", "'ranks' was given 0; expected a whole number of at least 1."),
        ("threads = -1", "'threads' was given -1; expected a whole number of at least 1."),
        ("ranks_per_node = 0", "'ranks_per_node' was given 0; expected a whole number of"),
        ('device = ""', "There is no device ''; expected cpu, cuda, auto or emulated."),
    ],
)
def test_the_same_holds_for_case_files(tmp_path: Path, line, message):
    (tmp_path / "case.toml").write_text(f'[case]\nname = "heat"\n[run]\n{line}\n')
    done = run("case.toml", folder=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr


def test_a_case_that_names_nothing_is_refused():
    case = make_case("heat", CASES["heat"])
    problem = case.problem()
    nothing = Problem(problem.grid, problem.steps)
    with pytest.raises(CaseError, match="'heat' names nothing that could be written on its way"):
        OutputOptions(every=3).check_problem(case, nothing)
