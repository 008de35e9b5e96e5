"""Heat on forests, and what is on their leaves, for scripts that run on ranks."""

from __future__ import annotations

import hashlib

import numpy as np

import halocline as hc


@hc.kernel
def fluxes(T, Fx, Fy, Fz, *, k):
    for F, axis in ((Fx, 0), (Fy, 1), (Fz, 2)):
        below = tuple(-1 if a == axis else 0 for a in range(3))
        F[0, 0, 0] = -k * (T[0, 0, 0] - T[below])


@hc.kernel
def balance(T, Fx, Fy, Fz):
    out = Fx[1, 0, 0] - Fx[0, 0, 0] + (Fy[0, 1, 0] - Fy[0, 0, 0]) + (Fz[0, 0, 1] - Fz[0, 0, 0])
    T[0, 0, 0] = T[0, 0, 0] - out


def digest(*fields, about=""):
    """Return what is on all leaves, as a digest, on rank 0; that of nothing elsewhere."""
    found = hashlib.sha256(about.encode())
    for level in (level for field in fields for level in field.levels):
        values = level.gather()
        if values is not None:
            assert np.isfinite(values).all()
            found.update(values.tobytes())
    return found.hexdigest()[:16]
