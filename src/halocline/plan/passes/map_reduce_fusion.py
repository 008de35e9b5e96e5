"""Evaluations: what a reduction looks at, computed in the pass of the kernel before it.

A kernel that gives a hidden field its values for a reduction reads what another has just assigned
or read in the same cells. A cell does both, so that nothing is read twice; see docs/decisions/0042.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.memo import memoised
from halocline.plan.passes.one_kernel import OneKernel

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from halocline.plan.program.program import Launch
    from halocline.plan.schedule.steps import Chain


@memoised
def with_map_reduce_fusion(chain: Chain, only_reduced: frozenset[str]) -> Chain:
    """Return a chain whose kernels also do the evaluation that directly follows them.

    Args:
        chain: The chain.
        only_reduced: Fields that are evaluated for reductions alone.
    """
    for position in reversed(range(1, len(chain.launches))):
        if _may_follow(chain, position, only_reduced):
            chain = _joined(chain, position)
    return chain


def _may_follow(chain: Chain, position: int, only_reduced: AbstractSet[str]) -> bool:
    """Return whether the cells of the kernel before may do an evaluation, each for itself."""
    first, second = chain.launches[position - 1 : position + 1]
    return (
        {name for name, _ in second.writes} <= only_reduced
        # A second sum in a pass takes longer than a pass of its own: see docs/decisions/0042.
        and not any(name in only_reduced for name, _ in first.writes)
        and chain.extents[position - 1] == chain.extents[position]
        and all(b.position != position for b in chain.breaks)
        and (first.space, first.region, first.where) == (second.space, second.region, second.where)
        and _is_plain(first)
        and _is_plain(second)
        and _is_local(first, second)
    )


def _is_plain(launch: Launch) -> bool:
    """Return whether it does the same in all cells of a box, in any order."""
    return (
        launch.body is None
        and launch.kernel.sweep is None
        and not launch.on_demand
        and not launch.gathered
    )


def _is_local(first: Launch, second: Launch) -> bool:
    """Return whether what the second uses in a cell lies there, or comes from the first's cell."""
    alike = all(ratio == 1 for field in second.kernel.fields for ratio in field.ratio)
    alike = alike and not any(space.is_replicated for space in (*first.spaces, *second.spaces))
    away = any(any(access.offset) for access in (*second.reads, *first.assigns))
    return alike and not away


def _joined(chain: Chain, position: int) -> Chain:
    first, second = chain.launches[position - 1 : position + 1]
    launches = (
        *chain.launches[: position - 1],
        OneKernel(first).followed_by(second),
        *chain.launches[position + 1 :],
    )
    return replace(
        chain,
        launches=launches,
        extents=(*chain.extents[:position], *chain.extents[position + 1 :]),
        breaks=tuple(
            replace(b, position=b.position - (b.position > position)) for b in chain.breaks
        ),
    )
