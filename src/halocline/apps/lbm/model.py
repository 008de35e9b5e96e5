"""Lattice units: what a Reynolds number means on a grid, and whether BGK or TRT can compute it."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, sqrt

from halocline.errors import CaseError, nearest

# Largest Reynolds number of one cell at which the lid-driven cavity stays stable, whatever its
# speed and size: measured in 2-D and 3-D (docs/validation.md, "Stability"). The corners under the
# lid, where the velocity jumps, decide it.
LARGEST_CELL_REYNOLDS = {"bgk": 14.0, "trt": 20.0}
LARGEST_SPEED = 0.2


@dataclass(frozen=True, slots=True)
class Scaling:
    """A flow of one length and one speed in lattice units (cell = step = density = 1).

    Attributes:
        cells: Cells over the length.
        speed: Of the flow [cells / step]; the Mach number is speed * sqrt(3).
        reynolds: Reynolds number of length and speed.
        collision: 'bgk' for one relaxation rate, 'trt' for two.

    Source: Krüger et al., The Lattice Boltzmann Method (Springer 2017), chapter 7.
    """

    cells: int
    speed: float
    reynolds: float
    collision: str = "trt"

    @property
    def viscosity(self) -> float:
        """Kinematic viscosity [cells² / step]."""
        return self.speed * self.cells / self.reynolds

    @property
    def relaxation_time(self) -> float:
        """Relaxation time tau [steps]."""
        return 3.0 * self.viscosity + 0.5

    @property
    def omega(self) -> float:
        """Relaxation rate 1/tau [1 / step]."""
        return 1.0 / self.relaxation_time

    @property
    def mach(self) -> float:
        """Speed over the speed of sound; errors of compressibility go with its square."""
        return self.speed * sqrt(3.0)

    @property
    def cell_reynolds(self) -> float:
        """Reynolds number of one cell."""
        return self.reynolds / self.cells

    @property
    def steps_per_convective_time(self) -> int:
        """Steps in which the flow passes the length once, L/U."""
        return max(1, round(self.cells / self.speed))

    def check(self) -> None:
        """Refuse what BGK cannot compute.

        Raises:
            CaseError: A number is out of range or the relaxation would be unstable.
        """
        if self.cells < 4:  # noqa: PLR2004 (a cell at each wall and two between)
            raise CaseError(f"{self.cells} cells were given; expected at least 4.")
        if not self.reynolds > 0.0:
            raise CaseError(f"The Reynolds number {self.reynolds:g} was given; expected above 0.")
        if not 0.0 < self.speed <= LARGEST_SPEED:
            raise CaseError(
                f"The lid speed {self.speed:g} cells a step was given; expected above 0 and at "
                f"most {LARGEST_SPEED:g}.",
                hint="0.1 is usual, 0.05 is more accurate and takes twice as long.",
            )
        if self.collision not in LARGEST_CELL_REYNOLDS:
            raise CaseError(
                f"There is no collision '{self.collision}'.",
                hint=nearest(self.collision, LARGEST_CELL_REYNOLDS),
            )
        limit = LARGEST_CELL_REYNOLDS[self.collision]
        if self.cell_reynolds > limit:
            raise CaseError(
                f"Reynolds number {self.reynolds:g} with {self.cells} cells makes the relaxation "
                f"time {self.relaxation_time:.4f} unstable with collision '{self.collision}': "
                f"{self.cell_reynolds:.1f} a cell, where at most {limit:g} are stable.",
                hint=f"Use at least {ceil(self.reynolds / limit)} cells or at most Reynolds number "
                f"{floor(limit * self.cells)}.",
            )
