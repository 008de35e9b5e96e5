"""What the times of a series mean, and the dataset of a series before its first time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import CaseError
from halocline.frozen import Frozen
from halocline.io.region import Region, cells_between

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    import xarray

BOUNDS = "time_bounds"


class Times(Frozen):
    """The times of a series, as CF conventions describe them.

    Attributes:
        unit: In words; of the units of CF 's' alone.
        start: Date and time of step 0; None if it has none.
        mean: Steps between the states of which there are means; None for the states themselves.
        dt: Length of a step, if that is a number.

    Raises:
        CaseError: There is a date, but the unit is not 's'.
    """

    unit: str
    start: datetime | None
    mean: int | None
    dt: Any

    def __post_init__(self) -> None:
        if self.start is not None and self.unit != "s":
            raise CaseError(
                f"The start {self.start} was given with times in '{self.unit}'; expected 's'."
            )

    @property
    def label(self) -> dict[str, str]:
        """What times say of themselves; without a date they are seconds, or pure numbers."""
        bounds = {} if self.mean is None else {"bounds": BOUNDS}
        if self.unit != "s":
            return {"units": "1", "long_name": f"time in {self.unit}", "axis": "T", **bounds}
        label = {"standard_name": "time", "axis": "T", **bounds}
        if self.start is None:
            return {**label, "units": "s", "long_name": "time in s"}
        since = f"seconds since {self.start.isoformat(sep=' ')}"
        calendar = {"calendar": "standard", "units_metadata": "leap_seconds: none"}
        return {**label, "units": since, **calendar, "long_name": "time"}

    @property
    def method(self) -> str:
        """How values stand for their time."""
        if self.mean is None:
            return "time: point"
        if self.unit == "s" and isinstance(self.dt, float):
            return f"time: mean (interval: {self.mean * self.dt:.12g} s)"
        return f"time: mean (comment: of the states after each {self.mean} steps)"


def along_time(
    state: xarray.Dataset, names: Iterable[str], region: Region, times: Times
) -> xarray.Dataset:
    """Return the dataset of a series before its first time.

    Args:
        state: What it has at a time, everywhere.
        names: The variables that change with time.
        region: The cells that it has.
        times: What its times mean.
    """
    import xarray

    inside = {
        name: cells_between(places.values, region[axis])
        for name, places in state.coords.items()
        if (axis := places.attrs.get("axis", "").lower()) in region
    }
    contents = state.isel(inside)
    for name in names:
        of_cells = contents[name].variable
        label = {**of_cells.attrs, "cell_methods": times.method}
        empty = np.broadcast_to(of_cells.dtype.type(0), (0, *of_cells.shape))
        contents[name] = xarray.Variable(("time", *of_cells.dims), empty, label)
    contents = contents.assign_coords(
        time=("time", np.zeros(0), times.label),
        step=("time", np.zeros(0, np.int64), {"units": "1", "long_name": "time steps done"}),
    )
    if times.mean is not None:
        contents[BOUNDS] = xarray.Variable(("time", "bounds"), np.zeros((0, 2)))
    return contents
