"""Variables of a grid as an xarray dataset, with what CF conventions ask for.

Source: NetCDF Climate and Forecast Metadata Conventions 1.11, 2023 (cfconventions.org).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.geometry import AXES, by_axes
from halocline.installation import need
from halocline.io.axis import PURE_NUMBERS, Axes, Axis, faces_along, places_along
from halocline.io.store import CORNERS, SIDES
from halocline.language.spaces.location import Location

if TYPE_CHECKING:
    import xarray
    from numpy.typing import NDArray

    from halocline.io.variable import Variable
    from halocline.language.grids.grid import Grid


def dataset(
    grid: Grid,
    variables: Sequence[Variable],
    about: Mapping[str, Any],
    axes: Axes = PURE_NUMBERS,
) -> xarray.Dataset:
    """Return variables of a grid as an xarray dataset with dimensions x, y, z.

    Staggered axes have coordinates of their own: 'x_face', …; so have those of coarser or finer
    grids of the family: 'x_of_32x32', ….

    Args:
        grid: Where the values live.
        variables: With values: this is for rank 0.
        about: What the whole file is about; its title is else the names of the variables.
        axes: What the coordinates mean.
    """
    need("output", "xarray")
    import xarray

    coordinates: dict[str, xarray.Variable] = {}
    contents: dict[str, xarray.Variable] = {}
    beside: dict[str, xarray.Variable] = {}
    for variable in variables:
        assert variable.values is not None
        of = variable.grid or grid
        axes_of_variable = [
            a for a, name in enumerate(AXES[: grid.dimensions]) if name in variable.axes
        ]
        suffix = "" if of.extent == grid.extent else "_of_" + by_axes(of.extent)
        names = [_dimension(variable.location, axis, axes) + suffix for axis in axes_of_variable]
        for name, axis, count in zip(names, axes_of_variable, variable.values.shape, strict=True):
            places = places_along(of, axis, axes, variable.location, count)
            label = _axis_label(AXES[axis], axes)
            # No coordinate is missing.
            coordinates[name] = xarray.Variable((name,), places, label, {"_FillValue": None})
        made = xarray.Variable(names, variable.values, _label(variable))
        if variable.is_coordinate:
            beside[variable.name] = made
            if variable.corners is not None:
                _bound(made, variable.name, (*names, CORNERS), variable.corners, contents)
        else:
            contents[variable.name] = made
    for name, coordinate in coordinates.items():
        _name_formula(name, coordinate, axes, contents)
        sides = _sides_on_earth(name, coordinate, grid, axes)
        if sides is not None:
            _bound(coordinate, name, (name, SIDES), sides, contents)
    _name_mapping(contents)
    title = {"title": ", ".join(variable.name for variable in variables)}
    return xarray.Dataset(contents, coordinates | beside, attributes(title | dict(about)))


def _bound(
    coordinate: xarray.Variable,
    name: str,
    dims: tuple[str, ...],
    values: NDArray[Any],
    contents: dict[str, xarray.Variable],
) -> None:
    """Add the bounds of cells along a coordinate, sides or corners, and name them there."""
    coordinate.attrs["bounds"] = bounds = f"{name}_bounds"
    contents[bounds] = type(coordinate)(dims, values, {}, {"_FillValue": None})


def attributes(about: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a file says of itself: numbers and text, for it can say nothing else."""
    program = f"Halocline {version('halocline')}"
    own = {"Conventions": "CF-1.11", "source": program, "history": f"Written by {program}"}
    return {**own, **{name: _plain(value) for name, value in about.items() if value is not None}}


def _plain(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return value if isinstance(value, int | float) else str(value)


def _dimension(location: str, axis: int, axes: Axes) -> str:
    """Return the name of a dimension: 'x', or 'x_face' where a field lives between cells."""
    name = axes.get(AXES[axis], Axis()).name or AXES[axis]
    return f"{name}_face" if Location(location).is_on_faces(axis) else name


def _label(variable: Variable) -> dict[str, Any]:
    # On which scale degrees are: CF 1.11, section 3.1.2.
    scale = "temperature: on_scale" if variable.unit == "degC" else ""
    label = {
        "long_name": variable.description,
        "units": variable.unit,
        "units_metadata": scale,
        "standard_name": variable.standard_name,
    }
    return {name: text for name, text in label.items() if text} | dict(variable.attributes)


def _name_mapping(contents: Mapping[str, xarray.Variable]) -> None:
    """Say of all with cells along x and y which variable describes where these are."""
    for name, mapping in contents.items():
        if "grid_mapping_name" in mapping.attrs:
            for variable in contents.values():
                if len(variable.dims) > 1:
                    variable.attrs["grid_mapping"] = name


def _axis_label(letter: str, axes: Axes) -> dict[str, str]:
    axis = axes.get(letter, Axis())
    description = axis.description or f"{letter} coordinate"
    label = {"long_name": description, "units": axis.unit, "axis": letter.upper()}
    # A formula gives the name to a vertical axis; see '_name_formula'.
    name = "" if axis.terms else axis.standard_name
    upwards = "up" if letter == "z" else ""
    more = {"standard_name": name, "positive": axis.positive or upwards}
    return label | {key: text for key, text in more.items() if text}


def _sides_on_earth(
    name: str, coordinate: xarray.Variable, grid: Grid, axes: Axes
) -> NDArray[np.float64] | None:
    """Return the sides (cells, 2) of cells along longitude or latitude; None of other places."""
    axis = AXES.index(coordinate.attrs["axis"].lower())
    is_on_earth = coordinate.attrs.get("standard_name") in ("longitude", "latitude")
    if not is_on_earth or name.endswith("_face") or len(coordinate) != grid.extent[axis]:
        return None
    faces = faces_along(grid, axis, axes)
    return np.stack([faces[:-1], faces[1:]], axis=1)


def _name_formula(
    name: str, coordinate: xarray.Variable, axes: Axes, contents: Mapping[str, Any]
) -> None:
    """Say how heights follow from a coordinate, if all that the formula reads is in the file."""
    axis = axes.get(coordinate.attrs["axis"].lower(), Axis())
    if axis.terms and set(axis.terms.values()) <= set(contents):
        terms = {"sigma": name, **axis.terms}
        coordinate.attrs |= {
            "standard_name": axis.standard_name,
            "formula_terms": " ".join(f"{key}: {of}" for key, of in terms.items()),
            "computed_standard_name": axis.computed_standard_name,
        }
