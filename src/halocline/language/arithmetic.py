"""The one element type in which a statement computes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.language.expr import Binary, Unary, walk
from halocline.language.kernel import reads

if TYPE_CHECKING:
    from halocline.language.kernel import Kernel, Statement

_INEXACT = {"sqrt", "exp", "log", "sin", "cos", "tanh", "div"}


def arithmetic(kernel: Kernel, statement: Statement) -> str:
    """Return 'float64', 'float32' or 'int64': the type of every number in a statement.

    It is the widest floating type among the field assigned to and the fields read, but no narrower
    than float32: float16 is for storage only. A statement of integers alone computes in int64, or
    in float64 if it divides or takes a root. Reads are converted when loaded, the result when
    stored.
    """
    names = {read.field for read in reads(statement.value)} | {statement.field}
    dtypes = {kernel.field(name).dtype for name in names}
    if "float64" in dtypes:
        return "float64"
    if dtypes & {"float32", "float16"}:
        return "float32"
    inexact = any(
        isinstance(node, Unary | Binary) and node.op in _INEXACT for node in walk(statement.value)
    )
    return "float64" if inexact else "int64"
