"""The model of paper 000, section 5.7, against numbers worked out by hand."""

import pytest

from halocline_reproduction.node_model import NodeModel

ROUND = NodeModel(
    processes=4,
    latency_between_s=1e-6,
    latency_inside_s=1e-7,
    bandwidth_between=4e9,
    bandwidth_inside=8e9,
    memory_bandwidth=4.56e9,
)


def test_a_step_by_hand():
    # A side of 10 x 10 cells: 4000 bytes. 18 of them through 2 GB/s: 36 us; 6 through 4 GB/s: 6 us;
    # 1000 cells of 456 bytes at 4.56 GB/s: 100 us; three latencies of each kind: 3 and 0.3 us.
    assert ROUND.step_s(10) == pytest.approx(36e-6 + 6e-6 + 100e-6 + 3e-6 + 0.3e-6)
    assert ROUND.updates_per_s(10, 8) == pytest.approx(8 * 1000 / 145.3e-6)


def test_one_process_a_node_talks_to_others_only():
    alone = NodeModel(1, 0.0, 0.0, 4e9, 8e9, 4.56e9)
    assert alone.step_s(10) == pytest.approx(6 * 4000 / 2e9 + 100e-6)


def test_lima_as_in_the_weak_scaling_of_section_6_3():
    """96 cells a side, 24 processes; memory as in table 4.1, a link of 6 GB/s."""
    lima = NodeModel(24, 2e-6, 0.25e-6, 6e9, 20e9, 38.9e9 / 24)
    side = 5 * 8 * 96**2
    expected = side * 98 / 3e9 + side * 46 / 10e9 + 456 * 96**3 * 24 / 38.9e9 + 3 * 2.25e-6
    assert lima.step_s(96) == pytest.approx(expected)
    assert lima.updates_per_s(96, 24) / 1e6 == pytest.approx(80.8, abs=0.1)
