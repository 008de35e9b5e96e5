"""Tally: what the ranks of a simulation have told of their work, so that one can report alone."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from halocline.runtime.caches import caches_here
from halocline.runtime.levels import level_lines
from halocline.runtime.report import Timings, bytes_by_label, make_report

if TYPE_CHECKING:
    from collections.abc import Iterator

    from halocline.language.grids.forest import Size
    from halocline.plan.value.plan import Plan
    from halocline.runtime.device import OpenDevice
    from halocline.runtime.job import Job
    from halocline.runtime.report import Report, Timer

# A report misses at most so many steps, and at most such a part of those that it is about.
_MOST_STEPS, _PART = 1000, 4


class Tally:
    """What a report is made of.

    Telling takes all ranks and some hundred microseconds. After a run that has added little it is
    left out, so that a loop of short runs costs no more for it.

    Args:
        job: The ranks.

    Attributes:
        seconds: Wall-clock time of the runs on this rank since it began [s].
        told: What ranks have told last; None since it began.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._first = 0
        self.seconds = 0.0
        self.told: Timings | None = None
        # What the kernels of a plan must move; the next run has mostly the same one.
        self._moved: tuple[Plan | None, dict[str, float]] = (None, {})

    def begin(self, step: int) -> None:
        """Forget everything: what follows is about the steps after so many."""
        self._first, self.seconds, self.told = step, 0.0, None
        self._started = time.perf_counter()

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Add the time that a run takes, since it began or since 'begin'."""
        self._started = time.perf_counter()
        yield
        self.seconds += time.perf_counter() - self._started

    def is_due(self, step: int) -> bool:
        """Return whether a report after so many steps would miss too much; on all ranks alike."""
        if self.told is None:
            return True
        return self._missing(step, self.told) >= max(1, min(_MOST_STEPS, self.told.steps // _PART))

    def _missing(self, step: int, told: Timings) -> int:
        return step - self._first - told.steps

    def tell(
        self,
        step: int,
        timers: list[Timer],
        plan: Plan,
        strategy: str,
        bytes_stored: int,
        size: Size,
    ) -> None:
        """Let all ranks tell of themselves; collective.

        Args:
            step: How many steps have been done.
            timers: Of this rank.
            plan: Of this rank.
            strategy: How communication is done and why, as text.
            bytes_stored: What all fields of all ranks take [bytes].
            size: How much there is to compute.
        """
        if self._moved[0] is not plan:
            self._moved = plan, bytes_by_label(plan)
        found = self._job.gather((timers, self._moved[1])) or []
        steps = step - self._first
        self.told = Timings(found, steps, self.seconds, strategy, bytes_stored, size)

    def report(
        self,
        step: int,
        predicted: dict[tuple[str, str], float],
        device: OpenDevice,
        plan: Plan,
        threads: int,
    ) -> Report:
        """Return the report of what was told; see 'make_report'.

        Args:
            step: How many steps have been done.
            predicted: See 'make_report'.
            device: Where kernels ran.
            plan: Of this rank.
            threads: Of this rank.
        """
        assert self.told is not None
        missing = self._missing(step, self.told)
        levels = level_lines(plan, caches_here(), threads, threads * self._job.ranks_on_node)
        return make_report(
            self.told,
            predicted,
            self._job,
            device,
            levels=levels,
            balance=plan.decomposition.balance,
            later_steps=missing,
        )
