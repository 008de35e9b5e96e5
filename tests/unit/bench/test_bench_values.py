"""What benchmarks compute from their measurements, and that a wrong result is refused."""

from __future__ import annotations

import pytest

from halocline.bench import imbalance, probe_transports
from halocline.bench.baseline import Baseline
from halocline.bench.block_row import BlockRow, Message, exchange
from halocline.bench.job import measure_on_ranks
from halocline.bench.kernels import address_of, increase
from halocline.bench.settings import Settings
from halocline.bench.times import Times, sample
from halocline.errors import HaloclineError
from halocline.io.results import Chart, Table
from halocline.runtime.job import join
from halocline.tune.machine import Packing


def own_row(axis: int = 2) -> BlockRow:
    """Return the block of a single rank that sends to itself."""
    blocks = BlockRow(join(), (4, 3, 2), axis, 8)
    number = blocks.add_exchange("two-sided", [Message(0, 0, "upper"), Message(0, 0, "lower")])
    blocks.set_program(exchange(number))
    return blocks


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_row_of_blocks_verifies_what_arrived(axis):
    blocks = own_row(axis)
    times = blocks.sample(Settings(ranks=1, repetitions=2, budget_s=1e-5))
    assert times.repetitions == 2


@pytest.mark.parametrize("place", [0, -1])
def test_a_wrong_value_is_refused(place):
    blocks = own_row()
    blocks.run(3)
    blocks.verify()
    blocks.runtime.view(blocks.slot, 0)[0, 1, 1, place] += 1
    with pytest.raises(HaloclineError, match=r"1 of 12 values that rank 0 sent to rank 0 are wro"):
        blocks.verify()


def test_a_missing_exchange_is_refused(monkeypatch):
    blocks = own_row()
    blocks.run(1)
    monkeypatch.setattr(blocks, "rewrites", blocks.rewrites + 1)
    with pytest.raises(HaloclineError, match="12 of 12 values"):
        blocks.verify()


def test_a_wrong_update_is_refused():
    with Baseline("update_19_in_place", 64, 1) as baseline:
        baseline.verify()
        baseline.passes += 1
        with pytest.raises(HaloclineError, match="'update_19_in_place' has left wrong values"):
            baseline.verify()


def test_too_much_memory_is_refused():
    with pytest.raises(HaloclineError, match="There is not enough memory for"):
        Baseline("copy_1_plain", 1 << 50, 1)


def test_a_benchmark_inside_a_job_is_refused(monkeypatch):
    monkeypatch.setenv("PMI_RANK", "0")
    with pytest.raises(HaloclineError, match="A benchmark starts its ranks itself"):
        measure_on_ranks(imbalance.measure, Settings())


def test_what_a_rank_refuses_is_raised_here():
    with pytest.raises(HaloclineError, match=r"^The measurement failed: There is no case 'x'\. K"):
        measure_on_ranks(imbalance.measure, Settings(ranks=1, case="x"))


def test_a_bug_in_a_rank_is_told():
    with pytest.raises(HaloclineError, match=r"(?s)The measurement failed: .*TypeError: unsupp"):
        measure_on_ranks(divmod, Settings(ranks=1))


def test_samples_fill_the_budget():
    asked: list[int] = []

    def run(steps: int) -> float:
        asked.append(steps)
        return 1e-3

    times = sample(run, repetitions=3, budget_s=10e-3)
    assert asked[-3:] == [10, 10, 10]
    assert times == Times(1e-3, 1e-3, 1e-3, 3, 10)
    assert times.divided(2).median_s == 0.5e-3


@pytest.mark.parametrize(("latency_s", "most"), [(1e-3, 1.07), (20e-3, 1.25), (0.2, 2.0)])
def test_the_start_of_ranks_after_a_barrier_does_not_count_as_latency(latency_s, most):
    # The last rank begins a latency after the first, which waits for it.
    times = sample(lambda steps: (steps + 1) / steps * latency_s, 2, 2e-3, are_exchanges=True)
    assert latency_s < times.min_s <= most * latency_s


def test_sizes_end_at_the_largest_multiple_of_an_element():
    settings = Settings(largest_bytes=101)
    assert list(settings.message_sizes(8, 1 << 20)) == [8, 32, 96]
    assert list(settings.message_sizes(4, 1 << 20)) == [8, 32, 100]
    assert list(Settings().message_sizes(8, 64)) == [8, 32, 64]


