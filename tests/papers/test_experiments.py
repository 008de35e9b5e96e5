"""Every experiment runs, verifies its results, and leaves text, JSON and a picture."""

import json
import os
import struct
import subprocess
import sys

import pytest
from launch import needs_mpi
from typer.testing import CliRunner

from halocline.cli.main import app
from halocline.errors import CaseError, HaloclineError
from halocline.papers.experiment import Setting
from halocline.papers.experiments import EXPERIMENTS, find_experiment
from halocline.papers.measuring import _check_bits
from halocline.papers.predict import near_cube, near_square
from halocline.papers.published import published
from halocline.papers.stand_ins import stand_in
from halocline.papers.trial import Timing, Trial
from halocline.plan.strategy import Strategy

runner = CliRunner()
WITHOUT_RANKS = ("002-exchanges",)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_quick_run_leaves_text_json_and_picture(name, tmp_path):
    if name not in WITHOUT_RANKS:
        needs_mpi()
    result = runner.invoke(
        app, ["papers", "run", name, "--quick", "--output", str(tmp_path)], catch_exceptions=False
    )
    assert result.exit_code == 0
    assert "What cannot be compared:" in result.output
    found = json.loads((tmp_path / f"{name}.json").read_text())
    assert found["experiment"] == name
    assert found["remarks"]
    for table in found["tables"]:
        assert table["rows"]
        assert all(len(row) == len(table["columns"]) for row in table["rows"])
    assert (tmp_path / f"{name}.txt").read_text().startswith(name)
    width, height = _png_size((tmp_path / f"{name}.png").read_bytes())
    assert width > 400
    assert height > 300


def _png_size(content):
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert len(content) > 5000
    return struct.unpack(">II", content[16:24])


def test_list_names_all_experiments():
    lines = runner.invoke(app, ["papers", "list"]).output.splitlines()
    assert len(lines) == 1 + len(EXPERIMENTS)
    assert all(line.startswith(name) for line, name in zip(lines[1:], EXPERIMENTS))


def test_experiments_of_all_three_papers():
    assert {experiment.paper for experiment in EXPERIMENTS.values()} == {"000", "002", "004"}


def test_unknown_experiment_names_the_nearest():
    with pytest.raises(CaseError) as error:
        find_experiment("002-split-advektion")
    assert str(error.value) == (
        "There is no experiment '002-split-advektion'. Did you mean '002-split-advection'?"
    )


def test_experiment_refuses_to_be_one_of_several_ranks():
    run = subprocess.run(
        [sys.executable, "-m", "halocline.cli", "papers", "run", "002-exchanges"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PMI_RANK": "0", "PMI_SIZE": "2"},
    )
    assert run.returncode != 0
    assert (
        "An experiment was started as one of several ranks; it starts its ranks itself. "
        "Leave out mpiexec: halocline papers run 002-exchanges --ranks 2" in run.stderr
    )


def test_unwritable_output_is_said(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(HaloclineError, match="Could not write"):
        runner.invoke(
            app,
            ["papers", "run", "002-exchanges", "--output", str(tmp_path / "file")],
            catch_exceptions=False,
        )


def test_unknown_stand_in_names_the_nearest():
    with pytest.raises(CaseError) as error:
        stand_in("micro-stop", (8, 8))
    assert str(error.value) == "There is no step 'micro-stop'. Did you mean 'micro-step'?"


def test_other_bits_are_refused():
    trials = [
        Trial("micro-step", (8, 8), (1, 2)),
        Trial("micro-step", (8, 8), (1, 2), Strategy(overlap="none")),
    ]
    timings = [Timing(1.0, 1.0, 1.0, (), checksum) for checksum in (1, 2)]
    with pytest.raises(HaloclineError) as error:
        _check_bits(trials, timings)
    assert str(error.value) == (
        "'micro-step' on (8, 16) cells with overlap=none gave other bits than before: the result "
        "is wrong."
    )


def test_census_finds_the_exchanges_of_a_micro_step():
    findings = find_experiment("002-exchanges").run(Setting())
    counts = {row[:2]: row[2] for row in findings.tables[1].rows}
    assert counts["2-D", "what is read"] == counts["2-D", "GETM"] == 3
    assert counts["3-D", "what is read"] < counts["3-D", "GETM"] == 19


def test_report_of_the_split_advection_has_the_published_shares():
    table = published("002-A5")
    saved = 1 - table.row("test-02")["60x60"] / published("002-A2").row("test-02")["60x60"]
    assert saved == pytest.approx(0.487, abs=0.001)


def test_shared_cores_are_marked():
    setting = Setting()
    assert setting.mark(setting.cores) == ""
    assert setting.mark(setting.cores + 1) == "oversubscribed"


@pytest.mark.parametrize("ranks", [1, 2, 6, 7, 24, 64, 1344])
def test_near_square_and_near_cube_use_all_ranks(ranks):
    large, small = near_square(ranks)
    assert large * small == ranks
    assert large >= small
    a, b, c = near_cube(ranks)
    assert a * b * c == ranks
