"""Ways to run a program, with poisoned halos, that give the same bits."""

from __future__ import annotations

import halocline as hc

STRATEGIES = (
    {"strategy": hc.Strategy(poison=True)},
    {"strategy": hc.Strategy(poison=True, overlap="rim-first", wait="any", tiles=3), "blocks": 2},
    {"strategy": hc.Strategy(poison=True, overlap="postponed", messages="field"), "blocks": 3},
    {"strategy": hc.Strategy(poison=True, overlap="none", neighbours="staged", width="full")},
    {"strategy": hc.Strategy(poison=True, depth=2, wait="any"), "threads": 2},
    {"strategy": hc.Strategy(poison=True, depth=3, overlap="rim-first"), "decomposition": "rows"},
    {"strategy": hc.Strategy(poison=True), "target": "numpy"},
    {"strategy": hc.Strategy(poison=True, transport="via-host"), "device": "emulated:3"},
)
