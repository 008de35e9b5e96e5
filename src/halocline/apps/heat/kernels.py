"""Heat conduction in the language: explicit Euler in time, central differences in space."""

from __future__ import annotations

from typing import Any

import halocline as hc


@hc.kernel
def diffuse(T: Any, T_new: Any, *, diffusivity_dt: Any) -> None:  # noqa: N803 (the physicist's T)
    """Make one explicit step of dT/dt = D laplacian(T); stable for D dt / h² up to 1 / (2 d)."""
    cell = (0,) * T.dimensions
    T_new[cell] = T[cell] + diffusivity_dt * hc.laplacian(T)
