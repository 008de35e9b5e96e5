"""Tridiagonal systems along an axis, one for each column, solved by sweeps.

The Thomas algorithm: eliminated on the way up, substituted on the way down. Where the axis closes
the system is cyclic: two right-hand sides are solved for at once, and combined (Sherman-Morrison;
Press et al., Numerical Recipes, 3rd edition, sections 2.4 and 2.7.2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import KernelError, described
from halocline.frozen import Frozen
from halocline.geometry import AXES
from halocline.language.boundaries.boundary import boundary_calls
from halocline.language.expressions import operators
from halocline.language.expressions.across import refuse_sweep
from halocline.language.expressions.functions import index, where
from halocline.language.expressions.kernel import reads
from halocline.language.expressions.promotion import computed
from halocline.language.grids.fields import Field
from halocline.language.grids.grid import same_family
from halocline.language.place import user_place
from halocline.language.steps.sweep import begin
from halocline.language.steps.trace import recorded

if TYPE_CHECKING:
    from collections.abc import Callable

    from halocline.language.steps.steps import Call

_NAMES = ("lower", "diagonal", "upper", "right")
# A shorter cyclic system has not three different neighbours in a row.
_LEAST_CYCLIC = 3


def tridiagonal(
    axis: str, *, lower: Any, diagonal: Any, upper: Any, right: Any, into: Field
) -> tuple[Call, ...]:
    """Return steps that solve a tridiagonal system along an axis in each column.

    lower x[k - 1] + diagonal x[k] + upper x[k + 1] = right in each cell k of a column. Where the
    grid is periodic along the axis the system is cyclic; elsewhere what 'lower' is in the first
    cell and 'upper' in the last does not matter. Nothing is pivoted: the diagonal should dominate.
    All is computed in the type of the solution (float16: in float32), to which what is given is
    converted; in which order docs/guide/solvers.md says.

    Args:
        axis: 'x', 'y' or 'z'.
        lower: A field, an expression of fields, a number or an hc.Parameter.
        diagonal: Likewise.
        upper: Likewise.
        right: Likewise; it may be the field that gets the solution.
        into: The field that gets the solution x.

    Raises:
        KernelError: One of these is something else, or does not fit the field.

    Example:
        >>> T = hc.Grid((8, 8, 8)).field("T")
        >>> steps = hc.tridiagonal("z", lower=-1.0, diagonal=3.0, upper=-1.0, right=T, into=T)
    """
    _check(axis, into)
    given = dict(zip(_NAMES, (lower, diagonal, upper, right), strict=True))
    system = _System.of(AXES.index(axis), given, into)
    into.solved_by = "hc.tridiagonal"
    return system.cyclic() if into.grid.periodic[system.axis] else system.open()


def _check(axis: str, into: Any) -> None:
    if not isinstance(into, Field):
        raise KernelError(
            f"'hc.tridiagonal' was given {described(into)} for its solution; expected a field.",
            place=user_place(),
        )
    if axis not in tuple(into.axes):
        raise KernelError(
            f"'hc.tridiagonal' was given the axis {axis!r}; expected one of the axes "
            f"'{into.axes}' of '{into.name}'.",
            place=user_place(),
        )
    if axis == into.axes:
        raise KernelError(
            f"'hc.tridiagonal' was given the axis {axis} for '{into.name}', which has no "
            "other axis; expected a field of columns, with another axis beside the solved one.",
            hint="Make a grid with one more axis of one cell: hc.Grid((n, 1)).",
            place=user_place(),
        )
    if not into.dtype.startswith("float") or into.components > 1:
        raise KernelError(
            f"'hc.tridiagonal' was given '{into.name}' of type {into.dtype} with "
            f"{into.components} component(s) for its solution; expected floats and one component.",
            place=user_place(),
        )
    _refuse_prescribed(axis, into)
    refuse_sweep("'hc.tridiagonal'", AXES.index(axis), into.space)
    n = into.space.extent[AXES.index(axis)]
    if into.grid.periodic[AXES.index(axis)] and n < _LEAST_CYCLIC:
        raise KernelError(
            f"'hc.tridiagonal' was given the periodic axis {axis} with {n} cells; "
            f"expected {_LEAST_CYCLIC} or more.",
            place=user_place(),
        )


def _refuse_prescribed(axis: str, into: Field) -> None:
    """Refuse a system some of whose unknowns are known."""
    for side in into.boundaries:
        if side[0] == axis and boundary_calls(into, side, 0):
            raise KernelError(
                f"'hc.tridiagonal' was given the axis {axis} for '{into.name}', whose values "
                f"on side '{side}' its boundary prescribes; expected unknowns in all cells.",
                hint="Leave that boundary out, and write its equation into the rows of the side's "
                "cells: a diagonal of 1, and the value at the right.",
                place=user_place(),
            )


class _System(Frozen):
    """A system in each column.

    Attributes:
        axis: Of the columns.
        values: What 'lower', 'diagonal', 'upper' and 'right' are in a cell.
        fields: What they read, by name.
        into: The solution.
    """

    axis: int
    values: dict[str, operators.Value]
    fields: dict[str, Field]
    into: Field

    @staticmethod
    def of(axis: int, given: dict[str, Any], into: Field) -> _System:
        """Return the system of what a user has given, or refuse it."""
        values, fields = {}, {}
        for name, value in given.items():
            if not isinstance(value, operators.Operand | int | float | np.number):
                raise KernelError(
                    f"'hc.tridiagonal' was given {described(value)} as '{name}'; expected a field, "
                    "an expression of fields, a number or an hc.Parameter.",
                    place=user_place(),
                )
            # A number beside it, as in 'where', would else widen what is computed.
            wide = operators.Value(operators.to_expression(value))
            values[name] = wide.astype(computed(into.dtype))
            for read in reads(values[name].node):
                if read.field not in into.grid.fields:
                    raise KernelError(
                        f"'hc.tridiagonal' was given the field '{read.field}' in '{name}', which "
                        f"is not on the grid of '{into.name}'.",
                        place=user_place(),
                    )
                fields[read.field] = into.grid.fields[read.field]
        same_family((into, *fields.values()), "'hc.tridiagonal'")
        return _System(axis, values, fields, into)

    def open(self) -> tuple[Call, ...]:
        """Return the two sweeps of a system whose columns end."""
        ratio, rest = self._beside("ratio"), self._rest()
        carries = self._carries("ratio", "rest")
        position, last = index(AXES[self.axis]), self._cells - 1

        def eliminate(ratio_below: Any, rest_below: Any, ratio: Any, rest: Any, *_: Any) -> None:
            here, a, b, c, d = ratio.here, *self.values.values()
            down, up = where(position == 0, 0.0, a), where(position == last, 0.0, c)
            pivot = 1.0 / (b - down * _cell(ratio_below))
            ratio_here, rest_here = up * pivot, (d - down * _cell(rest_below)) * pivot
            ratio[here], rest[here] = ratio_here, rest_here
            ratio_below[ratio_below.here], rest_below[rest_below.here] = ratio_here, rest_here

        def substitute(above: Any, ratio: Any, *rest_and_x: Any) -> None:
            value = _cell(rest_and_x[0]) - _cell(ratio) * _cell(above)
            rest_and_x[-1][ratio.here] = value
            above[above.here] = value

        (above,) = self._carries("solution")
        return (
            *begin(carries, (0.0, 0.0)),
            self._sweep("eliminate", 1, eliminate, (*carries, ratio, rest), reads_system=True),
            *begin((above,), (0.0,)),
            self._sweep("substitute", -1, substitute, (above, ratio, rest, self.into)),
        )

    def cyclic(self) -> tuple[Call, ...]:
        """Return the sweeps of a system whose columns close, and what combines the solutions."""
        ratio, rest, more = self._beside("ratio"), self._rest(), self._beside("more")
        carries = self._carries("ratio", "rest", "more", "corner")
        solutions = self._carries("solution", "other")
        (factor,) = self._carries("factor")
        position, last = index(AXES[self.axis]), self._cells - 1

        def eliminate(  # noqa: PLR0913, PLR0917 (four carries, three fields)
            ratio_below: Any,
            rest_below: Any,
            more_below: Any,
            corner: Any,
            ratio: Any,
            rest: Any,
            more: Any,
            *_: Any,
        ) -> None:
            here, a, b, c, d = ratio.here, *self.values.values()
            is_first, is_last = position == 0, position == last
            # The corners leave the matrix: it becomes a tridiagonal one plus a product.
            share = where(is_first, -a / b, _cell(corner))
            down, up = where(is_first, 0.0, a), where(is_last, 0.0, c)
            middle = where(is_first, 2.0 * b, where(is_last, b - share * c, b))
            other = where(is_first, -b, where(is_last, c, 0.0))
            pivot = 1.0 / (middle - down * _cell(ratio_below))
            ratio_here, rest_here = up * pivot, (d - down * _cell(rest_below)) * pivot
            more_here = (other - down * _cell(more_below)) * pivot
            ratio[here], rest[here], more[here] = ratio_here, rest_here, more_here
            for carry, value in (
                (ratio_below, ratio_here),
                (rest_below, rest_here),
                (more_below, more_here),
                (corner, share),
            ):
                carry[carry.here] = value

        def substitute(above: Any, other: Any, ratio: Any, more: Any, *rest_and_x: Any) -> None:
            value = _cell(rest_and_x[0]) - _cell(ratio) * _cell(above)
            second = _cell(more) - _cell(ratio) * _cell(other)
            rest_and_x[-1][ratio.here], more[more.here] = value, second
            above[above.here], other[other.here] = value, second

        def weigh(*symbols: Any) -> None:  # what the last cell has eliminated is its solution
            first, other, last_rest, last_more, share = map(_cell, symbols[1:])
            total = first + share * last_rest
            symbols[0][symbols[0].here] = total / (1.0 + other + share * last_more)

        # Rounded to 16 bits once only.
        solution = rest if self.into.dtype == "float16" else self.into

        def combine(x: Any, more: Any, factor: Any, *apart: Any) -> None:
            x[x.here] = _cell(apart[0] if apart else x) - _cell(factor) * _cell(more)

        upwards = (*carries, ratio, rest, more)
        downwards = (*solutions, ratio, more, rest, solution)
        combined = (self.into, more, factor, solution)
        surfaces = (factor, *solutions, carries[1], carries[2], carries[3])
        return (
            *begin(carries, (0.0,) * 4),
            self._sweep("eliminate", 1, eliminate, upwards, reads_system=True),
            *begin(solutions, (0.0, 0.0)),
            self._sweep("substitute", -1, substitute, downwards),
            recorded("weigh", user_place(), _named(surfaces), weigh, {}),
            recorded("combine", user_place(), _named(combined), combine, {}),
        )

    @property
    def _cells(self) -> int:
        return int(self.into.space.domain.upper[self.axis])

    def _sweep(
        self,
        name: str,
        sign: int,
        body: Callable[..., None],
        fields: tuple[Field, ...],
        *,
        reads_system: bool = False,
    ) -> Call:
        """Return a sweep over fields, and if it reads the system over those of its values, too."""
        named = _named(fields) | (self.fields if reads_system else {})
        label = f"{name}_{AXES[self.axis]}"
        return recorded(label, user_place(), named, body, {}, sweep=(self.axis, sign))

    def _beside(self, name: str) -> Field:
        """Return a hidden field with the cells of the solution."""
        into = self.into
        return into.grid.hidden_field(
            f"tridiagonal_{name}",
            dtype=computed(into.dtype),
            axes=into.axes,
            location=into.location,
        )

    def _rest(self) -> Field:
        """Return where the eliminated right-hand side lies: with the solution, if it can."""
        read_values = reads(*(value.node for value in self.values.values()))
        own = [read for read in read_values if read.field == self.into.name]
        is_narrow = self.into.dtype == "float16"
        if is_narrow or any(any(read.offset) or any(read.shift) for read in own):
            return self._beside("rest")
        return self.into

    def _carries(self, *names: str) -> tuple[Field, ...]:
        into, axis = self.into, AXES[self.axis]
        return tuple(
            into.grid.hidden_field(
                f"tridiagonal_{axis}_{name}",
                dtype=computed(into.dtype),
                axes=into.axes.replace(axis, ""),
                location=into.location.without(AXES.index(axis)),
            )
            for name in names
        )


def _cell(symbol: Any) -> Any:
    return symbol[symbol.here]


def _named(fields: tuple[Field, ...]) -> dict[str, Field]:
    return {field.name: field for field in fields}
