"""Solid cells from a file: a NumPy array, an image, or a closed surface of triangles (STL)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import halocline as hc
from halocline.apps.arguments import check_number
from halocline.apps.lbm.setup.bodies import Body
from halocline.apps.lbm.setup.surface import Surface
from halocline.errors import CaseError
from halocline.installation import need
from halocline.language.numbers import Range

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_PLANE = 2
_DARK = 128


def is_surface(file: str | Path) -> bool:
    """Return whether a geometry file is a surface of triangles, by its name."""
    return Path(file).suffix.lower() == ".stl"


def read_geometry(
    file: str | Path, extent: Sequence[int] | None, cell: float = 1.0
) -> NDArray[np.bool_]:
    """Return where cells are solid, shape of the extent.

    Args:
        file: '.npy' with an array of true or false, or of 0 and others, x first; '.stl' with one or
            more closed surfaces in the unit of 'cell', the origin in the low corner of the domain;
            any other name: an image, one pixel a cell, dark pixels solid, its lower edge y = 0.
        extent: Cells along each axis; None for those of the array or image.
        cell: Length of a cell.

    Raises:
        CaseError: It cannot be read, does not fit, or leaves only solid or only fluid cells.

    Example:
        >>> import pathlib, tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> file = pathlib.Path(folder.name, "plate.npy")
        >>> np.save(file, np.indices((8, 6))[0] == 3)
        >>> int(lbm.read_geometry(file, (8, 6)).sum())
        6
    """
    if not Path(file).is_file():
        raise CaseError(f"There is no geometry file '{file}'.")
    if is_surface(file):
        solid = _from_surface(file, extent, cell)
    else:
        solid = _from_array(file) if Path(file).suffix.lower() == ".npy" else _from_image(file)
        if extent is not None and solid.shape != tuple(extent):
            raise CaseError(
                f"The geometry file '{file}' has {_words(solid.shape)} cells; expected "
                f"{_words(extent)}, as the case has.",
                hint="Axes come in the order x, y, z; choose 'cells' and the case's sizes to fit.",
            )
    if solid.all() or not solid.any():
        kind = "solid" if solid.all() else "fluid"
        raise CaseError(
            f"The geometry file '{file}' leaves only {kind} cells.",
            hint="Its coordinates may be in another unit, or solid and fluid exchanged.",
        )
    return solid


def read_solids(file: str, extent: Sequence[int] | None) -> dict[str, Any]:
    """Return what a setup is told of a geometry file: its bodies, if it is a surface, or its cells.

    Args:
        file: See 'read_geometry'; a surface lies in the coordinates of the setup's grid.
        extent: Cells along each axis.
    """
    if is_surface(file):
        return {"bodies": (Body(read_surface(file), name=file),)}
    return {"solid": read_geometry(file, extent)}


def _from_array(file: str | Path) -> NDArray[np.bool_]:
    try:
        # Mapped, so that a size in its head that is wrong takes no memory.
        array = np.load(file, mmap_mode="r", allow_pickle=False)
    except Exception as error:  # NumPy raises whatever Python's parser does
        raise CaseError(f"The geometry file '{file}' is no NumPy array: {error}.") from error
    is_array = isinstance(array, np.ndarray)
    if not is_array or array.ndim not in (2, 3) or array.dtype.kind not in "bui":
        raise CaseError(
            f"The geometry file '{file}' holds {_kind(array)}; expected an array of bool or whole "
            "numbers with two or three axes, not 0 where cells are solid."
        )
    return np.asarray(array != 0)


def _kind(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} with {value.ndim} axes"
    return "several arrays"


def _from_image(file: str | Path) -> NDArray[np.bool_]:
    need("geometry", "PIL")
    from PIL import Image

    try:
        with Image.open(file) as image:
            # On white, so that what can be seen through is fluid.
            flat = Image.new("RGBA", image.size, "white")
            flat.alpha_composite(image.convert("RGBA"))
            pixels = np.asarray(flat.convert("L"))
    except Exception as error:  # Pillow raises whatever its parsers do
        raise CaseError(
            f"The geometry file '{file}' is neither a NumPy array (.npy), nor a surface (.stl), "
            "nor an image that can be read."
        ) from error
    # Rows of an image go down; y goes up.
    return np.asarray(pixels[::-1].T < _DARK)


def _from_surface(file: str | Path, extent: Sequence[int] | None, cell: float) -> NDArray[np.bool_]:
    if extent is None or len(extent) == _PLANE:
        raise CaseError(
            f"The geometry file '{file}' is a surface in space; expected an array or an image for "
            "this case.",
            hint="Surfaces go with cases in three dimensions that say how many cells there are.",
        )
    return read_surface(file).inside(hc.Grid(tuple(extent), spacing=cell))


def read_surface(file: str | Path, unit: float = 1.0) -> Surface:
    """Return one or more closed surfaces from an STL file: the surface of a 'Body'.

    Args:
        file: '.stl', in coordinates of the grid.
        unit: Length of the file's unit in that of the grid, as 0.001 for mm in a grid in m.

    Raises:
        CaseError: It cannot be read, or is not closed.

    Example:
        >>> import pathlib, tempfile, trimesh
        >>> folder = tempfile.TemporaryDirectory()
        >>> file = pathlib.Path(folder.name, "ball.stl")
        >>> _ = trimesh.creation.icosphere(subdivisions=1, radius=4.0).export(file)
        >>> lbm.read_surface(file).triangles.shape
        (80, 3, 3)
    """
    check_number("unit", unit, Range(above=0.0))
    need("geometry", "trimesh")
    import trimesh

    if not Path(file).is_file():
        raise CaseError(f"There is no geometry file '{file}'.")
    try:
        mesh = trimesh.load_mesh(file)
        triangles = np.asarray(mesh.triangles, float)
    except Exception as error:  # trimesh raises whatever its parsers do
        raise CaseError(f"The geometry file '{file}' is no STL file: {error}.") from error
    if not mesh.is_watertight:
        raise CaseError(
            f"The surface in '{file}' is not closed: there is no inside.",
            hint="Close its holes in the program that made it.",
        )
    return Surface(triangles * unit)


def _words(extent: Sequence[int]) -> str:
    return " x ".join(map(str, extent))
