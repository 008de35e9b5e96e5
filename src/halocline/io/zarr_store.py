"""Datasets that grow along time as a Zarr store; a reader may look at it while it grows."""

from __future__ import annotations

import warnings
from math import ceil, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.io.store import piece_of
from halocline.io.times import BOUNDS
from halocline.io.zarr import write_zarr

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import xarray

    from halocline.io.store import Contents, Place


# Small fields have several times in one piece, and several pieces in one file: so many bytes. For
# each time its piece is compressed anew, and the file written with the other pieces as they are.
_BYTES_OF_PIECE, _BYTES_OF_FILE = 2**18, 2**22
_MOST_TIMES = 1024


class ZarrStore:
    """A directory with a file for each time of large variables, for several of small ones.

    See 'Store'. A file is put in the place of the one with fewer times when complete, so that a run
    that ends in any way loses none of these. Files of several pieces are shards of Zarr 3.

    Args:
        path: The store.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def stored_type(self, dtype: Any) -> np.dtype[Any]:
        """Return the type itself."""
        same: np.dtype[Any] = np.dtype(dtype)
        return same

    def arranged(self, contents: Contents) -> Contents:
        """Return them as they are: axes as in Python, 'time', 'x', 'y', 'z'."""
        return contents

    def create(self, contents: Contents) -> None:
        """Write what has no times yet, in the place of an older store."""
        import xarray

        if "" in contents:
            write_zarr(self.path, contents[""], _encoding(contents[""]))
        else:
            stored = {f"/{group}": _encoding(dataset) for group, dataset in contents.items()}
            write_zarr(self.path, xarray.DataTree.from_dict(dict(contents)), stored)
            self.open()
            self._summarize()

    def open(self) -> None:
        """Begin to look at what is there, and to change it."""
        import zarr

        # What each array says of itself, not the summary for readers.
        self._root: Any = zarr.open_group(self.path, mode="r+", use_consolidated=False)

    def array(self, name: str) -> Any:
        """Return a variable."""
        return self._root[name]

    def trim(self, names: Sequence[str], length: int) -> None:
        """Drop what follows so many times."""
        for name in names:
            array = self._root[name]
            times, *_ = array.shards or array.chunks
            if array.shape[0] > length and length % times:
                # A file keeps what it has of later times, which are there again when it grows.
                array[length : ceil(length / times) * times] = array.fill_value
            if array.shape[0] != length:
                array.resize((length, *array.shape[1:]))

    def put(self, name: str, number: int, values: Any, place: Place = ()) -> None:
        """Write the value of a time, or of some cells."""
        array = self._root[name]
        if array.shape[0] <= number:
            array.resize((number + 1, *array.shape[1:]))
        array[(number, *place)] = values

    def publish(self, names: Sequence[str], length: int) -> None:
        """Let readers see so many times: they look at one summary of all variables."""
        self.trim(names, length)
        self._summarize()

    def _summarize(self) -> None:
        """Write what readers look at: of each group for those who open one, of all at last."""
        import zarr

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # see 'write_zarr'
            for group in sorted(self._root.group_keys()):
                zarr.consolidate_metadata(self._root.store, path=group)
            zarr.consolidate_metadata(self._root.store)

    def close(self) -> None:
        """End."""


def _encoding(contents: xarray.Dataset) -> dict[str, dict[str, Any]]:
    """Return how the variables of a dataset are stored, as xarray understands it."""
    stored = {
        str(name): _pieces_of(variable)
        for name, variable in contents.variables.items()
        if "time" in variable.dims
    }
    for name, how in stored.items():
        if name in ("time", BOUNDS):
            how["_FillValue"] = None  # none is missing
        elif "_FillValue" in contents[name].encoding:
            # What readers take for missing, and what pieces have that are not there.
            how["_FillValue"] = how["fill_value"] = contents[name].encoding["_FillValue"]
    return stored


def _pieces_of(variable: xarray.Variable) -> dict[str, Any]:
    """Return what is compressed as one piece, and of small fields what is one file of pieces."""
    times, *cells = piece_of(variable)
    bytes_of_time = prod(cells) * variable.dtype.itemsize
    fitting = min(_BYTES_OF_PIECE // bytes_of_time, _MOST_TIMES)
    if fitting <= times:
        return {"chunks": (times, *cells)}
    pieces = _BYTES_OF_FILE // (fitting * bytes_of_time)
    return {"chunks": (fitting, *cells), "shards": (pieces * fitting, *cells)}
