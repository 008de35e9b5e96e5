"""A dataset that grows along time as a NetCDF 4 file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.io.growing_file import GrowingFile
from halocline.io.output import writing
from halocline.io.store import OF_BOUNDS, WITHOUT_CELLS, has_cells, piece_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import xarray

    from halocline.io.store import Contents, Place

# Deflate, with the bytes of numbers sorted by their weight: most of what there is to gain, fast.
_COMPRESSED = {"compression": "gzip", "compression_opts": 1, "shuffle": True}
# Types that NetCDF lacks.
_STAND_IN = {"bool": "int8", "float16": "float32"}


class NetCdfStore:
    """A file with axes in the order that CF recommends: time, z, y, x; see 'Store'.

    It is closed after each time, so that a run that ends in any way leaves one that can be read.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._bytes: GrowingFile | None = None
        self._file: Any = None

    def stored_type(self, dtype: Any) -> np.dtype[Any]:
        """Return as what numbers of a type are stored."""
        found: np.dtype[Any] = np.dtype(_STAND_IN.get(np.dtype(dtype).name, dtype))
        return found

    def arranged(self, contents: Contents) -> Contents:
        """Return a dataset with axes from the slowest to the fastest: 'time', 'z', 'y', 'x'."""
        turned = {}
        for name, variable in contents[""].variables.items():
            cells = [dim for dim in variable.dims if dim not in WITHOUT_CELLS]
            times = [dim for dim in variable.dims if dim == "time"]
            bounds = [dim for dim in variable.dims if dim in OF_BOUNDS]
            turned[name] = variable.transpose(*times, *reversed(cells), *bounds)
        return {"": contents[""].assign(turned)}

    def create(self, contents: Contents) -> None:
        """Write what has no times yet, in the place of an older file; it has no groups."""
        unfinished = self.path.with_name(self.path.name + ".unfinished")
        with writing(self.path):
            try:
                unfinished.write_bytes(b"")
                self._open(unfinished, "w")
                _declare(self._file, contents[""])
                self.publish((), 0)
                unfinished.replace(self.path)
            finally:
                self.close()
                unfinished.unlink(missing_ok=True)

    def open(self) -> None:
        """Begin to look at what is there, and to change it."""
        self._open(self.path, "r+")

    def _open(self, path: Path, mode: str) -> None:
        import h5netcdf

        self._bytes, self._file = GrowingFile(path), None
        self._file = h5netcdf.File(self._bytes, mode)

    def array(self, name: str) -> Any:
        """Return a variable."""
        return self._file.variables[name]

    def trim(self, names: Sequence[str], length: int) -> None:
        """Drop what follows so many times."""
        if self._file.dimensions["time"].size != length:
            self._file.resize_dimension("time", length)

    def put(self, name: str, number: int, values: Any, place: Place = ()) -> None:
        """Write the value of a time, or of some cells."""
        if self._file.dimensions["time"].size <= number:
            self._file.resize_dimension("time", number + 1)
        # What has no cells has one axis at most, which stays as it is.
        self._file.variables[name][(number, *reversed(place))] = np.asarray(values).T

    def publish(self, names: Sequence[str], length: int) -> None:
        """Let readers see so many times."""
        assert self._bytes is not None
        self.trim(names, length)
        content, self._bytes = self._bytes, None
        try:
            self._file.close()
        except BaseException:
            content.discard()
            raise
        content.publish()

    def close(self) -> None:
        """End; what was put and not published is lost."""
        content, self._bytes = self._bytes, None
        if content is None:
            return
        try:
            if self._file is not None:
                self._file.close()
        finally:
            content.discard()


def _declare(file: Any, contents: xarray.Dataset) -> None:
    """Write all but what has times: a dimension without end, which has none yet."""
    file.attrs.update(_attributes(contents.attrs))
    for name, size in contents.sizes.items():
        file.dimensions[name] = None if name == "time" else size
    auxiliary = [str(name) for name in contents.coords if name not in contents.sizes]
    for name, variable in contents.variables.items():
        has_times = "time" in variable.dims
        is_field = name in contents.data_vars and not set(OF_BOUNDS) & set(variable.dims)
        options: dict[str, Any] = {} if has_times else {"data": variable.values}
        if has_times or len(variable.dims) > 1:
            options["chunks"] = piece_of(variable)
        if is_field and has_cells(variable):
            is_number = variable.dtype.kind == "f"
            options |= {**_COMPRESSED, "fillvalue": np.nan if is_number else None}
        made = file.create_variable(name, variable.dims, variable.dtype, **options)
        made.attrs.update(_attributes(variable.attrs))
        if is_field and has_cells(variable):
            beside = " ".join(n for n in auxiliary if set(contents[n].dims) <= set(variable.dims))
            made.attrs.update(_attributes({"coordinates": beside}))


def _attributes(values: Mapping[Any, Any]) -> dict[str, Any]:
    """Return attributes as programs in other languages read them: text of single bytes."""
    return {
        str(name): np.bytes_(value) if isinstance(value, str) and value.isascii() else value
        for name, value in values.items()
        # HDF5 has no empty text.
        if not isinstance(value, str) or value
    }
