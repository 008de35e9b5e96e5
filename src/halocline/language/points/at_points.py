"""What is done at points: steps that the runtime does without a kernel of the user's."""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from halocline.frozen import Frozen
from halocline.geometry import Box
from halocline.language.points.support import Support, images_in_domain, support_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.language.expressions.parameters import Parameter
    from halocline.language.grids.fields import Field
    from halocline.language.points.points import Points
    from halocline.language.series.series import Series


class PointsFootprint(Frozen):
    """Which cells of a field points use.

    Attributes:
        lower: How far below the cells that they belong to, along each axis.
        upper: How far above.
        cells: Around the cells that they belong to.
        around: Around the cells that they weight; without bounds along periodic axes.
        beyond: The number of a point that weights a layer beyond a side, by the side's axis and
            sign.
    """

    lower: tuple[int, ...]
    upper: tuple[int, ...]
    cells: Box
    around: Box
    beyond: dict[tuple[int, int], int]


class AtPoints:
    """Something done at points of a field; two of them are never equal.

    Attributes:
        points: Where.
        field: Of the values there.
        component: Which of its components.
    """

    verb = ""

    def __init__(self, points: Points, field: Field, component: int) -> None:
        self.points = points
        self.field = field
        self.component = component
        self._kept: Support | None = None

    @property
    def digest(self) -> str:
        """What all ranks must know alike, as a short text."""
        return f"{self.points.digest} {self.component}"

    @property
    def name(self) -> str:
        """What plans and reports call it."""
        return f"{self.verb}_{self.field.name}"

    def support(self) -> Support:
        """Return the cells of the field that all points weight; large, so it is kept once only."""
        support, self._kept = self._kept, None
        return support or self._found()

    def _found(self) -> Support:
        field, space = self.field, self.field.space
        positions = [
            None if space.lacks[axis] else self._positions(axis) for axis in range(field.dimensions)
        ]
        positions = images_in_domain(positions, space.translations)
        return support_of(positions, _extents(field), space.periodic, self.points.rule)

    def _positions(self, axis: int) -> NDArray[np.float64]:
        """Return where points lie along an axis, counted in the field's values."""
        where, on_faces = self.points.coordinates[:, axis], self.field.location.is_on_faces(axis)
        return self.field.grid.places(axis, where, on_faces=on_faces)

    @cached_property
    def footprint(self) -> PointsFootprint:
        """Which cells they use, all of them together."""
        support, space = self._found(), self.field.space
        # Who plans soon executes.
        self._kept = support
        axes = range(self.field.dimensions)
        widths = np.array(support.widths)
        cells = Box(
            tuple(int(support.cells[:, axis].min()) for axis in axes),
            tuple(int(support.cells[:, axis].max()) + 1 for axis in axes),
        )
        beyond: dict[tuple[int, int], int] = {}
        around = space.domain
        for axis in space.axes:
            if space.periodic[axis]:
                around = around.clip(axis, *_unbounded(space.inside, axis))
                continue
            low, line = support.first[:, axis], support.lines[axis]
            n = space.domain.upper[axis]
            first, end = int(low.min()), int(low.max()) + int(widths[axis])
            around = around.clip(axis, max(0, first), min(n, end))
            beyond |= {(axis, sign): number for sign, number in line.beyond.items()}
        return PointsFootprint(
            tuple(line.lower for line in support.lines[: self.field.dimensions]),
            tuple(line.upper for line in support.lines[: self.field.dimensions]),
            space.open_where_lacking(space.unbounded_where_whole(cells)),
            space.open_where_lacking(around),
            beyond,
        )


def _unbounded(inside: Box, axis: int) -> tuple[int, int]:
    return inside.lower[axis], inside.upper[axis]


def _extents(field: Field) -> tuple[int, ...]:
    space = field.space
    return tuple(n + more for n, more in zip(space.extent, space.closing, strict=True))


class Injection(AtPoints):
    """The step that adds values to the cells around points.

    Attributes:
        factor: A number that all points have in common.
        series: If given, that of each point beside it.
        scales: What each is multiplied by, in the order of the points.
    """

    verb = "inject"

    def __init__(
        self,
        points: Points,
        field: Field,
        component: int,
        factor: float | Parameter,
        series: Series | None,
        scales: NDArray[np.float64],
    ) -> None:
        super().__init__(points, field, component)
        self.factor = factor
        self.series = series
        self.scales = scales

    @property
    def digest(self) -> str:
        """What two injections at the same points have in common only if they inject the same."""
        hasher = hashlib.sha256(f"{self.points.digest} {self.component}".encode())
        hasher.update(self.scales.tobytes())
        if self.series is not None:
            hasher.update(self.series.digest.encode())
        return hasher.hexdigest()[:16]
