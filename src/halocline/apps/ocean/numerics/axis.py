"""One text for both directions: neighbours along an axis and across it."""

from __future__ import annotations

from typing import Any, Literal

import halocline as hc
from halocline.frozen import Frozen

AxisName = Literal["x", "y"]
# Where the sea beyond an open cell lies, as fields of cells have it.
WEST, EAST, SOUTH, NORTH = 1, 2, 3, 4
SIDES = {"west": WEST, "east": EAST, "south": SOUTH, "north": NORTH}


class Axis(Frozen):
    """The direction of a velocity, for kernels that are the same for U and V.

    'axis(value, 1)' is the value one cell further along it, 'axis(value, 0, 1)' across it.

    Attributes:
        name: 'x' for what lies at U points, 'y' for V points.
    """

    name: AxisName

    @property
    def across(self) -> AxisName:
        """The other direction."""
        return "y" if self.name == "x" else "x"

    def __call__(self, value: Any, along: int = 0, across: int = 0) -> Any:
        """Return the value of a neighbour."""
        return hc.at(value, **{self.name: along, self.across: across})

    def mean(self, value: Any) -> Any:
        """Return the mean of the two cells beside a velocity point."""
        return 0.5 * (self(value, -1) + value)

    def in_cell(self, value: Any) -> Any:
        """Return the mean of the two velocity points of the cell ahead of one."""
        return 0.5 * (value + self(value, 1))

    def going_on(self, value: Any, flows_on: Any) -> Any:
        """Return values at velocity points, on the outer sides of open cells those inside of them.

        Args:
            value: At the points of this axis.
            flows_on: Of cells, see 'Domain.flows_on'; None where the sea beyond is still.
        """
        if flows_on is None:
            return value
        low, high = (WEST, EAST) if self.name == "x" else (SOUTH, NORTH)
        from_low = hc.where(flows_on == low, self(value, 1), value)
        return hc.where(self(flows_on, -1) == high, self(value, -1), from_low)

    def crossing(self, other: Any) -> Any:
        """Return the mean of the four other velocity points around one."""
        pair = other + self(other, -1)
        return 0.25 * (pair + self(pair, 0, 1))


@hc.kernel
def at_velocity_points(target: Any, source: Any, *, axis: AxisName) -> None:
    """Take the mean of the two cells beside each velocity point.

    Args:
        target: At the velocity points.
        source: Of cells.
        axis: 'x' for U points, 'y' for V points.
    """
    target[...] = Axis(axis).mean(source)
