"""The stencils and lattices that are measured: 'compare.py' and '../steps_in_cache.py'."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.lbm import Flow, Setup, bgk, make_flow

if TYPE_CHECKING:
    from collections.abc import Callable


@hc.kernel
def heat(u: Any, u_new: Any, *, a: float) -> None:
    """One step of diffusion."""
    u_new[0, 0, 0] = u + a * hc.laplacian(u)


@hc.kernel
def wave(u_old: Any, u: Any, u_new: Any, *, s: float) -> None:
    """One leapfrog step of eighth order."""
    u_new[0, 0, 0] = 2 * u - u_old + s * hc.laplacian(u, accuracy=8)


def stencil(
    kernel: Any, n: int, dtype: str, initial: Callable[..., Any]
) -> tuple[hc.Grid, list[Any], hc.Field]:
    """Return a grid of n^3 cells, a step of heat or of a wave on it, and its field."""
    grid = hc.Grid((n, n, n))
    u, u_new = grid.field("u", dtype=dtype), grid.field("u_new", dtype=dtype)
    u.boundary(grid.sides, hc.Dirichlet(0.0))
    u.set(initial)
    if kernel is heat:
        return grid, [heat(u, u_new, a=0.1), hc.swap(u, u_new)], u
    u_old = grid.field("u_old", dtype=dtype)
    u_old.set(initial)
    return grid, [wave(u_old, u, u_new, s=0.1), hc.rotate(u_old, u, u_new)], u


def lattice(name: str, streaming: str, n: int, dtype: str) -> Flow:
    """Return a periodic flow on n cells along each axis."""
    extent = (n,) * int(name[1])
    return make_flow(Setup(extent, name, 1.6, bgk, {}, None, streaming=streaming, dtype=dtype))
