"""Shapes: what ends where, as a signed distance or as triangles, seen from cells and from links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from halocline.apps.lbm.validation.arguments import evaluated
from halocline.errors import CaseError
from halocline.geometry import added

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from halocline.geometry import Box, Offset
    from halocline.language.grids.grid import Grid

# Halving a link so often leaves no more of it than a digit of a double.
_HALVINGS = 52


@runtime_checkable
class Shape(Protocol):
    """What is solid and where it ends.

    Attributes:
        dimensions: Of how many axes there may be.
    """

    dimensions: ClassVar[tuple[int, ...]]

    def inside(self, grid: Grid, box: Box | None = None) -> NDArray[np.bool_]:
        """Return for the centre of each cell of a grid, or in a box, whether it lies inside."""
        ...

    def crossings(self, grid: Grid, cells: NDArray[np.int64], link: Offset) -> NDArray[np.float64]:
        """Return how far the surface is away on links, over their length: above 0, at most 1.

        Args:
            grid: Whose cells they join.
            cells: In the centres of which they begin, outside (n, axes).
            link: From there to the cell where they end, inside, maybe across a periodic side.
        """
        ...


@dataclass(frozen=True)
class SignedDistance:
    """A function that tells how far the surface is away, negative inside; see 'Body'."""

    function: Callable[..., Any]
    dimensions: ClassVar[tuple[int, ...]] = (2, 3)

    def inside(self, grid: Grid, box: Box | None = None) -> NDArray[np.bool_]:
        """Return for the centre of each cell whether it lies inside, or on the surface.

        Raises:
            CaseError: The function returns something else than a distance for each cell.
        """
        cells = box or grid.domain
        distances = self._at(grid.coordinates("center", cells))
        if distances.dtype == bool:
            hint = "An array of solid cells is the 'solid' of a setup."
            raise self._wrong("True and False", hint)
        if (strange := ~np.isfinite(distances)).any():
            first = tuple(map(int, np.argwhere(strange)[0]))
            cell = added(first, cells.lower)
            raise self._wrong(f"{distances[first]} in the middle of cell {cell}")
        return np.asarray(distances <= 0.0)

    def _wrong(self, what: str, hint: str = "") -> CaseError:
        name = getattr(self.function, "__name__", type(self.function).__name__)
        return CaseError(
            f"'{name}' returned {what}; expected the distance from the surface, negative inside.",
            hint=hint,
        )

    def _at(self, coordinates: Sequence[NDArray[np.float64]]) -> NDArray[Any]:
        with np.errstate(all="ignore"):
            return evaluated(self.function, coordinates)

    def crossings(self, grid: Grid, cells: NDArray[np.int64], link: Offset) -> NDArray[np.float64]:
        """Return where the function is zero on links, found by halving.

        Half-way, if it is not negative at the end: across a periodic side, of a body that does not
        go on there.
        """
        points = np.array(grid.origin) + (cells + 0.5) * grid.spacing
        step = np.multiply(link, grid.spacing)
        low, high = np.zeros(len(points)), np.ones(len(points))
        is_cut = self._at((points + step).T) <= 0.0
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            is_outside = self._at((points + middle[:, None] * step).T) > 0.0
            low, high = np.where(is_outside, middle, low), np.where(is_outside, high, middle)
        return np.where(is_cut, high, 0.5)
