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

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.apps.lbm.boundaries.prescribed import scalar, vector
from halocline.apps.lbm.lattice.links import inwards, leaving, normal
from halocline.apps.lbm.lattice.populations import Value, add, dot, moments
from halocline.apps.lbm.lattice.streaming import POST_COLLISION, StreamingPattern
from halocline.apps.lbm.setup.place_and_time import changes
from halocline.geometry import AXES, added

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
    for cell in _last_cells(f, velocity_set, pattern, at):
        excess, momentum = cell.before(cell.place)
        excess_inside, momentum_inside = cell.before(cell.inside)
        speed = cell.out(momentum) / (1.0 + excess)
        out, back = hc.maximum(speed, 0.0), hc.maximum(-speed, 0.0)
        held = scalar(density, cell.place, before, f.dtype)
        carried = out * (cell.outwards * (momentum[cell.axis] - momentum_inside[cell.axis]))
        change = cell.excess_plus_flux - (excess + cell.out(momentum))
        new = excess + (change + carried) * (1.0 / (1.0 + SOUND))
        new = new - relaxation * (excess - (held - 1.0))
        if changes(density):
            wave = 2.0 * SOUND / (1.0 + SOUND)
            new = new + wave * (scalar(density, cell.place, time, f.dtype) - held)
        velocity = []
        for a in range(velocity_set.dimensions):
            u = momentum[a] / (1.0 + excess)
            gradient = u - momentum_inside[a] / (1.0 + excess_inside)
            velocity.append(u - out * gradient - back * u)
        cell.deliver(cell.flux(new, velocity))


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
    for cell in _last_cells(f, velocity_set, pattern, at):
        excess, momentum = cell.before(cell.place)
        speed = cell.out(momentum) / (1.0 + excess)
        prescribed = vector(velocity, cell.place, time, f.dtype)
        held = cell.out(vector(velocity, cell.place, before, f.dtype))
        change = cell.excess_plus_flux - (excess + cell.out(momentum))
        if changes(velocity):
            change = change - (2.0 + 2.0 * excess) * (cell.out(prescribed) - held)
        new = excess + change / (1.0 + SOUND + speed)
        new = new + (relaxation + relaxation * excess) * (speed - held)
        cell.deliver(cell.flux(new, prescribed))


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
    for cell in _last_cells(f, velocity_set, pattern, at):
        total = 1.0 + cell.excess_plus_flux
        if prescribed := vector(velocity, cell.place, time, f.dtype):
            rho = total / (1.0 + cell.out(prescribed))
            flux = [rho * u for u in prescribed]
        else:
            flux = [0.0] * velocity_set.dimensions
            held = scalar(density, cell.place, time, f.dtype)
            flux[cell.axis] = cell.outwards * (total - held)
        cell.deliver(flux)


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


def _last_cells(
    f: Any, velocity_set: VelocitySet, pattern: StreamingPattern, side: str
) -> Iterator[_LastCell]:
    """Yield the last cells before a side that a cell of the layer beyond sends populations to."""
    for i in leaving(velocity_set, side):
        yield _LastCell(f, velocity_set, pattern, side, i)


class _LastCell:
    """A last cell, in which populations from beyond a side are missing.

    Args:
        f: Populations.
        velocity_set: The lattice.
        pattern: Where populations are kept.
        side: The side.
        i: The population that comes from the cell beyond.

    Attributes:
        axis: Of the side.
        outwards: 1 or -1, the way out of the domain along that.
        place: Where the cell is, from the one beyond.
        inside: Where the one before it is.
        arrived: The populations that have arrived, but for those that are missing.
        excess_plus_flux: Excess density plus momentum out of the domain, which follow from these.
    """

    def __init__(
        self, f: Any, velocity_set: VelocitySet, pattern: StreamingPattern, side: str, i: int
    ) -> None:
        self._f, self._velocity_set, self._pattern = f, velocity_set, pattern
        self._side, self._i = side, i
        self.axis, self.outwards = AXES.index(side[0]), -inwards(side)
        self.place = velocity_set.velocities[i]
        self.inside = added(self.place, normal(velocity_set, side))
        missing = leaving(velocity_set, side)
        self.arrived = {
            k: pattern.arriving(f, velocity_set, k, self.place)
            for k in range(len(velocity_set))
            if k not in missing
        }
        towards = [self.arrived[k] for k in self._crossing(self.outwards)]
        self.excess_plus_flux = add([self.arrived[k] for k in self._crossing(0)]) + 2.0 * add(
            towards
        )

    def _crossing(self, sign: int) -> list[int]:
        """Return the populations that have arrived and move so across the side."""
        velocities = self._velocity_set.velocities
        return [k for k in self.arrived if velocities[k][self.axis] == sign]

    def before(self, cell: Offset) -> tuple[Value, list[Value]]:
        """Return excess density and momentum of a cell, which the last collision has conserved."""
        populations = range(len(self._velocity_set))
        left = [self._pattern.outgoing(self._f, self._velocity_set, k, cell) for k in populations]
        return moments(self._velocity_set, left)

    def out(self, vector: Sequence[Value]) -> Value:
        """Return the component of a vector out of the domain."""
        return self.outwards * vector[self.axis]

    def flux(self, excess: Value, velocity: Sequence[Value]) -> list[Value]:
        """Return the momentum with which the cell has an excess density and what is known of it.

        Args:
            excess: What the density is to be.
            velocity: What that is to be along the side.
        """
        flux = [(1.0 + excess) * u for u in velocity]
        flux[self.axis] = self.outwards * (self.excess_plus_flux - excess)
        return flux

    def deliver(self, flux: Sequence[Value]) -> None:
        """Let the missing population arrive that gives the cell a momentum.

        Source: the closed form of Zou & He for planes along the axes (Hecht & Harting 2010).
        """
        c, weight = self.place, self._velocity_set.weights[self._i]
        value = self.arrived[self._velocity_set.opposites[self._i]]
        value = value + (6.0 * weight) * dot(c, flux)
        for t in range(len(c)):
            if t != self.axis and c[t]:
                still = weight * self._tangential(t, flux[t])
                value = value + still if c[t] > 0 else value - still
        self._pattern.deliver(self._f, self._velocity_set, self._i, c, value)

    def _tangential(self, t: int, momentum: Value) -> Value:
        """Return the tangential momentum that is missing, over the weights that can provide it."""
        velocities, weights = self._velocity_set.velocities, self._velocity_set.weights
        moving = [k for k in self._crossing(0) if velocities[k][t]]
        carried = dot(tuple(velocities[k][t] for k in moving), [self.arrived[k] for k in moving])
        share = sum(
            weights[i] * velocities[i][t] ** 2 for i in leaving(self._velocity_set, self._side)
        )
        return (momentum * (1.0 - 6.0 * share) - carried) * (1.0 / share)
