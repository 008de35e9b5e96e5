"""Tridiagonal systems, in plain NumPy (docs/guide/solvers.md)."""

from __future__ import annotations

import numpy as np


def solved(system: list[np.ndarray], *, closes: bool) -> np.ndarray:
    """Return the solutions of systems along the first axis, in the type of the first of them."""
    a, b, c, d = system
    if not closes:
        (x,), _ = _thomas(a, b, c, [d])
        return x
    zero = np.zeros_like(b[0])
    # The corners leave the matrix, which is a tridiagonal one plus a product (Sherman-Morrison).
    share = -a[0] / b[0]
    diagonal, other = b.copy(), np.zeros_like(b)
    diagonal[0], diagonal[-1] = 2.0 * b[0], b[-1] - share * c[-1]
    other[0], other[-1] = -b[0], c[-1]
    lower, upper = a.copy(), c.copy()
    lower[0], upper[-1] = zero, zero
    (x, z), (last_x, last_z) = _thomas(lower, diagonal, upper, [d, other])
    factor = (x[0] + share * last_x) / (1.0 + z[0] + share * last_z)
    return x - factor * z


def _thomas(a, b, c, rights) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return solutions, and what is left of the last right-hand sides on the way up."""
    n = len(b)
    ratio = np.zeros_like(b)
    rests = [np.zeros_like(b) for _ in rights]
    for k in range(n):
        is_first = k == 0
        below = np.zeros_like(b[k]) if is_first else ratio[k - 1]
        down = np.zeros_like(a[k]) if is_first else a[k]
        up = np.zeros_like(c[k]) if k == n - 1 else c[k]
        pivot = 1.0 / (b[k] - down * below)
        ratio[k] = up * pivot
        for rest, right in zip(rests, rights, strict=True):
            before = np.zeros_like(b[k]) if is_first else rest[k - 1]
            rest[k] = (right[k] - down * before) * pivot
    found = [np.zeros_like(b) for _ in rights]
    for k in reversed(range(n)):
        for x, rest in zip(found, rests, strict=True):
            above = np.zeros_like(b[k]) if k == n - 1 else x[k + 1]
            x[k] = rest[k] - ratio[k] * above
    return found, [rest[-1] for rest in rests]
