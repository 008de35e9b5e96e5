"""Record: what a field was at points, step after step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from halocline.errors import GridError
from halocline.geometry import AXES
from halocline.language.at_points import AtPoints
from halocline.language.place import user_place

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.language.fields import Field
    from halocline.language.points import Points


class Rows(Protocol):
    """Where recorded values are kept; made by a simulation."""

    def values(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the steps and the values of all points in each: (steps, points); collective."""

    def replace(self, steps: Any, values: Any) -> None:
        """Forget what was recorded, and go on after these rows; collective."""

    dt: float


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
        return self.stored().values()[1]

    @property
    def times(self) -> NDArray[np.float64]:
        """The value of 'hc.time' in each step that recorded; collective."""
        steps = self.stored().values()[0].astype(np.float64)
        return steps * self.stored().dt

    def clear(self) -> None:
        """Forget what was recorded; collective."""
        self.stored().replace(np.zeros(0, np.int64), np.zeros((0, len(self.points))))

    def to_xarray(self) -> Any:
        """Return the values with times and coordinates, as an xarray.DataArray; collective."""
        import xarray as xr

        steps, values = self.stored().values()
        places = {
            axis: ("point", along)
            for axis, along in zip(AXES, self.points.coordinates.T, strict=False)
        }
        coordinates = {"time": steps * self.stored().dt, **places}
        attributes = {"units": self.field.unit, "long_name": self.field.description}
        return xr.DataArray(
            values,
            dims=("time", "point"),
            coords=coordinates,
            name=self.field.name,
            attrs={key: text for key, text in attributes.items() if text},
        )
