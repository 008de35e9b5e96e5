"""Executions: how each kernel runs on a platform: its stores, prefetching, tiles, threads."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from halocline.analysis.threads import threads_for
from halocline.analysis.tiles import tile_for
from halocline.plan.value.execution import Execution

if TYPE_CHECKING:
    from collections.abc import Hashable

    from halocline.plan.platform import Platform
    from halocline.plan.program.program import Launch
    from halocline.plan.value.execution import Choice
    from halocline.plan.value.plan import Plan

# Up to so many times the size that caches keep in any case, they may keep a result: what other
# programs take of them is unknown.
_PERHAPS_KEPT = 4


def with_executions(plan: Plan, platform: Platform) -> Plan:
    """Choose how each kernel runs: stores, prefetching and tiles, or the threads of a device."""
    sizes: dict[Hashable, int] = {}
    executions = (_execution(plan, launch, platform, sizes) for launch in plan.launches)
    return replace(plan, executions=tuple(executions))


def _uses(launch: Launch) -> Hashable:
    """Return the key of the values that a kernel uses; several kernels share it."""
    return frozenset(launch.names), launch.role, launch.space


def _execution(
    plan: Plan, launch: Launch, platform: Platform, sizes: dict[Hashable, int]
) -> Execution:
    """Return how a kernel runs; the sizes of fields are kept by use."""
    if not launch.is_compiled:
        return Execution()
    if platform.has_devices:
        # Of many small boxes each launch would take longer than what it does; forests get them.
        cut = plan.decomposition
        is_batched = cut.is_forest or cut.blocks > cut.ranks
        return Execution(threads=replace(threads_for(launch.code), is_batched=is_batched))
    kept_bytes, used = platform.kept_bytes * platform.threads, _uses(launch)
    size_bytes = sizes[used] = sizes.get(used) or plan.bytes_used(launch)
    # What stands on a boundary layer is read at once; what stays in caches need not be fetched.
    if size_bytes <= kept_bytes or launch.is_layer:
        return Execution()
    stream: Choice = "trial" if size_bytes <= _PERHAPS_KEPT * kept_bytes else "always"
    largest = max((block.box for block in plan.doing(launch)), key=lambda box: box.cells)
    extent = launch.space.flat(largest).extent
    return Execution(stream, "trial", tile_for(launch.code, extent, platform.kept_bytes))
