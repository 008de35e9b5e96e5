"""Steps in the caches: plans for caches that hold little, and what plans do together."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING
from unittest.mock import patch

from halocline.plan.operations import Wavefront

if TYPE_CHECKING:
    from collections.abc import Iterator

    from halocline.plan.plan import Plan


@contextmanager
def small_caches(kept_bytes: int) -> Iterator[None]:
    """Let plans be made for caches that keep so much, so that small fields outgrow them."""
    with patch("halocline.runtime.platform.keeps", lambda caches, threads: kept_bytes):
        yield


def wavefronts(plan: Plan) -> list[Wavefront]:
    """Return the wavefronts of several steps."""
    every = [op for block in plan.temporal_blocks for op in block.operations]
    return [op for op in every if isinstance(op, Wavefront)]
