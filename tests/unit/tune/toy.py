"""A machine of round numbers, and plans on which its times can be worked out by hand."""

from __future__ import annotations

from msgspec.structs import replace

import halocline as hc
from halocline.plan.pipeline import decided, plan_for
from halocline.tune.device import BoxCopies, Device, HostCopies
from halocline.tune.machine import (
    CopyRate,
    Machine,
    Overheads,
    Packing,
    SizeRange,
    TransportTimes,
)

US = 1e-6


def times(transport="two-sided", *, same=False, o=1 * US, g=0.0, L=100 * US, G=1e-8, **more):
    return TransportTimes(transport, same, o, g, (SizeRange(None, L, G),), **more)


def toy(*transports, **changes):
    """Return a machine: 1 GB/s a thread, 10 ns a strided value, 1 ns a byte, nothing else."""
    usual = Machine(
        name="toy",
        description="round numbers",
        identity="toy",
        cores=4,
        flops_per_s=1e18,
        copies=tuple(CopyRate(n, 2, 1e6, n * 1e9) for n in (1, 1000)),
        packing=Packing(1e-8, 0.0, 1e-9, 0.0),
        overheads=Overheads(0.0, 0.0, 0.0, 0.0),
        transports=transports or (times(), times("two-sided", same=True), SHARED),
    )
    return replace(usual, **changes)


def toy_device(*transports, messages="via-host", per_node=1, **changes):
    """Return a machine with devices: 1 GB/s of memory and to the host; only copies have latency."""
    device = Device(
        name="toy device",
        per_node=per_node,
        bytes_per_s=1e9,
        start_s=0.0,
        enqueue_s=0.0,
        float32_per_s=1e18,
        float64_per_s=1e18,
        host_copies=HostCopies(10 * US, 1e9),
        box_copies=BoxCopies(10 * US, 1e-8, 1e9),
        messages=messages,
    )
    usual = [times(), times(same=True), times("peer", same=True, L=2 * US, G=1e-9)]
    usual += [times("from-device", L=50 * US), times("from-device", same=True)]
    return toy(*(transports or usual), device=replace(device, **changes))


SHARED = times("shared", same=True, o=0.0, L=1 * US, G=1e-9, processor_byte_s=1e-9)


@hc.kernel
def diffuse(T, T_new, *, a):
    T_new[0, 0] = T[0, 0] + a * hc.laplacian(T)


@hc.kernel
def diffuse_3d(T, T_new, *, a):
    T_new[0, 0, 0] = T[0, 0, 0] + a * hc.laplacian(T)


def heat(extent, *, repeat=0, every=0):
    """Return grid and steps of heat conduction in a periodic box."""
    grid = hc.Grid(extent, periodic=True)
    T, T_new = grid.field("T"), grid.field("T_new")
    kernel = diffuse if len(extent) == 2 else diffuse_3d
    steps = [kernel(T, T_new, a=0.1), hc.swap(T, T_new)]
    if repeat:
        steps = [hc.repeat(repeat, *steps)]
    if every:
        steps = [*steps, hc.every(every, hc.sum(T))]
    return grid, steps


def plan_for_devices(*arguments, **options):
    """Return the same with what moves messages left to the machine."""
    return plan(*arguments, **{"transport": "auto", **options})


def plan(extent=(64, 64), ranks=2, rank=0, *, check_every=0, decomposition="rows", **options):
    """Return the plan of a step without overlap and with two-sided messages, if not said else."""
    problem = {key: options.pop(key) for key in ("repeat", "every") if key in options}
    strategy = hc.Strategy(**{"overlap": "none", "transport": "two-sided", **options})
    return plan_for(
        *heat(extent, **problem),
        ranks=ranks,
        rank=rank,
        strategy=strategy,
        decomposition=decomposition,
        check_every=check_every,
    )


def decided_for(found, machine, placement):
    """Return a plan with nothing left open."""
    return decided(found, placement.platform(machine, found.decomposition.ranks))
