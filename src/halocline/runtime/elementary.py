"""Elementary functions of arrays: those of generated kernels, to the bit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.runtime import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray


def elementary(name: str, *values: NDArray[Any]) -> NDArray[Any]:
    """Return a function of arrays, element by element.

    Args:
        name: Of an operation that 'is_elementary'.
        values: One array or two of the same type, float64 or float32; they are broadcast.

    Returns:
        An array of that type.
    """
    rows = np.broadcast_arrays(*values)
    result = np.empty(rows[0].shape, rows[0].dtype)
    first, *second = (np.ascontiguousarray(row).reshape(-1) for row in rows)
    if second:
        _core.elementary(name, first, second[0], result.reshape(-1))
    else:
        _core.elementary(name, first, result.reshape(-1))
    return result
