"""Multigrid goes on to the same bits on any ranks when leaves move, split, merge or are loaded."""

from __future__ import annotations

from pathlib import Path

import pytest
from many_ranks import in_turn, mpi, virtual
from parallel.moving_poisson import on_blocks_that_change, on_blocks_that_move

WAYS = {"moved": on_blocks_that_move, "changed": on_blocks_that_change}


@pytest.mark.parametrize(("ranks", "way"), in_turn((virtual(3), mpi(2)), WAYS))
def test_cycles_go_on_to_the_same_bits(ranks, way, tmp_path: Path):
    alone = virtual(1)(WAYS[way], str(tmp_path))
    assert len(alone) == 1
    assert ranks(WAYS[way], str(tmp_path), timeout=600) == alone
