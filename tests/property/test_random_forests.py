"""Random steps on random forests have the same bits on any ranks, by any strategy.

'make test' runs few, 'make validate' a campaign: HALOCLINE_PROGRAMS says how many programs there
are in all, and every fifth is of a forest.
"""

from __future__ import annotations

import os

import pytest
from many_ranks import virtual
from property.forests import bits
from property.runs import COUNT, SEED

SEEDS = range(8)
if "HALOCLINE_PROGRAMS" in os.environ:
    SEEDS = range(SEED, SEED + COUNT // 5)


@pytest.mark.parametrize("seed", SEEDS)
def test_ranks_and_strategies_give_the_same_bits(seed):
    right = bits(seed, 0)
    for way, ranks in enumerate((virtual(1), virtual(2), virtual(3)), 1):
        assert ranks(bits, seed, way) == right, f"way {way}"
