"""Run every small ocean on the ranks this was started with; rank 0 prints a fingerprint of each.

mpiexec -n N python oceans_on_ranks.py
"""

from __future__ import annotations

import sys
from itertools import cycle
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from small_oceans import SETUPS, fingerprint, run

import halocline as hc
from halocline.runtime.job import join

STRATEGIES = (
    hc.Strategy(poison=True, recompute="free", recompute_in_loops="all"),
    hc.Strategy(poison=True, overlap="rim-first", neighbours="staged", transport="two-sided"),
    hc.Strategy(poison=True, overlap="postponed", wait="any", transport="put"),
    hc.Strategy(poison=True, recompute="all", overlap="rim-first", transport="two-sided"),
    hc.Strategy(poison=True, transport="shared-push", messages="field"),
)


def main() -> None:
    """Run each with another strategy on another number of ranks."""
    strategies = cycle(STRATEGIES)
    for _ in range(join().size):
        next(strategies)
    for name, setup in SETUPS.items():
        model, simulation = run(setup, strategy=next(strategies))
        found = fingerprint(model)
        if simulation.rank == 0:
            print(f"{name}|{found}", flush=True)


main()
