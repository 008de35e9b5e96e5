"""Measuring trials: on ranks of their own, in turns, with results that must agree."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from halocline.bench.job import measure_on_ranks
from halocline.bench.settings import Settings
from halocline.errors import HaloclineError
from halocline.papers.trial import Timing, Trial, run_trials

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.papers.experiment import Setting

# Repetitions, and about how long each lasts [s].
_USUAL = (9, 0.2)
_QUICK = (1, 0.01)


def measure(trials: Sequence[Trial], ranks: int, setting: Setting) -> list[Timing]:
    """Measure trials on ranks that are started for it, in turns.

    Raises:
        HaloclineError: The job failed, or strategies gave different bits.
    """
    repetitions, seconds = _QUICK if setting.is_quick else _USUAL
    task = partial(run_trials, tuple(trials), repetitions, seconds)
    timings = measure_on_ranks(task, Settings(ranks=ranks))
    _check_bits(trials, timings)
    return timings


def _check_bits(trials: Sequence[Trial], timings: Sequence[Timing]) -> None:
    """Refuse results that differ where only the way of computing does."""
    first: dict[tuple[Any, ...], int] = {}
    for trial, timing in zip(trials, timings, strict=True):
        known = first.setdefault((trial.name, trial.extent, trial.dtype), timing.checksum)
        if known != timing.checksum:
            raise HaloclineError(
                f"'{trial.name}' on {trial.extent} cells with {trial.strategy} gave other bits "
                "than before: the result is wrong."
            )
