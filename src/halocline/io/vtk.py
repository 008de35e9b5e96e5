"""Fields every so many steps as VTK files; ParaView opens them as a film.

A time of a grid is one file, see 'vtk_image.py', of a forest several and their list, see
'vtk_levels.py'.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import CaseError
from halocline.io.lock import hold
from halocline.io.output import Attempt, create_directory, interval_of, replace_text
from halocline.io.quantity import quantities_of
from halocline.io.vtk_image import ArrayOfCells, ImageFile, ending
from halocline.io.vtk_levels import Levels
from halocline.language.grids.forest import Forest, forest_behind
from halocline.language.grids.grid import Grid
from halocline.runtime.collective import collective

if TYPE_CHECKING:
    from halocline.io.quantity import Quantity, Shown
    from halocline.session.simulation import Simulation

_VECTOR = 3
# A time in the list.
_ENTRY = re.compile(r'timestep="(?P<time>[^"]*)" file="vtk/(?P<name>[^"]*)"')

Group = tuple["Quantity", ...]


class VtkSeries:
    """A file for each time in 'vtk/', and their list with times in 'series.pvd'; collective.

    Args:
        directory: Where both are put.
        every: Steps between two times.
        simulation: What does the steps.
        grid: Where the quantities live: a grid or a forest, also by the grid of a level.
        quantities: What is stored, as data of cells: quantities, those of one vector side by side,
            or fields.
        goes_on_from: The step after which times are added to those that are there; later ones are
            removed. None to begin anew.

    Raises:
        CaseError: A quantity does not live in the middle of cells, or there is a forest with one
            axis.
        OutputError: It cannot be written.
    """

    name = "series.pvd"
    shows_quantities = True
    keeps_last = False

    def __init__(
        self,
        directory: str | Path,
        every: int,
        simulation: Simulation,
        grid: Grid | Forest,
        quantities: Shown,
        *,
        goes_on_from: int | None = None,
    ) -> None:
        self.interval = interval_of("VtkSeries", every)
        self._directory = Path(directory)
        self.job = simulation.job
        self._state = _state_of(grid, _groups(quantities_of(quantities)))
        # The times that there are, by the names of their files; known on rank 0.
        self._times: dict[str, float] = {}
        with self.job.call("VtkSeries"):
            self.job.on_first(partial(self._begin, -1 if goes_on_from is None else goes_on_from))

    @collective
    def write(self, step: int, time: float) -> None:
        """Write a time and add it to the list; see 'Output.write'."""
        path = self._folder / f"step_{step:09d}{self._state.ending}"
        attempt = Attempt(path, self.job)
        self._state.write(path, time, attempt)
        attempt.do(partial(self._list, {path.name: time}))
        attempt.finish()

    @property
    def _folder(self) -> Path:
        return self._directory / "vtk"

    def _begin(self, last: int) -> None:
        hold(self._folder, self)
        create_directory(self._folder)
        listed = self._listed()
        for path in self._folder.glob("step_*"):
            # The files of a time of a forest are in a folder of its name.
            name = path.name + self._state.ending if path.is_dir() else path.name
            if name not in listed or _step(path) > last:
                listed.pop(name, None)
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        self._list({name: time for name, time in listed.items() if (self._folder / name).exists()})

    def _listed(self) -> dict[str, float]:
        """Return the times of the list that is there."""
        path = self._directory / self.name
        if not path.exists():
            return {}
        found = (_ENTRY.search(line) for line in path.read_text(encoding="utf-8").splitlines())
        return {entry["name"]: float(entry["time"]) for entry in found if entry}

    def _list(self, more: Mapping[str, float]) -> None:
        """Write the list of the times that there are, with some more."""
        self._times |= more
        lines = [
            f'<DataSet timestep="{time!r}" file="vtk/{name}"/>'
            for name, time in sorted(self._times.items())
        ]
        kind = 'type="Collection" version="1.0" byte_order="LittleEndian"'
        lines = [f"<VTKFile {kind}>", "<Collection>", *lines, "</Collection>", "</VTKFile>"]
        replace_text(self._directory / self.name, "\n".join(lines))


class WholeGrid:
    """What writes the times of a grid.

    Args:
        grid: The grid.
        groups: Quantities: scalars one by one, components of a vector together.
        arrays: What files say of them.

    Raises:
        CaseError: A quantity does not live in the middle of cells.
    """

    def __init__(self, grid: Grid, groups: Sequence[Group], arrays: Sequence[ArrayOfCells]) -> None:
        for quantity in (one for group in groups for one in group):
            location = quantity.of_grid.location
            if location != "center":
                raise CaseError(
                    f"'{quantity.name}' lives at '{location}'; expected values in the middle of "
                    "cells, for VTK files know no others.",
                    hint="Leave out --vtk; series.zarr has all variables.",
                )
        self._grid = grid
        self._groups = groups
        self._arrays = arrays
        self.ending = ending(grid)

    def write(self, path: Path, time: float, attempt: Attempt) -> None:
        """Write a time; collective."""
        file = ImageFile(path, self._grid, self._grid.domain)
        attempt.do(partial(file.begin, self._arrays, time))
        for group in self._groups:
            parts: list[Any] = []
            for quantity in group:
                values = quantity.gather().values
                attempt.do(partial(parts.append, values))
            attempt.do(partial(file.append, parts))
        attempt.do(file.end)


def _step(path: Path) -> int:
    return int(path.stem.rpartition("_")[2])


def _groups(quantities: Iterable[Quantity]) -> tuple[Group, ...]:
    """Return scalars one by one, components of a vector together."""
    groups: list[Group] = []
    for vector, group in groupby(quantities, key=lambda q: q.vector):
        members = tuple(group)
        groups += [members] if vector else [(member,) for member in members]
    return tuple(groups)


def _state_of(grid: Grid | Forest, groups: Sequence[Group]) -> WholeGrid | Levels:
    """Return what writes the times."""
    arrays = tuple(map(_array_of, groups))
    forest = forest_behind(grid)
    if forest is not None:
        return Levels(forest, groups, arrays)
    assert isinstance(grid, Grid)
    return WholeGrid(grid, groups, arrays)


def _array_of(group: Group) -> ArrayOfCells:
    """Return what files say of a scalar or a vector."""
    first = group[0]
    size = _VECTOR if len(group) > 1 else 1
    return ArrayOfCells(first.vector or first.name, np.dtype(first.dtype), size)
