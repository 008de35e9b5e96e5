"""What programs are given beside steps: numbers that change with time, and what sides prescribe."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

Offset = tuple[int, ...]


class Series(Struct, frozen=True):
    """Numbers or arrays that change with time; 'seed' says which.

    Attributes:
        period: After how long it begins again; 0 for never.
    """

    name: str
    times: tuple[float, ...]
    seed: int
    period: float = 0.0

    def values(self, shape: Offset = ()) -> np.ndarray:
        """Return what it has at each time."""
        return np.random.default_rng(self.seed).random((len(self.times), *shape)) - 0.5

    def at(self, time: float, values: np.ndarray) -> np.ndarray | float:
        """Return what it has at a time: linear between its times (docs/guide/series.md)."""
        if self.period:
            time -= self.period * np.floor((time - self.times[0]) / self.period)
        before = max(0, sum(known <= time for known in self.times) - 1)
        if np.isnan(time):  # it comes after all others
            before = len(self.times) - 1
        if before + 1 < len(self.times):
            after, end = before + 1, self.times[before + 1]
        elif self.period:
            after, end = 0, self.times[0] + self.period
        else:
            return values[before]
        fraction = np.float64(time - self.times[before]) / (end - self.times[before])
        return values[before] + fraction * (values[after] - values[before])


class Given(Struct, frozen=True):
    """What a side prescribes.

    Attributes:
        kind: 'number'; 'parameter' or 'number series', by name; 'array', by its seed; 'series' of
            arrays; 'field', by its name, without the axis across the side; or 'function' of place
            and time: c[0] + c[1] x + … + c[-1] t.
    """

    kind: str
    value: float | str | Series | tuple[float, ...]


class Boundary(Struct, frozen=True):
    """What lies beyond a side.

    Attributes:
        side: 'x-', ….
        kind: 'dirichlet', 'neumann' or 'robin'; or a kernel of the user's: 'copy', of the cell
            inwards, or 'mirror', of the cell as far within.
        given: What is prescribed.
        factors: Those of Robin's condition.
        part: On which cells of the side alone: (lower, upper) along all axes; none for all.
        said: How the part is said: 'box', 'array' or 'function'.
    """

    side: str
    kind: str
    given: Given = Given("number", 0.0)
    factors: tuple[float, float] = (1.0, 0.0)
    part: tuple[Offset, Offset] | None = None
    said: str = "box"

    @property
    def prescribes(self) -> bool:
        """Whether it decides what lies on the side itself."""
        return self.kind not in ("copy", "mirror")


class Points(Struct, frozen=True):
    """Points off the grid, and how values there are found: 'linear', 'cubic' or 'sinc'."""

    places: tuple[tuple[float, ...], ...]
    interpolation: str


class Fill(Struct, frozen=True):
    """Give a field the arrays of a series."""

    field: str
    series: Series


class Record(Struct, frozen=True):
    """Keep what a field is at points, every so many steps."""

    name: str
    field: str
    component: int
    points: Points
    every: int = 1


class Inject(Struct, frozen=True):
    """Add to the cells around points.

    Attributes:
        amount: A number; the name of a parameter or a series; or a series of rows.
        scales: What it is multiplied by: one for each point.
    """

    field: str
    component: int
    points: Points
    amount: float | str | Series
    scales: tuple[float, ...]
