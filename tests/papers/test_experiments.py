"""Every experiment runs, verifies its results, and leaves text, JSON and a picture."""

import json
import os
import shutil
import struct
import subprocess
import sys

import pytest
from launch import needs_mpi
from msgspec.structs import replace
from typer.testing import CliRunner

from halocline.bench.settings import Settings
from halocline.cli.main import build
from halocline.errors import CaseError, HaloclineError
from halocline.plan.cells.strategy import Strategy
from halocline.tune.machines import find_machine
from halocline.tune.work import Placement
from halocline_reproduction.configuration import (
    Configuration,
    StepTimes,
    check_bits,
    near_cube,
    near_square,
    predict,
)
from halocline_reproduction.directions import blocks_by, prices_of_sides
from halocline_reproduction.experiment import settings_for
from halocline_reproduction.experiments import EXPERIMENTS, find_experiment
from halocline_reproduction.proxy_kernels import proxy_kernel
from halocline_reproduction.published import printed
from halocline_reproduction.worst_case import blocks_for, exposed, groups, neighbours_elsewhere

app = build([])
runner = CliRunner()
WITHOUT_RANKS = ("001-devices", "001-device-scaling", "002-exchanges")


def is_of_coarrays(name):
    return name.startswith("003") or name.endswith("coarrays")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_quick_run_leaves_text_json_and_picture(name, tmp_path):
    if is_of_coarrays(name) and shutil.which("gfortran") is None:
        pytest.skip("gfortran is not installed")
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
        # Every row says what it is about before it gives numbers.
        assert len({next(iter(row)) for row in table["rows"]}) == 1
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


def test_experiments_of_all_papers():
    papers = {experiment.paper for experiment in EXPERIMENTS.values()}
    assert papers == {"000", "001", "002", "003", "004"}


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
        proxy_kernel("micro-stop", (8, 8))
    assert str(error.value) == "There is no step 'micro-stop'. Did you mean 'micro-step'?"


def times(checksum):
    return StepTimes((1.0,), (), checksum)


def test_other_bits_are_refused():
    waiting = Configuration("micro-step", (8, 8), (1, 2), Strategy(overlap="none"))
    with pytest.raises(HaloclineError) as error:
        check_bits({replace(waiting, strategy=Strategy()): times(1), waiting: times(2)})
    assert str(error.value) == (
        "'micro-step' on (8, 16) cells in (1, 2) blocks with overlap=none gave other bits than "
        "before: the result is wrong."
    )


def test_streamings_keep_other_populations_and_are_not_compared():
    steps = ("flow", "flow-in-place")
    flows = [Configuration(step, (8,) * 3, (1, 1, 2)) for step in steps]
    check_bits({flow: times(n) for n, flow in enumerate(flows)})


@pytest.mark.parametrize(("ranks", "blocks"), [(1, (1, 2, 2)), (2, (1, 2, 2)), (4, (1, 2, 2))])
def test_worst_case_has_the_blocks_of_the_paper_where_ranks_can_share_them(ranks, blocks):
    assert blocks_for(ranks) == blocks


def test_worst_case_has_a_block_a_rank_on_other_ranks():
    assert blocks_for(6) == (1, 2, 3)


@pytest.mark.parametrize(
    ("blocks", "ranks", "elsewhere"),
    [
        ((1, 2, 2), 1, 0),
        # Across z, and along the edges with a part across z.
        ((1, 2, 2), 2, 10),
        # All but those across x alone, where a block is its own neighbour.
        ((1, 2, 2), 4, 16),
        ((3, 3, 3), 27, 18),
    ],
)
def test_neighbours_on_other_ranks(blocks, ranks, elsewhere):
    assert neighbours_elsewhere(blocks, ranks) == elsewhere


def test_exposed_is_what_a_step_takes_beyond_computing_without_splitting():
    waiting = Configuration("flow", (8,) * 3, (1, 2, 2), Strategy(overlap="none"))
    hiding = replace(waiting, strategy=Strategy())
    found = {
        waiting: StepTimes((4.0,), ({("computing", ""): 2.0},)),
        hiding: StepTimes((2.5,), ({("computing", ""): 2.4},)),
    }
    assert exposed(found, waiting) == pytest.approx(50)
    assert exposed(found, hiding) == pytest.approx(20)


def test_large_blocks_are_measured_a_few_at_a_time():
    sizes = [len(together) for together in groups((64, 128), (1, 2, 2), 2)]
    assert sizes == [12, 3, 3]


def test_prices_of_sides_avoid_a_cut_across_x_that_surfaces_ask_for():
    prices = prices_of_sides(find_machine("generic"), is_same_node=True)
    assert prices[0] > 2 * prices[2]
    extent = (128, 64, 64)
    assert blocks_by((1.0, 1.0, 1.0), extent) == (2, 1, 1)
    assert blocks_by(prices, extent) == (1, 1, 2)


def test_prediction_of_a_step_is_of_a_lattice_step_in_either_streaming():
    machine = find_machine("lima")
    waiting = Strategy(overlap="none")
    steps = [
        predict(Configuration(step, (32,) * 3, (3, 3, 3), waiting), machine, Placement(1))
        for step in ("flow", "flow-in-place")
    ]
    computing = [step.least("computing") for step in steps]
    assert computing[1] == pytest.approx(computing[0], rel=0.5)
    assert all(step.least() > least for step, least in zip(steps, computing))


def test_census_finds_the_exchanges_of_a_micro_step():
    findings = find_experiment("002-exchanges").run(settings_for(2))
    counts = {(row["mode"], row["variant"]): row["exchanges"] for row in findings.tables[1].rows}
    assert counts["2-D", "what is read"] == counts["2-D", "GETM"] == 3
    assert counts["3-D", "what is read"] < counts["3-D", "GETM"] == 19


def test_report_of_the_split_advection_has_the_published_shares():
    hidden, waiting = (printed(f"002-{table}", "test-02")["60x60"] for table in ("A5", "A2"))
    assert 1 - hidden / waiting == pytest.approx(0.487, abs=0.001)


def test_shared_cores_are_marked():
    settings = Settings()
    assert settings.mark(settings.cores) == ""
    assert settings.mark(settings.cores + 1) == "oversubscribed"


@pytest.mark.parametrize("ranks", [1, 2, 6, 7, 24, 64, 1344])
def test_near_square_and_near_cube_use_all_ranks(ranks):
    large, small = near_square(ranks)
    assert large * small == ranks
    assert large >= small
    a, b, c = near_cube(ranks)
    assert a * b * c == ranks
