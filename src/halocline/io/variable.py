"""Variable: values with what a reader must know of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from halocline.geometry import AXES

if TYPE_CHECKING:
    from halocline.language.grids.grid import Grid


@dataclass(frozen=True, slots=True)
class Variable:
    """One scalar of every cell, as it is stored.

    Attributes:
        name: In the file.
        values: Shape (nx, ny, nz) or fewer axes; None on ranks other than 0.
        unit: As CF conventions write it; '1' for a pure number.
        description: One phrase, the file's 'long_name'.
        location: Where in a cell the values live.
        axes: The axes that they have.
        grid: Where they live, if not on the grid of what they are written with.
        standard_name: Of the table of CF conventions; '' if that has none.
    """

    name: str
    values: NDArray[Any] | None
    unit: str
    description: str
    location: str = "center"
    axes: str = AXES
    grid: Grid | None = None
    standard_name: str = ""
