"""The benchmarks run on ranks, verify their results, and write tables, JSON and pictures."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from errors.telling import message_of
from launch import needs_mpi
from msgspec.structs import replace

import halocline as hc
from halocline.analysis.cost import cost
from halocline.bench import choice
from halocline.bench.baseline import LOOPS, Baseline
from halocline.bench.benchmarks import BENCHMARKS
from halocline.bench.probe_device import calculate
from halocline.bench.settings import NATIVE, TRANSPORTS, Settings
from halocline.cli.bench import run_bench
from halocline.cli.probe import run_probe
from halocline.errors import HaloclineError
from halocline.plan.pipeline import plan_for
from halocline.tune.machine_file import identity_here, load_machine, machine_path, save_machine
from halocline.tune.machines import find_machine, known_machines
from halocline.tune.model import predict_step
from halocline.tune.work import Placement

TINY = {"repetitions": 2, "budget_s": 1e-4}


def rows_of(name: str, **settings):
    return run_bench(name, lambda _: None, Settings(**{**TINY, **settings}), "", "")


def points(rows, *names: str) -> set[tuple]:
    return {tuple(row[name] for name in names) for row in rows}


@pytest.mark.parametrize("loop", LOOPS)
def test_the_baseline_verifies_every_loop(loop):
    with Baseline(loop, 4096, threads=2) as baseline:
        times = baseline.sample(repetitions=2, budget_s=1e-4)
    assert 0 < times.min_s <= times.median_s <= times.max_s


def test_memory_is_measured_for_threads_and_for_processes():
    needs_mpi()
    rows = rows_of("memory", sizes=(8,))
    assert {row["loop"] for row in rows} == set(LOOPS)
    assert ("1 threads",) in points(rows, "workers")
    for row in rows:
        moved = row["streams"] * row["array [B]"]
        assert row["GB/s"] == pytest.approx(moved / row["median [us]"] / 1e3)


def test_ping_pong_measures_every_transport_size_and_element(tmp_path):
    needs_mpi()
    lines: list[str] = []
    files = tmp_path / "figures.json", tmp_path / "figures.png"
    settings = Settings(**TINY, element_bytes=(4, 8), largest_bytes=100)
    rows = run_bench("ping-pong", lines.append, settings, *map(str, files))
    sizes = {8, 32, 100, 96}
    assert points(rows, "transport", "element [B]", "message [B]") == {
        (transport, element, size)
        for transport in TRANSPORTS
        for element in (4, 8)
        for size in sizes - {96 if element == 4 else 100}
    }
    assert len(lines) == 3 + len(rows)
    assert "median [us]" in lines[2]
    found = json.loads(files[0].read_text())
    assert found["verified"] is True
    assert found["machine"]["cores"] >= 1
    assert found["settings"]["largest_bytes"] == 100
    assert found["rows"] == rows
    assert rows[0]["GB/s"] == pytest.approx(8 / rows[0]["median [us]"] / 1e3)
    assert files[1].read_bytes().startswith(b"\x89PNG")


def test_ring_shift_runs_on_more_ranks_and_counts_both_ways():
    needs_mpi()
    rows = rows_of("ring-shift", ranks=3, largest_bytes=64, transports=("shared", "two-sided"))
    assert points(rows, "ranks") == {(3,)}
    for row in rows:
        assert row["GB/s"] == pytest.approx(2 * row["message [B]"] / row["median [us]"] / 1e3)


def test_messages_that_nobody_rewrites_are_verified_too():
    needs_mpi()
    rows = rows_of("ring-shift", largest_bytes=64, transports=("two-sided",), is_rewritten=False)
    assert len(rows) == 3


def test_strided_measures_native_and_buffered_transports():
    needs_mpi()
    rows = rows_of("strided", largest_bytes=256, element_bytes=(4, 8))
    assert points(rows, "transport", "kind") == {
        (t, "native" if t in NATIVE else "buffered") for t in TRANSPORTS
    }
    assert {row["stride [B]"] for row in rows} == {4, 8, 64, 128, 256, 512, 1024, 2048}


def test_element_wise_sends_a_message_a_value():
    needs_mpi()
    rows = rows_of("element-wise", largest_bytes=64, transports=("two-sided", "shared"))
    assert points(rows, "message [B]", "messages") == {
        (8, 1),
        (32, 1),
        (32, 4),
        (64, 1),
        (64, 8),
    }


def test_push_pull_names_the_side_that_acts():
    needs_mpi()
    rows = rows_of("push-pull", largest_bytes=8)
    assert points(rows, "transport", "side") == {
        ("put", "push"),
        ("get", "pull"),
        ("shared-push", "push"),
        ("shared", "pull"),
    }


def test_overlap_measures_each_alone_and_both():
    needs_mpi()
    rows = rows_of("overlap", largest_bytes=8192, transports=("two-sided", "shared"))
    assert {row["work"] for row in rows} == {
        "computation",
        "communication",
        "both",
        "both, polled",
        "in turns",
        "in turns, polled",
    }
    assert all((row["hidden [%]"] is None) == ("both" not in row["work"]) for row in rows)


def test_halo_measures_every_side_beside_a_memcpy():
    needs_mpi()
    rows = rows_of("halo", sizes=(8,))
    assert points(rows, "transport", "across") == {
        ("memcpy", ""),
        ("memcpy, signals", ""),
        *((transport, axis) for transport in TRANSPORTS for axis in "xyz"),
    }
    assert all(row["side [B]"] == 8 * 8 * 8 for row in rows)


def test_an_emulated_link_delays_messages_and_is_labelled():
    needs_mpi()
    lines: list[str] = []
    settings = Settings(**TINY, largest_bytes=8, ranks_per_node=1, link="L=1e-3,G=0")
    rows = run_bench("ping-pong", lines.append, settings, "", "")
    assert {"shared", "shared-push"} & {row["transport"] for row in rows} == set()
    assert all(row["min [us]"] > 900 for row in rows)
    assert "EMULATED link L=1e-3,G=0" in lines[1]


@pytest.mark.alone
def test_step_and_imbalance():
    needs_mpi()
    assert rows_of("step")[0]["median [us]"] < 1e3
    rows = rows_of("imbalance", case="heat")
    assert {("computation", "all"), ("communication", "all")} <= points(rows, "group", "operation")
    assert all(0 <= row["imbalance [%]"] <= 100.0001 for row in rows)


@pytest.mark.slow
def test_lbm_gives_the_same_bits_on_threads_and_on_ranks(tmp_path):
    needs_mpi()
    file = tmp_path / "figures.json"
    settings = Settings(**TINY, sizes=(16,), element_bytes=(4,))
    run_bench("lbm", lambda _: None, settings, str(file), "")
    found = json.loads(file.read_text())["rows"]
    names = ("streaming", "collision", "around", "layout")
    variants = points(found, *names)
    assert len(variants) == 12, "two streamings; three collisions, walls, a mask, aos"
    for variant in variants:
        rows = [row for row in found if tuple(row[name] for name in names) == variant]
        assert {row["ranks"] for row in rows} >= {1}
        assert len({row["checksum"] for row in rows}) == 1
    assert {row["moved [B a cell]"] for row in found} == {152}


@pytest.fixture
def probed(tmp_path, monkeypatch):
    """Let there be a file of this machine, with the numbers of another."""
    monkeypatch.setenv("HALOCLINE_CACHE", str(tmp_path))
    save_machine(replace(known_machines()["generic"], identity=identity_here()), machine_path())


@pytest.mark.usefixtures("probed")
def test_choice_compares_all_strategies_and_marks_one(monkeypatch):
    needs_mpi()
    cases = {name: choice.CASES[name] for name in ("heat 64³",)}
    monkeypatch.setattr(choice, "CASES", cases)
    rows = rows_of("choice", sizes=(8,), ranks_per_node=1, link="gigabit-2011")
    assert {row["strategy"] for row in rows} >= {"default", "overlap=none", "depth=2"}
    assert sum(row["cost of auto [s]"] is not None for row in rows) == 1
    assert min(row["/ best"] for row in rows) == 1.0
    assert all(row["predicted [us]"] > 0 for row in rows)


def test_choice_needs_a_machine_that_was_measured(tmp_path, monkeypatch):
    needs_mpi()
    monkeypatch.setenv("HALOCLINE_CACHE", str(tmp_path))
    with pytest.raises(HaloclineError) as error:
        rows_of("choice", sizes=(8,), ranks_per_node=1, link="gigabit-2011")
    assert message_of(error.value) == (
        "The measurement failed: The times of this machine are not known, so nothing can be "
        "predicted. Run 'halocline probe' first."
    )


@pytest.mark.slow
def test_probe_writes_a_machine_file_that_can_be_read(tmp_path):
    needs_mpi()
    lines: list[str] = []
    path = run_probe(lines.append, str(tmp_path / "machine.json"), is_quick=True)
    machine = load_machine(path, identity_here())
    assert {times.transport for times in machine.transports} == set(TRANSPORTS)
    assert {rate.streams for rate in machine.copies} == {2, 38}
    assert machine.flops_per_s > 1e8
    assert any("largest relative residual" in line for line in lines)
    assert machine.device is None


@pytest.mark.slow
@pytest.mark.alone
def test_probe_of_a_device_gives_a_machine_to_predict_with(tmp_path):
    needs_mpi()
    lines: list[str] = []
    output = tmp_path / "machine.json"
    run_probe(lines.append, str(output), is_quick=True, device="emulated:3")
    machine = find_machine(str(output))
    assert {times.transport for times in machine.transports} == set(TRANSPORTS)
    device = machine.device
    assert device.name == "emulated device"
    assert device.messages == "via-host"
    assert 0 < device.enqueue_s <= device.start_s < 1e-3
    assert 1e9 < device.bytes_per_s < 1e12
    assert 1e8 < device.float64_per_s < 1e12
    assert 0 <= device.host_copies.latency_s < 1e-4
    assert any(line.startswith("emulated device: memory ") for line in lines)
    # A kernel that is all arithmetic takes as long as its operations.
    grid = hc.Grid((1 << 20,))
    step = calculate(grid.field("b"), grid.field("a"))
    predicted = predict_step(plan_for(grid, [step], check_every=0), machine, Placement(1))
    operations = cost(step.kernel).flops * grid.domain.cells
    assert predicted.seconds == pytest.approx(operations / device.float64_per_s, rel=0.02)


def test_a_device_that_is_not_there_is_said_before_anything_is_measured(tmp_path, monkeypatch):
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    (tmp_path / "libcuda.so.1").touch()
    lines: list[str] = []
    with pytest.raises(HaloclineError) as error:
        run_probe(lines.append, str(tmp_path / "machine.json"), is_quick=True, device="cuda")
    assert message_of(error.value).startswith(
        "The measurement failed: A CUDA device cannot be used: the NVIDIA driver was not found"
    )
    assert len(lines) == 1, "what machine this is"
    assert not (tmp_path / "machine.json").exists()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"ranks": 3}, "The benchmark 'ping-pong' was asked for on 3 ranks; expected 2."),
        ({"transports": ("auto",)}, "There is no transport 'auto' to measure"),
        ({"element_bytes": (16,)}, "Elements of 16 bytes were asked for; expected 2, 4 or 8."),
        ({"largest_bytes": 4}, "The largest message has 4 bytes; expected at least 8."),
        ({"sizes": (0,)}, "A size of 0 was given; expected at least 1."),
        ({"link": "gigabit-2011"}, "The link 'gigabit-2011' joins nodes, but all ranks are on"),
        ({"link": "token-ring", "ranks_per_node": 1}, "The link 'token-ring' is not known"),
        (
            {"transports": ("shared",), "ranks_per_node": 1},
            "Transport 'shared' needs ranks of one node, but there are 1 of 2 ranks on each.",
        ),
    ],
)
def test_bad_options_give_one_clear_message(settings, message):
    with pytest.raises(HaloclineError) as caught:
        rows_of("ping-pong", **settings)
    assert message_of(caught.value).startswith(message)


def test_a_transport_that_a_benchmark_does_not_know_is_refused():
    needs_mpi()
    with pytest.raises(HaloclineError, match="'two-sided' is not part of this benchmark"):
        rows_of("push-pull", transports=("two-sided",))


def test_neighbours_need_two_ranks():
    with pytest.raises(HaloclineError, match="'ring-shift' was asked for on 1 rank"):
        rows_of("ring-shift", ranks=1)


def test_the_command_line_takes_every_option():
    needs_mpi()
    words = "bench ring-shift --transport two-sided --element-bytes 4 --largest 8 --ranks 2 --warm"
    done = subprocess.run(
        [sys.executable, "-m", "halocline.cli", *words.split(), "--repetitions", "1"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1].split()[:3] == ["two-sided", "4", "8"]


def test_the_command_line_knows_every_benchmark():
    from halocline.cli.main import Measurement

    assert {m.value for m in Measurement} == set(BENCHMARKS)
