"""Fields every so many steps, or their means in between, as NetCDF or as a Zarr store."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

import numpy as np

from halocline.errors import CaseError, nearest
from halocline.io.axis import PURE_NUMBERS, Axes
from halocline.io.dataset import dataset
from halocline.io.netcdf_store import NetCdfStore
from halocline.io.output import Attempt, Ranks, writing
from halocline.io.part import Mean, Part
from halocline.io.region import Region, box_of_region
from halocline.io.store import Store, has_cells
from halocline.io.times import BOUNDS, Times, along_time
from halocline.io.zarr_store import ZarrStore
from halocline.runtime.collective import collective

if TYPE_CHECKING:
    from datetime import datetime

    import xarray

    from halocline.io.quantity import Quantity
    from halocline.io.variable import Variable
    from halocline.language.grids.grid import Grid

Precision = Literal["float32", "float64"]
# By the endings of files: how they are written, and the packages that it needs.
_FORMATS: Mapping[str, tuple[Callable[[Path], Store], tuple[str, ...]]] = {
    ".nc": (NetCdfStore, ("h5netcdf", "h5py")),
    ".zarr": (ZarrStore, ("zarr",)),
}


class Timed(Ranks, Protocol):
    """A simulation, as far as the time of what is written needs one."""

    dt: Any

    @property
    def step(self) -> int:
        """How many steps have been done."""

    @property
    def time(self) -> float:
        """The time."""


class FieldSeries:
    """Quantities along a time axis, in one file whatever the number of ranks; collective.

    Args:
        path: The file; its ending says the format: '.nc' NetCDF, '.zarr' Zarr.
        every: Steps between two times.
        simulation: What does the steps.
        grid: Where the quantities live.
        quantities: What is stored.
        time_unit: In words; of the units of CF conventions 's' alone.
        about: What the whole file is about.
        axes: What coordinates mean.
        start: Date and time of step 0, for times in 's'; None if it has none.
        constants: What is stored once; its values are needed on rank 0.
        region: The cells that are stored, see 'Region'.
        mean: Store means since the last time, of the states after each so many steps; None for the
            states themselves.
        precision: Of numbers that are not whole; None for that of their fields.
        goes_on_from: The step after which times are added to the file that is there, and what it
            has of later steps is dropped; the first mean is then one since that step. None to begin
            anew, in the place of an older file.

    Attributes:
        interval: Steps between two calls of 'write'.

    Raises:
        CaseError: A choice is not possible, or the file that is there has other contents.
        OutputError: It cannot be written.
    """

    shows_quantities = True

    def __init__(  # noqa: PLR0913 (what a file says of itself)
        self,
        path: str | Path,
        every: int,
        simulation: Timed,
        grid: Grid,
        quantities: Sequence[Quantity],
        *,
        time_unit: str = "s",
        about: Mapping[str, Any] | None = None,
        axes: Axes = PURE_NUMBERS,
        start: datetime | None = None,
        constants: Sequence[Variable] = (),
        region: Region | None = None,
        mean: int | None = None,
        precision: Precision | None = None,
        goes_on_from: int | None = None,
    ) -> None:
        self._path = Path(path)
        self.name = self._path.name
        check_format(self.name)
        check_choice(every, mean, precision)
        self.interval = mean or every
        self.job = simulation.job
        self._every = every
        self._store = _FORMATS[self._path.suffix][0](self._path)
        times = Times(time_unit, start, mean, simulation.dt)
        region = region or {}
        self._parts = [Part(q, box_of_region(q.field, region, axes)) for q in quantities]
        self._means = [Mean(part) for part in self._parts] if mean else []
        self._types = [
            self._store.stored_type(_type_of(q, precision, is_mean=bool(mean))) for q in quantities
        ]
        # How many times there are; known on rank 0.
        self._length = 0
        # When the interval of the next mean begins.
        self._begin = (simulation.step, simulation.time)

        def template() -> xarray.Dataset:
            variables = [*self._empty(), *(_rounded(each, precision) for each in constants)]
            state = dataset(grid, variables, about or {}, axes)
            names = [quantity.name for quantity in quantities]
            return self._store.arranged(along_time(state, names, region, times))

        with self.job.call("FieldSeries"):
            self.job.on_first(lambda: self._prepare(template(), goes_on_from))

    @collective
    def write(self, step: int, time: float) -> None:
        """Add a time, or a state to the means; see 'Output.write'."""
        if self._means and not self._sample(step):
            return
        (_, begin), self._begin = self._begin, (step, time)
        attempt = Attempt(self._path, self.job)
        attempt.do(self._store.open)
        for number, part in enumerate(self._parts):
            values = self._gather(number)
            attempt.do(partial(self._put, part.quantity.name, values))
        attempt.do(partial(self._put, "step", step))
        attempt.do(partial(self._put, "time", 0.5 * (begin + time) if self._means else time))
        if self._means:
            attempt.do(partial(self._put, BOUNDS, [begin, time]))
        attempt.do(partial(self._publish, self._length + 1))
        if self.job.rank == 0:
            self._store.close()
        attempt.finish()

    def _sample(self, step: int) -> bool:
        """Add a state to the means, and return whether these are due."""
        if step <= self._begin[0]:
            return False
        for mean in self._means:
            mean.add()
        return step % self._every == 0

    def _gather(self, number: int) -> Any:
        """Return the values of a quantity on rank 0, None elsewhere; collective."""
        part, dtype = self._parts[number], self._types[number]
        if self._means:
            return self._means[number].take(dtype)
        stored = part.gather(part.local(), part.quantity.field.dtype)
        return None if stored is None else part.quantity.shown(stored).astype(dtype)

    def _put(self, name: str, values: Any) -> None:
        """Write the value of the next time."""
        self._store.put(name, self._length, np.asarray(values))

    @property
    def _names(self) -> tuple[str, ...]:
        """What has a value for each time."""
        bounds = (BOUNDS,) if self._means else ()
        return ("step", "time", *bounds, *(part.quantity.name for part in self._parts))

    def _publish(self, length: int) -> None:
        self._store.publish(self._names, length)
        self._length = length

    def _prepare(self, template: xarray.Dataset, goes_on_from: int | None) -> None:
        if goes_on_from is None or not self._path.exists():
            self._store.create(template)
            return
        try:
            self._store.open()
            self._check_same(template)
            steps = self._store.array("step")[:]
            with writing(self._path):
                # A run that was killed may have left a last time without its step.
                is_whole = (steps <= goes_on_from) & (np.diff(steps, prepend=-1) > 0)
                self._publish(int(np.logical_and.accumulate(is_whole).sum()))
        except (OSError, ValueError, KeyError) as error:
            raise CaseError(
                f"The series '{self._path}' cannot be continued: {_reason(error)}.",
                hint="It is damaged or of another run; choose another directory with --output.",
            ) from error
        finally:
            self._store.close()

    def _check_same(self, template: xarray.Dataset) -> None:
        """Refuse a file with other cells, means of other steps, or no means."""
        for name, expected in template.variables.items():
            found = self._store.array(str(name))
            is_same = found.shape[1:] == expected.shape[1:]
            if has_cells(expected) and "time" not in expected.dims:
                is_same = np.array_equal(found[:], expected.values, equal_nan=True)
            methods = [each.attrs.get("cell_methods") for each in (found, expected)]
            if not is_same or methods[0] != methods[1]:
                raise ValueError(f"its '{name}' has other cells or times")

    def _empty(self) -> list[Variable]:
        """Return the quantities without values of their own, which take no memory."""
        shapes = [part.quantity.field.space.shape for part in self._parts]
        return [
            part.quantity.variable(np.broadcast_to(dtype.type(0), shape))
            for part, dtype, shape in zip(self._parts, self._types, shapes, strict=True)
        ]


def check_format(name: str) -> None:
    """Refuse a file that cannot be written.

    Raises:
        CaseError: Nothing is known of its ending, or a package is missing.
    """
    ending = Path(name).suffix
    if ending not in _FORMATS:
        raise CaseError(
            f"The file '{name}' has the ending '{ending}'; expected {' or '.join(_FORMATS)}.",
            hint="'.nc' is NetCDF, '.zarr' a Zarr store.",
        )
    for package in _FORMATS[ending][1]:
        if find_spec(package) is None:
            raise CaseError(
                f"The file '{name}' needs the package '{package}', which is not installed.",
                hint=f"Write pip install {package}.",
            )


def check_choice(every: int, mean: int | None, precision: str | None) -> None:
    """Refuse what does not go together.

    Raises:
        CaseError: Means do not fit, or there is no such precision.
    """
    if mean is not None and (mean < 1 or every % mean):
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


def _type_of(quantity: Quantity, precision: str | None, *, is_mean: bool) -> np.dtype[Any]:
    """Return the type of stored values; means of whole numbers are none."""
    dtype = np.dtype(quantity.field.dtype)
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
