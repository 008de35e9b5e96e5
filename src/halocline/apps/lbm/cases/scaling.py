"""Lattice units: what a Reynolds number means on a grid, and whether a collision can compute it."""

from __future__ import annotations

from math import ceil, floor, inf, sqrt

from halocline.apps.lbm.validation.stability import (
    LARGEST_SPEED,
    LIMITS,
    LIMITS_WITH_SMAGORINSKY,
    MAX_ACCURATE_SPEED,
    MAX_RELAXATION_TIME,
    MIN_SMAGORINSKY_CONSTANT,
    TRT_ON_LEVELS,
    Limits,
)
from halocline.errors import CaseError
from halocline.frozen import Frozen


class Scaling(Frozen):
    """A flow of one length and one speed in lattice units (cell = step = density = 1).

    Attributes:
        cells: Cells over the length, or over 'lengths' of it.
        speed: Of the flow [cells / step]; the Mach number is speed * sqrt(3).
        reynolds: Reynolds number of length and speed.
        collision: The name of one, see 'collisions'.
        smagorinsky_constant: Of eddies smaller than a cell, 0 for none.
        lengths: Over how many lengths these cells go.
        levels: How often cells are halved somewhere; all this is said of those that are not.

    Source: Krüger et al., The Lattice Boltzmann Method (Springer 2017), chapter 7.
    """

    cells: int
    speed: float
    reynolds: float
    collision: str = "trt"
    smagorinsky_constant: float = 0.0
    lengths: float = 1.0
    levels: int = 0

    @property
    def length(self) -> float:
        """The length [cells]."""
        return self.cells / self.lengths

    @property
    def viscosity(self) -> float:
        """Kinematic viscosity [cells² / step]."""
        return self.speed * self.length / self.reynolds

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
        return self.reynolds / self.length

    def check(self, greatest: float = 1.0, *, has_corners: bool = False) -> None:
        """Raise if every tested flow was unstable; see 'warnings' for doubtful parameters.

        Args:
            greatest: The greatest speed of the flow, over its speed.
            has_corners: Whether its velocity jumps at corners, which is less stable.

        Raises:
            CaseError: A number is out of range or the relaxation would be unstable.
        """
        self._check_range(greatest)
        self._refuse_above(self.limits.corners if has_corners else self.limits.largest)

    @property
    def limits(self) -> Limits:
        """The stability limits of the collision."""
        is_laminar = self.smagorinsky_constant < MIN_SMAGORINSKY_CONSTANT
        return (LIMITS if is_laminar else LIMITS_WITH_SMAGORINSKY)[self.collision]

    def _check_range(self, greatest: float) -> None:
        if self.cells < 4:  # noqa: PLR2004 (a cell at each wall and two between)
            parts = 2**self.levels
            raise CaseError(
                f"{parts * self.cells} cells were given; expected at least {parts * 4}."
            )
        if not 0.0 < self.reynolds < inf:
            raise CaseError(f"The Reynolds number {self.reynolds:g} was given; expected above 0.")
        limit = LARGEST_SPEED / greatest
        if not 0.0 < self.speed <= limit:
            raise CaseError(
                f"The speed {self.speed:g} cells a step was given; expected above 0 and at most "
                f"{limit:.3g}.",
                hint="0.1 is usual, 0.05 is more accurate and takes twice as long.",
            )

    def _refuse_above(self, limit: float) -> None:
        if self.cell_reynolds > limit:
            raise CaseError(
                f"Reynolds number {self.reynolds:g} with {self.cells * 2**self.levels} cells makes "
                f"the relaxation time {self.relaxation_time:.4f} unstable with collision "
                f"'{self.collision}': {self.cell_reynolds:.1f} a cell"
                f"{' of the coarsest' if self.levels else ''}, where at most {limit:g} are stable.",
                hint=f"Use at least {self._cells_for(limit)} cells or at most Reynolds number "
                f"{floor(limit * self.length)}.",
            )

    def _cells_for(self, limit: float) -> int:
        """Return the number of cells that make the Reynolds number of one no more than a limit."""
        parts: int = 2**self.levels
        return ceil(self.reynolds * self.lengths / limit) * parts

    def warnings(self, greatest: float = 1.0, *, is_open: bool = False) -> list[str]:
        """Return warnings, a sentence each.

        Args:
            greatest: As for 'check'.
            is_open: Whether fluid enters or leaves through a side.
        """
        warnings = []
        limit = self.limits.open_sides if is_open else self.limits.safe
        if self.cell_reynolds > limit:
            warnings.append(
                f"{self.cell_reynolds:.1f} as Reynolds number of a cell may be unstable with "
                f"collision '{self.collision}'{' between open sides' if is_open else ''}, up to "
                f"{limit:g} is safe: with {self._cells_for(limit)} cells."
            )
        if self.levels and self.collision == "trt" and self.relaxation_time < TRT_ON_LEVELS:
            warnings.append(
                "Collision 'trt' may be unstable where a flow leaves finer cells, at relaxation "
                f"times below {TRT_ON_LEVELS:g} on the coarsest level; 'central' was stable there."
            )
        if self.speed * greatest > MAX_ACCURATE_SPEED:
            warnings.append(
                f"The flow reaches {self.speed * greatest:.3g} cells a step: errors of "
                f"compressibility are a few per cent; below {MAX_ACCURATE_SPEED:g} they are small."
            )
        if self.relaxation_time > MAX_RELAXATION_TIME:
            warnings.append(
                f"The relaxation time {self.relaxation_time:.3g} makes the stress inaccurate: "
                "raise the speed or the Reynolds number, or use fewer cells."
            )
        return warnings
