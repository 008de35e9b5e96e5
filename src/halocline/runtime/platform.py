"""The platform that ranks find themselves on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.plan.platform import Platform
from halocline.runtime.caches import caches_here, keeps

if TYPE_CHECKING:
    from halocline.runtime.device import OpenDevice
    from halocline.runtime.job import Job


def platform_of_ranks(ranks: int, ranks_per_node: int | None, threads: int) -> Platform:
    """Return a platform with nodes like this one.

    Args:
        ranks: Number of ranks.
        ranks_per_node: So many consecutive ranks are on a node; None for all.
        threads: Of a rank.
    """
    beside = min(ranks, ranks_per_node or ranks)
    nodes = tuple(rank // beside for rank in range(ranks))
    return Platform(nodes, threads, keeps(caches_here(), beside * threads))


def platform_here(job: Job, threads: int, device: OpenDevice) -> Platform:
    """Return what the plan of this rank is executed on."""
    beside = job.nodes.count(job.nodes[job.rank])
    kept_bytes = keeps(caches_here(), beside * threads)
    if device.is_cpu:
        return Platform(job.nodes, threads, kept_bytes)
    near, far = (device.transport(is_same_node=is_near) for is_near in (True, False))
    return Platform(job.nodes, threads, kept_bytes, near, far)
