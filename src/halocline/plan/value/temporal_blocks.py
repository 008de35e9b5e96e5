"""Temporal blocks: several steps of a round done at once, where nothing asks for each by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.frozen import Frozen
from halocline.language.steps.tree import Every
from halocline.plan.value.operations import Run, StepEnd, Wavefront

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from halocline.plan.value.operations import Operation


class Pause(Frozen):
    """A step in which a block must be done step by step.

    Attributes:
        offset: Of the step in the block.
        interval: At the end of every so many steps.
    """

    offset: int
    interval: int


class TemporalBlock(Frozen):
    """Some steps of a round, as operations that count them.

    Attributes:
        first: The first step's position in the round.
        steps: How many.
        operations: What is done in place of their operations.
        pauses: What must not be due in any of them.
    """

    first: int
    steps: int
    operations: tuple[Operation, ...]
    pauses: tuple[Pause, ...] = ()


def temporal_blocks(
    steps: Sequence[tuple[Operation, ...]], length: int
) -> tuple[TemporalBlock, ...]:
    """Return the steps of a round in blocks of so many, one operation after the other.

    What is done now and then stays where no run follows in its block.
    """
    return tuple(
        _block(first, steps[first : first + length]) for first in range(0, len(steps), length)
    )


def paused(steps: Sequence[tuple[Operation, ...]]) -> Iterator[tuple[int, Every[Operation]]]:
    """Yield what a block of steps leaves out: the position of its step, and what is done there."""
    for number, step in enumerate(steps):
        for position, op in enumerate(step):
            if isinstance(op, Every) and not _is_trailing(steps, number, position):
                yield number, op


def _is_trailing(steps: Sequence[tuple[Operation, ...]], number: int, position: int) -> bool:
    is_last = number + 1 == len(steps)
    return is_last and not any(
        isinstance(later, Run | Wavefront) for later in steps[number][position:]
    )


def _block(first: int, steps: Sequence[tuple[Operation, ...]]) -> TemporalBlock:
    operations: list[Operation] = []
    for number, step in enumerate(steps):
        operations += (
            op
            for position, op in enumerate(step)
            if not isinstance(op, Every) or _is_trailing(steps, number, position)
        )
        operations.append(StepEnd())
    pauses = dict.fromkeys(Pause(number, op.interval) for number, op in paused(steps))
    return TemporalBlock(first, len(steps), tuple(operations), tuple(pauses))
