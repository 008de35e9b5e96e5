"""Concurrency: which runs, one right after the other, need nothing of each other.

A device does them at once: a kernel on a few small boxes, as those along the borders of levels,
leaves most of a device idle, and takes a few microseconds however little it does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.frozen import Frozen
from halocline.language.steps.tree import Every, Repeat, Until
from halocline.plan.value.operations import Run

if TYPE_CHECKING:
    from collections.abc import Iterable

    from halocline.plan.value.operations import Operation
    from halocline.plan.value.plan import Plan


def with_concurrency(plan: Plan) -> Plan:
    """Mark the runs that a device may do at once with the run before."""
    return replace(plan, steps=tuple(_marked(step, plan) for step in plan.steps))


def _marked(operations: Iterable[Operation], plan: Plan) -> tuple[Operation, ...]:
    """Return operations of a plan in which runs say whether they may be done at once."""
    found: list[Operation] = []
    before: list[_Uses] = []
    for op in operations:
        if isinstance(op, Run) and not op.is_late and plan.launches[op.launch].is_compiled:
            uses = _uses(op, plan)
            is_concurrent = bool(before) and not any(map(uses.depend_on, before))
            before = [*before, uses] if is_concurrent else [uses]
            found.append(replace(op, is_concurrent=is_concurrent))
            continue
        before = []
        if isinstance(op, Repeat | Every | Until):
            found.append(replace(op, body=_marked(op.body, plan)))
        else:
            found.append(op)
    return tuple(found)


class _Uses(Frozen):
    """Storages and components that a run reads and assigns, and on which blocks."""

    reads: frozenset[tuple[str, int]]
    assigns: frozenset[tuple[str, int]]
    blocks: frozenset[int]

    def depend_on(self, other: _Uses) -> bool:
        """Return whether the order of the two matters, for all that is known."""
        is_order_seen = not (
            self.assigns.isdisjoint(other.reads | other.assigns)
            and self.reads.isdisjoint(other.assigns)
        )
        return is_order_seen and not self.blocks.isdisjoint(other.blocks)


def _uses(run: Run, plan: Plan) -> _Uses:
    launch = plan.launches[run.launch]
    reads = frozenset(access.key for access in launch.reads)
    return _Uses(reads, launch.writes, frozenset(number for number, _ in run.boxes))
