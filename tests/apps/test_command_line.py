"""The command 'halocline', started as a user starts it."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import xarray
from launch import mpirun, needs_mpi, python

SMALL = ("lid-cavity", "--cells", "12", "--reynolds", "100")


def halocline(*arguments: str, folder: Path, **environment: str):
    return python("-m", "halocline.cli", *arguments, cwd=folder, env=environment)


def halocline_on_ranks(ranks: int, *arguments: str, folder: Path):
    return mpirun(ranks, "-m", "halocline.cli", *arguments, cwd=folder)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    done = halocline("run", *SMALL, "--output", "out", folder=folder)
    assert done.returncode == 0, done.stderr
    return done, folder / "out"


def test_a_run_leaves_fields_log_report_case_and_picture(finished):
    done, out = finished
    names = sorted(path.name for path in out.iterdir())
    assert names == ["case.toml", "fields.zarr", "lid-cavity.png", "report.txt", "run.log"]
    assert "steady after" in done.stdout
    assert done.stderr == ""


def test_the_log_has_a_line_for_each_convective_time(finished):
    _, out = finished
    lines = [line for line in (out / "run.log").read_text().splitlines() if "MLUPS" in line]
    assert len(lines) > 10
    assert "change" in lines[0]
    assert " s left" in lines[0]


def test_the_report_says_what_was_run_how_and_what_came_out(finished):
    _, out = finished
    report = (out / "report.txt").read_text()
    for part in (
        "Reynolds number 100",
        "relaxation time",
        "halocline run lid-cavity --cells 12",
        "steady after",
        "against converged differences",
        "collide_stream",
        "plan of rank 0",
    ):
        assert part in report


@pytest.mark.filterwarnings("error")
def test_xarray_opens_the_fields_with_coordinates_units_and_names(finished):
    _, out = finished
    fields = xarray.open_zarr(out / "fields.zarr")
    assert set(fields) == {"u", "v", "w", "pressure", "density"}
    assert fields["u"].dims == ("x", "y", "z")
    assert np.allclose(fields["x"], (np.arange(12) + 0.5) / 12)
    assert fields["u"].attrs == {
        "units": "1",
        "long_name": "velocity along x over the flow's speed",
    }
    assert fields["x"].attrs["units"] == "1"
    assert fields.attrs["reynolds"] == 100.0
    assert float(fields["u"].sel(x=0.5, y=1.0, z=0.5, method="nearest")) > 0.3


def test_two_ranks_give_the_same_bits_and_say_that_they_were_two(finished, tmp_path: Path):
    needs_mpi()
    _, out = finished
    done = halocline("run", *SMALL, "--ranks", "2", "--output", "two", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "2 rank(s)" in done.stdout
    assert done.stdout.count("steady after") == 1
    one, two = (xarray.open_zarr(path / "fields.zarr") for path in (out, tmp_path / "two"))
    xarray.testing.assert_identical(one.load(), two.load())


def test_under_a_launcher_the_command_joins_the_job(tmp_path: Path):
    case = ("run", "heat", "--cells", "8", "--steps", "5", "--output", "out")
    done = halocline_on_ranks(2, *case, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "2 rank(s)" in done.stdout
    refused = halocline_on_ranks(2, *case, "--ranks", "3", folder=tmp_path)
    assert refused.returncode != 0
    assert "3 ranks were asked for, but the launcher has started 2." in refused.stderr


def test_the_case_file_of_a_run_repeats_it(finished, tmp_path: Path):
    _, out = finished
    done = halocline("run", str(out / "case.toml"), "--output", "again", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    one, two = (xarray.open_zarr(path / "fields.zarr") for path in (out, tmp_path / "again"))
    xarray.testing.assert_identical(one.load(), two.load())


def test_the_case_file_of_a_run_on_a_device_runs_there_again(tmp_path: Path):
    case = ("run", "heat", "--cells", "8", "--steps", "5", "--device", "emulated:7")
    for arguments in ((*case, "--output", "out"), ("run", "out/case.toml", "--output", "again")):
        done = halocline(*arguments, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "emulated device" in done.stdout
    assert (tmp_path / "again/case.toml").read_text() == (tmp_path / "out/case.toml").read_text()


def test_without_a_name_results_go_to_a_new_directory_under_output(tmp_path: Path):
    arguments = ("heat", "--cells", "8", "--steps", "5", "--sides", "periodic")
    done = halocline("run", *arguments, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    (made,) = (tmp_path / "output").iterdir()
    assert made.name.startswith("heat-")
    assert 'sides = "periodic"' in (made / "case.toml").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "lid-cavty"), "error: There is no case 'lid-cavty'. Did you mean 'lid-cavity'?"),
        (("run",), "error: No case was given. Known are: lid-cavity, heat, "),
        (
            ("run", "heat", "--cells", "x"),
            "error: '--cells' was given 'x'; expected a whole number",
        ),
        (
            ("run", "heat", "--overlap", "cor-first"),
            "error: '--overlap' was given 'cor-first'; exp",
        ),
        (("run", "lid-cavity", "--cells", "8"), "Use at least 50 cells or at most Reynolds number"),
        (
            ("run", "heat", "--output", "file/x"),
            "error: Could not write 'file/x': Not a directory.",
        ),
        (("run", "channel", "--reynolds", "0"), "error: '--reynolds' was given 0.0; expected a nu"),
        (("show", "plan", "heat", "--ranks", "4", "--rank", "4"), "there are ranks 0 to 3"),
        (
            ("predict", "heat", "--plot", "x.foo"),
            "error: '--plot x.foo' was given; expected a name that ends in .png, .pdf or .svg.",
        ),
    ],
)
def test_a_mistake_gives_one_clear_message_and_code_2(tmp_path: Path, arguments, message):
    (tmp_path / "file").touch()
    done = halocline(*arguments, folder=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("--threads", "0"), "error: '--threads' was given 0; expected"),
        (("--checkpoint", "0"), "error: '--checkpoint' was given 0; expected"),
        ("threads = 0", "error: case.toml:4: 'threads' was given 0; expected"),
        ("checkpoint = 0", "error: case.toml:4: 'checkpoint' was given 0; expected"),
    ],
)
def test_a_mistake_has_one_message_wherever_it_is_made(tmp_path: Path, given, message):
    arguments = ("heat", *given) if isinstance(given, tuple) else ("case.toml",)
    (tmp_path / "case.toml").write_text(f'[case]\nname = "heat"\n[run]\n{given}\n')
    done = halocline("run", *arguments, folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr == f"{message} a whole number of at least 1.\n"
    assert [path.name for path in tmp_path.iterdir()] == ["case.toml"]


def test_help_tells_the_parameters_of_the_case(tmp_path: Path):
    done = halocline("run", "duct", "--help", folder=tmp_path, COLUMNS="200")
    assert done.returncode == 0, done.stderr
    line = next(line for line in done.stdout.splitlines() if "--aspect" in line)
    assert "The longer side, along z, over the shorter (at least 1; default 1.0)." in line
    assert "--overlap" in done.stdout
    assert "--womersley" not in done.stdout


def test_help_keeps_units_and_a_default_of_zero(tmp_path: Path):
    done = halocline("run", "kelvin-wave", "--help", folder=tmp_path, COLUMNS="200")
    assert done.returncode == 0, done.stderr
    for told in (
        "Of a side [m] (above 0; default 480000.0).",
        "Coriolis parameter, by default of 55.4 degrees north [1/s] (default 0.00012).",
        "or 0 for the vertically integrated mode alone (at least 0; default 0).",
    ):
        assert told in done.stdout


def test_the_case_may_stand_behind_its_options(tmp_path: Path):
    arguments = ("run", "--cells", "8", "--no-vtk", "--steps=5", "heat", "--output", "out")
    done = halocline(*arguments, folder=tmp_path)
    assert done.returncode == 0, done.stderr


def test_a_mistake_on_several_ranks_is_told_once(tmp_path: Path):
    needs_mpi()
    (tmp_path / "file").touch()
    arguments = ("run", "heat", "--cells", "8", "--ranks", "2", "--output", "file/x")
    done = halocline(*arguments, folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("Could not write 'file/x'") == 1


def test_a_mistake_that_all_ranks_find_is_told_once(tmp_path: Path):
    arguments = ("run", "heat", "--cells", "8", "--every", "5", "--probe", "0,0,2")
    done = halocline_on_ranks(2, *arguments, folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("error: The probe (0 0 2) is not in the grid") == 1


def test_without_a_launcher_several_ranks_are_refused(monkeypatch, tmp_path: Path):
    from halocline.cli.hosts import find_job_launcher
    from halocline.errors import MpiError

    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MpiError, match="there is no 'mpiexec' in"):
        find_job_launcher(2, None)


def test_a_plan_is_shown_written_and_executed(tmp_path):
    shown = halocline("show", "plan", "heat", "--cells", "16", "--write", "a.plan", folder=tmp_path)
    assert shown.returncode == 0, shown.stderr
    case = ("run", "heat", "--cells", "16", "--steps", "20", "--plan", "a.plan")
    done = halocline(*case, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    (report,) = tmp_path.glob("output/*/report.txt")
    for line in shown.stdout.splitlines():
        assert line in report.read_text()
    refused = halocline(*case, "--overlap", "none", folder=tmp_path)
    assert refused.returncode == 2
    assert "error: 'strategy' was given with 'plan'" in refused.stderr


@pytest.mark.parametrize(
    ("what", "parts"),
    [
        ("kernel", ("kernel collide_stream", "304 bytes a cell", "kernel wall(")),
        ("footprint", ("footprint of collide_stream", "read at (-1,0,0)", "halo width: x- 1")),
        ("code", ("collide_stream", "for (")),
        ("plan", ("plan of rank 17 of 4096", "f x+ 5", "run     collide_stream       core")),
    ],
)
def test_show_tells_what_becomes_of_a_case(tmp_path: Path, what, parts):
    wanted = ("--ranks", "4096", "--rank", "17", "--cells", "128")
    # 4096 ranks of 8 cells an axis: no MPI and no compiler are needed.
    done = halocline("show", what, "lid-cavity", *wanted, folder=tmp_path, CXX="no-such-compiler")
    assert done.returncode == 0, done.stderr
    for part in parts:
        assert part in done.stdout


def test_show_prints_cuda_without_a_device_or_its_compiler(tmp_path: Path):
    arguments = ("show", "code", "heat", "--target", "cuda", "--cells", "8")
    done = halocline(*arguments, folder=tmp_path, CXX="no-such-compiler")
    assert done.returncode == 0, done.stderr
    assert 'extern "C" __global__ void' in done.stdout


def test_a_rank_that_dies_silently_is_told(capsys):
    from halocline.cli import launch

    script = "import os, sys; os._exit(9)"
    assert launch.run_on_ranks([sys.executable, "-c", script], 2, ["run", "heat"]) == 9
    assert capsys.readouterr().err == "error: The job of 2 ranks has died (exit code 9).\n"


def test_too_little_memory_is_told_in_one_message(tmp_path: Path):
    done = halocline("run", "cylinder", "--upstream", "1e12", folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("error: There is not enough memory: Unable to allocate")
    assert done.stderr.endswith("Use fewer cells, or more ranks on more nodes.\n")
    assert len(done.stderr.splitlines()) == 1
