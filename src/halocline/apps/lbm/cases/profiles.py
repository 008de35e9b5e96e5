"""Centreline profiles of a cavity beside published points, and how far apart they are.

The cubic spline is written here with NumPy: it is twenty lines, and SciPy would be a dependency of
37 MB for them. Its ends are 'not-a-knot', so that cubics are reproduced up to the walls.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halocline.apps.lbm.lattice.velocity_set import read_table
from halocline.frozen import Frozen

Array = NDArray[np.float64]


class Profile(Frozen, eq=False):
    """One velocity component along a centreline, the walls included.

    Attributes:
        positions: In units of the cavity's side (n + 2,).
        values: In units of the lid's speed (n + 2,).
    """

    positions: Array
    values: Array

    def at(self, positions: Array) -> Array:
        """Return the values at other positions, by a cubic spline."""
        return cubic_spline(self.positions, self.values, positions)


class Reference(Frozen, eq=False):
    """Published or converged values along one centreline.

    Attributes:
        source: Who says so, for a legend.
        component: 'u' along the vertical or 'v' along the horizontal centreline.
        positions: In units of the cavity's side (m,).
        values: In units of the lid's speed (m,).
    """

    source: str
    component: str
    positions: Array
    values: Array


class Difference(Frozen):
    """How far a profile is from a reference, in units of the lid's speed, walls excluded."""

    source: str
    component: str
    maximum: float
    rms: float

    def __str__(self) -> str:
        """Return one line of a report."""
        return f"{self.component}: max {self.maximum:.5f}, RMS {self.rms:.5f} against {self.source}"


def centreline(component: Array, axis: int, wall_values: tuple[float, float]) -> Profile:
    """Return a component along the centreline of a unit square or cube.

    Args:
        component: Values at the cell centres (n, n) or (n, n, n), in units of the lid's speed.
        axis: Along which the centreline runs.
        wall_values: At its two ends.
    """
    line = component
    for other in reversed(range(component.ndim)):
        if other != axis:
            line = _middle(line, other)
    n = len(line)
    positions = np.concatenate([[0.0], (np.arange(n) + 0.5) / n, [1.0]])
    return Profile(positions, np.concatenate([wall_values[:1], line, wall_values[1:]]))


def _middle(values: Array, axis: int) -> Array:
    """Return the values half way along an axis; between two cells a cubic through four of them."""
    n = values.shape[axis]
    take = np.moveaxis(values, axis, 0)
    if n % 2:
        return np.asarray(take[n // 2])
    low, high = take[n // 2 - 1], take[n // 2]
    inner = 0.5 * (low + high)
    # Weights (-1, 9, 9, -1) / 16 written as a mean and its correction.
    return np.asarray(inner + 0.125 * (inner - 0.5 * (take[n // 2 - 2] + take[n // 2 + 1])))


def references(dimensions: int, reynolds: float) -> tuple[Reference, ...]:
    """Return what is known of a cavity at a Reynolds number, the best first; maybe nothing.

    Points flagged as misprints in the tables are left out.
    """
    if reynolds not in (100, 400, 1000):
        return ()
    label = f"re{reynolds:.0f}"
    if dimensions == 3:  # noqa: PLR2004 (the cube)
        column = "ak_re1000" if reynolds == 1000 else f"fd_{label}"  # noqa: PLR2004
        source = "Albensoeder & Kuhlmann 2005" if column[0] == "a" else "converged differences"
        return tuple(
            _reference(source, component, f"cavity3d_{component}.csv", position, column)
            for component, position in (("u", "y"), ("v", "x"))
        )
    both = (("u", "y"), ("v", "x"))
    tables = (("converged differences", "conv"), ("Ghia, Ghia & Shin 1982", "ghia"))
    return tuple(
        _reference(source, component, f"cavity2d_ghia_{component}.csv", position, f"{who}_{label}")
        for source, who in tables
        for component, position in both
    )


def _reference(source: str, component: str, file: str, position: str, column: str) -> Reference:
    rows = read_table(file)
    # A flag names the column that is wrong: 'suspect_re100'; it concerns the printed values only.
    printed = "suspect_" + column.removeprefix("ghia_")
    kept = [row for row in rows if row[column] and row.get("flag") != printed]
    return Reference(
        source,
        component,
        np.array([_position(row, position) for row in kept]),
        np.array([float(row[column]) for row in kept]),
    )


def _position(row: dict[str, str], name: str) -> float:
    # Ghia's printed coordinates are multiples of 1/128 rounded to four digits.
    return (int(row["grid_index"]) - 1) / 128 if "grid_index" in row else float(row[name])


def compare(profile: Profile, reference: Reference) -> Difference:
    """Return how far a profile is from a reference at the reference's points inside the cavity."""
    inside = (reference.positions > 0.0) & (reference.positions < 1.0)
    error = profile.at(reference.positions[inside]) - reference.values[inside]
    return Difference(
        reference.source,
        reference.component,
        float(np.max(np.abs(error))),
        float(np.sqrt(np.mean(error**2))),
    )


def cubic_spline(x: Array, y: Array, at: Array) -> Array:
    """Return the not-a-knot cubic spline through (x, y) at other positions.

    Args:
        x: Increasing positions (n,), n of at least 4.
        y: Values (n,).
        at: Positions between the first and the last x.

    Source: de Boor, A Practical Guide to Splines, chapter IV; unknown are the slopes at x.
    """
    h = np.diff(x)
    secant = np.diff(y) / h
    matrix, right = np.zeros((len(x), len(x))), np.zeros(len(x))
    for i in range(1, len(x) - 1):
        matrix[i, i - 1 : i + 2] = h[i], 2.0 * (h[i - 1] + h[i]), h[i - 1]
        right[i] = 3.0 * (h[i] * secant[i - 1] + h[i - 1] * secant[i])
    # Not-a-knot: the third derivative does not jump at the second and the last but one position.
    matrix[0, :2], right[0] = _end_row(h[0], h[1], secant[0], secant[1])
    matrix[-1, :-3:-1], right[-1] = _end_row(h[-1], h[-2], secant[-1], secant[-2])
    slope = np.linalg.solve(matrix, right)
    left = np.clip(np.searchsorted(x, at, side="right") - 1, 0, len(h) - 1)
    t = at - x[left]
    curve = (3.0 * secant[left] - 2.0 * slope[left] - slope[left + 1]) / h[left]
    bend = (slope[left] + slope[left + 1] - 2.0 * secant[left]) / h[left] ** 2
    return np.asarray(y[left] + t * (slope[left] + t * (curve + t * bend)))


def _end_row(a: float, b: float, s: float, t: float) -> tuple[tuple[float, float], float]:
    """Return the two weights and the right-hand side of a spline's end condition.

    Args:
        a: Length of the interval at the end.
        b: Length of the next one.
        s: Secant slope in the first.
        t: Secant slope in the second.
    """
    return (b, a + b), ((3.0 * a + 2.0 * b) * b * s + a * a * t) / (a + b)
