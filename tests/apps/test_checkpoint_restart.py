"""A run that was killed goes on, on any number of ranks, as if nothing had happened."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import xarray
from command import halocline
from launch import needs_mpi

HEAT = ("heat", "--cells", "20", "--dimensions", "2", "--sides", "neumann")
SERIES = ("--every", "20", "--vtk", "--probe", "0.3,0.9", "--probe", "0.5,0.5", "--movie", "T")
CAVITY = ("lid-cavity", "--cells", "12", "--dimensions", "2", "--reynolds", "100")


def run(*arguments: str, folder: Path) -> subprocess.CompletedProcess:
    done = halocline("run", *arguments, folder=folder)
    assert done.returncode == 0, done.stderr
    return done


def steps_kept(directory: Path) -> int:
    with np.load(directory / "checkpoint.npz") as checkpoint:
        return json.loads(checkpoint["checkpoint.json"])["step"]


def assert_same(one: Path, other: Path) -> None:
    """Compare all that two runs leave, but for times and the number of ranks."""
    for name in ("fields.zarr", "series.zarr"):
        xarray.testing.assert_identical(
            xarray.open_zarr(one / name).load(), xarray.open_zarr(other / name).load()
        )
    patterns = ("series.csv", "series.pvd", "movie.gif", "vtk/*")
    files = [[p.relative_to(d) for q in patterns for p in sorted(d.glob(q))] for d in (one, other)]
    assert files[0] == files[1]
    assert len(files[0]) > 0
    for name in files[0]:
        assert (one / name).read_bytes() == (other / name).read_bytes(), name


@pytest.fixture(scope="module")
def killed(tmp_path_factory) -> Path:
    """The directory of a run that was killed while it wrote output every few milliseconds."""
    folder = tmp_path_factory.mktemp("killed")
    wanted = [sys.executable, "-m", "halocline.cli", "run", *HEAT, "--steps", "10000000", *SERIES]
    wanted += ["--checkpoint", "30", "--output", "out"]
    process = subprocess.Popen(wanted, cwd=folder, stdout=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while not (folder / "out/checkpoint.npz").exists() or steps_kept(folder / "out") < 60:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
    finally:
        process.kill()
        process.wait()
    return folder / "out"


@pytest.fixture(scope="module")
def through(killed: Path, tmp_path_factory) -> tuple[int, Path]:
    """A run that was not killed: how many steps it has, some beyond the checkpoint, and where."""
    steps = steps_kept(killed) + 75
    folder = tmp_path_factory.mktemp("through")
    run(*HEAT, "--steps", str(steps), *SERIES, "--output", "out", folder=folder)
    return steps, folder / "out"


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_a_killed_run_goes_on_to_the_same_bits_on_other_ranks(
    killed, through, ranks, tmp_path: Path
):
    if ranks > 1:
        needs_mpi()
    steps, expected = through
    shutil.copytree(killed, tmp_path / "out")
    kept = steps_kept(killed)
    done = run("--restart", "out", "--steps", str(steps), "--ranks", str(ranks), folder=tmp_path)
    assert f"goes on from 'out', step {kept}" in done.stdout
    assert f"\n{steps - kept} steps in" in done.stdout
    assert f"{ranks} rank(s)" in done.stdout
    assert_same(expected, tmp_path / "out")
    report = (tmp_path / "out/report.txt").read_text()
    assert f"{steps} steps of 400 cells" not in report
    log = (tmp_path / "out/run.log").read_text()
    assert log.count("heat conduction") == 2


@pytest.fixture(scope="module")
def cavity(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("cavity")
    run(*CAVITY, "--every", "50", "--max-convective-times", "5", "--output", "out", folder=folder)
    return folder / "out"


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [1, 2])
def test_a_cavity_goes_on_from_the_middle_of_a_convective_time(cavity, ranks, tmp_path: Path):
    if ranks > 1:
        needs_mpi()
    first = (*CAVITY, "--every", "50", "--checkpoint", "70", "--output", "out")
    run(*first, "--max-convective-times", "3", "--ranks", str(3 - ranks), folder=tmp_path)
    assert steps_kept(tmp_path / "out") == 350
    go_on = ("--restart", "out", "--max-convective-times", "5", "--ranks", str(ranks))
    done = run(*go_on, folder=tmp_path)
    assert "NOT steady after 5 convective times" in done.stdout
    assert "250 steps in" in done.stdout
    assert_same(cavity, tmp_path / "out")


def test_a_run_that_has_converged_stays_as_it_is(tmp_path: Path):
    period = ("--checkpoint", "120", "--output", "out", "--tolerance", "0.01")
    done = run(*CAVITY, *period, folder=tmp_path)
    again = run("--restart", "out", folder=tmp_path)
    verdict = next(line for line in done.stdout.splitlines() if "steady after" in line)
    assert verdict in again.stdout
    assert "\n0 steps in" in again.stdout
    assert "\n0 steps of 144 cells on 1 rank(s)" in (tmp_path / "out/report.txt").read_text()


def test_the_results_of_a_run_that_goes_on_may_go_elsewhere(tmp_path: Path):
    run(*HEAT, "--steps", "60", "--checkpoint", "30", "--output", "one", folder=tmp_path)
    before = {p.name: p.stat().st_mtime_ns for p in (tmp_path / "one").iterdir()}
    wanted = ("--steps", "90", "--every", "10", "--output", "two")
    run("--restart", "one", *wanted, folder=tmp_path)
    assert {p.name: p.stat().st_mtime_ns for p in (tmp_path / "one").iterdir()} == before
    series = xarray.open_zarr(tmp_path / "two/series.zarr")
    assert np.array_equal(series["step"], [60, 70, 80, 90])
    assert steps_kept(tmp_path / "two") == 90


def test_going_on_in_the_same_directory_may_be_said_in_any_words(tmp_path: Path):
    run(*HEAT, "--steps", "60", "--checkpoint", "30", "--output", "out", folder=tmp_path)
    same = str(tmp_path / "out")
    run("--restart", "out", "--steps", "90", "--output", same, folder=tmp_path)
    assert steps_kept(tmp_path / "out") == 90


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("finished")
    run(*HEAT, "--steps", "60", "--checkpoint", "30", "--output", "out", folder=folder)
    return folder


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--restart", "nowhere"), "error: There is no checkpoint 'nowhere/checkpoint.npz'. Give"),
        (
            (*HEAT, "--cells", "24", "--restart", "out"),
            "error: The checkpoint 'out/checkpoint.npz' was written with cells = 20; this run has "
            "cells = 24. A run goes on only as what it was",
        ),
        (("--restart", "out", "--dtype", "float32"), "dtype = float64; this run has dtype = float"),
        ((*CAVITY, "--restart", "out"), "written with case = heat; this run has case = lid-cavity"),
        (("--restart", "out", "--steps", "50"), "60 steps have been done, but 50 were asked"),
        (
            ("--restart", "out", "--output", "."),
            "error: The directory '.' is not empty (out); expected a new one for the results.",
        ),
        ((), "error: No case was given. Known are: lid-cavity, heat"),
    ],
)
def test_what_cannot_go_on_is_refused_and_nothing_is_changed(finished, arguments, message):
    before = {p.name: p.read_bytes() for p in (finished / "out").iterdir() if p.is_file()}
    done = halocline("run", *arguments, folder=finished)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    after = {p.name: p.read_bytes() for p in (finished / "out").iterdir() if p.is_file()}
    if "--steps" not in arguments:
        assert after == before


def test_a_damaged_checkpoint_is_told_once_on_several_ranks(finished, tmp_path: Path):
    needs_mpi()
    shutil.copytree(finished / "out", tmp_path / "out")
    os.truncate(tmp_path / "out/checkpoint.npz", 1000)
    done = halocline("run", "--restart", "out", "--ranks", "2", folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("error: The checkpoint 'out/checkpoint.npz' cannot be read") == 1


IN_MEMORY = (*HEAT, "--steps", "60", "--checkpoint-memory", "20", "--output", "out")


def in_memory() -> list[Path]:
    return list(Path("/dev/shm").glob(f"halocline-checkpoint-{os.getuid()}-*"))


def test_checkpoints_in_memory_are_removed_at_the_end_of_a_run(tmp_path: Path):
    needs_mpi()
    before = in_memory()
    run(*IN_MEMORY, "--ranks", "2", "--ranks-per-node", "1", folder=tmp_path)
    assert in_memory() == before
    assert not (tmp_path / "out/checkpoint.npz").exists()


@pytest.mark.parametrize("ranks", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_checkpoints_in_the_memory_of_a_single_node_are_refused(ranks, tmp_path: Path):
    if ranks > 1:
        needs_mpi()
    done = halocline("run", *IN_MEMORY, "--ranks", str(ranks), folder=tmp_path)
    assert done.returncode == 2
    message = "error: Checkpoints in memory were asked for, but all ranks are on one node, whose"
    assert done.stderr.count(message) == 1


def test_a_run_goes_on_without_copies_on_the_only_node_that_is_left(finished, tmp_path: Path):
    shutil.copytree(finished / "out", tmp_path / "out")
    options = ("--steps", "90", "--checkpoint-memory", "20")
    done = run("--restart", "out", *options, folder=tmp_path)
    assert "warning: one node is left: no checkpoints are kept in memory." in done.stdout
