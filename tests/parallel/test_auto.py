"""strategy='auto' predicts, tries, remembers, says why, and never changes a result."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from launch import mpirun
from msgspec.structs import replace

from halocline.tune.machine import KernelRate
from halocline.tune.machine_file import identity_here, load_machine, machine_path, save_machine
from halocline.tune.machines import known_machines
from halocline.tune.remember import choices_path

SCRIPT = Path(__file__).with_name("auto.py")
GENERIC = known_machines()["generic"]


@pytest.fixture
def auto(tmp_path, monkeypatch):
    """Run the script on two ranks with a cache of its own; return what it found."""
    monkeypatch.setenv("HALOCLINE_CACHE", str(tmp_path / "cache"))

    def run(*device: str) -> dict:
        output = tmp_path / "found.json"
        done = mpirun(2, SCRIPT, str(output), *device)
        assert done.returncode == 0, done.stderr
        found = json.loads(output.read_text(encoding="utf-8"))
        assert found["crc"] == found["expected"]
        return found

    return run


def test_a_choice_is_made_by_trial_and_remembered(auto):
    first = auto()
    assert ", chosen by trial\n" in first["strategy"]
    assert "predicted" in first["strategy"]
    assert "the trial took" in first["strategy"]
    assert choices_path().exists()
    again = auto()
    assert again["steps"] == 200
    assert ", chosen in an earlier run\n" in again["strategy"]


def test_on_devices_trials_alone_decide(auto):
    first = auto("emulated:3")["strategy"]
    assert ", chosen by trial\n" in first
    assert "predicted" not in first
    assert "chosen in an earlier run" in auto("emulated:3")["strategy"]
    # Of processors that tells nothing.
    assert "chosen by trial" in auto()["strategy"]


def test_a_trial_teaches_how_fast_kernels_are_on_a_machine_that_was_measured(auto):
    save_machine(replace(GENERIC, identity=identity_here()), machine_path())
    auto()
    kernels = load_machine(machine_path()).kernels
    assert kernels
    assert all(isinstance(rate, KernelRate) and rate.share > 0 for rate in kernels)


def test_the_file_of_another_machine_is_not_used_and_the_report_says_so(auto):
    save_machine(replace(GENERIC, name="elsewhere", identity="other"), machine_path())
    found = auto()["strategy"]
    assert found.startswith("default strategy, for want of times: The machine file ")
    assert (
        f"was measured on a machine with identity 'other' ('elsewhere'); this one has "
        f"'{identity_here()}'. Run 'halocline probe' on this machine." in found
    )
