"""What benchmarks compute from their measurements, and that a wrong result is refused."""

from __future__ import annotations

import pytest

from halocline.bench import board as board_module
from halocline.bench import imbalance, probe_transports
from halocline.bench.board import Board, Way, exchange
from halocline.bench.job import measure_on_ranks
from halocline.bench.settings import Settings
from halocline.bench.table import Column, size_text, table_lines
from halocline.bench.times import Times, sample
from halocline.bench.yardstick import Yardstick
from halocline.errors import HaloclineError
from halocline.runtime.job import join
from halocline.tune.machine import Packing


def own_board(axis: int = 2) -> Board:
    """Return a board of a single rank that sends to itself."""
    board = Board(join(), (4, 3, 2), axis, 8)
    number = board.add_exchange("two-sided", [Way(0, 0, "upper"), Way(0, 0, "lower")])
    board.set_program(exchange(number))
    return board


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_board_verifies_what_arrived(axis):
    board = own_board(axis)
    times = board.sample(Settings(ranks=1, repetitions=2, budget_s=1e-5))
    assert times.repetitions == 2


@pytest.mark.parametrize("place", [0, -1])
def test_a_wrong_value_is_refused(place):
    board = own_board()
    board.run(3)
    board.verify()
    board.runtime.view(board.slot, 0)[0, 1, 1, place] += 1
    with pytest.raises(HaloclineError, match=r"1 of 12 values that rank 0 sent to rank 0 are wro"):
        board.verify()


def test_a_missing_exchange_is_refused(monkeypatch):
    board = own_board()
    board.run(1)
    monkeypatch.setattr(board, "rewrites", board.rewrites + 1)
    with pytest.raises(HaloclineError, match="12 of 12 values"):
        board.verify()


def test_a_wrong_copy_is_refused():
    with Yardstick("copy_19_plain", 64, 1) as yardstick, pytest.raises(HaloclineError) as caught:
        yardstick.verify()
    assert "'copy_19_plain' has left wrong values" in str(caught.value)


def test_too_much_memory_is_refused():
    with pytest.raises(HaloclineError, match="There is not enough memory for"):
        Yardstick("copy_1_plain", 1 << 50, 1)


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


def test_sizes_end_at_the_largest_multiple_of_an_element():
    settings = Settings(largest_bytes=101)
    assert list(settings.message_sizes(8, 1 << 20)) == [8, 32, 96]
    assert list(settings.message_sizes(4, 1 << 20)) == [8, 32, 100]
    assert list(Settings().message_sizes(8, 64)) == [8, 32, 64]


def test_tables_align():
    columns = (Column("name", str), Column("size", size_text))
    assert table_lines(columns, [512, 1 << 20]) == [
        "name      size",
        "512      512 B",
        "1048576   1 MB",
    ]


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
    packing = Packing(value_s=1e-9, row_s=1e-8, byte_s=1e-10)
    overhead, latency, byte = 1e-7, 3e-7, 2e-10
    sizes = [8 << 2 * n for n in range(8)]
    packed = [2 * overhead + 2 * (1e-8 + n * 1e-10) + latency + n * byte for n in sizes]
    direct = [2 * overhead + 1e-8 + latency + n * byte for n in sizes]
    for transport, times in (("two-sided", packed), ("shared", direct)):
        many = 1e-7 + 63 * 5e-7
        points = tuple(zip(sizes, times))
        raw = probe_transports.RawTimes(transport, points, overhead, many, 1e-7, None)
        found, fitted = probe_transports.fit(raw, packing)
        assert fitted.largest < 1e-6
        assert found.ranges[0].latency_s == pytest.approx(latency)
        assert found.ranges[0].byte_s == pytest.approx(byte)
        assert found.processor_byte_s == pytest.approx(byte)
        assert found.gap_s == pytest.approx(5e-7 - overhead - packing.row_s)


def test_kernels_are_compiled_once_for_a_type():
    job = join()
    first = board_module.address_of(job, board_module.increase, "float64")
    assert first == board_module.address_of(job, board_module.increase, "float64")
    assert first != board_module.address_of(job, board_module.increase, "float32")
