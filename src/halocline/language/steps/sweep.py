"""Sweeps: recurrences along an axis, where what one cell makes is handed on to the next.

A sweep is a kernel whose cells are computed in order, column by column. What is handed on, the
carry, lies in fields without the swept axis: a kernel gives them their start values, and after the
sweep they hold what the last cell of each column has made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import KernelError, described
from halocline.geometry import AXES
from halocline.language.expressions import operators
from halocline.language.expressions.across import refuse_sweep
from halocline.language.expressions.expr import Read, Scalar
from halocline.language.expressions.parameters import Parameter
from halocline.language.expressions.tracing import tracing
from halocline.language.grids.fields import Field
from halocline.language.grids.grid import same_family
from halocline.language.place import user_place
from halocline.language.steps.calls import swept_fields
from halocline.language.steps.trace import KernelFunction, Recorder, bound, recorded, written_for

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from halocline.language.steps.calls import On
    from halocline.language.steps.steps import Call

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
        **given: Any,
    ) -> tuple[Call, ...]:
        """Bind the sweep to fields.

        Args:
            fields: One for each positional parameter of the function but the carry.
            start: The carry of the first cell of a column: a number, a parameter or a field without
                the swept axis; or several, if the function takes a tuple.
            end: A field without the swept axis for each carry, which gets that of the last cell.
            on: Where it runs: everywhere (None), in a box, or where a field is not zero; elsewhere
                the carry is handed on as it is.
            given: See 'KernelFunction.__call__'.

        Returns:
            Steps: kernels that set the carry, and the sweep.

        Raises:
            KernelError: The function or its arguments have no meaning as a sweep.
        """
        named, read = self._check(fields, given)
        starts = tuple(start) if isinstance(start, list | tuple) else (start,)
        ends = () if end is None else tuple(end) if isinstance(end, list | tuple) else (end,)
        names = [self._carry_name(number) for number in range(len(starts))]
        recorder = Recorder()
        dimensions = next(iter(named.values())).dimensions
        handed = [operators.Value(Read(name, 0, (0,) * dimensions)) for name in names]
        begun = tuple(handed) if isinstance(start, list | tuple) else handed[0]
        with tracing(written_for(named.values())):
            symbols = recorder.symbols(named)
            returned = self._traced(named, given, *symbols, carry=(begun,))
        values = self._handed(returned, len(starts))
        assigned = [named[name] for name in dict.fromkeys(s.field for s in recorder.statements)]
        carries = self._carries(tuple(named.values()), assigned, starts, ends, on)
        for name, carry, value in zip(names, carries, values, strict=True):
            recorder.assign(carry.type_as(name), 0, (0,) * carry.dimensions, value)
        named = dict(zip(names, carries, strict=True)) | named
        direction = (self.axis, self.sign)
        call = bound(self.name, self.place, named, recorder, read, on=on, sweep=direction)
        return *begin(carries, starts), call

    def _carry_name(self, number: int) -> str:
        name = f"carry_{number}"
        while name in (*self.field_names, *self.keywords):
            name += "_"
        return name

    def _handed(self, returned: Any, count: int) -> tuple[Any, ...]:
        """Return what the function hands on, for each carry."""
        values = tuple(returned) if isinstance(returned, tuple | list) else (returned,)
        if returned is None or len(values) != count:
            what = "nothing" if returned is None else f"{len(values)} values"
            raise KernelError(
                f"The sweep '{self.name}' returned {what}; expected the carry for the next cell, "
                f"{count} value{'s' if count > 1 else ''}.",
                place=self.place,
            )
        return values

    def _carries(
        self,
        fields: Sequence[Field],
        assigned: Sequence[Field],
        starts: Sequence[Start],
        ends: Sequence[Field],
        on: On,
    ) -> Sequence[Field]:
        """Return the fields that hold the carry: those that get the last one, or hidden ones."""
        if not any(AXES[self.axis] in field.axes for field in fields):
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
        swept = swept_fields(self.axis, assigned, fields)[0]
        refuse_sweep(f"The sweep '{self.name}'", self.axis, swept.space)
        if swept.axes == AXES[self.axis]:
            raise KernelError(
                f"The sweep '{self.name}' along {swept.axes} was given '{swept.name}' on "
                f"'{swept.axes}' alone; expected fields with another axis, too: the carry is a "
                "field without the swept one.",
                hint="Make a grid with one more axis of one cell: hc.Grid((n, 1)).",
                place=user_place(),
            )
        for value in (*starts, *ends):
            self._check_carry(value, swept, is_end=value in ends)
        self._check_ends(ends, (*fields, *([on] if isinstance(on, Field) else [])))
        if ends:
            return ends
        floating = [f.dtype for f in fields if f.dtype.startswith("float")] or ["float64"]
        dtype = np.result_type(np.float32, *floating).name
        return [
            swept.grid.hidden_field(
                f"carry_{AXES[self.axis]}_{number}",
                dtype=dtype,
                axes=swept.axes.replace(AXES[self.axis], ""),
                location=swept.location.without(self.axis),
            )
            for number in range(len(starts))
        ]

    def _check_carry(self, value: Any, swept: Field, *, is_end: bool) -> None:
        space = swept.space.without(self.axis)
        axes = swept.axes.replace(AXES[self.axis], "")
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
            if value.space != space or value.components > 1:
                raise KernelError(
                    f"The sweep '{self.name}' along {AXES[self.axis]} was given '{value.name}' on "
                    f"'{value.axes}' of {value.space.size} cells and {value.components} "
                    f"component(s) for its carry; expected a field on '{axes}' of {space.size} "
                    f"cells and one component, as '{swept.name}' has columns.",
                    place=user_place(),
                )

    def _check_ends(self, ends: Sequence[Field], others: Sequence[Field]) -> None:
        for number, field in enumerate(ends):
            if field in others or field in ends[:number]:
                raise KernelError(
                    f"The sweep '{self.name}' was given '{field.name}' for the end of a carry and "
                    "once more: while it runs, this field holds the carry.",
                    hint="Use a field of its own for each end, and another one to read or to say "
                    "where the sweep runs.",
                    place=user_place(),
                )


def begin(carries: Sequence[Field], starts: Sequence[Start]) -> tuple[Call, ...]:
    """Return the kernel that gives carries their values at the first cells, all at once.

    Raises:
        KernelError: A number does not fit the type of its carry.
    """
    pairs = [pair for pair in zip(carries, starts, strict=True) if pair[0] is not pair[1]]
    if not pairs:
        return ()
    fields = dict.fromkeys(field for pair in pairs for field in pair if isinstance(field, Field))
    names = {field: f"field_{number}" for number, field in enumerate(fields)}
    read = {
        f"start_{number}": value
        for number, (carry, value) in enumerate(pairs)
        if isinstance(value, Parameter) or carry.dtype.startswith("float")
        if not isinstance(value, Field)
    }

    def body(*symbols: Any) -> None:
        symbol = dict(zip(fields, symbols, strict=True))

        def first(number: int, carry: Field, value: Start) -> Any:
            if isinstance(value, Field):
                return symbol[value][symbol[value].here]
            name = f"start_{number}"
            return operators.Value(Scalar(name)) if name in read else _whole(carry, value)

        # All are read before any is assigned: one may begin with the start of another.
        values = [first(number, *pair) for number, pair in enumerate(pairs)]
        for (carry, _), value in zip(pairs, values, strict=True):
            symbol[carry][symbol[carry].here] = value

    named = {names[field]: field for field in fields}
    return (recorded("begin", user_place(), named, body, read),)


def _whole(carry: Field, value: Any) -> int | bool:
    """Return a number as the carry's type has it."""
    if not float(value).is_integer():
        raise KernelError(
            f"A carry of type {carry.dtype} was to start with {value}; expected a whole number.",
            hint=f"The carry has the type of '{carry.name}', which gets the last one.",
            place=user_place(),
        )
    return bool(value) if carry.dtype == "bool" else int(value)


def sweep(direction: str) -> Callable[[Callable[..., Any]], SweepFunction]:
    """Make a sweep of a function of one cell and the carry of the cell before.

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
