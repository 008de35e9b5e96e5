"""Which layer beyond a side a boundary's kernel is traced for."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_layer: ContextVar[int] = ContextVar("layer", default=1)


def layer() -> int:
    """Return the number of the layer: 1 next to the domain.

    A kernel given as boundary is traced for each layer that is read. To mirror what lies within at
    the side x-: 'T[0, 0] = T[2 * hc.layer() - 1, 0]'.

    Example:
        >>> @hc.kernel
        ... def mirror(T):
        ...     T[0, 0] = T[2 * hc.layer() - 1, 0]
        >>> hc.Grid((8, 8)).field("T").boundary("x-", mirror)
    """
    return _layer.get()


@contextmanager
def tracing_layer(number: int) -> Iterator[None]:
    """Trace kernels for a layer."""
    before = _layer.set(number)
    try:
        yield
    finally:
        _layer.reset(before)
