"""Location: where on a cell the values of a field lie."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from halocline.geometry import AXES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Location(StrEnum):
    """The middle of cells, or the faces across one axis or two (then edges).

    Attributes:
        faces: The axes across which values lie on faces.
    """

    CENTER = "center"
    X_FACE = "x_face"
    Y_FACE = "y_face"
    Z_FACE = "z_face"
    XY_EDGE = "xy_edge"
    XZ_EDGE = "xz_edge"
    YZ_EDGE = "yz_edge"

    faces: tuple[int, ...]

    def __init__(self, name: str) -> None:
        names = "" if name == "center" else name.partition("_")[0]
        self.faces = tuple(map(AXES.index, names))

    @classmethod
    def on_faces(cls, axes: Iterable[int]) -> Location:
        """Return the location on the faces across some axes, none of them for the middle."""
        wanted = tuple(sorted(axes))
        return next(location for location in cls if location.faces == wanted)

    def is_on_faces(self, axis: int) -> bool:
        """Return whether values lie on the faces across an axis."""
        return axis in self.faces

    def without(self, axis: int) -> Location:
        """Return where values lie along the other axes."""
        return Location.on_faces(face for face in self.faces if face != axis)

    def offset(self, axis: int) -> float:
        """Return how far values lie from the low end of their cell along an axis [cells]."""
        return 0.0 if axis in self.faces else 0.5

    def extra_faces(self, periodic: Sequence[bool]) -> tuple[int, ...]:
        """Return how many faces more than cells a domain has along each axis, 0 or 1."""
        return tuple(int(axis in self.faces and not p) for axis, p in enumerate(periodic))
