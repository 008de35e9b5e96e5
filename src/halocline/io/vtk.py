"""Fields every so many steps as VTK image data, or a rectilinear grid where axes are stretched.

ParaView opens them as a film.

The format: 'VTK XML Formats', Kitware (docs.vtk.org): an XML head with an offset for each array,
then the arrays as they are in memory, each behind its length.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

import numpy as np

from halocline.errors import CaseError
from halocline.io.output import Attempt, Ranks, create_directory, replace_text
from halocline.runtime.collective import collective

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.io.quantity import Quantity
    from halocline.language.grids.grid import Grid

_KINDS = {"f": "Float", "i": "Int", "u": "UInt"}
_LENGTH = np.dtype("<u8")
_VECTOR = 3

Group = tuple["Quantity", ...]


class VtkSeries:
    """A file for each time in 'vtk/', and their list with times in 'series.pvd'; collective.

    Args:
        directory: Where both are put.
        interval: Steps between two times.
        ranks: Who takes part.
        grid: Where the quantities live.
        quantities: What is stored, as data of cells; those of one vector side by side.
        dt: The length of a step.
        goes_on_from: The step after which times are added to those that are there; later ones are
            removed. None to begin anew.

    Raises:
        CaseError: A quantity does not live in the middle of cells.
        OutputError: It cannot be written.
    """

    name = "series.pvd"
    shows_quantities = True

    def __init__(  # noqa: PLR0913 (what a collection says of itself)
        self,
        directory: str | Path,
        interval: int,
        ranks: Ranks,
        grid: Grid,
        quantities: Sequence[Quantity],
        *,
        dt: float,
        goes_on_from: int | None = None,
    ) -> None:
        for quantity in quantities:
            if quantity.of_grid.location != "center":
                raise CaseError(
                    f"'{quantity.name}' lives at '{quantity.of_grid.location}'; expected values in "
                    "the middle of cells, for VTK files know no others.",
                    hint="Leave out --vtk; series.zarr has all variables.",
                )
        self.interval = interval
        self._directory = Path(directory)
        self.job = ranks.job
        self._grid = grid
        self._groups = _groups(quantities)
        self._dt = dt
        with self.job.call("VtkSeries"):
            self.job.on_first(partial(self._begin, -1 if goes_on_from is None else goes_on_from))

    @collective
    def write(self, step: int, time: float) -> None:
        """Write a time and add it to the list; see 'Output.write'."""
        path = self._folder / f"step_{step:09d}{self._ending}"
        unfinished = path.with_suffix(".unfinished")
        attempt = Attempt(path, self.job)
        attempt.do(partial(unfinished.write_bytes, head(self._grid, self._groups, time)))
        for group in self._groups:
            parts: list[Any] = []
            for quantity in group:
                values = quantity.gather().values
                attempt.do(partial(parts.append, values))
            attempt.do(partial(_append_array, unfinished, parts))
        attempt.do(partial(_append, unfinished, b"</AppendedData></VTKFile>\n"))
        attempt.do(lambda: unfinished.replace(path))
        attempt.do(self._list)
        attempt.finish()

    @property
    def _folder(self) -> Path:
        return self._directory / "vtk"

    @property
    def _ending(self) -> str:
        return ".vtr" if _is_stretched(self._grid) else ".vti"

    def _begin(self, last: int) -> None:
        create_directory(self._folder)
        for path in self._folder.glob("step_*"):
            if path.suffix != self._ending or _step(path) > last:
                path.unlink()
        self._list()

    def _list(self) -> None:
        """Write the list of the times that there are."""
        lines = [
            f'<DataSet timestep="{_step(path) * self._dt!r}" file="vtk/{path.name}"/>'
            for path in sorted(self._folder.glob(f"step_*{self._ending}"))
        ]
        kind = 'type="Collection" version="1.0" byte_order="LittleEndian"'
        lines = [f"<VTKFile {kind}>", "<Collection>", *lines, "</Collection>", "</VTKFile>"]
        replace_text(self._directory / self.name, "\n".join(lines))


def _step(path: Path) -> int:
    return int(path.stem.rpartition("_")[2])


def _groups(quantities: Iterable[Quantity]) -> tuple[Group, ...]:
    """Return scalars one by one, components of a vector together."""
    found: list[Group] = []
    for vector, group in groupby(quantities, key=lambda q: q.vector):
        members = tuple(group)
        found += [members] if vector else [(member,) for member in members]
    return tuple(found)


def head(grid: Grid, groups: Sequence[Group], time: float) -> bytes:
    """Return what stands before the arrays; a grid of fewer axes has no cells along the others."""
    extent = (*grid.extent, 0, 0)[:3]
    whole = " ".join(f"0 {n}" for n in extent)
    kind, geometry = "ImageData", ""
    if _is_stretched(grid):
        kind, places = "RectilinearGrid", _coordinates(grid)
    else:
        origin = " ".join(repr(o) for o in (*grid.origin, 0.0, 0.0)[:3])
        spacing = " ".join(repr(h) for h in (*grid.spacing, 1.0, 1.0)[:3])
        geometry, places = f' Origin="{origin}" Spacing="{spacing}"', []
    arrays, offset = [], 0
    for group in groups:
        dtype, size = np.dtype(group[0].dtype), _VECTOR if len(group) > 1 else 1
        name = quoteattr(group[0].vector or group[0].name)
        arrays.append(
            f'<DataArray type="{_KINDS[dtype.kind]}{8 * dtype.itemsize}" Name={name} '
            f'NumberOfComponents="{size}" format="appended" offset="{offset}"/>'
        )
        offset += _LENGTH.itemsize + grid.domain.cells * size * dtype.itemsize
    lines = [
        f'<VTKFile type="{kind}" version="1.0" byte_order="LittleEndian" header_type="UInt64">',
        f'<{kind} WholeExtent="{whole}"{geometry}>',
        '<FieldData><DataArray type="Float64" Name="TimeValue" NumberOfTuples="1" format="ascii">'
        f"{time!r}</DataArray></FieldData>",
        f'<Piece Extent="{whole}"><CellData>',
        *arrays,
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
    for axis in range(_VECTOR):
        at = grid.faces(axis).tolist() if axis < grid.dimensions else [0.0]
        text = " ".join(map(repr, at))
        lines.append(f'<DataArray type="Float64" format="ascii">{text}</DataArray>')
    return [*lines, "</Coordinates>"]


def _append_array(path: Path, parts: Sequence[NDArray[Any]]) -> None:
    """Add an array: its length in bytes, then cells with x fastest, three components a vector."""
    size = _VECTOR if len(parts) > 1 else 1
    array = np.zeros((parts[0].size, size), parts[0].dtype.newbyteorder("<"))
    for axis, part in enumerate(parts):
        array[:, axis] = part.ravel(order="F")
    _append(path, np.asarray(array.nbytes, _LENGTH).tobytes())
    _append(path, array.data)


def _append(path: Path, content: bytes | memoryview) -> None:
    with path.open("ab") as file:
        file.write(content)
