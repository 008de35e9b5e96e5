"""What is published of the flow past obstacles, and how far a run is from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from halocline.frozen import Frozen
from halocline_reproduction.published import published

Array = NDArray[np.float64]

# Which line of cells a published profile follows, and the names of its columns in the file.
_LINES = {
    "128x128": (("x = 64", "bristol_128x128_profiles", "_col64", (64, slice(None))),
                ("y = 64", "bristol_128x128_profiles", "_row64", (slice(None), 64))),
    "128x256": (("x = 64", "bristol_128x256_profile", "", (64, slice(None))),),
}  # fmt: skip
_COLUMNS = {"u_x": "ux", "u_y": "uy", "pressure": "p"}


class PublishedVelocities(Frozen, eq=False):
    """Published average velocities.

    Attributes:
        steps: After how many steps, the first being 1 (n,).
        values: [cells / step] (n,).
    """

    steps: NDArray[np.int64]
    values: Array


class Deviation(Frozen):
    """How far a run is from what is published.

    Attributes:
        quantity: What was compared.
        relative: The greatest difference; of a series over the published value itself, of a
            profile over its greatest value.
        points: How many were compared.
    """

    quantity: str
    relative: float
    points: int

    def __str__(self) -> str:
        """Return one line of a report."""
        return f"{self.quantity}: {self.relative:.2e} ({self.points} points)"


def published_series(grid: str) -> PublishedVelocities:
    """Return the average velocities of a published case."""
    rows = [row for row in published("bristol_av_vels") if row[f"av_{grid}"]]
    return PublishedVelocities(
        np.array([int(row["step"]) + 1 for row in rows]),
        np.array([float(row[f"av_{grid}"]) for row in rows]),
    )


def published_reynolds(grid: str) -> float:
    """Return the Reynolds number at the end of a published case."""
    rows = published("bristol_cases")
    return next(float(row["final_re"]) for row in rows if row["case"] == grid)


def series_deviations(
    grid: str, velocities: Sequence[float], first_step: int
) -> tuple[Deviation, ...]:
    """Return how far average velocities are from the published ones; nothing if none are reached.

    Args:
        grid: A published case.
        velocities: After each step [cells / step].
        first_step: How many steps were done before the first of them.
    """
    known = published_series(grid)
    places = known.steps - first_step - 1
    reached = (places >= 0) & (places < len(velocities))
    if not reached.any():
        return ()
    found = np.asarray(velocities)[places[reached]]
    relative = np.abs(found / known.values[reached] - 1.0)
    return (Deviation("average velocity", float(relative.max()), int(reached.sum())),)


def profile_deviations(grid: str, state: Mapping[str, Array]) -> tuple[Deviation, ...]:
    """Return how far final profiles are from the published ones, if any are.

    Args:
        grid: A published case.
        state: 'u_x', 'u_y' and 'pressure' after all its steps, each (nx, ny).
    """
    found = []
    for line, table, suffix, cells in _LINES.get(grid, ()):
        rows = published(table)
        for name, column in _COLUMNS.items():
            known = np.array([float(row[column + suffix]) for row in rows])
            difference = np.abs(state[name][cells] - known).max() / np.abs(known).max()
            found.append(Deviation(f"{name} along {line}", float(difference), len(known)))
    return tuple(found)
