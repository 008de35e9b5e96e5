"""When drag and lift have settled: signals whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest

from halocline.apps.lbm.cases.settling import State, settling

TIME = np.arange(0.0, 60.0, 0.05)
DRAG = np.full_like(TIME, 3.0)


def swing(frequency, time=TIME):
    return np.sin(2 * np.pi * frequency * time)


def state(drag, lift, time=TIME):
    return settling(time, drag, lift).state


@pytest.mark.parametrize("frequency", [0.12, 0.3, 0.45])
def test_a_lift_that_swings_evenly_is_periodic(frequency):
    found = settling(TIME, DRAG, 0.1 + 0.5 * swing(frequency))
    assert found.state is State.PERIODIC
    assert found.period == pytest.approx(1.0 / frequency, rel=1e-3)
    assert found.periods >= 5
    assert np.ptp(TIME[found.samples]) >= 10.0 - 0.05


def test_what_is_constant_is_steady():
    assert state(DRAG, 0.0 * TIME) is State.STEADY


def test_what_has_become_constant_a_short_while_ago_has_not_settled():
    assert state(np.where(TIME < 52.0, 2.0, 3.0), 0.0 * TIME) is State.UNSETTLED


def test_a_run_that_is_too_short_has_not_settled():
    few = TIME < 9.0
    assert state(DRAG[few], 0.0 * TIME[few], TIME[few]) is State.UNSETTLED
    assert state(DRAG[few], swing(0.3)[few], TIME[few]) is State.UNSETTLED


def test_vortices_that_begin_to_be_shed_are_not_steady():
    growing = 1e-3 * np.exp((TIME - 60.0) / 10.0) * swing(0.2)
    assert state(DRAG, growing) is State.UNSETTLED


def test_a_lift_that_decays_is_not_periodic():
    assert state(DRAG, np.exp(-TIME / 60.0) * swing(0.3)) is State.UNSETTLED


def test_a_rhythm_that_has_ended_is_none():
    ended = np.where(TIME < 45.0, swing(0.3), 0.3 * swing(0.05))
    assert settling(TIME, DRAG, ended).periods == 0


def test_a_drag_that_drifts_under_an_even_lift_has_not_settled():
    assert state(DRAG + 0.01 * TIME, swing(0.3)) is State.UNSETTLED


def test_noise_of_the_lift_adds_no_periods():
    noise = 0.002 * np.random.default_rng(1).standard_normal(len(TIME))
    found = settling(TIME, DRAG, swing(0.3) + noise)
    assert found.state is State.PERIODIC
    assert found.period == pytest.approx(1.0 / 0.3, rel=2e-3)
