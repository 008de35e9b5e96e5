"""Tables: what the C++ runtime looks up in each step: points, series, what fills fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import KernelError, OutOfMemoryError, PlanError
from halocline.free_memory import free_memory, size_text
from halocline.language.expressions.parameters import Parameter
from halocline.language.points.at_points import Injection
from halocline.language.points.record import Record
from halocline.memo import memoised
from halocline.runtime import _core
from halocline.runtime.at_points import add_injection, add_interpolation
from halocline.runtime.slots import TIME_SLOT
from halocline.runtime.storage import three

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.geometry import Box
    from halocline.language.grids.fields import Field
    from halocline.language.points.at_points import AtPoints
    from halocline.language.series.series import Series
    from halocline.runtime.slots import Slots

# Of a value that is recorded.
_BYTES = 8
# Times are products of a number of steps and a step: rounded.
_ROUNDED = 1e-9


class Tables:
    """What the runtime looks up, of each rank what concerns its blocks.

    Args:
        slots: The numbers of fields, blocks and series.
        dt: Time step, or what is added to the time in each [time unit].
    """

    def __init__(self, slots: Slots, dt: float | Parameter) -> None:
        self._slots = slots
        self._dt = dt
        # How many points of this rank a record has.
        self._columns: dict[Record, int] = {}
        self._is_filling = False
        self._failure: str | None = None

    @memoised
    def number(self, step: AtPoints) -> int:
        """Return the number of what is done at points."""
        if isinstance(step, Injection):
            return add_injection(step, self._slots)
        assert isinstance(step, Record)
        number, self._columns[step] = add_interpolation(step, self._slots)
        return number

    @memoised
    def filling(self, field: Field, series: Series) -> int:
        """Return the number of the values of a series in a field."""
        slots = self._slots
        self._is_filling = True
        slots.series[series] = None
        layout, space = slots.storages[field.name].layout, field.space
        boxes, values = [], []
        for block in slots.blocks_of(space):
            box = layout.stored(block)
            for axis in space.axes:
                if not space.periodic[axis]:
                    upper = space.domain.upper[axis]
                    low, high = max(0, box.lower[axis]), min(upper, box.upper[axis])
                    box = box.clip(axis, low, high)
            part = _cut(series, field, box)
            if not np.isfinite(part).all():
                self._failure = (
                    f"The series '{series.name}' has values that are no finite numbers; expected "
                    f"one for each cell of '{field.name}' and each time."
                )
            boxes.append(_core.Box(three(box.lower, 0), three(box.upper, 1)))
            values.append(part)
        return slots.runtime.add_filling(
            series.times, series.period, series.rows.dtype, boxes, values
        )

    def prepare(self, steps: int) -> None:
        """Make ready for so many steps; collective.

        Raises:
            KernelError: Values read from a file are no numbers.
            PlanError: They last longer than a series.
            OutOfMemoryError: There is no memory for what is recorded.
        """
        if not steps:
            return
        runtime, dt = self._slots.runtime, self._dt
        failure = self._slots.job.first(self._failure) if self._is_filling else None
        if failure is not None:
            raise KernelError(failure)
        now = runtime.scalar(TIME_SLOT)
        last = now if isinstance(dt, Parameter) else (runtime.step + steps - 1) * dt
        self._check_times(now, last, "the steps to come go")
        self._check_memory(steps)

    def finish(self, steps: int) -> None:
        """Refuse steps that were done with lengths that change if a series has ended meanwhile.

        Raises:
            PlanError: One has.
        """
        if steps and isinstance(self._dt, Parameter):
            last = self._slots.runtime.scalar(TIME_SLOT) - self._dt.value
            self._check_times(last, last, "the steps went")

    def _check_times(self, first: float, last: float, what: str) -> None:
        for series in self._slots.series:
            begin, end = float(series.times[0]), float(series.times[-1])
            slack = _ROUNDED * max(abs(begin), abs(end))
            if series.period or (begin - slack <= first and last <= end + slack):
                continue
            raise PlanError(
                f"The series '{series.name}' goes from {begin:g} to {end:g}, but {what} from the "
                f"time {first:g} to {last:g}.",
                hint="Run fewer steps, give the series more values (zeros at its end), or a period "
                "after which it begins again; 'dt' of the simulation is the time of a step.",
            )

    def _check_memory(self, steps: int) -> None:
        if not self._columns:
            return
        mine = sum((steps // record.every + 1) * n * _BYTES for record, n in self._columns.items())
        job = self._slots.job
        ranks = job.everywhere((mine * job.ranks_on_node, free_memory()))
        needed, free = max(ranks, key=lambda found: found[0] - found[1])
        if needed > free:
            raise OutOfMemoryError(
                f"What points record in {steps} steps takes {size_text(needed)} on a node, where "
                f"{size_text(free)} are free.",
                hint="Record less often, record(…, every=10), or run fewer steps at a time and "
                "clear() the record in between.",
            )


def _cut(series: Series, field: Field, box: Box) -> NDArray[Any]:
    """Return what a series has in a box of a field's cells: by time, component, z, y, x."""
    space = field.space
    index = [np.arange(field.components)] if field.components > 1 else []
    for axis in space.axes:
        cells = np.arange(box.lower[axis], box.upper[axis])
        index.append(cells % space.extent[axis] if space.periodic[axis] else cells)
    found = series.rows.cut(tuple(index))
    first = 1 + (field.components > 1)
    order = (*range(first), *reversed(range(first, found.ndim)))
    return np.ascontiguousarray(found.transpose(order))
