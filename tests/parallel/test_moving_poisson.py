"""Multigrid goes on to the same bits on any ranks when leaves move, split, merge or are loaded."""

from __future__ import annotations

from pathlib import Path

from many_ranks import mpi, virtual
from parallel.moving_poisson import digests


def test_cycles_go_on_when_blocks_change_and_after_a_restart_on_other_ranks(tmp_path: Path):
    alone = virtual(1)(digests, str(tmp_path))
    # The one of blocks that stay or move, and that of blocks that were split and merged.
    assert [len(found) for found in alone] == [1, 1]
    for ranks in (virtual(3), mpi(2)):
        assert ranks(digests, str(tmp_path), timeout=600) == alone
