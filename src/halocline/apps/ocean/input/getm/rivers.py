"""Rivers of a folder of GETM: 'riverinfo.dat', and a NetCDF file of what they bring."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

import halocline as hc
from halocline.apps.ocean.input.getm.bathymetry import corner_of
from halocline.apps.ocean.input.initial_file import LEAST
from halocline.apps.ocean.input.input_file import InputFile, Period
from halocline.apps.ocean.input.text_lines import lines_of
from halocline.apps.ocean.setup.rivers import River
from halocline.errors import CaseError
from halocline.frozen import Frozen

if TYPE_CHECKING:
    from pathlib import Path

    from halocline.apps.ocean.input.getm.namelists import Namelists
    from halocline.apps.ocean.input.text_lines import Line

_CONSTANT = 1
# What the file calls temperature and salinity, and their units.
_TRACERS = (("temp", "degC"), ("salt", "1e-3"))
# A depth, which is no negative number.
_DEPTH = re.compile(r"[0-9.]+")
# Times at which a ramp is given: in between what rivers bring is linear.
_RAMP_TIMES = 101


def read_rivers(folder: Path, namelists: Namelists, period: Period) -> tuple[River, ...]:
    """Return the rivers; one that is named for several cells is shared among them.

    Raises:
        CaseError: A file is missing, has something that it should not, or lacks a river or a time.
    """
    if not namelists["rivers.river_method"]:
        return ()
    lines = _lines(folder / namelists["rivers.river_info"])
    data = _RiverData(
        InputFile(folder / namelists["rivers.river_data"], "river"), namelists, period
    )
    west, south = corner_of(namelists)
    shares = Counter(line.rest[0] for line in lines)
    rivers = []
    for line in lines:
        i, j = line.whole(2)
        name = line.rest[0]
        river = River((i - 1 - west, j - 1 - south), data.flow(name, shares[name]))
        if namelists.tracers:
            _check_all_depths(line)
            temperature, salinity = (data.tracer(name, *of) for of in _TRACERS)
            # Without a salinity GETM takes rivers for fresh.
            fresh = 0.0 if salinity is None else salinity
            river = replace(river, temperature=temperature, salinity=fresh)
        rivers.append(river)
    return tuple(rivers)


def _lines(path: Path) -> list[Line]:
    """Return the lines of rivers: each 'i j name', its cell counted from 1 in the bathymetry."""
    count, *lines = lines_of(path)
    (expected,) = count.whole(1)
    if len(lines) < expected:
        raise CaseError(f"The file '{path}' has {len(lines)} rivers; expected {expected}.")
    for line in lines[:expected]:
        line.whole(2)
        if not line.rest:
            raise line.refusal("no name; expected 'i j name' of a river")
    return lines[:expected]


def _check_all_depths(line: Line) -> None:
    """Refuse a river that mixes with the water at some depths only.

    Newer versions have these after the name, negative ones for the bed and the surface.
    """
    depths = line.rest[1:3]
    if any(_DEPTH.fullmatch(depth) for depth in depths):
        raise line.refusal(
            f"a river at depths from {' to '.join(depths)} m; supported is one at all depths, "
            "without them or with -1 for both"
        )


class _RiverData(Frozen):
    """What rivers bring.

    Attributes:
        file: For each river a variable along 'time'.
        namelists: Of the run.
        period: Of the run.
    """

    file: InputFile
    namelists: Namelists
    period: Period

    def flow(self, name: str, cells: int) -> hc.Series:
        """Return how much water a river brings into each of its cells [m³/s]."""
        times, values = self._read(name, "m3/s")
        values *= self.namelists["rivers.river_factor"] / cells
        follows = "rivers.river_outflow_properties_follow_source_cell"
        if values.min() < 0.0 and not self.namelists[follows]:
            line = self.namelists.refusal(follows, f".true., as '{name}' takes water away")
            raise CaseError(f"In the file '{self.namelists.path}' {line}.")
        steps = self.namelists["rivers.river_ramp"]
        if steps > 1:
            ramp = steps * self.namelists["time.timestep"]
            in_file = times, values
            times = np.union1d(times, np.linspace(0.0, ramp, _RAMP_TIMES))
            values = np.interp(times, *in_file) * np.clip(times / ramp, 0.0, 1.0)
        return hc.Series(times, values, name=name)

    def tracer(self, name: str, what: str, unit: str) -> hc.Series | None:
        """Return the temperature or the salinity of a river; None if none is to be used.

        An attribute of the river says whether the file has it.
        """
        if not self.namelists[f"rivers.use_river_{what}"]:
            return None
        of_it = f"{name}_{what}"
        if self.file.data[name].attrs.get(what, 0) == 1:
            times, values = self._read(of_it, unit)
            return hc.Series(times, values, name=of_it)
        if of_it in self.file:
            raise CaseError(
                f"{self.file.name} has '{of_it}', but '{name}' has no attribute '{what}' of 1, "
                "without which GETM takes no notice of it.",
                hint=f"Write 'ncatted -a {what},{name},o,s,1 FILE', or 'use_river_{what} = "
                ".false.'.",
            )
        return None

    def _read(self, name: str, unit: str) -> tuple[np.ndarray, np.ndarray]:
        """Return times after the start and values, or those that a constant river keeps."""
        is_constant = self.namelists["rivers.river_method"] == _CONSTANT
        array = self.file.variable(name, ("time",), unit)
        period = Period(self.period.start, 0.0) if is_constant else self.period
        rows, times = self.file.times(array, period)
        values = np.asarray(array.where(array > LEAST).values[rows], np.float64)
        is_asked = np.ones(values.size, bool)
        self.file.check_present(name, values, is_asked)
        self.file.check_plausible(name, unit, values, is_asked)
        # The last of these times is the first that is not before the start.
        return (np.zeros(1), values[-1:]) if is_constant else (times, values)
