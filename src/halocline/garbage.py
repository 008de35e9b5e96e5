"""Work that makes many objects and no cycles of them, without the search for such cycles."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def no_search_for_cycles() -> Iterator[None]:
    """Switch Python's search for unused cycles of objects off; also a decorator.

    The search visits all objects again each time that a quarter more exist: it took two thirds of
    the time of encoding a plan. If several threads do such work, the first that ends switches it on
    again for all.

    Example:
        >>> import gc
        >>> from halocline.garbage import no_search_for_cycles
        >>> with no_search_for_cycles():
        ...     print(gc.isenabled())
        False
        >>> gc.isenabled()
        True
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
