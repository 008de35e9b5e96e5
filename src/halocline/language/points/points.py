"""Points off the grid: where fields are interpolated and values are injected."""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import GridError, KernelError, described
from halocline.geometry import AXES
from halocline.language.expressions.parameters import Parameter
from halocline.language.grids.fields import Field
from halocline.language.numbers import Range, real_array, whole_number
from halocline.language.place import user_place
from halocline.language.points.at_points import Injection
from halocline.language.points.record import Record
from halocline.language.points.support import KAISER, cubic, linear, sinc
from halocline.language.series.series import Series

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Values = NDArray[np.float64]


_INTERPOLATIONS = ("linear", "cubic", "sinc")


class Points:
    """Points off the grid, the same on all ranks, which keep those that concern them.

    Args:
        coordinates: A row for each point: (points, the grid's dimensions) [length unit].
        interpolation: 'linear': between the next two values along each axis; 'cubic': Lagrange's,
            among four; or 'sinc': among twice 'radius', in a Kaiser window (Hicks 2002), for waves.
        radius: Values on each side of a point, from 2 to 8, for 'sinc'.

    Raises:
        GridError: That are no coordinates, or there is no such interpolation.

    Example:
        >>> T = hc.Grid((8, 8)).field("T")
        >>> probes = hc.Points([(2.5, 3.0), (4.0, 4.0)]).record(T)
    """

    def __init__(self, coordinates: Any, interpolation: str = "linear", *, radius: int = 4) -> None:
        self.coordinates = _coordinates(coordinates)
        if interpolation not in _INTERPOLATIONS:
            raise GridError(
                f"Points were given the interpolation {interpolation!r}; expected 'linear', "
                "'cubic' or 'sinc'.",
                place=user_place(),
            )
        self.interpolation = interpolation
        allowed = Range(least=min(KAISER), most=max(KAISER))
        # What asks for present values: planned once.
        self._now: dict[tuple[Field, int], Record] = {}
        self.radius = whole_number("The radius of 'sinc'", radius, allowed, GridError)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.coordinates)

    @property
    def rule(self) -> Callable[[Any], Any]:
        """What gives the weights of the values around a fraction."""
        return {"linear": linear, "cubic": cubic, "sinc": sinc(self.radius)}[self.interpolation]

    @cached_property
    def digest(self) -> str:
        """What two sets of points have in common only if they are the same."""
        text = f"{self.interpolation} {self.radius} {self.coordinates.shape}"
        return hashlib.sha256(text.encode() + self.coordinates.tobytes()).hexdigest()[:16]

    def record(self, field: Field, *, component: int = 0, every: int = 1) -> Record:
        """Return the step that interpolates a field at the points and keeps the values.

        Args:
            field: Of which each has a value; of axes that it lacks, coordinates do not matter.
            component: Which of its components.
            every: After how many steps.

        Raises:
            GridError: A point lies outside the domain, or the field has no such component.
        """
        check_points(self, field, component, "interpolated")
        return Record(self, field, component, whole_number("'record'", every, Range(least=1)))

    def values(self, field: Field, *, component: int = 0) -> Values:
        """Return a field as it is now at the points, on every rank; collective.

        Args:
            field: Of which each has a value.
            component: Which of its components.

        Raises:
            GridError: There is no simulation of the field yet.
            PlanError: The simulation stores the field with too few cells around blocks for that.
        """
        record = self._now.get((field, component)) or self.record(field, component=component)
        self._now[field, component] = record
        owner = field.grid.state.owner
        if owner is None:
            raise GridError(
                f"Field '{field.name}' belongs to no simulation yet, so it has no values.",
                hint="Make a Simulation of its grid before.",
                place=user_place(),
            )
        owner.execute(record)
        found: Values = record.values[-1]
        record.clear()
        return found

    def inject(
        self, values: Any, *, into: Field, component: int = 0, scale: Any = 1.0
    ) -> Injection:
        """Return the step that adds values to the cells around the points.

        Each cell gets the value times the weight with which it counts where the field is
        interpolated (the adjoint); what would fall beyond a side is lost. To inject a density,
        divide by the volume of a cell.

        Args:
            values: A number, an hc.Parameter or hc.Series for all points; or an array or series of
                one for each.
            into: The field.
            component: Which of its components.
            scale: What values are multiplied by: a number, an hc.Parameter, or a number for each
                point.

        Raises:
            GridError: A point lies outside the domain, or the field has no such component.
            KernelError: There are not as many values as points.
        """
        check_points(self, into, component, "injected into")
        factor: float | Parameter = scale if isinstance(scale, Parameter) else 1.0
        scales = self._numbers("scale", 1.0 if isinstance(scale, Parameter) else scale)
        series: Series | None = None
        if isinstance(values, Series) and values.columns is not None:
            if values.columns != len(self):
                raise self._not_as_many(f"The series '{values.name}' has", values.columns)
            series = values
        elif isinstance(values, Parameter):
            factor = values * factor if isinstance(scale, Parameter) else values
        else:
            scales = scales * self._numbers("values", values)
        return Injection(self, into, component, factor, series, scales)

    def _numbers(self, what: str, given: Any) -> NDArray[np.float64]:
        """Return a number for each point."""
        try:
            array = real_array(given)
        except (TypeError, ValueError):
            raise KernelError(
                f"'inject' was given {described(given)} as '{what}'; expected a number, an array "
                "of one for each point, an hc.Parameter or an hc.Series.",
                place=user_place(),
            ) from None
        if array.ndim > 1 or array.size not in (1, len(self)) or not np.isfinite(array).all():
            if array.ndim == 1 and array.size not in (1, len(self)):
                raise self._not_as_many(f"The array '{what}' has", array.size)
            raise KernelError(
                f"'inject' was given '{what}' of shape {array.shape}, or not all finite; expected "
                "a finite number, or one for each point.",
                hint="Values that change with time are an hc.Series(times, values).",
                place=user_place(),
            )
        return np.broadcast_to(array.reshape(-1), (len(self),)).copy()

    def _not_as_many(self, what: str, count: int) -> KernelError:
        return KernelError(
            f"{what} {count} values at a time; expected one for each of {len(self)} points, or one "
            "for all.",
            place=user_place(),
        )


