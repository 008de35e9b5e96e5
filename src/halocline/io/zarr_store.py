"""A dataset that grows along time as a Zarr store; a reader may look at it while it grows."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.io.store import piece_of
from halocline.io.times import BOUNDS
from halocline.io.zarr import write_zarr

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import xarray


class ZarrStore:
    """A directory with a file for each time of each variable; see 'Store'.

    Args:
        path: The store.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def stored_type(self, dtype: Any) -> np.dtype[Any]:
        """Return the type itself."""
        same: np.dtype[Any] = np.dtype(dtype)
        return same

    def arranged(self, contents: xarray.Dataset) -> xarray.Dataset:
        """Return it as it is: axes as in Python, 'time', 'x', 'y', 'z'."""
        return contents

    def create(self, contents: xarray.Dataset) -> None:
        """Write a dataset without times, in the place of an older one."""
        stored: dict[str, dict[str, Any]] = {
            str(name): {"chunks": piece_of(variable)}
            for name, variable in contents.variables.items()
            if "time" in variable.dims
        }
        for name in {"time", BOUNDS} & set(stored):
            stored[name]["_FillValue"] = None  # none is missing
        write_zarr(self.path, contents, stored)

    def open(self) -> None:
        """Begin to look at what is there, and to change it."""
        import zarr

        # What each array says of itself, not the summary for readers.
        self._group: Any = zarr.open_group(self.path, mode="r+", use_consolidated=False)

    def array(self, name: str) -> Any:
        """Return a variable."""
        return self._group[name]

    def put(self, name: str, number: int, values: Any) -> None:
        """Write the value of a time."""
        array = self._group[name]
        array.resize((number + 1, *array.shape[1:]))
        array[number] = values

    def publish(self, names: Sequence[str], length: int) -> None:
        """Let readers see so many times: they look at one summary of all variables."""
        import zarr

        for name in names:
            array = self._group[name]
            if array.shape[0] != length:
                array.resize((length, *array.shape[1:]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # see 'write_zarr'
            zarr.consolidate_metadata(self._group.store)

    def close(self) -> None:
        """End."""
