"""Open sides: what arrives in the last cells from beyond a side through which fluid passes.

All are written for the layer beyond, as walls are ('walls'). The populations that do not come
from there are known; with rho the density and j the momentum out of the domain they tell rho + j,
so one more equation is needed. 'Velocity' and 'Pressure' prescribe j / rho or rho. The two others
let sound out. A wave that leaves a fluid of velocity w changes both by c d(rho) = dj - w d(rho),
c = 1/sqrt(3); what the flow carries changes j at a fixed place, but no density. So with
D = d/dt + w d/dn

    outflow   c d(rho) = Dj + 2 c d(rho_t)              for w > 0, d/dn upwind
    inflow    c d(rho) = rho dw - 2 rho dw_t

where rho_t and w_t are prescribed: half of their change comes in with a wave, which has as much of
the other quantity. In the language of characteristics the incoming one is left alone, but for the
transverse terms, of which a share of the Mach number counts: they are minus d(rho)/dt - dj/dn by
the conservation of mass. Added is a slow return to what is prescribed, without which the means
would drift.

Source: Poinsot & Lele, J. Comput. Phys. 101 (1992) 104; for transverse terms Yoo & Im, Combust.
Theory Model. 11 (2007) 259; on lattices Izquierdo & Fueyo, Phys. Rev. E 78 (2008) 046707, and Jung,
Seo & Yoo, J. Comput. Phys. 302 (2015) 367. Here the lattice itself says what arrives from within,
in place of their differences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import halocline as hc
from halocline.apps.lbm.boundaries.prescribed import scalar, vector
from halocline.apps.lbm.lattice.links import inwards, leaving, normal
from halocline.apps.lbm.lattice.populations import Value, add, dot, moments
from halocline.apps.lbm.lattice.streaming import POST_COLLISION, StreamingPattern
from halocline.apps.lbm.setup.place_and_time import changes
from halocline.geometry import AXES

if TYPE_CHECKING:
    from halocline.apps.lbm.lattice.velocity_set import VelocitySet
    from halocline.geometry import Offset

SOUND = 1.0 / sqrt(3.0)
# What is prescribed comes back in the time in which sound crosses so many lengths of the domain:
# faster, and more of long pulses comes back; slower, and means drift for longer.
_LENGTHS = 8.0


def usual_relaxation(cells: int) -> float:
    """Return by which share densities and velocities come back in a step, of a domain so long."""
    return SOUND / (_LENGTHS * cells)


@hc.kernel
def outflow(  # noqa: PLR0913 (what is prescribed, and when)
    f: Any,
    *,
    velocity_set: Any,
    at: Any,
    density: Any,
    relaxation: Any,
    time: Any = 0.0,
    before: Any = 0.0,
    pattern: Any = POST_COLLISION,
) -> None:
    """Let what the flow carries and sound go out of the domain through a side.

    Velocities along the side are carried out, too; what comes back in has none. What arrives from
    the layer beyond differs from equilibrium as what leaves to it.

    Args:
        f: Populations.
        velocity_set: The lattice.
        at: The side.
        density: Held on average, see 'Outflow'.
        relaxation: How fast it comes back to that [1 / step].
        time: The time, for a function of it.
        before: The time a lattice step ago.
        pattern: Where populations are kept, see 'streaming'.
    """
    axis, outwards = AXES.index(at[0]), -inwards(at)
    for i in leaving(velocity_set, at):
        c = velocity_set.velocities[i]
        inside = tuple(a + b for a, b in zip(c, normal(velocity_set, at), strict=True))
        excess, momentum, arrived, known, change = _last_cell(f, velocity_set, pattern, at, c)
        excess_inside, momentum_inside = _before(f, velocity_set, pattern, inside)
        speed = outwards * momentum[axis] / (1.0 + excess)
        out, back = hc.maximum(speed, 0.0), hc.maximum(-speed, 0.0)
        held = scalar(density, c, before, f.dtype)
        carried = out * (outwards * (momentum[axis] - momentum_inside[axis]))
        new = excess + (change + carried) * (1.0 / (1.0 + SOUND))
        new = new - relaxation * (excess - (held - 1.0))
        if changes(density):
            wave = 2.0 * SOUND / (1.0 + SOUND)
            new = new + wave * (scalar(density, c, time, f.dtype) - held)
        velocity = []
        for a in range(velocity_set.dimensions):
            u = momentum[a] / (1.0 + excess)
            gradient = u - momentum_inside[a] / (1.0 + excess_inside)
            velocity.append(u - out * gradient - back * u)
        flux = _flux(at, new, velocity, known)
        pattern.deliver(f, velocity_set, i, c, _missing(velocity_set, at, i, arrived, flux))


@hc.kernel
def inflow(  # noqa: PLR0913 (what is prescribed, and when)
    f: Any,
    *,
    velocity_set: Any,
    at: Any,
    velocity: Any,
    relaxation: Any,
    time: Any = 0.0,
    before: Any = 0.0,
    pattern: Any = POST_COLLISION,
) -> None:
    """Let fluid come in through a side, and sound out.

    Args:
        f: Populations.
        velocity_set: The lattice.
        at: The side.
        velocity: See 'Inflow'.
        relaxation: How fast the velocity comes back to that [1 / step].
        time: See 'outflow', as the others.
        before: The time a lattice step ago.
        pattern: Where populations are kept.
    """
    axis, outwards = AXES.index(at[0]), -inwards(at)
    for i in leaving(velocity_set, at):
        c = velocity_set.velocities[i]
        excess, momentum, arrived, known, change = _last_cell(f, velocity_set, pattern, at, c)
        speed = outwards * momentum[axis] / (1.0 + excess)
        wanted = vector(velocity, c, time, f.dtype)
        held = outwards * vector(velocity, c, before, f.dtype)[axis]
        if changes(velocity):
            change = change - (2.0 + 2.0 * excess) * (outwards * wanted[axis] - held)
        new = excess + change / (1.0 + SOUND + speed)
        new = new + (relaxation + relaxation * excess) * (speed - held)
        flux = _flux(at, new, wanted, known)
        pattern.deliver(f, velocity_set, i, c, _missing(velocity_set, at, i, arrived, flux))


@hc.kernel
def open_side(  # noqa: PLR0913 (what is prescribed, and when)
    f: Any,
    *,
    velocity_set: Any,
    at: Any,
    velocity: Any = (),
    density: Any = None,
    time: Any = 0.0,
    pattern: Any = POST_COLLISION,
) -> None:
    """Let arrive from the layer beyond a side what gives the last cells a velocity or a density.

    Args:
        f: Populations.
        velocity_set: The lattice.
        at: The side.
        velocity: See 'Velocity'; empty for a density.
        density: See 'Pressure', if no velocity is prescribed.
        time: The time, for a function of it.
        pattern: Where populations are kept, see 'streaming'.

    Source: the closed form of Zou & He for planes along the axes (Hecht & Harting 2010).
    """
    axis, outwards = AXES.index(at[0]), -inwards(at)
    for i in leaving(velocity_set, at):
        c = velocity_set.velocities[i]
        arrived = _found(f, velocity_set, pattern, at, c)
        known = 1.0 + _known(velocity_set, at, arrived)
        if prescribed := vector(velocity, c, time, f.dtype):
            rho = known / (1.0 + outwards * prescribed[axis])
            flux = [rho * u for u in prescribed]
        else:
            flux = [0.0] * velocity_set.dimensions
            flux[axis] = outwards * (known - scalar(density, c, time, f.dtype))
        pattern.deliver(f, velocity_set, i, c, _missing(velocity_set, at, i, arrived, flux))


@hc.kernel
def pressure_drop(
    f: Any, *, velocity_set: Any, at: Any, difference: Any, pattern: Any = POST_COLLISION
) -> None:
    """Raise the density of what arrives through a periodic side; its momentum stays.

    As much mass comes in at one side as goes out at the other. So the equilibrium changes by the
    weights, but for terms of second order in the velocity.
    """
    cell = (0,) * velocity_set.dimensions
    for i in leaving(velocity_set, at):
        arriving = pattern.arriving(f, velocity_set, i, cell)
        change = velocity_set.weights[i] * difference
        pattern.deliver(f, velocity_set, i, cell, arriving + change)


class _LastCell(NamedTuple):
    """What is known of a last cell in which populations from beyond the side are missing.

    Attributes:
        excess: Its excess density before this step.
        momentum: Its momentum then.
        arrived: The populations that have arrived, but for those that are missing.
        known: Excess density plus momentum out of the domain, as these tell it.
        change: By how much that differs from what it was.
    """

    excess: Value
    momentum: list[Value]
    arrived: dict[int, Value]
    known: Value
    change: Value


def _last_cell(
    f: Any, velocity_set: VelocitySet, pattern: StreamingPattern, side: str, cell: Offset
) -> _LastCell:
    """Return what is known of a last cell."""
    axis, outwards = AXES.index(side[0]), -inwards(side)
    excess, momentum = _before(f, velocity_set, pattern, cell)
    arrived = _found(f, velocity_set, pattern, side, cell)
    known = _known(velocity_set, side, arrived)
    change = known - (excess + outwards * momentum[axis])
    return _LastCell(excess, momentum, arrived, known, change)


def _flux(side: str, excess: Value, velocity: Sequence[Value], known: Value) -> list[Value]:
    """Return the momentum that gives a cell an excess density and what is known of it.

    Args:
        side: The side.
        excess: What the density is to be.
        velocity: What that is to be along the side.
        known: See '_LastCell'.
    """
    flux = [(1.0 + excess) * u for u in velocity]
    flux[AXES.index(side[0])] = -inwards(side) * (known - excess)
    return flux


def _before(
    f: Any, velocity_set: VelocitySet, pattern: StreamingPattern, cell: Offset
) -> tuple[Value, list[Value]]:
    """Return excess density and momentum of a cell, which the last collision has conserved."""
    left = [pattern.outgoing(f, velocity_set, k, cell) for k in range(len(velocity_set))]
    return moments(velocity_set, left)


def _found(
    f: Any, velocity_set: VelocitySet, pattern: StreamingPattern, side: str, cell: Offset
) -> dict[int, Value]:
    """Return the populations that arrive in a last cell, but not from beyond the side."""
    missing = leaving(velocity_set, side)
    return {
        k: pattern.arriving(f, velocity_set, k, cell)
        for k in range(len(velocity_set))
        if k not in missing
    }


def _known(velocity_set: VelocitySet, side: str, arrived: Mapping[int, Value]) -> Value:
    """Return excess density plus momentum out of the domain, as what has arrived tells it."""
    axis = AXES.index(side[0])
    along = [k for k in arrived if velocity_set.velocities[k][axis] == 0]
    towards = [k for k in arrived if velocity_set.velocities[k][axis] == -inwards(side)]
    return add([arrived[k] for k in along]) + 2.0 * add([arrived[k] for k in towards])


def _missing(
    velocity_set: VelocitySet,
    side: str,
    i: int,
    arrived: Mapping[int, Value],
    flux: Sequence[Value],
) -> Value:
    """Return a population that arrives through an open side and brings a momentum about.

    Source: the closed form of Zou & He for planes along the axes (Hecht & Harting 2010).
    """
    axis = AXES.index(side[0])
    c, weight = velocity_set.velocities[i], velocity_set.weights[i]
    value = arrived[velocity_set.opposites[i]] + (6.0 * weight) * dot(c, flux)
    beside = [
        (k, population)
        for k, population in arrived.items()
        if velocity_set.velocities[k][axis] == 0
    ]
    for t in (t for t in range(velocity_set.dimensions) if t != axis and c[t]):
        still = weight * _tangential(velocity_set, side, t, flux[t], beside)
        value = value + still if c[t] > 0 else value - still
    return value


def _tangential(
    velocity_set: VelocitySet, side: str, t: int, momentum: Value, along: list[tuple[int, Value]]
) -> Value:
    """Return the tangential momentum that is missing, over the weights that can provide it."""
    moving = [(velocity_set.velocities[k][t], f) for k, f in along if velocity_set.velocities[k][t]]
    carried = dot(tuple(c for c, _ in moving), [f for _, f in moving])
    weights = sum(
        velocity_set.weights[i] * velocity_set.velocities[i][t] ** 2
        for i in leaving(velocity_set, side)
    )
    return (momentum * (1.0 - 6.0 * weights) - carried) * (1.0 / weights)
