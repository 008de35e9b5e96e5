"""A VTK file of the cells of a box: image data, or a rectilinear grid where axes are stretched.

The format: 'VTK XML Formats', Kitware (docs.vtk.org): an XML head with an offset for each array,
then the arrays as they are in memory, each behind its length.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.sax.saxutils import quoteattr

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from halocline.geometry import Box
    from halocline.language.grids.grid import Grid

_KINDS = {"f": "Float", "i": "Int", "u": "UInt"}
_LENGTH = np.dtype("<u8")
_AXES = 3


class ArrayOfCells(NamedTuple):
    """What the head of a file says of an array.

    Attributes:
        name: Of it.
        dtype: Of its numbers.
        components: Numbers a cell: 1, or 3 of a vector.
    """

    name: str
    dtype: np.dtype[Any]
    components: int


class ImageFile:
    """A file that is written array by array, and is in its place when complete.

    Args:
        path: The file; see 'ending'.
        grid: Whose cells it has.
        box: Which; all where an axis is stretched.
    """

    def __init__(self, path: Path, grid: Grid, box: Box) -> None:
        self._path = path
        self._unfinished = path.with_suffix(".unfinished")
        self._grid = grid
        self._box = box

    def begin(self, arrays: Sequence[ArrayOfCells], time: float) -> None:
        """Write what stands before the arrays."""
        self._unfinished.write_bytes(_head(self._grid, self._box, arrays, time))

    def append(self, parts: Sequence[NDArray[Any]]) -> None:
        """Add an array: its length in bytes, then cells with x fastest, three numbers a vector."""
        size = _AXES if len(parts) > 1 else 1
        array = np.zeros((parts[0].size, size), parts[0].dtype.newbyteorder("<"))
        for axis, part in enumerate(parts):
            array[:, axis] = part.ravel(order="F")
        self._append(np.asarray(array.nbytes, _LENGTH).tobytes())
        self._append(array.data)

    def end(self) -> None:
        """Finish the file."""
        self._append(b"</AppendedData></VTKFile>\n")
        self._unfinished.replace(self._path)

    def _append(self, content: bytes | memoryview) -> None:
        with self._unfinished.open("ab") as file:
            file.write(content)


def ending(grid: Grid) -> str:
    """Return what the name of a grid's file ends with."""
    return ".vtr" if _is_stretched(grid) else ".vti"


def place_of(grid: Grid, lower: Sequence[int]) -> str:
    """Return the coordinates of the low corner of a cell; along an axis that is not there 0."""
    ends = zip(grid.origin, grid.spacing, lower, strict=True)
    return " ".join(repr(float(at)) for at in (*(o + n * h for o, h, n in ends), 0.0, 0.0)[:_AXES])


def widths_of(grid: Grid) -> str:
    """Return the edge lengths of a cell; along an axis that is not there 1."""
    return " ".join(repr(float(h)) for h in (*grid.spacing, 1.0, 1.0)[:_AXES])


def _head(grid: Grid, box: Box, arrays: Sequence[ArrayOfCells], time: float) -> bytes:
    """Return what stands before the arrays; a grid of fewer axes has no cells along the others."""
    extent = (*box.extent, 0, 0)[:_AXES]
    whole = " ".join(f"0 {n}" for n in extent)
    kind, geometry = "ImageData", ""
    if _is_stretched(grid):
        kind, places = "RectilinearGrid", _coordinates(grid)
    else:
        geometry = f' Origin="{place_of(grid, box.lower)}" Spacing="{widths_of(grid)}"'
        places = []
    described, offset = [], 0
    for name, dtype, size in arrays:
        described.append(
            f'<DataArray type="{_KINDS[dtype.kind]}{8 * dtype.itemsize}" Name={quoteattr(name)} '
            f'NumberOfComponents="{size}" format="appended" offset="{offset}"/>'
        )
        offset += _LENGTH.itemsize + box.cells * size * dtype.itemsize
    lines = [
        f'<VTKFile type="{kind}" version="1.0" byte_order="LittleEndian" header_type="UInt64">',
        f'<{kind} WholeExtent="{whole}"{geometry}>',
        '<FieldData><DataArray type="Float64" Name="TimeValue" NumberOfTuples="1" format="ascii">'
        f"{time!r}</DataArray></FieldData>",
        f'<Piece Extent="{whole}"><CellData>',
        *described,
        "</CellData>",
        *places,
        f"</Piece></{kind}>",
        '<AppendedData encoding="raw">_',
    ]
    return "\n".join(lines).encode()


def _is_stretched(grid: Grid) -> bool:
    return any(map(grid.is_stretched, range(grid.dimensions)))


def _coordinates(grid: Grid) -> list[str]:
    """Return the coordinates of the faces along each axis; of one that the grid lacks, 0."""
    lines = ["<Coordinates>"]
    for axis in range(_AXES):
        at = grid.faces(axis).tolist() if axis < grid.dimensions else [0.0]
        text = " ".join(map(repr, at))
        lines.append(f'<DataArray type="Float64" format="ascii">{text}</DataArray>')
    return [*lines, "</Coordinates>"]
