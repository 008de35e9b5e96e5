"""Machines: rates between measured points, times of transports, emulated links."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy import SHARED, US, heat, times, toy

from halocline.tune.machine import (
    CopyRate,
    KernelRate,
    MachineError,
    SizeRange,
    kernel_key,
)

POINTS = (
    CopyRate(1, 2, 1e5, 10e9),
    CopyRate(4, 2, 1e5, 40e9),
    CopyRate(1, 2, 1e7, 5e9),
    CopyRate(4, 2, 1e7, 10e9),
    CopyRate(1, 32, 1e7, 4e9),
)


@pytest.mark.parametrize(
    ("threads", "streams", "size", "expected"),
    [
        (1, 2, 1e5, 10e9),
        (1, 2, 1, 10e9),
        (4, 2, 1e7, 10e9),
        (8, 2, 1e9, 10e9),
        (2, 2, 1e7, 5e9 + 5e9 / 3),
        (1, 2, 1e6, 7.5e9),
        (1, 8, 1e7, 4.5e9),
        (1, 1000, 1e7, 4e9),
        (2, 32, 1e7, 4e9),
    ],
)
def test_bandwidth_is_interpolated_between_points_and_kept_beyond(threads, streams, size, expected):
    machine = toy(copies=POINTS)
    assert machine.bandwidth(threads, streams, size) == pytest.approx(expected)


@given(st.integers(1, 64), st.integers(1, 100), st.floats(1, 1e12))
def test_bandwidth_lies_between_the_measured_rates(threads, streams, size):
    rate = toy(copies=POINTS).bandwidth(threads, streams, size)
    assert 4e9 <= rate <= 40e9 or streams > 32


def test_ranges_are_found_by_size():
    found = times()
    ranges = (SizeRange(100, 1e-6, 1e-9), SizeRange(1000, 2e-6, 2e-9), SizeRange(None, 3e-6, 3e-9))
    many = type(found)("two-sided", True, 0.0, 0.0, ranges, 1e-9, 1000)
    assert [many.range_of(n).latency_s for n in (0, 100, 101, 1000, 1e9)] == [
        1e-6,
        1e-6,
        2e-6,
        2e-6,
        3e-6,
    ]
    assert many.flight_s(200) == pytest.approx(2e-6 + 200 * 1e-9)
    assert not many.is_rendezvous(1000)
    assert many.is_rendezvous(1001)
    assert not found.is_rendezvous(1e12)


def test_a_transport_that_was_not_measured_takes_the_times_of_one_like_it():
    machine = toy(times(), SHARED, times("put", L=7 * US))
    assert machine.times("persistent", is_same_node=False) == times()
    assert machine.times("shared-push", is_same_node=True) == SHARED
    assert machine.times("put", is_same_node=False).ranges[0].latency_s == 7 * US


def test_a_transport_without_times_is_refused():
    with pytest.raises(
        MachineError,
        match=r"Machine 'toy' has no times of transport 'shared' "
        r"between nodes; it has those of two-sided. Choose another transport",
    ):
        toy().times("shared", is_same_node=False)
    with pytest.raises(MachineError, match="'two-sided' inside a node; it has those of none"):
        toy(times()).times("two-sided", is_same_node=True)


def test_an_emulated_link_delays_the_messages_of_a_node():
    inside = times(same=True, L=1 * US, G=2e-9, processor_byte_s=2e-9, rendezvous_bytes=100)
    machine = toy(inside, SHARED, times(L=5 * US), node_link_bytes_per_s=1.0)
    emulated = machine.with_link("slow", 130 * US, 8e-9)
    link = emulated.times("two-sided", is_same_node=False)
    assert link.flight_s(1000) == pytest.approx(130 * US + 8 * US)
    assert link.processor_byte_s == 2e-9
    assert link.overhead_s == inside.overhead_s
    assert emulated.times("two-sided", is_same_node=True) == inside
    assert emulated.node_link_bytes_per_s is None
    assert not link.is_rendezvous(1e9)
    fetched = emulated.times("get", is_same_node=False)
    assert fetched.flight_s(1000) == pytest.approx(260 * US + 8 * US)
    assert "emulated link 'slow'" in emulated.name
    with pytest.raises(MachineError):
        emulated.times("shared", is_same_node=False)


def test_a_link_faster_than_the_node_changes_nothing():
    inside = times("two-sided", same=True, L=1 * US, G=2e-9)
    link = toy(inside).with_link("fast", 1e-9, 1e-12).times("two-sided", is_same_node=False)
    assert link.flight_s(4096) == inside.flight_s(4096)


def test_kernels_are_recognised_by_what_they_do():
    first, second = heat((8, 8))[1][0].kernel, heat((4, 4))[1][0].kernel
    assert kernel_key(first) == kernel_key(second)
    assert kernel_key(first) != kernel_key(heat((4, 4, 4))[1][0].kernel)
    machine = toy(kernels=(KernelRate(kernel_key(first), 1e6, 0.5),))
    assert machine.share(kernel_key(second), 1e5) == 0.5
    assert machine.share("unknown", 1e6) == 1.0
