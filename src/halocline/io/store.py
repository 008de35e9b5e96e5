"""Store: datasets that grow along time, in a file format; all of it on rank 0."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    import xarray

# The dimensions of the bounds of cells: along one axis, and in a plane.
SIDES, CORNERS = OF_BOUNDS = ("bounds", "corners")
# The dimensions of what has no cells.
WITHOUT_CELLS = ("time", *OF_BOUNDS)
# Cells along an edge of what is compressed and stored as one piece; times stored as one piece.
_EDGE, _TIMES = 256, 1024


# Cells of a variable, as a subscript; empty for all.
Place = tuple[slice, ...]
# A dataset by the name of its group, '' for one without: a file has that one, or groups alone.
Contents = Mapping[str, "xarray.Dataset"]


class Store(Protocol):
    """A variable in a group is called 'group/variable'.

    What is put into it is seen by readers when it is published, all at once.

    Attributes:
        path: The file.
    """

    path: Path

    def stored_type(self, dtype: Any) -> np.dtype[Any]:
        """Return as what numbers of a type are stored."""

    def arranged(self, contents: Contents) -> Contents:
        """Return datasets with their axes in the order of the format."""

    def create(self, contents: Contents) -> None:
        """Write what has no times yet, in the place of an older file.

        Raises:
            OutputError: It cannot be written.
        """

    def open(self) -> None:
        """Begin to look at what is there, and to change it."""

    def array(self, name: str) -> Any:
        """Return a variable, which has 'shape', 'attrs' and can be indexed."""

    def trim(self, names: Sequence[str], length: int) -> None:
        """Drop what follows so many times of the variables that have times."""

    def put(self, name: str, number: int, values: Any, place: Place = ()) -> None:
        """Write the value of a time, or of some cells; axes are in the order of the grid."""

    def publish(self, names: Sequence[str], length: int) -> None:
        """Let readers see so many times of the variables that have times."""

    def close(self) -> None:
        """End; what was put and not published is lost."""


def variables_of(contents: Contents) -> dict[str, xarray.Variable]:
    """Return the variables of all datasets by the names that a store has for them."""
    return {
        in_group(group, str(name)): variable
        for group, dataset in contents.items()
        for name, variable in dataset.variables.items()
    }


def in_group(group: str, name: str) -> str:
    """Return what a store calls a variable of a group."""
    return f"{group}/{name}" if group else name


def piece_of(variable: xarray.Variable) -> tuple[int, ...]:
    """Return the extent of the pieces of a variable: one time, and at most so many cells an edge.

    Pieces are alike, so that the last along an axis is not stored half empty.
    """
    times = 1 if has_cells(variable) else _TIMES
    return tuple(
        times if name == "time" else edge_of_piece(n)
        for name, n in zip(variable.dims, variable.shape, strict=True)
    )


def edge_of_piece(cells: int) -> int:
    """Return how long pieces are along an axis."""
    return ceil(cells / ceil(cells / _EDGE))


def has_cells(variable: xarray.Variable) -> bool:
    """Return whether a variable has values of cells."""
    return any(name not in WITHOUT_CELLS for name in variable.dims)
