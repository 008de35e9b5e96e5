"""Rivers of a folder of GETM: 'riverinfo.dat', and discharges in a NetCDF file."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

import halocline as hc
from halocline.apps.ocean.input_file import InputFile
from halocline.apps.ocean.rivers import River
from halocline.apps.ocean.text_lines import lines_of
from halocline.errors import CaseError

if TYPE_CHECKING:
    from pathlib import Path

    from halocline.apps.ocean.getm.namelists import Namelists
    from halocline.apps.ocean.input_file import Period


def read_rivers(folder: Path, namelists: Namelists, period: Period) -> tuple[River, ...]:
    """Return the rivers; one that is named for several cells is shared among them.

    Raises:
        CaseError: A file is missing, has something that it should not, or lacks a river or a time.
    """
    if not namelists["rivers.river_method"]:
        return ()
    places = _places(folder / namelists["rivers.river_info"])
    file = InputFile(folder / namelists["rivers.river_data"], "river")
    shares = Counter(name for _, name in places)
    factor = namelists["rivers.river_factor"]
    return tuple(
        River(cell, _discharge(file, name, period, factor / shares[name])) for cell, name in places
    )


def _places(path: Path) -> list[tuple[tuple[int, int], str]]:
    """Return the cells of rivers, counted from 0, and their names: 'i j name' in each line."""
    count, *lines = lines_of(path)
    (expected,) = count.whole(1)
    if len(lines) < expected:
        raise CaseError(f"The file '{path}' has {len(lines)} rivers; expected {expected}.")
    found = []
    for line in lines[:expected]:
        i, j = line.whole(2)
        if not line.rest:
            raise line.refusal("no name; expected 'i j name' of a river")
        found.append(((i - 1, j - 1), line.rest[0]))
    return found


def _discharge(file: InputFile, name: str, period: Period, factor: float) -> hc.Series:
    """Return how much water a river brings [m³/s]."""
    array = file.variable(name, ("time",), "m3/s")
    rows, seconds = file.times(array, period)
    return hc.Series(seconds, factor * np.asarray(array.values[rows], np.float64), name=name)
