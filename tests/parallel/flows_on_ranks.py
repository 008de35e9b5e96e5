"""Run every small flow on the ranks this was started with; rank 0 prints a fingerprint of each."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle

from many_ranks import possible
from small_flows import SETUPS, fingerprint, run

import halocline as hc
from halocline.runtime.job import join

STRATEGIES = (
    hc.Strategy(poison=True),
    hc.Strategy(poison=True, overlap="rim-first", neighbours="staged", transport="two-sided"),
    hc.Strategy(poison=True, overlap="postponed", wait="any", transport="put"),
    hc.Strategy(poison=True, overlap="core-first", transport="shared-push", messages="field"),
)


def fingerprints():
    """Run each in one way of streaming, another one on the next number of ranks."""
    ranks, strategies = join().size, cycle(STRATEGIES)
    prints = {}
    for number, (name, setup) in enumerate(SETUPS.items()):
        streaming = ("two-grids", "in-place")[(number + ranks) % 2]
        chosen = next(strategies)
        flow, _ = run(replace(setup, streaming=streaming), strategy=possible(chosen), blocks=2)
        prints[name] = fingerprint(flow)
    return prints
