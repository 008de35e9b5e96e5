"""Learn: how well kernels use this machine, from the times of a run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from halocline.errors import OutputError
from halocline.tune.machine import KernelRate, MachineError, kernel_key
from halocline.tune.machine_file import identity_here, load_machine, machine_path, save_machine
from halocline.tune.model import predict_step
from halocline.tune.work import working_set

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from halocline.plan.plan import Plan
    from halocline.tune.choose import Model

# Times of less than this are not worth learning from [s].
_LEAST_S = 1e-4


@dataclass(frozen=True, slots=True)
class CompletedSteps:
    """Steps that were done by a plan."""

    plan: Plan
    steps: int


def kernel_rates(
    done: Sequence[CompletedSteps], timers: Iterable[tuple[str, str, int, float]], model: Model
) -> tuple[KernelRate, ...]:
    """Return for each kernel how the model's time for it compares with the measured one.

    Args:
        done: What was done while the timers ran.
        timers: Label (kernel and zone), kind, count and seconds on this rank.
        model: What predicts.
    """
    plain = replace(model.machine, kernels=())
    predicted: dict[str, float] = {}
    for one in done:
        for line in predict_step(one.plan, plain, model.placement).lines:
            if line.kind == "run":
                name = _kernel_of(line.label)
                predicted[name] = predicted.get(name, 0.0) + line.seconds * one.steps
    measured: dict[str, float] = {}
    for label, kind, _, seconds in timers:
        if kind == "run":
            name = _kernel_of(label)
            measured[name] = measured.get(name, 0.0) + seconds
    size = working_set(done[0].plan) / model.placement.threads
    # Kernels with the same name, as walls on several sides, have one time.
    launches = (launch for one in done for launch in one.plan.launches)
    kernels = dict.fromkeys(launch.code for launch in launches if launch.is_compiled)
    return tuple(
        KernelRate(kernel_key(kernel), size, predicted[kernel.name] / measured[kernel.name])
        for kernel in kernels
        if measured.get(kernel.name, 0.0) > _LEAST_S and predicted.get(kernel.name, 0.0) > 0.0
    )


def _kernel_of(label: str) -> str:
    """Return the kernel of a label like 'heat core'."""
    return label.rsplit(" ", 1)[0]


def keep(rates: Iterable[KernelRate]) -> None:
    """Add rates to the file of this machine, if there is one that can be read and written."""
    path = machine_path()
    if not path.exists():
        return
    try:
        save_machine(load_machine(path, identity_here()).with_kernels(rates), path)
    except (MachineError, OutputError):
        # What was learned serves this run alone.
        return
