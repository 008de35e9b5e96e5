"""Random numbers by counter, in plain NumPy: Philox4x32-10 (Salmon et al., SC'11)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_LOW = np.uint64(0xFFFFFFFF)


def philox(counter: Sequence[np.ndarray | int], key: Sequence[np.ndarray | int]):
    """Return four words of 32 bits, as uint64, of four others and a key of two."""
    a, b, c, d = (np.asarray(word, np.uint64) for word in counter)
    k, m = (np.asarray(word, np.uint64) for word in key)
    for _ in range(10):
        p, q = a * np.uint64(0xD2511F53), c * np.uint64(0xCD9E8D57)
        a, b, c, d = (q >> 32) ^ b ^ k, q & _LOW, (p >> 32) ^ d ^ m, p & _LOW
        k, m = (k + np.uint64(0x9E3779B9)) & _LOW, (m + np.uint64(0xBB67AE85)) & _LOW
    return a, b, c, d


def drawn(
    seed: int, stream: int, dtype: str, step: int, turn: int, cell: Sequence[np.ndarray]
) -> np.ndarray:
    """Return random numbers of cells in a pass of a step: docs/decisions/0034."""
    low, high = seed & 0xFFFFFFFF, seed >> 32
    key = philox((step, 0, turn, 0), (low, high))[:2]
    wrapped = [np.asarray(index).astype(np.int64).astype(np.uint64) & _LOW for index in cell]
    place = [*wrapped, *[0] * (3 - len(wrapped))]
    words = philox((*place, stream // 2), key)
    low, high = words[2 * (stream % 2) : 2 * (stream % 2) + 2]
    if dtype == "float64":
        return ((low >> 5) * 2**26 + (high >> 6)).astype(np.float64) * 2.0**-53
    if dtype == "float32":
        return (low >> 8).astype(np.float32) * np.float32(2.0**-24)
    return ((high << 32) | low if dtype in ("int64", "uint64") else low).astype(dtype)
