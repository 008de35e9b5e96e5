"""Stand-ins for the routines of paper 002, written as a user of the language would write them.

They read and write the same fields with the same offsets as GETM's routines, so that halos,
messages and the order of computing and waiting are those of the report; the physics is reduced to
what keeps the numbers finite. Indices are the report's: U points lie half a cell after T points.
"""

from __future__ import annotations

from typing import Any

import halocline as hc
from halocline.lbm import bgk

# In this module a value is a symbol while a kernel is traced.
Value = Any
Offset = tuple[int, int, int]

_HERE = (0, 0, 0)
_TINY = 1e-10


@hc.kernel
def momentum(U: Any, V: Any, z: Any, *, axis: int, slope: Any, coriolis: Any, drag: Any) -> None:
    """Update a transport of the 2-D mode: surface slope, Coriolis force, bed friction."""
    along, across = ((1, 0), (0, 1)) if axis == 0 else ((0, 1), (1, 0))
    v_here = _around(V, along, across)
    slowed = 1.0 + drag * hc.sqrt(U[0, 0] * U[0, 0] + v_here * v_here)
    U[0, 0] = (U[0, 0] - slope * _four_point(z, along) + coriolis * v_here) / slowed


@hc.kernel
def sea_level(z: Any, U: Any, V: Any, *, courant: Any) -> None:
    """Update the sea level by continuity of the newest transports."""
    z[0, 0] = z[0, 0] - courant * ((U[0, 0] - U[-1, 0]) + (V[0, 0] - V[0, -1]))


def _around(other: Any, along: tuple[int, ...], across: tuple[int, ...]) -> Value:
    """Return the mean of the other velocity at the four points around one, which lies ahead."""
    behind = _steps(across, -1)
    diagonal = tuple(a + b for a, b in zip(along, behind, strict=True))
    here = other[_steps(along, 0)] + other[along]
    return 0.25 * (here + (other[behind] + other[diagonal]))


def _four_point(z: Any, along: tuple[int, ...]) -> Value:
    """Return the difference across a velocity point, fourth order: it reads two cells away."""
    before, here, after, beyond = (z[_steps(along, n)] for n in (-1, 0, 1, 2))
    return 1.125 * (after - here) - (beyond - before) * (1.0 / 24.0)


@hc.kernel
def interface(T: Any, u: Any, cu: Any, *, along: Offset, courant: Any) -> None:
    """Part A: the concentration at the velocity points along an axis from four tracer values."""
    four = [T[_steps(along, n)] for n in (-1, 0, 1, 2)]
    cu[_HERE] = _p2_pdm(four, u[_HERE], courant)


def _p2_pdm(four: list[Value], velocity: Value, courant: Value) -> Value:
    """Return the interface value of the limited third-order scheme (ULTIMATE QUICKEST).

    Args:
        four: Tracer in the two cells before and the two after the interface.
        velocity: At the interface.
        courant: Time step over cell size.

    Source: Leonard, Comput. Methods Appl. Mech. Engrg. 88 (1991) 17; codebox 7-4 of the report.
    """
    before, low, high, beyond = four
    is_forward = velocity >= 0.0
    upstream = hc.where(is_forward, low, high)
    downstream = hc.where(is_forward, high, low)
    far = hc.where(is_forward, before, beyond)
    c = courant * hc.where(is_forward, velocity, -velocity)
    step = downstream - upstream
    ratio = (upstream - far) / hc.where(step * step > _TINY * _TINY, step, _TINY)
    x = (1.0 - 2.0 * c) * (1.0 / 6.0)
    phi = (0.5 + x) + (0.5 - x) * ratio
    limit = hc.minimum(phi, hc.minimum(2.0 / (1.0 - c), 2.0 * ratio / (c + _TINY)))
    return upstream + 0.5 * hc.maximum(0.0, limit) * (1.0 - c) * step


@hc.kernel
def advance(
    T: Any, T_new: Any, cu: Any, u: Any, h: Any, water: Any, *, along: Offset, courant: Any
) -> None:
    """Part B along an axis, on the map: cells within two of land keep their tracer."""
    tracer, h_new = _advanced(T, cu, u, h, along, courant)
    for n in (-2, 2):
        tracer = hc.where(water[_steps(along, n)] == 0, T[_HERE], tracer)
    T_new[_HERE] = tracer
    h[_HERE] = h_new


@hc.kernel
def advance_vertically(
    T: Any, T_new: Any, cw: Any, w: Any, h: Any, *, along: Offset, courant: Any
) -> None:
    """Part B along the vertical, where no land lies."""
    T_new[_HERE], h[_HERE] = _advanced(T, cw, w, h, along, courant)


