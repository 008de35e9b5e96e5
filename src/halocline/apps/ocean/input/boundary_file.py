"""Open boundaries of a run: parts that are water, and files with the sea beyond them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from msgspec.structs import replace

import halocline as hc
from halocline.apps.ocean.input.input_file import InputFile, Period
from halocline.apps.ocean.setup.domain import OpenBoundary, OpenSide
from halocline.errors import CaseError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray


_SIDES: dict[str, OpenSide] = {side: side for side in get_args(OpenSide)}


def read_lines(texts: Sequence[str], extent: tuple[int, ...]) -> list[OpenBoundary]:
    """Return the lines of cells that texts stand for.

    Args:
        texts: Each a side as 'north', all of it, or a line as 'north INDEX FIRST LAST', counted
            from 0.
        extent: Cells along x and y.

    Raises:
        CaseError: A text is something else, or the line has other cells.
    """
    boundaries = []
    for text in texts:
        side, *numbers = text.split() or [""]
        is_line = len(numbers) in (0, 3) and all(number.isdecimal() for number in numbers)
        if side not in _SIDES or not is_line:
            raise CaseError(
                f"The open boundary '{text}' was given; expected one of {', '.join(_SIDES)}, and "
                "maybe INDEX FIRST LAST."
            )
        across, along = extent if side in ("west", "east") else extent[::-1]
        outermost = 0 if side in ("west", "south") else across - 1
        index, first, last = map(int, numbers) if numbers else (outermost, 0, along - 1)
        if not (index < across and first <= last < along):
            raise CaseError(
                f"The open boundary '{text}' was given; the grid has {extent[0]} x {extent[1]} "
                "cells, counted from 0."
            )
        boundaries.append(OpenBoundary(_SIDES[side], index, first, last))
    return boundaries


def wet_parts(
    lines: Sequence[OpenBoundary], is_wet: NDArray[np.bool_]
) -> tuple[tuple[OpenBoundary, ...], NDArray[np.intp]]:
    """Return the parts of lines of cells that are water, each cell once, and their numbers.

    Args:
        lines: Within the domain; a cell of several belongs to the first.
        is_wet: Which cells are water, shape (nx, ny).

    Returns:
        The parts; and for each of their cells how many cells of the lines come before it.

    Raises:
        CaseError: A line is all land.
    """
    is_free = is_wet.copy()
    parts: list[OpenBoundary] = []
    numbers: list[int] = []
    before = 0
    for line in lines:
        cells = line.cells()
        if not is_wet[cells].any():
            raise CaseError(
                f"All cells of {line}, counted from 0, are land; expected water.",
                hint="Move the boundary, or leave it out.",
            )
        free = np.flatnonzero(is_free[cells])
        is_free[cells] = False
        for run in np.split(free, np.flatnonzero(np.diff(free) > 1) + 1):
            if run.size:
                first, last = (line.first + int(run[end]) for end in (0, -1))
                parts.append(replace(line, first=first, last=last))
        numbers += [before + int(number) for number in free]
        before += cells[0].size
    return tuple(parts), np.array(numbers, np.intp)


def read_currents(
    path: Path,
    parts: Sequence[OpenBoundary],
    points: int,
    numbers: NDArray[np.intp],
    period: Period,
    is_needed: NDArray[np.bool_],
) -> hc.Series | None:
    """Return the current across open boundaries, along x or y; None if the file has none.

    Args:
        path: NetCDF, maybe with 'u' for boundaries in the west and east and 'v' for others [m/s].
        parts: The boundaries.
        points: See 'read_rows'.
        numbers: See 'read_rows'.
        period: Of the run.
        is_needed: See 'read_rows'.

    Raises:
        CaseError: The file cannot be read, has one of them where both are needed, or something
            else.
    """
    file = InputFile(path, "boundary")
    if "u" not in file and "v" not in file:
        return None
    is_along_x = are_along_x(parts)
    found = [
        read_rows(path, name, "m/s", points, numbers, period, is_needed & is_there)
        for name, is_there in (("u", is_along_x), ("v", ~is_along_x))
        if (is_needed & is_there).any()
    ]
    first, last = found[0], found[-1]
    if not np.array_equal(first.times, last.times):
        raise CaseError(f"{file.name} has 'u' and 'v' at different times; expected the same.")
    values = np.where(is_along_x, first.values, last.values)
    return hc.Series(first.times, values, name="current")


def are_along_x(parts: Sequence[OpenBoundary]) -> NDArray[np.bool_]:
    """Return for each cell of boundaries whether the current across it is along x."""
    sizes = [part.cells()[0].size for part in parts]
    return np.repeat([part.axis == "x" for part in parts], sizes)


def read_rows(
    path: Path,
    name: str,
    unit: str,
    points: int,
    numbers: NDArray[np.intp],
    period: Period,
    is_needed: NDArray[np.bool_] | None = None,
) -> hc.Series:
    """Return a variable of open cells as it changes with time.

    Args:
        path: NetCDF with the variable, axes (time, point), or (point) if it is steady.
        name: Of it, as 'elev'.
        unit: Of it.
        points: How many the file must have.
        numbers: Of those that are needed, in this order.
        period: Of the run.
        is_needed: Which of these must have values; None for all.

    Raises:
        CaseError: The file cannot be read, or has something else, or not for all of the run.
    """
    file = InputFile(path, "boundary")
    is_steady = name in file and file.data[name].ndim == 1
    array = file.variable(name, ("point",) if is_steady else ("time", "point"), unit)
    check_points(file, array, array.shape[-1], points)
    if is_steady:
        times = np.array([0.0, period.duration])
        values = np.tile(np.asarray(array.values, np.float64), (2, 1))
    else:
        rows, times = file.times(array, period)
        values = np.asarray(array[rows].values, np.float64)
    values = values[:, numbers]
    is_needed = np.ones(numbers.size, bool) if is_needed is None else is_needed
    file.check_present(name, values, is_needed)
    file.check_plausible(name, unit, values, is_needed)
    return hc.Series(times, np.where(is_needed, values, 0.0), name=name)


def check_points(file: InputFile, array: Any, found: int, points: int) -> None:
    """Refuse a variable with more or fewer points than open boundaries have cells."""
    if found != points:
        raise CaseError(
            f"{file.name} has '{array.name}' at {found} points; expected {points}, one for each "
            "cell of the open boundaries, in their order."
        )
