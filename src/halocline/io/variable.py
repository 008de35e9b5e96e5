"""Variable: values with what a reader must know of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Variable:
    """One scalar of every cell, as it is stored.

    Attributes:
        name: In the file.
        values: Shape (nx, ny, nz) or fewer axes; None on ranks other than 0.
        unit: As CF conventions write it; '1' for a pure number.
        description: One phrase, the file's 'long_name'.
        location: Where in a cell the values live.
    """

    name: str
    values: NDArray[Any] | None
    unit: str
    description: str
    location: str = "center"
