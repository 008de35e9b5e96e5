"""Source: generated text and the names of its entry points; what codegen hands to jit."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    """Readable text of one or more kernels.

    Attributes:
        language: 'c++'.
        text: The whole translation unit.
        entries: Names of the functions with the signature of 'kernel_abi.h', one per kernel.
    """

    language: str
    text: str
    entries: tuple[str, ...]
