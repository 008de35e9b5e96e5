"""What the flow past obstacles is told: the published cases, and files in the course's formats."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from halocline.errors import CaseError, nearest
from halocline.frozen import Frozen
from halocline_reproduction.published import published

_NUMBERS = ("nx", "ny", "iterations", "reynolds_dim", "density", "accel", "omega")
_WHOLE = _NUMBERS[:4]
_SMALLEST = 3
_COLUMNS_OF_OBSTACLES = 3


class Parameters(Frozen):
    """What the course's parameter file holds, in its order.

    Attributes:
        nx: Cells along x.
        ny: Cells along y.
        iterations: Time steps.
        reynolds_dim: Length of the Reynolds number [cells].
        density: At rest [lattice units].
        accel: How much a population gains in the accelerated row in a step, over its weight and
            the density.
        omega: Relaxation rate [1 / step].
    """

    nx: int
    ny: int
    iterations: int
    reynolds_dim: int
    density: float
    accel: float
    omega: float

    @property
    def viscosity(self) -> float:
        """Kinematic viscosity [cells² / step]."""
        return (2.0 / self.omega - 1.0) / 6.0

    @property
    def accelerated_row(self) -> int:
        """The row of cells that is pushed in +x."""
        return self.ny - 2

    def check(self) -> None:
        """Raise a CaseError for what cannot be computed."""
        if min(self.nx, self.ny) < _SMALLEST:
            raise CaseError(
                f"A grid of {self.nx}x{self.ny} cells was given; expected at least {_SMALLEST} "
                "cells a side."
            )
        for name in ("iterations", "reynolds_dim", "density"):
            if not getattr(self, name) > 0:
                raise CaseError(f"'{name}' is {getattr(self, name):g}; expected above 0.")
        if not 0.0 < self.omega < 2.0:  # noqa: PLR2004 (where the viscosity is positive)
            raise CaseError(f"'omega' is {self.omega:g}; expected above 0 and below 2.")
        if not 0.0 <= self.accel < 1.0:
            raise CaseError(f"'accel' is {self.accel:g}; expected from 0 to below 1.")


def published_grids() -> tuple[str, ...]:
    """Return the names of the published cases, such as '128x128'."""
    return tuple(row["case"] for row in published("bristol_cases"))


def published_parameters(grid: str) -> Parameters:
    """Return the parameters of a published case.

    Raises:
        CaseError: There is no such case.
    """
    known = {row["case"]: row for row in published("bristol_cases")}
    if grid not in known:
        raise CaseError(f"There is no published grid '{grid}'.", hint=nearest(grid, known))
    return _parameters([known[grid][name] for name in _NUMBERS])


def published_obstacles(grid: str) -> NDArray[np.bool_]:
    """Return where a published case has obstacles (nx, ny)."""
    parameters = published_parameters(grid)
    solid = np.zeros((parameters.nx, parameters.ny), bool)
    for row in published("bristol_obstacles"):
        if row["case"] == grid:
            x0, x1, y0, y1 = (int(row[name]) for name in ("x0", "x1", "y0", "y1"))
            solid[x0 : x1 + 1, y0 : y1 + 1] = True
    return solid


def read_parameters(file: str) -> Parameters:
    """Return what a parameter file holds: seven numbers, one a line.

    Raises:
        CaseError: It cannot be read, or a line is missing or wrong.
    """
    words = [line for line in _lines(file, "parameter") if line]
    if len(words) != len(_NUMBERS):
        raise CaseError(
            f"The parameter file '{file}' has {len(words)} lines; expected {len(_NUMBERS)}: "
            f"{', '.join(_NUMBERS)}."
        )
    try:
        return _parameters(words)
    except ValueError:
        number, name, word = next(
            (n, name, word)
            for n, (name, word) in enumerate(zip(_NUMBERS, words, strict=True), 1)
            if not _is_number(word, int if name in _WHOLE else float)
        )
        kind = "a whole number" if name in _WHOLE else "a number"
        raise CaseError(
            f"Line {number} of the parameter file '{file}' is '{word}'; expected {kind}, '{name}'."
        ) from None


def read_obstacles(file: str, nx: int, ny: int) -> NDArray[np.bool_]:
    """Return where an obstacle file has obstacles (nx, ny): lines 'x y 1', counted from 0.

    Raises:
        CaseError: It cannot be read, or a line is wrong or names a cell outside the grid.
    """
    solid = np.zeros((nx, ny), bool)
    for number, line in enumerate(_lines(file, "obstacle"), 1):
        words = line.split()
        if not words:
            continue
        where = f"Line {number} of the obstacle file '{file}'"
        is_right = len(words) == _COLUMNS_OF_OBSTACLES and all(_is_number(w, int) for w in words)
        if not is_right or words[2] != "1":
            raise CaseError(f"{where} is '{line}'; expected 'x y 1' with whole numbers x and y.")
        x, y = int(words[0]), int(words[1])
        if not (0 <= x < nx and 0 <= y < ny):
            raise CaseError(
                f"{where} has the obstacle ({x}, {y}) outside the grid; expected x from 0 to "
                f"{nx - 1} and y from 0 to {ny - 1}."
            )
        solid[x, y] = True
    return solid


def _parameters(words: list[str]) -> Parameters:
    whole, rest = words[: len(_WHOLE)], words[len(_WHOLE) :]
    return Parameters(*map(int, whole), *map(float, rest))


def _is_number(word: str, kind: type[int] | type[float]) -> bool:
    try:
        kind(word)
    except ValueError:
        return False
    return True


def _lines(file: str, what: str) -> list[str]:
    try:
        return [line.strip() for line in Path(file).read_text(encoding="utf-8-sig").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise CaseError(f"The {what} file '{file}' could not be read: {reason}.") from error
