"""Loops written by hand in C++, beside which generated ones are measured."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from msgspec.structs import replace

from halocline.codegen.source import Source
from halocline.jit.build import build, usable_toolchain


class Handwritten:
    """A loop with its memory; to be used in a 'with' statement."""

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Give the memory back."""
        self.free()

    def free(self) -> None:
        """Give the memory back."""
        raise NotImplementedError


NUMBER, INTEGER, REAL = ctypes.c_int, ctypes.c_int64, ctypes.c_double
POINTER = ctypes.c_void_p


def load_source(file: str, functions: Mapping[str, tuple[Any, ...]]) -> Any:
    """Return the compiled library of a file of this folder.

    Args:
        file: Its name.
        functions: Of each the type of its result, None for none, and those of its arguments.

    Raises:
        CompileError: There is no compiler, or it refused the source.
    """
    text = Path(__file__).with_name(file).read_text(encoding="utf-8")
    # Unlike generated loops, these may use the standard library of C++.
    chain = replace(usable_toolchain(), libraries=())
    handle = build(Source("c++", text, tuple(functions)), chain).handle
    for name, (result, *arguments) in functions.items():
        function = getattr(handle, name)
        function.restype, function.argtypes = result, arguments
    return handle
