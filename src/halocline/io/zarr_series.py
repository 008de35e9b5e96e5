"""Fields every so many steps as a Zarr store with a dimension 'time', which xarray opens."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import CaseError
from halocline.io.output import Attempt, Ranks, writing
from halocline.io.zarr import dataset, write_zarr
from halocline.runtime.collective import collective

if TYPE_CHECKING:
    import xarray

    from halocline.io.quantity import Quantity
    from halocline.language.grids.grid import Grid

# Cells along an edge of what is compressed and stored as one file; times stored as one file.
_EDGE, _TIMES = 256, 1024


class ZarrSeries:
    """Quantities along a time axis; a reader may look at the store while it grows; collective.

    Args:
        path: The store.
        interval: Steps between two times.
        ranks: Who takes part.
        grid: Where the quantities live.
        quantities: What is stored.
        time_unit: In words; for CF conventions the time is a pure number.
        about: What the whole store is about.
        goes_on_from: The step after which times are added to the store that is there, and what it
            has of later steps is dropped; None to begin anew, in the place of an older one.

    Raises:
        CaseError: The store that is there has other variables.
        OutputError: It cannot be written.
    """

    shows_quantities = True

    def __init__(  # noqa: PLR0913 (what a store says of itself)
        self,
        path: str | Path,
        interval: int,
        ranks: Ranks,
        grid: Grid,
        quantities: Sequence[Quantity],
        *,
        time_unit: str,
        about: Mapping[str, Any],
        goes_on_from: int | None = None,
    ) -> None:
        self._path = Path(path)
        self.name = self._path.name
        self.interval = interval
        self.job = ranks.job
        self._quantities = tuple(quantities)
        # How many times there are; known on rank 0.
        self._length = 0
        template = partial(_template, grid, quantities, time_unit, about)
        with self.job.call("ZarrSeries"):
            self.job.on_first(partial(self._begin, template, goes_on_from))

    @collective
    def write(self, step: int, time: float) -> None:
        """Add a time; see 'Output.write'."""
        attempt = Attempt(self._path, self.job)
        attempt.do(self._open)
        for quantity in self._quantities:
            values = quantity.gather().values
            attempt.do(partial(self._put, quantity.name, values))
        attempt.do(partial(self._put, "step", np.asarray(step)))
        attempt.do(partial(self._put, "time", np.asarray(time)))
        attempt.do(partial(self._publish, self._length + 1))
        attempt.finish()

    def _begin(self, template: Any, goes_on_from: int | None) -> None:
        if goes_on_from is None or not self._path.exists():
            contents = template()
            write_zarr(self._path, contents, _chunks(contents))
            return
        try:
            self._open()
            steps = {name: self._store[name] for name in self._names}["step"][:]
        except (OSError, ValueError, KeyError) as error:
            raise CaseError(
                f"The series '{self._path}' cannot be continued: {error}.",
                hint="It is damaged or of another run; choose another directory with --output.",
            ) from error
        with writing(self._path):
            # A run that was killed may have left a last time without its step.
            is_whole = (steps <= goes_on_from) & (np.diff(steps, prepend=-1) > 0)
            self._publish(int(np.logical_and.accumulate(is_whole).sum()))

    @property
    def _names(self) -> tuple[str, ...]:
        """What has a value for each time."""
        return ("step", "time", *(quantity.name for quantity in self._quantities))

    def _open(self) -> None:
        import zarr

        # What each array says of itself, not the summary for readers.
        self._store: Any = zarr.open_group(self._path, mode="r+", use_consolidated=False)

    def _put(self, name: str, values: Any) -> None:
        """Write the values of the next time."""
        array = self._store[name]
        array.resize((self._length + 1, *array.shape[1:]))
        array[self._length] = values

    def _publish(self, length: int) -> None:
        """Let readers see so many times: they look at one summary of all variables."""
        import zarr

        for name in self._names:
            array = self._store[name]
            if array.shape[0] != length:
                array.resize((length, *array.shape[1:]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # see 'write_zarr'
            zarr.consolidate_metadata(self._store.store)
        self._length = length


def _template(
    grid: Grid, quantities: Sequence[Quantity], time_unit: str, about: Mapping[str, Any]
) -> xarray.Dataset:
    """Return the dataset before its first time."""
    empty = [q.variable(np.broadcast_to(q.shown(0), q.field.space.shape)) for q in quantities]
    contents = dataset(grid, empty, about).expand_dims(time=np.zeros(0))
    contents = contents.assign_coords(step=("time", np.zeros(0, np.int64)))
    contents["time"].attrs = {"units": "1", "long_name": f"time in {time_unit}", "axis": "T"}
    contents["step"].attrs = {"units": "1", "long_name": "time steps done"}
    return contents


def _chunks(contents: xarray.Dataset) -> dict[str, Any]:
    """Return how values are cut into files: one time, and at most so many cells along an edge."""
    found = {
        str(name): {"chunks": (1, *(min(n, _EDGE) for n in variable.shape[1:]))}
        for name, variable in contents.data_vars.items()
    }
    return {**found, "time": {"chunks": (_TIMES,)}, "step": {"chunks": (_TIMES,)}}
