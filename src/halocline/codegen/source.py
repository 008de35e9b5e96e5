"""Source: generated text and the names of its entry points; what codegen hands to jit."""

from __future__ import annotations

from halocline.frozen import Frozen


class Source(Frozen):
    """Readable text of one or more kernels.

    Attributes:
        language: 'c++' or 'cuda'.
        text: The whole translation unit.
        entries: Names of the functions, one per kernel: in C++ with the signature of
            'kernel_abi.h', in CUDA with a box, fields and scalars as parameters.
    """

    language: str
    text: str
    entries: tuple[str, ...]
