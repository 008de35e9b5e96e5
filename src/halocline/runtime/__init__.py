"""Fields, ranks and the C++ time loop, seen from Python."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

from halocline.native import load_runtime


class _Compiled(ModuleType):
    """Stands for the compiled runtime until something of it is used.

    So plans and code are printed, and steps predicted, where it has not been built.
    """

    def __getattr__(self, name: str) -> Any:
        self.__dict__.update(vars(load_runtime()))
        try:
            return self.__dict__[name]
        except KeyError:
            raise AttributeError(f"module '{__name__}._core' has no attribute '{name}'") from None


if not TYPE_CHECKING:
    _core = _Compiled(f"{__name__}._core")
