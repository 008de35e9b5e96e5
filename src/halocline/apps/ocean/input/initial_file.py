"""Files with what a tracer is at the beginning: a profile as text, or a field as NetCDF.

Both become functions of x, y and the height, as a Setup takes them, so that layers of any thickness
find their values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.apps.ocean.input.horizontal import around, at_middles
from halocline.apps.ocean.input.input_file import PLAUSIBLE, InputFile
from halocline.apps.ocean.input.text_lines import lines_of
from halocline.errors import CaseError
from halocline.frozen import Frozen
from halocline.installation import need

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from halocline.apps.ocean.setup.domain import Domain

    Values = NDArray[np.float64]

# No temperature and no salinity is below: what files without '_FillValue' write for missing values.
LEAST = -1e3
# Axes of a field that is the same at all heights.
_FLAT = ("y", "x")


class Levels(Frozen, eq=False):
    """What a tracer is at some heights.

    Attributes:
        heights: Over the mean level, from the lowest up [m].
        values: There, along the last axis: for all columns, or for each one, (nx, ny, heights) of
            cells or (cells, heights) of some; NaN where nothing is known.
    """

    heights: Values
    values: Values

    def __call__(self, x: Any, y: Any, height: Values) -> Values:
        """Return values between heights, linear in between and constant beyond what is known.

        Args:
            x: Not looked at: a column has its place in the array.
            y: Likewise.
            height: Of the middles of layers over the mean level, these along the last axis [m].

        Returns:
            An array as 'height', 0 in columns of which nothing is known.
        """
        del x, y
        if self.values.ndim == 1:
            return np.asarray(np.interp(height, self.heights, self.values))
        result = np.zeros(height.shape)
        is_known = np.isfinite(self.values)
        for column in zip(*np.nonzero(is_known.any(axis=-1)), strict=True):
            is_known_here = is_known[column]
            heights, values = self.heights[is_known_here], self.values[column][is_known_here]
            result[column] = np.interp(height[column], heights, values)
        return result

    def at(self, cells: tuple[NDArray[np.intp], ...]) -> Levels:
        """Return those of some cells, given by their indices along x and y."""
        return self if self.values.ndim == 1 else Levels(self.heights, self.values[cells])


def read_profile(path: Path, unit: str) -> Levels:
    """Return a profile: lines 'height value', after one that may say how many there are.

    Heights are over the mean level, so below 0, from the surface down or from the bed up [m].

    Args:
        path: Of the file.
        unit: Of the values: 'degC' or '1e-3'.

    Raises:
        CaseError: The file cannot be read, or has something else.
    """
    lines = lines_of(path)
    count = len(lines)
    if lines and len(lines[0].numbers) == 1:
        (count,), lines = lines[0].whole(1), lines[1:]
    if count < 1 or len(lines) < count:
        raise CaseError(
            f"The profile '{path}' has {len(lines)} lines 'height value'; expected {max(count, 1)}."
        )
    for line in lines[:count]:
        line.check(2, "the height over the mean level [m], and the value there")
        if line.numbers[1] not in PLAUSIBLE[unit]:
            expected = PLAUSIBLE[unit].described("a number")
            raise line.refusal(f"the value {line.numbers[1]:g}; expected {expected} [{unit}]")
    pairs = np.array([line.numbers[:2] for line in lines[:count]])
    heights, order = _upwards(pairs[:, 0], f"The profile '{path}' has heights", "negative ones")
    return Levels(heights, pairs[order, 1])


class FieldFile(Frozen):
    """NetCDF with a field: axes (z, y, x), maybe with 'time' before them, or no z.

    The axis z is the depth, positive downwards, or the height, as its attribute 'positive' or the
    sign of its coordinates says [m]. In a column below the lowest value that is not missing, that
    one goes on.

    Attributes:
        path: The file.
        name: Of the variable.
        unit: In which it must be if it says so: 'degC' or '1e-3'.
        domain: Of the model.
        record: Which of the times, counted from 0.
        window: Which of the file's columns, along x and y, are the model's cells; None where values
            are interpolated between longitudes and latitudes, or between x and y in metres.
    """

    path: Path
    name: str
    unit: str
    domain: Domain
    record: int = 0
    window: tuple[slice, slice] | None = (slice(None), slice(None))

    def read(self) -> Levels:
        """Return what it says.

        Raises:
            CaseError: The file cannot be read, has something else, or lacks values in water.
        """
        file = InputFile(self.path, "field")
        array = self._record(file)
        heights, order = np.zeros(1), slice(None)
        if array.ndim > len(_FLAT):
            heights, order = heights_of(file, array, 0)
        else:
            array = array.expand_dims("level")
        array = array.where(array > LEAST)[order]
        values = self._on_grid(file, array) if self.window else self._interpolated(file, array)
        is_wet = self.domain.is_wet
        file.check_present(self.name, any_of(values), is_wet)
        file.check_plausible(self.name, self.unit, values, is_wet[..., np.newaxis])
        return Levels(heights, np.where(is_wet[..., np.newaxis], values, np.nan))

    def _record(self, file: InputFile) -> Any:
        """Return the variable at its time: axes (z, y, x) or (y, x)."""
        dims = file.data[self.name].dims if self.name in file else ()
        has_times = bool(dims) and str(dims[0]).lower().startswith("time")
        is_flat = len(dims) - has_times == len(_FLAT)
        axes = ("time",) * has_times + (_FLAT if is_flat else ("z", *_FLAT))
        array = file.variable(self.name, axes, self.unit)
        count = array.shape[0] if has_times else 1
        if not 0 <= self.record < count:
            raise CaseError(
                f"{file.name} has '{self.name}' at {count} times; number {self.record + 1} was "
                "asked for."
            )
        return array[self.record] if has_times else array

    def _on_grid(self, file: InputFile, array: Any) -> Values:
        """Return the columns of the window."""
        assert self.window is not None
        values = np.asarray(array.values, np.float64).transpose(2, 1, 0)
        in_window = values[self.window]
        if in_window.shape[:2] != self.domain.extent:
            raise CaseError(
                f"{file.name} has '{self.name}' in {values.shape[0]} x {values.shape[1]} cells; "
                "expected those of the bathymetry."
            )
        return in_window

    def _interpolated(self, file: InputFile, array: Any) -> Values:
        """Return columns at the middles of cells; next to land those of the nearest water."""
        domain = self.domain
        unit = "degrees" if domain.has_latitudes else "m"
        for number in (1, 2):
            file.axis(array, number, unit)
        array = around(array, domain) if domain.has_latitudes else array
        filled = array.copy(data=np.stack([_spread(level) for level in array.values]))
        at_cells = at_middles(filled, domain, on_earth=domain.has_latitudes)
        return at_cells.transpose(2, 1, 0)


def heights_of(file: InputFile, array: Any, axis: int) -> tuple[Values, slice]:
    """Return the heights of levels, from the lowest up, and in which order the file has them.

    Args:
        file: Has them.
        array: The variable.
        axis: Which of its axes they are along.

    Raises:
        CaseError: There are none, or they are no heights.
    """
    coordinates = file.coordinates(array, axis, "m")
    values = np.asarray(coordinates.values, np.float64)
    said = str(coordinates.attrs.get("positive", "")).lower()
    is_down = said == "down" if said else bool(values.mean() > 0.0)
    what = f"{file.name} has {'depths' if is_down else 'heights'} '{coordinates.name}'"
    sign = "positive" if is_down else "negative"
    return _upwards(-values if is_down else values, what, f"{sign} ones")


def _upwards(heights: Values, what: str, expected: str) -> tuple[Values, slice]:
    """Return heights from the lowest up, and the slice that turns them so.

    Raises:
        CaseError: They neither increase nor decrease, or are above the mean level in the mean.
    """
    order = slice(None) if heights[0] <= heights[-1] else slice(None, None, -1)
    turned = heights[order]
    if not np.all(np.diff(turned) > 0.0):
        raise CaseError(f"{what} that neither increase nor decrease all the way.")
    if turned.mean() > 0.0:
        raise CaseError(
            f"{what} that lie above the mean level, up to {turned[-1]:g} m; expected {expected}.",
            hint="The attribute 'positive' says whether an axis points 'up' or 'down'.",
        )
    return turned, order


def _spread(level: Values) -> Values:
    """Return a level with what is missing, as on land, taken from the nearest point that is not."""
    need("ocean", "scipy")
    from scipy.ndimage import distance_transform_edt

    missing = ~np.isfinite(level)
    if missing.all():
        return level
    nearest = distance_transform_edt(missing, return_distances=False, return_indices=True)
    return np.asarray(level[tuple(nearest)])


def any_of(values: Values) -> Values:
    """Return a value of each column, along the last axis, that has one; NaN of others."""
    is_known = np.isfinite(values)
    first = np.take_along_axis(values, is_known.argmax(axis=-1)[..., np.newaxis], axis=-1)
    return first[..., 0]
