"""Heat conduction in the language: explicit Euler in time, central differences in space."""

from __future__ import annotations

from typing import Any

import halocline as hc


@hc.kernel
def diffuse(T: Any, T_new: Any, *, diffusivity_dt: Any) -> None:  # noqa: N803 (the physicist's T)
    """Make one explicit step of dT/dt = D laplacian(T); stable for D dt / h² up to 1 / (2 d)."""
    cell = (0,) * T.dimensions
    T_new[cell] = T[cell] + diffusivity_dt * hc.laplacian(T)


@hc.kernel
def conduct(T: Any, Fx: Any, Fy: Any, *, number: Any) -> None:  # noqa: N803
    """Set what flows through the faces at the low sides; 'number' is D dt / h²."""
    Fx[0, 0] = -number * (T[0, 0] - T[-1, 0])
    Fy[0, 0] = -number * (T[0, 0] - T[0, -1])


@hc.kernel
def gain(T: Any, Fx: Any, Fy: Any, given: Any, *, source: Any) -> None:  # noqa: N803
    """Add what flows in, and what a source gives, which is counted apart, too.

    'source' is what it gives at its place, where that is, and at which distance it is e times less.
    """
    most, place, width = source
    heat = most * hc.exp(-_squared_distance(place) / width**2)
    T[0, 0] = T[0, 0] - (Fx[1, 0] - Fx[0, 0] + Fy[0, 1] - Fy[0, 0]) + heat
    given[0, 0] = given[0, 0] + heat


@hc.kernel
def level_for(T: Any, wanted: Any, *, allowed: Any, near: Any) -> None:  # noqa: N803
    """Set the level on which the temperature changes by one to two times 'allowed' over two cells.

    'allowed' is given in cells of each level, so that all of them say the same. 'near' is a place,
    how far around it a certain level is wanted, and which.
    """
    place, reach, level = near
    change = hc.maximum(abs(T[1, 0] - T[-1, 0]), abs(T[0, 1] - T[0, -1]))
    # Where nothing changes at all it is a level far below any.
    steep = hc.log2(change / allowed + 1e-9)
    wanted[0, 0] = hc.where(_squared_distance(place) < reach**2, level, steep)


def _squared_distance(place: Any) -> Any:
    return (hc.coordinate("x") - place[0]) ** 2 + (hc.coordinate("y") - place[1]) ** 2
