"""A dataset as a Zarr store that xarray opens with coordinates, units and names."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halocline.io.output import writing

if TYPE_CHECKING:
    import xarray


def write_zarr(
    path: Path,
    contents: xarray.Dataset | xarray.DataTree,
    encoding: Mapping[str, Any] | None = None,
) -> None:
    """Write a dataset, or several as groups, as a Zarr store, in the place of an older one.

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
