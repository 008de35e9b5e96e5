"""Kernels are as fast as a run has shown."""

import pytest
from toy import heat, plan, toy

import halocline as hc
from halocline.plan.pipeline import plan_for
from halocline.plan.platform import Platform
from halocline.session import selection
from halocline.tune.calibration import CompletedSteps, kernel_rates, save_rates
from halocline.tune.machine import KernelRate, kernel_key
from halocline.tune.machine_file import identity_here, load_machine, machine_path, save_machine
from halocline.tune.model import Model, predict_step
from halocline.tune.predictor import Predictor
from halocline.tune.work import Placement

ONE_NODE = Placement(2)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HALOCLINE_CACHE", str(tmp_path))


def run_s(prediction) -> float:
    return sum(line.seconds for line in prediction.lines if line.kind == "run")


def timers(seconds):
    return [("diffuse core", "run", 1, 0.75 * seconds), ("diffuse rim", "run", 1, 0.25 * seconds)]


def test_with_what_was_learned_the_model_says_what_was_measured():
    found, model = plan((64, 64), ranks=2), Model(toy(), ONE_NODE)
    usual = run_s(predict_step(found, model.machine, model.placement))
    rates = kernel_rates([CompletedSteps(found, 100)], timers(100 * 3 * usual), model)
    assert [rate.share for rate in rates] == [pytest.approx(1 / 3)]
    taught = model.machine.with_kernels(rates)
    assert run_s(predict_step(found, taught, model.placement)) == pytest.approx(3 * usual)


@pytest.mark.parametrize("slower", [1.5, 4.0])
def test_with_what_a_wavefront_taught_the_model_says_what_was_measured(slower):
    """Whether its time beyond what memory needs is long or short."""
    found, model = joined((64, 64, 64)), Model(toy(flops_per_s=4e9), Placement(1))
    usual = run_s(predict_step(found, model.machine, model.placement))
    measured = 100 * slower * usual * len(found.steps)
    told = [("diffuse_3d x4", "run", 100, measured)]
    rates = kernel_rates([CompletedSteps(found, 100)], told, model)
    assert len(rates) == 1
    taught = model.machine.with_kernels(rates)
    assert run_s(predict_step(found, taught, model.placement)) == pytest.approx(slower * usual)


def test_a_run_without_trials_teaches_once_how_fast_its_kernels_are(cache, monkeypatch):
    monkeypatch.setattr(selection, "_REPETITION_S", 1e-3)
    machine = toy(identity=identity_here())
    save_machine(machine, machine_path())
    grid, steps = heat((256, 256))
    simulation = hc.Simulation(grid, steps, threads=1, strategy=hc.Strategy())
    simulation.selection.predictor = Predictor(Placement(1), machine)
    simulation.run(500, progress=False)
    (known,) = load_machine(machine_path()).kernels
    assert known.kernel == kernel_key(simulation.plan.launches[0].code)
    simulation.run(500, progress=False)
    assert load_machine(machine_path()).kernels == (known,)
    assert simulation.step == simulation.report().steps == 1000


def test_kernels_in_wavefronts_teach_nothing_of_those_alone():
    """Their timer, 'diffuse_3d x4', begins like that of the kernel alone, 'diffuse_3d core'."""
    found, model = joined((64, 64, 64)), Model(toy(), Placement(1))
    rates = kernel_rates([CompletedSteps(found, 100)], [("diffuse_3d x4", "run", 100, 10.0)], model)
    assert kernel_key(found.launches[0].code) not in {rate.kernel for rate in rates}


def test_a_wavefront_faster_than_memory_teaches_nothing():
    found, model = joined((64, 64, 64)), Model(toy(), Placement(1))
    timers_here = [("diffuse_3d x4", "run", 100, 100 * 1e-3)]
    assert kernel_rates([CompletedSteps(found, 100)], timers_here, model) == ()


def joined(extent):
    """Return a plan whose steps are done four at once on a single rank."""
    grid, steps = heat(extent)
    strategy, platform = hc.Strategy(steps_in_cache=4), Platform(kept_bytes=1 << 16)
    return plan_for(grid, steps, strategy=strategy, check_every=0, platform=platform)


def test_what_was_learned_before_does_not_matter():
    found = plan((64, 64), ranks=2)
    key = kernel_key(found.launches[0].kernel)
    first, second = (
        kernel_rates([CompletedSteps(found, 10)], timers(1.0), Model(machine, ONE_NODE))
        for machine in (toy(), toy(kernels=(KernelRate(key, 1.0, 0.1),)))
    )
    assert first == second


def test_kernels_without_measurable_time_teach_nothing():
    found, model = plan((64, 64), ranks=2), Model(toy(), ONE_NODE)
    assert kernel_rates([CompletedSteps(found, 1)], timers(1e-6), model) == ()


def test_a_kernel_has_the_share_of_the_nearest_size():
    machine = toy().with_kernels([KernelRate("k", 1e5, 0.9), KernelRate("k", 1e8, 0.5)])
    assert machine.share("k", 1e6) == 0.9
    assert machine.share("k", 5e7) == 0.5
    newer = machine.with_kernels([KernelRate("k", 1e5, 0.8)])
    assert newer.share("k", 1e5) == 0.8
    assert len(newer.kernels) == 2


@pytest.mark.usefixtures("cache")
def test_rates_are_kept_in_the_file_of_this_machine():
    save_machine(toy(identity=identity_here()), machine_path())
    save_rates([KernelRate("k", 1e6, 0.5)])
    assert load_machine(machine_path()).share("k", 1e6) == 0.5


@pytest.mark.usefixtures("cache")
def test_nothing_is_kept_where_the_machine_was_not_measured():
    save_rates([KernelRate("k", 1e6, 0.5)])
    assert not machine_path().exists()
    save_machine(toy(identity="other"), machine_path())
    save_rates([KernelRate("k", 1e6, 0.5)])
    assert load_machine(machine_path()).kernels == ()
