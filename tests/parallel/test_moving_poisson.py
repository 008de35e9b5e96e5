"""Multigrid goes on to the same bits on any ranks when leaves move, split, merge or are loaded."""

from __future__ import annotations

from pathlib import Path

import pytest
from many_ranks import mpi, slow, virtual
from parallel.moving_poisson import digests


@pytest.mark.parametrize("ranks", [virtual(3), slow(mpi(2))], ids=str)
def test_cycles_go_on_when_blocks_change_and_after_a_restart_on_other_ranks(ranks, tmp_path: Path):
    alone = virtual(1)(digests, str(tmp_path))
    # The one of blocks that stay or move, and that of blocks that were split and merged.
    assert [len(found) for found in alone] == [1, 1]
    assert ranks(digests, str(tmp_path), timeout=600) == alone
