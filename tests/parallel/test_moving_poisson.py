"""Multigrid goes on to the same bits on any ranks when leaves move, split, merge or are loaded."""

from __future__ import annotations

from pathlib import Path

from launch import printed

SCRIPT = Path(__file__).with_name("moving_poisson.py")


def test_cycles_go_on_when_blocks_change_and_after_a_restart_on_other_ranks(tmp_path: Path):
    alone = printed(None, SCRIPT, str(tmp_path), timeout=600)
    # The one of blocks that stay or move, and that of blocks that were split and merged.
    assert len(alone.split()) == 2
    for ranks in (2, 3):
        assert printed(ranks, SCRIPT, str(tmp_path), timeout=600) == alone