def _coordinates(given: Any) -> NDArray[np.float64]:
    try:
        array = real_array(given)
    except (TypeError, ValueError):
        raise GridError(
            f"Points were given {described(given)}; expected their coordinates: (points, "
            "dimensions).",
            place=user_place(),
        ) from None
    if (
        array.ndim != len(("point", "axis"))
        or not 1 <= array.shape[1] <= len(AXES)
        or not len(array)
    ):
        raise GridError(
            f"Points were given coordinates of shape {array.shape}; expected (points, dimensions).",
            hint="Of one point write hc.Points([(x, y)]).",
            place=user_place(),
        )
    for number, axis in np.argwhere(~np.isfinite(array))[:1]:
        raise GridError(
            f"Point {number} was given {AXES[axis]} = {array[number, axis]}; expected a finite "
            "number.",
            place=user_place(),
        )
    array.flags.writeable = False
    return array


def check_points(points: Points, field: Any, component: int, what: str) -> None:
    """Refuse points that a field has no values around."""
    if not isinstance(field, Field):
        raise GridError(
            f"Points were given {described(field)} to be {what}; expected a field.",
            place=user_place(),
        )
    if field.dtype not in ("float64", "float32"):
        raise GridError(
            f"Field '{field.name}' of {field.dtype} was to be {what}; expected float64 or float32.",
            hint="Of integers a kernel makes a field of floats: real[0, 0] = whole.",
            place=user_place(),
        )
    whole_number("'component'", component, Range(least=0, most=field.components - 1), GridError)
    if points.coordinates.shape[1] != field.dimensions:
        raise GridError(
            f"Points of {points.coordinates.shape[1]} coordinates were given the field "
            f"'{field.name}' of a grid with {field.dimensions} axes; expected as many.",
            place=user_place(),
        )
    for axis in field.space.axes:
        if field.grid.is_stretched(axis) and points.interpolation != "linear":
            raise GridError(
                f"Points with the interpolation '{points.interpolation}' were given the field "
                f"'{field.name}', whose cells along {AXES[axis]} differ in width; expected "
                "'linear'.",
                place=user_place(),
            )
        at, sides = points.coordinates[:, axis], field.grid.faces(axis)[[0, -1]]
        slack = _ROUNDED * (sides[1] - sides[0])
        for number in np.flatnonzero((at < sides[0] - slack) | (at > sides[1] + slack))[:1]:
            where = tuple(float(x) for x in points.coordinates[number])
            raise GridError(
                f"Point {number} at {where} lies outside the domain along {AXES[axis]}, where "
                f"'{field.name}' is {what}.",
                hint="Coordinates are in the grid's length unit and begin at its origin; without "
                "'spacing' a cell is 1 wide.",
                place=user_place(),
            )


# Coordinates are rounded, beside the length of the domain.
_ROUNDED = 1e-12
