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

STRATEGIES = (
    hc.Strategy(poison=True),
    hc.Strategy(poison=True, overlap="rim-first", neighbours="staged", transport="two-sided"),
    hc.Strategy(poison=True, overlap="postponed", wait="any", transport="put"),
    hc.Strategy(poison=True, overlap="core-first", transport="shared-push", messages="field"),
)


def main() -> None:
    strategies = cycle(STRATEGIES)
    for name, setup in SETUPS.items():
        for streaming in ("two-grids", "in-place"):
            chosen = next(strategies)
            flow, simulation = run(replace(setup, streaming=streaming), strategy=chosen, blocks=2)
            found = fingerprint(flow)
            if simulation.rank == 0:
                print(f"{name}|{streaming}|{found}", flush=True)


main()
