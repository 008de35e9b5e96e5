"""The levels of a case: how often its cells are halved where it matters."""

from __future__ import annotations

from typing import Annotated

from halocline.errors import CaseError
from halocline.language.numbers import Range

# 'cells' of a case are those of the finest level.
Levels = Annotated[int, Range(least=0, most=6)]


def coarsest_cells(cells: int, levels: int, parts: int) -> int:
    """Return how many of the coarsest cells are as wide as so many of the finest level.

    Args:
        cells: Of the finest level.
        levels: How often cells are halved.
        parts: The coarsest cells are a multiple of these, as blocks want it.

    Raises:
        CaseError: They are not.
    """
    finest = parts * 2**levels
    if cells % finest:
        raise CaseError(
            f"{cells} cells were given with {levels} levels; expected a multiple of {finest}, as "
            "they are those of the finest level."
        )
    return int(cells // 2**levels)
