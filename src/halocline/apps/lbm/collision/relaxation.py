"""Collisions: what becomes of the populations that arrive in a cell.

Each is a function of the velocity set, the incoming populations (deviations from rest), the
relaxation rate omega of the viscous stress and a body force, and returns the outgoing populations.
A user's own function of that form serves as well.

With the equilibrium e, the force term F of Guo, Zheng & Shi (2002, eq. 20, without its prefactor)
and n = f - e + F/2, which has neither mass nor momentum, BGK is f* = f + F - omega n; the others
relax parts of n at rates of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import combinations_with_replacement
from math import sqrt
from typing import Any, TypeVar

import halocline as hc
from halocline.apps.arguments import check_number, wrong
from halocline.apps.lbm.lattice.populations import Value, add, dot, half_forced, moments
from halocline.apps.lbm.lattice.velocity_set import VelocitySet
from halocline.apps.lbm.validation.arguments import check_function
from halocline.errors import CaseError
from halocline.frozen import Frozen
from halocline.language.numbers import Range

# velocity set, populations, omega, force -> populations
Collision = Callable[[VelocitySet, Sequence[Value], Value, Sequence[Value]], list[Value]]

# (tau - 1/2)(tau_odd - 1/2): puts halfway walls exactly in the middle (Ginzburg et al. 2008).
MAGIC = 3.0 / 16.0
# Tuned by d'Humières et al. (2002).
_ENERGY_RATE, _HIGHER_RATE, _ODD_RATE = 1.19, 1.4, 1.2
# The least rate of odd moments of TRT and MRT among eddies. They hold products of velocity and
# strain; at lower rates they reach the stress, and so the eddies' viscosity
# (docs/decisions/0056).
_LEAST_ODD_RATE_WITH_SMAGORINSKY = 0.1


_Named = TypeVar("_Named", bound=Callable[..., Any])


def named(name: str) -> Callable[[_Named], _Named]:
    """Return what gives a collision the name that cases call it by."""

    def with_name(collision: _Named) -> _Named:
        collision.known_as = name  # type: ignore[attr-defined]
        return collision

    return with_name


def known_as(collision: Collision) -> str:
    """Return what cases call a collision; '' for a user's own, and for rates that are not usual."""
    return getattr(collision, "known_as", "")


@named("bgk")
def bgk(
    velocity_set: VelocitySet,
    populations: Sequence[Value],
    omega: Value,
    force: Sequence[Value] = (),
) -> list[Value]:
    """Relax everything at one rate.

    Source: Qian, d'Humières & Lallemand 1992.

    Example:
        >>> setup = lbm.Setup((8, 8), "D2Q9", omega=1.6, collision=lbm.bgk)
    """
    forced = 1.0 - 0.5 * omega
    gains = _terms(velocity_set, populations, force, (omega, omega), (forced, forced))
    keep = 1.0 - omega
    result = [keep * populations[0] + gains[0][0]] * len(velocity_set)
    for i, o in velocity_set.pairs:
        even, odd = gains[i]
        result[i] = keep * populations[i] + (even + odd)
        result[o] = keep * populations[o] + (even - odd)
    return result


