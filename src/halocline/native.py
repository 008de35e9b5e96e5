"""Load the compiled runtime, and with it OpenMP, before any kernel."""

from __future__ import annotations

import os
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

# What the launcher leaves to this process, before OpenMP binds a thread to one of them
# (OMP_PROC_BIND).
CORES = frozenset(os.sched_getaffinity(0))

_WAITS = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")
# A waiting thread looks so many times, 50 to 250 us, and then sleeps: as long as it takes to wake,
# and longer than what lies between two kernels. Left alone it looks 300,000 times: where another
# program wants a core, it keeps that core from the thread it waits for, and two threads fall to a
# fortieth of one. How many threads there are beside such programs the runtime decides
# (docs/decisions/0046).
_LOOKS = "5000"


def load_runtime() -> ModuleType:
    """Load the runtime, and with it OpenMP, whose threads will wait briefly and then sleep.

    GCC's OpenMP reads the environment when it is loaded. What a user has set there counts. The
    OpenMP of a wheel is a file of its own: kernels find it only if the runtime has loaded it.
    """
    is_chosen = any(name in os.environ for name in _WAITS)
    with _environment({} if is_chosen else {"GOMP_SPINCOUNT": _LOOKS}):
        return import_module("halocline.runtime._core")


@contextmanager
def _environment(added: dict[str, str]) -> Iterator[None]:
    """Set variables for a while: programs that are started later shall not inherit them."""
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]
