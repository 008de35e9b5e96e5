"""Steps in the caches: plans for caches that hold little, and what plans do together."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from halocline.plan.value.operations import Wavefront
from halocline.runtime import platform

if TYPE_CHECKING:
    from collections.abc import Iterator

    from halocline.plan.value.plan import Plan


_real_keeps = platform.keeps
# What caches are to keep; each virtual rank has its own.
_kept_bytes: ContextVar[int | None] = ContextVar("kept_bytes", default=None)


def _keeps(caches, threads):
    wanted = _kept_bytes.get()
    return _real_keeps(caches, threads) if wanted is None else wanted


platform.keeps = _keeps


@contextmanager
def small_caches(kept_bytes: int) -> Iterator[None]:
    """Let plans be made for caches that keep so much, so that small fields outgrow them."""
    token = _kept_bytes.set(kept_bytes)
    try:
        yield
    finally:
        _kept_bytes.reset(token)


def wavefronts(plan: Plan) -> list[Wavefront]:
    """Return the wavefronts of several steps."""
    every = [op for block in plan.temporal_blocks for op in block.operations]
    return [op for op in every if isinstance(op, Wavefront)]