def trt(magic: float = MAGIC, least: float = 0.0) -> Collision:
    """Return a collision with a second rate, for what is odd in the velocity.

    Args:
        magic: (tau - 1/2)(tau_odd - 1/2), on which alone the errors of steady flows depend: 3/16
            for walls exactly halfway, 1/4 for stability, 1/12 for advection.
        least: The least second rate, whatever 'magic' asks for [1 / step].

    Raises:
        CaseError: A number is out of range.

    Source: Ginzburg, Verhaeghe & d'Humières 2008.

    Example:
        >>> collision = lbm.trt(magic=0.25)
    """
    check_number("magic", magic, Range(above=0.0))
    check_number("least", least, Range(least=0.0, below=2.0))

    @named("trt" if (magic, least) == (MAGIC, 0.0) else "")
    def collide(
        velocity_set: VelocitySet,
        populations: Sequence[Value],
        omega: Value,
        force: Sequence[Value] = (),
    ) -> list[Value]:
        omega_odd = odd_rate(omega, magic)
        if least:
            omega_odd = hc.maximum(omega_odd, least)
        forced = (1.0 - 0.5 * omega, 1.0 - 0.5 * omega_odd)
        gains = _terms(velocity_set, populations, force, (omega, omega_odd), forced)
        result = [(1.0 - omega) * populations[0] + gains[0][0]] * len(velocity_set)
        for i, o in velocity_set.pairs:
            even, odd = gains[i]
            even = even - (0.5 * omega) * (populations[i] + populations[o])
            odd = odd - (0.5 * omega_odd) * (populations[i] - populations[o])
            result[i] = populations[i] + (even + odd)
            result[o] = populations[o] + (even - odd)
        return result

    if least < _LEAST_ODD_RATE_WITH_SMAGORINSKY:
        collide.with_smagorinsky = trt(magic, _LEAST_ODD_RATE_WITH_SMAGORINSKY)  # type: ignore[attr-defined]
    return collide


def odd_rate(omega: Value, magic: float = MAGIC) -> Value:
    """Return the rate of what is odd in the velocity, given that of the stress [1 / step]."""
    return 1.0 / (0.5 + magic / (1.0 / omega - 0.5))


def mrt(
    energy: float = _ENERGY_RATE, higher: float = _HIGHER_RATE, odd: float = _ODD_RATE
) -> Collision:
    """Return a collision with rates of their own for the energy and for higher even moments.

    It is TRT but for a few moments, and only these are computed. For D2Q9 and D3Q19.

    Args:
        energy: Rate of the energy; decides the bulk viscosity [1 / step].
        higher: Rate of even moments of fourth order [1 / step].
        odd: Least rate of odd moments, which have TRT's where that is greater [1 / step].

    Raises:
        CaseError: A rate is not between 0 and 2.

    Source: Lallemand & Luo 2000 (D2Q9); d'Humières et al. 2002 (D3Q19).

    Example:
        >>> collision = lbm.mrt()
    """
    check_number("energy", energy, Range(above=0.0, below=2.0))
    check_number("higher", higher, Range(above=0.0, below=2.0))
    check_number("odd", odd, Range(above=0.0, below=2.0))
    relax = trt(least=odd)

    is_usual = (energy, higher, odd) == (_ENERGY_RATE, _HIGHER_RATE, _ODD_RATE)

    @named("mrt" if is_usual else "")
    def collide(
        velocity_set: VelocitySet,
        populations: Sequence[Value],
        omega: Value,
        force: Sequence[Value] = (),
    ) -> list[Value]:
        result = relax(velocity_set, populations, omega, force)
        excess = _even_excess(velocity_set, populations, force)
        changes = [
            (row, (omega - (energy if row.is_energy else higher)) * _share(row, excess))
            for row in moment_rows(velocity_set)
        ]
        for pair in ((0, 0), *velocity_set.pairs):
            change = add([row.values[pair[0]] * c for row, c in changes if row.values[pair[0]]])
            for i in dict.fromkeys(pair):
                result[i] = result[i] + change
        return result

    if odd < _LEAST_ODD_RATE_WITH_SMAGORINSKY:
        collide.with_smagorinsky = mrt(energy, higher, _LEAST_ODD_RATE_WITH_SMAGORINSKY)  # type: ignore[attr-defined]
    return collide


class Row(Frozen):
    """A moment: the sum of the populations, each times its value.

    Attributes:
        values: One a population.
        is_energy: Whether it is the energy, which decides the bulk viscosity.
    """

    values: tuple[float, ...]
    is_energy: bool = False

    @property
    def square(self) -> float:
        """The sum of the squares of all values."""
        return sum(v * v for v in self.values)


def _square(*c: int) -> int:
    return sum(n * n for n in c)


