"""Load the compiled runtime, and with it OpenMP, before any kernel."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

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


class _Runtime(ModuleType):
    """The compiled runtime, which is loaded when something of it is first used.

    So plans and code are printed, and steps predicted, where it has not been built.
    """

    def __getattr__(self, name: str) -> Any:
        load_runtime()
        try:
            return self.__dict__[name]
        except KeyError:
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'") from None


RUNTIME = _Runtime("halocline.runtime._core")


def load_runtime() -> None:
    """Load the runtime, and with it OpenMP, whose threads will wait briefly and then sleep.

    GCC's OpenMP reads the environment when it is loaded. What a user has set there counts. The
    OpenMP of a wheel is a file of its own: kernels find it only if the runtime has loaded it.
    """
    name = RUNTIME.__name__
    if sys.modules.get(name) is RUNTIME:
        return
    is_chosen = any(variable in os.environ for variable in _WAITS)
    with _environment({} if is_chosen else {"GOMP_SPINCOUNT": _LOOKS}):
        RUNTIME.__dict__.update(vars(import_module(name)))
    # Later imports shall find the module that earlier ones have found.
    sys.modules[name] = RUNTIME
    import_module("halocline.runtime").__dict__["_core"] = RUNTIME


@contextmanager
def _environment(added: dict[str, str]) -> Iterator[None]:
    """Set variables for a while: programs that are started later shall not inherit them."""
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]
