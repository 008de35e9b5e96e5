"""The benchmark of devices, here of an emulated one: its results are verified."""

from __future__ import annotations

import pytest

from halocline.bench import device
from halocline.bench.settings import Settings
from halocline.errors import HaloclineError

HEAT = next(kind for kind in device.KINDS if kind.name.startswith("heat"))


def _settings(where):
    return Settings(sizes=(8,), device=where, repetitions=2, budget_s=1e-4)


def test_rates_are_those_of_the_steps(monkeypatch):
    monkeypatch.setattr(device, "_COPIED_BYTES", 1 << 20)
    rate = device.measure(HEAT, _settings("emulated:1"))
    assert rate.where == "kernels on an emulated device each"
    assert rate.bytes_a_cell == 8
    assert rate.mlups == pytest.approx(8**3 / rate.step_us[1])
    assert rate.step_us[0] <= rate.step_us[1] <= rate.step_us[2]
    assert rate.copy_gb_s > 0


def test_other_bits_than_the_processors_are_refused(monkeypatch):
    found = iter(range(2))
    monkeypatch.setattr(device, "checksum", lambda *_: next(found))
    with pytest.raises(HaloclineError, match="'emulated' gave other bits than the cpu"):
        device.measure(HEAT, _settings("emulated"))


def test_without_a_device_nothing_is_measured():
    with pytest.raises(HaloclineError, match="There is no device to measure: --device cpu was"):
        device.measure(HEAT, _settings("cpu"))
