"""Velocity sets as data: the tables in 'data/' become frozen values."""

from __future__ import annotations

import csv
from functools import cache, cached_property
from importlib import resources

from halocline.errors import CaseError, nearest
from halocline.frozen import Frozen
from halocline.geometry import Offset

NAMES = ("D2Q9", "D3Q15", "D3Q19", "D3Q27")


class VelocitySet(Frozen, dict=True):
    """The discrete velocities of a lattice with their weights; speed of sound squared 1/3.

    Attributes:
        name: 'D3Q19', …
        velocities: One offset a population [cells / step]; the first is the rest velocity.
        weights: One a population; they add up to 1.
        opposites: Index of the population with the opposite velocity.

    Source: Qian, d'Humières & Lallemand, EPL 17 (1992) 479.

    Example:
        >>> lbm.velocity_set("D3Q19").dimensions
        3
    """

    name: str
    velocities: tuple[Offset, ...]
    weights: tuple[float, ...]
    opposites: tuple[int, ...]

    def __len__(self) -> int:
        """Return the number of populations."""
        return len(self.velocities)

    def __repr__(self) -> str:
        """Return the name, which says it all."""
        return self.name

    @property
    def dimensions(self) -> int:
        """Number of axes."""
        return len(self.velocities[0])

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The populations as pairs of opposite velocities, without the rest population."""
        return tuple((i, o) for i, o in enumerate(self.opposites) if i < o)

    @cached_property
    def by_halves(self) -> tuple[int, ...]:
        """The moving populations, one of each pair first: those of each half share a loop."""
        return (*(i for i, _ in self.pairs), *(o for _, o in self.pairs))

    def towards(self, axis: int, sign: int) -> tuple[int, ...]:
        """Return the populations that move to the low (-1) or high (+1) end of an axis."""
        return tuple(i for i, c in enumerate(self.velocities) if c[axis] == sign)


@cache
def velocity_set(name: str) -> VelocitySet:
    """Return the velocity set called 'D2Q9', 'D3Q15', 'D3Q19' or 'D3Q27'.

    Raises:
        CaseError: There is no such velocity set.

    Example:
        >>> lbm.velocity_set("D2Q9").dimensions
        2
    """
    if name not in NAMES:
        raise CaseError(f"There is no velocity set '{name}'.", hint=nearest(name, NAMES))
    rows = read_table(f"lattice_{name.lower()}.csv")
    axes = ("cx", "cy", "cz")[: int(name[1])]
    return VelocitySet(
        name,
        tuple(tuple(int(row[axis]) for axis in axes) for row in rows),
        tuple(int(row["w_num"]) / int(row["w_den"]) for row in rows),
        tuple(int(row["opp"]) for row in rows),
    )


def read_table(file: str) -> list[dict[str, str]]:
    """Return the rows of a table in 'data/' by column; lines with '#' tell where it comes from."""
    text = resources.files("halocline.apps.lbm").joinpath("data", file).read_text("ascii")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return list(csv.DictReader(lines))
