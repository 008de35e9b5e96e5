"""The command 'halocline predict'."""

import re
import time

import pytest
from toy import toy, toy_device
from typer.testing import CliRunner

from halocline.cli.main import build
from halocline.errors import CaseError, PlanError
from halocline.tune.machine import MachineError
from halocline.tune.machine_file import save_machine


def predict(*words):
    result = CliRunner().invoke(build(["predict", *words]), ["predict", *words])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def rows(text):
    return [line.split() for line in text.splitlines() if re.match(r" *[\d,]+ +\d+  \d+x", line)]


def test_a_curve_with_its_picture(tmp_path):
    picture = tmp_path / "curve.png"
    text = predict(
        "heat", "--cells", "64", "--ranks", "1,24,4096", "--machine", "lima", "--plot", str(picture)
    )
    assert "heat on lima" in text
    assert "strong scaling, predicted; strategy default" in text
    assert "paper 000, table 4.1" in text
    assert [row[:3] for row in rows(text)] == [
        ["1", "1", "1x1x1"], ["24", "1", "1x4x6"], ["4,096", "171", "8x16x32"]]  # fmt: skip
    assert picture.stat().st_size > 10_000


def test_a_single_number_of_ranks_shows_every_operation():
    text = predict("lid-cavity", "--cells", "64", "--ranks", "8", "--overlap", "core-first")
    assert "wait   exchange 0" in text
    assert "collide_stream core" in text


def test_weak_scaling_keeps_the_cells_of_a_rank():
    text = predict("heat", "--cells", "16", "--ranks", "1,8,64", "--weak", "--dimensions", "3")
    assert "weak scaling" in text
    # The rate and the number of ranks grow alike, as far as halos and boundaries allow.
    efficiencies = [float(row[-1]) for row in rows(text)]
    assert efficiencies[0] == 100.0
    assert min(efficiencies) > 20.0


def test_strategy_placement_and_file(tmp_path):
    save_machine(toy(), tmp_path / "toy.json")
    text = predict(
        "heat", "--cells", "32", "--ranks", "8", "--machine", str(tmp_path / "toy.json"),
        "--ranks-per-node", "2", "--threads", "2", "--transport", "two-sided", "--depth", "2",
        "--overlap", "none", "--neighbours", "staged", "--tiles", "2", "--wait", "all",
        "--messages", "neighbour", "--decomposition", "2x2x2",
    )  # fmt: skip
    assert "two-sided" in text
    assert "depth=2" in text
    assert "2 thread(s) a rank" in text
    assert rows(text)[0][:3] == ["8", "4", "2x2x2"]


def test_a_machine_with_devices(tmp_path):
    words = ("heat", "--cells", "64", "--machine", "h200-cluster")
    text = predict(*words, "--ranks", "8,64", "--overlap", "core-first")
    assert "NVIDIA H200 SXM for each rank, messages 'peer'" in text
    assert "nothing of it was measured by us" in text
    assert [row[1] for row in rows(text)] == ["1", "8"]
    staged = predict(*words, "--ranks", "8,64", "--transport", "via-host")
    assert "messages 'via-host'" in staged
    step = [[float(row[3]) for row in rows(t)] for t in (text, staged)]
    assert all(peer < other for peer, other in zip(*step))
    save_machine(toy_device(), tmp_path / "toy.json")
    text = predict("heat", "--ranks", "2", "--machine", str(tmp_path / "toy.json"))
    assert "toy device for each rank" in text


def test_a_hundred_thousand_devices_take_seconds():
    started = time.process_time()
    predict(
        "lid-cavity", "--cells", "128", "--weak", "--ranks", "8,1024,100000",
        "--machine", "h200-cluster",
    )  # fmt: skip
    assert time.process_time() - started < 20


@pytest.mark.parametrize(
    ("words", "kind", "message"),
    [
        (["heat", "--ranks", "8;9"], CaseError, "'--ranks 8;9' was given; expected positive"),
        (["heat", "--ranks", "0"], CaseError, "expected positive numbers"),
        (["heat", "--machine", "limo"], MachineError, "Did you mean 'lima'"),
        (["heat", "--transport", "pigeon"], PlanError, "was given 'pigeon'; expected one of: auto"),
        (["heat", "--cells", "2", "--ranks", "64"], PlanError, "64 ranks"),
        (["heat", "--ranks", "64", "--transport", "shared", "--machine", "lima"], MachineError,
         "no times of transport 'shared' between nodes"),
        (["heat", "--machine", "lima", "--transport", "peer"], MachineError,
         "'peer' were asked for, but machine 'lima' has no devices"),
        (["heat", "--machine", "kepler-001", "--transport", "peer"], MachineError,
         "Machine 'kepler-001' has no times of device messages 'peer'"),
        (["heat", "--machine", "nvlink-8", "--transport", "get"], MachineError,
         "for them there are: peer, from-device, via-host"),
        (["heat", "--machine", "nvlink-8", "--threads", "4"], MachineError, "devices compute"),
        (["heat", "--machine", "nvlink-8", "--ranks", "16"], MachineError,
         "no times of transport 'from-device' between nodes"),
        (["heat", "--machine", "nvlink-8", "--ranks", "9", "--ranks-per-node", "9"], MachineError,
         "has 8 devices a node"),
    ],
)  # fmt: skip
def test_mistakes_are_named(words, kind, message):
    with pytest.raises(kind, match=message):
        predict(*words)
