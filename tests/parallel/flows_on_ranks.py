"""Run every small flow on the ranks this was started with; rank 0 prints a fingerprint of each."""

from __future__ import annotations

from many_ranks import possible
from msgspec.structs import replace
from small_flows import SETUPS, fingerprint, run

import halocline as hc
from halocline.runtime.job import join

STRATEGIES = (
    hc.Strategy(poison=True),
    hc.Strategy(poison=True, overlap="rim-first", neighbours="staged", transport="two-sided"),
    hc.Strategy(poison=True, overlap="postponed", wait="any", transport="put"),
    hc.Strategy(poison=True, overlap="core-first", transport="shared-push", messages="field"),
)


def fingerprint_of(name):
    """Return the fingerprint of a flow, run in a way that is another on another number of ranks."""
    number, ranks = list(SETUPS).index(name), join().size
    streaming = ("two-grids", "in-place")[(number + ranks) % 2]
    strategy = possible(STRATEGIES[number % len(STRATEGIES)])
    flow, _ = run(replace(SETUPS[name], streaming=streaming), strategy=strategy, blocks=2)
    return fingerprint(flow)
