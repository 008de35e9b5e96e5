"""What a program means, in plain NumPy on whole arrays: no blocks, no plan, nothing of Halocline.

Each assignment runs over all of its cells before the next begins. What it reads beyond a side is
filled from the field as it then is: rolled on periodic axes, else by the rule of the boundary.
Arrays have all axes of the grid, with a single cell along those that a field lacks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace
from property.cells import (
    boxed,
    region,
    regions,
    written_for,
)
from property.columns import solved
from property.evaluation import UndefinedError, computed, evaluate
from property.expressions import (
    Expression,
    Offset,
    Read,
    fields_read,
)
from property.given import Fill, Inject, Record, Series
from property.places import inject, interpolated
from property.programs import (
    REACH,
    Assign,
    Assignment,
    Callback,
    Formula,
    Kernel,
    Nest,
    Program,
    Reduce,
    Rotate,
    Space,
    Step,
    Swap,
    Sweep,
    Tridiagonal,
    Until,
    fields_moved,
    fields_of,
    flat,
    initial,
)
from property.seen import Seen, lines, readable, stored
from property.sides import Sides
from property.turns import draws


class Oracle:
    """The state of a program; 'advance' does steps.

    Attributes:
        arrays: (components, x, y, z) by field.
        numbers: The values of parameters and reductions, by name.
        records: Times and values by record.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.arrays = initial(program)
        self.numbers = dict(program.parameters)
        self.step, self.depth, self.turn, self.time = 0, 0, 0, 0.0
        self.records = {one.name: [] for one in flat(program.steps) if isinstance(one, Record)}

    def advance(self, count: int) -> None:
        """Do steps.

        Raises:
            UndefinedError: A value has no meaning in the type it is converted to.
        """
        with np.errstate(all="ignore"):
            for number in range(count):
                self._look_up()
                self._do_all(self.program.steps)
                if number == count - 1:  # what lies on a side is that of the last step
                    for name in self.arrays:
                        self._prescribe(name)
                self.step += 1
                dt = self.program.dt
                self.time = self.time + self.numbers[dt] if isinstance(dt, str) else self.step * dt

    def _look_up(self) -> None:
        """Give series the values that they have at the time."""
        for one in self.program.series:
            self.numbers[one.name] = float(one.at(self.time, one.values()))

    def _do_all(self, steps: Sequence[Step]) -> None:
        for one in steps:
            self._do(one)

    def _do(self, step: Step) -> None:
        match step:
            case Kernel():
                self._launch(step)
            case Sweep():
                self._sweep(step)
            case Swap() | Rotate():
                names = fields_moved(step)
                contents = [self.arrays[name] for name in (*names[1:], names[0])]
                self.arrays |= dict(zip(names, contents, strict=True))
            case Until() | Nest(kind="repeat"):
                self._loop(step)
            case Nest(_, count, steps):
                if (self.step + 1) % count == 0:
                    self._do_all(steps)
            case Fill() | Record() | Inject() | Tridiagonal():
                self._do_without_kernel(step)
            case Callback(field) if field:
                change(self.arrays[field])
            case _:
                self._change_number(step)

    def _amounts(self, step: Inject) -> np.ndarray:
        """Return what is injected at each point."""
        scales, now, common = np.array(step.scales), 1.0, 1.0
        if isinstance(step.amount, Series):
            now = self._at(step.amount, scales.shape)
        elif isinstance(step.amount, str):
            common = self.numbers[step.amount]
        else:
            scales = scales * step.amount
        return scales * now * common

    def _solve(self, step: Tridiagonal) -> None:
        """Solve a system in each column; its numbers and the solution are of the field's type."""
        target = self.arrays[step.into][0]
        dtype = np.float32 if target.dtype == np.float16 else target.dtype
        space = self.program.space(step.into)
        cells = lines(((0,) * len(space.size), space.size))
        system = []
        for value in step.system:
            now = self._filled_for(value)
            seen = Seen(self.program, space, cells, now, now, moment=self.moment)
            found = evaluate(value, seen, {}, (0,) * len(cells))
            found = np.broadcast_to(np.asarray(found, dtype), target.shape)
            system.append(np.moveaxis(found, step.axis, 0))
        closes = space.periodic[step.axis]
        target[...] = np.moveaxis(solved(system, closes=closes), 0, step.axis)

    def _at(self, series: Series, shape: Offset) -> np.ndarray:
        """Return the array of a series at the time."""
        return np.asarray(series.at(self.time, series.values(shape)))

    def _do_without_kernel(self, step: Fill | Record | Inject | Tridiagonal) -> None:
        match step:
            case Fill(field, series):
                array = self.arrays[field]
                array[...] = self._at(series, array.shape)
            case Record(name, field, every=every):
                if (self.step + 1) % every == 0:
                    values = interpolated(self.program, step, self._filled(field))
                    self.records[name].append((self.time, values))
            case Inject(field):
                inject(self.program, step, self.arrays[field], self._amounts(step))
            case Tridiagonal():
                self._solve(step)

    @property
    def moment(self) -> tuple[int, int]:
        """The step, and how many passes of loops that draw were done."""
        return self.step, self.turn

    def _change_number(self, step: Step) -> None:
        match step:
            case Assign(parameter, formula):
                self.numbers[parameter] = float(self._computed(formula))
            case Reduce(name, kind, value):
                self.numbers[name] = self._reduced(kind, value)
            case Callback(_, parameter):
                self.numbers[parameter] += 1.0

    def _loop(self, loop: Until | Nest) -> None:
        """Do passes, which those of the outermost loop that draws count."""
        is_counted = draws(loop.steps)
        self.depth += is_counted
        for number in range(loop.most if isinstance(loop, Until) else loop.count):
            self._do_all(loop.steps)
            self.turn += is_counted
            if isinstance(loop, Until):
                self.numbers[loop.name] = number + 1.0
                if self._computed(loop.condition):
                    break
        self.depth -= is_counted
        if not self.depth:
            self.turn = 0

    def _computed(self, formula: Formula) -> np.float64:
        """Return what a formula gives now, and the reductions in it that are no steps."""
        inside = {one.name: self._reduced(one.kind, one.value) for one in formula.inside}
        return computed(formula.value, self.numbers | inside)

    def _launch(self, kernel: Kernel) -> None:
        keywords = {name: self._number(source) for name, source in kernel.keywords}
        before = {name: self._filled(name) for name in self.arrays}
        mask = before[kernel.on] if isinstance(kernel.on, str) else None
        space, on = written_for(self.program, kernel), kernel.on if mask is None else None
        for assignment in kernel.assignments:
            now = self._filled_for(assignment.value)
            cells = lines(region(self.program, assignment, on))
            seen = Seen(self.program, space, cells, before, now, moment=self.moment)
            value = evaluate(assignment.value, seen, keywords, (0,) * len(cells))
            self._assign(assignment, value, seen.chosen(kernel.on), cells)

    def _sweep(self, sweep: Sweep) -> None:
        """Do layer after layer: each cell gets what the one before it in its column hands on."""
        keywords = {name: self._number(source) for name, source in sweep.keywords}
        before = {name: self._filled(name) for name in self.arrays}
        space = written_for(self.program, sweep)
        carries = self._begun(sweep, space)
        on = None if isinstance(sweep.on, str) else sweep.on
        places = [region(self.program, a, on) for a in sweep.assignments] or [boxed(space, on)]
        every = lines(places[0])
        for position in every[sweep.axis][:: sweep.sign]:
            cells = [
                np.array([position]) if axis == sweep.axis else line
                for axis, line in enumerate(every)
            ]
            here = (0,) * len(cells)
            first = Seen(self.program, space, cells, before, before)
            is_chosen = first.chosen(sweep.on)
            columns = np.ix_(*(line * (a != sweep.axis) for a, line in enumerate(cells)))
            told = {"carries": [readable(c[columns]) for c in carries], "moment": self.moment}
            for assignment in sweep.assignments:
                now = self._filled_for(assignment.value)
                seen = Seen(self.program, space, cells, before, now, **told)
                value = evaluate(assignment.value, seen, keywords, here)
                self._assign(assignment, value, is_chosen, cells)
            now = self._filled_for(*sweep.handed)
            seen = Seen(self.program, space, cells, before, now, **told)
            found = [evaluate(value, seen, keywords, here) for value in sweep.handed]
            for carry, value in zip(carries, found, strict=True):
                new = stored(np.broadcast_to(value, is_chosen.shape), carry.dtype)
                carry[columns] = np.where(is_chosen, new, carry[columns])
        for name, carry in zip(sweep.ends, carries, strict=False):
            self.arrays[name][0] = carry

    def _begun(self, sweep: Sweep, space: Space) -> list[np.ndarray]:
        """Return the carries of the first cells: of the fields that get the last ones.

        If there are none, of the floating-point type that holds all that the sweep uses.
        """
        types = [self.arrays[name].dtype for name in fields_of(sweep)]
        floating = [dtype for dtype in types if dtype.kind == "f"]
        dtype = np.result_type(np.float32, *(floating or [np.float64]))
        shape = tuple(1 if axis == sweep.axis else n for axis, n in enumerate(space.size))
        result = []
        for number, source in enumerate(sweep.starts):
            if sweep.ends:
                dtype = self.arrays[sweep.ends[number]].dtype
            if source.kind == "field":
                value = readable(self._prescribed(source.value)[0])
            else:
                value = np.asarray(self._number(source))
            result.append(stored(np.broadcast_to(value, shape), dtype).copy())
        return result

    def _assign(self, to: Assignment, value, is_chosen: np.ndarray, cells: list) -> None:
        """Give the cells 'place' away their values; what falls beyond a side is lost."""
        shape = tuple(map(len, cells))
        value, is_chosen = np.broadcast_to(value, shape), np.broadcast_to(is_chosen, shape)
        places, kept = [], []
        space = self.program.space(to.field)
        grid = zip(cells, to.place, space.size, space.periodic, strict=True)
        for line, place, extent, is_periodic in grid:
            aim = (line + place) % extent if is_periodic else line + place
            inside = np.flatnonzero((aim >= 0) & (aim < extent))
            places.append(aim[inside])
            kept.append(inside)
        target = self.arrays[to.field][to.component]
        new, old = stored(value[np.ix_(*kept)], target.dtype), target[np.ix_(*places)]
        target[np.ix_(*places)] = np.where(is_chosen[np.ix_(*kept)], new, old)

    def _reduced(self, kind: str, value: Expression) -> float:
        step = Reduce("", kind, value)
        cells = lines(regions(self.program, step)[0][1])
        filled = self._filled_for(value)
        seen = Seen(self.program, written_for(self.program, step), cells, filled, filled)
        parts = self._by_component(value)
        found = [evaluate(part, seen, self.numbers, (0,) * len(cells)) for part in parts]
        values = np.stack([np.broadcast_to(one, tuple(map(len, cells))) for one in found])
        if values.dtype.kind in "iu":  # exact, however large
            numbers = values.ravel().tolist()
            return float({"sum": sum, "min": min, "max": max}[kind](numbers))
        numbers = values.astype(np.float64).ravel().tolist()
        if any(map(math.isnan, numbers)):
            return math.nan
        if kind == "sum" and any(map(math.isinf, numbers)):
            raise UndefinedError
        # A zero has no sign.
        return {"sum": math.fsum, "min": min, "max": max}[kind](numbers) + 0.0

    def _by_component(self, value: Expression) -> list[Expression]:
        """Return what a reduction takes together: a field's components, or one expression."""
        if not isinstance(value, Read) or value.component is not None:
            return [value]
        components = self.program.field(value.field).components
        return [replace(value, component=q) for q in range(components)]

    def _number(self, source) -> float:
        match source.kind:
            case "number":
                return source.value
            case "step":
                return float(self.step)
            case "time":
                return self.time
            case "formula":
                return float(computed(source.value, self.numbers))
            case _:
                return self.numbers[source.value]

    def _prescribe(self, name: str) -> None:
        self.arrays[name] = self._prescribed(name)

    def _prescribed(self, name: str) -> np.ndarray:
        """Return a field with what its boundaries prescribe in cells that lie on a side."""
        size = self.program.space(name).size
        inner = (slice(None), *(slice(REACH, REACH + n) for n in size))
        return self._filled(name)[inner].copy()

    def _filled_for(self, *values: Expression) -> dict[str, np.ndarray]:
        return {name: self._filled(name) for name in set().union(*map(fields_read, values))}

    def _filled(self, name: str) -> np.ndarray:
        return Sides(self.program, self.arrays, self.numbers, self.time).filled(name)


def change(values: np.ndarray) -> None:
    """Do what the functions called by random programs do to some values."""
    if values.dtype == bool:
        np.logical_not(values, out=values)
    elif np.issubdtype(values.dtype, np.integer):
        values += 1
    else:
        values *= 0.5
