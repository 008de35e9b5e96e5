"""Fields as a Zarr store that xarray opens with coordinates, units and names."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halocline.geometry import AXES, box_of, by_axes
from halocline.io.output import writing
from halocline.language.grids.fields import is_staggered

if TYPE_CHECKING:
    import xarray

    from halocline.io.variable import Variable
    from halocline.language.grids.grid import Grid


def dataset(
    grid: Grid,
    variables: Sequence[Variable],
    attributes: Mapping[str, str | int | float],
    length_unit: str = "1",
) -> xarray.Dataset:
    """Return variables of a grid as an xarray dataset with dimensions x, y, z.

    Staggered axes have coordinates of their own: 'x_face', …; so have those of coarser or finer
    grids of the family: 'x_of_32x32', ….

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
        of = variable.grid or grid
        axes = [axis for axis in AXES[: grid.dimensions] if axis in variable.axes]
        extents = iter(variable.values.shape)
        box = box_of(next(extents) if axis in axes else 1 for axis in AXES[: grid.dimensions])
        positions = of.coordinates(variable.location, box, variable.axes)
        suffix = "" if of.extent == grid.extent else "_of_" + by_axes(of.extent)
        names = [_dimension(variable.location, axis) + suffix for axis in axes]
        for name, axis, position in zip(names, axes, positions, strict=True):
            label = {"long_name": f"{axis} coordinate", "units": length_unit, "axis": axis.upper()}
            coordinates[name] = xarray.Variable((name,), position.ravel(), label)
        label = {"long_name": variable.description, "units": variable.unit}
        contents[variable.name] = xarray.Variable(names, variable.values, label)
    return xarray.Dataset(contents, coordinates, {"Conventions": "CF-1.10", **attributes})


def _dimension(location: str, axis: str) -> str:
    """Return the name of a dimension: 'x', or 'x_face' where a field lives between cells."""
    return f"{axis}_face" if is_staggered(location, axis) else axis


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
