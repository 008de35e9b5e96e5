"""Sweeps: recurrences along an axis, where what one cell makes is handed on to the next.

A sweep is a kernel whose cells are computed in order, column by column. What is handed on, the
carry, lies in fields without the swept axis: a kernel gives them their start values, and after the
sweep they hold what the last cell of each column has made.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import KernelError, described
from halocline.geometry import AXES
from halocline.language import operators
from halocline.language.fields import Field
from halocline.language.grid import same_family
from halocline.language.place import user_place
from halocline.language.steps import Parameter
from halocline.language.trace import KernelFunction, kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from halocline.language.calls import On
    from halocline.language.steps import Call

Start = float | Parameter | Field


class SweepFunction(KernelFunction):
    """What '@sweep' makes of a function; call it with fields to get steps.

    Args:
        function: Takes the carry, fields by position and scalars by keyword; assigns to fields and
            returns the carry for the next cell.
        axis: Along which cells follow each other.
        sign: 1 upwards, -1 downwards.

    Raises:
        KernelError: It is no function written in Python, or has no carry.
    """

    def __init__(self, function: Callable[..., Any], axis: int, sign: int) -> None:
        super().__init__(function)
        if not self.field_names:
            raise KernelError(
                f"The sweep '{self.name}' takes no carry; expected it before the fields.",
                hint=f"Write def {self.name}(carry, …) and return the carry for the next cell.",
                place=self.place,
            )
        self.field_names = self.field_names[1:]
        self.axis, self.sign = axis, sign

    def __call__(  # type: ignore[override]  # a sweep is several steps
        self,
        *fields: Field,
        start: Start | Sequence[Start] = 0.0,
        end: Field | Sequence[Field] | None = None,
        on: On = None,
        **scalars: Any,
    ) -> tuple[Call, ...]:
        """Bind the sweep to fields.

        Args:
            fields: One for each positional parameter of the function but the carry.
            start: The carry of the first cell of a column: a number, a parameter or a field without
                the swept axis; or several, if the function takes a tuple.
            end: A field without the swept axis for each carry, which gets that of the last cell.
            on: Where it runs: everywhere (None), in a box, or where a field is not zero; elsewhere
                the carry is handed on as it is.
            scalars: See 'KernelFunction.__call__'.

        Returns:
            Steps: kernels that set the carry, and the sweep.

        Raises:
            KernelError: The function or its arguments have no meaning as a sweep.
        """
        self._check(fields, scalars)
        starts = tuple(start) if isinstance(start, list | tuple) else (start,)
        ends = () if end is None else tuple(end) if isinstance(end, list | tuple) else (end,)
        carries = self._carries(fields, starts, ends)
        begun = [
            begin(carry, value)
            for carry, value in zip(carries, starts, strict=True)
            if value is not carry
        ]
        named = {self._carry_name(number): carry for number, carry in enumerate(carries)}
        named |= zip(self.field_names, fields, strict=True)
        form = tuple if isinstance(start, list | tuple) else float
        body = partial(self._recorded, form, len(carries))
        return *begun, self._bound(named, scalars, on, body, (self.axis, self.sign))

    def _carry_name(self, number: int) -> str:
        name = f"carry_{number}"
        while name in (*self.field_names, *self.keywords):
            name += "_"
        return name

    def _carries(
        self, fields: tuple[Field, ...], starts: tuple[Start, ...], ends: tuple[Field, ...]
    ) -> tuple[Field, ...]:
        """Return the fields that hold the carry: those that get the last one, or hidden ones."""
        swept = [field for field in fields if AXES[self.axis] in field.axes]
        if not swept:
            raise KernelError(
                f"The sweep '{self.name}' along {AXES[self.axis]} was given no field that has this "
                "axis.",
                place=user_place(),
            )
        if ends and len(ends) != len(starts):
            raise KernelError(
                f"The sweep '{self.name}' was given {len(starts)} carries to start with and "
                f"{len(ends)} fields for the end; expected one for each.",
                place=user_place(),
            )
        axes = swept[0].axes.replace(AXES[self.axis], "")
        for value in (*starts, *ends):
            self._check_carry(value, swept[0], axes, is_end=value in ends)
        if ends:
            return ends
        floating = [f.dtype for f in fields if f.dtype.startswith("float")] or ["float64"]
        dtype = np.result_type(np.float32, *floating).name
        return tuple(
            swept[0].grid.hidden_field(f"carry_{AXES[self.axis]}_{number}_{dtype}", axes, dtype)
            for number in range(len(starts))
        )

    def _check_carry(self, value: Any, swept: Field, axes: str, *, is_end: bool) -> None:
        is_number = isinstance(value, int | float | np.number | Parameter) and not is_end
        if not is_number and not isinstance(value, Field):
            raise KernelError(
                f"The sweep '{self.name}' was given {described(value)} as a carry's "
                f"{'end' if is_end else 'start'}; expected "
                f"{'' if is_end else 'a number, an hc.Parameter or '}a field on '{axes}'.",
                place=user_place(),
            )
        if isinstance(value, Field):
            same_family((swept, value), f"The sweep '{self.name}'")
            if value.axes != axes or value.grid is not swept.grid:
                raise KernelError(
                    f"The sweep '{self.name}' along {AXES[self.axis]} was given '{value.name}' on "
                    f"'{value.axes}' for its carry; expected a field on '{axes}' of the same grid.",
                    place=user_place(),
                )

    def _recorded(self, form: type, count: int, *symbols: Any, **keywords: Any) -> None:
        """Call the function with the carry, and assign what it hands on."""
        carries, fields = symbols[:count], symbols[count:]
        given = tuple(operators.Value(carry.expression()) for carry in carries)
        returned = self.function(given if form is tuple else given[0], *fields, **keywords)
        values = returned if isinstance(returned, tuple | list) else (returned,)
        if returned is None or len(values) != count:
            what = "nothing" if returned is None else f"{len(values)} values"
            raise KernelError(
                f"The sweep '{self.name}' returned {what}; expected the carry for the next cell, "
                f"{count} value{'s' if count > 1 else ''}.",
                place=self.place,
            )
        for carry, value in zip(carries, values, strict=True):
            carry[carry.here] = value


@kernel
def _begin_with(carry: Any, *, value: Any) -> None:
    carry[carry.here] = value


@kernel
def _begin_from(carry: Any, first: Any) -> None:
    carry[carry.here] = first[first.here]


def begin(carry: Field, value: Start) -> Call:
    """Return the kernel that gives a carry its value at the first cell of each column."""
    if isinstance(value, Field):
        return _begin_from(carry, value)
    return _begin_with(carry, value=value if isinstance(value, Parameter) else float(value))


def sweep(direction: str) -> Callable[[Callable[..., Any]], SweepFunction]:
    """Make a sweep of a function that says what one cell does with what the last one handed on.

    Args:
        direction: The axis, and '+' for upwards or '-' for downwards: 'z+', 'x-', ….

    Example:
        >>> import halocline as hc
        >>> @hc.sweep("z-")
        ... def hydrostatic(above, density, pressure, *, g, dz):
        ...     pressure[0, 0, 0] = above + 0.5 * g * dz * density[0, 0, 0]
        ...     return above + g * dz * density[0, 0, 0]
    """
    known = [axis + sign for axis in AXES for sign in "+-"]
    if direction not in known:
        raise KernelError(
            f"A sweep in the direction {direction!r} was asked for; expected one of "
            f"{', '.join(known)}.",
            hint='Write @hc.sweep("z+") before the function.',
            place=user_place(),
        )
    return lambda function: SweepFunction(
        function, AXES.index(direction[0]), 1 if direction[1] == "+" else -1
    )
