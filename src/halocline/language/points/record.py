"""Record: what a field was at points, step after step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from halocline.errors import GridError
from halocline.geometry import AXES
from halocline.installation import need
from halocline.language.place import user_place
from halocline.language.points.at_points import AtPoints

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.language.grids.fields import Field
    from halocline.language.points.points import Points


class AllRows(NamedTuple):
    """What was recorded: steps and their times, and the values of all points, (times, points)."""

    steps: NDArray[np.int64]
    times: NDArray[np.float64]
    values: NDArray[np.float64]


class Rows(Protocol):
    """Where recorded values are kept; made by a simulation."""

    def all(self) -> AllRows:
        """Return the values of all points; collective."""

    def replace(self, rows: AllRows) -> None:
        """Forget what was recorded, and go on after these rows; collective."""


class Record(AtPoints):
    """The step that interpolates a field at points and keeps the values.

    They are kept by the ranks whose blocks the points lie in, with 16 digits. Before the first run
    it is empty.
    """

    verb = "interpolate"

    def __init__(self, points: Points, field: Field, component: int, every: int) -> None:
        super().__init__(points, field, component)
        self.every = every
        self.rows: Rows | None = None

    def stored(self) -> Rows:
        """Return where the values are kept, or say that there are none."""
        if self.rows is None:
            raise GridError(
                f"Nothing of '{self.field.name}' was recorded yet: that begins when a simulation "
                "runs that has the record among its steps.",
                place=user_place(),
            )
        return self.rows

    @property
    def values(self) -> NDArray[np.float64]:
        """The values, (times, points), on every rank; collective."""
        return self.stored().all().values

    @property
    def times(self) -> NDArray[np.float64]:
        """The value of 'hc.time' in each step that recorded; collective."""
        return self.stored().all().times

    def clear(self) -> None:
        """Forget what was recorded; collective."""
        nothing = np.zeros(0), np.zeros((0, len(self.points)))
        self.stored().replace(AllRows(np.zeros(0, np.int64), *nothing))

    def to_xarray(self) -> Any:
        """Return the values with times and coordinates, as an xarray.DataArray; collective."""
        need("output", "xarray")
        import xarray as xr

        _, times, values = self.stored().all()
        places = {
            axis: ("point", along)
            for axis, along in zip(AXES, self.points.coordinates.T, strict=False)
        }
        coordinates = {"time": times, **places}
        attributes = {"units": self.field.unit, "long_name": self.field.description}
        return xr.DataArray(
            values,
            dims=("time", "point"),
            coords=coordinates,
            name=self.field.name,
            attrs={key: text for key, text in attributes.items() if text},
        )
