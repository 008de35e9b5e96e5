"""Flows on several levels past bodies have the same bits on any ranks."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from launch import printed

SCRIPT = Path(__file__).with_name("refined_flows_on_ranks.py")


@cache
def alone():
    return printed(None, SCRIPT, timeout=600)


@pytest.mark.parametrize("ranks", [2, 3, 5])
def test_ranks_have_the_bits_of_a_single_process(ranks):
    assert printed(ranks, SCRIPT, timeout=600) == alone()