# The energy first. Source: Lallemand & Luo 2000 (D2Q9); d'Humières et al. 2002 (D3Q19).
_POLYNOMIALS: dict[str, tuple[Callable[..., float], ...]] = {
    "D2Q9": (
        lambda *c: 3 * _square(*c) - 4,
        lambda *c: (9 * _square(*c) ** 2 - 21 * _square(*c) + 8) / 2,
    ),
    "D3Q19": (
        lambda *c: 19 * _square(*c) - 30,
        lambda *c: (21 * _square(*c) ** 2 - 53 * _square(*c) + 24) / 2,
        lambda *c: (3 * _square(*c) - 5) * (3 * c[0] ** 2 - _square(*c)),
        lambda *c: (3 * _square(*c) - 5) * (c[1] ** 2 - c[2] ** 2),
    ),
}


@cache
def moment_rows(velocity_set: VelocitySet) -> tuple[Row, ...]:
    """Return the even moments that neither collisions conserve nor stress needs, energy first.

    Raises:
        CaseError: None are tabulated for the velocity set.
    """
    if velocity_set.name not in _POLYNOMIALS:
        raise CaseError(
            f"Collision 'mrt' was asked for on {velocity_set.name}; it knows the moments of "
            f"{' and '.join(_POLYNOMIALS)}.",
            hint="Choose 'trt', or 'cumulant' for D3Q27.",
        )
    return tuple(
        Row(tuple(float(p(*c)) for c in velocity_set.velocities), number == 0)
        for number, p in enumerate(_POLYNOMIALS[velocity_set.name])
    )


@named("regularised")
def regularised(
    velocity_set: VelocitySet,
    populations: Sequence[Value],
    omega: Value,
    force: Sequence[Value] = (),
) -> list[Value]:
    """Relax the stress alone and forget all else that is not in equilibrium.

    Source: Latt & Chopard 2006.

    Example:
        >>> setup = lbm.Setup((8, 8), "D2Q9", omega=1.6, collision=lbm.regularised)
    """
    targets = _terms(velocity_set, populations, force, (1.0, 1.0), (0.5, 0.5))
    tensor = stress(velocity_set, populations, force)
    third = add([tensor[a, a] for a in range(velocity_set.dimensions)]) * (1.0 / 3.0)
    keep = 4.5 * (1.0 - omega)

    def projected(i: int) -> Value:
        along = [
            (1.0 if a == b else 2.0) * product * tensor[a, b]
            for a, b in tensor
            if (product := velocity_set.velocities[i][a] * velocity_set.velocities[i][b])
        ]
        return (velocity_set.weights[i] * keep) * (add(along) - third if along else -third)

    result = [targets[0][0] + projected(0)] * len(velocity_set)
    for i, o in velocity_set.pairs:
        even, odd = targets[i]
        even = even + projected(i)
        result[i], result[o] = even + odd, even - odd
    return result


def smagorinsky(constant: float, collision: Collision = bgk) -> Collision:
    """Return a collision with the viscosity of eddies smaller than a cell.

    Args:
        constant: Of the model, 0.1 to 0.17.
        collision: What relaxes, at the rate that the local strain gives. The rates of odd moments
            of TRT and MRT are at least 0.1 then.

    Raises:
        CaseError: The constant is negative or not below 1, or the other is no collision.

    Source: Hou, Sterling, Chen & Doolen 1996.

    Example:
        >>> collision = lbm.smagorinsky(0.1, lbm.trt())
    """
    if constant != 0.0:
        check_number("constant", constant, Range(above=0.0, below=1.0), "0.1 to 0.17 are usual.")
    check_collision("collision", collision)
    relax = getattr(collision, "with_smagorinsky", collision)

    def collide(
        velocity_set: VelocitySet,
        populations: Sequence[Value],
        omega: Value,
        force: Sequence[Value] = (),
    ) -> list[Value]:
        tensor = stress(velocity_set, populations, force)
        squares = [(1.0 if a == b else 2.0) * (t * t) for (a, b), t in tensor.items()]
        density = 1.0 + moments(velocity_set, populations)[0]
        tau = 1.0 / omega
        strain = (18.0 * sqrt(2.0) * constant * constant) * hc.sqrt(add(squares)) / density
        local = 2.0 / (tau + hc.sqrt(tau * tau + strain))
        return relax(velocity_set, populations, local, force)

    return collide