def test_tables_have_words_left_and_numbers_right():
    rows = ({"name": "a", "size": 512, "rate": None}, {"name": "long", "size": 12345, "rate": 0.5})
    assert Table("sizes", rows).lines() == [
        "name    size  rate",
        "a        512     -",
        "long  12,345   0.5",
    ]


def test_a_chart_groups_rows_and_leaves_out_what_is_not_there():
    rows = [
        {"n": 1, "way": "a", "here": 3.0, "model": None, "link": ""},
        {"n": 2, "way": "a", "here": 4.0, "model": 5.0, "link": ""},
        {"n": 2, "way": "b", "here": 6.0, "model": 7.0, "link": "slow"},
    ]
    chart = Chart("n", {"here": "here", "model": "model"}, ("way",), where={"link": [""]}, log="x")
    panel = chart.panel(rows)
    found = [(s.label, s.x, s.y, s.kind) for s in panel.series]
    assert found == [
        ("here: a", (1, 2), (3.0, 4.0), "here"),
        ("predicted: a", (2,), (5.0,), "model"),
    ]
    assert (panel.x_label, panel.y_label, panel.is_log_x, panel.is_log_y) == (
        *("n", "here"),
        *(True, False),
    )
    published = Chart(("way", "n"), "here").panel([{**rows[0], "from": "paper"}])
    assert [(s.label, s.x, s.kind) for s in published.series] == [("paper", ("a, 1",), "paper")]


def published(name: str) -> tuple[list[float], float, float]:
    """Return times of two ranks, imbalance time and percent, as CrayPat has printed them.

    Source: paper 000, listing 4.10; the times are the mean and imbalance time as printed.
    """
    mean, imbalance_s, percent = {
        "sync_nb": (0.074125, 0.000969, 2.6),
        "barrier_wait": (0.003801, 0.003149, 90.6),
        "barrier_notify": (0.002222, 0.001252, 72.1),
        "fence": (0.001654, 0.000747, 62.2),
    }[name]
    return [mean - imbalance_s, mean + imbalance_s], imbalance_s, percent


@pytest.mark.parametrize("name", ["sync_nb", "barrier_wait", "barrier_notify", "fence"])
def test_imbalance_is_that_of_the_paper(name):
    times, expected, percent = published(name)
    for group in (imbalance.COMPUTATION, imbalance.COMMUNICATION):
        assert imbalance.imbalance_time(times, group) == pytest.approx(expected)
        assert imbalance.imbalance_percent(times, group) == pytest.approx(percent, abs=0.05)


def test_imbalance_of_computation_and_communication_differ():
    # One rank of four computes twice as long, and so it alone does not wait.
    assert imbalance.imbalance_time([1, 1, 1, 2], "computation") == pytest.approx(0.75)
    assert imbalance.imbalance_time([1, 1, 1, 0], "communication") == pytest.approx(0.75)
    assert imbalance.imbalance_percent([1, 1, 1, 2], "computation") == pytest.approx(50)
    assert imbalance.imbalance_percent([1.0], "computation") == 0


def test_what_the_model_counts_apart_is_subtracted_before_the_fit():
    packing = Packing(value_s=1e-9, row_s=1e-8, byte_s=1e-10, box_s=0.0)
    overhead, latency, byte = 1e-7, 3e-7, 2e-10
    sizes = [8 << 2 * n for n in range(8)]
    packed = [2 * overhead + 2 * (1e-8 + n * 1e-10) + latency + n * byte for n in sizes]
    direct = [2 * overhead + 1e-8 + latency + n * byte for n in sizes]
    for transport, times in (("two-sided", packed), ("shared", direct)):
        points = dict(zip(sizes, times))
        found, fitted = probe_transports.fit(transport, points, overhead, 5e-7, packing)
        assert fitted.largest < 1e-6
        assert found.ranges[0].latency_s == pytest.approx(latency)
        assert found.ranges[0].byte_s == pytest.approx(byte)
        assert found.processor_byte_s == pytest.approx(byte)
        assert found.gap_s == pytest.approx(5e-7 - overhead - packing.row_s)


def test_kernels_are_compiled_once_for_a_type():
    job = join()
    first = address_of(job, increase, "float64")
    assert first == address_of(job, increase, "float64")
    assert first != address_of(job, increase, "float32")