def _advanced(T: Any, cu: Any, u: Any, h: Any, along: Offset, courant: Any) -> tuple[Value, Value]:
    """Return tracer and layer thickness from the fluxes through two interfaces."""
    before = _steps(along, -1)
    h_new = h[_HERE] - courant * (u[_HERE] - u[before])
    flux = u[_HERE] * cu[_HERE] - u[before] * cu[before]
    return (T[_HERE] * h[_HERE] - courant * flux) / h_new, h_new


def _steps(along: tuple[int, ...], count: int) -> tuple[int, ...]:
    """Return the offset of the cell so many steps along an axis."""
    return tuple(count * n for n in along)


@hc.kernel
def take_up(T: Any, T_new: Any, *, rate: Any, iterations: Any) -> None:
    """Let organisms take up a tracer, with saturation, by a fixed number of iterations.

    The local work of a coupled ecosystem model, which takes longer than advection.
    """
    left = T[_HERE]
    for _ in range(iterations):
        left = T[_HERE] / (1.0 + rate / (1.0 + left))
    T_new[_HERE] = left


@hc.kernel
def diffuse_column(T: Any, T_new: Any, nu: Any, *, number: Any) -> None:
    """Mix a tracer vertically; explicit here, an implicit column solve in GETM."""
    up = nu[0, 0, 0] * (T[0, 0, 1] - T[0, 0, 0])
    down = nu[0, 0, -1] * (T[0, 0, 0] - T[0, 0, -1])
    T_new[0, 0, 0] = T[0, 0, 0] + number * (up - down)


@hc.kernel
def mixing(nu: Any, u: Any, v: Any) -> None:
    """Compute the eddy viscosity at T columns from the shear around them (GOTM's place)."""
    du = (u[0, 0, 1] + u[-1, 0, 1]) - (u[0, 0, 0] + u[-1, 0, 0])
    dv = (v[0, 0, 1] + v[0, -1, 1]) - (v[0, 0, 0] + v[0, -1, 0])
    nu[0, 0, 0] = 0.1 + 0.01 / (1.0 + du * du + dv * dv)


@hc.kernel
def momentum_3d(
    u: Any, new: Any, v: Any, nu: Any, *, along: Offset, across: Offset, coriolis: Any, number: Any
) -> None:
    """Update a velocity of the 3-D mode: Coriolis force and friction with viscosity around it."""
    below = (*along[:2], -1)
    up = 0.5 * (nu[0, 0, 0] + nu[along]) * (u[0, 0, 1] - u[0, 0, 0])
    down = 0.5 * (nu[0, 0, -1] + nu[below]) * (u[0, 0, 0] - u[0, 0, -1])
    new[_HERE] = u[_HERE] + coriolis * _around(v, along, across) + number * (up - down)


@hc.kernel
def vertical_velocity(w: Any, u: Any, v: Any, *, courant: Any) -> None:
    """Compute the divergence that feeds the vertical velocity of a layer."""
    w[0, 0, 0] = courant * ((u[0, 0, 0] - u[-1, 0, 0]) + (v[0, 0, 0] - v[0, -1, 0]))


@hc.kernel
def advect_momentum(u: Any, v: Any, tendency: Any, *, along: Offset, across: Offset) -> None:
    """Compute the low-order advection of a velocity."""
    behind, beside = _steps(along, -1), _steps(across, -1)
    ahead = 0.5 * (u[along] + u[_HERE]) * u[_HERE]
    before = 0.5 * (u[_HERE] + u[behind]) * u[behind]
    side = 0.5 * (v[_HERE] + v[along]) * (u[across] - u[beside])
    tendency[_HERE] = (ahead - before) + side


# fmt: off
@hc.kernel
def collide_stream_apart(
    f0: Any, f1: Any, f2: Any, f3: Any, f4: Any, f5: Any, f6: Any, f7: Any, f8: Any,
    g0: Any, g1: Any, g2: Any, g3: Any, g4: Any, g5: Any, g6: Any, g7: Any, g8: Any,
    *, velocity_set: Any, omega: Any,
) -> None:
    """Pull and collide D2Q9 with a field for each population, as paper 004's arrays."""
    before, after = (f0, f1, f2, f3, f4, f5, f6, f7, f8), (g0, g1, g2, g3, g4, g5, g6, g7, g8)
    incoming = [
        population[_steps(velocity, -1)]
        for population, velocity in zip(before, velocity_set.velocities, strict=True)
    ]
    outgoing = bgk(velocity_set, incoming, omega)
    for result, value in zip(after, outgoing, strict=True):
        result[0, 0] = value
# fmt: on
