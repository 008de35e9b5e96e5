"""What users tell fields, so short that ranks can compare it."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from halocline.launched import launched_rank

# A process that is alone has nobody to compare with.
_IS_WANTED = launched_rank() is not None


def told(before: int, values: Any) -> int:
    """Return a digest of all that a field was set to, now that it is set to 'values', too.

    Functions are not compared: each rank asks them for its own cells.
    """
    if not _IS_WANTED or callable(values):
        return before
    array = np.asarray(values)
    known = zlib.crc32(f"{array.dtype} {array.shape}".encode(), before)
    return zlib.crc32(np.ascontiguousarray(array).data.cast("B"), known) if array.size else known
