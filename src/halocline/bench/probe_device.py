"""Probe of a device: its memory, what a kernel costs beside its bytes, arithmetic, its host."""

from __future__ import annotations

from functools import partial
from typing import Any

import halocline as hc
from halocline.bench.settings import Settings
from halocline.bench.stepping import step_time
from halocline.bench.times import sample
from halocline.errors import HaloclineError
from halocline.runtime import _core
from halocline.runtime.job import Job
from halocline.tune.device import Device, HostCopies

_LONG_BYTES, _SHORT_BYTES = 1 << 28, 256
_OPERATIONS = 512
# Cells of the kernel that calculates: ever more, until what a kernel costs without them is nothing.
_FEWEST_CELLS, _MOST_CELLS, _FACTOR = 1 << 12, 1 << 26, 100


@hc.kernel
def idle(b: Any, a: Any, *, n: Any) -> None:
    """Do next to nothing, with a number that changes: so no steps are recorded."""
    b[0] = a[0] + n


@hc.kernel
def calculate(b: Any, a: Any) -> None:
    """Do operations that depend on each other."""
    value = a[0]
    for _ in range(_OPERATIONS // 2):
        value = 0.999 * value + 0.001
    b[0] = value


def measure(_: Job, settings: Settings) -> Device:
    """Return what the model knows of the device of the settings.

    Raises:
        HaloclineError: There is no such device.
    """
    grid = hc.Grid((32,), periodic=True)
    b, a = grid.field("b", dtype="float32"), grid.field("a", dtype="float32")
    simulation = hc.Simulation(grid, [idle(b, a, n=hc.step)], device=settings.device, check_every=0)
    handle = device_of(simulation)
    start_s, enqueue_s = _starting(simulation, settings)
    long_bytes = settings.largest_bytes or _LONG_BYTES
    return Device(
        name=handle.name,
        per_node=_core.cuda_device_count() if isinstance(handle, _core.CudaDevice) else 1,
        bytes_per_s=2 * long_bytes / _copy_s(handle, long_bytes, settings),
        start_s=start_s,
        enqueue_s=enqueue_s,
        float32_per_s=_operations_per_s("float32", start_s, settings),
        float64_per_s=_operations_per_s("float64", start_s, settings),
        host_copies=_host_copies(handle, long_bytes, settings),
    )


def device_of(simulation: hc.Simulation) -> _core.Device:
    """Return the device of a simulation, to be measured.

    Raises:
        HaloclineError: It has none.
    """
    device = simulation.device
    if device.handle is None:
        where = device.where or "--device cpu was given"
        raise HaloclineError(f"There is no device to measure: {where}.")
    return device.handle


def _starting(simulation: hc.Simulation, settings: Settings) -> tuple[float, float]:
    """Return the time from the start of a kernel to that of the next, and what enqueuing takes."""
    enqueuing = []

    def run(steps: int) -> float:
        before = _launched(simulation)
        seconds = step_time(simulation, steps)
        count, spent = (x - y for x, y in zip(_launched(simulation), before, strict=True))
        enqueuing.append(spent / count)
        return seconds

    return sample(run, settings.repetitions, settings.budget_s).min_s, min(enqueuing)


def _launched(simulation: hc.Simulation) -> tuple[float, float]:
    """Return how many kernels were launched, and how long that took."""
    runs = [(count, s) for _, kind, count, s in simulation.timers() if kind == "run"]
    return sum(count for count, _ in runs), sum(s for _, s in runs)


def _copy_s(
    device: _core.Device, size_bytes: int, settings: Settings, *, from_host: bool = False
) -> float:
    """Return the least time of a copy."""
    return sample(
        lambda count: device.copy_seconds(size_bytes, count, from_host) / count,
        settings.repetitions,
        settings.budget_s,
    ).min_s


def _host_copies(device: _core.Device, long_bytes: int, settings: Settings) -> HostCopies:
    latency = _copy_s(device, _SHORT_BYTES, settings, from_host=True)
    long = _copy_s(device, long_bytes, settings, from_host=True)
    return HostCopies(latency, (long_bytes - _SHORT_BYTES) / max(long - latency, 1e-12))


def _operations_per_s(dtype: str, start_s: float, settings: Settings) -> float:
    """Return the rate of operations of a kernel that does little else."""
    cells = _FEWEST_CELLS
    while True:
        grid = hc.Grid((cells,))
        b, a = grid.field("b", dtype=dtype), grid.field("a", dtype=dtype)
        simulation = hc.Simulation(grid, [calculate(b, a)], device=settings.device, check_every=0)
        times = sample(partial(step_time, simulation), settings.repetitions, settings.budget_s)
        seconds = times.min_s
        if seconds > _FACTOR * start_s or cells >= _MOST_CELLS:
            return _OPERATIONS * cells / seconds
        cells *= 4
