"""Fits of latency and time a byte."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halocline.tune.fit import fit_line, fit_ranges
from halocline.tune.machine import MachineError

SIZES = [2**k for k in range(3, 27)]

latencies = st.floats(1e-8, 1e-3)
rates = st.floats(1e-12, 1e-7)
noise = st.lists(st.floats(-0.1, 0.1), min_size=len(SIZES), max_size=len(SIZES))


def measured(L, G, errors):
    return [(L + n * G) * (1 + e) for n, e in zip(SIZES, errors)]


def squares(L, G, times):
    return sum(((L + n * G) / t - 1) ** 2 for n, t in zip(SIZES, times))


@given(latencies, rates)
def test_exact_times_give_the_numbers_they_were_made_of(L, G):
    found = fit_line(SIZES, measured(L, G, [0] * len(SIZES)))
    assert found[0] + 8 * found[1] == pytest.approx(L + 8 * G, rel=1e-6)
    assert found[0] + SIZES[-1] * found[1] == pytest.approx(L + SIZES[-1] * G, rel=1e-6)


@given(latencies, rates, noise, st.floats(-0.2, 0.2), st.floats(-0.2, 0.2))
def test_no_other_line_has_smaller_relative_residuals(L, G, errors, more_L, more_G):
    times = measured(L, G, errors)
    found = fit_line(SIZES, times)
    other = found[0] * (1 + more_L), found[1] * (1 + more_G)
    assert squares(*found, times) <= squares(*other, times) * (1 + 1e-9) + 1e-15


@given(latencies, rates, noise, st.floats(1e-3, 1e3))
def test_the_unit_of_time_does_not_matter(L, G, errors, unit):
    times = measured(L, G, errors)
    found = fit_line(SIZES, times)
    scaled = fit_line(SIZES, [unit * t for t in times])
    assert scaled == pytest.approx(tuple(unit * x for x in found), rel=1e-6, abs=1e-20)


@given(st.lists(st.tuples(st.integers(1, 10**8), st.floats(1e-9, 1)), min_size=3, max_size=12))
def test_neither_latency_nor_time_a_byte_is_negative(points):
    L, G = fit_line(*zip(*points))
    assert L >= 0
    assert G >= 0


def test_small_messages_count_as_much_as_large_ones():
    """The first attempt of paper 000, by absolute residuals, missed the latency."""
    rng = np.random.default_rng(1)
    times = measured(2e-6, 3e-10, 0.05 * rng.standard_normal(len(SIZES)))
    assert fit_line(SIZES, times)[0] == pytest.approx(2e-6, rel=0.05)
    columns = np.array([[1, n] for n in SIZES], float)
    absolute = np.linalg.lstsq(columns, np.array(times), rcond=None)[0]
    assert abs(absolute[0] / 2e-6 - 1) > 0.5


@given(latencies, rates, noise)
def test_one_law_needs_few_ranges_and_fits_within_the_noise(L, G, errors):
    fit = fit_ranges(SIZES, measured(L, G, errors))
    assert fit.largest < 0.25
    assert fit.ranges[-1].upto_bytes is None
    at = [(r.upto_bytes, r, s) for r, s in zip(fit.ranges, fit.ranges[1:])]
    for border, before, after in at:
        jump = after.latency_s + border * after.byte_s - before.latency_s - border * before.byte_s
        assert jump >= -1e-18


def test_one_exact_law_is_one_range():
    fit = fit_ranges(SIZES, measured(1e-6, 1e-9, [0] * len(SIZES)))
    assert len(fit.ranges) == 1
    assert fit.largest < 1e-9
    assert str(fit).splitlines() == [
        "       0 to      any bytes: L     1.00 us, 1/G     1.00 GB/s",
        "largest relative residual 0.0%",
    ]


def test_a_change_of_protocol_is_found_where_it_is():
    times = [5e-7 + n * 1e-10 if n <= 65536 else 2e-5 + n * 5e-11 for n in SIZES]
    fit = fit_ranges(SIZES, times)
    assert [r.upto_bytes for r in fit.ranges] == [65536, None]
    assert fit.ranges[0].latency_s == pytest.approx(5e-7)
    assert fit.ranges[1].byte_s == pytest.approx(5e-11)


def test_points_may_repeat_and_come_in_any_order():
    sizes = [*SIZES, *SIZES][::-1]
    fit = fit_ranges(sizes, [1e-6 + n * 1e-9 for n in sizes])
    assert fit.ranges[0].latency_s == pytest.approx(1e-6)
    assert len(fit.residuals) == len(sizes)


def test_too_few_or_impossible_times_are_refused():
    expected = "2 times, the shortest of 1.0 s, were given to be fitted; expected at least 3"
    with pytest.raises(MachineError, match=expected):
        fit_ranges([1, 2], [1.0, 2.0])
    with pytest.raises(MachineError, match=r"3 times, the shortest of 0.0 s"):
        fit_ranges([1, 2, 3], [1.0, 2.0, 0.0])
