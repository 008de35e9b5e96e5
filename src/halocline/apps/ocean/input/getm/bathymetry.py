"""The bathymetry of a GETM run: its window, and the files that adjust it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from halocline.apps.ocean.input.bathymetry_file import Bathymetry, read_bathymetry
from halocline.apps.ocean.input.text_lines import Line, lines_of
from halocline.errors import CaseError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from halocline.apps.ocean.input.getm.namelists import Namelists

# GETM reads these if they are there: least depths, depths, and land, of boxes of cells.
_LEAST, _DEPTHS, _LAND = "minimum_depth.dat", "bathymetry.adjust", "mask.adjust"
# What is that high above the mean level is land [m].
_HIGH_LAND = -10.0


def read_adjusted(folder: Path, namelists: Namelists) -> Bathymetry:
    """Return the bathymetry of the cells that a run uses, as the folder's files adjust it.

    Raises:
        CaseError: A file cannot be read, or the window or a box has no cells.
    """
    path = folder / namelists["domain.bathymetry"]
    bathymetry = read_bathymetry(path, is_of_getm=True)
    depth = bathymetry.depth.copy()
    for line in _boxes(folder / _LEAST, 5):
        box = depth[_box(line, depth)]
        box[box < line.numbers[4]] = line.numbers[4]
    for line in _boxes(folder / _DEPTHS, 5):
        box_depth = line.numbers[4]
        depth[_box(line, depth)] = box_depth if box_depth > _HIGH_LAND else np.nan
    for line in _boxes(folder / _LAND, 4):
        depth[_box(line, depth)] = np.nan
    return replace(bathymetry, depth=depth).window(*window_of(namelists, depth.shape))


def window_of(namelists: Namelists, extent: tuple[int, ...]) -> tuple[slice, slice]:
    """Return which cells of a file a run uses.

    Args:
        namelists: Of the run.
        extent: Cells of the file along x and y.

    Raises:
        CaseError: It has no such cells.
    """
    nx, ny = extent
    return _window(namelists, "il", "ih", nx), _window(namelists, "jl", "jh", ny)


def corner_of(namelists: Namelists) -> tuple[int, int]:
    """Return the first cell of a run's window along x and y, counted from 0."""
    west, south = (max(namelists[f"domain.{first}"], 1) - 1 for first in ("il", "jl"))
    return west, south


def _boxes(path: Path, count: int) -> list[Line]:
    """Return the boxes of a file: their number, then lines 'il, jl, ih, jh' and maybe a depth."""
    if not path.is_file():
        return []
    lines = lines_of(path)
    expected = lines[0].whole(1)[0] if lines else 0
    boxes = lines[1:]
    if len(boxes) != expected:
        raise CaseError(
            f"The file '{path}' has {len(boxes)} lines of boxes; expected {expected}, as its first "
            "line says."
        )
    for line in boxes:
        line.check(count, "il, jl, ih, jh" + (", depth" if count > len(("i", "j")) * 2 else ""))
    return boxes


def _box(line: Line, depth: NDArray[np.float64]) -> tuple[slice, slice]:
    """Return the cells of a box, whose corners GETM counts from 1."""
    i, j, i_last, j_last = line.whole(4)
    if not (1 <= i <= i_last <= depth.shape[0] and 1 <= j <= j_last <= depth.shape[1]):
        raise line.refusal(
            f"a box from ({i}, {j}) to ({i_last}, {j_last}), but the bathymetry has "
            f"{depth.shape[0]} x {depth.shape[1]} cells, counted from 1"
        )
    return slice(i - 1, i_last), slice(j - 1, j_last)


def _window(namelists: Namelists, first: str, last: str, count: int) -> slice:
    """Return the cells along an axis that a run uses; -1 stands for all of them."""
    low, high = namelists[f"domain.{first}"], namelists[f"domain.{last}"]
    low, high = (1 if low == -1 else low), (count if high == -1 else high)
    if not 1 <= low <= high <= count:
        raise CaseError(
            f"In the file '{namelists.path}' the namelist 'domain' has {first} = {low} and {last} "
            f"= {high}; expected numbers from 1 to {count}, the cells of the bathymetry."
        )
    return slice(low - 1, high)
