"""Ways to run a program, with poisoned halos, that give the same bits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import halocline as hc

Way = TypeVar("Way")

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


def in_turn(ways: Iterable[Way], problem: int, ranks: int) -> list[Way]:
    """Return a third of the ways to run a problem; in one process, on 2 and on 3 ranks others."""
    nth = {1: 2, 2: 0, 3: 1, 5: 0, 8: 2}[ranks]
    return [way for n, way in enumerate(ways) if (n + problem + nth) % 3 == 0]
