"""On a device, here an emulated one, a simulation does what it does on the processor."""

from __future__ import annotations

import numpy as np
import pytest
import stencils

import halocline as hc
from halocline.errors import DivergedError, PlanError
from halocline.runtime.device import DeviceChoice, parse_device


def _heat(*more, **options):
    problem = stencils.heat((9, 7), (True, False))
    stencils.fill(problem)
    steps = [*problem.steps, *more]
    return problem.grid, hc.Simulation(problem.grid, steps, threads=1, **options)


def test_names_of_devices():
    assert parse_device("cpu").is_cpu
    assert parse_device("emulated") == DeviceChoice("emulated", 0)
    assert parse_device("emulated:7") == DeviceChoice("emulated", 7)
    assert parse_device("cpu").open(0) is None
    assert parse_device("emulated").open(0).name == "emulated device"


@pytest.mark.parametrize("seed", range(4))
def test_the_host_sees_the_newest_values_and_the_device_what_the_host_has_changed(seed):
    found = []
    for device in ("cpu", f"emulated:{seed}"):
        grid, simulation = _heat(device=device)
        simulation.run(3, progress=False)
        grid.fields["T"].local()[0][4, 3] = 5.0
        simulation.run(2, progress=False)
        found.append(grid.fields["T"].gather())
    assert found[0].tobytes() == found[1].tobytes()


@pytest.mark.parametrize("seed", range(4))
def test_functions_and_reductions_within_a_step(seed):
    found = []
    for device in ("cpu", f"emulated:{seed}"):
        totals = []
        problem = stencils.heat((9, 7), (True, False))
        field = problem.grid.fields["T"]
        stencils.fill(problem)
        total = hc.sum(field, name="total")

        def halve(field=field, total=total, totals=totals):
            totals.append(total.value)
            field.local()[0][...] *= 0.5

        steps = [*problem.steps, total, hc.every(2, halve)]
        hc.Simulation(problem.grid, steps, threads=1, device=device).run(5, progress=False)
        found.append((totals, field.gather().tobytes()))
    assert len(found[0][0]) == 2
    assert found[0] == found[1]


@pytest.mark.parametrize("blocks", [1, 3])
def test_masks_that_change_between_runs(blocks):
    found = []
    for device in ("cpu", "emulated"):
        grid = hc.Grid((12, 8), periodic=True)
        a, where = grid.field("a"), grid.field("where", dtype="uint8")

        @hc.kernel
        def add(a):
            a[0, 0] = a + 1.0

        simulation = hc.Simulation(grid, [add(a, on=where)], device=device, blocks=blocks)
        for chosen in (3, 5):
            where.set((np.arange(96).reshape(12, 8) % chosen == 0).astype(np.uint8))
            simulation.run(2, progress=False)
        found.append(a.gather())
    assert found[0].max() == 4.0
    assert found[0].tobytes() == found[1].tobytes()


def test_a_field_without_numbers_is_found():
    grid, simulation = _heat(device="emulated", check_every=1)
    grid.fields["T"].set(np.full((9, 7), np.nan))
    with pytest.raises(DivergedError, match="Field 'T' is not a number"):
        simulation.run(1, progress=False)


def test_the_interpreter_runs_on_the_processor_only():
    with pytest.raises(PlanError, match="'numpy' runs on the processor; the device 'emulated'"):
        _heat(device="emulated", target="numpy")
