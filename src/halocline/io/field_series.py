"""Fields every so many steps, or their means in between, as NetCDF or as a Zarr store."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from msgspec.structs import replace

from halocline.errors import CaseError, HaloclineError, nearest
from halocline.installation import need
from halocline.io.axis import PURE_NUMBERS, Axes, axes_of
from halocline.io.constants import check_constants
from halocline.io.level_parts import Resampled
from halocline.io.lock import hold
from halocline.io.netcdf_store import NetCdfStore
from halocline.io.output import ELSEWHERE, Attempt, interval_of, writing
from halocline.io.quantity import quantities_of
from halocline.io.sections import AnyLevel, Choice, sections_of
from halocline.io.store import Contents, Place, Store, has_cells, in_group, variables_of
from halocline.io.times import BOUNDS, Times
from halocline.io.variable import check_names
from halocline.io.zarr_store import ZarrStore
from halocline.language.grids.forest import Forest, forest_behind
from halocline.language.grids.resampled import Prolongation, check_memory
from halocline.runtime.collective import collective

if TYPE_CHECKING:
    from datetime import datetime

    from halocline.io.part import TimeMean
    from halocline.io.quantity import Quantity, Shown
    from halocline.io.region import Region
    from halocline.io.variable import Variable
    from halocline.language.grids.grid import Grid
    from halocline.session.simulation import Simulation

Precision = Literal["float32", "float64"]
# By the endings of files: how they are written, and the packages that it needs.
_FORMATS: Mapping[str, tuple[Callable[[Path], Store], tuple[str, ...]]] = {
    ".nc": (NetCdfStore, ("h5netcdf", "h5py")),
    ".zarr": (ZarrStore, ("zarr",)),
}


class FieldSeries:
    """Quantities along a time axis, in one file whatever the number of ranks; collective.

    Of a forest it has a group for each level that there may be, 'level_0', 'level_1', …, each a
    dataset of its own, where cells without a leaf of the level are missing and 'leaf' says which
    blocks are leaves; or all levels as one dataset on the cells of one, see 'resampled.py'.

    Args:
        path: The file; its ending says the format: '.nc' NetCDF, '.zarr' Zarr.
        every: Steps between two times.
        simulation: What does the steps.
        grid: Where the quantities live: a grid or a forest, also by the grid of a level.
        quantities: What is stored: quantities, or fields with all of their components.
        time_unit: In words; of the units of CF conventions 's' alone.
        about: What the whole file is about, as {"title": "…"}.
        axes: What coordinates mean, as {"x": Axis("degrees_east")}; or the unit of all, as "m".
        start: Date and time of step 0, for times in 's'; None if it has none.
        constants: What is stored once; its values are needed on rank 0. Of a forest they are given
            on the cells of any level, and stored on those of each.
        region: The cells that are stored, see 'Region'.
        mean: Store means since the last time, of the states after each so many steps; None for the
            states themselves.
        precision: Of numbers that are not whole; None for that of their fields.
        level: Of a forest, all levels on the cells of that one; None for a group a level.
        prolongation: What these cells get where leaves are coarser, and constants of coarser cells
            on finer ones: 'linear' or 'nearest'.
        goes_on_from: The step after which times are added to the file that is there, and what it
            has of later steps is dropped; the first mean is then one since that step. None to begin
            anew, in the place of an older file.

    Attributes:
        interval: Steps between two calls of 'write'.

    Raises:
        CaseError: A choice is not possible, or the file that is there has other contents.
        OutOfMemoryError: What is resampled would not fit into memory.
        OutputError: It cannot be written.
    """

    shows_quantities = True
    keeps_last = False

    def __init__(  # noqa: PLR0913 (what a file says of itself)
        self,
        path: str | Path,
        every: int,
        simulation: Simulation,
        grid: Grid | Forest,
        quantities: Shown,
        *,
        time_unit: str = "s",
        about: Mapping[str, Any] | None = None,
        axes: Axes | str = PURE_NUMBERS,
        start: datetime | None = None,
        constants: Sequence[Variable] = (),
        region: Region | None = None,
        mean: int | None = None,
        precision: Precision | None = None,
        level: AnyLevel | None = None,
        prolongation: Prolongation = "linear",
        goes_on_from: int | None = None,
    ) -> None:
        self._path = Path(path)
        self.name = self._path.name
        check_format(self.name)
        every = interval_of("FieldSeries", every)
        check_choice(every, mean, precision)
        check_levels(self.name, grid, level)
        check_constants(grid, constants)
        shown = quantities_of(quantities)
        check_names([*(one.name for one in shown), *(constant.name for constant in constants)])
        self.interval = mean or every
        self.job = simulation.job
        self._every = every
        self._store = _FORMATS[self._path.suffix][0](self._path)
        times = Times(time_unit, start, mean, simulation.dt)

        def dtype(quantity: Quantity) -> np.dtype[Any]:
            return self._store.stored_type(_type_of(quantity, precision, is_mean=bool(mean)))

        choice = Choice(region or {}, axes_of(axes), dtype, prolongation, is_mean=mean is not None)
        self._sections = sections_of(grid, shown, choice, level)
        # How many times there are; known on rank 0.
        self._length = 0
        # When the interval of the next mean begins.
        self._begin = (simulation.step, simulation.time)
        rounded = [_rounded(each, precision) for each in constants]

        def template() -> Contents:
            return {
                section.group: section.template(rounded, about or {}, choice, times)
                for section in self._sections
            }

        with self.job.call("FieldSeries"):
            self.job.on_first(self._check_memory)
            self.job.on_first(lambda: self._prepare(template(), goes_on_from))

    @collective
    def write(self, step: int, time: float) -> None:
        """Add a time, or a state to the means; see 'Output.write'."""
        if self._means and not self._sample(step):
            return
        (_, begin), self._begin = self._begin, (step, time)
        of_time: dict[str, Any] = {"step": step, "time": time}
        if self._means:
            of_time |= {"time": 0.5 * (begin + time), BOUNDS: [begin, time]}
        attempt = Attempt(self._path, self.job)
        attempt.do(self._store.open)
        # What a failure may have left behind.
        attempt.do(partial(self._store.trim, self._names, self._length))
        for section in self._sections:
            named = partial(in_group, section.group)
            for source in section.sources:
                for place, values in source.gathered():
                    attempt.do(partial(self._put, named(source.name), values, place))
            for name, value in of_time.items():
                attempt.do(partial(self._put, named(name), value))
        for mean in self._means:
            mean.begin()
        attempt.do(partial(self._publish, self._length + 1))
        if self.job.rank == 0:
            self._store.close()
        attempt.finish()

    @property
    def _means(self) -> list[TimeMean]:
        """What adds up states; the levels of a forest share one."""
        found = (source.mean for section in self._sections for source in section.sources)
        return list(dict.fromkeys(mean for mean in found if mean is not None))

    def _sample(self, step: int) -> bool:
        """Add a state to the means, and return whether these are due."""
        if step <= self._begin[0]:
            return False
        for mean in self._means:
            mean.add()
        return step % self._every == 0

    def _put(self, name: str, values: Any, place: Place = ()) -> None:
        """Write the value of the next time, or of some of its cells."""
        self._store.put(name, self._length, np.asarray(values), place)

    @property
    def _names(self) -> tuple[str, ...]:
        """What has a value for each time."""
        always = ("step", "time", BOUNDS) if self._means else ("step", "time")
        return tuple(
            in_group(section.group, name)
            for section in self._sections
            for name in (*always, *(source.name for source in section.sources))
        )

    def _publish(self, length: int) -> None:
        self._store.publish(self._names, length)
        self._length = length

    def _prepare(self, template: Contents, goes_on_from: int | None) -> None:
        hold(self._path, self)
        template = self._store.arranged(template)
        if goes_on_from is None or not self._path.exists():
            self._store.create(template)
            return
        try:
            self._store.open()
            self._check_same(template)
            with writing(self._path):
                whole = [self._whole_times(group, goes_on_from) for group in template]
                self._publish(min(whole))
        except HaloclineError:
            raise
        except Exception as error:  # of a damaged file the libraries raise anything
            raise CaseError(
                f"The series '{self._path}' cannot be continued: {_reason(error)}.",
                hint=f"It is damaged or of another run; choose {ELSEWHERE}.",
            ) from error
        finally:
            self._store.close()

    def _whole_times(self, group: str, goes_on_from: int) -> int:
        """Return how many times of a group are there with all that belongs to them."""
        steps = self._store.array(in_group(group, "step"))[:]
        # A run that was killed may have left a last time without its step.
        is_whole = (steps <= goes_on_from) & (np.diff(steps, prepend=-1) > 0)
        return int(np.logical_and.accumulate(is_whole).sum())

    def _check_same(self, template: Contents) -> None:
        """Refuse a file with other cells, means of other steps, or no means."""
        for name, expected in variables_of(template).items():
            found = self._store.array(name)
            is_same = found.shape[1:] == expected.shape[1:]
            if has_cells(expected) and "time" not in expected.dims:
                is_same = np.array_equal(found[:], expected.values, equal_nan=True)
            methods = [each.attrs.get("cell_methods") for each in (found, expected)]
            if not is_same or methods[0] != methods[1]:
                raise ValueError(f"its '{name}' has other cells or times")

    def _check_memory(self) -> None:
        """Refuse what rank 0 could not hold."""
        for section in self._sections:
            for source in section.sources:
                if isinstance(source, Resampled):
                    check_memory(source.name, section.grid.extent, source.dtype)


def check_format(name: str) -> None:
    """Refuse a file that cannot be written.

    Raises:
        CaseError: Nothing is known of its ending.
        InstallationError: A package is missing.
    """
    ending = Path(name).suffix
    if ending not in _FORMATS:
        raise CaseError(
            f"The file '{name}' has the ending '{ending}'; expected {' or '.join(_FORMATS)}.",
            hint="'.nc' is NetCDF, '.zarr' a Zarr store.",
        )
    need("output", "xarray", *_FORMATS[ending][1])


def check_choice(every: int, mean: int | None, precision: str | None) -> None:
    """Refuse what does not go together.

    Raises:
        CaseError: Means do not fit, or there is no such precision.
    """
    mean = None if mean is None else interval_of("FieldSeries", mean, "mean")
    if mean is not None and every % mean:
        fitting = [n for n in range(1, every + 1) if every % n == 0]
        below = max((n for n in fitting if n <= mean), default=1)
        raise CaseError(
            f"Means of the states after each {mean} steps were asked for every {every} steps, "
            f"which {mean} does not divide.",
            hint=f"Choose a number that divides {every}, as {below}.",
        )
    if precision is not None and precision not in get_args(Precision):
        raise CaseError(
            f"The precision '{precision}' was given; expected {' or '.join(get_args(Precision))}.",
            hint=nearest(precision, get_args(Precision)),
        )


def check_levels(name: str, grid: Grid | Forest, level: AnyLevel | None) -> None:
    """Refuse what a forest cannot have, or what only a forest has.

    Raises:
        CaseError: There is such a choice.
    """
    if forest_behind(grid) is None:
        if level is not None:
            raise CaseError(
                f"The file '{name}' was asked for level {level!r}, but the grid has no levels.",
                hint="Leave out 'level'.",
            )
    elif level is None and not name.endswith(".zarr"):
        raise CaseError(
            f"The file '{name}' has no groups for the levels of a forest; expected one level, or "
            "a Zarr store.",
            hint="Give level='finest' or the number of a level, or write a '.zarr'.",
        )


def _type_of(quantity: Quantity, precision: str | None, *, is_mean: bool) -> np.dtype[Any]:
    """Return the type of stored values; means of whole numbers are none."""
    dtype = np.dtype(quantity.dtype)
    if dtype.kind != "f" and not is_mean:
        return dtype
    return np.dtype(precision or (dtype if dtype.kind == "f" else "float64"))


def _rounded(variable: Variable, precision: str | None) -> Variable:
    """Return a variable in the precision that was asked for."""
    if precision is None or variable.values is None or variable.values.dtype.kind != "f":
        return variable
    return replace(variable, values=variable.values.astype(precision))


def _reason(error: Exception) -> str:
    return str(error.args[0] if error.args else error).rstrip(".")
