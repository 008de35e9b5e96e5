"""Fields as a Zarr store that xarray opens with coordinates, units and names."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halocline.geometry import AXES, box_of
from halocline.io.output import writing

if TYPE_CHECKING:
    import xarray

    from halocline.io.variable import Variable
    from halocline.language.grid import Grid


def dataset(
    grid: Grid,
    variables: Sequence[Variable],
    attributes: Mapping[str, str | int | float],
    length_unit: str = "1",
) -> xarray.Dataset:
    """Return variables of a grid as an xarray dataset with dimensions x, y, z.

    Staggered axes have coordinates of their own: 'x_face', ….

    Args:
        grid: Where the values live.
        variables: With values: this is for rank 0.
        attributes: What the whole file is about.
        length_unit: Unit of the coordinates.
    """
    import xarray

    coordinates: dict[str, xarray.Variable] = {}
    contents: dict[str, xarray.Variable] = {}
    for variable in variables:
        assert variable.values is not None
        positions = grid.coordinates(variable.location, box_of(variable.values.shape))
        names = [_dimension(variable.location, axis) for axis in AXES[: grid.dimensions]]
        for name, axis, position in zip(names, AXES, positions, strict=False):
            label = {"long_name": f"{axis} coordinate", "units": length_unit, "axis": axis.upper()}
            coordinates[name] = xarray.Variable((name,), position.ravel(), label)
        label = {"long_name": variable.description, "units": variable.unit}
        contents[variable.name] = xarray.Variable(names, variable.values, label)
    return xarray.Dataset(contents, coordinates, {"Conventions": "CF-1.10", **attributes})


def _dimension(location: str, axis: str) -> str:
    """Return the name of a dimension: 'x', or 'x_face' where a field lives between cells."""
    is_staggered = location != "center" and axis in location.split("_", maxsplit=1)[0]
    return f"{axis}_face" if is_staggered else axis


def write_zarr(
    path: Path, contents: xarray.Dataset, encoding: Mapping[str, Any] | None = None
) -> None:
    """Write a dataset as a Zarr store, in the place of an older one.

    It is written beside its place and moved there when complete, so that a full disk leaves either
    the old store or none, never half a one.

    Args:
        path: The store.
        contents: What is written.
        encoding: How each variable is stored, as xarray understands it.

    Raises:
        OutputError: It cannot be written.
    """
    unfinished = path.with_name(path.name + ".unfinished")
    with writing(path), warnings.catch_warnings():
        # Consolidated metadata is not yet part of the Zarr 3 specification, as Zarr warns; without
        # it xarray warns whenever the store is opened.
        warnings.simplefilter("ignore")
        try:
            shutil.rmtree(unfinished, ignore_errors=True)
            contents.to_zarr(unfinished, mode="w", consolidated=True, encoding=encoding)
            shutil.rmtree(path, ignore_errors=True)
            unfinished.rename(path)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
