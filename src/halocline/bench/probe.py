"""Probe: measure this machine and describe it by the numbers of the model.

Of several repetitions the shortest counts: other programs are no part of the model.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Sequence
from functools import partial

from msgspec.structs import replace

from halocline.bench import probe_device, probe_node, probe_transports
from halocline.bench.here import describe_here, summary
from halocline.bench.job import measure_on_ranks
from halocline.bench.probe_node import NodeProbe
from halocline.bench.settings import Settings
from halocline.free_memory import size_text
from halocline.installation import need
from halocline.runtime.device import parse_device
from halocline.tune.device import Device
from halocline.tune.fit import Fit
from halocline.tune.machine import Machine, Packing, TransportTimes
from halocline.tune.machine_file import identity_here

_RANKS = 2
_THOROUGH = Settings(repetitions=7, budget_s=5e-3)
# Fewer repetitions, and messages only as large as most sides.
_QUICK = Settings(repetitions=3, budget_s=1e-3, largest_bytes=1 << 19)


def probe(show: Callable[[str], None], *, is_quick: bool = False, device: str = "cpu") -> Machine:
    """Measure this machine.

    Args:
        show: Gets what is found, line by line.
        is_quick: Measure less often, and less of it.
        device: The device to measure as well, see 'Simulation'; 'cpu' for none.

    Returns:
        The machine; one core alone has no transports.

    Raises:
        HaloclineError: A measurement failed, or its result was wrong.
    """
    need("probe", "scipy")
    started = time.perf_counter()
    settings = _QUICK if is_quick else _THOROUGH
    here = describe_here()
    show(summary(here))
    alone = replace(settings, ranks=1)
    measured_device = None
    if not parse_device(device).is_cpu:
        measured_device = measure_on_ranks(probe_device.measure, replace(alone, device=device))
        show(_device_line(measured_device))
    node = measure_on_ranks(probe_node.measure, alone)
    for line in _node_lines(node):
        show(line)
    transports, (inside, outside) = _transports(show, settings, node)
    show(f"measured in {time.perf_counter() - started:.0f} s")
    return Machine(
        name=platform.node(),
        description=f"{summary(here)}; measured {here['date']}{' quickly' if is_quick else ''}",
        identity=identity_here(),
        cores=here["cores"],
        flops_per_s=node.flops_per_s,
        copies=node.copies,
        packing=node.packing,
        far_packing=node.far_packing,
        overheads=node.overheads,
        transports=transports,
        node_copy_bytes_per_s=inside,
        node_link_bytes_per_s=outside,
        device=measured_device,
    )


def _transports(
    show: Callable[[str], None], settings: Settings, node: NodeProbe
) -> tuple[tuple[TransportTimes, ...], probe_transports.Together]:
    """Return the times of all transports, and what all messages of a node carry together."""
    cores = settings.cores
    if cores < _RANKS:
        show("one core: messages cannot be measured")
        return (), (None, None)
    transports = []
    task = partial(probe_transports.measure, node.packing)
    for times, fitted in measure_on_ranks(task, replace(settings, ranks=_RANKS)):
        transports.append(times)
        for line in _transport_lines(times, fitted):
            show(line)
    together = measure_on_ranks(probe_transports.measure_together, replace(settings, ranks=cores))
    rate = together[0] or together[1] or 0.0
    show(f"messages of {cores} ranks at once carry {rate / 1e9:.2f} GB/s a node")
    return tuple(transports), together


def _node_lines(node: NodeProbe) -> list[str]:
    lines = ["copies (GB/s read + written)"]
    for threads, streams in dict.fromkeys((c.threads, c.streams) for c in node.copies):
        rates = ", ".join(
            f"{size_text(c.bytes_per_thread)} {c.bytes_per_s / 1e9:.1f}"
            for c in node.copies
            if (c.threads, c.streams) == (threads, streams)
        )
        lines.append(f"  {threads} thread(s), {streams} streams, a thread's bytes: {rates}")
    costs = node.overheads
    return [
        *lines,
        _packing_line("in cache", node.packing, node.packing_residuals),
        _packing_line("from memory", node.far_packing, node.far_residuals),
        f"overheads: launch {costs.launch_s * 1e9:.0f} ns, box {costs.box_s * 1e9:.0f} ns, row "
        f"{costs.row_s * 1e9:.1f} ns, waking threads {costs.parallel_s * 1e9:.0f} ns",
        f"arithmetic: {node.flops_per_s / 1e9:.1f} Gflop/s a thread",
    ]


def _device_line(device: Device) -> str:
    copies, single, double = device.host_copies, device.float32_per_s, device.float64_per_s
    return (
        f"{device.name}: memory {device.bytes_per_s / 1e9:.1f} GB/s; kernels begin every "
        f"{device.start_s * 1e6:.2f} us, {device.enqueue_s * 1e6:.2f} us to enqueue; "
        f"{single / 1e9:,.1f} and {double / 1e9:,.1f} Gflop/s in 32 and 64 bits; "
        f"copies from its host {copies.latency_s * 1e6:.2f} us, {copies.bytes_per_s / 1e9:.1f} GB/s"
    )


def _packing_line(where: str, packing: Packing, residuals: Sequence[float]) -> str:
    rate = 1e-9 / packing.byte_s if packing.byte_s else float("inf")
    return (
        f"packing {where}: {packing.value_s * 1e9:.2f} ns a value apart, "
        f"{packing.row_s * 1e9:.2f} ns a row, {packing.box_s * 1e9:.1f} ns a box, {rate:.1f} GB/s; "
        f"largest relative residual {max(map(abs, residuals)):.1%}"
    )


def _transport_lines(times: TransportTimes, fitted: Fit) -> list[str]:
    limit = times.rendezvous_bytes
    waits = "" if limit is None else f", rendezvous beyond {size_text(limit)}"
    head = (
        f"{times.transport}: o {times.overhead_s * 1e6:.2f} us, g {times.gap_s * 1e6:.2f} us{waits}"
    )
    return [head, *(f"  {line}" for line in str(fitted).splitlines())]
