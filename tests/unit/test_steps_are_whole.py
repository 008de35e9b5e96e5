"""A simulation goes on from fields that belong to one step, or refuses to."""

from __future__ import annotations

import zipfile

import numpy as np
import pytest

import halocline as hc
from halocline.errors import CaseError, ConvergenceError, DivergedError, PlanError
from halocline.io.checkpoint import load, save
from halocline.language.steps.steps import Step


@hc.kernel
def count(u):
    u[0] = u[0] + 1.0


class Failing:
    """A simulation that counts in u, then fails in its third step, then counts in v."""

    def __init__(self, kind: str = "function", **options) -> None:
        self.grid = hc.Grid((8,))
        self.u, self.v = self.grid.field("u"), self.grid.field("v")
        self.fails, self.error = True, KeyboardInterrupt if kind == "key" else ValueError
        unmet = hc.until(hc.max(self.u) < 3.0, count(self.v), max_iterations=1)
        middle: Step = unmet if kind == "condition" else self.function
        self.simulation = hc.Simulation(
            self.grid, [count(self.u), middle, count(self.v)], check_every=0, **options
        )

    def function(self) -> None:
        if self.fails and self.simulation.step == 3:
            raise self.error("This is step 3.")


ERRORS = {"function": ValueError, "key": KeyboardInterrupt, "condition": ConvergenceError}


@pytest.mark.parametrize("kind", ERRORS)
@pytest.mark.parametrize("depth", [1, 2])
def test_after_a_step_that_failed_midway_nothing_goes_on(kind, depth, tmp_path):
    case = Failing(kind, strategy=hc.Strategy(depth=depth), blocks=2)
    simulation = case.simulation
    with pytest.raises(ERRORS[kind]):
        simulation.run(5, progress=False)
    done = simulation.step
    calls = {
        "run": lambda: simulation.run(1, progress=False),
        "rebuild": lambda: simulation.rebuild(blocks=1),
    }
    for name, call in calls.items():
        with pytest.raises(PlanError) as refused:
            call()
        assert refused.value.message == (
            f"'{name}' was called, but step {done + 1} failed midway: some fields have changed and "
            "others not."
        )
    with pytest.raises(CaseError, match=f"No checkpoint was written: step {done + 1} failed"):
        save(simulation, tmp_path / "never.npz")
    assert not list(tmp_path.iterdir())
    # Nor does it where a new boundary has the fields stored anew.
    case.u.boundary("x-", hc.Neumann(0.0))
    with pytest.raises(PlanError, match="failed midway"):
        simulation.run(1, progress=False)
    # One may look at what is there.
    assert simulation.reduce(hc.max(case.u)) == case.u[...].max()


@pytest.mark.parametrize("is_nested", [False, True])
@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("fails", [3, 4])
def test_a_step_whose_last_function_fails_counts(fails, depth, is_nested):
    grid = hc.Grid((8,), periodic=True)
    u, v = grid.field("u"), grid.field("v")
    dt = hc.Parameter(0.5, "dt")

    def stop() -> None:
        if simulation.step == fails:
            raise StopIteration

    @hc.kernel
    def next_to(u, v):
        v[0] = u[1] + 1.0

    last = hc.every(1, stop) if is_nested else stop
    simulation = hc.Simulation(
        grid,
        [next_to(u, v), hc.swap(u, v), last],
        dt=dt,
        blocks=2,
        strategy=hc.Strategy(depth=depth, poison=True),
    )
    with pytest.raises(StopIteration):
        simulation.run(9, progress=False)
    assert (simulation.step, simulation.time) == (fails, 0.5 * fails)
    assert u[...].tolist() == [fails] * 8
    simulation.run(2, progress=False)
    assert (simulation.step, simulation.time) == (fails + 2, 0.5 * fails + 1.0)
    assert u[...].tolist() == [fails + 2] * 8


def test_a_step_after_which_a_value_is_no_number_counts():
    grid = hc.Grid((8,))
    u = grid.field("u")
    u.set(1.0)

    @hc.kernel
    def root(u):
        u[0] = hc.sqrt(u[0] - 0.6)

    simulation = hc.Simulation(grid, [root(u)], check_every=1)
    with pytest.raises(DivergedError, match=f"at step {(failed := 3)}"):
        simulation.run(9, progress=False)
    assert simulation.step == failed
    u.set(1.0)
    simulation.run(1, progress=False)
    assert simulation.step == failed + 1


def test_a_simulation_whose_step_failed_goes_on_from_a_checkpoint_or_from_fields_that_are_set(
    tmp_path,
):
    case = Failing()
    simulation = case.simulation
    simulation.run(2, progress=False)
    save(simulation, tmp_path / "two.npz")
    for recover in ("load", "set"):
        case.fails = True
        with pytest.raises(ValueError, match="This is step 3"):
            simulation.run(1, progress=False)
        assert simulation.step == 2
        if recover == "load":
            load(simulation, tmp_path / "two.npz")
        else:
            for field in (case.u, case.v):
                field.set(2.0)
            simulation.step = 2
        case.fails = False
        simulation.run(1, progress=False)
        assert simulation.step == 3
        assert np.array_equal(case.u[...], np.full(8, 3.0))
        assert np.array_equal(case.u[...], case.v[...])
        for field in (case.u, case.v):
            field.set(2.0)
        simulation.step = 2


def test_what_was_loaded_in_part_does_not_run(tmp_path):
    case = Failing()
    case.simulation.run(2, progress=False)
    save(case.simulation, tmp_path / "two.npz")
    with (
        zipfile.ZipFile(tmp_path / "two.npz") as whole,
        zipfile.ZipFile(tmp_path / "damaged.npz", "w") as damaged,
    ):
        for name in whole.namelist():
            if not name.startswith("v.0"):
                damaged.writestr(name, whole.read(name))
    again = Failing()
    with pytest.raises(CaseError, match="cannot be read"):
        load(again.simulation, tmp_path / "damaged.npz")
    with pytest.raises(PlanError, match=r"checkpoint '.*damaged.npz' was loaded in part: some"):
        again.simulation.run(1, progress=False)
    load(again.simulation, tmp_path / "two.npz")
    again.fails = False
    again.simulation.run(1, progress=False)
    assert again.u[...].tolist() == again.v[...].tolist() == [3.0] * 8


def test_a_file_that_changes_nothing_leaves_the_simulation_as_it_was(tmp_path):
    case = Failing()
    case.simulation.run(2, progress=False)
    with pytest.raises(CaseError, match="There is no checkpoint"):
        load(case.simulation, tmp_path / "none.npz")
    case.fails = False
    case.simulation.run(1, progress=False)
    assert case.simulation.step == 3
