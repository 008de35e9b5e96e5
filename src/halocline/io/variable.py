"""Variable: values with what a reader must know of them."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from msgspec import field
from numpy.typing import NDArray

from halocline.errors import CaseError, described
from halocline.frozen import Frozen
from halocline.geometry import AXES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from halocline.language.grids.grid import Grid

# NetCDF and Zarr take '/' for the end of a group's name, a table ',' for that of a cell.
_NAME = re.compile(r"[^\W\d_][^/,\"#\\\x00-\x1f]*")
# What files call coordinates and times themselves.
_TAKEN = re.compile(r"[xyz](_face)?(_of_.*)?|[xyz]_bounds|step|time|time_bounds|bounds|leaf")


class Variable(Frozen):
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
        is_coordinate: Whether it says where cells are, as a longitude of each.
        corners: Of a coordinate its values at the corners of cells, counterclockwise (nx, ny, 4);
            None if they are not known.
        attributes: More of them; those of a 'grid_mapping_name' describe where all cells are.
    """

    name: str
    values: NDArray[Any] | None
    unit: str
    description: str
    location: str = "center"
    axes: str = AXES
    grid: Grid | None = None
    standard_name: str = ""
    is_coordinate: bool = False
    corners: NDArray[Any] | None = None
    attributes: Mapping[str, str | float] = field(default_factory=dict)


def check_names(names: Iterable[str]) -> None:
    """Refuse names of variables that a file cannot hold, or not beside each other.

    Raises:
        CaseError: There is such a name.
    """
    for name, count in Counter(names).items():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise CaseError(
                f"{described(name)} was given as the name of a variable; expected a letter, and "
                "then anything but '/', ',', '\"', '#', '\\' and ends of lines.",
                hint="Units and remarks belong to 'unit' and 'description'.",
            )
        if _TAKEN.fullmatch(name):
            raise CaseError(
                f"A variable was given the name '{name}', which files give to a coordinate or to "
                "times.",
                hint=f"Call it otherwise, as 'value_of_{name}'.",
            )
        if count > 1:
            raise CaseError(
                f"{count} variables of one file were given the name '{name}'; expected a name for "
                "each.",
                hint=f"Quantity('{name}_2', …) gives another one.",
            )
