"""Run every small ocean on the ranks this was started with; rank 0 prints a fingerprint of each."""

from __future__ import annotations

from many_ranks import possible
from small_oceans import SETUPS, STEPS, WITH_TRACERS, fingerprint, run

import halocline as hc
from halocline.runtime.job import join

STRATEGIES = (
    hc.Strategy(poison=True, recompute="fewest-bytes", recompute_in_loops="all"),
    hc.Strategy(poison=True, overlap="rim-first", neighbours="staged", transport="two-sided"),
    hc.Strategy(poison=True, overlap="postponed", wait="any", transport="put"),
    hc.Strategy(poison=True, recompute="all", overlap="rim-first", transport="two-sided"),
    hc.Strategy(poison=True, transport="shared-push", messages="field"),
)


def fingerprint_of(name):
    """Return the fingerprint of an ocean, run with another strategy on another number of ranks."""
    number = list(SETUPS).index(name) + join().size
    model, _ = run(SETUPS[name], strategy=possible(STRATEGIES[number % len(STRATEGIES)]))
    return fingerprint(model)


def fingerprint_of_rest(checkpoint):
    """Return the fingerprint of z-levels with tracers whose second half follows a checkpoint."""
    model, _ = run(WITH_TRACERS, steps=STEPS // 2, checkpoint=checkpoint)
    return fingerprint(model)
