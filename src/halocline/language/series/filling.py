"""Filling: the step that gives a field the values that a series of arrays has at the time."""

from __future__ import annotations

from halocline.errors import KernelError, described
from halocline.language.grids.fields import Field
from halocline.language.grids.labelled import check_coordinates
from halocline.language.place import user_place
from halocline.language.series.series import Series


class Fill:
    """Give all cells of a field the values that a series has at the time; see 'fill'.

    Attributes:
        field: The field.
        series: What it is filled with.
        place: Where the user wrote it.
    """

    def __init__(self, field: Field, series: Series) -> None:
        self.field = field
        self.series = series
        self.place = user_place()

    @property
    def name(self) -> str:
        """What plans and reports call it."""
        return f"fill_{self.field.name}"

    @property
    def digest(self) -> str:
        """What all ranks must know alike, as a short text."""
        return self.series.digest


def fill(field: Field, series: Series) -> Fill:
    """Return the step that gives a field the values that a series has at 'hc.time'.

    Args:
        field: Of float64 or float32.
        series: Of arrays of all its cells, of the axes that it has.

    Raises:
        KernelError: The series has other cells, or there is none.

    Example:
        >>> wind = hc.Grid(2).field("wind")
        >>> step = hc.fill(wind, hc.Series([0.0, 3600.0], [[5.0, 5.0], [7.0, 6.0]]))
    """
    if not isinstance(field, Field) or not isinstance(series, Series):
        raise KernelError(
            f"'fill' was given {described(field)} and {described(series)}; expected a field and an "
            "hc.Series of arrays of its cells.",
            place=user_place(),
        )
    if field.dtype not in ("float64", "float32"):
        raise KernelError(
            f"Field '{field.name}' of {field.dtype} was to be filled with the series "
            f"'{series.name}'; expected float64 or float32.",
            place=user_place(),
        )
    components = (field.components,) if field.components > 1 else ()
    if series.shape != (*components, *field.space.shape):
        raise _not_its_cells(field, series, (*components, *field.space.shape))
    check_places(series, field, f"Field '{field.name}'")
    return Fill(field, series)


def _not_its_cells(field: Field, series: Series, expected: tuple[int, ...]) -> KernelError:
    found = f"values of shape {series.shape}" if series.shape else "one number"
    hint = "Values have the axis x first, as the field's: values.transpose(…) changes their order."
    if not series.shape:
        hint = "A series of numbers stands where a number does: give it to a kernel."
    return KernelError(
        f"The series '{series.name}' has {found} at each time; expected {expected}, the cells of "
        f"'{field.name}' on '{field.axes}'.",
        hint=hint,
        place=user_place(),
    )


def check_places(series: Series, field: Field, whose: str) -> None:
    """Refuse a series whose values lie elsewhere than those of a field."""
    check_coordinates(series.rows.places, field, f"The series '{series.name}'", whose, KernelError)
