"""Executions: how each kernel runs on a platform: its stores, prefetching, tiles, threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from halocline.analysis.threads import threads_for
from halocline.analysis.tiles import tile_for
from halocline.plan.value.execution import Execution

if TYPE_CHECKING:
    from collections.abc import Hashable

    from halocline.geometry import Box
    from halocline.plan.platform import Platform
    from halocline.plan.program.program import Launch
    from halocline.plan.value.execution import Choice
    from halocline.plan.value.plan import Plan

# Up to so many times the size that caches keep in any case, they may keep a result: what other
# programs take of them is unknown.
_PERHAPS_KEPT = 4


def with_executions(plan: Plan, platform: Platform) -> Plan:
    """Choose how each kernel runs: stores, prefetching and tiles, or the threads of a device."""
    used: dict[Hashable, _Used] = {}
    executions = (_execution(plan, launch, platform, used) for launch in plan.launches)
    return replace(plan, executions=tuple(executions))


class _Used(NamedTuple):
    """What a kernel uses on a rank: the size of its fields [bytes], and its largest box."""

    size_bytes: int
    largest: Box

    @classmethod
    def by(cls, launch: Launch, plan: Plan, known: dict[Hashable, _Used]) -> _Used:
        """Return what a kernel uses; several kernels share it."""
        key = frozenset(launch.names), launch.role, launch.space
        if key not in known:
            known[key] = cls(plan.bytes_used(launch), plan.largest_box(launch))
        return known[key]


def _execution(
    plan: Plan, launch: Launch, platform: Platform, known: dict[Hashable, _Used]
) -> Execution:
    """Return how a kernel runs; what kernels use is kept."""
    if not launch.is_compiled:
        return Execution()
    if platform.has_devices:
        # Of many small boxes each launch would take longer than what it does; forests get them.
        cut = plan.decomposition
        is_batched = cut.is_forest or cut.blocks > cut.ranks
        return Execution(threads=replace(threads_for(launch.code), is_batched=is_batched))
    kept_bytes = platform.kept_bytes * platform.threads
    size_bytes, largest = _Used.by(launch, plan, known)
    # What stands on a boundary layer is read at once; what stays in caches need not be fetched.
    if size_bytes <= kept_bytes or launch.is_layer:
        return Execution()
    stream: Choice = "trial" if size_bytes <= _PERHAPS_KEPT * kept_bytes else "always"
    return Execution(stream, "trial", tile_for(launch.code, largest.extent, platform.kept_bytes))
