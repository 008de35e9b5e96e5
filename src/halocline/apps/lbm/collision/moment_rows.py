"""Even moments beyond density and stress, as rows over the populations (MRT)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from halocline.apps.lbm.lattice.velocity_set import VelocitySet
from halocline.errors import CaseError

Polynomial = Callable[..., float]


@dataclass(frozen=True, slots=True)
class Row:
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
_POLYNOMIALS: dict[str, tuple[Polynomial, ...]] = {
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
