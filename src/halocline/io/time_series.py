"""Numbers every so many steps as a table: integrals, and values at probes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from halocline.errors import CaseError
from halocline.frozen import Frozen
from halocline.geometry import AXES
from halocline.io.axis import PURE_NUMBERS, Axes, axes_of, faces_along, places_along
from halocline.io.gather import Cell, gather_cells
from halocline.io.lock import hold
from halocline.io.output import ELSEWHERE, Attempt, interval_of, replace_text, writing
from halocline.io.quantity import quantities_of
from halocline.io.variable import check_names
from halocline.language.grids.composite import CompositeField
from halocline.language.grids.widths import middles
from halocline.runtime.collective import collective

if TYPE_CHECKING:
    from halocline.io.quantity import Integral, Quantity, Shown
    from halocline.language.grids.fields import Field
    from halocline.language.grids.grid import Grid
    from halocline.session.simulation import Simulation


class Probe(Frozen):
    """A point where quantities are read: each has there the value of the cell around the point.

    Attributes:
        point: Its coordinates, as files show them.
    """

    point: tuple[float, ...]

    def __str__(self) -> str:
        """Return the coordinates."""
        return "(" + " ".join(f"{x:.12g}" for x in self.point) + ")"

    def check(self, grid: Grid, axes: Axes = PURE_NUMBERS) -> None:
        """Raise a CaseError for a point that is not in the grid."""
        if len(self.point) != grid.dimensions:
            raise CaseError(
                f"The probe {self} has {len(self.point)} coordinate(s); expected "
                f"{grid.dimensions}, as the grid has.",
                hint=f"Write --probe {','.join(AXES[: grid.dimensions]).upper()}.",
            )
        faces = [faces_along(grid, axis, axes) for axis in range(grid.dimensions)]
        sides = [(float(at[0]), float(at[-1])) for at in faces]
        if not all(low <= x <= high for x, (low, high) in zip(self.point, sides, strict=True)):
            inside = ", ".join(
                f"{axis} from {low:.12g} to {high:.12g}"
                for axis, (low, high) in zip(AXES, sides, strict=False)
            )
            raise CaseError(f"The probe {self} is not in the grid; expected {inside}.")

    def cell(self, field: Field, axes: Axes = PURE_NUMBERS) -> tuple[int, ...]:
        """Return the cell whose value of a field is the nearest."""
        grid, domain = field.grid, field.space.flat(field.space.domain)
        place = []
        for axis, x in enumerate(self.point):
            # Between what is nearest to one value and to the next.
            at = faces_along(grid, axis, axes)
            at = middles(at) if field.location.is_on_faces(axis) else at[1:-1]
            place.append(min(int(np.searchsorted(at, x, "right")), domain.upper[axis] - 1))
        return tuple(place)

    def place(self, quantity: Quantity, axes: Axes = PURE_NUMBERS) -> tuple[Field, int, Cell]:
        """Return the field, component and cell where a quantity is read, of a forest as it is now.

        There it is the cell of a leaf: of the level that has one around the point.
        """
        if not isinstance(quantity.field, CompositeField):
            return quantity.field, quantity.component, self.cell(quantity.field, axes)
        leaves = quantity.field.forest.leaves
        for level in range(leaves.finest, 0, -1):
            of_level = quantity.field.level(level)
            cell = self.cell(of_level, axes)
            block = tuple(n // b for n, b in zip(cell, leaves.block, strict=True))
            if leaves.is_leaf(level, block):
                return of_level, quantity.component, cell
        coarsest = quantity.field.level(0)
        return coarsest, quantity.component, self.cell(coarsest, axes)


class TimeSeries:
    """A CSV file with a row for each time, and comments that explain the columns; collective.

    Args:
        path: The file.
        every: Steps between two rows.
        simulation: What does the steps.
        integrals: A column each; what they read must be up to date, and they themselves.
        quantities: A column each for every probe.
        probes: Points of the grid.
        axes: What their coordinates mean; or the unit of all.
        time_unit: Of the column 'time'.
        goes_on_from: The step after which rows are added to the file that is there, and its later
            rows are dropped; None to begin anew.

    Raises:
        CaseError: A probe is not in the grid, or the file that is there has other columns.
        OutputError: It cannot be written.
    """

    shows_quantities = True
    keeps_last = False

    def __init__(  # noqa: PLR0913 (what a table says of itself)
        self,
        path: str | Path,
        every: int,
        simulation: Simulation,
        integrals: Sequence[Integral],
        quantities: Shown = (),
        probes: Sequence[Probe] = (),
        *,
        axes: Axes | str = PURE_NUMBERS,
        time_unit: str,
        goes_on_from: int | None = None,
    ) -> None:
        self._path = Path(path)
        self.name = self._path.name
        self.interval = interval_of("TimeSeries", every)
        self.job = simulation.job
        self._integrals = tuple(integrals)
        check_names(integral.name for integral in self._integrals)
        shown = quantities_of(quantities)
        self._probed = [(q, probe) for probe in probes for q in shown]
        self._axes = axes_of(axes)
        for quantity, probe in self._probed:
            probe.check(_grid_of(quantity), self._axes)
        with self.job.call("TimeSeries"):
            self.job.on_first(partial(self._begin, self._head(time_unit), goes_on_from))

    def _head(self, time_unit: str) -> list[str]:
        """Return the comments and the names of the columns."""
        comments = [f"# time [{time_unit}]"]
        comments += [f"# {i.name} [{i.unit}]: {i.description}" for i in self._integrals]
        for quantity, probe in self._probed:
            text = f"{quantity.description} in the {self._where(quantity, probe)}"
            comments.append(f"# {quantity.name}{probe} [{quantity.unit}]: {text}")
        names = ["step", "time", *(i.name for i in self._integrals)]
        return [*comments, ",".join([*names, *(f"{q.name}{p}" for q, p in self._probed)])]

    def _where(self, quantity: Quantity, probe: Probe) -> str:
        """Return which cell a column is about."""
        if isinstance(quantity.field, CompositeField):
            return "cell of a leaf around it"
        field, _, cell = probe.place(quantity, self._axes)
        extent = field.space.domain.extent
        at = (
            places_along(field.grid, axis, self._axes, field.location, extent[axis])[cell[axis]]
            for axis in field.space.axes
        )
        return f"cell at {Probe(tuple(map(float, at)))}"

    @collective
    def write(self, step: int, time: float) -> None:
        """Add a row; see 'Output.write'."""
        attempt = Attempt(self._path, self.job)
        stored = gather_cells([probe.place(q, self._axes) for q, probe in self._probed])
        attempt.do(lambda: self._add(step, time, stored or []))
        attempt.finish()

    def _add(self, step: int, time: float, stored: Sequence[object]) -> None:
        shown = [q.shown(value)[()] for (q, _), value in zip(self._probed, stored, strict=True)]
        # The shortest decimals that are read back as the same bits.
        row = ",".join(str(v) for v in (step, time, *(i.value for i in self._integrals), *shown))
        with self._path.open("a", encoding="utf-8") as file:
            file.write(row + "\n")

    def _begin(self, head: list[str], goes_on_from: int | None) -> None:
        hold(self._path, self)
        rows: list[str] = []
        if goes_on_from is not None and self._path.exists():
            with writing(self._path):
                lines = self._path.read_text(encoding="utf-8").splitlines()
            if lines[: len(head)] != head:
                raise CaseError(
                    f"The table '{self._path}' has other columns than this run would write.",
                    hint=f"Ask for the same probes as before, or choose {ELSEWHERE}.",
                )
            # The last row may have been cut off when the run ended.
            cells = [line.split(",") for line in lines[len(head) :]]
            whole = [row for row in cells if len(row) == len(head[-1].split(","))]
            rows = [",".join(row) for row in whole if int(row[0]) <= goes_on_from]
        replace_text(self._path, "\n".join([*head, *rows]))


def _grid_of(quantity: Quantity) -> Grid:
    """Return the grid in which a probe must lie."""
    field = quantity.field
    return field.level(0).grid if isinstance(field, CompositeField) else field.grid
