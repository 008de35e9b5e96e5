"""Run every small flow on the ranks this was started with; rank 0 prints a fingerprint of each.

mpiexec -n N python flows_on_ranks.py
"""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import cycle
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from small_flows import SETUPS, fingerprint, run

import halocline as hc
from halocline.runtime.job import join

STRATEGIES = (
    hc.Strategy(poison=True),
    hc.Strategy(poison=True, overlap="rim-first", neighbours="staged", transport="two-sided"),
    hc.Strategy(poison=True, overlap="postponed", wait="any", transport="put"),
    hc.Strategy(poison=True, overlap="core-first", transport="shared-push", messages="field"),
)


def main() -> None:
    """Run each in one way of streaming, another one on the next number of ranks."""
    ranks, strategies = join().size, cycle(STRATEGIES)
    for number, (name, setup) in enumerate(SETUPS.items()):
        streaming = ("two-grids", "in-place")[(number + ranks) % 2]
        chosen = next(strategies)
        flow, simulation = run(replace(setup, streaming=streaming), strategy=chosen, blocks=2)
        found = fingerprint(flow)
        if simulation.rank == 0:
            print(f"{name}|{streaming}|{found}", flush=True)


main()
