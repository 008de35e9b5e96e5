"""Calibration: how well kernels use this machine, from the times of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace

from halocline.errors import OutputError
from halocline.frozen import Frozen
from halocline.plan.passes.wavefronts import bytes_in_work
from halocline.plan.value.operations import Wavefront, walk
from halocline.tune.machine import KernelRate, MachineError, kernel_key, wavefront_key
from halocline.tune.machine_file import identity_here, load_machine, machine_path, save_machine
from halocline.tune.model import predict_step
from halocline.tune.work import Work, working_set

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from halocline.plan.value.plan import Plan
    from halocline.tune.machine import Machine
    from halocline.tune.model import Model

# How often what has a label was done, and how long it took in all [s].
_Measured: TypeAlias = "Mapping[str, tuple[int, float]]"

# Shorter times are too inaccurate [s].
_LEAST_S = 1e-4


class CompletedSteps(Frozen):
    """Steps that were done by a plan."""

    plan: Plan
    steps: int


def kernel_rates(
    done: Sequence[CompletedSteps], timers: Iterable[tuple[str, str, int, float]], model: Model
) -> tuple[KernelRate, ...]:
    """Return for each kernel and wavefront how the model's time compares with the measured one.

    Args:
        done: What was done while the timers ran.
        timers: Label (kernel and zone, or kernels), kind, count and seconds on this rank.
        model: What predicts.
    """
    measured = {label: (n, seconds) for label, kind, n, seconds in timers if kind == "run"}
    rates = _rates_alone(done, measured, model)
    return (*rates, *_rates_together(done, measured, model.machine.with_kernels(rates), model))


def _rates_alone(
    done: Sequence[CompletedSteps], measured: _Measured, model: Model
) -> tuple[KernelRate, ...]:
    """Return rates of kernels that run one after the other."""
    together = {
        completed.plan.label(op) for completed in done for op in _wavefronts(completed.plan)
    }
    plain = replace(model.machine, kernels=())
    predicted: dict[str, float] = {}
    for completed in done:
        for line in predict_step(completed.plan, plain, model.placement, model.masks).lines:
            if line.kind == "run" and line.label not in together:
                name = _kernel_of(line.label)
                predicted[name] = predicted.get(name, 0.0) + line.seconds * completed.steps
    took: dict[str, float] = {}
    for label, (_, seconds) in measured.items():
        if label not in together:
            took[_kernel_of(label)] = took.get(_kernel_of(label), 0.0) + seconds
    size = working_set(done[0].plan) / model.placement.threads
    # Kernels with the same name, as walls on several sides, have one time.
    launches = (launch for completed in done for launch in completed.plan.launches)
    kernels = dict.fromkeys(launch.code for launch in launches if launch.is_compiled)
    return tuple(
        KernelRate(kernel_key(kernel), size, predicted[kernel.name] / took[kernel.name])
        for kernel in kernels
        if took.get(kernel.name, 0.0) > _LEAST_S and predicted.get(kernel.name, 0.0) > 0.0
    )


def _rates_together(
    done: Sequence[CompletedSteps], measured: _Measured, machine: Machine, model: Model
) -> Iterator[KernelRate]:
    """Yield rates of kernels in wavefronts, what they wait for memory taken off."""
    for completed in done:
        work = Work(completed.plan, machine, model.placement)
        for wavefront in _wavefronts(completed.plan):
            count, seconds = measured.get(completed.plan.label(wavefront), (0, 0.0))
            if seconds > _LEAST_S:
                share = work.wavefront_times(wavefront).share(seconds / count)
                size = bytes_in_work(completed.plan, wavefront)
                if share is not None:
                    yield KernelRate(wavefront_key(completed.plan, wavefront), size, share)


def _wavefronts(plan: Plan) -> list[Wavefront]:
    blocks = [op for block in plan.temporal_blocks for op in walk(block.operations)]
    return [op for op in (*plan.operations(), *blocks) if isinstance(op, Wavefront)]


def _kernel_of(label: str) -> str:
    """Return the kernel of a label like 'heat core'."""
    return label.rsplit(" ", 1)[0]


def save_rates(rates: Iterable[KernelRate]) -> None:
    """Add rates to the file of this machine, if there is one that can be read and written."""
    path = machine_path()
    if not path.exists():
        return
    try:
        save_machine(load_machine(path, identity_here()).with_kernels(rates), path)
    except (MachineError, OutputError):
        # The rates serve this run alone.
        return
