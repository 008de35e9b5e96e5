"""Tracing: what is known of a kernel while the user's function is run on symbols."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from typing import TYPE_CHECKING

from msgspec import field

from halocline.frozen import Frozen

if TYPE_CHECKING:
    from collections.abc import Iterator


class Traced(Frozen):
    """The kernel whose function is being run.

    Attributes:
        dimensions: How many axes its grid has.
        axes: Those of the cells that it is written for, in order.
        draws: The next random draw of each kind without a stream.
    """

    dimensions: int
    axes: tuple[int, ...]
    draws: tuple[Iterator[int], ...] = field(default_factory=lambda: (count(), count()))


_traced: ContextVar[Traced | None] = ContextVar("traced", default=None)


@contextmanager
def tracing(kernel: Traced) -> Iterator[None]:
    """Say which kernel's function is run meanwhile."""
    token = _traced.set(kernel)
    try:
        yield
    finally:
        _traced.reset(token)


def traced() -> Traced | None:
    """Return the kernel whose function is being run; None outside of kernels."""
    return _traced.get()