def check_collision(name: str, collision: Any) -> None:
    """Refuse what cannot be called as a collision, as one that is still to be made.

    Raises:
        CaseError: The message names the argument.
    """
    hint = (
        "Collisions are bgk, trt(), central(), mrt(), regularised, cumulant, smagorinsky(0.15), "
        "or yours."
    )
    if not callable(collision):
        raise wrong(name, collision, "a function", hint)
    check_function(name, collision, ("velocity set", "populations", "omega", "force"), hint)


def stress(
    velocity_set: VelocitySet, populations: Sequence[Value], force: Sequence[Value] = ()
) -> dict[tuple[int, int], Value]:
    """Return the second moments of n by axes a <= b: minus 2 rho tau / 3 times the strain rate."""
    excess = _even_excess(velocity_set, populations, force)
    axes = combinations_with_replacement(range(velocity_set.dimensions), 2)
    return {
        (a, b): add(
            [
                excess[i] if product > 0 else -excess[i]
                for i, _ in velocity_set.pairs
                if (product := velocity_set.velocities[i][a] * velocity_set.velocities[i][b])
            ]
        )
        for a, b in axes
    }


def _share(row: Row, excess: Mapping[int, Value]) -> Value:
    """Return a moment over its square; what has the same value in the row is added first."""
    groups: dict[float, list[Value]] = {}
    for i, value in excess.items():
        groups.setdefault(row.values[i], []).append(value)
    parts = [value * add(group) for value, group in groups.items() if value]
    return add(parts) * (1.0 / row.square)


def _even_excess(
    velocity_set: VelocitySet, populations: Sequence[Value], force: Sequence[Value]
) -> dict[int, Value]:
    """Return n of the rest population, and of the first of each pair its sum with the other's."""
    terms = _terms(velocity_set, populations, force, (-1.0, -1.0), (0.5, 0.5))
    pairs = {
        i: (populations[i] + populations[o]) + 2.0 * terms[i][0] for i, o in velocity_set.pairs
    }
    return {0: populations[0] + terms[0][0], **pairs}


def _terms(
    velocity_set: VelocitySet,
    populations: Sequence[Value],
    force: Sequence[Value],
    of_equilibrium: tuple[Value, Value],
    of_force: tuple[Value, Value],
) -> dict[int, tuple[Value, Value]]:
    """Return equilibrium and force, their even and odd parts each times a factor, and added.

    For the rest population and the first of each pair: what is even in the velocity and what is odd
    are computed once, then added for the one population and subtracted for the other.
    """
    excess, momentum = moments(velocity_set, populations)
    three_j = [3.0 * j for j in half_forced(momentum, force)]
    inverse_density = 1.0 / (1.0 + excess)
    three_u = [j * inverse_density for j in three_j]
    base = excess - add([j * u for j, u in zip(three_j, three_u, strict=True)]) * (1.0 / 6.0)
    three_f = [3.0 * f for f in force]
    force_base = add([f * u for f, u in zip(force, three_u, strict=True)]) if force else 0.0
    terms = {}
    for i in (0, *(i for i, _ in velocity_set.pairs)):
        c, weight = velocity_set.velocities[i], velocity_set.weights[i]
        along_u, along_j = dot(c, three_u), dot(c, three_j)
        even = (weight * of_equilibrium[0]) * (base + 0.5 * (along_u * along_j))
        odd = (weight * of_equilibrium[1]) * along_j
        if force:
            along_f = dot(c, three_f)
            even = even + (weight * of_force[0]) * (along_u * along_f - force_base)
            odd = odd + (weight * of_force[1]) * along_f
        terms[i] = even, odd
    return terms
