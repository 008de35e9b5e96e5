"""The benchmark of devices, here of an emulated one: its results are verified."""

from __future__ import annotations

import pytest

from halocline.bench import device
from halocline.bench.settings import Settings
from halocline.errors import HaloclineError

HEAT = "heat, 7 points, float32"


def _settings(where):
    return Settings(sizes=(8,), device=where, repetitions=2, budget_s=1e-4)


def test_rates_are_those_of_the_steps(monkeypatch):
    monkeypatch.setattr(device, "_COPIED_BYTES", 1 << 20)
    row = device.measure(HEAT, _settings("emulated:1"))
    assert row["where"] == "an emulated device each"
    assert row["moved [B an update]"] == 8
    assert row["MLUPS"] == pytest.approx(8**3 / row["median [us]"])
    assert row["min [us]"] <= row["median [us]"] <= row["max [us]"]
    assert row["copies [GB/s]"] > 0


def test_other_bits_than_the_processors_are_refused(monkeypatch):
    found = iter(range(2))
    monkeypatch.setattr(device, "checksum", lambda *_: next(found))
    with pytest.raises(HaloclineError, match="'emulated' gave other bits than the cpu"):
        device.measure(HEAT, _settings("emulated"))


def test_without_a_device_nothing_is_measured():
    with pytest.raises(HaloclineError, match="There is no device to measure: --device cpu was"):
        device.measure(HEAT, _settings("cpu"))


@pytest.mark.slow
@pytest.mark.parametrize("name", device.PROBLEMS)
def test_every_problem_is_measured_with_the_bits_of_the_processor(name, monkeypatch):
    monkeypatch.setattr(device, "_COPIED_BYTES", 1 << 20)
    given = Settings(sizes=(12,), device="emulated:1", repetitions=1, budget_s=1e-4)
    row = device.measure(name, given)
    assert row["MLUPS"] > 0


def test_levels_count_their_sub_steps():
    problem = device.PROBLEMS["D3Q19 cavity on three levels, float32"][0](12)
    leaves = problem.grid.leaves
    counts = [len(found) for found in leaves.levels]
    assert sum(n * 8.0**-level for level, n in enumerate(counts)) == 27
    assert problem.updates == 64 * (counts[0] + 2 * counts[1] + 4 * counts[2])
    assert counts[2] > 0
