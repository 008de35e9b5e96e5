"""Levels: what kernels move between caches and memory, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.analysis.tiles import bytes_beyond
from halocline.language.steps.tree import walk
from halocline.plan.passes.wavefronts import bytes_in_wavefront
from halocline.plan.value import operations as ops

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from halocline.plan.value.plan import Plan
    from halocline.runtime.caches import Cache

_NAMES = ("from memory", "from the first level", "from the second", "from the third")


def level_lines(
    plan: Plan, caches: Sequence[Cache], threads: int, threads_on_node: int
) -> tuple[str, ...]:
    """Return a line for each kernel and wavefront with the bytes that a cell moves.

    Args:
        plan: Of the rank.
        caches: Of its node, the nearest first; nothing is said without any.
        threads: Of the rank.
        threads_on_node: Of all ranks there.
    """
    if not caches:
        return ()
    # What misses a cache comes from the next one.
    beyond = [*(cache.level for cache in caches[1:]), 0]
    shares = [cache.share(threads_on_node) for cache in caches]
    levels = list(zip(beyond, shares, strict=True))[::-1]
    bodies = [block.operations for block in plan.temporal_blocks] or plan.steps
    lines: dict[str, None] = {}
    launches = set()
    for op in walk(bodies):
        if isinstance(op, ops.Wavefront):
            lines[f"{plan.label(op)}: {_in_wavefront(plan, op):.1f} bytes a cell from memory"] = (
                None
            )
        elif isinstance(op, ops.Run) and op.launch not in launches and _is_loop(plan, op):
            launches.add(op.launch)
            moved = ", ".join(_by_level(plan, op, levels, threads))
            lines[f"{plan.launches[op.launch].kernel.name}: bytes a cell {moved}"] = None
    return tuple(lines)


def _is_loop(plan: Plan, run: ops.Run) -> bool:
    launch = plan.launches[run.launch]
    return launch.is_compiled and not launch.is_layer


def _in_wavefront(plan: Plan, wavefront: ops.Wavefront) -> float:
    """Return what moves to and from memory for a cell of a step."""
    cells = max(sum(box.cells for _, box in run.boxes) for run in wavefront.runs)
    steps = 1 + sum(isinstance(part, ops.StepEnd) for part in wavefront.parts)
    return bytes_in_wavefront(plan, wavefront) / (cells * steps)


def _by_level(
    plan: Plan,
    run: ops.Run,
    levels: Sequence[tuple[int, int]],
    threads: int,
) -> Iterator[str]:
    """Yield what moves from each level, and to it."""
    launch = plan.launches[run.launch]
    stored = plan.bytes_used(launch)
    tile = plan.executions[run.launch].tile if plan.executions else None
    extent = plan.largest_box(launch).extent
    for level, share in levels:
        is_held = stored <= share * threads
        moved = 0 if is_held else bytes_beyond(launch.code, extent, tile, share)
        yield f"{moved} {_NAMES[level]}"
