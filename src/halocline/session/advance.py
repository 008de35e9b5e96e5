"""Advance: do steps with the strategies on trial, then with the one that was chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from halocline.report.tally import Tally
    from halocline.session.selection import Selection


def in_turns(
    step: Callable[[], int],
    steps: int,
    between: Sequence[tuple[int, Callable[[], object]]],
) -> Iterator[tuple[int, int]]:
    """Yield how many steps are done and how many to do next; do between them what is due.

    Args:
        step: Returns how many have been done in all.
        steps: How many in all are to follow.
        between: After how many steps to do what.
    """
    begin, end = step(), step() + steps
    while True:
        count = min([end - step(), *(every - step() % every for every, _ in between)])
        yield step() - begin, count
        for every, action in between:
            if count and step() % every == 0:
                action()
        if step() >= end:
            return


def advance(
    selection: Selection,
    tally: Tally,
    steps: int,
    show: Callable[[int], None],
    *,
    before: int,
    check_every: int,
) -> None:
    """Do steps; collective.

    Args:
        selection: What does them, and chooses how.
        tally: Counts their time.
        steps: How many.
        show: Takes how many of a run are done.
        before: How many of them were done before.
        check_every: After how many steps fields are searched for values that are not numbers, and
            at the end; 0 for never.
    """
    executor = selection.executor
    executor.tables.prepare(steps)
    with tally.timed():
        done = selection.try_out(steps)
        if selection.autotuner is None and done:
            # From here on the report is about the chosen strategy alone.
            executor.runtime.reset_timers()
            tally.begin(executor.step)
        selection.advance(done, steps, lambda n: show(before + n))
        executor.tables.finish(steps)
        if steps and check_every and executor.step % check_every:
            executor.check(selection.name)
